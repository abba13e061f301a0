//! Phase 3, where it is wanted: running jobs are stopped for jobs of higher priority that could not start otherwise.
//!
//! Only windows that begin now count, so a node is one slot from now on to its next claim. A set of victims will do if there
//! is a window over the slots that are free and those of the victims. Sets are tried by rising size, so no smaller one does.

use super::find::Budget;
use super::{Answer, CycleNote, Displacement, Query};
use crate::book::Entry;
use crate::config::Preemption;
use crate::jobs::{JobRecord, Phase};
use crate::speeds::seen_by;
use sched_model::{End, JobId, NodeId, Slot, SlotList, Time, Window};
use slot_window::{Objective, Optimal, SearchScratch, WindowQuery, WindowSearch};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Adds to the note whom to stop for whom, as far as the budget reaches.
pub(super) fn displace(query: &Query<'_>, note: &mut CycleNote, budget: &mut Budget<'_>) {
    let Some(rule) = query.config.preemption else { return };
    let mut stopped: BTreeSet<JobId> = BTreeSet::new();
    for job in latecomers(query, note, rule) {
        let Some(record) = query.state.jobs.get(&job) else { continue };
        let stage = Stage::of(query, note, record);
        let victims = candidates(query, rule, record, &stage, &stopped);
        match stage.smallest_set(&victims, budget) {
            Ok(Some((window, victims))) => {
                stopped.extend(victims.iter().copied());
                note.placed.retain(|answer| answer.job != job);
                note.looked.retain(|looked| *looked != job);
                note.preempted.push(Displacement { job, window, victims });
            }
            Ok(None) => {}
            Err(end) => {
                note.end = end;
                break;
            }
        }
    }
    note.work = budget.spent;
}

/// Jobs that have not started and would not start in time, the most urgent first.
fn latecomers(query: &Query<'_>, note: &CycleNote, rule: Preemption) -> Vec<JobId> {
    let placed: BTreeMap<JobId, Time> =
        note.placed.iter().map(|answer| (answer.job, answer.window.start())).collect();
    let refused: BTreeSet<JobId> = note.refused.iter().map(|(job, _)| *job).collect();
    let latest = query.now + rule.delay;
    let open = query.state.waiting.iter().chain(&query.state.promised);
    let mut late: Vec<&JobRecord> = open
        .filter_map(|job| query.state.jobs.get(job))
        .filter(|record| {
            let id = record.job.id;
            let start = placed.get(&id).copied().or(record.window().map(Window::start));
            let may_start = record.job.submit <= query.now && record.victims.is_empty();
            may_start && !refused.contains(&id) && start.is_none_or(|start| start > latest)
        })
        .collect();
    late.sort_by_key(|record| (Reverse(record.job.priority), record.asked, record.job.id));
    late.into_iter().map(|record| record.job.id).collect()
}

/// A job that may be stopped, with the slots from now on that it would leave.
struct Victim {
    job: JobId,
    slots: Vec<Slot>,
}

/// In the order in which they are stopped: the least priority, the latest start, the least id first.
fn candidates(
    query: &Query<'_>,
    rule: Preemption,
    record: &JobRecord,
    stage: &Stage<'_>,
    stopped: &BTreeSet<JobId>,
) -> Vec<Victim> {
    let mut running = Vec::new();
    for (&job, other) in &query.state.jobs {
        let Phase::Started { window, tasks, since: Some(since) } = &other.phase else { continue };
        let lower = other.job.priority < record.job.priority && other.stopping.is_none();
        if !lower || stopped.contains(&job) || *since + rule.least_run > query.now {
            continue;
        }
        let held = window.nodes().zip(tasks).filter(|(_, task)| task.released.is_none());
        let but = [job, record.job.id];
        let slots: Vec<Slot> = held.filter_map(|(node, _)| stage.slot(node, &but)).collect();
        if !slots.is_empty() {
            running.push((other.job.priority, Reverse(*since), Victim { job, slots }));
        }
    }
    running.sort_by_key(|(priority, since, victim)| (*priority, *since, victim.job));
    running.into_iter().map(|(_, _, victim)| victim).collect()
}

/// What one job could use now.
struct Stage<'a> {
    query: &'a Query<'a>,
    record: &'a JobRecord,
    /// From when on this cycle has given nodes to others.
    given: BTreeMap<NodeId, Time>,
    /// Nodes of promises that are late.
    overdue: BTreeSet<NodeId>,
    /// What is free from now on.
    free: Vec<Slot>,
}

impl<'a> Stage<'a> {
    fn of(query: &'a Query<'a>, note: &CycleNote, record: &'a JobRecord) -> Self {
        let mut given: BTreeMap<NodeId, Time> = BTreeMap::new();
        let placed = note.placed.iter().map(|Answer { job, window }| (job, window));
        let preempted = note.preempted.iter().map(|one| (&one.job, &one.window));
        for (_, window) in placed.chain(preempted).filter(|(job, _)| **job != record.job.id) {
            for node in window.nodes() {
                let from = given.entry(node).or_insert(window.start());
                *from = (*from).min(window.start());
            }
        }
        let overdue = query.state.overdue(query.now, query.config).into_iter().map(|(node, _)| node);
        let mut stage = Self { query, record, given, overdue: overdue.collect(), free: Vec::new() };
        let own = [record.job.id];
        stage.free = query.book.nodes.keys().filter_map(|&node| stage.slot(node, &own)).collect();
        stage
    }

    /// What is free of a node from now on, without the claims of some jobs.
    fn slot(&self, node: NodeId, but: &[JobId]) -> Option<Slot> {
        if self.record.avoids.contains(&node) || self.overdue.contains(&node) {
            return None;
        }
        let entry: &Entry = self.query.book.get(node)?;
        let (now, end) = (self.query.now, self.query.book.horizon_end);
        let (from, until) = entry.free(now, end, but).into_iter().next().filter(|(from, _)| *from == now)?;
        let until = self.given.get(&node).map_or(until, |given| until.min(*given));
        Slot::new(entry.facts.node, from, until).ok().filter(|slot| self.serves(slot))
    }

    /// Whether a task of the job could run in a slot that begins now, as far as speed, length and price tell.
    fn serves(&self, slot: &Slot) -> bool {
        let request = &self.record.job.request;
        let speed = match &*self.record.speeds {
            [] => slot.speed(),
            ranges => match ranges.iter().find(|range| (range.first..=range.last).contains(&slot.node())) {
                Some(range) => range.speed,
                None => return false,
            },
        };
        let limit = if self.query.search.rules().slot_price { request.price_limit() } else { None };
        speed >= request.min_speed()
            && self.query.now + request.span_on(speed) <= slot.end()
            && limit.is_none_or(|limit| slot.price() <= limit)
    }

    /// The smallest set of victims that will do, the first of its size, with the window that it gives; `Ok(None)` if none
    /// will. Each step of the enumeration is a unit of work.
    ///
    /// # Errors
    /// Why the search was stopped.
    fn smallest_set(
        &self,
        victims: &[Victim],
        budget: &mut Budget<'_>,
    ) -> Result<Option<(Window, Vec<JobId>)>, End> {
        let needed = self.record.job.request.nodes().saturating_sub(self.free.len());
        // A job may be promised a later start although it could begin now: nobody is stopped for that.
        if needed == 0 && self.window(std::iter::empty(), budget).is_some() {
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
                budget.spent = budget.spent.saturating_add(1);
                if let Some(end) = budget.end() {
                    return Err(end);
                }
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
                    && let Some(window) = self.window(chosen.iter().map(|&at| &victims[at]), budget)
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
    fn window<'v>(
        &self,
        victims: impl Iterator<Item = &'v Victim>,
        budget: &mut Budget<'_>,
    ) -> Option<Window> {
        let rules = self.query.search.rules();
        let mut request = self.record.job.request;
        if let Some(budget) = rules.budget(&request) {
            request = request.with_budget(budget);
        }
        let slots = self.free.iter().chain(victims.flat_map(|victim| &victim.slots)).copied().collect();
        // Each node gives one slot at most.
        let list = SlotList::new(slots).ok()?.with_tariff(*self.query.book.tariff());
        let list = seen_by(&list, &self.record.speeds).unwrap_or(list);
        let search = Optimal::new(Objective::Start).with_holding(rules.holding);
        let query = WindowQuery::new(&list, &request, self.query.now);
        let outcome =
            search.find_within(&query, &mut budget.left().meter(), &mut SearchScratch::new()).ok()?;
        budget.spent = budget.spent.saturating_add(outcome.work.max(1));
        outcome.incumbent.filter(|window| window.start() == self.query.now)
    }
}
