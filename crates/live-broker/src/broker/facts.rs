//! The changes that each fact makes. The input has been checked.

use crate::book::{Down, NodeFacts};
use crate::decision::{Cause, CloseReason, Reason, StopCause};
use crate::input::Input;
use crate::jobs::{JobRecord, LostPromise, Phase};
use crate::state::State;
use sched_model::{Demands, JobId, NodeId, Span, Work};

/// Applies an input that has been checked.
pub(super) fn apply(state: &mut State, input: &Input) {
    if let Some(record) = JobRecord::submitted(input, state.now) {
        state.insert_job(record);
    }
    match *input {
        Input::Wake | Input::Submit { .. } => {}
        Input::Accept { ref job, ref window, ref victims, .. } => {
            state.promise(job.id, window.clone(), Cause::Gain, victims);
        }
        Input::Cancel(job) => match state.jobs.get(&job).map(|record| &record.phase) {
            Some(Phase::Started { .. }) => state.cancel(job),
            _ => state.close(job, CloseReason::Cancelled),
        },
        Input::NodeAdded { node, ref features } => {
            state.book.add(NodeFacts::new(node, features.clone()), state.now);
        }
        Input::NodeRemoved(node) => {
            state.change_node(node, |facts| facts.leaving = true);
            state.lose_on(node, None, Cause::NodeRemoved(node));
        }
        Input::NodeDown { node, until } => {
            let since = state.now;
            state.change_node(node, |facts| facts.down = Some(Down { since, until }));
            state.lose_on(node, until, Cause::NodeDown(node));
        }
        Input::Blocked { node, from, until } => {
            let now = state.now;
            state.change_node(node, |facts| facts.block((from.max(now), until), now));
            let hit = move |start, end| from.max(now) < end && start < until;
            state.lose_where(node, Cause::Blocked(node), hit);
        }
        Input::Unblocked { node, from, until } => {
            state.change_node(node, |facts| facts.unblock((from, until)));
        }
        Input::NodeUp(node) => state.change_node(node, |facts| facts.down = None),
        Input::PriceChanged { node, price } => state.book.reprice(node, price, state.now),
        Input::Started(job) => started(state, job),
        Input::StartFailed { job, node } => start_failed(state, job, Cause::StartFailed, node),
        Input::Refused { job, node } => refused(state, job, node),
        Input::Released { job, node } => released(state, job, node),
        Input::Ended(job) => ended(state, job),
        Input::Failed { job, node } => failed(state, job, node),
        Input::Evicted { job, done } => evicted(state, job, done),
    }
}

fn started(state: &mut State, job: JobId) {
    let now = state.now;
    state.change_job(job, |record| {
        if let Phase::Started { since, .. } = &mut record.phase {
            *since = Some(now);
        }
    });
    if state.config.preemption.is_some_and(|rule| rule.least_run == Span::ZERO) {
        // Another job may preempt it from now on.
        state.book.gains += 1;
    }
}

fn refused(state: &mut State, job: JobId, node: NodeId) {
    state.change_job(job, |record| {
        record.avoids.insert(node);
    });
    if state.job_sets.promised.contains(&job) {
        state.lose(job, Cause::NodeRefused(node));
    } else {
        start_failed(state, job, Cause::NodeRefused(node), None);
    }
}

/// Processes a job that could not be started: it loses its promise, or is closed if it was cancelled.
fn start_failed(state: &mut State, job: JobId, cause: Cause, node: Option<NodeId>) {
    if is_over(state, job, node) {
        return;
    }
    let Some(window) = state.jobs.get(&job).and_then(JobRecord::window).cloned() else { return };
    state.hurt = true;
    try_again(state, job, |record| {
        record.failures += u32::from(cause == Cause::StartFailed);
        record.lost = Some(LostPromise { window, cause });
    });
}

/// Returns a job to waiting after `change`, or refuses it if it has failed too often.
fn try_again(state: &mut State, job: JobId, change: impl FnOnce(&mut JobRecord)) {
    state.return_job(job, change);
    if state.jobs.get(&job).is_some_and(|record| record.failures >= state.config.attempts) {
        state.refuse(job, Reason::Attempts);
    }
}

/// Processes that no task of a job runs any more: lets the node at fault rest, and closes the job if it was cancelled.
/// Returns whether it is over.
fn is_over(state: &mut State, job: JobId, at_fault: Option<NodeId>) -> bool {
    if let Some(node) = at_fault {
        state.rest(node);
    }
    let record = state.jobs.get(&job);
    let cancelled = record.is_some_and(|record| record.stopping == Some(StopCause::Cancelled));
    if cancelled {
        state.close(job, CloseReason::Cancelled);
    }
    cancelled
}

fn released(state: &mut State, job: JobId, node: NodeId) {
    let now = state.now;
    let Some(record) = state.jobs.get(&job) else { return };
    let Some(start) = record.window().map(sched_model::Window::start) else { return };
    state.change_job(job, |record| {
        if let Phase::Started { window, tasks, .. } = &mut record.phase
            && let Some(at) = window.nodes().position(|at| at == node)
        {
            tasks[at].released = Some(now);
        }
    });
    state.book.release(node, job, start, now);
    state.retry_waiting_on([node].into_iter());
}

/// Closes a job that is done, and forgets the failures of its nodes, which have proven to work.
fn ended(state: &mut State, job: JobId) {
    let nodes: Vec<NodeId> = state.jobs.get(&job).into_iter().flat_map(JobRecord::nodes).collect();
    state.close(job, CloseReason::Done);
    for node in nodes {
        if state.book.get(node).is_some_and(|entry| entry.facts.failures > 0) {
            state.change_node(node, |facts| facts.failures = 0);
        }
    }
}

fn failed(state: &mut State, job: JobId, node: Option<NodeId>) {
    if is_over(state, job, node) {
        return;
    }
    match node {
        Some(_) => try_again(state, job, |record| record.failures += 1),
        None => state.close(job, CloseReason::Failed),
    }
}

fn evicted(state: &mut State, job: JobId, done: Work) {
    if is_over(state, job, None) {
        return;
    }
    state.return_job(job, |record| {
        let before = record.job.request.work();
        let rest = Work::try_from(before.get() - done.get());
        // The check has ensured that some work remains.
        let Ok(rest) = rest.and_then(|rest| record.job.request.clone().with_work(rest)) else { return };
        let left = rest.work().get() / before.get();
        let demands = with_shorter_spans(rest.demands(), left);
        record.job.request = rest.with_demands(demands);
    });
}

/// The demands of a job of which the fraction `left` remains: its measured times are multiplied by it.
fn with_shorter_spans(demands: &Demands, left: f64) -> Demands {
    let shorter = |span: Span| {
        // A measured time must stay positive.
        Span::try_from((span.get() * left).max(f64::MIN_POSITIVE)).unwrap_or(span)
    };
    let spans = demands.spans.iter().map(|(node, span)| (node, shorter(span)));
    demands.clone().with_spans(spans).unwrap_or_else(|_| demands.clone())
}
