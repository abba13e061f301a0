//! One start of the sweep: the best window there.
//!
//! If the nodes of minimum value are too expensive for the budget, the choice of nodes within it is a subset problem.
//! The relaxation of the budget first decides whether a better set is possible; only then does the exact search run,
//! for sets below the best value. It is the only part of the sweep that can take long, so the meter counts it.
//!
//! Sums of values are exact and rounded once, as those of windows are; so of two sets with the same runtime, the one
//! of lower sum is never the worse window.

use super::{Live, Sweep};
use crate::WindowError;
use crate::subset::{Instance, Item};
use sched_model::internal::{exact_sum, plain_sum_error};
use sched_model::{End, Meter, Span};

impl Sweep<'_> {
    /// Tests the present start, under caps on the spans, from the longest down. The set of minimum value under a cap
    /// is at least as good as all sets under it whose runtime is that of the set or longer.
    pub(super) fn test(&mut self, meter: &mut Option<&mut Meter>) -> Result<(), WindowError> {
        let mut caps = self.levels.len();
        while let Some(&cap) = caps.checked_sub(1).and_then(|at| self.levels.get(at)) {
            let Some(sum) = self.take_smallest(cap) else { return Ok(()) };
            let span = if self.members_are_affordable() {
                self.offer(sum)?;
                self.span_of_members()
            } else {
                match (self.choose(false, cap, meter)?, self.solver.best.found) {
                    (true, true) => self.span_of_members(),
                    // No set at all is affordable.
                    (true, false) if self.below == f64::INFINITY => return Ok(()),
                    // Sets of shorter runtime are tested under their own caps.
                    _ => cap,
                }
            };
            if self.weights.runtime == 0.0 {
                return Ok(());
            }
            caps = self.levels.partition_point(|&level| level < span);
        }
        Ok(())
    }

    /// Tests the present start, if all nodes are held for `level` and one must be an anchor.
    pub(super) fn test_with_anchor(
        &mut self,
        level: Span,
        meter: &mut Option<&mut Meter>,
    ) -> Result<(), WindowError> {
        let Some(sum) = self.take_smallest(level) else { return Ok(()) };
        let has_anchor = self.members.iter().any(|&at| self.is_anchor(at, level));
        if has_anchor && self.members_are_affordable() {
            return self.offer(sum);
        }
        self.choose(true, level, meter).map(drop)
    }

    /// Whether the task takes the span `level` on the node of a live slot.
    fn is_anchor(&self, at: u32, level: Span) -> bool {
        self.usable[self.live[at as usize].slot as usize].candidate.own == level
    }

    /// Makes the n live slots of minimum value `members`, of those with spans up to `cap`, with at most the allowed
    /// number of each group. Returns the sum of their values; `None` if there are too few slots, or if no window of
    /// this sum is better than the best.
    fn take_smallest(&mut self, cap: Span) -> Option<f64> {
        let (nodes, max_per_group) = (self.query.nodes, self.query.max_per_group);
        self.counts.clear();
        self.members.clear();
        for (at, live) in self.live.iter().enumerate() {
            if live.span <= cap && self.counts.take(live.group, max_per_group) {
                self.members.push(at as u32);
                if self.members.len() == nodes {
                    let (sum, shortest) = (self.sum_of_members(), self.levels.first().copied());
                    let rest = self.rest(shortest.unwrap_or(Span::ZERO));
                    return (sum + rest < self.below).then_some(sum);
                }
            }
        }
        None
    }

    fn sum_of_members(&self) -> f64 {
        exact_sum(self.members.iter().map(|&at| self.live[at as usize].value))
    }

    pub(super) fn span_of_members(&self) -> Span {
        self.members.iter().map(|&at| self.live[at as usize].span).fold(Span::ZERO, Span::max)
    }

    fn members_are_affordable(&self) -> bool {
        let charges = self.members.iter().map(|&at| self.live[at as usize].charge);
        sched_model::internal::affordable(charges, self.query.limits.budget)
    }

    /// Offers the affordable set of minimum value with spans up to `cap`, if it may be better than the best; if
    /// `anchored`, of the sets with an anchor. Returns whether the search was complete; then `members` is that set.
    fn choose(
        &mut self,
        anchored: bool,
        cap: Span,
        meter: &mut Option<&mut Meter>,
    ) -> Result<bool, WindowError> {
        let (rest, n) = (self.rest(cap), self.query.nodes);
        let needed = self.needed(rest);
        let Self { live, usable, items, positions, query, solver, free, below, .. } = self;
        positions.clear();
        positions.extend(live.iter().zip(0..).filter(|(live, _)| live.span <= cap).map(|(_, at)| at));
        items.clear();
        items.extend(positions.iter().map(|&at| {
            let Live { value, charge, group, slot, .. } = live[at as usize];
            let is_anchor = anchored && usable[slot as usize].candidate.own == cap;
            Item { value: -value, cost: charge, group, is_anchor }
        }));
        let instance = Instance::new(items, n, query.limits.budget, query.max_per_group, anchored);
        let instance = instance.with_floor(-needed);
        let relaxed = solver.relaxed(&instance, free)?;
        let min_sum = -solver.bound;
        let is_near =
            |meter: &Meter| *below < f64::INFINITY && meter.limit().gap_closed(*below, min_sum + rest);
        let found = match (relaxed, meter.as_deref_mut().filter(|meter| !is_near(meter))) {
            (None, _) => Ok(()),
            (Some(_), None) => Err(End::Gap),
            (Some(multiplier), Some(meter)) => solver.exact(&instance, multiplier, meter),
        };
        let min_sum = min_sum.max(-solver.bound);
        // Every improved set is offered, because one of lower sum and longer runtime may be the worse window.
        for set in 0..self.solver.best.improved {
            self.members.clear();
            let indices = &self.solver.best.trail[set * n..][..n];
            self.members.extend(indices.iter().map(|&index| self.positions[index as usize]));
            self.offer(self.sum_of_members())?;
        }
        match found {
            Err(end @ (End::Work | End::Signal)) => return Err(end.into()),
            Err(_) => self.unproven = self.unproven.min(min_sum + rest),
            Ok(()) => {}
        }
        Ok(found.is_ok())
    }

    /// The value that the sum of a set must be below, so that with `rest` it is better than the best. It includes the
    /// rounding error of this difference.
    fn needed(&self, rest: f64) -> f64 {
        if self.below == f64::INFINITY {
            return f64::INFINITY;
        }
        self.below - rest + plain_sum_error(4, self.below.abs() + rest.abs())
    }
}
