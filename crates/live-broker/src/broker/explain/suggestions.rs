//! Single changes of a request with which a waiting job would be placed: each is tried with the search of the broker.

use super::super::Broker;
use crate::best::Best;
use crate::jobs::JobRecord;
use sched_model::{Money, Price, ResourceRequest, Slot, SlotList, Speed, Time, Window};
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

    /// Single changes that are certified.
    pub(super) fn suggestions(&self) -> Result<Vec<Suggestion>, WindowError> {
        let request = &self.record.job.request;
        let mut candidates = Vec::new();
        let rules = self.broker.search.rules();
        let best = |objective, request: &ResourceRequest| {
            Best::new(objective, rules).find(&self.list, request, self.from(), &mut SearchScratch::new())
        };
        if rules.budget(request).is_some() {
            // No window costs so much.
            let rich = request.with_budget(Money::must(sched_model::MAX_QUANTITY));
            candidates.extend(best(Objective::Cost, &rich)?.map(|window| Suggestion::Budget(window.cost())));
        }
        if request.deadline().is_some() {
            let patient = request.with_deadline(Time::must(sched_model::MAX_QUANTITY));
            let first = best(Objective::Finish, &patient)?;
            candidates.extend(first.map(|window| Suggestion::Deadline(window.finish())));
        }
        candidates.extend(self.fewer_nodes()?);
        let speeds = self.list.iter().map(Slot::speed).filter(|speed| *speed < request.min_speed());
        let slower = self.nearest(speeds.rev_sorted(), |speed| request.with_min_speed(speed))?;
        candidates.extend(slower.map(Suggestion::MinSpeed));
        if let Some(limit) = request.price_limit().filter(|_| rules.slot_price) {
            let prices = self.list.iter().map(Slot::price).filter(|price| *price > limit);
            let dearer = self.nearest(prices.in_order(), |price| request.with_price_limit(price))?;
            candidates.extend(dearer.map(Suggestion::PriceLimit));
        }
        let mut certified = Vec::new();
        for suggestion in candidates {
            let enough = self.find(&suggestion.apply(request))?.is_some();
            let less = match suggestion.one_step_less() {
                Some(less) => self.find(&less.apply(request))?.is_some(),
                None => false,
            };
            if enough && !less {
                certified.push(suggestion);
            }
        }
        Ok(certified)
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

    /// The first of values, each of which asks for less than the one before, for which there is a window: by halving.
    fn nearest<T: Copy>(
        &self,
        values: Vec<T>,
        request: impl Fn(T) -> ResourceRequest,
    ) -> Result<Option<T>, WindowError> {
        let (mut from, mut to) = (0, values.len());
        while from < to {
            let middle = from + (to - from) / 2;
            if self.find(&request(values[middle]))?.is_some() {
                to = middle;
            } else {
                from = middle + 1;
            }
        }
        Ok(values.get(from).copied())
    }
}

/// Distinct values in order.
trait Distinct: Iterator + Sized {
    fn in_order(self) -> Vec<Self::Item>;
    fn rev_sorted(self) -> Vec<Self::Item>;
}

impl<I: Iterator> Distinct for I
where
    I::Item: Ord,
{
    fn in_order(self) -> Vec<I::Item> {
        let values: std::collections::BTreeSet<I::Item> = self.collect();
        values.into_iter().collect()
    }
    fn rev_sorted(self) -> Vec<I::Item> {
        let mut values = self.in_order();
        values.reverse();
        values
    }
}
