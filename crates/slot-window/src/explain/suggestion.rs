//! Single changes of a request, or of the nodes, with which there is a window, each tried with the search.

use super::{best_window, elsewhere, find};
use crate::{Objective, SearchScratch, WindowError, WindowQuery, WindowSearch};
use sched_model::{
    Features, MAX_QUANTITY, MIN_SPEED, ModelError, Money, Node, NodeId, Price, ResourceRequest, Slot,
    SlotList, Speed, Time,
};
use std::collections::BTreeMap;

/// One change with which there is a window; with [one step less](Self::one_step_less) there is none. Both have been tried
/// with the search.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Suggestion {
    /// This budget.
    Budget(Money),
    /// This deadline.
    Deadline(Time),
    /// So many nodes at once, fewer than asked for.
    Nodes(usize),
    /// This least speed.
    MinSpeed(Speed),
    /// This price limit.
    PriceLimit(Price),
    /// The request as it is, and so many nodes more, free from its earliest start to the end of the list.
    MoreNodes {
        /// How many.
        count: usize,
        /// With speed, price and features of this node: of those fast and cheap enough the one with the least charge for a task.
        like: Node,
    },
}

impl Suggestion {
    /// The request with this change.
    pub fn apply(self, request: &ResourceRequest) -> ResourceRequest {
        match self {
            Self::Budget(budget) => request.with_budget(budget),
            Self::Deadline(deadline) => request.with_deadline(deadline),
            Self::Nodes(nodes) => request.with_nodes(nodes).unwrap_or(*request),
            Self::MinSpeed(speed) => request.with_min_speed(speed),
            Self::PriceLimit(price) => request.with_price_limit(price),
            Self::MoreNodes { .. } => *request,
        }
    }

    /// The free time with this change, for a request that starts at `from` or later.
    ///
    /// # Errors
    /// [`ModelError`] if the list has no identifiers left for more nodes.
    pub fn apply_to_slots(self, slots: &SlotList, from: Time) -> Result<SlotList, ModelError> {
        let mut slots = slots.clone();
        let Self::MoreNodes { count, like } = self else { return Ok(slots) };
        let Some(until) = slots.iter().map(|slot| slot.end()).max().filter(|until| *until > from) else {
            return Ok(slots);
        };
        let mut ids = Vec::new();
        let last = slots.iter().map(|slot| slot.node().0).max().unwrap_or(0);
        for step in 1..=count {
            let id = u32::try_from(step).ok().and_then(|step| last.checked_add(step));
            let id =
                id.ok_or(ModelError::UnknownId { what: "free identifier of a node", id: step as u64 })?;
            slots.free(Node { id: NodeId(id), ..like }, from, until)?;
            ids.push(NodeId(id));
        }
        let Some(features) = slots.features(like.id).cloned() else { return Ok(slots) };
        let mut all: BTreeMap<NodeId, Features> = BTreeMap::new();
        for slot in slots.iter() {
            if let Some(own) = slots.features(slot.node()) {
                all.entry(slot.node()).or_insert_with(|| own.clone());
            }
        }
        all.extend(ids.into_iter().map(|id| (id, features.clone())));
        slots.with_features(all)
    }

    /// One representable step less: towards what the request asks. `None` where there is no such step.
    #[must_use]
    pub fn one_step_less(self) -> Option<Self> {
        Some(match self {
            Self::Budget(budget) => Self::Budget(Money::new(budget.get().next_down()).ok()?),
            Self::Deadline(deadline) => Self::Deadline(Time::new(deadline.get().next_down()).ok()?),
            Self::Nodes(nodes) => Self::Nodes(nodes.checked_add(1)?),
            Self::MinSpeed(speed) => Self::MinSpeed(Speed::new(speed.get().next_up()).ok()?),
            Self::PriceLimit(price) => Self::PriceLimit(Price::new(price.get().next_down()).ok()?),
            Self::MoreNodes { count, like } => Self::MoreNodes { count: count.checked_sub(1)?, like },
        })
    }
}

impl std::fmt::Display for Suggestion {
    /// The change, such as `a budget of 120`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Budget(budget) => write!(f, "a budget of {budget}"),
            Self::Deadline(deadline) => write!(f, "a deadline of {deadline}"),
            Self::Nodes(1) => write!(f, "1 node"),
            Self::Nodes(nodes) => write!(f, "{nodes} nodes"),
            Self::MinSpeed(speed) => write!(f, "a least speed of {speed}"),
            Self::PriceLimit(price) => write!(f, "a price limit of {price}"),
            Self::MoreNodes { count: 1, like } => write!(f, "1 node more like node {}", like.id),
            Self::MoreNodes { count, like } => write!(f, "{count} nodes more like node {}", like.id),
        }
    }
}

/// The changes of a request without a window, in the order of [`Suggestion`].
pub(super) fn suggestions(
    search: &dyn WindowSearch,
    query: &WindowQuery<'_>,
    scratch: &mut SearchScratch,
) -> Result<Vec<Suggestion>, WindowError> {
    let (rules, request) = (search.rules(), query.request);
    let best_for = |objective, request: &ResourceRequest, scratch: &mut SearchScratch| {
        best_window(objective, rules, &WindowQuery { request, ..*query }, scratch)
    };
    let mut found = Vec::new();
    let mut tries = Tries { search, query, scratch };
    if let Some(budget) = rules.budget(request) {
        // No window costs so much.
        let rich = request.with_budget(Money::must(MAX_QUANTITY));
        if let Some(cheapest) = best_for(Objective::Cost, &rich, tries.scratch)? {
            let of = |value| Money::new(value).ok().map(Suggestion::Budget);
            found.extend(tries.number(budget.get(), cheapest.cost().get(), MAX_QUANTITY, of)?);
        }
    }
    if let Some(deadline) = request.deadline() {
        let patient = request.with_deadline(Time::must(MAX_QUANTITY));
        if let Some(first) = best_for(Objective::Finish, &patient, tries.scratch)? {
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
    Ok(found)
}

/// The search, and what it is asked for.
struct Tries<'a, 'b> {
    search: &'a dyn WindowSearch,
    query: &'a WindowQuery<'b>,
    scratch: &'a mut SearchScratch,
}

impl Tries<'_, '_> {
    fn works(&mut self, change: Suggestion) -> Result<bool, WindowError> {
        let query = self.query;
        let request = change.apply(query.request);
        let query = WindowQuery { request: &request, ..*query };
        let found = match change {
            Suggestion::MoreNodes { .. } => match change.apply_to_slots(query.slots, query.from) {
                Ok(slots) => elsewhere(&query, &slots, |query| find(self.search, query, self.scratch)),
                Err(_) => return Ok(false),
            },
            _ => find(self.search, &query, self.scratch),
        };
        match found {
            Ok(window) => Ok(window.is_some()),
            // Nothing is known of it, so nothing is said.
            Err(WindowError::Stopped { .. }) => Ok(false),
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

    /// The change next to one that does not do, by halving between what is asked, which does not, and the loosest. Where
    /// more of a change never does less, it is the least of all that do.
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
        let mut works = |at| change(at).map_or(Ok(false), |change| self.works(change));
        let step = if asked < loosest { 1 } else { -1 };
        let likely = if step > 0 { likely.max(asked + 1) } else { likely.min(asked - 1) };
        // Invariant: `without` gives no window, `with` gives one.
        let (mut without, mut with) = (asked, likely);
        if !works(with)? {
            if with == loosest || !works(loosest)? {
                return Ok(None);
            }
            (without, with) = (with, loosest);
        } else if with != asked + step && !works(with - step)? {
            return Ok(change(with));
        }
        while without + step != with {
            let middle = i64::midpoint(without, with);
            if works(middle)? {
                with = middle;
            } else {
                without = middle;
            }
        }
        Ok(change(with))
    }
}

/// Where a double stands among all doubles: 0 for zero, 1 for the next one up.
fn place(value: f64) -> i64 {
    let size = (value.abs().to_bits()) as i64;
    if value < 0.0 { -size } else { size }
}

fn at_place(place: i64) -> f64 {
    let size = f64::from_bits(place.unsigned_abs());
    if place < 0 { -size } else { size }
}
