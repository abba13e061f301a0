//! The state as a value that is written down and read again.

use super::Broker;
use crate::book::{Book, Entry, NodeFacts};
use crate::config::Config;
use crate::decision::Decision;
use crate::error::BrokerError;
use crate::jobs::JobRecord;
use crate::state::State;
use sched_model::Time;
use sched_model::internal::IdSet;
use serde::{Deserialize, Serialize};

/// The state of a broker, to be written and read by `serde`. Equal states give equal bytes.
///
/// What follows from the facts (free time, claims, timers) is not written. [`Broker::restore`] computes it
/// anew and checks it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    config: Config,
    now: Time,
    /// The number of inputs taken before: that of the journal entry that follows.
    pub inputs: u64,
    horizon_end: Time,
    extend_at: Time,
    gains: u64,
    changes: u64,
    next_decision: u64,
    last_cycle: Option<Time>,
    hurt: bool,
    stopped: bool,
    doublings: u32,
    offered: Option<u64>,
    moved: Vec<Time>,
    nodes: Vec<NodeFacts>,
    jobs: Vec<JobRecord>,
    over: IdSet,
    out: Vec<Decision>,
}

impl Broker {
    /// The state as a value. O(n) for n nodes and jobs.
    pub fn snapshot(&self) -> Snapshot {
        let State { book, jobs, out, .. } = &self.state;
        Snapshot {
            config: self.state.config.clone(),
            now: self.state.now,
            inputs: self.state.inputs,
            horizon_end: book.horizon_end,
            extend_at: book.extend_at,
            gains: book.gains,
            changes: book.changes,
            next_decision: self.state.next_decision,
            last_cycle: self.state.last_cycle,
            hurt: self.state.hurt,
            stopped: self.state.stopped,
            doublings: self.state.doublings,
            offered: self.state.offered,
            moved: self.state.moved.iter().copied().collect(),
            nodes: book.nodes.values().map(|entry| entry.facts.clone()).collect(),
            jobs: jobs.values().cloned().collect(),
            over: self.state.over.clone(),
            out: out.iter().cloned().collect(),
        }
    }

    /// The broker with this state. It continues exactly as the broker from which the snapshot was taken.
    ///
    /// # Errors
    /// [`BrokerError::Damaged`] for a snapshot that contradicts itself; those of [`new`](Self::new).
    pub fn restore(snapshot: Snapshot) -> Result<Self, BrokerError> {
        let mut broker = Self::new(snapshot.config)?;
        let state = &mut broker.state;
        state.now = snapshot.now;
        state.inputs = snapshot.inputs;
        state.next_decision = snapshot.next_decision;
        state.last_cycle = snapshot.last_cycle;
        state.hurt = snapshot.hurt;
        state.stopped = snapshot.stopped;
        state.doublings = snapshot.doublings;
        state.offered = snapshot.offered;
        state.moved = snapshot.moved.into();
        state.over = snapshot.over;
        state.out = snapshot.out.into();
        state.book = Book::new(state.config.tariff, snapshot.horizon_end, snapshot.extend_at);
        for facts in snapshot.nodes {
            let id = facts.node.id;
            if state.book.get(id).is_some() {
                return Err(BrokerError::RepeatedNode(id));
            }
            state.timers.extend(State::node_timers(&facts));
            state.book.nodes.insert(id, Entry::new(facts));
        }
        for record in snapshot.jobs {
            if state.jobs.contains_key(&record.job.id) {
                return Err(BrokerError::RepeatedJob(record.job.id));
            }
            for (start, place, claim) in record.claims() {
                let entry =
                    state.book.nodes.get_mut(&place.node).ok_or(BrokerError::UnknownNode(place.node))?;
                entry.claims.insert((start, record.job.id), claim);
            }
            state.insert_job(record);
        }
        // All promises, of which `forget_risks` keeps those that are late.
        state.at_risk = state.of_jobs.promised.clone();
        state.forget_risks();
        state.book.list_anew(snapshot.now);
        state.book.gains = snapshot.gains;
        state.book.changes = snapshot.changes;
        match broker.audit().into_iter().next() {
            Some(fault) => Err(BrokerError::Damaged(fault)),
            None => Ok(broker),
        }
    }
}
