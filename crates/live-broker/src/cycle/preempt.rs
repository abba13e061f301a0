//! Phase 3, where it is wanted: running jobs are stopped for jobs of higher priority that could not start
//! otherwise.
//!
//! Only windows that begin now count, so a node is one slot from now on to its next claim. A set of victims
//! suffices if there is a window over the free slots and those of the victims. Sets are tried by rising size,
//! so no smaller set suffices.

use super::find::CycleMeter;
use super::{ChosenWindow, CycleNote, Displacement, Query, Rescue};
use crate::fit::{asked, seen_by, speed_on};
use crate::jobs::{JobRecord, Phase};
use crate::state::State;
use sched_model::{Eligible, End, Job, JobId, NodeId, Priority, Slot, Time, Window};
use slot_window::{Objective, Optimal, WindowQuery};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::rc::Rc;

/// Adds to the note which jobs are stopped for which, as far as the meter reaches.
pub(super) fn displace(query: &Query<'_>, note: &mut CycleNote, meter: &mut CycleMeter<'_>) {
    let Some(least) = query.state.least_stoppable() else { return };
    let late = latecomers(query, note, least);
    if late.is_empty() {
        return;
    }
    let mut free_time = FreeTime::of(query, note);
    for job in late {
        let Some(record) = query.state.jobs.get(&job) else { continue };
        let attempt = Attempt::of(query, &free_time, record, meter);
        match attempt.smallest_set(&candidates(&attempt), meter) {
            Ok(Some((window, victims))) => {
                if let Some(at) = note.placed.iter().position(|answer| answer.job == job) {
                    let answer = note.placed.remove(at);
                    free_time.take_back(&answer.window, job);
                }
                note.without_window.retain(|looked| *looked != job);
                note.late.retain(|late| *late != job);
                free_time.give(&window, job);
                free_time.stopped.extend(victims.iter().copied());
                note.preempted.push(Displacement { job, window, victims });
            }
            Ok(None) => {}
            Err(end) => {
                note.end = end;
                break;
            }
        }
    }
}

/// The running jobs that would be stopped for a job that is not known yet, with its window, as in a cycle in
/// which no other job is placed.
///
/// # Errors
/// Why the search was stopped.
pub(crate) fn displacement(
    query: &Query<'_>,
    record: &JobRecord,
    meter: &mut CycleMeter<'_>,
) -> Result<Option<Displacement>, End> {
    let stoppable = query.state.least_stoppable();
    if stoppable.is_none_or(|least| least >= record.job.priority) || !record.may_start(query.state.now) {
        return Ok(None);
    }
    let free_time = FreeTime::new(query);
    let attempt = Attempt::of(query, &free_time, record, meter);
    let found = attempt.smallest_set(&candidates(&attempt), meter)?;
    Ok(found.map(|(window, victims)| Displacement { job: record.job.id, window, victims }))
}

/// Why these running jobs may not be stopped for a window of a job; `None` if they may, or there are none.
pub(crate) fn cannot_stop(state: &State, job: &Job, window: &Window, victims: &[JobId]) -> Option<String> {
    if victims.is_empty() {
        return None;
    }
    let Some(rule) = state.config.preemption else { return Some("stops others, and no job may".to_owned()) };
    if window.start() != state.now {
        return Some("stops others and does not begin at once".to_owned());
    }
    let needed = |other: &JobRecord| {
        let Phase::Started { since: Some(since), .. } = other.phase else { return false };
        other.stopping.is_none()
            && other.job.priority < job.priority
            && since + rule.least_run <= state.now
            && window.nodes().any(|node| other.holds(node))
    };
    let wrong = victims.iter().find(|victim| !state.jobs.get(victim).is_some_and(needed));
    wrong.map(|victim| format!("cannot stop job {victim}"))
}

/// Jobs above a priority that have not started and would not start in time, the highest priority first.
fn latecomers(query: &Query<'_>, note: &CycleNote, least: Priority) -> Vec<JobId> {
    let Some(rule) = query.state.config.preemption else { return Vec::new() };
    let placed: BTreeMap<JobId, Time> =
        note.placed.iter().map(|answer| (answer.job, answer.window.start())).collect();
    let refused: BTreeSet<JobId> = note.refused.iter().map(|(job, _)| *job).collect();
    // The rescue has just moved them, so that they are in time.
    let rescued: BTreeSet<JobId> = note.rescued.iter().map(|one| one.job).collect();
    let latest = query.state.now + rule.delay;
    let open = query.state.of_jobs.open.range((Bound::Excluded((least, JobId(u64::MAX))), Bound::Unbounded));
    let mut late: Vec<&JobRecord> = open
        .filter_map(|(_, job)| query.state.jobs.get(job))
        .filter(|record| {
            let id = record.job.id;
            let start = placed.get(&id).copied().or(record.window().map(Window::start));
            let may_start = record.may_start(query.state.now) && record.victims.is_empty();
            let known = refused.contains(&id) || rescued.contains(&id);
            may_start && !known && start.is_none_or(|start| start > latest)
        })
        .collect();
    late.sort_by_key(|record| (Reverse(record.job.priority), record.asked, record.job.id));
    late.into_iter().map(|record| record.job.id).collect()
}

/// What is free from now on for any job, and what this cycle has given of it.
struct FreeTime {
    /// The nodes that this cycle has given to jobs: from when on, and to which job.
    given: BTreeMap<NodeId, BTreeSet<(Time, JobId)>>,
    /// Nodes of promises that are late.
    overdue: BTreeSet<NodeId>,
    /// Nodes that are free now, each until its next claim.
    free: Vec<(NodeId, Time)>,
    /// Running jobs that this cycle stops.
    stopped: BTreeSet<JobId>,
}

impl FreeTime {
    fn new(query: &Query<'_>) -> Self {
        let overdue = query.state.overdue(query.state.now).into_iter().map(|(node, _)| node);
        let overdue: BTreeSet<NodeId> = overdue.collect();
        let (now, end) = (query.state.now, query.state.book.horizon_end);
        let nodes = query.state.book.nodes.iter().filter(|(node, _)| !overdue.contains(node));
        let free = nodes.filter_map(|(&node, entry)| Some((node, entry.free_until(now, end, &[])?)));
        Self { given: BTreeMap::new(), free: free.collect(), overdue, stopped: BTreeSet::new() }
    }

    fn of(query: &Query<'_>, note: &CycleNote) -> Self {
        let mut free_time = Self::new(query);
        for ChosenWindow { job, window } in &note.placed {
            free_time.give(window, *job);
        }
        for Rescue { job, window, .. } in &note.rescued {
            free_time.give(window, *job);
        }
        free_time
    }

    fn give(&mut self, window: &Window, job: JobId) {
        for node in window.nodes() {
            self.given.entry(node).or_default().insert((window.start(), job));
        }
    }

    fn take_back(&mut self, window: &Window, job: JobId) {
        for node in window.nodes() {
            if let Some(given) = self.given.get_mut(&node) {
                given.remove(&(window.start(), job));
            }
        }
    }

    /// From when on a node is given to another job than this.
    fn given_from(&self, node: NodeId, job: JobId) -> Option<Time> {
        let given = self.given.get(&node)?;
        given.iter().find(|(_, to)| *to != job).map(|(from, _)| *from)
    }
}

/// A job that may be stopped, with the slots from now on that it would leave.
struct Victim {
    job: JobId,
    slots: Vec<Slot>,
}

/// In the order in which they are stopped: the least priority, the latest start, the least id first.
fn candidates(attempt: &Attempt<'_>) -> Vec<Victim> {
    let (query, record) = (attempt.query, attempt.record);
    let Some(rule) = query.state.config.preemption else { return Vec::new() };
    let mut victims = Vec::new();
    for (_, running) in query.state.of_jobs.running.range(..record.job.priority) {
        let ripe = running.iter().take_while(|(since, _)| *since + rule.least_run <= query.state.now);
        let mut ripe: Vec<(Time, JobId)> =
            ripe.filter(|(_, job)| !attempt.free_time.stopped.contains(job)).copied().collect();
        ripe.sort_by_key(|(since, job)| (Reverse(*since), *job));
        for (_, job) in ripe {
            let Some(victim) = query.state.jobs.get(&job) else { continue };
            let held = victim.claims().map(|(_, place, _)| place.node);
            let slots: Vec<Slot> =
                held.filter_map(|node| attempt.slot(node, &[job, record.job.id])).collect();
            if !slots.is_empty() {
                victims.push(Victim { job, slots });
            }
        }
    }
    victims
}

/// What one job could use now.
struct Attempt<'a> {
    query: &'a Query<'a>,
    free_time: &'a FreeTime,
    record: &'a JobRecord,
    /// What the job demands, compiled for what is free.
    eligible: Option<Rc<Eligible>>,
    /// What is free from now on.
    free: Vec<Slot>,
}

impl<'a> Attempt<'a> {
    /// Each node that is free is a unit of work.
    fn of(
        query: &'a Query<'a>,
        free_time: &'a FreeTime,
        record: &'a JobRecord,
        meter: &mut CycleMeter<'_>,
    ) -> Self {
        let eligible = query.compiled.of(record.demands(), &query.state.book);
        let mut attempt = Self { query, free_time, record, eligible, free: Vec::new() };
        let own: BTreeSet<NodeId> = record.nodes().collect();
        let others = free_time.free.iter().filter(|(node, _)| !own.contains(node));
        let others = others.filter_map(|&(node, until)| attempt.part(node, until));
        let given_up = own.iter().filter_map(|&node| attempt.slot(node, &[record.job.id]));
        let free: Vec<Slot> = others.chain(given_up).collect();
        meter.spend((free_time.free.len() + own.len()) as u64);
        attempt.free = free;
        attempt
    }

    /// What is free of a node from now on, without the claims of some jobs.
    fn slot(&self, node: NodeId, but: &[JobId]) -> Option<Slot> {
        if self.free_time.overdue.contains(&node) {
            return None;
        }
        let until = self.query.state.book.get(node)?.free_until(
            self.query.state.now,
            self.query.state.book.horizon_end,
            but,
        )?;
        self.part(node, until)
    }

    /// The part of a free node that the job could use and that this cycle has not given away.
    fn part(&self, node: NodeId, until: Time) -> Option<Slot> {
        if self.record.avoids.contains(&node) {
            return None;
        }
        let given = self.free_time.given_from(node, self.record.job.id);
        let until = given.map_or(until, |given| until.min(given));
        let facts = &self.query.state.book.get(node)?.facts;
        let slot = Slot::new(facts.node, self.query.state.now, until).ok()?;
        (self.record.demands().are_met(&facts.features) && self.serves(&slot)).then_some(slot)
    }

    /// Whether a task of the job could run in a slot that begins now, as far as speed, length and price tell.
    fn serves(&self, slot: &Slot) -> bool {
        let request = &self.record.job.request;
        let Some(speed) = speed_on(&self.record.speeds, slot.as_node()) else { return false };
        let limit = self.query.search.rules().price_limit(request);
        let measured = self.record.demands().spans.on(slot.node());
        speed >= request.min_speed
            && self.query.state.now + measured.unwrap_or(request.span_on(speed)) <= slot.end()
            && limit.is_none_or(|limit| slot.price() <= limit)
    }

    /// The smallest set of victims that suffices, the first of its size, with the window that it gives;
    /// `Ok(None)` if none does. Each step of the enumeration is a unit of work.
    ///
    /// # Errors
    /// Why the search was stopped.
    fn smallest_set(
        &self,
        victims: &[Victim],
        meter: &mut CycleMeter<'_>,
    ) -> Result<Option<(Window, Vec<JobId>)>, End> {
        let needed = self.record.job.request.nodes().saturating_sub(self.free.len());
        // A job that is promised a later start may be able to begin now on free nodes: then no job is stopped
        // for it.
        if needed == 0 && self.window(std::iter::empty(), meter)?.is_some() {
            return Ok(None);
        }
        let mut most: Vec<usize> = victims.iter().map(|victim| victim.slots.len()).collect();
        most.sort_unstable_by_key(|count| Reverse(*count));
        // By m: the most slots that any m victims leave.
        let most: Vec<usize> = std::iter::once(0)
            .chain(most.iter().scan(0, |sum, count| {
                *sum += count;
                Some(*sum)
            }))
            .collect();
        for size in (1..=victims.len()).filter(|&size| most[size] >= needed) {
            let mut chosen: Vec<usize> = Vec::new();
            let (mut next, mut left) = (0, 0);
            loop {
                meter.spend(1);
                meter.steps += 1;
                meter.check()?;
                let more = size - chosen.len();
                if more > 0 && next + more <= victims.len() {
                    let count = victims[next].slots.len();
                    if left + count + most[more - 1] >= needed {
                        chosen.push(next);
                        left += count;
                    }
                    next += 1;
                    continue;
                }
                if more == 0
                    && let Some(window) = self.window(chosen.iter().map(|&at| &victims[at]), meter)?
                {
                    let mut jobs: Vec<JobId> = chosen.iter().map(|&at| victims[at].job).collect();
                    jobs.sort_unstable();
                    return Ok(Some((window, jobs)));
                }
                let Some(last) = chosen.pop() else { break };
                left -= victims[last].slots.len();
                next = last + 1;
            }
        }
        Ok(None)
    }

    /// A window that begins now over what is free and what the victims leave.
    ///
    /// # Errors
    /// Why the search was stopped.
    fn window<'v>(
        &self,
        victims: impl Iterator<Item = &'v Victim>,
        meter: &mut CycleMeter<'_>,
    ) -> Result<Option<Window>, End> {
        let slots = self.free.iter().chain(victims.flat_map(|victim| &victim.slots)).copied().collect();
        // Each node gives one slot at most.
        let Ok(list) = self.query.state.book.listed(slots) else { return Ok(None) };
        let list = seen_by(&list, &self.record.speeds).unwrap_or(list);
        let search = Optimal::new(Objective::Start).with_rules(self.query.search.rules());
        let request = &self.record.job.request;
        let query =
            asked(WindowQuery::new(&list, request).with_from(self.query.state.now), self.eligible.as_deref());
        meter.steps += 1;
        match meter.solve(&search, &query) {
            Ok((_, Some(end))) => Err(end),
            Ok((window, None)) => Ok(window.filter(|window| window.start() == self.query.state.now)),
            Err(_) => Ok(None),
        }
    }
}
