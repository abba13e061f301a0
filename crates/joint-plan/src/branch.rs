//! A better bound by branch and bound on the starts of jobs (A. Land, A. Doig: *An automatic method of solving
//! discrete programming problems*, 1960).
//!
//! At the best prices, the best windows of a job often alternate between several starts: the bound places the job
//! partly at each of them. A leaf of the tree restricts the starts of jobs. It is split at an instant: in one
//! child the window of a job starts before the instant, in the other at it or later. Each child has an ascent from
//! the prices of its parent. Every plan that places all jobs that have windows belongs to some leaf, so the smallest
//! bound of all leaves holds for all such plans.

use crate::ascent::{Aim, Ascent};
use crate::dive::dive;
use crate::duals::Duals;
use crate::instance::{ByJob, Instance, Stopped, of_job};
use crate::plan::GOOD_ENOUGH;
use crate::pool::{Incumbent, Pool};
use crate::run::{Depth, Run};
use sched_model::{Job, JobId, Meter, Time};
use std::sync::Arc;

/// Steps of the prices at a leaf.
const STEPS: usize = 16;
/// Number of steps without a better bound after which these become shorter.
const PATIENCE: usize = 5;
/// Weight of a start relative to a start of the next step.
const MEMORY: f64 = 0.8;
/// Work of the tree of starts: at least this, and as a share of the work before it: at first, and if all of the
/// gap is closed.
const LEAST_BRANCHES: f64 = 100_000.0;
const FIRST_BRANCHES: f64 = 0.25;
const ALL_BRANCHES: f64 = 2.0;

/// Plans whose starts are restricted.
#[derive(Debug, Clone)]
struct Leaf {
    /// The jobs, whose submit times are the earliest starts of these plans.
    jobs: Vec<Job>,
    /// For some jobs an instant before which their windows start.
    before: ByJob<Time>,
    duals: Duals,
    bound: f64,
    /// For each job, the starts of its best windows at the last prices, with weights.
    starts: Vec<Vec<(Time, f64)>>,
}

impl Run<'_> {
    /// Branches on starts while that pays off: the more of the gap is closed, the more work is allowed.
    pub(crate) fn branch(&mut self, meter: &mut Meter) -> Result<(), Stopped> {
        let Some(first) = self.bound().filter(|_| self.depth == Depth::Full && self.left_out() == 0) else {
            return Ok(());
        };
        let (before, mut tree) = (meter.work(), Tree::new(&self.instance, &self.ascent));
        while !self.is_enough() {
            let closed = self.bound().map_or(0.0, |bound| bound - first);
            let share = FIRST_BRANCHES + ALL_BRANCHES * closed / (self.incumbent.objective - first);
            let share = (share * (before - self.begun) as f64).max(LEAST_BRANCHES);
            let Self { instance, pool, incumbent, .. } = &mut *self;
            if (meter.work() - before) as f64 >= share || !tree.branch(instance, pool, incumbent, meter)? {
                break;
            }
            let bound = tree.bound().min(self.incumbent.objective);
            self.whole = Some(self.whole.map_or(bound, |known| known.max(bound)));
            self.tell(meter);
        }
        Ok(())
    }
}

/// Leaves that cover all plans, except those that do not place every job that has windows.
#[derive(Debug)]
struct Tree {
    leaves: Vec<Leaf>,
    /// The tax of the next dive.
    tax: f64,
}

impl Tree {
    /// All plans in one leaf, at the best prices of an ascent.
    fn new(instance: &Instance<'_>, ascent: &Ascent) -> Self {
        let all = Leaf {
            jobs: instance.jobs.iter().map(|job| (*job).clone()).collect(),
            before: Vec::new(),
            duals: ascent.duals.clone(),
            bound: ascent.bound(0).unwrap_or(f64::NEG_INFINITY),
            starts: Vec::new(),
        };
        Self { leaves: vec![all], tax: 1.0 }
    }

    /// The minimum bound of all leaves.
    fn bound(&self) -> f64 {
        self.leaves.iter().map(|leaf| leaf.bound).fold(f64::INFINITY, f64::min)
    }

    /// Splits the leaf of the minimum bound; returns whether another one can be split. If a limit ends the call, the
    /// tree stays as it is.
    ///
    /// # Errors
    /// [`Stopped`] if the limit ends it.
    fn branch(
        &mut self,
        instance: &Instance<'_>,
        pool: &mut Pool,
        incumbent: &mut Incumbent,
        meter: &mut Meter,
    ) -> Result<bool, Stopped> {
        let numbers = 0..self.leaves.len();
        let Some(at) = numbers.min_by(|&a, &b| self.leaves[a].bound.total_cmp(&self.leaves[b].bound)) else {
            return Ok(false);
        };
        let leaf = self.leaves[at].clone();
        let parts = match leaf.widest() {
            Some((job, instant)) => {
                let (mut early, mut late) = (leaf.clone(), leaf);
                early.starts_before(early.jobs[job].id, instant);
                late.jobs[job].submit = instant;
                vec![early, late]
            }
            // The starts are not known before the first ascent.
            None if leaf.starts.is_empty() => vec![leaf],
            None => return Ok(false),
        };
        let mut children = Vec::with_capacity(parts.len());
        for part in parts {
            children.push(self.climb(part, instance, pool, incumbent, meter)?);
        }
        self.leaves.swap_remove(at);
        self.leaves.extend(children);
        Ok(true)
    }

    /// The leaf after an ascent and a dive. Jobs with windows have one in every leaf, because a leaf is split at
    /// the start of a window, and another window starts before it.
    fn climb(
        &mut self,
        leaf: Leaf,
        instance: &Instance<'_>,
        pool: &mut Pool,
        incumbent: &mut Incumbent,
        meter: &mut Meter,
    ) -> Result<Leaf, Stopped> {
        let before = Arc::new(leaf.before.clone());
        let part = Instance { jobs: leaf.jobs.iter().collect(), before, ..instance.clone() };
        let mut own = Pool::new(leaf.jobs.len());
        for (number, job) in leaf.jobs.iter().enumerate() {
            let until = of_job(&leaf.before, job.id);
            let passes = |start: Time| job.submit <= start && until.is_none_or(|&until| start < until);
            for window in pool.of(number).iter().filter(|window| passes(window.start())) {
                own.add(number, window);
            }
        }
        let mut ascent = Ascent::from_duals(leaf.duals.clone());
        let objective = incumbent.objective;
        // Where others have lower bounds, raising this one further proves nothing.
        let enough = objective - GOOD_ENOUGH * objective.abs();
        let aim = Aim { steps: STEPS, patience: PATIENCE, left_out: 0, incumbent: objective };
        let mut starts = vec![Vec::new(); leaf.jobs.len()];
        ascent.climb(&part, &mut own, aim, meter, |ascent, _, bound, _| {
            for (starts, window) in starts.iter_mut().zip(&ascent.picks) {
                starts.iter_mut().for_each(|start: &mut (Time, f64)| start.1 *= MEMORY);
                if let Some(window) = window {
                    match starts.binary_search_by_key(&window.start(), |start| start.0) {
                        Ok(at) => starts[at].1 += 1.0,
                        Err(at) => starts.insert(at, (window.start(), 1.0)),
                    }
                }
            }
            Ok((bound < enough).then_some(objective))
        })?;
        dive(&part, &mut own, incumbent, (&ascent.duals, &mut self.tax), meter)?;
        for job in 0..own.jobs() {
            for window in own.of(job) {
                pool.add(job, window);
            }
        }
        let bound = ascent.bound(0).unwrap_or(leaf.bound);
        Ok(Leaf { duals: ascent.duals, bound, starts, ..leaf })
    }
}

impl Leaf {
    /// Lets the windows of a job start before an instant.
    fn starts_before(&mut self, job: JobId, instant: Time) {
        match self.before.binary_search_by_key(&job, |before| before.0) {
            Ok(at) => self.before[at].1 = instant,
            Err(at) => self.before.insert(at, (job, instant)),
        }
    }

    /// The job whose starts differ most, and the first of its starts at or after their mean; `None` if each job
    /// has one start.
    fn widest(&self) -> Option<(usize, Time)> {
        let mut widest: Option<(f64, usize, Time)> = None;
        for (job, starts) in self.starts.iter().enumerate() {
            let weighted = |of: &dyn Fn(f64) -> f64| -> f64 {
                let sum: f64 = starts.iter().map(|(start, weight)| of(start.get()) * weight).sum();
                sum / starts.iter().map(|start| start.1).sum::<f64>()
            };
            let mean = weighted(&|start| start);
            let spread = weighted(&|start| (start - mean).abs());
            // The first start is excluded, because no window of this leaf starts before it.
            let after = starts.iter().map(|start| start.0).skip(1).find(|start| start.get() >= mean);
            if let Some(after) = after
                && widest.is_none_or(|widest| spread > widest.0)
            {
                widest = Some((spread, job, after));
            }
        }
        widest.map(|(_, job, instant)| (job, instant))
    }
}
