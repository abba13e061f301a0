//! Explanations of why a job waits, and which change of its request or its demands would help. Each suggestion is
//! tested by a search first.

use super::Broker;
use crate::book::NodeFacts;
use crate::decision::Standing;
use crate::error::BrokerError;
use crate::fit::slots_for;
use crate::instant::latest_instant;
use crate::jobs::JobRecord;
use sched_model::{End, JobId, Limit, Outcome, Refusal, SlotList, Time, internal::counted};
use slot_window::explain::{Suggestion, earliest_start, suggestions};
use slot_window::{WindowError, WindowQuery};
use std::fmt;

/// The numbers of nodes that can and cannot be used for a job. A node that cannot be used counts for the first cause
/// that applies, in the order of the fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct NodeCounts {
    /// All nodes.
    pub all: usize,
    /// Nodes that are leaving.
    pub leaving: usize,
    /// Nodes that are down.
    pub down: usize,
    /// Nodes that have failed and are not used for a while.
    pub resting: usize,
    /// Nodes that have refused the job.
    pub avoided: usize,
    /// Nodes that do not meet the demands of the job.
    pub missing: usize,
    /// Nodes that are slower than the job requests.
    pub slow: usize,
    /// Nodes whose price exceeds the price limit, if the search applies it to each slot.
    pub over_price: usize,
    /// All other nodes.
    pub usable: usize,
}

/// The explanation of a job's standing.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Explanation {
    /// The standing of the job.
    pub standing: Standing,
    /// The reason why there is no window for the job. If a waiting job has none, there is a window, and the next cycle
    /// decides.
    pub refusal: Option<Refusal>,
    /// The numbers of nodes that can be used for the job, and of the others by cause.
    pub nodes: NodeCounts,
    /// Changes each of which alone would give a window. Empty if there is a window, or if no single change suffices.
    pub suggestions: Vec<Suggestion>,
    /// The start of its window. For a waiting job, the start of the window that the search prefers now, given all
    /// promises; if there is none within the horizon, the earliest start at any later time, provided that no other job
    /// comes and every task ends when expected. `None` if there is no such start.
    pub estimated_start: Option<Time>,
}

impl Broker {
    /// Explains the present standing of a job, and which changes would help. For a waiting job this takes about ten
    /// searches, and up to about four hundred if the nearest helpful values must be found by bisection.
    ///
    /// # Errors
    /// [`BrokerError::UnknownJob`] for a job that was never submitted, [`BrokerError::Search`] if the search
    /// cannot take the request.
    pub fn explain(&self, job: JobId) -> Result<Explanation, BrokerError> {
        let standing = self.standing(job).ok_or(BrokerError::UnknownJob(job))?;
        let mut explanation = Explanation {
            standing,
            refusal: None,
            nodes: NodeCounts::default(),
            suggestions: Vec::new(),
            estimated_start: None,
        };
        let Some(record) = self.state.jobs.get(&job) else { return Ok(explanation) };
        explanation.nodes = self.count(record);
        if let Some(window) = record.window() {
            explanation.estimated_start = Some(window.start());
            return Ok(explanation);
        }
        // The horizon of the next wake.
        let horizon = self.state.book.horizon(self.state.now, self.state.config.horizon);
        let list = self.free_for(record, horizon);
        let query = self.query(&list, record);
        match self.search.solve(&query, &mut Limit::default().meter())? {
            Outcome { best: Some(window), .. } => explanation.estimated_start = Some(window.start()),
            Outcome { end: End::Done, .. } => {
                explanation.refusal = Some(self.search.refusal(&query, &mut Limit::none().meter())?);
                explanation.suggestions = suggestions(&*self.search, &query, None)?;
                let ever = self.free_for(record, latest_instant());
                explanation.estimated_start = earliest_start(&*self.search, &self.query(&ever, record))?;
            }
            stopped => return Err(WindowError::from(stopped.end).into()),
        }
        Ok(explanation)
    }

    /// Counts the nodes by whether the job can use them.
    fn count(&self, record: &JobRecord) -> NodeCounts {
        let mut counts = NodeCounts { all: self.state.book.nodes.len(), ..NodeCounts::default() };
        let request = &record.job.request;
        let limit = self.search.rules().price_limit(request);
        for entry in self.state.book.nodes.values() {
            let NodeFacts { node, features, leaving, down, rests_until, .. } = &entry.facts;
            let causes = [
                (*leaving, &mut counts.leaving),
                (down.is_some(), &mut counts.down),
                (rests_until.is_some_and(|until| until > self.state.now), &mut counts.resting),
                (record.avoids.contains(&node.id), &mut counts.avoided),
                (!record.demands().are_met(features), &mut counts.missing),
                (node.speed < request.min_speed, &mut counts.slow),
                (limit.is_some_and(|limit| node.price > limit), &mut counts.over_price),
                (true, &mut counts.usable),
            ];
            if let Some((_, of)) = causes.into_iter().find(|(holds, _)| *holds) {
                *of += 1;
            }
        }
        counts
    }

    /// The query for a window of a job in a list.
    fn query<'a>(&self, list: &'a SlotList, record: &'a JobRecord) -> WindowQuery<'a> {
        WindowQuery::new(list, &record.job.request).with_from(self.state.now.max(record.job.submit))
    }

    /// The free time that a job could use until an instant, if it gave up its own promise.
    fn free_for(&self, record: &JobRecord, until: Time) -> SlotList {
        let now = self.state.now;
        let mut list = self.state.book.recomputed(now, until, &[record.job.id]);
        for (node, until) in self.state.overdue(now) {
            list.block(node, now..until);
        }
        for &node in &record.avoids {
            list.block(node, ..);
        }
        slots_for(&list, &record.speeds).unwrap_or(list)
    }
}

impl fmt::Display for NodeCounts {
    /// The number of usable nodes, and those of the others by cause: `4 of 7 nodes usable; 2 down, 1 too slow`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { all, leaving, down, resting, avoided, missing, slow, over_price, usable } = *self;
        write!(f, "{usable} of {} usable", counted(all, "node"))?;
        let causes = [
            (leaving, "leaving"),
            (down, "down"),
            (resting, "resting"),
            (avoided, "that refused the job"),
            (missing, "without what it demands"),
            (slow, "too slow"),
            (over_price, "too expensive"),
        ];
        for (at, (count, cause)) in causes.into_iter().filter(|&(count, _)| count > 0).enumerate() {
            write!(f, "{} {count} {cause}", if at == 0 { ";" } else { "," })?;
        }
        Ok(())
    }
}

impl fmt::Display for Explanation {
    /// The reason and the nodes on the first line; then the suggestions and the estimated start, if any.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.refusal, self.standing) {
            (Some(refusal), _) => write!(f, "{refusal}")?,
            (None, Standing::Over) => write!(f, "it is over")?,
            (None, Standing::Waiting) => write!(f, "there is a window, and the next cycle decides")?,
            (None, Standing::Promised) => write!(f, "it is promised a window")?,
            (None, _) => write!(f, "it was started")?,
        }
        write!(f, "; {}", self.nodes)?;
        for suggestion in &self.suggestions {
            write!(f, "\nwould have a window with {suggestion}")?;
        }
        self.estimated_start.map_or(Ok(()), |start| write!(f, "\nestimated start {start}"))
    }
}
