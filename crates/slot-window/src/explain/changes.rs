//! The search for single changes that give a window. Each is tested with the window search itself.

use super::{
    suggestion::{Suggestion, nodes_of},
    window_of,
};
use crate::sweep::order_key;
use crate::{Objective, Optimal, WindowError, WindowQuery, WindowSearch};
use sched_model::internal::{MAX_QUANTITY, MIN_SPEED, sort};
use sched_model::{
    Demands, Meter, Money, Node, NodeId, Price, ResourceRequest, Slot, SlotList, Time, Window,
};

/// The maximum number of additional nodes that are tried, or the number of slots if that is greater: each of them is a
/// slot of the list that is searched.
const MAX_MORE_NODES: usize = 10_000;

/// Changes of one kind, by position: the further from the position of the present request, the greater the change.
pub(super) struct Kind<'a> {
    /// The position of the present request.
    asked: i64,
    /// The positions to try first, in order.
    others: Vec<i64>,
    /// The change at a position, if there is one.
    change: Box<dyn Fn(i64) -> Option<Suggestion> + 'a>,
}

impl<'a> Kind<'a> {
    fn new(asked: i64, others: Vec<i64>, change: impl Fn(i64) -> Option<Suggestion> + 'a) -> Self {
        Self { asked, others, change: Box::new(change) }
    }

    /// The only change of its kind.
    fn single(change: Suggestion) -> Self {
        Self::new(0, vec![1], move |_| Some(change.clone()))
    }

    /// The changes of a number, at the positions of doubles; there is none to a number that its type does not allow.
    fn of_number<T: TryFrom<f64> + 'a>(
        asked: f64,
        others: impl IntoIterator<Item = f64>,
        change: impl Fn(T) -> Suggestion + 'a,
    ) -> Self {
        let mut others: Vec<i64> = others.into_iter().map(order_key).collect();
        others.dedup();
        Self::new(order_key(asked), others, move |at| T::try_from(of_order_key(at)).ok().map(&change))
    }

    /// The changes of a number from `asked` to `end`. The number `likely` probably helps.
    fn up_to<T: TryFrom<f64> + 'a>(asked: f64, likely: f64, end: f64, change: fn(T) -> Suggestion) -> Self {
        let likely = if asked < end { likely.max(asked.next_up()) } else { likely.min(asked.next_down()) };
        Self::of_number(asked, [likely, end].into_iter().filter(|_| asked != end), change)
    }

    /// Returns a change that helps, and whose neighbour towards the present request does not, by bisection between the
    /// present request, which must not help, and the first of `others` that helps; `None` if none of these helps. If
    /// greater changes help whenever smaller ones do, the result is the smallest change that helps.
    ///
    /// It takes at most 64 calls of `helps` in addition to those for `others`.
    fn nearest<E>(
        &self,
        mut helps: impl FnMut(&Suggestion) -> Result<bool, E>,
    ) -> Result<Option<Suggestion>, E> {
        let Self { asked, others, change } = self;
        let mut passes = |at| change(at).map_or(Ok(false), |change| helps(&change));
        let mut far = None;
        for &other in others {
            if other != *asked && passes(other)? {
                far = Some(other);
                break;
            }
        }
        let Some(mut with) = far else { return Ok(None) };
        let step = if with > *asked { 1 } else { -1 };
        // Most often the neighbour already fails, so that no bisection is needed.
        if with != asked + step && !passes(with - step)? {
            return Ok(change(with));
        }
        let mut without = *asked;
        // Invariant: `without` does not pass, `with` does.
        while without + step != with {
            let middle = i64::midpoint(without, with);
            if passes(middle)? {
                with = middle;
            } else {
                without = middle;
            }
        }
        Ok(change(with))
    }
}

/// A query without a window, or without one on a given node, for which changes are tried.
pub(super) struct Trial<'a> {
    pub(super) search: &'a dyn WindowSearch,
    pub(super) query: WindowQuery<'a>,
    /// Only a window that includes this node counts; `None` if any window does.
    pub(super) on: Option<NodeId>,
}

impl Trial<'_> {
    /// Returns the changes that help, in the order of [`Suggestion`]: of the request, of the kinds in `others`, and
    /// of the demands.
    pub(super) fn suggestions(
        &self,
        others: impl IntoIterator<Item = Kind<'static>>,
        meter: &mut Meter,
    ) -> Result<Vec<Suggestion>, WindowError> {
        let kinds = self.limits(meter)?.into_iter().chain(others);
        let mut found = self.nearest_of_each(kinds, meter)?;
        if let Some(eligible) = self.query.eligible {
            let mut kinds = self.of_demands(eligible.demands());
            kinds.extend(self.other_starts(eligible.demands(), meter)?);
            found.extend(self.nearest_of_each(kinds, meter)?);
        }
        Ok(found)
    }

    /// The changes of the limits of the request, and of its number of nodes.
    fn limits(&self, meter: &mut Meter) -> Result<Vec<Kind<'static>>, WindowError> {
        let (rules, request) = (self.search.rules(), self.query.request);
        let mut best_for = |objective, request: &ResourceRequest| {
            let query = WindowQuery { request, ..self.query };
            window_of(&Optimal::new(objective).with_rules(rules), &query, meter)
        };
        let mut kinds: Vec<Kind<'_>> = Vec::new();
        if let Some(budget) = rules.budget(request) {
            // No window exceeds this budget.
            let rich = request.clone().with_budget(Money::must(MAX_QUANTITY));
            let cheapest = best_for(Objective::Cost, &rich)?.map(|window| window.cost().get());
            let to = |cost| Kind::up_to(budget.get(), cost, MAX_QUANTITY, Suggestion::Budget);
            kinds.extend(cheapest.map(to));
        }
        if let Some(deadline) = request.deadline {
            let patient = request.clone().with_deadline(Time::must(MAX_QUANTITY));
            let first = best_for(Objective::Finish, &patient)?.map(|window| window.finish().get());
            let to = |finish| Kind::up_to(deadline.get(), finish, MAX_QUANTITY, Suggestion::Deadline);
            kinds.extend(first.map(to));
        }
        let nodes = |at| usize::try_from(at).ok().filter(|nodes| *nodes > 0).map(Suggestion::Nodes);
        kinds.push(Kind::new(max_nodes(&self.query), vec![1], nodes));
        let own = self.own_slot();
        let speed = own.map_or(MIN_SPEED, |slot| slot.speed.get());
        kinds.push(Kind::up_to(request.min_speed.get(), speed, MIN_SPEED, Suggestion::MinSpeed));
        let price = own.map_or(MAX_QUANTITY, |slot| slot.price.get());
        let to = |limit: Price| Kind::up_to(limit.get(), price, MAX_QUANTITY, Suggestion::PriceLimit);
        kinds.extend(rules.price_limit(request).map(to));
        Ok(kinds)
    }

    /// Additional nodes like the cheapest one, at most as many as are requested.
    pub(super) fn more_nodes(&self) -> Option<Kind<'static>> {
        let like = cheapest_node(&self.query, self.search.rules().price_limit(self.query.request))?;
        let more = move |at| Some(Suggestion::MoreNodes { count: usize::try_from(at).ok()?, like });
        let most = self.query.request.nodes().min(self.query.slots.len().max(MAX_MORE_NODES));
        Some(Kind::new(0, vec![i64::try_from(most).ok()?], more))
    }

    /// Less work: a half, a quarter, and so on.
    pub(super) fn less_work(&self) -> Kind<'static> {
        let work = self.query.request.work().get();
        let halved = std::iter::successors(Some(work / 2.0), |work| Some(work / 2.0)).take(59);
        Kind::of_number(work, halved, Suggestion::Work)
    }

    /// A lower price of the node that a window must include.
    pub(super) fn lower_price(&self) -> Option<Kind<'static>> {
        let own = Node::from(*self.own_slot()?);
        let change = move |price| Suggestion::NodePrice { node: own.id, price };
        Some(Kind::of_number(own.price.get(), [0.0], change))
    }

    /// Returns the nearest change of each kind that helps.
    fn nearest_of_each<'k>(
        &self,
        kinds: impl IntoIterator<Item = Kind<'k>>,
        meter: &mut Meter,
    ) -> Result<Vec<Suggestion>, WindowError> {
        let mut found = Vec::new();
        for kind in kinds {
            found.extend(kind.nearest(|change| self.helps(change, meter))?);
        }
        Ok(found)
    }

    /// The changes of all demands except a fixed start, in the order of [`Suggestion`]: one kind for each demand.
    ///
    /// They take, for k requested nodes and v different amounts on the nodes: one search for each label and for pack,
    /// O(log v) for each amount, O(log k) for spread, some 64 for an earliest start.
    fn of_demands<'k>(&self, demands: &'k Demands) -> Vec<Kind<'k>> {
        let WindowQuery { slots, request, from, .. } = self.query;
        let labels = demands.all_of.iter().map(|label| Suggestion::LiftLabel(label.clone()));
        let excluded = demands.none_of.iter().map(|label| Suggestion::LiftExcluded(label.clone()));
        let mut kinds: Vec<Kind<'_>> = labels.chain(excluded).map(Kind::single).collect();
        kinds.extend(demands.amounts().map(|(name, asked)| lower_amounts(slots, name, asked)));
        kinds.extend(demands.pack.iter().map(|_| Kind::single(Suggestion::LiftPack)));
        if let Some(spread) = &demands.spread {
            // Positions are numbers of nodes, up to those of a window; the position after that stands for no limit.
            let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX - 1);
            let (asked, nodes) = (number(spread.most.get()), number(request.nodes()));
            let any = nodes.max(asked) + 1;
            let change = move |at: i64| {
                Some(match usize::try_from(at) {
                    Ok(most) if at < any => Suggestion::Spread(most),
                    _ => Suggestion::LiftSpread,
                })
            };
            let others = [nodes, any].into_iter().filter(|other| *other > asked).collect();
            kinds.push(Kind::new(asked, others, change));
        }
        let early = demands.not_before.filter(|asked| *asked > from);
        kinds.extend(early.map(|asked| Kind::of_number(asked.get(), [from.get()], Suggestion::NotBefore)));
        kinds
    }

    /// The changes of a fixed start: to later ones, up to the first later start of a window, and to earlier ones,
    /// down to the first start of all. Some 130 searches.
    fn other_starts(&self, demands: &Demands, meter: &mut Meter) -> Result<Vec<Kind<'static>>, WindowError> {
        let Some(asked) = demands.start else { return Ok(Vec::new()) };
        let mut start = |demands: Demands| {
            let request = self.query.request.clone().with_demands(demands);
            self.start(&WindowQuery { request: &request, eligible: None, ..self.query }, meter)
        };
        let mut free = demands.clone();
        free.start = None;
        let after = Time::try_from(asked.get().next_up()).unwrap_or(asked);
        let after = demands.not_before.map_or(after, |bound| bound.max(after));
        let later = start(free.clone().with_not_before(after))?.filter(|later| *later >= asked);
        let earlier = start(free)?.filter(|earlier| *earlier < asked);
        let later = later.map(|later| Kind::of_number(asked.get(), [later.get()], Suggestion::LaterStart));
        let earlier =
            earlier.map(|earlier| Kind::of_number(asked.get(), [earlier.get()], Suggestion::EarlierStart));
        Ok(later.into_iter().chain(earlier).collect())
    }

    /// A slot of the node that a window must include.
    fn own_slot(&self) -> Option<&Slot> {
        self.query.slots.iter().find(|slot| Some(slot.node) == self.on)
    }

    /// Whether the changed query has a window that counts.
    fn helps(&self, change: &Suggestion, meter: &mut Meter) -> Result<bool, WindowError> {
        let WindowQuery { slots, request, from, .. } = self.query;
        let Ok((request, slots)) = change.apply(request, slots, from) else { return Ok(false) };
        // Demands are compiled again, because they or the list may have changed.
        let query = WindowQuery { slots: &slots, request: &request, eligible: None, ..self.query };
        Ok(self.start(&query, meter)?.is_some())
    }

    /// The start of the window of `query`, if there is one that counts. If a limit stops the search, this is unknown,
    /// and the result is `None`, so that nothing is suggested.
    fn start(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Option<Time>, WindowError> {
        let found = match window_of(self.search, query, meter) {
            Err(WindowError::Stopped(_)) => None,
            found => found?,
        };
        let counts = |window: &Window| self.on.is_none_or(|on| window.nodes().any(|node| node == on));
        Ok(found.filter(counts).map(|window| window.start()))
    }
}

/// The number of requested nodes, at most one more than there are slots, since no window has more nodes than that.
fn max_nodes(query: &WindowQuery<'_>) -> i64 {
    query.request.nodes().min(query.slots.len() + 1) as i64
}

/// The node on which a task has the lowest charge, of those that the request may have.
fn cheapest_node(query: &WindowQuery<'_>, limit: Option<Price>) -> Option<Node> {
    let suits = query.slots.iter().filter(|slot| {
        query.mask().is_none_or(|mask| mask.allows(slot))
            && slot.speed >= query.request.min_speed
            && limit.is_none_or(|limit| slot.price <= limit)
    });
    let charge = |slot: &Slot| query.slots.tariff().charge(slot.price, query.span_on(slot));
    suits.min_by_key(|slot| (charge(slot), slot.node)).map(|slot| Node::from(*slot))
}

/// The double of an [`order_key`].
fn of_order_key(key: i64) -> f64 {
    let size = f64::from_bits(key.unsigned_abs());
    if key < 0 { -size } else { size }
}

/// Lower amounts of `name`: position 0 is the demanded one, and the positions after it are the lower amounts that
/// nodes have, in descending order, and 0.
fn lower_amounts<'k>(slots: &SlotList, name: &'k str, asked: f64) -> Kind<'k> {
    let of = |node| slots.features(node)?.amounts().get(name).copied();
    let had = nodes_of(slots).into_iter().filter_map(of);
    let mut less: Vec<f64> = had.chain([0.0]).filter(|had| *had < asked).collect();
    sort(&mut less, &|a, b| b.total_cmp(a));
    less.dedup();
    let lowest = less.len() as i64;
    let change = move |at: i64| {
        let amount = *less.get(usize::try_from(at).ok()?.checked_sub(1)?)?;
        Some(Suggestion::AtLeast { name: name.to_owned(), amount })
    };
    Kind::new(0, vec![lowest], change)
}
