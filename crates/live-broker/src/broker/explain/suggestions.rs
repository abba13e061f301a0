//! Single changes of a request, or of demands, with which a job would be placed: each is tried with the
//! search of the broker.

use crate::asks::{asked, find};
use sched_model::{
    Demands, Eligible, Money, NodeId, Price, ResourceRequest, Slot, SlotList, Speed, Time, Window, Work,
};
use slot_window::explain::{Demanding, Suggestion, at_place, nearest, place};
use slot_window::{Objective, Optimal, WindowError, WindowQuery, WindowSearch};
use std::convert::Infallible;

/// The chances of one job on what is free for it.
pub(super) struct Chances<'a> {
    pub(super) search: &'a dyn WindowSearch,
    pub(super) request: &'a ResourceRequest,
    pub(super) from: Time,
    pub(super) list: SlotList,
    /// What it demands, compiled for the list.
    pub(super) eligible: Option<Eligible>,
    /// The end of the list.
    pub(super) until: Time,
    /// Only a window on this node counts; if none is named, any.
    pub(super) on: Option<NodeId>,
}

impl Chances<'_> {
    pub(super) fn query<'b>(&'b self, request: &'b ResourceRequest) -> WindowQuery<'b> {
        asked(WindowQuery::new(&self.list, request).with_from(self.from), self.eligible.as_ref())
    }

    /// The window that the search prefers, if it counts.
    pub(super) fn find(&self, request: &ResourceRequest) -> Result<Option<Window>, WindowError> {
        self.find_in(&self.list, request)
    }

    fn find_in(&self, list: &SlotList, request: &ResourceRequest) -> Result<Option<Window>, WindowError> {
        let window = find(self.search, &self.query(request).with_slots(list))?;
        Ok(window.filter(|window| self.counts(window)))
    }

    /// Single changes that help, at most one of each kind. To be called where the request as it is has no
    /// window that counts.
    pub(super) fn suggestions(&self) -> Result<Vec<Suggestion>, WindowError> {
        let request = self.request;
        let rules = self.search.rules();
        let most = sched_model::MAX_QUANTITY;
        let best = |objective, request: &ResourceRequest| {
            let search = Optimal::new(objective).with_rules(rules);
            find(&search, &self.query(request))
        };
        let own = self.on.and_then(|node| self.list.iter().find(|slot| slot.node() == node));
        let mut helpful = Vec::new();
        if let Some(budget) = rules.budget(request) {
            // No window costs so much.
            let rich = request.with_budget(Money::must(most));
            let least = best(Objective::Cost, &rich)?.map(|window| window.cost().get());
            let budget_of = |value| Money::new(value).ok().map(Suggestion::Budget);
            let more = least.into_iter().chain([most]).filter(|more| *more > budget.get());
            helpful.extend(self.nearest(budget.get(), more, budget_of));
        }
        if let Some(deadline) = request.deadline() {
            let patient = request.with_deadline(Time::must(most));
            let first = best(Objective::Finish, &patient)?.map(|window| window.finish().get());
            let deadline_of = |value| Time::new(value).ok().map(Suggestion::Deadline);
            let later = first.into_iter().chain([self.until.get()]).filter(|later| *later > deadline.get());
            helpful.extend(self.nearest(deadline.get(), later, deadline_of));
        }
        helpful.extend(self.fewer_nodes());
        let slowest = self.list.iter().map(Slot::speed).min();
        let slower = own.map(Slot::speed).into_iter().chain(slowest);
        let slower = slower.filter(|speed| *speed < request.min_speed()).map(Speed::get);
        let speed_of = |value| Speed::new(value).ok().map(Suggestion::MinSpeed);
        helpful.extend(self.nearest(request.min_speed().get(), slower, speed_of));
        if let Some(limit) = request.price_limit().filter(|_| rules.slot_price) {
            let dearest = self.list.iter().map(Slot::price).max();
            let dearer = own.map(Slot::price).into_iter().chain(dearest);
            let dearer = dearer.filter(|price| *price > limit).map(Price::get);
            let price_of = |value| Price::new(value).ok().map(Suggestion::PriceLimit);
            helpful.extend(self.nearest(limit.get(), dearer, price_of));
        }
        // Half as much, half of that, and so on.
        let work = request.work().get();
        let less = (1..60).map(|halved| (0..halved).fold(work, |work, _| work / 2.0));
        helpful.extend(self.nearest(work, less, |value| Work::new(value).ok().map(Suggestion::Work)));
        if let Some(own) = own {
            let node = own.node();
            let price_of = |value| Some(Suggestion::NodePrice { node, price: Price::new(value).ok()? });
            helpful.extend(self.nearest(own.price().get(), [0.0], price_of));
        }
        if let Some(eligible) = &self.eligible {
            let (demands, nodes) = (eligible.demands(), request.nodes());
            let job = Demanding { demands, slots: &self.list, nodes, from: self.from };
            let Ok(changes) = job.changes(|demands| Ok::<_, Infallible>(self.start_with(demands)));
            helpful.extend(changes.into_iter().map(Suggestion::Demand));
        }
        Ok(helpful)
    }

    /// The start of the window under other demands, if that window counts.
    fn start_with(&self, demands: &Demands) -> Option<Time> {
        let eligible = self.list.eligible(demands);
        let query = WindowQuery::new(&self.list, self.request).with_from(self.from).with_eligible(&eligible);
        let window = find(self.search, &query).ok().flatten().filter(|window| self.counts(window))?;
        Some(window.start())
    }

    fn counts(&self, window: &Window) -> bool {
        self.on.is_none_or(|node| window.nodes().any(|at| at == node))
    }

    /// Whether there is a window with this change. A request that the search cannot take has none.
    fn helps(&self, change: &Suggestion) -> bool {
        let request = change.apply(self.request);
        let found = match change {
            Suggestion::NodePrice { .. } => match change.apply_to_slots(&self.list, self.from) {
                Ok(list) => self.find_in(&list, &request),
                Err(_) => return false,
            },
            _ => self.find(&request),
        };
        found.is_ok_and(|window| window.is_some())
    }

    /// The change nearest to `asked` that helps. The first of `others` that helps gives the direction;
    /// between the two the value is found by halving.
    fn nearest(
        &self,
        asked: f64,
        others: impl IntoIterator<Item = f64>,
        change: impl Fn(f64) -> Option<Suggestion>,
    ) -> Option<Suggestion> {
        let helps = |at| Ok::<_, Infallible>(change(at_place(at)).is_some_and(|change| self.helps(&change)));
        let Ok(found) = nearest(place(asked), others.into_iter().map(place), helps);
        found.and_then(|at| change(at_place(at)))
    }

    /// The most nodes, fewer than asked for, for which there is a window.
    fn fewer_nodes(&self) -> Option<Suggestion> {
        // No window has more nodes than there are slots.
        let asked = self.request.nodes().min(self.list.len() + 1) as i64;
        let nodes = |at: i64| usize::try_from(at).ok().filter(|nodes| *nodes > 0).map(Suggestion::Nodes);
        let helps = |at| Ok::<_, Infallible>(nodes(at).is_some_and(|change| self.helps(&change)));
        let Ok(found) = nearest(asked, [1], helps);
        found.and_then(nodes)
    }
}
