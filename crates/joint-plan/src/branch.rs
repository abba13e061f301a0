//! A better bound by branch and bound on the starts of jobs (A. Land, A. Doig: *An automatic method of solving
//! discrete programming problems*, 1960).
//!
//! Near the best prices, the best window of a job often alternates between several starts: the bound places fractions
//! of the job at each of them. A leaf of the tree restricts the starts of jobs. A leaf is split by a job and an
//! instant: in one child the window of the job starts before the instant, in the other at the instant or later. Each
//! child has an ascent from the prices of its parent. Every plan that places all jobs that have windows belongs to some
//! leaf, so the minimum bound of all leaves holds for all such plans.

use crate::ascent::{Ascent, AscentSettings};
use crate::dive::dive;
use crate::duals::Duals;
use crate::instance::{ByJob, Instance, Stopped, of_job};
use crate::plan::GOOD_ENOUGH;
use crate::pool::{Incumbent, Pool};
use crate::run::{Depth, Run};
use sched_model::{Job, JobId, Meter, Time};
use std::sync::Arc;

/// The maximum number of steps of the ascent at a leaf.
const STEPS: usize = 16;
/// The [patience](AscentSettings::patience) of the ascent at a leaf.
const PATIENCE: usize = 5;
/// The weight of a start relative to a start of the next step. It only decides where leaves are split.
const DECAY: f64 = 0.8;
/// The work of the tree of starts: its minimum; its share of the work before it while no part of the gap is closed; and
/// the addition to this share if the whole gap is closed.
const MIN_BRANCHES: f64 = 100_000.0;
const FIRST_BRANCHES: f64 = 0.25;
const ALL_BRANCHES: f64 = 2.0;

/// A leaf of the tree: the plans that keep its restrictions of starts.
#[derive(Debug, Clone)]
struct Leaf {
    /// The jobs; their submit times are the earliest starts.
    jobs: Vec<Job>,
    /// For some jobs, an instant before which their windows must start.
    before: ByJob<Time>,
    duals: Duals,
    bound: f64,
    /// For each job, the starts of its best windows in the steps of the ascent, with weights.
    starts: Vec<Vec<(Time, f64)>>,
}

impl Run<'_> {
    /// Branches on starts while that pays off: the larger the part of the gap that is closed, the more work is allowed.
    pub(crate) fn branch(&mut self, meter: &mut Meter) -> Result<(), Stopped> {
        let Some(first) = self.bound().filter(|_| self.depth == Depth::Full && self.left_out() == 0) else {
            return Ok(());
        };
        let (before, mut tree) = (meter.work(), Tree::new(&self.instance, &self.ascent));
        while !self.is_enough() {
            let closed = self.bound().map_or(0.0, |bound| bound - first);
            let share = FIRST_BRANCHES + ALL_BRANCHES * closed / (self.incumbent.objective - first);
            let share = (share * (before - self.work_before) as f64).max(MIN_BRANCHES);
            let Self { instance, pool, incumbent, .. } = &mut *self;
            if (meter.work() - before) as f64 >= share || !tree.branch(instance, pool, incumbent, meter)? {
                break;
            }
            let bound = tree.bound().min(self.incumbent.objective);
            self.bound_of_all_placed = Some(self.bound_of_all_placed.map_or(bound, |known| known.max(bound)));
            self.report(meter);
        }
        Ok(())
    }
}

/// The leaves of a tree, which cover all plans that place every job that has windows.
#[derive(Debug)]
struct Tree {
    leaves: Vec<Leaf>,
    /// The tax of the next dive.
    tax: f64,
}

impl Tree {
    /// Creates the tree of one leaf without restrictions, at the best dual values of an ascent.
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

    /// Splits the leaf of the minimum bound. Returns `false` if that leaf cannot be split. If a limit ends the call,
    /// the tree stays as it is.
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
            // Before the first ascent no starts are known: the leaf gets an ascent without a split.
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

    /// Runs an ascent and a dive in a leaf, and returns the leaf with its new bound. A job with windows has one in
    /// every leaf, because a leaf is split at the start of a window, and another window of the job starts before.
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
        // Once the bound of this leaf is close enough to the incumbent, raising it further proves nothing: other leaves
        // decide.
        let enough = objective - GOOD_ENOUGH * objective.abs();
        let settings = AscentSettings { steps: STEPS, patience: PATIENCE, left_out: 0, incumbent: objective };
        let mut starts = vec![Vec::new(); leaf.jobs.len()];
        ascent.climb(&part, &mut own, settings, meter, &mut |ascent, _, bound, _| {
            for (starts, window) in starts.iter_mut().zip(&ascent.picks) {
                starts.iter_mut().for_each(|start: &mut (Time, f64)| start.1 *= DECAY);
                if let Some(window) = window {
                    match starts.binary_search_by_key(&window.start(), |start| start.0) {
                        Ok(at) => starts[at].1 += 1.0,
                        Err(at) => starts.insert(at, (window.start(), 1.0)),
                    }
                }
            }
            Ok((bound < enough).then_some(objective))
        })?;
        dive(&part, &mut own, incumbent, &ascent.duals, &mut self.tax, meter)?;
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
    /// Restricts the windows of a job to starts before an instant.
    fn starts_before(&mut self, job: JobId, instant: Time) {
        match self.before.binary_search_by_key(&job, |before| before.0) {
            Ok(at) => self.before[at].1 = instant,
            Err(at) => self.before.insert(at, (job, instant)),
        }
    }

    /// Finds the job whose starts have the largest mean deviation, and the first of its starts, except the earliest, at
    /// or after their mean; `None` if each job has at most one start.
    fn widest(&self) -> Option<(usize, Time)> {
        let mut widest: Option<(f64, usize, Time)> = None;
        for (job, starts) in self.starts.iter().enumerate() {
            let weighted = |of: &dyn Fn(f64) -> f64| -> f64 {
                let sum: f64 = starts.iter().map(|(start, weight)| of(start.get()) * weight).sum();
                sum / starts.iter().map(|start| start.1).sum::<f64>()
            };
            let mean = weighted(&|start| start);
            let spread = weighted(&|start| (start - mean).abs());
            // The earliest start is excluded, because a child that starts before it could be empty.
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
