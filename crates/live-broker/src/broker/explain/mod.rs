//! Why a job waits, why it is not on a node, and which change of its request or its demands would help. Each
//! suggestion is tested by a search before it is made.

use super::{Broker, Standing};
use crate::book::Entry;
use crate::error::BrokerError;
use crate::fit::seen_by;
use crate::input::after;
use crate::jobs::{JobRecord, Phase};
use sched_model::{
    End, JobId, Limit, NodeId, Outcome, Refusal, ResourceRequest, SlotList, Speed, Time, Window,
};
pub use slot_window::explain::{DemandChange, Suggestion};
use slot_window::explain::{earliest_start, suggestions};
use slot_window::{WindowError, WindowQuery};

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
    pub fn code(&self) -> &'static str {
        match self {
            Self::Over => "over",
            Self::Started => "started",
            Self::Promised => "promised",
            Self::Fits => "fits",
            Self::None(refusal) => refusal.code(),
        }
    }
}

/// How many nodes there are, and how many cannot be used for a job: each counts for the first cause that
/// holds, in the order of the fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct JobNodeCounts {
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
    /// They lack what the job demands of them.
    pub missing: usize,
    /// They are slower than the job asks for.
    pub slow: usize,
    /// They cost more than the price limit, where the search applies it to each slot.
    pub over_price: usize,
    /// The others.
    pub usable: usize,
}

/// The explanation of a job's standing.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct JobExplanation {
    /// Why it has its present standing.
    pub why: Why,
    /// How many nodes can be used for it, and why the others cannot.
    pub nodes: JobNodeCounts,
    /// Changes each of which alone would give a window. Empty if there is a window, or no single change
    /// suffices.
    pub suggestions: Vec<Suggestion>,
    /// The start of its window. For a job that waits: the earliest start beside all that is promised, if no
    /// other job came and every task ended when it is expected to, however far ahead. `None` if never.
    pub estimated_start: Option<Time>,
}

impl Broker {
    /// Why a job has its present standing, and what would change it. A job that waits costs some ten
    /// searches, and up to some four hundred where the nearest helpful values have to be found by halving.
    ///
    /// # Errors
    /// [`BrokerError::UnknownJob`] for a job that was never submitted, [`BrokerError::Search`] if the search
    /// cannot take the request.
    pub fn explain(&self, job: JobId) -> Result<JobExplanation, BrokerError> {
        let standing = self.standing(job).ok_or(BrokerError::UnknownJob(job))?;
        let why = match standing {
            Standing::Over => Why::Over,
            Standing::Starting | Standing::Running | Standing::Stopping => Why::Started,
            Standing::Promised => Why::Promised,
            Standing::Waiting => Why::Fits,
        };
        let plain = |why, nodes, estimated_start| JobExplanation {
            why,
            nodes,
            suggestions: Vec::new(),
            estimated_start,
        };
        let Some(record) = self.state.jobs.get(&job) else {
            return Ok(plain(why, JobNodeCounts::default(), None));
        };
        let nodes = self.count(record);
        if let Some(window) = record.window() {
            return Ok(plain(why, nodes, Some(window.start())));
        }
        let chances = self.chances(record, self.state.book.horizon_end);
        let query = chances.query(&record.job.request);
        match self.find(&query)? {
            Ok(window) => Ok(plain(why, nodes, Some(window.start()))),
            Err(refusal) => {
                let suggestions = suggestions(&*self.search, &query, None)?;
                let start = self.estimate(record)?;
                Ok(JobExplanation { suggestions, ..plain(Why::None(refusal), nodes, start) })
            }
        }
    }

    /// The window that the search prefers, within its default limit, or why there is none.
    fn find(&self, query: &WindowQuery<'_>) -> Result<Result<Window, Refusal>, WindowError> {
        match self.search.solve(query, &mut Limit::default().meter())? {
            Outcome { best: Some(window), .. } => Ok(Ok(window)),
            Outcome { end: End::Done, .. } => self.search.refusal(query, &mut Limit::none().meter()).map(Err),
            stopped => Err(stopped.end.into()),
        }
    }

    fn count(&self, record: &JobRecord) -> JobNodeCounts {
        let mut counts = JobNodeCounts { all: self.state.book.nodes.len(), ..JobNodeCounts::default() };
        let request = &record.job.request;
        let limit = self.search.rules().price_limit(request);
        for entry in self.state.book.nodes.values() {
            let of = match unusable(entry, record, self.state.now) {
                Some(WhyNot::Leaving) => &mut counts.leaving,
                Some(WhyNot::Down) => &mut counts.down,
                Some(WhyNot::Resting(_)) => &mut counts.resting,
                Some(_) => &mut counts.avoided,
                None if !record.demands().are_met(&entry.facts.features) => &mut counts.missing,
                None if entry.facts.node.speed < request.min_speed => &mut counts.slow,
                None if limit.is_some_and(|limit| entry.facts.node.price > limit) => &mut counts.over_price,
                None => &mut counts.usable,
            };
            *of += 1;
        }
        counts
    }

    /// What a job could have up to an instant, its own promise given up.
    fn chances(&self, record: &JobRecord, until: Time) -> Chances {
        let now = self.state.now;
        let mut list = self.state.book.recomputed_until(now, until, &[record.job.id]);
        for (node, until) in self.state.overdue(now) {
            list.block(node, now, until);
        }
        for &node in &record.avoids {
            list.remove_node(node);
        }
        let list = seen_by(&list, &record.speeds).unwrap_or(list);
        Chances { list, from: now.max(record.job.submit) }
    }

    /// The start of a window, however far ahead: after the last claim, all that can be free is free.
    fn estimate(&self, record: &JobRecord) -> Result<Option<Time>, BrokerError> {
        let book = &self.state.book;
        let claims = book.nodes.values().flat_map(|entry| entry.claims.values().map(|claim| claim.end));
        let nodes = book.nodes.values().map(|entry| &entry.facts);
        let back = nodes.filter_map(|facts| facts.rests_until.max(facts.down.and_then(|down| down.until)));
        let from = self.state.now.max(record.job.submit);
        let overdue = self.state.overdue(self.state.now);
        let overdue = overdue.iter().map(|(_, until)| *until);
        let demands = record.demands();
        let demanded = demands.not_before.into_iter().chain(demands.start);
        let busy = claims.chain(back).chain(overdue);
        let clear = busy.chain(demanded).fold(book.horizon_end.max(from), Time::max);
        let own = record.speeds.iter().map(|range| range.speed).min();
        let slowest = own.or_else(|| book.nodes.values().map(|entry| entry.facts.node.speed).min());
        let slowest = slowest.unwrap_or(Speed::ETALON);
        let span = record.job.request.span_on(slowest.max(record.job.request.min_speed));
        let span = demands.spans.iter().map(|(_, span)| span).fold(span, sched_model::Span::max);
        let chances = self.chances(record, after(after(clear, span), span));
        Ok(earliest_start(&*self.search, &chances.query(&record.job.request))?)
    }
}

/// The chances of one job on what is free for it.
struct Chances {
    list: SlotList,
    from: Time,
}

impl Chances {
    fn query<'a>(&'a self, request: &'a ResourceRequest) -> WindowQuery<'a> {
        WindowQuery::new(&self.list, request).with_from(self.from)
    }
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
    /// The node alone does not suit: it lacks what is demanded, is too slow or too expensive, is not free for
    /// long enough or early enough, or costs more than the budget.
    Alone(Refusal),
    /// The search would take it as things are now: the next cycle decides, if the job may still be moved.
    Fits,
    /// The node alone would suit, but there are not as many such nodes at one time as the job asks for.
    TooFewBeside,
    /// The node would suit; the search prefers others.
    NotPreferred,
}

/// The explanation why a job is not on a node.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct NodeExplanation {
    /// Why it is not there.
    pub why: WhyNot,
    /// Changes of the request, of the price of the node, or of what the job demands, each of which alone
    /// would bring the job there: the promises to other jobs stay, its own is given up, and then the window
    /// that the search prefers uses the node. With [one step less](Suggestion::one_step_less) it does not. At
    /// most one of each kind, in the order of `explain`. Empty for a job that has started, and for a node
    /// that takes no job at present.
    pub suggestions: Vec<Suggestion>,
}

impl Broker {
    /// Why a job is not on a node, and what would bring it there. It costs a few searches, and for a job that
    /// has not started up to some four hundred, as [`explain`](Self::explain) does.
    ///
    /// # Errors
    /// [`BrokerError::UnknownJob`] for a job that is over or was never submitted,
    /// [`BrokerError::UnknownNode`] for a node that does not exist, [`BrokerError::Search`] if the search
    /// cannot take the request.
    ///
    /// ```
    /// use live_broker::{Broker, Config, Input, Suggestion, WhyNot};
    /// use sched_model::*;
    /// let mut broker = Broker::new(Config::new(Span::must(100.0)))?;
    /// for (id, price) in [(1, 2.0), (2, 3.0)] {
    ///     broker.handle(Time::ZERO, Node::must(id, 1.0, price).into())?;
    /// }
    /// let request = ResourceRequest::new(1, Work::must(30.0))?;
    /// broker.handle(Time::ZERO, Job::new(JobId(1), request).with_submit(Time::must(5.0)).into())?;
    /// broker.handle(Time::ZERO, Input::Wake)?;
    /// // Both nodes are free from 5 on; node 1 is the cheaper one. At a price of 2 or more
    /// // node 2 would not be taken.
    /// let why = broker.why_not(JobId(1), NodeId(2))?;
    /// assert_eq!(why.why, WhyNot::NotPreferred);
    /// let price = Price::must(2.0_f64.next_down());
    /// assert_eq!(why.suggestions, [Suggestion::NodePrice { node: NodeId(2), price }]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn why_not(&self, job: JobId, node: NodeId) -> Result<NodeExplanation, BrokerError> {
        let record = self.state.jobs.get(&job).ok_or(BrokerError::UnknownJob(job))?;
        let entry = self.state.book.get(node).ok_or(BrokerError::UnknownNode(node))?;
        let now = self.state.now;
        let plain = |why| Ok(NodeExplanation { why, suggestions: Vec::new() });
        if record.is_on(node) {
            return plain(WhyNot::IsThere);
        }
        if let Some(why) = unusable(entry, record, now) {
            return plain(why);
        }
        let chances = self.chances(record, self.state.book.horizon_end);
        let query = chances.query(&record.job.request);
        // A single task, on the node alone.
        let task = query.request.clone().with_nodes(1).map_err(WindowError::from)?;
        let own = chances.list.filtered(|slot| slot.node() == node);
        let alone = self.find(&chances.query(&task).with_slots(&own))?.err();
        // No other window is searched for a job that has started, or that starts as soon as its nodes are
        // released.
        let open = match &record.phase {
            Phase::Waiting => true,
            Phase::Promised { window, .. } => window.start() > now,
            Phase::Started { .. } => false,
        };
        if !open {
            return plain(alone.map_or(WhyNot::NotPreferred, WhyNot::Alone));
        }
        let found = self.find(&query)?;
        if found.as_ref().is_ok_and(|window| window.nodes().any(|at| at == node)) {
            return plain(WhyNot::Fits);
        }
        let why = match alone {
            Some(refusal) => WhyNot::Alone(refusal),
            None if record.window().is_some() || found.is_ok() => WhyNot::NotPreferred,
            None => WhyNot::TooFewBeside,
        };
        Ok(NodeExplanation { why, suggestions: suggestions(&*self.search, &query, Some(node))? })
    }
}

/// Why a node cannot be used, whatever the job asks for.
pub(super) fn unusable(entry: &Entry, record: &JobRecord, now: Time) -> Option<WhyNot> {
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
