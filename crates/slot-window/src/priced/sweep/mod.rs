//! The sweep over starts.
//!
//! While the start of a window moves to later instants, the prices that a slot pays change only where the start
//! passes a price (which is then no longer paid) or where the end reaches one (which is paid from there on). Between
//! two such events only the start changes, so the first instant of each interval is the best one, and only it is
//! tested.
//!
//! | word | meaning |
//! |---|---|
//! | candidate | a slot whose node the job may have, with room for its task |
//! | usable | a candidate that may be part of a window better than the best so far |
//! | point | an instant of a node with a price, and the sum of the prices up to it |
//! | base | the value of a slot without prices: the weighted charge |
//! | event | a start at which the prices that a slot pays may change |
//! | live | a slot on which the task fits at the present start, with its value there |
//! | cap | a bound on the spans of the nodes chosen |
//! | anchor | if all nodes are held for one span: a node whose task has this span |
//! | pool | candidates that may be combined: all, or those of one value of the label to pack by |
//! | group | slots of which a window may contain a limited number: those of one value of the label to spread by |
//!
//! `start` tests one start. Each pool has its own sweeps.
//!
//! If the meter ends the exact choices, a second sweep over all starts relaxes the budget instead. What it finds and
//! leaves out does not depend on the work done before, so that more work makes neither the value nor the bound worse.
//! A window replaces the best one only if the value reported for it is lower.
//!
//! What cannot be in a better window is left out by sums of which every step, as a double, is at most the same step
//! in the sum of the window's value. Since rounding is monotone, this needs no margin, and windows of equal value
//! compare as equal.

mod start;

use super::input::{Point, between};
use super::{NodeTimePrices, PricedQuery, PricedWindow, Weights};
use crate::subset::{Counts, Item, Solver};
use crate::sweep::{
    Candidate, Held, SmallestByNode, distinct_spans, fits, last_that_ends_by, latest_start, levels,
};
use crate::{WindowError, error::ended};
use sched_model::check::Holding;
use sched_model::internal::{ExactSum, plain_sum_error, sort, sort_keys};
use sched_model::{Limit, Meter, Placement, Span, Time, Window};

/// Returns the window of minimum value, if that is below `below`, and a lower bound on the values of all windows.
pub(super) fn search(
    weights: Weights,
    query: &PricedQuery<'_>,
    prices: &NodeTimePrices,
    below: f64,
    meter: &mut Meter,
) -> Result<(Option<PricedWindow>, f64), WindowError> {
    let mut sweep = Sweep::new(weights, query, prices, below);
    if ended(sweep.run(Some(meter)))?.is_some() {
        let mut relaxed = Sweep::new(weights, query, prices, below);
        relaxed.run(None)?;
        sweep.unproven = relaxed.unproven;
        sweep.magnitude = sweep.magnitude.max(relaxed.magnitude);
        if relaxed.below < sweep.below {
            sweep.best = relaxed.best;
        }
    }
    let lowest = sweep.best.as_ref().map_or(below, |best| best.value).min(sweep.unproven);
    let bound = lowest - sweep.error();
    Ok((sweep.best, bound))
}

/// A slot that may be part of a better window.
struct Usable<'a> {
    candidate: &'a Candidate<'a>,
    points: &'a [Point],
    /// The earliest start of a task on it.
    from: f64,
    /// The span for which it is held.
    span: Span,
    charge: f64,
    /// The weighted charge: its value without prices.
    base: f64,
    /// The latest start of a task on it.
    latest: f64,
    /// Its value while it is live, otherwise NaN.
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

/// The state of a search: the present sweep, and the best window of all.
struct Sweep<'a> {
    weights: Weights,
    query: &'a PricedQuery<'a>,
    prices: &'a NodeTimePrices,
    usable: Vec<Usable<'a>>,
    /// The distinct spans of the usable slots, ascending.
    levels: Vec<Span>,
    live: Vec<Live>,
    /// A lower bound on the latest starts of the live slots.
    min_latest: f64,
    /// The value that a better window must be below: that of the best one so far, at first the given one.
    below: f64,
    best: Option<PricedWindow>,
    /// The present start.
    start: f64,
    /// A lower bound on the values of windows that were left out without proof.
    unproven: f64,
    /// An upper bound on the magnitude of all sums that were computed.
    magnitude: f64,
    /// The items of a choice, and their positions in `live`.
    items: Vec<Item>,
    positions: Vec<u32>,
    /// Positions in `live` of a set of slots.
    members: Vec<u32>,
    /// The number of members of each group.
    counts: Counts,
    solver: Solver,
    /// The meter of relaxations, without a limit: each one selects among the live slots a bounded number of times.
    free: Meter,
}

impl<'a> Sweep<'a> {
    fn new(weights: Weights, query: &'a PricedQuery<'a>, prices: &'a NodeTimePrices, below: f64) -> Self {
        Self {
            weights,
            query,
            prices,
            usable: Vec::new(),
            levels: Vec::new(),
            live: Vec::new(),
            min_latest: f64::INFINITY,
            below,
            best: None,
            start: 0.0,
            unproven: f64::INFINITY,
            magnitude: 0.0,
            items: Vec::new(),
            positions: Vec::new(),
            members: Vec::new(),
            counts: Counts::default(),
            solver: Solver::default(),
            free: Limit::none().meter(),
        }
    }

    /// Searches all pools: with exact choices under `meter`, or with the relaxed budget if there is none.
    fn run(&mut self, mut meter: Option<&mut Meter>) -> Result<(), WindowError> {
        let query = self.query;
        for pool in query.candidates.chunk_by(|a, b| a.pack == b.pack) {
            // If each node is held for its own span, one sweep covers the windows of all runtimes.
            let mut levels = levels(pool.iter().map(|candidate| candidate.own), query.rules.holding);
            if self.weights.cost < 0.0 {
                // With a negative cost weight the longest spans have the best values: good windows come first.
                levels.reverse();
            }
            levels.into_iter().try_for_each(|held| self.sweep(pool, held, &mut meter))?;
        }
        Ok(())
    }

    /// The maximum amount by which rounding can hide a window of lower value.
    fn error(&self) -> f64 {
        // Each slot's value is a product, a charge and a difference of two sums of prices; n of them are
        // added, with two more terms.
        let nodes = self.query.nodes.min(self.query.candidates.len());
        plain_sum_error(6 * (nodes + 4) + 2 * self.prices.max_points, self.magnitude)
    }

    /// One sweep over all starts of a pool, with each node held for its own span, or all for one.
    fn sweep(
        &mut self,
        pool: &'a [Candidate<'a>],
        held: Held,
        meter: &mut Option<&mut Meter>,
    ) -> Result<(), WindowError> {
        // With a negative cost weight, holding faster nodes for a longer span gives better values, which is allowed
        // only if the slowest of them takes this span: one node must be an anchor.
        let anchored = held.filter(|_| self.weights.cost < 0.0);
        let min_others = self.collect_usable(pool, held);
        if self.usable.len() < self.query.nodes {
            return Ok(());
        }
        self.live.clear();
        self.min_latest = f64::INFINITY;
        let (events, start_below) = (self.events(), self.query.limits.start_below);
        for at_once in events.chunk_by(|a, b| a.0 == b.0).take_while(|of| of[0].0 < start_below) {
            self.start = at_once[0].0;
            if self.min_latest < self.start {
                self.drop_ended();
            }
            at_once.iter().for_each(|&(_, slot)| self.update(slot, min_others));
            if self.live.len() >= self.query.nodes {
                match anchored {
                    Some(level) => self.test_with_anchor(level, meter)?,
                    None => self.test(meter)?,
                }
            }
        }
        Ok(())
    }

    /// The weighted time from the query's `from` to `start`.
    fn weighted_start(&self, start: f64) -> f64 {
        self.weights.start * (start - self.query.origin.get())
    }

    /// The part of the value of a window with this runtime at the present start that is not a sum over its slots.
    fn rest(&self, runtime: Span) -> f64 {
        self.weights.runtime * runtime.get() + self.weighted_start(self.start)
    }

    /// Drops live slots on which a task can no longer start.
    fn drop_ended(&mut self) {
        let (start, usable, mut first) = (self.start, &mut self.usable, f64::INFINITY);
        self.live.retain(|live| {
            let stays = live.latest >= start;
            if stays {
                first = first.min(live.latest);
            } else {
                usable[live.slot as usize].present = f64::NAN;
            }
            stays
        });
        self.min_latest = first;
    }

    /// Computes the value of a slot at the present start, and keeps the slot live only if a better window may contain
    /// it. `others` is a lower bound on the sum of the values of the other slots of a window.
    fn update(&mut self, number: u32, others: f64) {
        let (start, rest) = (self.start, self.rest(self.usable[number as usize].span));
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
            let Usable { charge, span, latest, candidate, .. } = *usable;
            usable.present = value;
            self.min_latest = self.min_latest.min(latest);
            self.live.insert(at, Live { value, charge, span, latest, slot: number, group: candidate.group });
        }
    }

    /// Keeps the window of `members`, whose values have the sum `sum`, if it is better than the best.
    fn offer(&mut self, sum: f64) -> Result<(), WindowError> {
        if sum + self.rest(self.span_of_members()) >= self.below {
            return Ok(());
        }
        let start = Time::try_from(self.start)?;
        // If all are held for the span of the slowest chosen node, that node decides the span, not the level.
        let of = |&at: &u32| self.usable[self.live[at as usize].slot as usize].candidate;
        let chosen = self.members.iter().map(of);
        let longest = chosen.clone().map(|candidate| candidate.own).fold(Span::ZERO, Span::max);
        let own = self.query.rules.holding == Holding::OwnSpan;
        let placement = |span: Span, slot| Placement::on(slot, start, span, self.query.slots.tariff());
        let placements =
            chosen.map(|candidate| placement(if own { candidate.own } else { longest }, candidate.slot));
        let mut placements: Vec<_> = placements.collect();
        sort(&mut placements, &|a, b| a.node.cmp(&b.node));
        let window = Window::new(start, placements)?;
        let value = self.weights.value(&window, longest, self.query.origin, self.prices);
        if value < self.below {
            self.below = value;
            self.best = Some(PricedWindow { window, value });
        }
        Ok(())
    }

    /// Collects the usable slots of a pool, and their spans. Returns a lower bound on the sum of the values, without
    /// prices, of all nodes of a window but one.
    fn collect_usable(&mut self, pool: &'a [Candidate<'a>], held: Held) -> f64 {
        let Self { weights, query, prices, .. } = *self;
        self.usable.clear();
        self.usable.reserve(pool.len());
        for candidate in pool {
            let (slot, from, span) = (candidate.slot, candidate.start, held.unwrap_or(candidate.own));
            let end = slot.end.get().min(query.limits.finish);
            let charge = query.slots.tariff().charge(slot.price, span).get();
            let fits = candidate.own <= span && fits(from, span.get(), end);
            if fits && charge <= query.limits.budget {
                let (base, latest) = (weights.cost * charge, latest_start(end, span.get()));
                let (points, present) = (&[][..], f64::NAN);
                self.usable.push(Usable { candidate, points, from, span, charge, base, latest, present });
            }
        }
        let max_of = |of: fn(&Usable<'_>) -> f64| self.usable.iter().map(of).fold(0.0, f64::max);
        let last = max_of(|usable| usable.latest).max(query.origin.get());
        let charged = weights.cost.abs() * max_of(|usable| usable.charge);
        let added = query.nodes.min(query.candidates.len()) as f64 * (charged + prices.max_node_total)
            // A runtime is the difference of two instants.
            + weights.runtime
                * (max_of(|usable| usable.span.get()) + last.abs().max(query.origin.get().abs()))
            + self.weighted_start(last);
        self.magnitude = self.magnitude.max(added);
        if self.usable.len() < query.nodes {
            return 0.0;
        }
        let others = min_of_others(query.nodes, &self.usable);
        let mut kept = std::mem::take(&mut self.usable);
        kept.retain(|usable| {
            let rest = weights.runtime * usable.span.get() + self.weighted_start(usable.from);
            (usable.base + others) + rest < self.below
        });
        kept.iter_mut().for_each(|usable| usable.points = prices.points(usable.candidate.slot.node));
        self.levels = distinct_spans(kept.iter().map(|usable| usable.span));
        self.usable = kept;
        others
    }

    /// The events in order, as pairs (start, slot): the starts at which the prices that a slot pays may change.
    fn events(&self) -> Vec<(f64, u32)> {
        let mut events = Vec::with_capacity(2 * self.usable.len());
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
        events
    }
}

/// The earliest start from which a task of this span ends at `instant` or later, by the computed end.
fn first_start_that_reaches(instant: f64, span: f64) -> f64 {
    last_that_ends_by(instant.next_down(), span).next_up()
}

/// A lower bound on the sum of the values, without prices, of `nodes - 1` different nodes.
fn min_of_others(nodes: usize, usable: &[Usable<'_>]) -> f64 {
    if nodes == 1 {
        return 0.0;
    }
    let mut smallest = SmallestByNode::new(nodes - 1);
    usable.iter().for_each(|usable| smallest.add(usable.base, usable.candidate.slot.node.0));
    let mut sum: ExactSum = smallest.values().collect();
    let rounded = sum.value();
    sum.remove(rounded);
    if sum.value() < 0.0 { rounded.next_down() } else { rounded }
}
