//! Why a job waits, why it is not on a node, and which change of its request would help. Each suggestion is tested.

mod suggestions;

pub use suggestions::Suggestion;

use super::{Broker, Standing};
use crate::best::Best;
use crate::book::Entry;
use crate::error::BrokerError;
use crate::instant::after;
use crate::jobs::JobRecord;
use crate::speeds::seen_by;
use sched_model::{JobId, NodeId, Refusal, Slot, SlotList, Speed, Time};
use slot_window::{Objective, SearchScratch, WindowError, WindowQuery, WindowSearch};
use suggestions::Chances;

/// Why a job has its present standing. Of several reasons the first in this order is given.
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
    /// There is no window, for this reason.
    None(Refusal),
}

impl Why {
    /// A stable name, for programs.
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
    /// They have failed and are not used for a while.
    pub resting: usize,
    /// They have refused the job.
    pub avoided: usize,
    /// They are slower than the job asks for.
    pub slow: usize,
    /// They cost more than the price limit, where the search applies it to each slot.
    pub dear: usize,
    /// The others.
    pub usable: usize,
}

/// The explanation of a job's standing.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Explanation {
    /// Why it has its present standing.
    pub why: Why,
    /// How many nodes can be used for it, and why the others cannot.
    pub nodes: NodeCounts,
    /// Changes each of which alone would give a window. Empty if there is a window, or no single change suffices.
    pub suggestions: Vec<Suggestion>,
    /// The start of its window. For a job that waits: the earliest start beside all that is promised, if no other job came
    /// and every task ended when it is expected to, however far ahead. `None` if never.
    pub estimated_start: Option<Time>,
}

/// Why a job is not on a node. Of several reasons the first in this order is given.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum WhyNot {
    /// It is on this node.
    IsThere,
    /// The node leaves.
    Leaving,
    /// It is down.
    Down,
    /// It has failed and is not used until then.
    Resting(Time),
    /// It has refused the job.
    Avoided,
    /// The node alone does not suit: too slow, too dear, not free for long enough, not early enough, or above the
    /// budget.
    Alone(Refusal),
    /// The node alone would suit, but there are not as many such nodes at one time as the job asks for.
    TooFewBeside,
    /// The node would suit; the search prefers others.
    NotPreferred,
}

impl Broker {
    /// Why a job has its present standing, and what would change it. A job that waits costs some ten
    /// searches, and up to some four hundred where the nearest helpful values have to be found by halving.
    ///
    /// # Errors
    /// [`BrokerError::UnknownJob`] for a job that was never submitted, [`BrokerError::Search`] if the search cannot take the
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
    /// [`BrokerError::UnknownJob`] for a job that is over or was never submitted, [`BrokerError::UnknownNode`] for a node that is not,
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
        let alone = Suggestion::Nodes(1).apply(&record.job.request);
        let pieces = entry.free(now, self.state.book.horizon_end, &[]).into_iter();
        let slots =
            pieces.filter_map(|(from, until)| Slot::new(entry.facts.node, from, until).ok()).collect();
        let mut own = SlotList::new(slots).map_err(WindowError::from)?.with_tariff(*self.state.book.tariff());
        for (late, until) in self.state.overdue(now, &self.config) {
            if late == node {
                own.block(node, now, until);
            }
        }
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
        let now = self.state.now;
        let mut list = self.state.book.recomputed_until(now, until);
        for (node, until) in self.state.overdue(now, &self.config) {
            list.block(node, now, until);
        }
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
        let overdue = self.state.overdue(self.state.now, &self.config);
        let overdue = overdue.iter().map(|(_, until)| *until);
        let clear = claims.chain(back).chain(overdue).fold(book.horizon_end.max(from), Time::max);
        let own = record.speeds.iter().map(|range| range.speed).min();
        let slowest = own.or_else(|| book.nodes.values().map(|entry| entry.facts.node.speed).min());
        let slowest = slowest.unwrap_or(Speed::ETALON);
        let span = record.job.request.span_on(slowest.max(record.job.request.min_speed()));
        let far = Time::new(after(after(clear, span), span).get()).unwrap_or(clear);
        let list = self.list_for(record, far);
        let earliest = Best::new(Objective::Start, self.search.rules()).find(
            &list,
            &record.job.request,
            from,
            &mut SearchScratch::new(),
        )?;
        Ok(earliest.map(|window| window.start()))
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
