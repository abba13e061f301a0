//! Why there is no window.

use crate::{
    Objective, SearchScratch, WindowError, WindowQuery, WindowSearch,
    error::Stop,
    optimise::optimise,
    pools,
    scan::{Hold, Limits, Test, entry::Expiring, on_terms_of, speeds, suits, usable},
};
use sched_model::{
    End, Limit, Meter, Money, Refusal, Speed,
    check::{Holding, Rules},
};
use std::cmp::Reverse;

/// The first obstacle that holds by these rules; see [`WindowSearch::refusal`](crate::WindowSearch::refusal).
pub(crate) fn explain(
    query: WindowQuery<'_>,
    rules: Rules,
    meter: &mut Meter,
) -> Result<Refusal, WindowError> {
    let (before, mut scratch) = (meter.work(), meter.take::<SearchScratch>());
    let told = first_obstacle(query, rules, &mut scratch, meter);
    meter.put(scratch);
    told.map_err(|stop| match stop {
        Stop::Error(error) => error,
        Stop::End(end) => WindowError::Stopped { end, work: meter.work() - before },
    })
}

/// The reasons that one search for the windows of many jobs gives.
#[derive(Debug, Default)]
pub(crate) struct Reasons {
    /// The work of all of them until now.
    work: u64,
}

impl Reasons {
    /// They take at most such a part of all work, or the least allowance: that part of the default limit. It
    /// does not depend on the limit, for a limit of the work done is to give the same reasons.
    const PART: u64 = 10;
    const LEAST: u64 = Limit::DEFAULT_WORK / Self::PART;

    /// Why the search finds no window, or [`Refusal::Stopped`] beyond the allowance, and where the meter ends.
    pub(crate) fn of(
        &mut self,
        search: &impl WindowSearch,
        query: &WindowQuery<'_>,
        meter: &mut Meter,
    ) -> Result<Refusal, WindowError> {
        let (work, memory) = (meter.work(), meter.memory());
        let allowance = (work / Self::PART).max(Self::LEAST).saturating_sub(self.work);
        let told = meter.within(allowance, |meter| search.refusal(query, meter));
        self.work += meter.work() - work;
        // What it took is scratch.
        meter.release(meter.memory() - memory);
        let reason = match told {
            Err(WindowError::Stopped { .. }) => Refusal::Stopped,
            told => told?,
        };
        #[cfg(feature = "tracing")]
        tracing::debug!(%reason, "no alternative");
        Ok(reason)
    }
}

fn first_obstacle(
    query: WindowQuery<'_>,
    rules: Rules,
    scratch: &mut SearchScratch,
    meter: &mut Meter,
) -> Result<Refusal, Stop> {
    let query = query.settled()?;
    let WindowQuery { slots, request, .. } = query;
    let needed = request.nodes();
    if let Some(eligible) = query.eligible
        && let Some(missing) = slots.missing(eligible.demands(), needed)
    {
        return Ok(missing);
    }
    let price = request.price_limit().filter(|_| rules.slot_price);
    let fast_enough = distinct_nodes(query, meter, |slot| slot.speed() >= request.min_speed())?;
    if fast_enough < needed {
        return Ok(Refusal::TooFewNodes { needed, fast_enough });
    }
    if let Some(limit) = price {
        let suits = |slot: &sched_model::Slot| slot.speed() >= request.min_speed() && slot.price() <= limit;
        let affordable = distinct_nodes(query, meter, suits)?;
        if affordable < needed {
            return Ok(Refusal::PriceLimit { needed, affordable });
        }
    }
    let of_request = Limits { budget: f64::INFINITY, ..Limits::of(&query, rules) };
    let unlimited = Limits { finish: f64::INFINITY, ..of_request };
    let most = most_at_once(query, rules.holding, &unlimited, scratch, meter)?;
    if most < needed {
        return Ok(Refusal::Horizon { needed, most });
    }
    if let Some(deadline) = request.deadline() {
        optimise(query, (Objective::Finish, Test::Group), rules.holding, &unlimited, scratch, meter)?;
        let Ok(window) = scratch.choice.window(query) else {
            return Ok(Refusal::Horizon { needed, most: 0 });
        };
        if let Some(window) = window
            && window.finish() > deadline
        {
            return Ok(Refusal::Deadline { late_by: window.finish() - deadline });
        }
    }
    if let Some(budget) = rules.budget(request) {
        optimise(query, (Objective::Cost, Test::Group), rules.holding, &of_request, scratch, meter)?;
        let Ok(window) = scratch.choice.window(query) else {
            return Ok(Refusal::Horizon { needed, most: 0 });
        };
        if let Some(window) = window
            && window.cost() > budget
        {
            return Ok(Refusal::Budget { short_by: least_addition(budget, window.cost()) });
        }
    }
    // The limits of the request allow a window; the search has further limits.
    Ok(Refusal::NoCapacity)
}

/// The amount to be added to `budget` to reach `cost`: their difference, rounded up so that the computed sum
/// reaches it.
fn least_addition(budget: Money, cost: Money) -> Money {
    let short = cost - budget;
    match Money::new(short.get().next_up()) {
        Ok(more) if budget + short < cost => more,
        _ => short,
    }
}

/// The nodes of slots that suit; each slot is a unit of work, and so is each visit of a sort of many nodes.
fn distinct_nodes(
    query: WindowQuery<'_>,
    meter: &mut Meter,
    suits: impl Fn(&sched_model::Slot) -> bool,
) -> Result<usize, End> {
    let WindowQuery { slots, from, .. } = query;
    let mask = query.mask();
    let allowed = |slot: &&sched_model::Slot| {
        slot.end() > from && mask.is_none_or(|mask| mask.allows(slot)) && suits(slot)
    };
    let mut nodes: Vec<u32> = Vec::new();
    for run in slots.runs_alive_at(from) {
        meter.spend(run.len() as u64)?;
        nodes.extend(run.iter().filter(allowed).map(|slot| slot.node().0));
    }
    nodes.sort_unstable();
    nodes.dedup();
    Ok(nodes.len())
}

/// The greatest number of suitable slots that are live at one instant, or as many as are needed. Each slot is
/// a unit of work, on each level.
fn most_at_once(
    query: WindowQuery<'_>,
    holding: Holding,
    limits: &Limits,
    scratch: &mut SearchScratch,
    meter: &mut Meter,
) -> Result<usize, Stop> {
    if let Some(eligible) = query.beyond_mask() {
        return pools::most_at_once(query, eligible, holding, limits, meter);
    }
    let WindowQuery { slots, request, from, .. } = query;
    let levels: Vec<(f64, Hold)> = match holding {
        Holding::OwnSpan => vec![(limits.min_speed, Hold::Own(request.work()))],
        Holding::SlowestSpan => {
            speeds(query, limits.min_speed, &mut scratch.speeds, meter)?;
            let mut levels = Vec::with_capacity(scratch.speeds.len());
            for &speed in &scratch.speeds {
                levels.push((speed, Hold::Same(request.work() / Speed::new(speed)?)));
            }
            levels
        }
    };
    let waiting = &mut scratch.waiting;
    let mut most = 0;
    for (min_speed, hold) in levels {
        waiting.clear();
        let limits = Limits { min_speed, ..*limits };
        for slot in slots.runs_alive_at(from).flatten() {
            meter.spend(1)?;
            let start = usable(slot, from.get());
            if start >= limits.start_below {
                break;
            }
            let suiting = on_terms_of!(query, |terms| suits(slot, start, hold.span(slot), &limits, terms));
            if let Some(entry) = suiting {
                while waiting.peek().is_some_and(|Reverse(first)| first.latest < start) {
                    waiting.pop();
                }
                waiting.push(Reverse(Expiring::from(entry)));
                most = most.max(waiting.len());
                if most >= request.nodes() {
                    return Ok(most);
                }
            }
        }
    }
    Ok(most)
}
