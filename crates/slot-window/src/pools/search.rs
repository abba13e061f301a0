//! The best window with demands.

use super::{
    Least, Level, Pool, Pools,
    candidates::{Candidate, Shared, again, candidates, levels, read_on, sweep},
    cheapest::held,
    most_of_a_group,
};
use crate::{
    Objective, SearchScratch, WindowQuery,
    error::Stop,
    scan::{Choice, Hold, Limits, Next, Test, entry::Entry, ordered::Ordered, speeds_below},
};
use sched_model::{Eligible, End, Meter, Span, Speed, check::Holding};
use std::collections::BTreeMap;

/// Bounds of all levels take about as long as to read the list so many times.
const MANY: usize = 3;

/// Number of candidates read first where the window may be among the first ones; then four times as many.
const FIRST: usize = 1024;

/// Leaves the best window in the scratch's choice, as [`optimise`](crate::optimise::optimise) does.
pub(crate) fn optimise(
    query: WindowQuery<'_>,
    eligible: &Eligible,
    (objective, test): (Objective, Test),
    holding: Holding,
    limits: &Limits,
    scratch: &mut SearchScratch,
    meter: &mut Meter<'_>,
) -> Result<(), Stop> {
    let meter = Shared::new(meter);
    let best = Best { objective, rank: Rank::NONE, held: Rank::NONE, choice: &mut scratch.choice };
    let mut search = Search { query, eligible, test, limits: *limits, best, meter: &meter };
    let source = candidates(query, eligible, limits, &meter)?;
    match (holding, objective) {
        (_, Objective::Cost) => search.cheapest(source, holding),
        (Holding::SlowestSpan, Objective::Runtime) => search.shortest(source),
        (Holding::OwnSpan, _) => {
            let own = Level { hold: Hold::Own(query.request.work()), longest: f64::INFINITY };
            search.level(source, own, None)
        }
        (Holding::SlowestSpan, _) => search.earliest(source),
    }
}

pub(super) struct Search<'a, 'c, 'm> {
    pub(super) query: WindowQuery<'a>,
    pub(super) eligible: &'a Eligible,
    test: Test,
    pub(super) limits: Limits,
    pub(super) best: Best<'c>,
    pub(super) meter: &'c Shared<'c, 'm>,
}

impl<'a> Search<'a, '_, '_> {
    /// Levels in order of their spans: the first that has a window gives the answer. Candidates are read only
    /// as far as the first sweep needs them.
    fn shortest(&mut self, source: impl Iterator<Item = Result<Candidate<'a>, End>>) -> Result<(), Stop> {
        let Some(span) = self.least_span()? else { return Ok(()) };
        let mut read: Vec<Candidate<'a>> = Vec::new();
        let source = source.map(|next| next.inspect(|&candidate| read.push(candidate)));
        self.level(source, Level { hold: Hold::Same(span), longest: span.get() }, None)?;
        if self.best.choice.is_found() {
            return Ok(());
        }
        // What starts too late for the shortest span starts too late for all.
        self.first_of_levels(read, span.get())
    }

    /// No task takes less on a node that the job may have; `None` where there is none.
    fn least_span(&mut self) -> Result<Option<Span>, Stop> {
        let (query, min_speed, mut speeds) = (self.query, self.limits.min_speed, Vec::new());
        self.meter.with(|meter| speeds_below(query, min_speed, f64::INFINITY, &mut speeds, meter))?;
        let Some(&fastest) = speeds.first() else { return Ok(None) };
        let by_speed = self.query.request.work() / Speed::new(fastest)?;
        let given = self.eligible.demands().spans().iter().map(|(_, span)| span);
        Ok(Some(given.fold(by_speed, Span::min)))
    }

    /// The slowest-span window of least start or finish. All its slots start before it ends, and so are among
    /// the first of the list: only some first candidates are read, then more as long as no window is found,
    /// then all that start before the best window ends. Each level is swept until its windows would end
    /// later. Where there is none in a great part of the list, bounds of all levels come first.
    fn earliest(&mut self, source: impl Iterator<Item = Result<Candidate<'a>, End>>) -> Result<(), Stop> {
        let mut source = source.peekable();
        let mut first: Vec<Candidate<'a>> = Vec::new();
        let mut more = FIRST;
        while read_on(&mut source, &mut first, more, self.best.rank.value)? {
            let levels = levels(self.query, &first, Holding::SlowestSpan);
            let is_great = first.len().saturating_mul(4) > self.query.slots.len() && levels.len() > MANY;
            if is_great && more > FIRST && !self.best.choice.is_found() {
                read_on(&mut source, &mut first, usize::MAX, f64::INFINITY)?;
                return self.first_of_levels(first, 0.0);
            }
            more = if self.best.choice.is_found() { usize::MAX } else { first.len().saturating_mul(3) };
            for level in levels {
                if self.is_decided_before(level, first[0].start) {
                    break;
                }
                self.level(again(&first, self.meter), level, None)?;
            }
            if self.best.objective == Objective::Start && self.best.choice.is_found() {
                break;
            }
        }
        Ok(())
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
    objective: Objective,
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
    meter: &mut Meter<'_>,
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
