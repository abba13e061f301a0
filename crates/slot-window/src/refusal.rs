//! Why there is no window: the first obstacle.

use crate::{
    Objective, WindowError, WindowQuery,
    solve::{SearchScratch, optimise},
    sweep::{Limits, Test, most_at_once},
};
use sched_model::{End, Meter, Money, Refusal, check::Rules};
use std::collections::BTreeSet;

/// Returns the first obstacle to a window under `rules`; see [`WindowSearch::refusal`](crate::WindowSearch::refusal).
pub(crate) fn first_obstacle(
    query: WindowQuery<'_>,
    rules: Rules,
    meter: &mut Meter,
) -> Result<Refusal, WindowError> {
    let mut scratch = meter.take::<SearchScratch>();
    let found = find_obstacle(query, rules, &mut scratch, meter);
    meter.put(scratch);
    match found {
        // A task is so short that its end rounds to its start.
        Err(WindowError::Model(_)) => Ok(Refusal::Horizon { needed: query.request.nodes(), most: 0 }),
        found => found,
    }
}

fn find_obstacle(
    query: WindowQuery<'_>,
    rules: Rules,
    scratch: &mut SearchScratch,
    meter: &mut Meter,
) -> Result<Refusal, WindowError> {
    let mut own = None;
    let query = query.prepared(&mut own)?;
    let WindowQuery { slots, request, .. } = query;
    let of_request = Limits { budget: f64::INFINITY, ..Limits::of(&query, rules)? };
    let needed = request.nodes();
    if let Some(eligible) = query.eligible
        && let Some(missing) = slots.missing(eligible.demands(), needed)
    {
        return Ok(missing);
    }
    let fast_enough = distinct_nodes(query, meter, |slot| slot.speed >= request.min_speed)?;
    if fast_enough < needed {
        return Ok(Refusal::TooFewNodes { needed, fast_enough });
    }
    if let Some(limit) = rules.price_limit(request) {
        let suits = |slot: &sched_model::Slot| slot.speed >= request.min_speed && slot.price <= limit;
        let affordable = distinct_nodes(query, meter, suits)?;
        if affordable < needed {
            return Ok(Refusal::PriceLimit { needed, affordable });
        }
    }
    let unlimited = Limits { finish: f64::INFINITY, ..of_request };
    let most = most_at_once(query, rules.holding, &unlimited, meter)?;
    if most < needed {
        return Ok(Refusal::Horizon { needed, most });
    }
    let mut best = |objective, limits: &Limits| {
        optimise(query, (objective, Test::EachStart), rules.holding, limits, scratch, meter).1?;
        scratch.choice.window(query, rules.holding)
    };
    if let Some(deadline) = request.deadline
        && let Some(window) = best(Objective::Finish, &unlimited)?
        && window.finish() > deadline
    {
        return Ok(Refusal::Deadline { late_by: window.finish() - deadline });
    }
    if let Some(budget) = rules.budget(request)
        && let Some(window) = best(Objective::Cost, &of_request)?
        && window.cost() > budget
    {
        return Ok(Refusal::Budget { short_by: min_addition(budget, window.cost()) });
    }
    // The limits of the request allow a window, so the search must have further limits.
    Ok(Refusal::NoCapacity)
}

/// The minimum amount that, added to `budget`, reaches `cost`: their difference, rounded up if the computed sum would
/// otherwise be lower.
fn min_addition(budget: Money, cost: Money) -> Money {
    let short = cost - budget;
    match Money::try_from(short.get().next_up()) {
        Ok(more) if budget + short < cost => more,
        _ => short,
    }
}

/// Counts the nodes with a slot that `suits`, up to the requested number. Each slot read is a unit of work.
fn distinct_nodes(
    query: WindowQuery<'_>,
    meter: &mut Meter,
    suits: impl Fn(&sched_model::Slot) -> bool,
) -> Result<usize, End> {
    let WindowQuery { slots, request, from, .. } = query;
    let mask = query.mask();
    let allowed = |slot: &&sched_model::Slot| {
        slot.end > from && mask.is_none_or(|mask| mask.allows(slot)) && suits(slot)
    };
    let mut nodes = BTreeSet::new();
    for run in slots.runs_alive_at(from) {
        meter.spend(run.len() as u64)?;
        for slot in run.iter().filter(allowed) {
            nodes.insert(slot.node);
            if nodes.len() == request.nodes() {
                return Ok(nodes.len());
            }
        }
    }
    Ok(nodes.len())
}
