//! Phase 3, if the configuration permits it: running jobs are stopped for jobs of higher priority that could not start
//! otherwise.
//!
//! Only windows that start now matter, so each node is one slot, from now to its next claim. A set of victims suffices
//! if there is a window on the free slots and those of the victims. Sets are tried by rising size, so the first that
//! suffices is of minimum size.

use super::meter::CycleMeter;
use super::{CycleNote, Placed, Query};
use crate::fit::{slots_for, speed_on, with_demands};
use crate::jobs::{JobRecord, Phase, sort_by_rank};
use crate::state::State;
use sched_model::{Eligible, End, Job, JobId, NodeId, Priority, Slot, Time, Window};
use slot_window::{Objective, Optimal, WindowQuery};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::rc::Rc;

/// Adds the preemptions of a cycle to the note, within the limit of the meter.
pub(super) fn displace(query: &Query<'_>, note: &mut CycleNote, meter: &mut CycleMeter<'_>) {
    let Some(least) = query.state.lowest_stoppable() else { return };
    let late = latecomers(query, note, least);
    if late.is_empty() {
        return;
    }
    let free_now = FreeNow::of(query);
    for record in late {
        match PreemptionSearch::of(query, &free_now, note, record, meter).smallest_set(meter) {
            Ok(Some(placed)) => {
                note.placed.retain(|other| other.job != placed.job);
                note.without_window.retain(|job| *job != placed.job);
                note.late.retain(|job| *job != placed.job);
                note.placed.push(placed);
            }
            Ok(None) => {}
            Err(end) => {
                note.end = end;
                break;
            }
        }
    }
}

/// Finds the preemption for a job that has not been submitted: its window, and the running jobs to stop, as in a cycle
/// that places no other job.
///
/// # Errors
/// The end of the cycle, if it stopped the search.
pub(crate) fn displacement(
    query: &Query<'_>,
    record: &JobRecord,
    meter: &mut CycleMeter<'_>,
) -> Result<Option<Placed>, End> {
    let stoppable = query.state.lowest_stoppable();
    if stoppable.is_none_or(|least| least >= record.job.priority) || !record.may_start(query.state.now) {
        return Ok(None);
    }
    PreemptionSearch::of(query, &FreeNow::of(query), &CycleNote::default(), record, meter).smallest_set(meter)
}

/// Returns the reason why these running jobs must not be stopped for a window of a job; `None` if they may, or if there
/// are none.
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

/// The jobs above priority `least` that have not started and would not start in time, the highest priority first.
fn latecomers<'a>(query: &Query<'a>, note: &CycleNote, least: Priority) -> Vec<&'a JobRecord> {
    let Some(rule) = query.state.config.preemption else { return Vec::new() };
    let placed: BTreeMap<JobId, &Placed> = note.placed.iter().map(|placed| (placed.job, placed)).collect();
    let refused: BTreeSet<JobId> = note.refused.iter().map(|(job, _)| *job).collect();
    let latest = query.state.now + rule.delay;
    let open = query.state.job_sets.open.range((Bound::Excluded((least, JobId(u64::MAX))), Bound::Unbounded));
    let records = open.filter_map(|(_, job)| query.state.jobs.get(job));
    let mut late: Vec<&JobRecord> = records
        .filter(|record| {
            let placed = placed.get(&record.job.id);
            let start = placed.map(|placed| &placed.window).or(record.window()).map(Window::start);
            let may_start = record.may_start(query.state.now) && record.victims.is_empty();
            // A job that the rescue has just moved is in time.
            let rescued = placed.is_some_and(|placed| placed.late.is_some());
            let known = rescued || refused.contains(&record.job.id);
            may_start && !known && start.is_none_or(|start| start > latest)
        })
        .collect();
    sort_by_rank(&mut late);
    late
}

/// The free slots that start now, as at the beginning of the cycle.
struct FreeNow {
    slots: Vec<Slot>,
    /// Nodes that are not free although the list says so: see [`State::overdue`].
    overdue: BTreeSet<NodeId>,
}

impl FreeNow {
    fn of(query: &Query<'_>) -> Self {
        let (state, now) = (query.state, query.state.now);
        let slots = state.free().iter().filter(|slot| slot.start == now).copied().collect();
        let overdue = state.overdue(now).into_iter().map(|(node, _)| node).collect();
        Self { slots, overdue }
    }
}

/// A job that may be stopped, with the slots from now on that it would release.
struct Victim {
    job: JobId,
    slots: Vec<Slot>,
}

/// The search for a preemption by one job.
struct PreemptionSearch<'a> {
    query: &'a Query<'a>,
    free_now: &'a FreeNow,
    record: &'a JobRecord,
    /// The demands of the job, compiled for the free list.
    eligible: Option<Rc<Eligible>>,
    /// The instant from which this cycle has given a node to another job.
    given_from: BTreeMap<NodeId, Time>,
    /// The free slots from now on that the job can use.
    free: Vec<Slot>,
    /// The jobs that may be stopped, in the order of preference: the lowest priority, then the latest start, then the
    /// lowest id.
    victims: Vec<Victim>,
}

impl<'a> PreemptionSearch<'a> {
    /// Collects free slots and victims. Charges a unit of work for each free node.
    fn of(
        query: &'a Query<'a>,
        free_now: &'a FreeNow,
        note: &CycleNote,
        record: &'a JobRecord,
        meter: &mut CycleMeter<'_>,
    ) -> Self {
        let eligible = query.demand_cache.of(record.demands(), &query.state.book);
        let mut given_from = BTreeMap::new();
        for Placed { window, .. } in note.placed.iter().filter(|placed| placed.job != record.job.id) {
            for node in window.nodes() {
                let from = given_from.entry(node).or_insert(window.start());
                *from = window.start().min(*from);
            }
        }
        let (free, victims) = (Vec::new(), Vec::new());
        let mut attempt = Self { query, free_now, record, eligible, given_from, free, victims };
        let own: BTreeSet<NodeId> = record.nodes().collect();
        let others = free_now.slots.iter().filter(|slot| !own.contains(&slot.node));
        let others = others.filter_map(|slot| attempt.usable(*slot));
        let given_up = own.iter().filter_map(|&node| attempt.slot(node, &[record.job.id]));
        attempt.free = others.chain(given_up).collect();
        meter.spend((free_now.slots.len() + own.len()) as u64);
        attempt.victims = attempt.candidates(note);
        attempt
    }

    /// The jobs that may be stopped for this one, in order of preference.
    fn candidates(&self, note: &CycleNote) -> Vec<Victim> {
        let (state, own) = (self.query.state, &self.record.job);
        let Some(rule) = state.config.preemption else { return Vec::new() };
        let stopped: BTreeSet<JobId> =
            note.placed.iter().flat_map(|placed| placed.victims.iter().copied()).collect();
        let mut victims = Vec::new();
        for (_, running) in state.job_sets.running.range(..own.priority) {
            let eligible = running.iter().take_while(|(since, _)| *since + rule.least_run <= state.now);
            let mut stoppable: Vec<(Time, JobId)> =
                eligible.filter(|(_, job)| !stopped.contains(job)).copied().collect();
            stoppable.sort_by_key(|(since, job)| (Reverse(*since), *job));
            for (_, job) in stoppable {
                let Some(victim) = state.jobs.get(&job) else { continue };
                let held = victim.claims().map(|(_, place, _)| place.node);
                let slots: Vec<Slot> = held.filter_map(|node| self.slot(node, &[job, own.id])).collect();
                if !slots.is_empty() {
                    victims.push(Victim { job, slots });
                }
            }
        }
        victims
    }

    /// The usable slot of a node from now on, disregarding the claims of the jobs in `but`.
    fn slot(&self, node: NodeId, but: &[JobId]) -> Option<Slot> {
        let book = &self.query.state.book;
        let slot = book.slots_of(node, self.query.state.now, book.horizon_end, but).next()?;
        let free = slot.start == self.query.state.now && !self.free_now.overdue.contains(&node);
        self.usable(slot).filter(|_| free)
    }

    /// The part of a slot, which starts now, that the job can use and that this cycle has not given to another job.
    fn usable(&self, slot: Slot) -> Option<Slot> {
        let node = slot.node;
        let until = self.given_from.get(&node).map_or(slot.end, |given_from| slot.end.min(*given_from));
        let slot = Slot::new(slot.into(), slot.start, until).ok()?;
        let features = &self.query.state.book.get(node)?.facts.features;
        let may = !self.record.avoids.contains(&node) && self.record.demands().are_met(features);
        (may && self.serves(&slot)).then_some(slot)
    }

    /// Whether speed, length and price of a slot, which starts now, suffice for a task of the job.
    fn serves(&self, slot: &Slot) -> bool {
        let request = &self.record.job.request;
        let Some(speed) = speed_on(&self.record.speeds, (*slot).into()) else { return false };
        let limit = self.query.search.rules().price_limit(request);
        let measured = self.record.demands().span_on(slot.node);
        speed >= request.min_speed
            && self.query.state.now + measured.unwrap_or(request.work() / speed) <= slot.end
            && limit.is_none_or(|limit| slot.price <= limit)
    }

    /// Finds the first set of victims of minimum size that suffices, with its window; `Ok(None)` if no set suffices or
    /// is needed. Each step of the enumeration is a unit of work.
    ///
    /// # Errors
    /// The end of the cycle, if it stopped the search.
    fn smallest_set(&self, meter: &mut CycleMeter<'_>) -> Result<Option<Placed>, End> {
        let victims = &self.victims;
        let needed = self.record.job.request.nodes().saturating_sub(self.free.len());
        // A job that is promised a later start may be able to start now on free nodes: then no job is stopped for it.
        if needed == 0 && self.window(&[], meter)?.is_some() {
            return Ok(None);
        }
        let mut counts: Vec<usize> = victims.iter().map(|victim| victim.slots.len()).collect();
        counts.sort_unstable_by_key(|count| Reverse(*count));
        // For each m, the maximum number of slots that m victims release.
        let mut most = vec![0];
        most.extend(counts.iter().scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        }));
        for size in (1..=victims.len()).filter(|&size| most[size] >= needed) {
            let mut chosen: Vec<usize> = Vec::new();
            let (mut next, mut left) = (0, 0);
            loop {
                meter.begin()?;
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
                    && let Some(window) = self.window(&chosen, meter)?
                {
                    let mut victims: Vec<JobId> = chosen.iter().map(|&at| victims[at].job).collect();
                    victims.sort_unstable();
                    return Ok(Some(Placed { job: self.record.job.id, window, late: None, victims }));
                }
                let Some(last) = chosen.pop() else { break };
                left -= victims[last].slots.len();
                next = last + 1;
            }
        }
        Ok(None)
    }

    /// Searches for a window that starts now on the free slots and those of the victims at these positions.
    ///
    /// # Errors
    /// The end of the cycle, if it stopped the search.
    fn window(&self, chosen: &[usize], meter: &mut CycleMeter<'_>) -> Result<Option<Window>, End> {
        let left = chosen.iter().flat_map(|&at| &self.victims[at].slots);
        // The victims and the free slots have at most one slot per node.
        let list = self.query.state.book.listed(self.free.iter().chain(left).copied().collect());
        let Ok(list) = list else { return Ok(None) };
        let list = slots_for(&list, &self.record.speeds).unwrap_or(list);
        let search = Optimal::new(Objective::Start).with_rules(self.query.search.rules());
        let (request, now) = (&self.record.job.request, self.query.state.now);
        let query = with_demands(WindowQuery::new(&list, request).with_from(now), self.eligible.as_deref());
        meter.begin()?;
        match meter.solve(&search, &query) {
            Ok((_, Some(end))) => Err(end),
            Ok((window, None)) => Ok(window.filter(|window| window.start() == now)),
            Err(_) => Ok(None),
        }
    }
}
