//! Windows where nodes must go together or apart, or where tasks take what a table says.
//!
//! The live slots stand in pools, one for each value of the label to pack by (one for all, where nothing is packed). A
//! pool keeps the n cheapest of its slots of which no more than allowed share a value of the label to spread by. The
//! fast scans know neither; nothing of this costs them anything.

mod least;
mod pool;

pub(crate) use pool::Pool;

use crate::{
    Objective, SearchScratch, WindowError, WindowQuery,
    scan::{Choice, Hold, Limits, Next, Test, check_length, entry::Entry, on_terms_of, suits_for, usable},
};
use least::Least;
use sched_model::{Eligible, Slot, Span, Spread, check::Holding};
use std::collections::BTreeMap;

/// How long nodes are held in one sweep, and which can be in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Level {
    pub(crate) hold: Hold,
    /// A task takes no longer on any of its nodes.
    pub(crate) longest: f64,
}

/// The levels of a query: one where each node is held for its own span, else one for each distinct span, shortest
/// first.
pub(crate) fn levels(
    query: WindowQuery<'_>,
    eligible: &Eligible,
    holding: Holding,
    min_speed: f64,
) -> Vec<Level> {
    if holding == Holding::OwnSpan {
        return vec![Level { hold: Hold::Own(query.request.work()), longest: f64::INFINITY }];
    }
    let slots = query.slots.runs_alive_at(query.from).flatten();
    let slots = slots.filter(|slot| slot.speed().get() >= min_speed && eligible.allows(slot));
    let mut spans: Vec<Span> = slots.map(|slot| query.span_on(slot)).collect();
    spans.sort_unstable();
    spans.dedup();
    spans.into_iter().map(|span| Level { hold: Hold::Same(span), longest: span.get() }).collect()
}

/// A slot that has arrived, as a sweep hands it on.
pub(crate) struct Arrival<'a> {
    pub(crate) slot: &'a Slot,
    pub(crate) entry: Entry,
    /// By which pool, and by which group in it.
    pub(crate) pack: u32,
    pub(crate) spread: u32,
    /// How long the task would take on its node if it were held no longer.
    pub(crate) own_span: f64,
}

/// The slots that suit on one level, in time order: `arrive` gets each with its start, `after` is called after each
/// group of equal starts, or each slot, that brought one. Returns how many slots were read.
pub(crate) fn sweep<M, E: From<WindowError>>(
    query: WindowQuery<'_>,
    (level, test): (Level, Test),
    limits: &mut Limits,
    memory: &mut M,
    mut arrive: impl FnMut(&mut M, Arrival<'_>, f64) -> Result<(), E>,
    mut after: impl FnMut(&mut M, f64, &mut Limits) -> Result<Next, E>,
) -> Result<u64, E> {
    check_length(query.slots)?;
    let Some(eligible) = query.eligible else { return Ok(0) };
    let from = query.from.get();
    let mut now = f64::NEG_INFINITY;
    let mut arrived = false;
    let mut read = 0;
    for (slot, at) in query.slots.runs_alive_at(query.from).flatten().zip(0_u32..) {
        let start = usable(slot, from);
        if arrived && (start > now || test == Test::Slot) {
            arrived = false;
            if after(memory, now, limits)? == Next::Stop {
                return Ok(read);
            }
        }
        if start >= limits.finish || start >= limits.start_below {
            return Ok(read);
        }
        read += 1;
        let own = query.span_on(slot);
        let span = level.hold.or_own(own);
        if own.get() > level.longest {
            continue;
        }
        let suiting = on_terms_of!(query, |terms| suits_for(slot, at, start, span, limits, terms));
        if let Some(entry) = suiting {
            now = start;
            arrived = true;
            let (pack, spread) = (eligible.pack_of(slot), eligible.spread_of(slot));
            arrive(memory, Arrival { slot, entry, pack, spread, own_span: own.get() }, now)?;
        }
    }
    if arrived {
        after(memory, now, limits)?;
    }
    Ok(read)
}

/// How many slots of one group a window may hold.
pub(crate) fn most_of_a_group(eligible: &Eligible) -> usize {
    eligible.demands().spread().map_or(usize::MAX, Spread::most)
}

/// The pools of one level, and those to which a slot has come since the last test.
struct Pools {
    n: usize,
    most: usize,
    pools: BTreeMap<u32, Pool>,
    touched: Vec<u32>,
    /// What windows cost at least, where the least cost is searched for.
    least: Option<Least>,
    /// What a window may cost.
    budget: f64,
}

impl Pools {
    fn new(n: usize, most: usize) -> Self {
        Self { n, most, pools: BTreeMap::new(), touched: Vec::new(), least: None, budget: f64::INFINITY }
    }

    fn insert(&mut self, arrival: &Arrival<'_>, now: f64) {
        let too_expensive = |least: &Least| least.with(arrival.pack, arrival.entry.cost) > self.budget;
        if self.least.as_ref().is_some_and(too_expensive) {
            return;
        }
        let pool = self.pools.entry(arrival.pack).or_insert_with(|| Pool::new(self.n, self.most));
        pool.insert(arrival.entry, arrival.spread, now);
        self.touched.push(arrival.pack);
    }

    /// Each pool that has been touched and is full at this instant, in the order of their values.
    fn tested(&mut self, now: f64, mut test: impl FnMut(&mut Pool)) {
        self.touched.sort_unstable();
        self.touched.dedup();
        for pack in self.touched.drain(..) {
            if let Some(pool) = self.pools.get_mut(&pack) {
                pool.advance(now);
                if pool.is_full() {
                    test(pool);
                }
            }
        }
    }
}

/// Leaves the best window in the scratch's choice, as [`optimise`](crate::optimise::optimise) does.
pub(crate) fn optimise(
    query: WindowQuery<'_>,
    eligible: &Eligible,
    (objective, test): (Objective, Test),
    holding: Holding,
    limits: &Limits,
    scratch: &mut SearchScratch,
) -> Result<(), WindowError> {
    scratch.choice.reset();
    let mut best = Best { objective, rank: Rank::NONE, choice: &mut scratch.choice };
    for (least_cost, number, level, least) in by_least_cost(query, eligible, objective, holding, limits) {
        if least_cost > best.rank.value {
            break;
        }
        let mut limits = best.as_good(limits);
        let mut pools = Pools::new(query.request.nodes(), most_of_a_group(eligible));
        (pools.least, pools.budget) = (least, limits.budget);
        scratch.work += sweep::<_, WindowError>(
            query,
            (level, test),
            &mut limits,
            &mut pools,
            |pools, arrival, now| {
                pools.insert(&arrival, now);
                Ok(())
            },
            |pools, now, limits| {
                let mut better = false;
                let mut decided = false;
                pools.tested(now, |pool| {
                    let chosen = match (objective, level.hold) {
                        (Objective::Finish | Objective::Runtime, Hold::Own(_)) => pool.fastest(now, limits),
                        _ => pool.affordable(limits.budget).then(|| pool.chosen()),
                    };
                    let Some(chosen) = chosen else { return };
                    better |= best.offer(now, &chosen, (number, level.hold));
                    decided |= best.is_decided_by_the_first(level.hold);
                });
                if better {
                    best.limit_to_better(limits);
                    pools.budget = limits.budget;
                }
                Ok(if decided { Next::Stop } else { Next::Continue })
            },
        )?;
        if objective == Objective::Runtime && best.choice.is_found() && holding == Holding::SlowestSpan {
            break;
        }
    }
    Ok(())
}

/// The levels, each with its number. Where the least cost is searched for, each with what it costs at least, the cheapest
/// first.
fn by_least_cost(
    query: WindowQuery<'_>,
    eligible: &Eligible,
    objective: Objective,
    holding: Holding,
    limits: &Limits,
) -> Vec<(f64, usize, Level, Option<Least>)> {
    let levels = levels(query, eligible, holding, limits.min_speed);
    let mut levels: Vec<(f64, usize, Level, Option<Least>)> = (levels.into_iter().enumerate())
        .map(|(number, level)| {
            let least = (objective == Objective::Cost).then(|| Least::of(query, eligible, level, limits));
            (least.as_ref().map_or(f64::NEG_INFINITY, Least::whole), number, level, least)
        })
        .collect();
    levels.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    levels
}

/// What orders windows: the objective, then the start, the cost, and the number of the level.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Rank {
    value: f64,
    start: f64,
    cost: f64,
    level: usize,
}

impl Rank {
    const NONE: Self =
        Self { value: f64::INFINITY, start: f64::INFINITY, cost: f64::INFINITY, level: usize::MAX };
}

/// The best window so far.
struct Best<'a> {
    objective: Objective,
    rank: Rank,
    choice: &'a mut Choice,
}

impl Best<'_> {
    /// Limits that let windows as good through: an earlier start may decide.
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

    /// Limits that let later windows through only if they are better.
    fn limit_to_better(&self, limits: &mut Limits) {
        let best = self.rank.value;
        match self.objective {
            Objective::Start => {}
            Objective::Cost => limits.budget = limits.budget.min(best),
            Objective::Finish => limits.finish = limits.finish.min(best.next_down()),
            Objective::Runtime => limits.span_below = limits.span_below.min(best),
        }
    }

    /// Takes a window that is better; whether it is.
    fn offer(&mut self, now: f64, chosen: &[Entry], (level, hold): (usize, Hold)) -> bool {
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
            self.choice.set(now, hold, chosen.iter().map(|entry| entry.at));
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
) -> Result<usize, WindowError> {
    let mut most = 0;
    for level in levels(query, eligible, holding, limits.min_speed) {
        // A pool for as many slots as there are is never full.
        let mut pools = Pools::new(usize::MAX, most_of_a_group(eligible));
        sweep::<_, WindowError>(
            query,
            (level, Test::Slot),
            &mut { *limits },
            &mut pools,
            |pools, arrival, now| {
                pools.insert(&arrival, now);
                Ok(())
            },
            |pools, now, _| {
                for pack in pools.touched.drain(..) {
                    if let Some(pool) = pools.pools.get_mut(&pack) {
                        pool.advance(now);
                        most = most.max(pool.len());
                    }
                }
                Ok(Next::Continue)
            },
        )?;
    }
    Ok(most)
}
