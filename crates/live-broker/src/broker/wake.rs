//! The decisions of a `Wake`: which jobs start, which promises are lost, and the plan of a cycle.

use super::Broker;
use crate::book::BookedNode;
use crate::config::MovePolicy;
use crate::cycle::{CycleMeter, CycleNote, Placed, Query, plan};
use crate::decision::{Act, Cause, Reason};
use crate::instant::overrun_until;
use crate::jobs::{JobRecord, LostPromise, Phase, Timer};
use crate::state::State;
use sched_model::{End, JobId, Time};

/// Makes the decisions of a `Wake`. Returns the note of the cycle, if one was due. `noted` is the note of a cycle to
/// repeat, which ends where a signal had stopped the original.
pub(super) fn wake(broker: &mut Broker, noted: Option<&CycleNote>) -> Option<CycleNote> {
    let state = &mut broker.state;
    process_timers(state);
    start_due(state);
    if state.now >= state.book.extend_at && !state.book.nodes.is_empty() {
        state.book.extend(state.now, state.config.horizon);
    }
    next_cycle(state).filter(|due| *due <= state.now)?;
    let mut limit = state.config.limit(state.doublings);
    let mut at_limit = End::Work;
    match noted {
        None => limit = limit.with_signal_of(&broker.signal),
        Some(noted) if noted.end == End::Signal => (limit.work, at_limit) = (noted.work, End::Signal),
        Some(_) => {}
    }
    let note = plan(&Query::of(state, &*broker.search), CycleMeter::new(&limit, at_limit));
    apply(state, &note);
    start_due(state);
    Some(note)
}

/// The instant at which the next cycle is due, if no input changes that; an instant that has passed means now.
pub(super) fn next_cycle(state: &State) -> Option<Time> {
    if state.hurt || state.late_jobs().next().is_some() {
        return Some(state.now);
    }
    let earliest = state.last_cycle.map_or(state.now, |last| (last + state.config.interval).max(state.now));
    let gains = Some(state.book.gains);
    if state.has_fresh() {
        return Some(earliest);
    }
    let stops = state.preemption_due().map(|due| earliest.max(due));
    let moves = state.config.stability.policy != MovePolicy::Never && !state.job_sets.promised.is_empty();
    let mut more = None;
    if moves && state.offered != gains {
        match state.moves_left() {
            (0, counted) => more = counted.map(|until| earliest.max(until)),
            _ => return Some(earliest),
        }
    }
    // A longer horizon may have a window for a waiting job.
    let grows = !state.job_sets.waiting.is_empty() && !state.book.nodes.is_empty();
    let grows = grows.then(|| earliest.max(state.book.extend_at));
    stops.into_iter().chain(more).chain(grows).min()
}

/// Processes the timers that are due, except starts.
fn process_timers(state: &mut State) {
    let now = state.now;
    for timer in state.due_by(now).collect::<Vec<_>>() {
        match timer {
            Timer::Start(_) => {}
            Timer::NodeRested(node) => state.change_node(node, |facts| facts.rests_until = None),
            Timer::NodeBack(node) => {
                let mut until = None;
                state.change_node(node, |facts| {
                    if let Some(down) = &mut facts.down {
                        down.until = Some(down.extended(now));
                        until = down.until;
                    }
                });
                state.lose_on(node, until, Cause::NodeDown(node));
            }
            Timer::TaskEnd(job, at) => overrun(state, job, at),
            Timer::Refuse(job) => {
                let late =
                    |record: &JobRecord| record.job.request.deadline.is_some_and(|deadline| deadline <= now);
                let missed = |record: &JobRecord| record.demands().start.is_some_and(|start| start < now);
                let reason = match state.jobs.get(&job) {
                    Some(record) if late(record) => Reason::Deadline,
                    Some(record) if missed(record) => Reason::StartPassed,
                    _ => Reason::Patience,
                };
                state.refuse(job, reason);
            }
        }
    }
}

/// Extends the claim of a task that has not ended at the expected instant.
fn overrun(state: &mut State, job: JobId, at: usize) {
    let now = state.now;
    let Some(record) = state.jobs.get(&job) else { return };
    let Phase::Started { window, .. } = &record.phase else { return };
    let Some(placement) = window.placements().get(at) else { return };
    let (node, start) = (placement.node, window.start());
    let until = overrun_until(start, placement.end, now);
    state.change_job(job, |record| {
        if let Phase::Started { tasks, .. } = &mut record.phase {
            tasks[at].until = until;
        }
    });
    state.book.lengthen(node, job, start, until);
}

/// Starts the promises that are due if their nodes are ready, first those for which other jobs were stopped; a promise
/// whose start is too late is lost.
fn start_due(state: &mut State) {
    let now = state.now;
    let started = |timer| if let Timer::Start(job) = timer { Some(job) } else { None };
    let mut due: Vec<JobId> = state.due_by(now).filter_map(started).collect();
    due.sort_by_key(|job| state.jobs.get(job).is_none_or(|record| record.clear_since.is_none()));
    for job in due {
        let Some(record) = state.jobs.get(&job) else { continue };
        let Phase::Promised { window, .. } = &record.phase else { continue };
        let start = record.due(window);
        let in_the_way = window.nodes().find(|&node| !state.book.get(node).is_some_and(|e| e.is_ready(now)));
        let latest = start + state.config.tolerance;
        match in_the_way {
            None if now <= latest => state.start(job),
            None => state.lose(job, Cause::Missed),
            Some(_) if now < latest => state.change_job(job, |record| record.set_waits(true)),
            Some(node) => {
                let is_blocked = |entry: &BookedNode| entry.held().is_none() && entry.is_blocked(now);
                let is_blocked = state.book.get(node).is_some_and(is_blocked);
                state.lose(job, if is_blocked { Cause::Blocked(node) } else { Cause::NotReleased(node) });
            }
        }
    }
}

/// Applies the result of a cycle to the state.
fn apply(state: &mut State, note: &CycleNote) {
    // The gains that the searches of the cycle have seen: applying its result may add to them.
    let gains = state.book.gains;
    state.hurt = false;
    state.last_cycle = Some(state.now);
    state.stopped = note.was_stopped();
    for job in note.late.iter().chain(&note.without_window) {
        state.change_job(*job, |record| record.searched_at = Some(gains));
    }
    for Placed { job, window, late, victims } in &note.placed {
        state.promise(*job, window.clone(), late.map_or(Cause::Gain, Cause::NotReleased), victims);
    }
    // If no more moves are allowed now, promises that were not considered are considered again later.
    state.offered = (state.moves_left().0 > 0).then_some(gains);
    state.forget_risks();
    for (job, reason) in &note.refused {
        state.refuse(*job, reason.clone());
    }
    let waits = state.late_jobs().next().is_some() || state.has_fresh();
    match note.end {
        End::Work if waits && note.decides_nothing() => state.doublings = state.doublings.saturating_add(1),
        _ if !note.was_stopped() => state.doublings = 0,
        _ => {}
    }
    // Withdraws the promises that were lost and not replaced.
    let lost = |job: &JobId| Some((*job, state.jobs.get(job)?.lost.clone()?));
    for (job, LostPromise { window, cause }) in
        state.job_sets.waiting.iter().filter_map(lost).collect::<Vec<_>>()
    {
        state.change_job(job, |record| record.lost = None);
        state.decide(Act::Withdraw { job, window, cause });
    }
}
