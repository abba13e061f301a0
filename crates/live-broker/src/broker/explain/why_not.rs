//! Why a job is not on a node, and which change would bring it there. Each suggestion is tested.

use super::{Broker, Suggestion};
use crate::book::Entry;
use crate::error::BrokerError;
use crate::jobs::{JobRecord, Phase};
use sched_model::{JobId, NodeId, Refusal, Time};
use slot_window::explain::suggestions;

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
    ///     let node = Node::new(NodeId(id), Speed::ETALON, Price::must(price));
    ///     broker.handle(Time::ZERO, Input::NodeAdded(node))?;
    /// }
    /// let request = ResourceRequest::new(1, Work::must(30.0))?;
    /// broker.handle(Time::ZERO, Input::Submit(Job::new(JobId(1), request).with_submit(Time::must(5.0))))?;
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
        let (task, own) =
            (Suggestion::Nodes(1).apply(query.request), chances.list.filtered(|slot| slot.node() == node));
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
