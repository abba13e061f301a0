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
//! `slots` lists usable slots and events; `start` tests one start; `room` counts groups. Each place has
//! sweeps of its own.

mod room;
mod slots;
mod start;

use super::prepared::{Pieces, Place, Suited, least_of_nodes};
use super::prices::{Point, between};
use super::{NodeTimePrices, PreparedQuery, PricedSearch};
use crate::WindowError;
use crate::subset::SubsetScratch;
use room::Room;
use sched_model::check::Holding;
use sched_model::{End, Meter, NodeId, Span, Time, Window, plain_sum_error};

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

/// The best window so far.
struct Best {
    start: f64,
    /// Positions in `suited`.
    slots: Vec<u32>,
}

pub(super) struct Sweep<'a> {
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
    best: Option<Best>,
    /// Multiplier of the budget at the last start where it was binding.
    multiplier: f64,
    /// Where a choice of nodes within the budget was not proven: a lower bound of its value, why it ended,
    /// and after which work.
    unproven: Option<(f64, End, u64)>,
    /// The greatest magnitude of numbers that were added.
    magnitude: f64,
    keys: Vec<f64>,
    values: Vec<f64>,
    charges: Vec<f64>,
    members: Vec<u32>,
    /// Positions in `live` of the items of a choice, or of the usable slots among their pieces.
    positions: Vec<u32>,
    subset: SubsetScratch,
}

impl<'a> Sweep<'a> {
    pub(super) fn new(
        search: &'a PricedSearch,
        query: &'a PreparedQuery<'a>,
        prices: &'a NodeTimePrices,
        below: f64,
    ) -> Self {
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
            multiplier: 0.0,
            unproven: None,
            magnitude: 0.0,
            keys: Vec::new(),
            values: Vec::new(),
            charges: Vec::new(),
            members: Vec::new(),
            positions: Vec::new(),
            subset: SubsetScratch::new(),
        }
    }

    /// The window of least value, if it is below what was asked for.
    pub(super) fn best(&mut self, meter: &mut Meter<'_>) -> Result<Option<Window>, WindowError> {
        for place in &self.query.places {
            self.best_of_place(place, meter)?;
        }
        self.window()
    }

    fn best_of_place(&mut self, place: &Place, meter: &mut Meter<'_>) -> Result<(), WindowError> {
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

    /// A choice of nodes that was not proven: the value of its windows is at least so much.
    pub(super) fn unproven(&self) -> Option<(f64, End, u64)> {
        self.unproven
    }

    /// The greatest amount by which rounding can have hidden a window of lesser value.
    pub(super) fn error(&self) -> f64 {
        // Each slot's value is a product, a charge and a difference of two sums of prices; n of them are
        // added, with two more terms.
        let nodes = self.nodes.min(self.query.suited.len());
        plain_sum_error(6 * (nodes + 4) + 2 * self.prices.most_points(), self.magnitude)
    }

    /// One sweep over all starts, each node held for its own span or all for one.
    fn sweep(&mut self, place: &Place, held: Option<Span>, meter: &mut Meter<'_>) -> Result<(), WindowError> {
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
        let shortest = self.levels.first().copied().unwrap_or(Span::ZERO);
        let mut at = 0;
        while let Some(&(start, _)) = self.events.get(at).filter(|event| event.0 < self.query.start_below) {
            let begun = self.search.start_weight * (start - self.origin);
            let first = at;
            while self.events.get(at).is_some_and(|event| event.0 == start) {
                at += 1;
            }
            if self.first_latest < start {
                self.drop_ended(start);
            }
            for event in first..at {
                self.update(self.events[event].1, start, begun + least_rest);
            }
            if self.live.len() >= self.nodes {
                match anchored {
                    Some(level) => self.test_with_anchor(start, begun, level, meter)?,
                    None => self.test(start, begun, shortest, meter)?,
                }
            }
        }
        Ok(())
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

    /// Replaces the slot's value by that at this start. `rest` is a lower bound on what the other slots and
    /// the start add.
    fn update(&mut self, number: u32, start: f64, rest: f64) {
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
        if value + rest + self.search.runtime_weight * usable.span.get() < self.below {
            let at = place(&self.live, value);
            let Usable { charge, span, latest, group, .. } = *usable;
            usable.present = value;
            self.first_latest = self.first_latest.min(latest);
            self.live.insert(at, Live { value, charge, span, latest, slot: number, group });
        }
    }

    fn window(&mut self) -> Result<Option<Window>, WindowError> {
        let Some(best) = self.best.take() else { return Ok(None) };
        let start = Time::new(best.start)?;
        // Where all are held for the span of the slowest chosen node, that node decides the span, not the
        // level.
        let chosen = best.slots.iter().map(|&number| &self.query.suited[number as usize]);
        let longest = chosen.clone().map(|suited| suited.own_span).fold(Span::ZERO, Span::max);
        let span = |suited: &Suited<'_>| match self.query.rules.holding {
            Holding::OwnSpan => suited.own_span,
            _ => longest,
        };
        let mut placements: Vec<_> =
            chosen.map(|suited| self.query.slots.placement(suited.slot, start, span(suited))).collect();
        placements.sort_unstable_by_key(|placement| placement.node);
        Ok(Some(Window::new(start, placements)?))
    }
}
