//! Column generation: prices from the master problem, the best window of each job under these prices, again.

use crate::JointError;
use crate::master::{COLUMNS_OF_A_JOB as MASTER_COLUMNS, Duals, Master};
use crate::pool::Pool;
use crate::terms::Terms;
use sched_model::check::Rules;
use sched_model::{End, Job, Meter, SlotList, Time};
use slot_window::WindowError;
use slot_window::priced::{NodeTimePrices, PricedSearch};

/// Jobs that are planned together in free slots.
#[derive(Debug, Clone)]
pub(crate) struct Cell<'a> {
    pub(crate) slots: &'a SlotList,
    pub(crate) jobs: Vec<&'a Job>,
    pub(crate) from: Time,
    pub(crate) rules: Rules,
    pub(crate) terms: Terms,
    /// What the windows of these jobs may use together of the limited quantity.
    pub(crate) limit: f64,
}

/// Lower bounds of the jobs' values at some prices.
#[derive(Debug, Clone)]
struct Bound {
    /// For each job the least value of any window; infinite where it has none.
    values: Vec<f64>,
    /// Prices and the multiplier's share of the limit, to be subtracted.
    constant: f64,
}

impl Bound {
    /// A lower bound of the objective of every plan that leaves out exactly so many of the jobs that have windows.
    fn leaving_out(&self, count: usize) -> f64 {
        if self.values.contains(&f64::NEG_INFINITY) {
            return f64::NEG_INFINITY;
        }
        let mut values: Vec<f64> = self.values.iter().copied().filter(|value| value.is_finite()).collect();
        values.sort_unstable_by(|a, b| b.total_cmp(a));
        let kept = values.iter().skip(count.min(values.len()));
        let size: f64 = values.iter().map(|value| value.abs()).sum::<f64>() + self.constant.abs();
        let margin = size * (values.len() + 16) as f64 * f64::EPSILON;
        kept.sum::<f64>() - self.constant - margin
    }
}

/// Work of a master problem for each of its columns, about.
const MASTER_WORK: u64 = 2_000;

/// What column generation has found.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    bounds: Vec<Bound>,
    /// The last dual values.
    pub(crate) duals: Duals,
}

impl Columns {
    /// The best lower bound for plans that leave out so many of the jobs that have windows.
    pub(crate) fn bound(&self, left_out: usize) -> Option<f64> {
        self.bounds.iter().map(|bound| bound.leaving_out(left_out)).max_by(f64::total_cmp)
    }

    /// Jobs that have no window even if they are alone.
    pub(crate) fn without_window(&self) -> Vec<usize> {
        let Some(bound) = self.bounds.first() else { return Vec::new() };
        (0..bound.values.len()).filter(|&job| bound.values[job] == f64::INFINITY).collect()
    }

    /// One pricing of every job; its windows join the pool. Returns how many were new.
    ///
    /// # Errors
    /// [`Stopped`] where the limit ends it.
    pub(crate) fn price(
        &mut self,
        cell: &Cell<'_>,
        pool: &mut Pool,
        duals: Duals,
        meter: &mut Meter<'_>,
    ) -> Result<usize, Stopped> {
        let prices = NodeTimePrices::new(duals.prices.iter().copied()).map_err(JointError::from)?;
        let [cost, runtime, start] = cell.terms.weights(duals.multiplier);
        let search = PricedSearch::new(cell.rules)
            .with_cost_weight(cost)
            .and_then(|search| search.with_runtime_weight(runtime))
            .and_then(|search| search.with_start_weight(start))
            .map_err(JointError::from)?;
        let mut values = Vec::with_capacity(cell.jobs.len());
        let mut new = 0;
        for (number, job) in cell.jobs.iter().enumerate() {
            meter.spend(1 + cell.slots.len() as u64).map_err(Stopped::Limit)?;
            let from = cell.from.max(job.submit);
            let best = match search.find(cell.slots, &job.request, from, &prices) {
                Ok(best) => best,
                // Nothing is known of this job at these prices, so that nothing is bounded.
                Err(WindowError::Stopped { .. }) => {
                    values.push(f64::NEG_INFINITY);
                    continue;
                }
                Err(error) => return Err(JointError::from(error).into()),
            };
            // The search weighs a start by its distance from the job's own beginning.
            let waited = start * (from - cell.from).get();
            values.push(best.as_ref().map_or(f64::INFINITY, |best| best.value + waited));
            if let Some(best) = best {
                new += usize::from(pool.add(number, &best.window));
            }
        }
        let limit = if duals.multiplier > 0.0 { duals.multiplier * cell.limit } else { 0.0 };
        self.bounds.push(Bound { values, constant: duals.sum_of_prices() + limit });
        self.duals = duals;
        Ok(new)
    }

    /// Rounds of pricing until no window is new, `enough` says so of the bound, or `rounds` are over.
    ///
    /// # Errors
    /// [`Stopped`] where the limit ends it.
    pub(crate) fn generate(
        &mut self,
        cell: &Cell<'_>,
        pool: &mut Pool,
        rounds: usize,
        meter: &mut Meter<'_>,
        enough: impl Fn(f64) -> bool,
    ) -> Result<(), Stopped> {
        let mut master = Master::default();
        for _ in 0..rounds {
            meter
                .spend(MASTER_WORK * pool.len().min(MASTER_COLUMNS * cell.jobs.len()) as u64)
                .map_err(Stopped::Limit)?;
            let Some(duals) = master.solve(pool, &cell.terms, cell.from, cell.limit) else { return Ok(()) };
            let new = self.price(cell, pool, duals, meter)?;
            if new == 0 || self.bound(0).is_some_and(&enough) {
                break;
            }
        }
        Ok(())
    }
}

/// Why planning stopped before its end.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// A limit.
    Limit(End),
    /// Malformed input.
    Error(JointError),
}

impl From<JointError> for Stopped {
    fn from(error: JointError) -> Self {
        Self::Error(error)
    }
}
