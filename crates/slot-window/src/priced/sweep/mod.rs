//! The sweep over starts.
//!
//! While the start of a window moves to later instants, the prices that a slot pays change only where the
//! start passes a price (which is then no longer paid) or where the end reaches one (which is paid from there
//! on). Between two such events only the start changes, so that the first instant of each interval is the
//! best one, and only it is tested.
//!
//! | word | meaning |
//! |---|---|
//! | suited | a slot fast and cheap enough for the request |
//! | usable | a suited slot that can be part of a window better than the best so far |
//! | point | an instant of a node with a price, and the sum of the prices up to it |
//! | base | the value of a slot without prices: the weighted charge |
//! | event | a start at which the prices that a slot pays may change |
//! | live | a slot that a task can be on at the present start, with its value there |
//! | cap | a bound on the spans of the nodes chosen |
//! | anchor | where all nodes are held for one span: a node whose task has this span |
//! | place | suited slots that may be combined: all, or those of one value of the label to pack by |
//! | group | slots of which a window may contain so many: those of one value of the label to spread by |
//!
//! `start` tests one start, with the bounds of `relaxed`; `found` keeps the best window, and goes on where the
//! meter ends a sweep. Each place has sweeps of
//! its own.
//!
//! What cannot be in a better window is left out by sums of which no step is greater, as a double, than that
//! of the window's value: rounding is monotone, so that no margin is needed, and equal values are equal.

mod found;
mod relaxed;
mod start;

pub(super) use found::search;

use super::prepared::{Below, Piece, Pieces, Place, least_of_nodes};
use super::prices::{Point, between};
use super::{NodeTimePrices, PreparedQuery, PricedSearch, PricedWindow};
use crate::error::Stop;
use crate::{subset, sweep::last_that_ends_by};
use found::{Position, Stopped};
use sched_model::check::Holding;
use sched_model::{Meter, NodeId, Span, order::sort_keys, plain_sum_error};
use start::Room;

/// A slot that can be part of a better window.
struct Usable<'a> {
    node: NodeId,
    /// Its position in `suited`.
    number: u32,
    points: &'a [Point],
    from: f64,
    /// How long it is held.
    span: Span,
    charge: f64,
    /// The weighted charge: its value without prices.
    base: f64,
    latest: f64,
    group: u32,
    /// Its value while it is live, else NaN.
    present: f64,
}

/// A live slot at the present start.
#[derive(Debug, Clone, Copy)]
struct Live {
    value: f64,
    charge: f64,
    span: Span,
    latest: f64,
    slot: u32,
    group: u32,
}

struct Sweep<'a> {
    search: &'a PricedSearch,
    query: &'a PreparedQuery<'a>,
    prices: &'a NodeTimePrices,
    nodes: usize,
    budget: f64,
    /// The instant from which the start is weighted.
    origin: f64,
    room: Room,
    usable: Vec<Usable<'a>>,
    /// The pieces of the present sweep, where all nodes are held for one span.
    fresh: Pieces,
    /// Spans of the task on these nodes, ascending.
    levels: Vec<Span>,
    /// (start, slot): the starts at which the prices that a slot pays may change.
    events: Vec<(f64, u32)>,
    live: Vec<Live>,
    /// No live slot stops being live before this.
    first_latest: f64,
    /// The value of the best window so far: a better one must be below it.
    below: f64,
    best: Option<PricedWindow>,
    /// The present start, and the weighted time from the origin to it.
    position: Position,
    begun: f64,
    /// Where this sweep makes no exact choices: up to where another has made them.
    after: Option<Position>,
    /// A lower bound of the windows left out at that start.
    there: f64,
    /// A lower bound of the sums of values at the present start that have not been searched for: known of the
    /// sets up to one cap, it holds for those up to a lesser one.
    least_sum: f64,
    /// Where the meter has ended the exact choices.
    stopped: Option<Stopped>,
    /// Multiplier of the budget at the last start where it was binding.
    multiplier: f64,
    /// A lower bound of the windows left out at other starts.
    unproven: f64,
    /// The greatest magnitude of numbers that were added.
    magnitude: f64,
    keys: Vec<f64>,
    values: Vec<f64>,
    charges: Vec<f64>,
    members: Vec<u32>,
    /// Positions in `live` of the items of a choice, or of the usable slots among their pieces.
    positions: Vec<u32>,
    subset: subset::Search,
}

impl<'a> Sweep<'a> {
    fn new(
        search: &'a PricedSearch,
        query: &'a PreparedQuery<'a>,
        prices: &'a NodeTimePrices,
        below: f64,
    ) -> Self {
        let mut subset = subset::Search::default();
        let differ = search.runtime_weight > 0.0 && query.rules.holding == Holding::OwnSpan;
        subset.best.trail = differ.then(Vec::new);
        Self {
            search,
            query,
            prices,
            nodes: query.nodes,
            budget: query.budget,
            origin: query.origin.get(),
            room: Room::new(query.most_of_group),
            usable: Vec::new(),
            fresh: Pieces::default(),
            levels: Vec::new(),
            events: Vec::new(),
            live: Vec::new(),
            first_latest: f64::INFINITY,
            below,
            best: None,
            position: (0, 0.0),
            begun: 0.0,
            after: None,
            there: f64::INFINITY,
            least_sum: f64::NEG_INFINITY,
            stopped: None,
            multiplier: 0.0,
            unproven: f64::INFINITY,
            magnitude: 0.0,
            keys: Vec::new(),
            values: Vec::new(),
            charges: Vec::new(),
            members: Vec::new(),
            positions: Vec::new(),
            subset,
        }
    }

    /// Searches all places.
    fn run(&mut self, meter: &mut Meter) -> Result<(), Stop> {
        let query = self.query;
        query.places.iter().try_for_each(|place| self.run_in(place, meter))
    }

    fn run_in(&mut self, place: &Place, meter: &mut Meter) -> Result<(), Stop> {
        if place.pieces.is_some() {
            // Each node is held for its own span: one sweep covers the windows of all runtimes.
            return self.sweep(place, None, meter);
        }
        // All nodes are held for the span of the slowest: a sweep for each span.
        let suited = &self.query.suited[place.suited.clone()];
        let mut levels: Vec<Span> = suited.iter().map(|suited| suited.own_span).collect();
        levels.sort_unstable();
        levels.dedup();
        if self.search.cost_weight < 0.0 {
            // With a negative cost weight the longest spans have the best values: good windows come first.
            levels.reverse();
        }
        levels.into_iter().try_for_each(|level| self.sweep(place, Some(level), meter))
    }

    /// The greatest amount by which rounding can have hidden a window of lesser value.
    fn error(&self) -> f64 {
        // Each slot's value is a product, a charge and a difference of two sums of prices; n of them are
        // added, with two more terms.
        let nodes = self.nodes.min(self.query.suited.len());
        plain_sum_error(6 * (nodes + 4) + 2 * self.prices.most_points(), self.magnitude)
    }

    /// One sweep over all starts, each node held for its own span or all for one.
    fn sweep(&mut self, place: &Place, held: Option<Span>, meter: &mut Meter) -> Result<(), Stop> {
        self.position.0 += 1;
        // With a negative cost weight, faster nodes would be better if held longer than their slowest: one
        // node must be of this level.
        let anchored = held.filter(|_| self.search.cost_weight < 0.0);
        self.collect_usable(place, held);
        if self.usable.len() < self.nodes {
            return Ok(());
        }
        self.collect_events();
        self.live.clear();
        self.first_latest = f64::INFINITY;
        let bases = self.usable.iter().map(|usable| (usable.base, usable.node));
        let least_rest = least_of_nodes(self.nodes - 1, bases);
        let mut at = 0;
        while let Some(&(start, _)) = self.events.get(at).filter(|event| event.0 < self.query.start_below) {
            self.position.1 = start;
            self.begun = self.search.start_weight * (start - self.origin);
            let first = at;
            while self.events.get(at).is_some_and(|event| event.0 == start) {
                at += 1;
            }
            if self.first_latest < start {
                self.drop_ended(start);
            }
            for event in first..at {
                self.update(self.events[event].1, start, least_rest);
            }
            if self.live.len() >= self.nodes {
                match anchored {
                    Some(level) => self.test_with_anchor(level, meter)?,
                    None => self.test(meter)?,
                }
            }
        }
        Ok(())
    }

    /// What a window of this runtime that starts now adds to the sum of the values of its slots.
    fn rest(&self, runtime: Span) -> f64 {
        self.search.runtime_weight * runtime.get() + self.begun
    }

    /// Drops live slots that end before a task that starts now would.
    fn drop_ended(&mut self, start: f64) {
        let (usable, mut first) = (&mut self.usable, f64::INFINITY);
        self.live.retain(|live| {
            let stays = live.latest >= start;
            if stays {
                first = first.min(live.latest);
            } else {
                usable[live.slot as usize].present = f64::NAN;
            }
            stays
        });
        self.first_latest = first;
    }

    /// Replaces the slot's value by that at this start. `others` is a lower bound on the sum of the values of
    /// the other slots.
    fn update(&mut self, number: u32, start: f64, others: f64) {
        let rest = self.rest(self.usable[number as usize].span);
        let usable = &mut self.usable[number as usize];
        let value = usable.base + between(usable.points, start, start + usable.span.get());
        let place = |live: &[Live], value: f64| {
            live.partition_point(|live| (live.value, live.slot) < (value, number))
        };
        if !usable.present.is_nan() {
            let at = place(&self.live, usable.present);
            self.live.remove(at);
            usable.present = f64::NAN;
        }
        if (value + others) + rest < self.below {
            let at = place(&self.live, value);
            let Usable { charge, span, latest, group, .. } = *usable;
            usable.present = value;
            self.first_latest = self.first_latest.min(latest);
            self.live.insert(at, Live { value, charge, span, latest, slot: number, group });
        }
    }
}

/// Number of recent spans with which a new one is compared before it is added to the list to be sorted.
const FEW_LEVELS: usize = 8;

impl Sweep<'_> {
    /// The slots that can be part of a window below the best, and their spans.
    fn collect_usable(&mut self, place: &Place, held: Option<Span>) {
        let search = self.search;
        let mut fresh = std::mem::take(&mut self.fresh);
        let pieces = match &place.pieces {
            Some(pieces) => pieces,
            None => {
                fresh.collect(self.query, &place.suited, held);
                &fresh
            }
        };
        let (longest, last, from) = (pieces.longest, pieces.last, self.origin);
        let greatest = search.cost_weight.abs() * pieces.greatest_charge;
        let added = self.nodes.min(self.query.suited.len()) as f64 * (greatest + self.prices.most_of_a_node())
            // A runtime is the difference of two instants.
            + search.runtime_weight * (longest + last.abs().max(from.abs()))
            + search.start_weight * (last - from);
        self.magnitude = self.magnitude.max(added);
        let below = Below { search, value: self.below, nodes: self.nodes, origin: self.origin };
        let mut kept = std::mem::take(&mut self.positions);
        pieces.keep(&below, &mut kept);
        let usable = |&at: &u32| {
            let Piece { node, number, group, from, latest, span, charge } = pieces.list[at as usize];
            let (points, base) = (self.prices.points(node), search.cost_weight * charge);
            Usable { node, number, points, from, span, charge, base, latest, group, present: f64::NAN }
        };
        self.usable.clear();
        self.usable.extend(kept.iter().map(usable));
        (self.positions, self.fresh) = (kept, fresh);
        self.levels.clear();
        for usable in &self.usable {
            // Neighbours often have the same speed; where there are few speeds, each is added once.
            let known = &self.levels[self.levels.len().saturating_sub(FEW_LEVELS)..];
            if !known.contains(&usable.span) {
                self.levels.push(usable.span);
            }
        }
        self.levels.sort_unstable();
        self.levels.dedup();
    }

    fn collect_events(&mut self) {
        let mut events = std::mem::take(&mut self.events);
        events.clear();
        events.reserve(2 * self.usable.len());
        for (number, usable) in self.usable.iter().enumerate() {
            let number = number as u32;
            events.push((usable.from, number));
            // A slot does not pay prices before its start or after its end.
            let first = usable.points.partition_point(|point| point.at <= usable.from);
            let end = usable.latest + usable.span.get();
            for point in usable.points[first..].iter().take_while(|point| point.at <= end) {
                for start in [point.at, first_start_that_reaches(point.at, usable.span.get())] {
                    if start > usable.from && start <= usable.latest {
                        events.push((start, number));
                    }
                }
            }
        }
        sort_keys(&mut events);
        events.dedup();
        self.events = events;
    }
}

/// The least start from which a task of this span ends at `instant` or later, in computed numbers.
fn first_start_that_reaches(instant: f64, span: f64) -> f64 {
    last_that_ends_by(instant.next_down(), span).next_up()
}
