//! A batch in which leaving a job out is one more alternative.

use super::service::{Service, left_out};
use crate::kernel::reduction::Reduced;
use crate::kernel::relaxation::Hulls;
use crate::list::{NONE, Step};
use crate::number::Grid;
use crate::view::View;
use crate::{Alternatives, Problem};
use std::ops::Range;

/// The alternatives of each job, and behind them the one of leaving it out.
#[derive(Debug, Default)]
pub(crate) struct Rows {
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

    /// The alternatives of each job that weigh at most what `heaviest` says of it, in buffers that are kept.
    pub(super) fn fill(
        &mut self,
        batch: &Alternatives,
        problem: Problem,
        service: &Service,
        heaviest: impl Fn(usize) -> f64,
    ) {
        let (_, limit, sign, time_is_objective) = problem.parts();
        let (objective, weight) =
            if time_is_objective { (&batch.time, &batch.cost) } else { (&batch.cost, &batch.time) };
        let rows = self;
        (rows.sign, rows.limit) = (sign, limit);
        rows.offsets.clear();
        rows.offsets.push(0);
        rows.lost.clear();
        let entries = batch.len() + batch.jobs();
        rows.objective.resize(entries, 0.0);
        rows.weight.resize(entries, 0.0);
        rows.origin.resize(entries, NONE);
        rows.lost.resize(entries, 0.0);
        let mut end = 0;
        for job in 0..batch.jobs() {
            let (row, heaviest) = (batch.offsets[job]..batch.offsets[job + 1], heaviest(job));
            // Write each alternative and move on only past those that count: no branch to mispredict.
            let places = end..end + row.len();
            let mut kept = 0;
            let (to_objective, to_weight, to_origin) = (
                &mut rows.objective[places.clone()],
                &mut rows.weight[places.clone()],
                &mut rows.origin[places],
            );
            for ((&objective, &weight), at) in
                objective[row.clone()].iter().zip(&weight[row.clone()]).zip(row.start..)
            {
                (to_objective[kept], to_weight[kept], to_origin[kept]) = (objective, weight, at as u32);
                kept += usize::from(weight <= heaviest);
            }
            end += kept;
            let left = left_out(service, job);
            (rows.objective[end], rows.weight[end], rows.origin[end]) = (0.0, 0.0, NONE);
            match service {
                Service::Penalties(_) => rows.objective[end] = sign * left + 0.0,
                Service::MostJobs | Service::GreatestWeight(_) => rows.lost[end] = left,
            }
            end += 1;
            rows.offsets.push(end);
        }
        rows.objective.truncate(end);
        rows.weight.truncate(end);
        rows.origin.truncate(end);
        rows.lost.truncate(end);
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

    /// The lightest alternative of each job that is served; ties to the first.
    pub(super) fn lightest(&self, is_served: impl Fn(usize) -> bool) -> Vec<u32> {
        let rows = self.offsets.windows(2).enumerate();
        rows.map(|(job, row)| {
            let last = row[1] - 1;
            let own = if is_served(job) { row[0]..last } else { last..last };
            let mut best = own.start;
            for at in own {
                if self.weight[at] < self.weight[best] {
                    best = at;
                }
            }
            best as u32
        })
        .collect()
    }

    /// Of these entries the lightest, and the one of least objective.
    pub(super) fn extremes(&self, entries: Range<usize>) -> Option<(Step, Step)> {
        let step = |at: usize| Step { p: self.sign * self.objective[at], w: self.weight[at], alt: at as u32 };
        let mut steps = entries.map(step);
        let first = steps.next()?;
        Some(steps.fold((first, first), |(mut light, mut heavy), step| {
            if step.w < light.w || step.w == light.w && step.p < light.p {
                light = step;
            }
            if step.p < heavy.p || step.p == heavy.p && step.w < heavy.w {
                heavy = step;
            }
            (light, heavy)
        }))
    }

    /// Makes leaving out cost so much in the objective for each unit of service.
    pub(super) fn charge_for_leaving_out(&mut self, worth: f64) {
        for row in self.offsets.windows(2) {
            let last = row[1] - 1;
            self.objective[last] = self.sign * worth * self.lost[last] + 0.0;
        }
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
