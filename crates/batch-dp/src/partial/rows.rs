//! A batch in which leaving a job out is one more alternative, for each job that may be left out.

use crate::alternatives::View;
use crate::kernel::reduction::Reduced;
use crate::list::{NONE, Step};
use crate::{Alternatives, ChoiceProblem, Coverage};
use sched_model::internal::order;

/// What holds for a job in every choice of the maximum service.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Restrictions {
    /// The maximum weight of an alternative that the job can have.
    pub(super) heaviest: f64,
    /// Whether the job is served.
    pub(super) is_served: bool,
}

impl Restrictions {
    /// Nothing is known.
    pub(crate) const NONE: Self = Self { heaviest: f64::INFINITY, is_served: false };
}

/// The entries of each job: its alternatives, then one for leaving it out if that is allowed.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub(super) offsets: Vec<usize>,
    /// The objective; for leaving out, the penalty.
    pub(super) objective: Vec<f64>,
    pub(super) weight: Vec<f64>,
    /// The service that leaving out loses; 0 for alternatives.
    pub(crate) lost: Vec<f64>,
    /// The origin of each entry: the index of its alternative among those of all jobs, or another number that
    /// identifies it; [`NONE`] for leaving out. Ascending in each row.
    pub(super) origin: Vec<u32>,
    /// For each job whether every choice of the maximum service serves it.
    pub(super) is_served: Vec<bool>,
    /// Whether this is a subproblem: a choice of these entries does not answer the whole problem.
    pub(super) is_subproblem: bool,
    pub(super) sign: f64,
    pub(super) limit: f64,
}

impl Rows {
    /// Rows without jobs, for a subproblem.
    pub(super) fn empty(sign: f64, limit: f64) -> Self {
        Self { offsets: vec![0], is_subproblem: true, sign, limit, ..Self::default() }
    }

    /// Fills the rows with the entries of each job, except alternatives that `restrictions` excludes, and no entry for
    /// leaving out a job that the coverage requires. Keeps the buffers.
    pub(crate) fn fill(&mut self, problem: &ChoiceProblem<'_>, restrictions: impl Fn(usize) -> Restrictions) {
        let (batch, View { objective, weight, sign, limit, .. }) = (problem.alternatives, problem.numbers());
        (self.sign, self.limit, self.is_subproblem) = (sign, limit, false);
        for numbers in [&mut self.objective, &mut self.weight, &mut self.lost] {
            numbers.clear();
        }
        self.origin.clear();
        self.is_served.clear();
        self.offsets.clear();
        self.offsets.push(0);
        for (job, row) in batch.offsets.windows(2).enumerate() {
            let Restrictions { heaviest, is_served } = restrictions(job);
            let first = self.objective.len();
            if heaviest == f64::INFINITY {
                self.objective.extend_from_slice(&objective[row[0]..row[1]]);
                self.weight.extend_from_slice(&weight[row[0]..row[1]]);
                self.lost.resize(self.objective.len(), 0.0);
                self.origin.extend(row[0] as u32..row[1] as u32);
            } else {
                for at in (row[0]..row[1]).filter(|&at| weight[at] <= heaviest) {
                    self.push(objective[at], weight[at], 0.0, at as u32);
                }
            }
            self.is_served.push(is_served && self.objective.len() > first);
            let left = problem.coverage.left_out(job);
            match problem.coverage {
                _ if problem.coverage.forbids(job) => {}
                Coverage::Penalties(_) => self.push(sign * left + 0.0, 0.0, 0.0, NONE),
                _ => self.push(0.0, 0.0, left, NONE),
            }
            self.offsets.push(self.objective.len());
        }
    }

    /// Whether every job has an entry.
    pub(crate) fn can_be_chosen(&self) -> bool {
        self.offsets.windows(2).all(|row| row[0] < row[1])
    }

    pub(super) fn push(&mut self, objective: f64, weight: f64, lost: f64, origin: u32) {
        self.objective.push(objective);
        self.weight.push(weight);
        self.lost.push(lost);
        self.origin.push(origin);
    }

    pub(crate) fn view(&self) -> View<'_> {
        View {
            offsets: &self.offsets,
            objective: &self.objective,
            sign: self.sign,
            weight: &self.weight,
            limit: self.limit,
            is_subproblem: self.is_subproblem,
        }
    }

    /// The cost of each entry; 0 if the entry leaves its job out.
    pub(crate) fn costs(&self, batch: &Alternatives) -> Vec<f64> {
        let cost = |&origin: &u32| if origin == NONE { 0.0 } else { batch.cost[origin as usize] };
        self.origin.iter().map(cost).collect()
    }

    /// Converts entries to positions of alternatives in their jobs.
    pub(crate) fn positions(&self, batch: &Alternatives, picks: &[u32]) -> Vec<Option<usize>> {
        let of = |(&pick, &first): (&u32, &usize)| {
            let origin = self.origin[pick as usize];
            (origin != NONE).then(|| origin as usize - first)
        };
        picks.iter().zip(&batch.offsets).map(of).collect()
    }

    /// Converts positions of alternatives in their jobs to entries; `None` if the rows lack one of them.
    pub(crate) fn entries(&self, batch: &Alternatives, start: &[Option<usize>]) -> Option<Vec<u32>> {
        let jobs = batch.offsets.iter().zip(start);
        self.with_origins(jobs.map(|(first, start)| start.map_or(NONE, |at| (first + at) as u32)))
    }

    /// Finds the entry of each job with the given origin; `None` if the rows lack one of them.
    fn with_origins(&self, origins: impl Iterator<Item = u32>) -> Option<Vec<u32>> {
        let entry = |(row, origin): (&[usize], u32)| {
            let at = self.origin[row[0]..row[1]].binary_search(&origin).ok()?;
            Some((row[0] + at) as u32)
        };
        self.offsets.windows(2).zip(origins).map(entry).collect()
    }

    /// Converts entries of `other` to entries of these rows with the same origins; `None` if these rows lack one of
    /// them.
    pub(super) fn entries_of(&self, other: &Self, picks: &[u32]) -> Option<Vec<u32>> {
        self.with_origins(picks.iter().map(|&pick| other.origin[pick as usize]))
    }

    /// The entry of the lightest alternative of each job that is served, and of leaving out each other job. Ties go to
    /// the first.
    pub(super) fn lightest(&self, is_served: impl Fn(usize) -> bool) -> Vec<u32> {
        let rows = self.offsets.windows(2).enumerate();
        rows.map(|(job, row)| {
            let last = row[1] - 1;
            let own = if is_served(job) { row[0]..last } else { last..last };
            own.min_by(|&a, &b| self.weight[a].total_cmp(&self.weight[b])).unwrap_or(last) as u32
        })
        .collect()
    }

    /// The cost of leaving out all jobs.
    pub(super) fn left_out_costs(&self) -> f64 {
        self.offsets.windows(2).map(|row| self.sign * self.objective[row[1] - 1]).sum()
    }

    /// Creates rows of the alternatives that a reduction has left, each with an entry for leaving the job out. If the
    /// reduction has removed leaving out, the job is marked as served, and the cost of that entry has no effect.
    pub(super) fn left(&self, base: &[Step], reduced: &Reduced) -> Self {
        let mut left = Self { is_subproblem: self.is_subproblem, ..Self::empty(self.sign, self.limit) };
        for (job, row) in self.offsets.windows(2).enumerate() {
            let (last, steps) = (row[1] - 1, reduced.of_job(job, base));
            let (first, mut can_be_left_out) = (left.objective.len(), false);
            for at in order(steps.len(), &|a, b| steps[a].alt.cmp(&steps[b].alt)) {
                let at = steps[at as usize].alt as usize;
                if self.origin[at] == NONE {
                    can_be_left_out = true;
                } else {
                    left.push(self.objective[at], self.weight[at], 0.0, self.origin[at]);
                }
            }
            left.is_served.push(left.objective.len() > first && !can_be_left_out);
            left.push(self.objective[last], 0.0, self.lost[last], NONE);
            left.offsets.push(left.objective.len());
        }
        left
    }
}
