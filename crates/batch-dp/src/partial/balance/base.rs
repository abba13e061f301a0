//! The results of dual values: the base, the optimum of the relaxation, and rounding errors.

use super::Balance;
use crate::list::Step;
use crate::number::Grid;
use crate::partial::rows::Rows;

/// The optimum of the relaxation.
#[derive(Debug, Clone, Copy)]
pub(in crate::partial) struct Relaxed {
    /// The objective, minus the cost of leaving out all jobs.
    pub(in crate::partial) value: f64,
    /// Number of jobs served, including parts.
    pub(in crate::partial) count: f64,
}

impl Balance {
    /// The least objective and the least weight of each job, with the worth of its service as the cost of leaving
    /// it out.
    pub(in crate::partial) fn fill_least(&self, least: &mut Vec<(f64, f64)>, rows: &Rows) {
        least.clear();
        least.extend(rows.offsets.windows(2).map(|row| (self.left_out(rows, row[1] - 1), 0.0)));
        for (server, own) in self.servers.iter().zip(&self.least) {
            let of_job = &mut least[server.job as usize];
            *of_job = (of_job.0.min(own.0), of_job.1.min(own.1));
        }
        for &(job, step) in &self.settled.jobs {
            let of_job = &mut least[job as usize];
            let own = (rows.sign * rows.objective[step.alt as usize], step.w);
            *of_job = (of_job.0.min(own.0), of_job.1.min(own.1));
        }
    }

    /// The whole cost of leaving a job out; `last` is its entry for that.
    pub(in crate::partial) fn left_out(&self, rows: &Rows, last: usize) -> f64 {
        rows.sign * rows.objective[last] + self.toll + self.worth * rows.lost[last]
    }

    /// The optimum of the relaxation at the multiplier.
    pub(in crate::partial) fn relaxed(&self, limit: f64) -> Relaxed {
        let (light, heavy) = (&self.light, &self.heavy);
        let multiplier = self.multiplier.unwrap_or(0.0);
        let share =
            if heavy.w > light.w { ((limit - light.w) / (heavy.w - light.w)).clamp(0.0, 1.0) } else { 0.0 };
        Relaxed {
            value: self.least_value - if multiplier > 0.0 { multiplier * limit } else { 0.0 },
            count: light.count + share * (heavy.count - light.count),
        }
    }

    /// The bound: no choice of this service has a lesser objective.
    pub(in crate::partial) fn bound(&self, rows: &Rows) -> f64 {
        self.relaxed(rows.limit).value + rows.left_out_costs() - self.doubt(rows)
    }

    /// By how much rounding may raise the value of the relaxation plus the cost of leaving out all jobs.
    pub(in crate::partial) fn doubt(&self, rows: &Rows) -> f64 {
        let multiplier = self.multiplier.unwrap_or(0.0);
        let own = rows.offsets.windows(2).map(|row| rows.objective[row[1] - 1].abs() + 2.0 * self.toll.abs());
        let limit = if multiplier > 0.0 { multiplier * rows.limit.abs() } else { 0.0 };
        let size = self.size(multiplier) + own.sum::<f64>() + limit;
        let relative =
            8.0 * f64::EPSILON * ((self.servers.len() + self.settled.jobs.len()) as f64 + 8.0) * size;
        // Products of subnormal numbers have a larger relative rounding error.
        if size > 0.0 { relative + f64::MIN_POSITIVE } else { 0.0 }
    }

    /// The sum of the magnitudes of the numbers of all jobs at a multiplier.
    fn size(&self, multiplier: f64) -> f64 {
        let own = |step: &Step| step.p.abs() + multiplier * step.w.abs();
        let servers = self.servers.iter().map(|server| own(&server.light) + own(&server.heavy));
        let settled = self.settled.jobs.iter().map(|job| 2.0 * own(&job.1));
        servers.chain(settled).sum()
    }

    /// Whether the base, if it keeps the limit, is the best choice of as many jobs without a search: it has the
    /// least objective, by the least keys; and the least weight, or, if sums of objectives are equal only without
    /// rounding, the least weight of all choices with this objective.
    pub(in crate::partial) fn is_proven(&self, rows: &Rows) -> bool {
        if !(self.is_count && self.multiplier == Some(0.0)) {
            return false;
        }
        let mut grid = Grid::default();
        for row in rows.offsets.windows(2).filter(|_| !self.is_best_of_both) {
            let own = &rows.objective[row[0]..row[1] - 1];
            own.iter().for_each(|&objective| grid.see(objective));
            grid.reach(own.iter().fold(0.0, |largest: f64, objective| largest.max(objective.abs())));
        }
        self.is_best_of_both || grid.rounds_nothing()
    }

    /// The base at the dual values: the light vertex, with the upgrades and exchanges of the heavy vertex that
    /// still fit. If each job gives the same service, the base is a choice that loses exactly the wanted service.
    ///
    /// Also returns by how much the sum of its alternatives exceeds the least at these dual values.
    pub(in crate::partial) fn base(&self, rows: &Rows) -> (Vec<Step>, f64) {
        let mut base: Vec<Step> = (rows.offsets.windows(2))
            .map(|row| Step { p: self.worth * rows.lost[row[1] - 1], w: 0.0, alt: row[1] as u32 - 1 })
            .collect();
        let left_out = base.clone();
        for (server, _) in self.servers.iter().zip(&self.light.served).filter(|(_, served)| **served) {
            base[server.job as usize] = server.light;
        }
        for &(job, step) in &self.settled.jobs {
            base[job as usize] = step;
        }
        let mut slack = rows.limit - base.iter().map(|step| step.w).sum::<f64>();
        for (at, server) in self.servers.iter().enumerate() {
            let more = server.heavy.w - server.light.w;
            if self.light.served[at]
                && self.heavy.served[at]
                && server.heavy.p < server.light.p
                && more <= slack
            {
                base[server.job as usize] = server.heavy;
                slack -= more;
            }
        }
        let pairs = |light: bool, heavy: bool| {
            let of = self.light.served.iter().zip(&self.heavy.served).zip(&self.servers);
            of.filter(move |(served, _)| *served.0 == light && *served.1 == heavy).map(|(_, server)| server)
        };
        for (out, instead) in pairs(true, false).zip(pairs(false, true)) {
            let more = instead.heavy.w - out.light.w;
            if out.gives == instead.gives && instead.heavy.p < out.light.p && more <= slack {
                base[out.job as usize] = left_out[out.job as usize];
                base[instead.job as usize] = instead.heavy;
                slack -= more;
            }
        }
        let multiplier = self.multiplier.unwrap_or(0.0);
        let value = |step: &Step| step.p + multiplier * step.w;
        let above = self.servers.iter().map(|server| {
            let job = server.job as usize;
            let least = value(&server.best);
            let least = if server.is_served { least } else { least.min(value(&left_out[job])) };
            (value(&base[job]) - least).max(0.0)
        });
        let above = above.sum();
        for (step, row) in base.iter_mut().zip(rows.offsets.windows(2)) {
            let at = step.alt as usize;
            let is_left_out = at == row[1] - 1;
            step.p = if is_left_out { self.left_out(rows, at) } else { rows.sign * rows.objective[at] };
        }
        (base, above)
    }
}
