//! Checks whether an input fits the state, which stays unchanged.

use super::Broker;
use crate::decision::{Standing, StopCause};
use crate::error::BrokerError;
use crate::input::Input;
use crate::instant::is_in_range;
use crate::jobs::{JobRecord, Phase};
use crate::state::State;
use sched_model::{JobId, NodeId, Time};

/// # Errors
/// [`BrokerError`] for an input that does not fit the state.
pub(super) fn check(broker: &Broker, now: Time, input: &Input) -> Result<(), BrokerError> {
    let state = &broker.state;
    check_in_range([now])?;
    if now < state.now {
        return Err(BrokerError::Late { given: now.get(), now: state.now.get() });
    }
    let submitted = JobRecord::submitted(input, now);
    if let Some(record) = &submitted {
        check_submitted(state, record)?;
    }
    match *input {
        Input::Accept { ref window, version, ref victims, .. } => match &submitted {
            Some(record) => super::quote::check(broker, now, record, window, version, victims),
            None => Ok(()),
        },
        Input::Wake | Input::Submit { .. } => Ok(()),
        Input::Cancel(job) => {
            let record = record_of(state, job)?;
            match record.stopping {
                Some(StopCause::Cancelled) => Err(wrong_phase(record, "a second cancellation")),
                _ => Ok(()),
            }
        }
        Input::NodeAdded { node, .. } => match state.book.get(node.id) {
            Some(_) => Err(BrokerError::RepeatedNode(node.id)),
            None => Ok(()),
        },
        Input::NodeRemoved(node) | Input::PriceChanged { node, .. } => is_down(state, node).map(|_| ()),
        Input::NodeDown { node, until } => check_goes_down(state, now, node, until),
        Input::Blocked { node, from, until } | Input::Unblocked { node, from, until } => {
            is_down(state, node)?;
            check_interval(now, node, from, until)
        }
        Input::NodeUp(node) => {
            if is_down(state, node)? {
                Ok(())
            } else {
                Err(BrokerError::Standing { node, down: false })
            }
        }
        Input::Started(job) => with_standing(state, job, Standing::Starting, "its start").map(|_| ()),
        Input::StartFailed { job, node } => {
            let record = with_standing(state, job, Standing::Starting, "the failure of its start")?;
            node.map_or(Ok(()), |node| check_held(record.is_on(node), job, node))
        }
        Input::Refused { job, node } => {
            let record = record_of(state, job)?;
            match record.phase {
                Phase::Promised { .. } | Phase::Started { since: None, .. } => {
                    check_held(record.is_on(node), job, node)
                }
                _ => Err(wrong_phase(record, "the refusal of a node")),
            }
        }
        Input::Released { job, node } => {
            let record = with_standing(state, job, Standing::Running, "the release of a node")?;
            check_held(record.holds(node), job, node)
        }
        Input::Ended(job) => with_standing(state, job, Standing::Running, "its end").map(|_| ()),
        Input::Failed { job, node } => {
            let record = with_standing(state, job, Standing::Running, "its failure")?;
            node.map_or(Ok(()), |node| check_held(record.is_on(node), job, node))
        }
        Input::Evicted { job, done } => {
            let remaining = with_standing(state, job, Standing::Running, "its eviction")?.job.request.work();
            if done < remaining {
                return Ok(());
            }
            Err(BrokerError::Done { job, remaining: remaining.get(), done: done.get() })
        }
    }
}

/// Checks a submitted job: its id must be new, its ranges of nodes in order, and its instants in range.
fn check_submitted(state: &State, record: &JobRecord) -> Result<(), BrokerError> {
    let (job, demands) = (&record.job, record.demands());
    if record.speeds.iter().any(|range| range.first > range.last) {
        return Err(BrokerError::Ranges(job.id));
    }
    if state.over.contains(job.id) || state.jobs.contains_key(&job.id) {
        return Err(BrokerError::RepeatedJob(job.id));
    }
    let demanded = demands.not_before.into_iter().chain(demands.start);
    check_in_range([job.submit].into_iter().chain(job.request.deadline).chain(demanded))
}

/// Returns an error for an instant that is out of range.
fn check_in_range(given: impl IntoIterator<Item = Time>) -> Result<(), BrokerError> {
    match given.into_iter().find(|at| !is_in_range(*at)) {
        Some(at) => Err(BrokerError::OutOfRange { given: at.get() }),
        None => Ok(()),
    }
}

/// Returns the record of a job that is not over.
fn record_of(state: &State, job: JobId) -> Result<&JobRecord, BrokerError> {
    state.jobs.get(&job).ok_or(BrokerError::UnknownJob(job))
}

/// Returns whether a node is down; an error if it is leaving.
fn is_down(state: &State, node: NodeId) -> Result<bool, BrokerError> {
    let entry = state.book.get(node).ok_or(BrokerError::UnknownNode(node))?;
    if entry.facts.leaving { Err(BrokerError::Leaving(node)) } else { Ok(entry.facts.down.is_some()) }
}

/// Checks that a node can go down until `until`.
fn check_goes_down(state: &State, now: Time, node: NodeId, until: Option<Time>) -> Result<(), BrokerError> {
    if is_down(state, node)? {
        return Err(BrokerError::Standing { node, down: true });
    }
    until.map_or(Ok(()), |until| check_interval(now, node, now, until))
}

/// Checks that `[from, until)` of a node is not empty and not yet over.
fn check_interval(now: Time, node: NodeId, from: Time, until: Time) -> Result<(), BrokerError> {
    check_in_range([from, until])?;
    if from < until && now < until {
        return Ok(());
    }
    Err(BrokerError::EmptyTime { node, from: from.get(), until: until.get() })
}

/// Returns the record of a job if it has this standing, without regard to whether it is being stopped.
fn with_standing<'a>(
    state: &'a State,
    job: JobId,
    standing: Standing,
    what: &'static str,
) -> Result<&'a JobRecord, BrokerError> {
    let record = record_of(state, job)?;
    if record.phase.standing() == standing { Ok(record) } else { Err(wrong_phase(record, what)) }
}

fn wrong_phase(record: &JobRecord, what: &'static str) -> BrokerError {
    BrokerError::Phase { job: record.job.id, phase: record.phase.standing(), what }
}

/// Returns an error if a job does not hold a node.
fn check_held(holds: bool, job: JobId, node: NodeId) -> Result<(), BrokerError> {
    if holds { Ok(()) } else { Err(BrokerError::NotHeld { job, node }) }
}
