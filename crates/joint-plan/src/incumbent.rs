//! The best plan so far.

use crate::instance::Instance;
use crate::watch::{JointProgress, Stage};
use sched_model::{Window, exact_sum};

/// A window for each job, or none.
#[derive(Debug, Clone)]
pub(crate) struct Incumbent {
    windows: Vec<Option<Window>>,
    left_out: usize,
    objective: f64,
}

impl Incumbent {
    /// No job is placed.
    pub(crate) fn empty(jobs: usize) -> Self {
        Self { windows: vec![None; jobs], left_out: jobs, objective: 0.0 }
    }

    /// Takes a plan if it keeps the limits and places more jobs, or as many at a lesser objective. Returns
    /// whether it did.
    pub(crate) fn offer(
        &mut self,
        instance: &Instance<'_>,
        windows: impl IntoIterator<Item = Option<Window>>,
    ) -> bool {
        let windows: Vec<Option<Window>> = windows.into_iter().collect();
        let placed = || windows.iter().flatten();
        if !instance.keeps_to_limits(&windows) {
            return false;
        }
        let left_out = windows.len() - placed().count();
        let objective = exact_sum(placed().map(|window| instance.terms.objective(window, instance.from)));
        let better = left_out < self.left_out || left_out == self.left_out && objective < self.objective;
        if better {
            *self = Self { windows, left_out, objective };
        }
        better
    }

    pub(crate) fn windows(&self) -> &[Option<Window>] {
        &self.windows
    }

    /// The report of it for an observer.
    pub(crate) fn progress(
        &self,
        stage: Stage,
        work: u64,
        bound: Option<f64>,
        better: bool,
    ) -> JointProgress {
        let (placed, objective) = (self.windows.len() - self.left_out, self.objective);
        JointProgress { stage, work, placed, objective, bound, freed: 0, better }
    }

    pub(crate) fn left_out(&self) -> usize {
        self.left_out
    }

    pub(crate) fn objective(&self) -> f64 {
        self.objective
    }
}
