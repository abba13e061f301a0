//! The search for slowest-span windows level by level. Levels are left out if their bounds prove that no window is
//! within the budget or better than the best.
//!
//! A sweep of a level without a window reads the whole list. For most of these levels, the cost of the cheapest nodes
//! of each pool proves that there is none.

use super::{
    Among, item_at,
    list::{NodeNumbers, candidates, distinct_spans, reader, shortest_spans},
    optimal::Search,
    slots::Candidate,
};
use crate::{Objective, WindowError, WindowQuery};
use sched_model::internal::sort;
use sched_model::{End, Meter, Price, Span};

/// The bounds of all levels take about as long as reading the list this number of times.
const MANY_LEVELS: usize = 3;

/// The number of candidates that are read first, if the window may be among the first ones; then four times as many.
const FIRST_CANDIDATES: usize = 256;

impl<'a> Search<'a, '_> {
    /// Finds the slowest-span window of minimum runtime, on the first level that has a window, in order of span. A
    /// few levels are tried before all slots are read.
    pub(crate) fn shortest(&mut self) -> Result<(), WindowError> {
        let spans = shortest_spans(self.query, self.limits.min_speed, self.meter)?;
        for &span in &spans {
            self.level(Among::List, Some(span))?;
            if self.best.choice.is_found() {
                return Ok(());
            }
        }
        let all = candidates(self.query.slots, self.query, &self.limits, self.meter)?;
        self.sweep_levels(&all, &spans)
    }

    /// Finds the slowest-span window of earliest start or finish. All its slots start before it ends, so they are
    /// among the first of the list: only some first candidates are read, then more as long as no window is found,
    /// then all that start before the best window ends. Each level is swept until its windows would end later. If a
    /// large part of the list has no window, bounds of all levels are computed first.
    pub(crate) fn earliest(&mut self) -> Result<(), WindowError> {
        let slots = self.query.slots;
        let mut reader = reader(slots, self.query, self.limits);
        let mut more = FIRST_CANDIDATES;
        while reader.read(more, self.best.rank.value, self.meter)? {
            let first = &reader.candidates;
            let levels = distinct_spans(first.iter().map(|candidate| candidate.own));
            let is_great = first.len().saturating_mul(4) > slots.len() && levels.len() > MANY_LEVELS;
            if is_great && more > FIRST_CANDIDATES && !self.best.choice.is_found() {
                reader.read(usize::MAX, f64::INFINITY, self.meter)?;
                return self.sweep_levels(&reader.candidates, &[]);
            }
            more = if self.best.choice.is_found() { usize::MAX } else { first.len().saturating_mul(3) };
            for level in levels {
                if self.is_decided_before(level, first[0].start) {
                    break;
                }
                self.level(Among::Candidates(first, 0.0), Some(level))?;
            }
            if self.best.objective == Objective::Start && self.best.choice.is_found() {
                break;
            }
        }
        Ok(())
    }

    /// Sweeps the levels that may have a window within the budget, the shortest span first, as long as a window may
    /// be better than the best. The levels in `swept` are left out.
    fn sweep_levels(&mut self, all: &[Candidate<'a>], swept: &[Span]) -> Result<(), WindowError> {
        for Level { span, bound, others } in bounded_levels(all, self.query, self.meter)? {
            if self.is_decided_before(span, all[0].start) {
                break;
            }
            if !swept.contains(&span) && bound <= self.limits.budget && bound < f64::INFINITY {
                self.level(Among::Candidates(all, others), Some(span))?;
            }
        }
        Ok(())
    }

    /// Finds the slowest-span window of minimum cost. Levels are swept in order of their lower bounds, then of their
    /// spans; levels whose bound exceeds the best cost are not swept.
    pub(crate) fn cheapest(&mut self) -> Result<(), WindowError> {
        let all = candidates(self.query.slots, self.query, &self.limits, self.meter)?;
        let mut levels = bounded_levels(&all, self.query, self.meter)?;
        sort(&mut levels, &|a, b| a.bound.total_cmp(&b.bound).then(a.span.cmp(&b.span)));
        for Level { span, bound, others } in levels {
            if bound > self.best.rank.value.min(self.limits.budget) || bound == f64::INFINITY {
                break;
            }
            self.level(Among::Candidates(&all, others), Some(span))?;
        }
        Ok(())
    }
}

/// A level with lower bounds on the costs of its windows.
#[derive(Debug, Clone, Copy)]
struct Level {
    span: Span,
    /// A lower bound on the cost of a window.
    bound: f64,
    /// A lower bound on the cost of all nodes of a window but one.
    others: f64,
}

/// A span of the task and a price with which a node has candidates, in one pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Offer {
    own: Span,
    price: Price,
    node: u32,
    pack: u32,
}

/// The distinct offers of these candidates, the shortest span first.
fn offers(all: &[Candidate<'_>]) -> Vec<Offer> {
    let numbers = NodeNumbers::of(all.iter().map(|of| of.slot.node.0));
    let mut last = vec![None; numbers.count()];
    let mut offers = Vec::new();
    for of in all {
        let node = of.slot.node.0;
        let offer = Offer { own: of.own, price: of.slot.price, node, pack: of.pack };
        // Most slots of a node are alike.
        if last[numbers.number(node)].replace(offer) != Some(offer) {
            offers.push(offer);
        }
    }
    sort(&mut offers, &Ord::cmp);
    offers.dedup();
    offers
}

/// Returns the levels of these candidates, the shortest span first, with bounds that hold whether or not slots are
/// long enough.
///
/// The cheapest nodes are those of minimum price, whatever the span; so the cheapest nodes of a level are among those
/// of the level before and the nodes that it adds. O(m + k log k) for m candidates on k nodes, and O(n) for each node
/// that is among the n cheapest of its pool and for each pool of a level; each candidate and each of these is a unit
/// of work.
fn bounded_levels(
    all: &[Candidate<'_>],
    query: WindowQuery<'_>,
    meter: &mut Meter,
) -> Result<Vec<Level>, End> {
    let (n, tariff) = (query.request.nodes(), query.slots.tariff());
    meter.spend(all.len() as u64)?;
    let mut pools: Vec<SmallestByNode> = Vec::new();
    let mut level = |added: &[Offer]| {
        let mut level = Level { span: added[0].own, bound: f64::INFINITY, others: f64::INFINITY };
        for offer in added {
            meter.spend(1)?;
            item_at(&mut pools, offer.pack, || SmallestByNode::new(n)).add(offer.price.get(), offer.node);
        }
        let charge =
            |price| Price::try_from(price).map_or(0.0, |price| tariff.charge(price, level.span).get());
        // Slightly less than a computed sum, because of its rounding.
        let below = |sum: f64| sum - sum * f64::EPSILON * (n as f64 + 2.0);
        for pool in pools.iter().filter(|pool| pool.len() == n) {
            meter.spend(n as u64)?;
            let others = pool.values().take(n - 1).map(charge).sum::<f64>();
            let all = others + pool.values().last().map_or(0.0, charge);
            level.bound = level.bound.min(below(all));
            level.others = level.others.min(below(others));
        }
        Ok(level)
    };
    offers(all).chunk_by(|a, b| a.own == b.own).map(&mut level).collect()
}

/// The smallest values of `count` different nodes. Each node counts once, with its minimum value.
#[derive(Debug)]
pub(crate) struct SmallestByNode {
    count: usize,
    /// (value, node), ascending.
    smallest: Vec<(f64, u32)>,
}

impl SmallestByNode {
    pub(crate) fn new(count: usize) -> Self {
        Self { count, smallest: Vec::new() }
    }

    /// Adds a value of a node. O(count) if it is among the smallest so far, otherwise O(1).
    pub(crate) fn add(&mut self, value: f64, node: u32) {
        let smallest = &mut self.smallest;
        if smallest.len() == self.count && smallest.last().is_none_or(|last| value >= last.0) {
            return;
        }
        if let Some(same) = smallest.iter().position(|other| other.1 == node) {
            if value >= smallest[same].0 {
                return;
            }
            smallest.remove(same);
        }
        let at = smallest.partition_point(|other| other.0 <= value);
        smallest.insert(at, (value, node));
        smallest.truncate(self.count);
    }

    pub(crate) fn len(&self) -> usize {
        self.smallest.len()
    }

    /// The values, ascending.
    pub(crate) fn values(&self) -> impl Iterator<Item = f64> {
        self.smallest.iter().map(|smallest| smallest.0)
    }
}
