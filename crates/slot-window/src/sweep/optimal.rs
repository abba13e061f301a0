//! The window of minimum start, finish, runtime or cost.

use super::{
    Among, SweepTerms, Test,
    pools::Pools,
    slots::{Candidate, Entry, Held, Limits},
    sweep,
};
use crate::{Objective, WindowError, WindowQuery};
use sched_model::internal::{exact_sum, sort};
use sched_model::{Meter, Placement, Slot, Span, Tariff, Time, Window, check::Holding};
use std::ops::ControlFlow;

/// The search for the best window by an objective.
pub(crate) struct Search<'a, 's> {
    pub(crate) query: WindowQuery<'a>,
    pub(crate) test: Test,
    pub(crate) limits: Limits,
    pub(crate) best: Best<'s>,
    pub(crate) pools: &'s mut Pools,
    pub(crate) meter: &'s mut Meter,
}

impl<'a> Search<'a, '_> {
    /// Whether no window of a level, or of one with a longer span, can be better than the best, if none starts before
    /// `first`.
    pub(super) fn is_decided_before(&self, level: Span, first: f64) -> bool {
        match self.best.objective {
            Objective::Runtime => self.best.choice.is_found(),
            // With a longer span, a window that starts at `first` ends later.
            _ => first + level.get() > self.best.limits_to(self.best.rank.value, self.limits).finish,
        }
    }

    /// Sweeps one level. The limits allow windows as good as the best of other levels, since an earlier start may
    /// decide; but of this level, once it has a window, only better ones.
    pub(crate) fn level(&mut self, among: Among<'_, 'a>, held: Held) -> Result<(), WindowError> {
        let Self { query, best, pools, meter, .. } = self;
        let mut limits = best.limits_to(best.rank.value, self.limits);
        let first_is_final = best.is_decided_by_the_first(held);
        let terms = SweepTerms { held, test: self.test, first_is_final };
        let tariff = query.slots.tariff();
        let visit = &mut |pools: &mut Pools, now: f64, limits: &mut Limits, meter: &mut Meter| {
            let mut better = false;
            pools.each(|pool| {
                match best.objective {
                    Objective::Finish | Objective::Runtime if held.is_none() => {
                        meter.spend(pool.len() as u64)?;
                        if !pool.fastest(limits) {
                            return Ok(());
                        }
                    }
                    Objective::Cost => meter.spend(pool.chosen().len() as u64)?,
                    _ => {}
                }
                let of_slowest = match (best.objective, &among) {
                    (Objective::Cost, Among::Candidates(all, _)) => {
                        Some(slowest_span(pool.chosen(), all, tariff))
                    }
                    _ => None,
                };
                better |= best.offer(now, pool.chosen(), held, of_slowest);
                Ok(())
            })?;
            if first_is_final {
                return Ok(ControlFlow::Break(()));
            }
            if better {
                *limits = best.limits_to(best.rank.value.next_down(), *limits);
            }
            Ok(ControlFlow::Continue(()))
        };
        sweep(*query, &among, terms, &mut limits, pools, meter, visit)
    }
}

/// Returns the cost of a window of these entries, if it is held for the span of its slowest node, and that span.
fn slowest_span(chosen: &[Entry], all: &[Candidate<'_>], tariff: &Tariff) -> (f64, f64) {
    let chosen = || chosen.iter().filter_map(|entry| entry.among(all));
    let longest = chosen().map(|candidate| candidate.own).fold(Span::ZERO, Span::max);
    let charges = chosen().map(|candidate| tariff.charge(candidate.slot.price, longest).get());
    (exact_sum(charges), longest.get())
}

/// The rank of a window: by the objective, then the start, the span of the level, and the cost. Lower is better.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct Rank {
    pub(crate) value: f64,
    start: f64,
    level: f64,
    cost: f64,
}

/// The rank of no window.
const NONE: Rank =
    Rank { value: f64::INFINITY, start: f64::INFINITY, level: f64::INFINITY, cost: f64::INFINITY };

/// The best window so far.
pub(crate) struct Best<'s> {
    pub(super) objective: Objective,
    /// Its rank; that of an infinite value if there is none.
    pub(crate) rank: Rank,
    pub(super) choice: &'s mut Choice,
}

impl<'s> Best<'s> {
    /// Creates the record without a window.
    pub(crate) fn new(objective: Objective, choice: &'s mut Choice) -> Self {
        choice.reset();
        Self { objective, rank: NONE, choice }
    }

    /// Returns limits that allow windows of at most the value `max`; by start, only those below it.
    fn limits_to(&self, max: f64, mut limits: Limits) -> Limits {
        match self.objective {
            // Of windows of equal start, the first one found counts.
            Objective::Start => limits.start_below = limits.start_below.min(max),
            Objective::Finish => limits.finish = limits.finish.min(max),
            Objective::Runtime => limits.span_below = limits.span_below.min(max.next_up()),
            Objective::Cost => limits.budget = limits.budget.min(max),
        }
        limits
    }

    /// Keeps a window if it is better than the best, and returns whether it is. `of_slowest` gives its cost and span,
    /// if these may be lower than those for which it was found.
    fn offer(&mut self, now: f64, chosen: &[Entry], held: Held, of_slowest: Option<(f64, f64)>) -> bool {
        let longest = chosen.iter().map(|entry| entry.span).fold(0.0, f64::max);
        let level = held.map_or(f64::INFINITY, |span| span.get());
        let (cost, level) =
            of_slowest.unwrap_or_else(|| (exact_sum(chosen.iter().map(|entry| entry.cost)), level));
        let value = match self.objective {
            Objective::Start => now,
            Objective::Finish => now + longest,
            Objective::Runtime => longest,
            Objective::Cost => cost,
        };
        let rank = Rank { value, start: now, level, cost };
        let better = rank < self.rank;
        if better {
            self.rank = rank;
            self.choice.set(now, chosen.iter().map(|entry| entry.at));
        }
        better
    }

    /// Whether the first window of a level is the best of that level.
    fn is_decided_by_the_first(&self, held: Held) -> bool {
        match self.objective {
            Objective::Start => true,
            Objective::Finish | Objective::Runtime => held.is_some(),
            Objective::Cost => false,
        }
    }
}

/// The slots of the best window so far.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    /// The start of the window, if one was found.
    found: Option<f64>,
    /// The positions of its slots, as [`Entry::at`].
    at: Vec<u32>,
}

impl Choice {
    pub(crate) fn reset(&mut self) {
        self.found = None;
    }

    pub(crate) fn is_found(&self) -> bool {
        self.found.is_some()
    }

    pub(crate) fn set(&mut self, start: f64, at: impl Iterator<Item = u32>) {
        self.found = Some(start);
        self.at.clear();
        self.at.extend(at);
    }

    /// Returns the chosen slots, each with the span for which it is held.
    pub(crate) fn slots(&mut self, query: WindowQuery<'_>, holding: Holding) -> Vec<(Slot, Span)> {
        self.at.sort_unstable();
        let mut chosen = Vec::with_capacity(self.at.len());
        let mut wanted = self.at.iter().copied().peekable();
        let mut first = 0_usize;
        // Positions count the slots of these runs.
        for run in query.slots.runs_alive_at(query.from) {
            while let Some(slot) = wanted.peek().and_then(|&at| run.get(at as usize - first)) {
                chosen.push(*slot);
                wanted.next();
            }
            if wanted.peek().is_none() {
                break;
            }
            first += run.len();
        }
        // All nodes are held for the span of the slowest of them. A search may have found them on a level of a longer
        // span, and have been stopped before it came to this one.
        let longest = chosen.iter().map(|slot| query.span_on(slot)).fold(Span::ZERO, Span::max);
        let slowest = holding == Holding::SlowestSpan;
        let span = |slot: &Slot| if slowest { longest } else { query.span_on(slot) };
        chosen.into_iter().map(|slot| (slot, span(&slot))).collect()
    }

    /// Returns the window of the choice, with its placements in order of node.
    pub(crate) fn window(
        &mut self,
        query: WindowQuery<'_>,
        holding: Holding,
    ) -> Result<Option<Window>, WindowError> {
        let Some(start) = self.found else { return Ok(None) };
        let start = Time::try_from(start)?;
        let slots = self.slots(query, holding).into_iter();
        let tariff = query.slots.tariff();
        let mut placements: Vec<_> =
            slots.map(|(slot, span)| Placement::on(&slot, start, span, tariff)).collect();
        sort(&mut placements, &|a, b| a.node.cmp(&b.node));
        Ok(Some(Window::new(start, placements)?))
    }
}
