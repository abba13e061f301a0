//! A batch in which leaving a job out is one more alternative.

use super::service::{Service, left_out};
use crate::kernel::reduction::Reduced;
use crate::kernel::relaxation::Hulls;
use crate::list::{NONE, Step, undominated};
use crate::number::Grid;
use crate::view::View;
use crate::{Alternatives, Problem};

/// The alternatives of each job, and behind them the one of leaving it out.
pub(super) struct Rows {
    pub(super) offsets: Vec<usize>,
    /// The criterion; of leaving out, its penalty.
    pub(super) objective: Vec<f64>,
    pub(super) weight: Vec<f64>,
    /// What leaving out loses of the service; 0 for alternatives.
    pub(super) lost: Vec<f64>,
    /// What each entry is an entry of: an alternative by its index among those of all jobs, or an entry of other rows.
    pub(super) origin: Vec<u32>,
    pub(super) sign: f64,
    pub(super) limit: f64,
}

impl Rows {
    pub(super) fn empty(sign: f64, limit: f64) -> Self {
        let (objective, weight, lost, origin) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { offsets: vec![0], objective, weight, lost, origin, sign, limit }
    }

    /// The alternatives for which `keep` holds, by job and weight.
    pub(super) fn new(
        batch: &Alternatives,
        problem: Problem,
        service: &Service,
        keep: impl Fn(usize, f64) -> bool,
    ) -> Self {
        let (_, limit, sign, time_is_objective) = problem.parts();
        let (objective, weight) =
            if time_is_objective { (&batch.time, &batch.cost) } else { (&batch.cost, &batch.time) };
        let mut rows = Self::empty(sign, limit);
        for job in 0..batch.jobs() {
            for at in batch.offsets[job]..batch.offsets[job + 1] {
                if keep(job, weight[at]) {
                    rows.push(objective[at], weight[at], 0.0, at as u32);
                }
            }
            let left = left_out(service, job);
            match service {
                Service::Penalties(_) => rows.push(sign * left + 0.0, 0.0, 0.0, NONE),
                Service::MostJobs | Service::GreatestWeight(_) => rows.push(0.0, 0.0, left, NONE),
            }
            rows.offsets.push(rows.objective.len());
        }
        rows
    }

    pub(super) fn push(&mut self, objective: f64, weight: f64, lost: f64, origin: u32) {
        self.objective.push(objective);
        self.weight.push(weight);
        self.lost.push(lost);
        self.origin.push(origin);
    }

    pub(super) fn view(&self) -> View<'_> {
        View {
            offsets: &self.offsets,
            objective: &self.objective,
            sign: self.sign,
            weight: &self.weight,
            limit: self.limit,
        }
    }

    /// Entries as alternatives, by their positions in their jobs.
    pub(super) fn positions(&self, batch: &Alternatives, picks: &[u32]) -> Vec<Option<usize>> {
        let of = |(&pick, &first): (&u32, &usize)| {
            let origin = self.origin[pick as usize];
            (origin != NONE).then(|| origin as usize - first)
        };
        picks.iter().zip(&batch.offsets).map(of).collect()
    }

    /// The lightest alternative of each job that is served.
    pub(super) fn lightest(&self, is_served: impl Fn(usize) -> bool) -> Vec<u32> {
        let rows = self.offsets.windows(2).enumerate();
        rows.map(|(job, row)| {
            let last = row[1] - 1;
            let alternatives = if is_served(job) { row[0]..last } else { last..last };
            alternatives.min_by(|&a, &b| self.weight[a].total_cmp(&self.weight[b])).unwrap_or(last) as u32
        })
        .collect()
    }

    /// The same rows with nothing but what a relaxed choice may take at any worth: leaving out, and the alternatives on
    /// the lower convex hull of each job. Rounding may lose a vertex that lies on an edge but for a last bit; the worth
    /// sought by these rows is good, and any worth gives a bound.
    pub(super) fn lower_hulls(&self) -> Self {
        let mut rows = Self::empty(1.0, self.limit);
        let mut steps: Vec<Step> = Vec::new();
        for row in self.offsets.windows(2) {
            let last = row[1] - 1;
            steps.clear();
            steps.extend((row[0]..last).map(|at| Step {
                p: self.sign * self.objective[at],
                w: self.weight[at],
                alt: at as u32,
            }));
            undominated(&mut steps, 0);
            let mut end = 0;
            for at in 0..steps.len() {
                let next = steps[at];
                while end >= 2 {
                    let (a, b) = (steps[end - 2], steps[end - 1]);
                    if (a.p - b.p) * (next.w - b.w) > (b.p - next.p) * (b.w - a.w) {
                        break;
                    }
                    end -= 1;
                }
                steps[end] = next;
                end += 1;
            }
            steps.truncate(end);
            for step in &steps {
                rows.push(step.p, step.w, 0.0, step.alt);
            }
            rows.push(self.sign * self.objective[last], self.weight[last], self.lost[last], last as u32);
            rows.offsets.push(rows.objective.len());
        }
        rows
    }

    /// The grids of what is lost, of the objective and of the weight.
    pub(super) fn grids(&self, picks: &[u32], hulls: &Hulls, reduced: &Reduced) -> [Grid; 3] {
        let of = |at: u32| {
            let at = at as usize;
            [self.lost[at], self.objective[at], self.weight[at]]
        };
        let mut grids = [Grid::default(); 3];
        for (step, &pick) in hulls.base.iter().zip(picks) {
            for (grid, value) in grids.iter_mut().zip(of(step.alt)) {
                grid.hold(value);
            }
            for (grid, value) in grids.iter_mut().zip(of(pick)) {
                grid.hold(value);
            }
        }
        for &(_, start, end) in &reduced.jobs {
            let mut largest = [0.0_f64; 3];
            for step in &reduced.steps[start as usize..end as usize] {
                for ((grid, value), largest) in grids.iter_mut().zip(of(step.alt)).zip(&mut largest) {
                    grid.see(value);
                    *largest = largest.max(value.abs());
                }
            }
            grids.iter_mut().zip(largest).for_each(|(grid, largest)| grid.reach(largest));
        }
        grids
    }
}
