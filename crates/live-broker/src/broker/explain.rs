//! Why a job waits, why it is not on a node, and what would change that: certificates, not guesses.

use super::{Broker, Standing};
use crate::book::Entry;
use crate::error::BrokerError;
use crate::instant::after;
use crate::jobs::JobRecord;
use crate::speeds::seen_by;
use sched_model::{
    JobId, Money, NodeId, Price, Refusal, ResourceRequest, Slot, SlotList, Speed, Time, Window,
};
use slot_window::{Objective, Optimal, SearchScratch, WindowError, WindowQuery, WindowSearch};

/// Why a job is where it is. Of several reasons the first in this order is given.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Why {
    /// It is over.
    Over,
    /// It was started.
    Started,
    /// It is promised a window.
    Promised,
    /// There is a window: the next cycle decides.
    Fits,
    /// There is none, for this reason.
    None(Refusal),
}

impl Why {
    /// A name that does not change: for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Over => "over",
            Self::Started => "started",
            Self::Promised => "promised",
            Self::Fits => "fits",
            Self::None(refusal) => match refusal {
                Refusal::TooFewNodes { .. } => "too-few-nodes",
                Refusal::PriceLimit { .. } => "price-limit",
                Refusal::Horizon { .. } => "horizon",
                Refusal::Deadline { .. } => "deadline",
                Refusal::Budget { .. } => "budget",
                _ => "no-capacity",
            },
        }
    }
}

/// How many nodes there are, and how many cannot be used for a job: each counts for the first cause that holds, in the
/// order of the fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct NodeCounts {
    /// Nodes in all.
    pub all: usize,
    /// They leave.
    pub leaving: usize,
    /// They are down.
    pub down: usize,
    /// They have failed and are left alone for a while.
    pub resting: usize,
    /// They do not take the job.
    pub avoided: usize,
    /// They are slower than the job asks for.
    pub slow: usize,
    /// They are dearer than the price limit, where the search reads it so.
    pub dear: usize,
    /// The others.
    pub usable: usize,
}

/// One change of the request with which there is a window now, all else as it is; with one representable step less there
/// is none. Both have been tried with the search of the broker.
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
            Self::Nodes(nodes) => with_nodes(request, nodes),
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

fn with_nodes(request: &ResourceRequest, nodes: usize) -> ResourceRequest {
    let Ok(mut other) = ResourceRequest::new(nodes.max(1), request.work()) else { return *request };
    other = other.with_min_speed(request.min_speed()).with_input(request.input());
    if let Some(limit) = request.price_limit() {
        other = other.with_price_limit(limit);
    }
    if let Some(budget) = request.budget() {
        other = other.with_budget(budget);
    }
    if let Some(deadline) = request.deadline() {
        other = other.with_deadline(deadline);
    }
    other
}

/// What is known of a job and its chances.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Explanation {
    /// Why it is where it is.
    pub why: Why,
    /// Its chances on the nodes.
    pub nodes: NodeCounts,
    /// Changes that would give a window, each alone. None if there is a window, or no single change suffices.
    pub suggestions: Vec<Suggestion>,
    /// The start of its window; for a job that waits, when it would start if nothing else came and all ended as it is
    /// expected to, however far ahead. `None` if never.
    pub estimated_start: Option<Time>,
}

/// Why a job is not on a node. Of several reasons the first in this order is given.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum WhyNot {
    /// It is on it.
    IsThere,
    /// The node leaves.
    Leaving,
    /// It is down.
    Down,
    /// It has failed and is left alone until then.
    Resting(Time),
    /// It does not take the job.
    Avoided,
    /// It is too slow, too dear, not free for long enough, not early enough, or costs more than the whole budget: taken
    /// alone.
    Alone(Refusal),
    /// It would do, but with it there are not as many at one time as the job asks for.
    TooFewBeside,
    /// It would do; others are preferred.
    NotPreferred,
}

impl Broker {
    /// Why a job is where it is, and what would change that. A job that waits costs some ten searches.
    ///
    /// # Errors
    /// [`BrokerError::UnknownJob`] for a job that was never handed in, [`BrokerError::Search`] if the search cannot take the
    /// request.
    pub fn explain(&self, job: JobId) -> Result<Explanation, BrokerError> {
        let standing = self.standing(job).ok_or(BrokerError::UnknownJob(job))?;
        let why = match standing {
            Standing::Over => Why::Over,
            Standing::Starting | Standing::Running | Standing::Stopping => Why::Started,
            Standing::Promised => Why::Promised,
            Standing::Waiting => Why::Fits,
        };
        let Some(record) = self.state.jobs.get(&job) else {
            return Ok(Explanation {
                why,
                nodes: NodeCounts::default(),
                suggestions: Vec::new(),
                estimated_start: None,
            });
        };
        let nodes = self.count(record);
        if let Some(window) = record.window() {
            let start = Some(window.start());
            return Ok(Explanation { why, nodes, suggestions: Vec::new(), estimated_start: start });
        }
        let chances =
            Chances { broker: self, record, list: self.list_for(record, self.state.book.horizon_end) };
        let request = &record.job.request;
        if let Some(window) = chances.find(request)? {
            let start = Some(window.start());
            return Ok(Explanation { why, nodes, suggestions: Vec::new(), estimated_start: start });
        }
        let refusal = self
            .search
            .refusal(&WindowQuery::new(&chances.list, request, chances.from()), &mut SearchScratch::new())?;
        let estimated_start = self.estimate(record)?;
        let suggestions = chances.suggestions()?;
        Ok(Explanation { why: Why::None(refusal), nodes, suggestions, estimated_start })
    }

    /// Why a job is not on a node.
    ///
    /// # Errors
    /// [`BrokerError::UnknownJob`] for a job that is not here, [`BrokerError::UnknownNode`] for a node that is not,
    /// [`BrokerError::Search`] if the search cannot take the request.
    pub fn why_not(&self, job: JobId, node: NodeId) -> Result<WhyNot, BrokerError> {
        let record = self.state.jobs.get(&job).ok_or(BrokerError::UnknownJob(job))?;
        let entry = self.state.book.get(node).ok_or(BrokerError::UnknownNode(node))?;
        let now = self.state.now;
        if record.window().is_some_and(|window| window.nodes().any(|at| at == node)) {
            return Ok(WhyNot::IsThere);
        }
        if let Some(why) = unusable(entry, record, now) {
            return Ok(why);
        }
        let mut scratch = SearchScratch::new();
        let from = now.max(record.job.submit);
        let alone = with_nodes(&record.job.request, 1);
        let pieces = entry.free(now, self.state.book.horizon_end, None).into_iter();
        let slots =
            pieces.filter_map(|(from, until)| Slot::new(entry.facts.node, from, until).ok()).collect();
        let own = SlotList::new(slots).map_err(WindowError::from)?.with_tariff(*self.state.book.tariff());
        let own = seen_by(&own, &record.speeds).unwrap_or(own);
        if self.search.find(&own, &alone, from, &mut scratch)?.is_none() {
            return Ok(WhyNot::Alone(
                self.search.refusal(&WindowQuery::new(&own, &alone, from), &mut scratch)?,
            ));
        }
        let placed = record.window().is_some() || {
            let list = self.list_for(record, self.state.book.horizon_end);
            self.search.find(&list, &record.job.request, from, &mut scratch)?.is_some()
        };
        Ok(if placed { WhyNot::NotPreferred } else { WhyNot::TooFewBeside })
    }

    fn count(&self, record: &JobRecord) -> NodeCounts {
        let mut counts = NodeCounts { all: self.state.book.nodes.len(), ..NodeCounts::default() };
        let request = &record.job.request;
        let limit = if self.search.rules().slot_price { request.price_limit() } else { None };
        for entry in self.state.book.nodes.values() {
            let of = match unusable(entry, record, self.state.now) {
                Some(WhyNot::Leaving) => &mut counts.leaving,
                Some(WhyNot::Down) => &mut counts.down,
                Some(WhyNot::Resting(_)) => &mut counts.resting,
                Some(_) => &mut counts.avoided,
                None if entry.facts.node.speed < request.min_speed() => &mut counts.slow,
                None if limit.is_some_and(|limit| entry.facts.node.price > limit) => &mut counts.dear,
                None => &mut counts.usable,
            };
            *of += 1;
        }
        counts
    }

    /// What is free for a job up to an instant.
    fn list_for(&self, record: &JobRecord, until: Time) -> SlotList {
        let mut list = self.state.book.recomputed_until(self.state.now, until);
        for &node in &record.avoids {
            list.remove_node(node);
        }
        seen_by(&list, &record.speeds).unwrap_or(list)
    }

    /// The start of a window, however far ahead: after the last claim, all that can be free is free.
    fn estimate(&self, record: &JobRecord) -> Result<Option<Time>, BrokerError> {
        let book = &self.state.book;
        let claims = book.nodes.values().flat_map(|entry| entry.claims.values().map(|claim| claim.end));
        let nodes = book.nodes.values().map(|entry| &entry.facts);
        let back = nodes.filter_map(|facts| facts.rests_until.max(facts.down.and_then(|down| down.until)));
        let from = self.state.now.max(record.job.submit);
        let clear = claims.chain(back).fold(book.horizon_end.max(from), Time::max);
        let own = record.speeds.iter().map(|range| range.speed).min();
        let slowest = own.or_else(|| book.nodes.values().map(|entry| entry.facts.node.speed).min());
        let slowest = slowest.unwrap_or(Speed::ETALON);
        let span = record.job.request.span_on(slowest.max(record.job.request.min_speed()));
        let far = Time::new(after(after(clear, span), span).get()).unwrap_or(clear);
        let list = self.list_for(record, far);
        let earliest = Optimal::new(Objective::Start).with_holding(self.search.rules().holding).find(
            &self.affordable(&list, record),
            &record.job.request,
            from,
            &mut SearchScratch::new(),
        )?;
        Ok(earliest.map(|window| window.start()))
    }

    /// The part of a list within the price limit, where the search reads it for each slot.
    fn affordable(&self, list: &SlotList, record: &JobRecord) -> SlotList {
        let limit = if self.search.rules().slot_price { record.job.request.price_limit() } else { None };
        let Some(limit) = limit else { return list.clone() };
        let slots = list.iter().filter(|slot| slot.price() <= limit).copied().collect();
        SlotList::from_sorted(slots).unwrap_or_default().with_tariff(*list.tariff())
    }
}

/// Why a node is out of the question, whatever the job asks for.
fn unusable(entry: &Entry, record: &JobRecord, now: Time) -> Option<WhyNot> {
    let facts = &entry.facts;
    if facts.leaving {
        Some(WhyNot::Leaving)
    } else if facts.down.is_some() {
        Some(WhyNot::Down)
    } else if let Some(until) = facts.rests_until.filter(|until| *until > now) {
        Some(WhyNot::Resting(until))
    } else {
        record.avoids.contains(&facts.node.id).then_some(WhyNot::Avoided)
    }
}

/// The chances of one job on what is free for it.
struct Chances<'a> {
    broker: &'a Broker,
    record: &'a JobRecord,
    list: SlotList,
}

impl Chances<'_> {
    fn from(&self) -> Time {
        self.broker.state.now.max(self.record.job.submit)
    }

    fn find(&self, request: &ResourceRequest) -> Result<Option<Window>, WindowError> {
        self.broker.search.find(&self.list, request, self.from(), &mut SearchScratch::new())
    }

    /// Single changes that are certified.
    fn suggestions(&self) -> Result<Vec<Suggestion>, WindowError> {
        let request = &self.record.job.request;
        let mut candidates = Vec::new();
        let rules = self.broker.search.rules();
        let best = |objective, request: &ResourceRequest| {
            let search = Optimal::new(objective).with_holding(rules.holding);
            let list = self.broker.affordable(&self.list, self.record);
            search.find(&list, request, self.from(), &mut SearchScratch::new())
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
            if self.find(&with_nodes(request, middle))?.is_some() {
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
