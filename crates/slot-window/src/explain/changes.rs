//! Which single changes would give a window, each tried with the search.

use super::nearest::{Kind, at_place, nearest_of_each, place};
use super::{Demanding, Suggestion};
use crate::search::find_timed;
use crate::{Objective, Optimal, WindowError, WindowQuery, WindowSearch};
use sched_model::{MAX_QUANTITY, MIN_SPEED, Meter, Money, Node, Price, ResourceRequest, Slot, Speed, Time};

/// Changes of a number, from the one asked for to one that is likely to give a window, and to the loosest.
fn number<'a>(
    (asked, likely, loosest): (f64, f64, f64),
    change: impl Fn(f64) -> Option<Suggestion> + 'a,
) -> Kind<'a, Suggestion> {
    let (asked, likely, loosest) = (place(asked), place(likely), place(loosest));
    let likely = if asked < loosest { likely.max(asked + 1) } else { likely.min(asked - 1) };
    let mut others = if asked == loosest { Vec::new() } else { vec![likely, loosest] };
    others.dedup();
    (asked, others, Box::new(move |at| change(at_place(at))))
}

/// The changes of a request without a window, in the order of [`Suggestion`].
pub(super) fn suggestions(
    search: &dyn WindowSearch,
    query: &WindowQuery<'_>,
    meter: &mut Meter,
) -> Result<Vec<Suggestion>, WindowError> {
    let kinds = kinds(search, query, meter)?;
    let mut found = nearest_of_each(kinds, |change| works(search, query, &change, meter))?;
    if let Some(eligible) = query.eligible {
        let (demands, nodes) = (eligible.demands(), query.request.nodes());
        let job = Demanding { demands, slots: query.slots, nodes, from: query.from };
        let changes = job.changes(|demands| {
            let eligible = query.slots.eligible(demands);
            start(search, &query.with_eligible(&eligible), meter)
        })?;
        found.extend(changes.into_iter().map(Suggestion::Demand));
    }
    Ok(found)
}

/// The changes of the request, and of the nodes.
fn kinds(
    search: &dyn WindowSearch,
    query: &WindowQuery<'_>,
    meter: &mut Meter,
) -> Result<Vec<Kind<'static, Suggestion>>, WindowError> {
    let (rules, request) = (search.rules(), query.request);
    let limit = request.price_limit().filter(|_| rules.slot_price);
    let mut best_for = |objective, request: &ResourceRequest| {
        find_timed(&Optimal::new(objective).with_rules(rules), &WindowQuery { request, ..*query }, meter)
    };
    let mut kinds: Vec<Kind<'_, Suggestion>> = Vec::new();
    if let Some(budget) = rules.budget(request) {
        // No window costs so much.
        let rich = request.with_budget(Money::must(MAX_QUANTITY));
        let cheapest = best_for(Objective::Cost, &rich)?.map(|window| window.cost().get());
        kinds.extend(cheapest.map(|cost| {
            let change = |value| Money::new(value).ok().map(Suggestion::Budget);
            number((budget.get(), cost, MAX_QUANTITY), change)
        }));
    }
    if let Some(deadline) = request.deadline() {
        let patient = request.with_deadline(Time::must(MAX_QUANTITY));
        let first = best_for(Objective::Finish, &patient)?.map(|window| window.finish().get());
        kinds.extend(first.map(|finish| {
            let change = |value| Time::new(value).ok().map(Suggestion::Deadline);
            number((deadline.get(), finish, MAX_QUANTITY), change)
        }));
    }
    // No window has more nodes than there are slots.
    let asked = request.nodes().min(query.slots.len() + 1) as i64;
    let nodes = |at| usize::try_from(at).ok().filter(|nodes| *nodes > 0).map(Suggestion::Nodes);
    kinds.push((asked, vec![1], Box::new(nodes)));
    let speed = |value| Speed::new(value).ok().map(Suggestion::MinSpeed);
    kinds.push(number((request.min_speed().get(), MIN_SPEED, MIN_SPEED), speed));
    let price = |value| Price::new(value).ok().map(Suggestion::PriceLimit);
    kinds.extend(limit.map(|limit| number((limit.get(), MAX_QUANTITY, MAX_QUANTITY), price)));
    if let Some(like) = cheapest_node(query, limit) {
        let more = move |at| Some(Suggestion::MoreNodes { count: usize::try_from(at).ok()?, like });
        kinds.push((0, vec![asked], Box::new(more)));
    }
    Ok(kinds)
}

/// The node on which a task costs least, of those that the request may have.
fn cheapest_node(query: &WindowQuery<'_>, limit: Option<Price>) -> Option<Node> {
    let suits = query.slots.iter().filter(|slot| {
        query.mask().is_none_or(|mask| mask.allows(slot))
            && slot.speed() >= query.request.min_speed()
            && limit.is_none_or(|limit| slot.price() <= limit)
    });
    let charge = |slot: &Slot| query.slots.tariff().charge(slot.price(), query.span_on(slot));
    suits.min_by_key(|slot| (charge(slot), slot.node())).map(Slot::as_node)
}

/// Whether there is a window with a change.
fn works(
    search: &dyn WindowSearch,
    query: &WindowQuery<'_>,
    change: &Suggestion,
    meter: &mut Meter,
) -> Result<bool, WindowError> {
    let request = change.apply(query.request);
    let Ok(slots) = change.apply_to_slots(query.slots, query.from) else { return Ok(false) };
    let demands = query.eligible.map(|eligible| change.apply_to_demands(eligible.demands(), query.slots));
    let Ok(demands) = demands.transpose() else { return Ok(false) };
    let eligible = demands.map(|demands| slots.eligible(&demands));
    let query = WindowQuery { slots: &slots, request: &request, eligible: eligible.as_ref(), ..*query };
    Ok(start(search, &query, meter)?.is_some())
}

/// The start of the window. Where a limit stops the search, it is not known whether there is one, so that nothing is
/// suggested for it.
fn start(
    search: &dyn WindowSearch,
    query: &WindowQuery<'_>,
    meter: &mut Meter,
) -> Result<Option<Time>, WindowError> {
    match find_timed(search, query, meter) {
        Err(WindowError::Stopped(_)) => Ok(None),
        found => Ok(found?.map(|window| window.start())),
    }
}
