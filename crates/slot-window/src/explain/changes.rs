//! Which single changes would give a window, each tried with the search.

use super::nearest::{at_place, nearest, place};
use super::{Demanding, Suggestion};
use crate::search::find_timed;
use crate::{Objective, Optimal, WindowError, WindowQuery, WindowSearch};
use sched_model::{
    Demands, MAX_QUANTITY, MIN_SPEED, Meter, Money, Price, ResourceRequest, Slot, Speed, Time,
};

/// The changes of a request without a window, in the order of [`Suggestion`].
pub(super) fn suggestions(
    search: &dyn WindowSearch,
    query: &WindowQuery<'_>,
    meter: &mut Meter,
) -> Result<Vec<Suggestion>, WindowError> {
    let (rules, request) = (search.rules(), query.request);
    let best_for = |objective, request: &ResourceRequest, meter: &mut Meter| {
        find_timed(&Optimal::new(objective).with_rules(rules), &WindowQuery { request, ..*query }, meter)
    };
    let mut found = Vec::new();
    let mut tries = Tries { search, query, meter };
    if let Some(budget) = rules.budget(request) {
        // No window costs so much.
        let rich = request.with_budget(Money::must(MAX_QUANTITY));
        if let Some(cheapest) = best_for(Objective::Cost, &rich, tries.meter)? {
            let of = |value| Money::new(value).ok().map(Suggestion::Budget);
            found.extend(tries.number(budget.get(), cheapest.cost().get(), MAX_QUANTITY, of)?);
        }
    }
    if let Some(deadline) = request.deadline() {
        let patient = request.with_deadline(Time::must(MAX_QUANTITY));
        if let Some(first) = best_for(Objective::Finish, &patient, tries.meter)? {
            let of = |value| Time::new(value).ok().map(Suggestion::Deadline);
            found.extend(tries.number(deadline.get(), first.finish().get(), MAX_QUANTITY, of)?);
        }
    }
    // No window has more nodes than there are slots.
    let asked = request.nodes().min(query.slots.len() + 1) as i64;
    let of = |nodes: i64| usize::try_from(nodes).ok().filter(|nodes| *nodes > 0).map(Suggestion::Nodes);
    found.extend(tries.between(asked, 1, 1, of)?);
    let of = |value| Speed::new(value).ok().map(Suggestion::MinSpeed);
    found.extend(tries.number(request.min_speed().get(), MIN_SPEED, MIN_SPEED, of)?);
    if let Some(limit) = request.price_limit().filter(|_| rules.slot_price) {
        let of = |value| Price::new(value).ok().map(Suggestion::PriceLimit);
        found.extend(tries.number(limit.get(), MAX_QUANTITY, MAX_QUANTITY, of)?);
    }
    let limit = if rules.slot_price { request.price_limit() } else { None };
    let suits = query.slots.iter().filter(|slot| {
        query.eligible.is_none_or(|eligible| eligible.allows(slot))
            && slot.speed() >= request.min_speed()
            && limit.is_none_or(|limit| slot.price() <= limit)
    });
    let span = |slot: &Slot| match query.eligible {
        Some(eligible) => eligible.span_on(slot, request),
        None => request.span_on(slot.speed()),
    };
    let charge = |slot: &Slot| query.slots.tariff().charge(slot.price(), span(slot));
    let like = suits.min_by(|a, b| {
        charge(a).partial_cmp(&charge(b)).unwrap_or(std::cmp::Ordering::Equal).then(a.node().cmp(&b.node()))
    });
    let like = like.map(|slot| slot.as_node());
    if let Some(like) = like {
        let of = |count| Some(Suggestion::MoreNodes { count: usize::try_from(count).ok()?, like });
        found.extend(tries.between(0, asked, asked, of)?);
    }
    if let Some(eligible) = query.eligible {
        let (demands, nodes) = (eligible.demands(), request.nodes());
        let job = Demanding { demands, slots: query.slots, nodes, from: query.from };
        let changes = job.changes(|demands| tries.start(demands))?;
        found.extend(changes.into_iter().map(Suggestion::Demand));
    }
    Ok(found)
}

/// The search, with its request and demands.
struct Tries<'a, 'b> {
    search: &'a dyn WindowSearch,
    query: &'a WindowQuery<'b>,
    meter: &'a mut Meter,
}

impl Tries<'_, '_> {
    /// The start of the window under other demands; `None` also where a limit stops the search.
    fn start(&mut self, demands: &Demands) -> Result<Option<Time>, WindowError> {
        let eligible = self.query.slots.eligible(demands);
        match find_timed(self.search, &self.query.with_eligible(&eligible), self.meter) {
            Ok(window) => Ok(window.map(|window| window.start())),
            Err(WindowError::Stopped(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn works(&mut self, change: &Suggestion) -> Result<bool, WindowError> {
        let query = self.query;
        let request = change.apply(query.request);
        let query = WindowQuery { request: &request, ..*query };
        let found = match change {
            Suggestion::MoreNodes { .. } => {
                let Ok(slots) = change.apply_to_slots(query.slots, query.from) else { return Ok(false) };
                let demands = query.eligible.map(|eligible| {
                    change
                        .apply_to_demands(eligible.demands(), query.slots)
                        .map(|demands| slots.eligible(&demands))
                });
                let Ok(eligible) = demands.transpose() else { return Ok(false) };
                let query = WindowQuery { slots: &slots, eligible: eligible.as_ref(), ..query };
                find_timed(self.search, &query, self.meter)
            }
            _ => find_timed(self.search, &query, self.meter),
        };
        match found {
            Ok(window) => Ok(window.is_some()),
            // It is not known whether the change gives a window, so that it is not suggested.
            Err(WindowError::Stopped(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// [`between`](Self::between) over all doubles from `asked` to `loosest`.
    fn number(
        &mut self,
        asked: f64,
        likely: f64,
        loosest: f64,
        change: impl Fn(f64) -> Option<Suggestion>,
    ) -> Result<Option<Suggestion>, WindowError> {
        self.between(place(asked), place(likely), place(loosest), |at| change(at_place(at)))
    }

    /// The change [nearest] to the request that gives a window, up to the loosest one.
    fn between(
        &mut self,
        asked: i64,
        likely: i64,
        loosest: i64,
        change: impl Fn(i64) -> Option<Suggestion>,
    ) -> Result<Option<Suggestion>, WindowError> {
        if asked == loosest {
            return Ok(None);
        }
        let likely = if asked < loosest { likely.max(asked + 1) } else { likely.min(asked - 1) };
        let others = std::iter::once(likely).chain((likely != loosest).then_some(loosest));
        let found = nearest(asked, others, |at| change(at).map_or(Ok(false), |change| self.works(&change)))?;
        Ok(found.and_then(change))
    }
}
