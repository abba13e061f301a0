//! The linear relaxation at a fixed service: finds the dual values of the limit and of the service together.
//!
//! | word | meaning |
//! |---|---|
//! | multiplier | the price `m` of a unit of the limit |
//! | value | `p + m w` of an alternative; of a job, the minimum value of its alternatives |
//! | worth | the price of a unit of the service at the multiplier, in units of the objective |
//! | key | the value of a job per unit of its service: the worth at which serving it and leaving it out are equally good |
//! | vertex | the relaxed choice at a multiplier, which serves at most one job in part, with its sums |
//! | light, heavy | the best vertex within the limit, and the best one beyond it |
//!
//! At a multiplier, the best relaxed choice of a given service serves the jobs of minimum key, each by its
//! alternative of minimum value. So the worth follows from the multiplier, and the bound is a concave function of
//! the multiplier alone. Two vertices, one within the limit and one beyond it, give the next multiplier as the
//! slope of the chord between them, as in [`relax`](crate::kernel::relaxation); a job keeps only the alternatives
//! below the chord of its two current ones.

use super::rows::Rows;
use crate::kernel::PASSES;
use crate::kernel::relaxation::{Bracket, MAX_MULTIPLIER, MIN_MULTIPLIER, Relaxed};
use crate::list::Step;
use crate::number::Grid;
use sched_model::internal::exact_sum;
use sched_model::{End, Meter};

/// A job that can be served.
#[derive(Debug, Clone, Copy)]
struct Servable {
    /// Its alternatives, with their objectives reduced by `left_out_cost`.
    bracket: Bracket,
    /// The cost of leaving the job out, apart from the service lost.
    left_out_cost: f64,
    /// The service that serving the job gives.
    service: f64,
    /// Whether the job must be served.
    is_served: bool,
}

impl Servable {
    /// The alternatives of the job.
    fn row<'a>(&self, rows: &'a Rows) -> impl ExactSizeIterator<Item = Step> + use<'a> {
        let (job, left_out_cost) = (self.bracket.job as usize, self.left_out_cost);
        let row = rows.view().row(rows.offsets[job]..rows.offsets[job + 1] - 1);
        row.map(move |step| Step { p: step.p - left_out_cost, ..step })
    }

    /// The minimum value of the job at these dual values: that of its best alternative or, if it may be left out, the
    /// worth of its service if that is lower.
    fn least(&self, multiplier: f64, worth: f64) -> f64 {
        let value = self.bracket.best.value(multiplier);
        if self.is_served { value } else { value.min(worth * self.service) }
    }
}

/// The dual values of limit and service, and the relaxed choice at these values.
#[derive(Default)]
pub(super) struct Balance {
    /// `None` if values differ so much in magnitude that no multiplier fits into a double.
    pub(super) multiplier: Option<f64>,
    pub(super) worth: f64,
    /// The cost of leaving out any job, in addition to its penalty and the service lost.
    pub(super) toll: f64,
    servables: Vec<Servable>,
    /// The minimum objective and the minimum weight of the alternatives of each job; infinite if it has none.
    least: Vec<(f64, f64)>,
    candidates: Vec<Step>,
    /// The indices of the servable jobs whose two ends differ.
    open: Vec<u32>,
    keys: Vec<Key>,
    /// Whether every servable job gives the same service, so that the amount of service is the number of jobs served.
    pub(super) is_count: bool,
    /// Whether the base, which has the minimum objective, also has the minimum weight of all choices of as many jobs.
    is_best_of_both: bool,
    light: Vertex,
    heavy: Vertex,
    /// The smallest `p + m w` at the multiplier among all choices of this service.
    least_value: f64,
}

/// The sort key of a servable job: its key, then its objective or weight, whichever its value does not include, then
/// its index.
type Key = (f64, f64, u32);

/// A relaxed choice.
#[derive(Debug, Clone, Default)]
struct Vertex {
    p: f64,
    w: f64,
    worth: f64,
    /// For each servable job whether it is served; a job that is served in part counts as served.
    served: Vec<bool>,
    /// The number of jobs served, including the fraction of a job that is served in part.
    count: f64,
}

/// The optimum of the relaxation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Optimum {
    /// The minimum objective, minus the cost of leaving out all jobs.
    pub(super) value: f64,
    /// Number of jobs served, including the fraction of a job that is served in part.
    pub(super) count: f64,
}

/// The maximum number of rounds of the secant method; each round removes candidates, and about ten rounds are usual.
const ROUNDS: usize = 100;

impl Balance {
    /// Computes the dual values for choices that lose exactly `lost` of the service, if leaving a job out costs `toll`
    /// in addition. Time: O(alternatives) for the first passes, then less from round to round; O(j) for j jobs in each
    /// round.
    pub(super) fn of(rows: &Rows, lost: f64, toll: f64, meter: &mut Meter) -> Result<Self, End> {
        meter.spend(PASSES * rows.objective.len() as u64)?;
        let mut balance = Self { toll, is_count: true, least_value: f64::NEG_INFINITY, ..Self::default() };
        let (view, mut to_lose, mut first) = (rows.view(), lost, None);
        for (job, row) in rows.offsets.windows(2).enumerate() {
            let service = rows.lost[row[1] - 1];
            let left_out_cost = rows.sign * rows.objective[row[1] - 1] + toll;
            if row[0] == row[1] - 1 {
                to_lose -= service;
                balance.least.push((f64::INFINITY, f64::INFINITY));
                continue;
            }
            let (mut light, mut heavy) = view.extremes(row[0]..row[1] - 1);
            balance.is_count &= service > 0.0 && service == *first.get_or_insert(service);
            balance.least.push((heavy.p, light.w));
            (light.p, heavy.p) = (light.p - left_out_cost, heavy.p - left_out_cost);
            let (bracket, is_served) = (Bracket::new(job as u32, light, heavy), rows.is_served[job]);
            balance.servables.push(Servable { bracket, left_out_cost, service, is_served });
        }
        balance.is_count &= first.is_some();
        balance.light = balance.vertex(0.0, 1.0, to_lose);
        balance.servables.iter_mut().for_each(|servable| servable.bracket.best = servable.bracket.heavy);
        balance.heavy = balance.vertex(1.0, 0.0, to_lose);
        if balance.heavy.w <= rows.limit {
            (balance.multiplier, balance.worth) = (Some(0.0), balance.heavy.worth);
            balance.least_value = balance.least_at(0.0, to_lose);
            let lightest = balance.weights(&balance.light);
            for servable in &mut balance.servables {
                servable.bracket.light = servable.bracket.heavy;
            }
            balance.light = balance.heavy.clone();
            balance.is_best_of_both = balance.is_count && balance.weights(&balance.light) <= lightest;
            return Ok(balance);
        }
        for (servable, at) in
            balance.servables.iter_mut().zip(0..).filter(|servable| servable.0.bracket.is_open())
        {
            let row = servable.row(rows);
            servable.bracket.fill(row, &mut balance.candidates);
            balance.open.push(at);
        }
        balance.narrow(rows.limit, to_lose);
        if let Some(multiplier) = balance.multiplier {
            balance.repair(rows, multiplier);
            balance.least_value = balance.least_at(multiplier, to_lose);
        }
        Ok(balance)
    }

    /// Takes secant steps until no vertex lies below the chord.
    fn narrow(&mut self, limit: f64, to_lose: f64) {
        for _ in 0..ROUNDS {
            let multiplier = (self.light.p - self.heavy.p) / (self.heavy.w - self.light.w);
            if !(MIN_MULTIPLIER..=MAX_MULTIPLIER).contains(&multiplier) {
                return;
            }
            for &at in &self.open {
                self.servables[at as usize].bracket.choose(multiplier, &self.candidates);
            }
            let vertex = self.vertex(1.0, multiplier, to_lose);
            (self.multiplier, self.worth) = (Some(multiplier), vertex.worth);
            let least = vertex.p + multiplier * vertex.w;
            let known = self.light.p + multiplier * self.light.w;
            let large = self.light.p.abs() + multiplier * self.light.w.abs();
            // A vertex below the chord by no more than the rounding of these sums ends the steps; any multiplier gives
            // a bound.
            if least >= known - 1e-14 * large {
                return;
            }
            let within = vertex.w <= limit;
            let Self { open, servables, candidates, .. } = self;
            open.retain(|&at| {
                let bracket = &mut servables[at as usize].bracket;
                let is_open = bracket.narrow(within, candidates);
                if !is_open {
                    bracket.best = bracket.light;
                }
                is_open
            });
            *(if within { &mut self.light } else { &mut self.heavy }) = vertex;
        }
    }

    /// The sum of the weights of the jobs that a vertex serves, by their light alternatives.
    fn weights(&self, vertex: &Vertex) -> f64 {
        let served = self.servables.iter().zip(&vertex.served).filter(|(_, served)| **served);
        exact_sum(served.map(|(servable, _)| servable.bracket.light.w))
    }

    /// Lets each job choose its best alternative again. If the numbers of some round were much larger than those of the
    /// last one, rounding may have dropped candidates that are better at the last multiplier; the bound would then be
    /// too high, and the difference between the base and the minimum too small, so that the reduction would exclude too
    /// much.
    fn repair(&mut self, rows: &Rows, multiplier: f64) {
        for servable in &mut self.servables {
            for step in servable.row(rows) {
                let best = &mut servable.bracket.best;
                if step.value(multiplier) < best.value(multiplier) {
                    *best = step;
                }
            }
        }
    }

    /// A lower bound of `p + m w` of every choice of this service: each job that may be left out takes the lower of its
    /// minimum value and the worth of its service. The bound is valid at any worth, also at one that is not the best
    /// because sums of large numbers were rounded.
    fn least_at(&self, multiplier: f64, to_lose: f64) -> f64 {
        let least = self.servables.iter().map(|servable| servable.least(multiplier, self.worth));
        least.sum::<f64>() - self.worth * to_lose
    }

    /// Computes the relaxed choice among the best alternatives of the servable jobs. The value of a job is
    /// `by_p * p + by_w * w`. Ties go to the lower objective or weight, whichever the value does not include. A job
    /// that gives no service is served if its value is not positive.
    fn vertex(&mut self, by_p: f64, by_w: f64, to_lose: f64) -> Vertex {
        let Self { servables, keys, is_count, .. } = self;
        // If all jobs give the same service, jobs are counted, because different values could become equal by a
        // division.
        let unit = servables.first().filter(|_| *is_count).map_or(1.0, |servable| servable.service);
        let to_lose = if *is_count { (to_lose / unit).round() } else { to_lose };
        let mut served = vec![true; servables.len()];
        keys.clear();
        for (servable, at) in servables.iter().zip(0..).filter(|servable| !servable.0.is_served) {
            let Step { p, w, .. } = servable.bracket.best;
            // Avoids a negative zero, which would sort before an equal zero.
            let value = by_p * p + by_w * w + 0.0;
            if servable.service > 0.0 {
                keys.push((value / (servable.service / unit), if by_w > 0.0 { p } else { w }, at));
            } else {
                served[at as usize] = value <= 0.0;
            }
        }
        let service = |at: u32| servables[at as usize].service / unit;
        let (kept, left) = split(keys, service, to_lose);
        keys[kept..].iter().for_each(|&(.., at)| served[at as usize] = false);
        let (mut p, mut w) = (0.0, 0.0);
        for (Servable { bracket, .. }, _) in servables.iter().zip(&served).filter(|(_, served)| **served) {
            p += bracket.best.p;
            w += bracket.best.w;
        }
        let mut count = served.iter().filter(|served| **served).count() as f64;
        let worth = match (keys[..kept].last(), keys.get(kept)) {
            (Some(&(worth, _, at)), _) if left > 0.0 => {
                // This job is served in part.
                let (share, best) = (left / service(at), &servables[at as usize].bracket.best);
                p -= share * best.p;
                w -= share * best.w;
                count -= share;
                worth
            }
            (Some(greatest), Some(least)) => 0.5 * (greatest.0 + least.0),
            (Some(worth), None) | (None, Some(worth)) => worth.0,
            (None, None) => 0.0,
        };
        let worth = if worth.is_finite() { worth / unit } else { 0.0 };
        Vertex { p, w, worth, served, count }
    }

    /// The whole cost of leaving a job out at the dual values; `last` is the job's entry for leaving out.
    pub(super) fn left_out(&self, rows: &Rows, last: usize) -> f64 {
        rows.sign * rows.objective[last] + self.toll + self.worth * rows.lost[last]
    }

    /// The optimum of the relaxation at the multiplier.
    pub(super) fn optimum(&self, limit: f64) -> Optimum {
        let (light, heavy) = (&self.light, &self.heavy);
        let multiplier = self.multiplier.unwrap_or(0.0);
        let share =
            if heavy.w > light.w { ((limit - light.w) / (heavy.w - light.w)).clamp(0.0, 1.0) } else { 0.0 };
        Optimum {
            value: self.least_value - if multiplier > 0.0 { multiplier * limit } else { 0.0 },
            count: light.count + share * (heavy.count - light.count),
        }
    }

    /// A lower bound of the objective of every choice of this service.
    pub(super) fn bound(&self, rows: &Rows) -> f64 {
        let bound = self.optimum(rows.limit).value + rows.left_out_costs() - self.margin(rows);
        // If terms overflow, there is no bound: `max` ignores NaN.
        bound.max(f64::NEG_INFINITY)
    }

    /// The maximum amount by which rounding raises the value of the relaxation plus the cost of leaving out all jobs.
    pub(super) fn margin(&self, rows: &Rows) -> f64 {
        let multiplier = self.multiplier.unwrap_or(0.0);
        // Rounding may hide the best alternative. Its objective and weight are at least the minima of the job, so the
        // value and the minima bound their magnitudes.
        let servables = self.servables.iter().map(
            |Servable { bracket: Bracket { job, best, .. }, left_out_cost, .. }| {
                let (p, w) = self.least[*job as usize];
                best.value(multiplier).abs() + p.abs() + left_out_cost.abs() + multiplier * w.abs()
            },
        );
        let left_out = |row: &[usize]| {
            let last = row[1] - 1;
            rows.objective[last].abs() + 2.0 * self.toll.abs() + self.worth.abs() * rows.lost[last]
        };
        let left_out = rows.offsets.windows(2).map(left_out);
        let limit = if multiplier > 0.0 { multiplier * rows.limit.abs() } else { 0.0 };
        let size = servables.sum::<f64>() + left_out.sum::<f64>() + limit;
        let relative = 8.0 * f64::EPSILON * (self.servables.len() as f64 + 8.0) * size;
        // Products of subnormal numbers have a larger relative rounding error.
        if size > 0.0 { relative + f64::MIN_POSITIVE } else { 0.0 }
    }

    /// Whether the base, if it keeps the limit, is proven to be the best choice of as many jobs without a search. It
    /// has the minimum objective, because it has the lowest keys. It also needs the minimum weight: either of all
    /// choices or, if no sum of objectives is rounded, of the choices with this objective.
    pub(super) fn is_proven(&self, rows: &Rows) -> bool {
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

    /// Fills the relaxed choice for a reduction at the dual values. The base is the light vertex, with the upgrades of
    /// the heavy vertex that still fit. If all jobs give the same service, the base loses exactly the wanted service.
    ///
    /// Returns the amount by which the value of the base exceeds the minimum at the dual values.
    pub(super) fn fill(&self, rows: &Rows, relaxed: &mut Relaxed) -> f64 {
        let last = || rows.offsets.windows(2).map(|row| row[1] - 1);
        let mut base: Vec<usize> = last().collect();
        let multiplier = self.multiplier.unwrap_or(0.0);
        let served = self.servables.iter().zip(&self.light.served).filter(|(_, served)| **served);
        let mut slack = rows.limit - served.map(|(servable, _)| servable.bracket.light.w).sum::<f64>();
        let mut above = 0.0;
        for (at, servable) in self.servables.iter().enumerate() {
            let Bracket { job, light, heavy, .. } = servable.bracket;
            let more = heavy.w - light.w;
            let mut own = self.worth * servable.service;
            if self.light.served[at] {
                let upgrades = self.heavy.served[at] && heavy.p < light.p && more <= slack;
                let step = if upgrades { heavy } else { light };
                slack -= if upgrades { more } else { 0.0 };
                (own, base[job as usize]) = (step.value(multiplier), step.alt as usize);
            }
            above += (own - servable.least(multiplier, self.worth)).max(0.0);
        }
        relaxed.base.clear();
        relaxed.base.extend(base.iter().zip(last()).map(|(&at, last)| {
            let p = if at == last { self.left_out(rows, at) } else { rows.sign * rows.objective[at] };
            Step { p, w: rows.weight[at], alt: at as u32 }
        }));
        relaxed.least.clear();
        let least = self.least.iter().zip(last());
        relaxed.least.extend(least.map(|(own, last)| (own.0.min(self.left_out(rows, last)), own.1.min(0.0))));
        above
    }
}

/// Moves the jobs that are kept before those that are left out. Left out are the jobs of the largest keys, as many as
/// together give at most the service to lose. Returns the number of jobs kept, and the service that remains to be lost:
/// a part of the last job kept. The last job kept has the maximum key of those kept, the first one left out the minimum
/// key of those left out.
///
/// Time: O(j) for j jobs, because each step splits the range at its median key and continues with one half.
fn split(keys: &mut [Key], service: impl Fn(u32) -> f64, to_lose: f64) -> (usize, f64) {
    let (mut low, mut high, mut left) = (0, keys.len(), to_lose);
    while low < high {
        let middle = low.midpoint(high);
        keys[low..high].select_nth_unstable_by(middle - low, |a, b| {
            a.0.total_cmp(&b.0).then_with(|| a.1.total_cmp(&b.1)).then_with(|| a.2.cmp(&b.2))
        });
        let upper: f64 = keys[middle..high].iter().map(|key| service(key.2)).sum();
        if upper <= left {
            (left, high) = (left - upper, middle);
        } else {
            low = middle + 1;
        }
    }
    (high, left)
}
