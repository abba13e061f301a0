//! A broker as it is written down and read again.

use super::Broker;
use crate::book::{Book, Entry, NodeFacts};
use crate::config::Config;
use crate::decision::Decision;
use crate::error::BrokerError;
use crate::jobs::JobRecord;
use crate::state::State;
use sched_model::Time;
use sched_model::internal::IdSet;
use serde::{Deserialize, Serialize, Serializer};

/// What is written of a broker. What follows from these facts (free time, claims, timers) is computed anew and checked
/// when it is read.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Snapshot {
    config: Config,
    now: Time,
    inputs: u64,
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

impl Snapshot {
    fn of(Broker { state, .. }: &Broker) -> Self {
        let State { book, jobs, out, .. } = state;
        Self {
            config: state.config.clone(),
            now: state.now,
            inputs: state.inputs,
            horizon_end: book.horizon_end,
            extend_at: book.extend_at,
            gains: book.gains,
            changes: book.changes,
            next_decision: state.next_decision,
            last_cycle: state.last_cycle,
            hurt: state.hurt,
            stopped: state.stopped,
            doublings: state.doublings,
            offered: state.offered,
            moved: state.moved.iter().copied().collect(),
            nodes: book.nodes.values().map(|entry| entry.facts.clone()).collect(),
            jobs: jobs.values().cloned().collect(),
            over: state.over.clone(),
            out: out.iter().cloned().collect(),
        }
    }
}

impl Serialize for Broker {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Snapshot::of(self).serialize(to)
    }
}

/// Equal brokers give equal bytes.
impl PartialEq for Broker {
    fn eq(&self, other: &Self) -> bool {
        Snapshot::of(self) == Snapshot::of(other)
    }
}

impl TryFrom<Snapshot> for Broker {
    type Error = BrokerError;

    /// # Errors
    /// [`BrokerError::Damaged`] for a snapshot that contradicts itself; those of [`new`](Self::new).
    fn try_from(snapshot: Snapshot) -> Result<Self, BrokerError> {
        let Snapshot { inputs, gains, changes, next_decision, .. } = snapshot;
        if [inputs, gains, changes, next_decision].iter().any(|&count| count > u64::MAX / 2) {
            return Err(BrokerError::Damaged("a counter is beyond what inputs can reach".to_owned()));
        }
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
