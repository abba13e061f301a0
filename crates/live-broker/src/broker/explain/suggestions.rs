//! Single changes of a request with which a waiting job would be placed: each is tried with the search of the broker.

use super::super::Broker;
use crate::best::Best;
use crate::jobs::JobRecord;
use sched_model::{Money, Price, ResourceRequest, Slot, SlotList, Speed, Time, Window, Work};
use slot_window::{Objective, SearchScratch, WindowError, WindowSearch};

/// One change of the request with which there is a window now; with one representable step less there is none. Both have
/// been tried with the search of the broker.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Suggestion {
    /// The least budget.
    Budget(Money),
    /// The earliest deadline.
    Deadline(Time),
    /// The greatest number of nodes.
    Nodes(usize),
    /// The greatest least speed.
    MinSpeed(Speed),
    /// The least price limit.
    PriceLimit(Price),
    /// The greatest work.
    Work(Work),
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
            Self::Work(work) => request.with_work(work).unwrap_or(*request),
        }
    }

    /// One representable step less: towards what the request asks.
    #[must_use]
    pub fn one_step_less(self) -> Option<Self> {
        Some(match self {
            Self::Budget(budget) => Self::Budget(Money::new(budget.get().next_down()).ok()?),
            Self::Deadline(deadline) => Self::Deadline(Time::new(deadline.get().next_down()).ok()?),
            Self::Nodes(nodes) => Self::Nodes(nodes.checked_add(1)?),
            Self::MinSpeed(speed) => Self::MinSpeed(Speed::new(speed.get().next_up()).ok()?),
            Self::PriceLimit(price) => Self::PriceLimit(Price::new(price.get().next_down()).ok()?),
            Self::Work(work) => Self::Work(Work::new(work.get().next_up()).ok()?),
        })
    }
}

/// The chances of one job on what is free for it.
pub(super) struct Chances<'a> {
    pub(super) broker: &'a Broker,
    pub(super) record: &'a JobRecord,
    pub(super) list: SlotList,
}

impl Chances<'_> {
    pub(super) fn from(&self) -> Time {
        self.broker.state.now.max(self.record.job.submit)
    }

    pub(super) fn find(&self, request: &ResourceRequest) -> Result<Option<Window>, WindowError> {
        self.broker.search.find(&self.list, request, self.from(), &mut SearchScratch::new())
    }

    /// Single changes that are certified: of each kind one, where any of it helps.
    pub(super) fn suggestions(&self) -> Result<Vec<Suggestion>, WindowError> {
        let request = &self.record.job.request;
        let rules = self.broker.search.rules();
        let most = sched_model::MAX_QUANTITY;
        let best = |objective, request: &ResourceRequest| {
            Best::new(objective, rules).find(&self.list, request, self.from(), &mut SearchScratch::new())
        };
        let mut helpful = Vec::new();
        if let Some(budget) = rules.budget(request) {
            // No window costs so much.
            let rich = request.with_budget(Money::must(most));
            let least = best(Objective::Cost, &rich)?.map(|window| window.cost().get());
            let budget_of = |value| Money::new(value).ok().map(Suggestion::Budget);
            helpful.extend(self.nearest(budget.get(), least.into_iter().chain([most]), budget_of));
        }
        if let Some(deadline) = request.deadline() {
            let patient = request.with_deadline(Time::must(most));
            let first = best(Objective::Finish, &patient)?.map(|window| window.finish().get());
            let last = self.broker.state.book.horizon_end.get();
            let deadline_of = |value| Time::new(value).ok().map(Suggestion::Deadline);
            helpful.extend(self.nearest(deadline.get(), first.into_iter().chain([last]), deadline_of));
        }
        helpful.extend(self.fewer_nodes()?);
        if let Some(slowest) =
            self.list.iter().map(Slot::speed).min().filter(|speed| *speed < request.min_speed())
        {
            let speed_of = |value| Speed::new(value).ok().map(Suggestion::MinSpeed);
            helpful.extend(self.nearest(request.min_speed().get(), [slowest.get()], speed_of));
        }
        if let Some(limit) = request.price_limit().filter(|_| rules.slot_price) {
            let dearest = self.list.iter().map(Slot::price).max().filter(|price| *price > limit);
            let price_of = |value| Price::new(value).ok().map(Suggestion::PriceLimit);
            helpful.extend(self.nearest(limit.get(), dearest.map(Price::get), price_of));
        }
        // Half as much, half of that, and so on.
        let work = request.work().get();
        let less = (1..60).map(|halved| (0..halved).fold(work, |work, _| work / 2.0));
        helpful.extend(self.nearest(work, less, |value| Work::new(value).ok().map(Suggestion::Work)));
        Ok(helpful)
    }

    /// Whether there is a window with this change. A request that the search cannot take has none.
    fn helps(&self, change: Suggestion) -> bool {
        let found = self.find(&change.apply(&self.record.job.request));
        found.is_ok_and(|window| window.is_some())
    }

    /// A value with which there is a window and one step less there is none, between `asked`, with which there is none, and
    /// the first of others with which there is one: found by halving the values between, of which there are less than 2^64.
    fn nearest(
        &self,
        asked: f64,
        others: impl IntoIterator<Item = f64>,
        change: impl Fn(f64) -> Option<Suggestion>,
    ) -> Option<Suggestion> {
        let helps = |value: f64| change(value).is_some_and(|change| self.helps(change));
        let far = others.into_iter().find(|&value| value != asked && helps(value))?;
        let (mut without, mut with) = (rank(asked), rank(far));
        // Most often the first is the nearest at once.
        let beside = if with > without { with - 1 } else { with + 1 };
        if beside != without && helps(of_rank(beside)) {
            with = beside;
        } else {
            without = beside;
        }
        // With `with` there is a window, with `without` there is none.
        while (with - without).abs() > 1 {
            let middle = without + (with - without) / 2;
            if helps(of_rank(middle)) {
                with = middle;
            } else {
                without = middle;
            }
        }
        change(of_rank(with))
    }

    /// The most nodes, fewer than asked for, for which there is a window: found by halving.
    fn fewer_nodes(&self) -> Result<Option<Suggestion>, WindowError> {
        let request = &self.record.job.request;
        // No window has more nodes than there are slots.
        let (mut with, mut without) = (0, request.nodes().min(self.list.len() + 1));
        while with + 1 < without {
            let middle = with + (without - with) / 2;
            if self.find(&Suggestion::Nodes(middle).apply(request))?.is_some() {
                with = middle;
            } else {
                without = middle;
            }
        }
        Ok((with > 0).then_some(Suggestion::Nodes(with)))
    }
}

/// The place of a double among all: neighbours differ by 1.
fn rank(value: f64) -> i128 {
    let bits = i128::from(value.abs().to_bits());
    if value < 0.0 { -bits } else { bits }
}

/// The double at a place.
fn of_rank(rank: i128) -> f64 {
    let value = f64::from_bits(u64::try_from(rank.unsigned_abs()).unwrap_or_default());
    if rank < 0 { -value } else { value }
}

#[cfg(test)]
mod tests {
    use super::{of_rank, rank};

    #[test]
    fn neighbours_differ_by_one() {
        for value in [-1e60, -1.0, -5e-324, 0.0, 5e-324, 0.1, 1.0, 9.6, 1e60] {
            assert_eq!(of_rank(rank(value)), value);
            assert_eq!(of_rank(rank(value) + 1), value.next_up());
            assert_eq!(of_rank(rank(value) - 1), value.next_down());
        }
    }
}
