//! Why there is no window.

use crate::{
    Objective, SearchScratch, WindowError, WindowQuery,
    optimise::optimise,
    scan::{Hold, Limits, Test, entry::Expiring, speeds, suits, usable},
};
use sched_model::{
    Money, NodeId, Price, Refusal, SlotList, Speed, Time,
    check::{Holding, Rules},
};
use std::cmp::Reverse;

/// The first obstacle that holds by these rules; see [`WindowSearch::refusal`](crate::WindowSearch::refusal).
pub(crate) fn explain(
    query: WindowQuery<'_>,
    rules: Rules,
    scratch: &mut SearchScratch,
) -> Result<Refusal, WindowError> {
    let WindowQuery { slots, request, from } = query;
    let needed = request.nodes();
    let price = if rules.slot_price { request.price_limit() } else { None };
    let fast_enough = distinct_nodes(slots, from, |slot| slot.speed() >= request.min_speed());
    if fast_enough < needed {
        return Ok(Refusal::TooFewNodes { needed, fast_enough });
    }
    if let Some(limit) = price {
        let affordable =
            distinct_nodes(slots, from, |slot| slot.speed() >= request.min_speed() && slot.price() <= limit);
        if affordable < needed {
            return Ok(Refusal::PriceLimit { needed, affordable });
        }
    }
    let unlimited = Limits {
        price: price.map_or(f64::INFINITY, Price::get),
        finish: f64::INFINITY,
        ..Limits::of(request, None)
    };
    let most = most_at_once(query, rules.holding, &unlimited, scratch)?;
    if most < needed {
        return Ok(Refusal::Horizon { needed, most });
    }
    if let Some(deadline) = request.deadline() {
        optimise(query, Objective::Finish, Test::Group, rules.holding, &unlimited, scratch)?;
        if let Some(window) = scratch.choice.window(query)?
            && window.finish() > deadline
        {
            return Ok(Refusal::Deadline { late_by: window.finish() - deadline });
        }
    }
    if let Some(budget) = rules.budget(request) {
        let limits = Limits { price: unlimited.price, ..Limits::of(request, None) };
        optimise(query, Objective::Cost, Test::Group, rules.holding, &limits, scratch)?;
        if let Some(window) = scratch.choice.window(query)?
            && window.cost() > budget
        {
            return Ok(Refusal::Budget { short_by: least_addition(budget, window.cost()) });
        }
    }
    // The limits of the request allow a window; the search that asks knows others.
    Ok(Refusal::NoCapacity)
}

/// What must be added to `budget` to reach `cost`: their difference, rounded up so that the computed sum does reach it.
fn least_addition(budget: Money, cost: Money) -> Money {
    let short = cost - budget;
    match Money::new(short.get().next_up()) {
        Ok(more) if budget + short < cost => more,
        _ => short,
    }
}

fn distinct_nodes(slots: &SlotList, from: Time, mut suits: impl FnMut(&sched_model::Slot) -> bool) -> usize {
    let mut nodes: Vec<NodeId> = slots
        .runs_alive_at(from)
        .flatten()
        .filter(|slot| slot.end() > from && suits(slot))
        .map(sched_model::Slot::node)
        .collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes.len()
}

/// The greatest number of suitable slots that are live at one instant.
fn most_at_once(
    query: WindowQuery<'_>,
    holding: Holding,
    limits: &Limits,
    scratch: &mut SearchScratch,
) -> Result<usize, WindowError> {
    let WindowQuery { slots, request, from } = query;
    let levels: Vec<(f64, Hold)> = match holding {
        Holding::OwnSpan => vec![(limits.min_speed, Hold::Own(request.work()))],
        Holding::SlowestSpan => {
            speeds(slots, from, limits.min_speed, &mut scratch.speeds);
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
            let start = usable(slot, from.get());
            if let Some(entry) = suits(slot, 0, start, hold, &limits, slots.tariff()) {
                while waiting.peek().is_some_and(|Reverse(first)| first.latest < start) {
                    waiting.pop();
                }
                waiting.push(Reverse(Expiring::from(entry)));
                most = most.max(waiting.len());
            }
        }
    }
    Ok(most)
}
