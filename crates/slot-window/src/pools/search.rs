//! The best window with demands.

use super::{
    candidates::{Candidate, Level, Shared, again, candidates, levels, sweep},
    least::Least,
    pool::{Pool, Pools, most_of_a_group},
};
use crate::{
    Objective, WindowQuery,
    error::Stop,
    scan::{Choice, Hold, Limits, Next, Test, entry::Entry, held_for_slowest, ordered::Ordered},
};
use sched_model::{Eligible, End, Meter, Tariff, check::Holding};
use std::collections::BTreeMap;

pub(super) struct Search<'a, 'c> {
    pub(super) query: WindowQuery<'a>,
    pub(super) eligible: &'a Eligible,
    test: Test,
    pub(super) limits: Limits,
    pub(super) best: Best<'c>,
    pub(super) meter: &'c Shared<'c>,
}

impl<'a, 'c> Search<'a, 'c> {
    /// With no window yet.
    pub(super) fn new(
        query: WindowQuery<'a>,
        eligible: &'a Eligible,
        (objective, test): (Objective, Test),
        limits: Limits,
        (choice, meter): (&'c mut Choice, &'c Shared<'c>),
    ) -> Self {
        let best = Best { objective, rank: Rank::NONE, held: Rank::NONE, choice };
        Self { query, eligible, test, limits, best, meter }
    }

    /// Whether no window of a level, or of a longer span, is better than the best, where none starts before
    /// `first`.
    pub(super) fn is_decided_before(&self, level: Level, first: f64) -> bool {
        match self.best.objective {
            Objective::Runtime => self.best.choice.is_found(),
            // The longer the span, the later ends the window that starts first.
            _ => level.ends_too_late(first, self.best.as_good(&self.limits).finish),
        }
    }

    pub(super) fn level(
        &mut self,
        candidates: impl Iterator<Item = Result<Candidate<'a>, End>>,
        level: Level,
        cheapest: Option<(&Least, &[Candidate<'_>])>,
    ) -> Result<(), Stop> {
        let mut limits = self.best.as_good(&self.limits);
        let mut pools = Pools::new(self.query.request.nodes(), most_of_a_group(self.eligible));
        pools.budget = limits.budget;
        // What a level has settled says nothing about the costs of another.
        self.meter.settled.set((f64::NEG_INFINITY, f64::INFINITY));
        let is_final = self.best.objective == Objective::Start && self.test == Test::Group;
        pools.is_final = is_final.then_some(&self.meter.settled);
        pools.is_one = self.eligible.demands().pack().is_none();
        let mut all: &[Candidate<'_>] = &[];
        if let Some((least, of)) = cheapest {
            (pools.least, all) = (Some(least), of);
        }
        let tariff = self.query.slots.tariff();
        let test = self.test;
        sweep(
            candidates,
            tariff,
            (level, test),
            &mut limits,
            &mut pools,
            |pools, arrival, now| {
                pools.insert(&arrival, now);
                Ok(())
            },
            |pools, now, limits| self.tested((level, all), pools, now, limits),
        )
    }

    /// Tests the pools with an arrival, and tightens the limits to windows better than the best. Where the
    /// least cost is searched for, `all` has the candidates.
    fn tested(
        &mut self,
        (level, all): (Level, &[Candidate<'_>]),
        pools: &mut Pools<'_>,
        now: f64,
        limits: &mut Limits,
    ) -> Result<Next, Stop> {
        let (best, meter, tariff) = (&mut self.best, self.meter, self.query.slots.tariff());
        let (mut decided, mut better) = (false, false);
        pools.tested(|pool: &mut Pool| {
            let (number, hold) = (level.longest, level.hold);
            better |= match (best.objective, hold) {
                (Objective::Finish | Objective::Runtime, Hold::Own(_)) => {
                    meter.spend(pool.len())?;
                    if pool.fastest(limits).is_none() {
                        return Ok(());
                    }
                    best.offer(now, pool.chosen(), (number, hold), None)
                }
                (Objective::Cost, Hold::Same(_)) => {
                    let held = || held(pool.chosen(), all, tariff);
                    best.offer(now, pool.chosen(), (number, hold), Some(&held))
                }
                _ => best.offer(now, pool.chosen(), (number, hold), None),
            };
            decided |= best.is_decided_by_the_first(hold);
            Ok(())
        })?;
        if better {
            best.limit_to_better(limits);
            pools.budget = limits.budget;
        }
        Ok(if decided { Next::Stop } else { Next::Continue })
    }
}

/// What a window of these entries costs if it is held for the span of its slowest node, and that span.
fn held(chosen: &[Entry], all: &[Candidate<'_>], tariff: &Tariff) -> (f64, f64) {
    let of = |entry: &Entry| all.binary_search_by_key(&entry.at, |candidate| candidate.at).ok();
    let candidates = chosen.iter().filter_map(of).map(|number| &all[number]);
    let (cost, longest) =
        held_for_slowest(candidates.map(|candidate| (candidate.slot.price(), candidate.own)), tariff);
    (cost, longest.get())
}

/// The order of windows: by the objective, then the start, the cost, and the longest span of the level.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(super) struct Rank {
    pub(super) value: f64,
    start: f64,
    cost: f64,
    level: f64,
}

impl Rank {
    const NONE: Self =
        Self { value: f64::INFINITY, start: f64::INFINITY, cost: f64::INFINITY, level: f64::INFINITY };
}

/// The best window so far, held for the span of its level; and the choice, of which all are held for the span
/// of the slowest. No later choice is worse, wherever the search is stopped.
pub(super) struct Best<'a> {
    pub(super) objective: Objective,
    pub(super) rank: Rank,
    held: Rank,
    pub(super) choice: &'a mut Choice,
}

impl Best<'_> {
    /// Limits that allow windows as good as the best: an earlier start may decide.
    fn as_good(&self, limits: &Limits) -> Limits {
        let (mut limits, best) = (*limits, self.rank.value);
        match self.objective {
            Objective::Start => limits.start_below = limits.start_below.min(best),
            Objective::Finish => limits.finish = limits.finish.min(best),
            Objective::Runtime => limits.span_below = limits.span_below.min(best.next_up()),
            Objective::Cost => limits.budget = limits.budget.min(best),
        }
        limits
    }

    /// Tightens the limits for later windows: only better ones are allowed.
    fn limit_to_better(&self, limits: &mut Limits) {
        let best = self.rank.value;
        match self.objective {
            Objective::Start => {}
            Objective::Cost => limits.budget = limits.budget.min(best),
            Objective::Finish => limits.finish = limits.finish.min(best.next_down()),
            Objective::Runtime => limits.span_below = limits.span_below.min(best),
        }
    }

    /// Takes a window if it is better; returns whether it is. `held` gives its cost and span, where these may
    /// be less than those that it was found for.
    fn offer(
        &mut self,
        now: f64,
        chosen: &[Entry],
        (level, hold): (f64, Hold),
        held: Option<&dyn Fn() -> (f64, f64)>,
    ) -> bool {
        let longest = chosen.iter().map(|entry| entry.span).fold(0.0, f64::max);
        let cost = sched_model::exact_sum(chosen.iter().map(|entry| entry.cost));
        let value = match self.objective {
            Objective::Start => now,
            Objective::Finish => now + longest,
            Objective::Runtime => longest,
            Objective::Cost => cost,
        };
        let rank = Rank { value, start: now, cost, level };
        let better = rank < self.rank;
        if better {
            self.rank = rank;
            let held = held.map_or(rank, |held| {
                let (cost, span) = held();
                Rank { value: cost, cost, level: span, ..rank }
            });
            if held <= self.held {
                self.held = held;
                self.choice.set(now, hold, chosen.iter().map(|entry| entry.at));
            }
        }
        better
    }

    /// Whether no later window of a level is better than its first.
    fn is_decided_by_the_first(&self, hold: Hold) -> bool {
        match self.objective {
            Objective::Start => true,
            Objective::Finish | Objective::Runtime => matches!(hold, Hold::Same(_)),
            Objective::Cost => false,
        }
    }
}

/// The greatest number of suitable slots that may be in one window at one instant.
pub(crate) fn most_at_once(
    query: WindowQuery<'_>,
    eligible: &Eligible,
    holding: Holding,
    limits: &Limits,
    meter: &mut Meter,
) -> Result<usize, Stop> {
    let meter = Shared::new(meter);
    let all = candidates(query, eligible, limits, &meter)?.collect::<Result<Vec<Candidate<'_>>, End>>()?;
    let most_of_a_group = most_of_a_group(eligible);
    let mut most = 0;
    for level in levels(query, &all, holding) {
        // A pool for as many slots as there are is never full.
        let mut pools: BTreeMap<u32, Ordered> = BTreeMap::new();
        sweep(
            again(&all, &meter),
            query.slots.tariff(),
            (level, Test::Slot),
            &mut { *limits },
            &mut pools,
            |pools, arrival, now| {
                let pack = arrival.candidate.pack;
                let pool = pools.entry(pack).or_insert_with(|| Ordered::new(usize::MAX, most_of_a_group));
                pool.insert(arrival.entry, arrival.candidate.spread, now);
                most = most.max(pool.len());
                Ok(())
            },
            |_, _, _| Ok(Next::Continue),
        )?;
    }
    Ok(most)
}
