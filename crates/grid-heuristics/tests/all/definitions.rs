//! Literal implementations of the published pseudo code: all tasks or jobs are examined again after each decision.

use econsched::grid_heuristics::{MappingKind, Reservation, TradeOffMetric, TradeOffProblem};
use econsched::sched_model::{EtcMatrix, JobId, ModelError, Time};
use std::collections::BTreeMap;

/// Task and resource of each decision, in order, by the definition of a registered heuristic; `None` if the
/// definition is not written here. Ties go to the lowest task, then to the lowest resource. Within a pass of
/// `sufferage-passes` the definition states no order. Time: O(n^2 m) for n tasks on m resources.
pub(crate) fn mapping(kind: MappingKind, etc: &EtcMatrix) -> Option<Vec<(usize, usize)>> {
    let from = Loads { etc, ready: etc.ready().map(Time::get).collect() };
    Some(match kind {
        MappingKind::Olb => from.one_by_one(|loads, _| least(loads.ready.iter().copied())),
        MappingKind::Met => from.one_by_one(|loads, task| least(loads.etc[task].iter().copied())),
        MappingKind::Mct => from.one_by_one(Loads::earliest),
        MappingKind::Kpb => from.one_by_one(|loads, task| {
            let (row, count) = (&loads.etc[task], loads.ready.len());
            let mut fastest: Vec<usize> = (0..count).collect();
            fastest.sort_by(|&a, &b| row[a].total_cmp(&row[b]));
            fastest.truncate((count * 20 / 100).max(1));
            fastest.sort_unstable();
            fastest[least(fastest.iter().map(|&resource| loads.ready[resource] + row[resource]))]
        }),
        MappingKind::Switching => {
            let mut balanced = false;
            from.one_by_one(|loads, task| {
                let ready = || loads.ready.iter().copied();
                let (first, last) = (ready().fold(f64::INFINITY, f64::min), ready().fold(0.0, f64::max));
                let ratio = if last > 0.0 { first / last } else { 0.0 };
                balanced = ratio >= 0.9 || balanced && ratio > 0.6;
                if balanced { least(loads.etc[task].iter().copied()) } else { loads.earliest(task) }
            })
        }
        MappingKind::Fpltf => {
            let size = |task: &usize| etc[*task].iter().sum::<f64>();
            let mut falling: Vec<usize> = (0..etc.rows()).collect();
            falling.sort_by(|a, b| size(b).total_cmp(&size(a)));
            from.in_turn(falling, Loads::earliest)
        }
        MappingKind::MinMin => from.by_rank(|loads, task| loads.two_least(task).0),
        MappingKind::MaxMin => from.by_rank(|loads, task| -loads.two_least(task).0),
        MappingKind::Sufferage => from.by_rank(|loads, task| -loads.sufferage(task)),
        MappingKind::Duplex => {
            let [short, long] = [MappingKind::MinMin, MappingKind::MaxMin].map(|kind| mapping(kind, etc));
            let (short, long) = (short?, long?);
            if from.makespan(&long) < from.makespan(&short) { long } else { short }
        }
        MappingKind::SufferagePasses => from.passes(),
        _ => return None,
    })
}

/// The position of the minimum value; among equal ones the first.
fn least(values: impl Iterator<Item = f64>) -> usize {
    values.enumerate().reduce(|best, next| if next.1 < best.1 { next } else { best }).map_or(0, |best| best.0)
}

/// When each resource is ready, while tasks are mapped.
#[derive(Clone)]
struct Loads<'a> {
    etc: &'a EtcMatrix,
    ready: Vec<f64>,
}

impl Loads<'_> {
    fn ends(&self, task: usize) -> impl Iterator<Item = f64> + '_ {
        self.etc[task].iter().zip(&self.ready).map(|(time, ready)| ready + time)
    }

    fn earliest(&self, task: usize) -> usize {
        least(self.ends(task))
    }

    fn two_least(&self, task: usize) -> (f64, f64) {
        self.ends(task).fold((f64::INFINITY, f64::INFINITY), |(first, second), end| {
            if end < first { (end, first) } else { (first, second.min(end)) }
        })
    }

    fn sufferage(&self, task: usize) -> f64 {
        let (first, second) = self.two_least(task);
        if second.is_infinite() { 0.0 } else { second - first }
    }

    fn take(&mut self, task: usize, resource: usize) -> (usize, usize) {
        self.ready[resource] += self.etc[task][resource];
        (task, resource)
    }

    fn one_by_one(self, to: impl FnMut(&Self, usize) -> usize) -> Vec<(usize, usize)> {
        let tasks = (0..self.etc.rows()).collect();
        self.in_turn(tasks, to)
    }

    fn in_turn(
        mut self,
        tasks: Vec<usize>,
        mut to: impl FnMut(&Self, usize) -> usize,
    ) -> Vec<(usize, usize)> {
        let place = |task| {
            let resource = to(&self, task);
            self.take(task, resource)
        };
        tasks.into_iter().map(place).collect()
    }

    /// Maps the task of minimum rank among those left to its earliest resource, again and again.
    fn by_rank(mut self, rank: impl Fn(&Self, usize) -> f64) -> Vec<(usize, usize)> {
        let mut left: Vec<usize> = (0..self.etc.rows()).collect();
        let mut steps = Vec::new();
        while !left.is_empty() {
            let task = left.remove(least(left.iter().map(|&task| rank(&self, task))));
            let resource = self.earliest(task);
            steps.push(self.take(task, resource));
        }
        steps
    }

    /// In a pass, each resource takes the task of maximum sufferage among those that want it.
    fn passes(mut self) -> Vec<(usize, usize)> {
        let mut left: Vec<usize> = (0..self.etc.rows()).collect();
        let mut steps = Vec::new();
        while !left.is_empty() {
            let mut holder: Vec<Option<usize>> = vec![None; self.ready.len()];
            for &task in &left {
                let held = &mut holder[self.earliest(task)];
                if held.is_none_or(|other| self.sufferage(other) < self.sufferage(task)) {
                    *held = Some(task);
                }
            }
            left.retain(|task| !holder.contains(&Some(*task)));
            let taken = (0..).zip(holder).filter_map(|(resource, task)| Some((task?, resource)));
            steps.extend(taken.map(|(task, resource)| self.take(task, resource)));
        }
        steps
    }

    fn makespan(&self, steps: &[(usize, usize)]) -> f64 {
        let mut loads = self.clone();
        for &(task, resource) in steps {
            loads.take(task, resource);
        }
        loads.ready.into_iter().fold(f64::NEG_INFINITY, f64::max)
    }
}

/// The places of all jobs by trade-off, decision by decision: each time the job of minimum metric among those left
/// (MinCTT), or of the maximum (MaxCTT). Ties go to the first job, then to the lowest cluster. Jobs without a
/// place are left out. O(n^2 m) earliest fits for n jobs on m clusters.
pub(crate) fn trade_off(
    greatest: bool,
    metric: &TradeOffMetric,
    problem: &TradeOffProblem<'_>,
) -> Result<BTreeMap<JobId, Reservation>, ModelError> {
    let mut filled = problem.clusters.to_vec();
    let mut taken = BTreeMap::new();
    loop {
        let mut chosen: Option<(JobId, Reservation, f64)> = None;
        let mut now = TradeOffProblem::new(problem.jobs, &filled);
        now.times = problem.times;
        for (at, job) in problem.jobs.iter().enumerate().filter(|(_, job)| !taken.contains_key(&job.id)) {
            let Some((place, phi)) = metric.best(&now, at) else { continue };
            let value = if greatest { -phi } else { phi };
            if chosen.is_none_or(|(_, _, least)| value < least) {
                chosen = Some((job.id, place, value));
            }
        }
        let Some((job, place, _)) = chosen else { return Ok(taken) };
        if place.end > place.start {
            filled[place.resource].free.reserve(place.start, place.end, place.cpus)?;
        }
        taken.insert(job, place);
    }
}
