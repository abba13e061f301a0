//! Dives: plans made by prices, job after job, each with its best window under the prices in the remaining
//! free time.

use crate::JointError;
use crate::around::Around;
use crate::duals::Duals;
use crate::incumbent::Incumbent;
use crate::instance::{Instance, Stopped};
use crate::pool::Pool;
use crate::pricing::search;
use sched_model::Meter;
use sched_model::order::sort;
use slot_window::priced::NodeTimePrices;

/// Orders of the jobs and the tax on the limit, from dive to dive.
#[derive(Debug)]
pub(crate) struct Dives {
    count: u64,
    /// The multipliers of the limits as multiples of the given ones.
    tax: f64,
}

impl Default for Dives {
    fn default() -> Self {
        Self { count: 0, tax: 1.0 }
    }
}

impl Dives {
    /// One dive: adds its windows to the pool, and offers its plan. Returns whether the plan was better.
    ///
    /// # Errors
    /// [`Stopped`] where the limit ends it.
    pub(crate) fn dive(
        &mut self,
        instance: &Instance<'_>,
        pool: &mut Pool,
        incumbent: &mut Incumbent,
        duals: &Duals,
        meter: &mut Meter,
    ) -> Result<bool, Stopped> {
        let prices = duals.node_time()?;
        let taxed = duals.taxed(self.tax);
        let limit = instance.pricing_limit();
        let mut around = Around::nothing(instance);
        let mut windows = vec![None; instance.jobs.len()];
        for job in self.order(instance, pool, duals, &prices)? {
            meter.spend(1 + instance.slots.len() as u64).map_err(Stopped::Limit)?;
            let from = instance.from.max(instance.jobs[job].submit);
            let weights = taxed.weights(instance, job);
            let known =
                pool.least_of(job, weights, from, &prices, |window| around.holders(window).is_empty());
            let below = known.map_or(f64::INFINITY, |known| known.1);
            let request = &instance.jobs[job].request;
            let query = instance.query(&around.rest, instance.jobs[job], request, from);
            let answer = search(instance, weights)?
                .bounded_within(&query, &prices, below, &mut limit.meter())
                .map_err(JointError::from)?;
            meter.spend(answer.work).map_err(Stopped::Limit)?;
            let found = answer.best.map(|best| best.window);
            let Some(window) = found.or_else(|| known.map(|known| pool.of(job)[known.0].clone())) else {
                continue;
            };
            around.take(job, &window)?;
            pool.add(job, &window);
            windows[job] = Some(window);
        }
        self.count += 1;
        let kept = instance.keeps_to_limits(&windows);
        if instance.limit < f64::INFINITY || !instance.accounts.budgets.is_empty() {
            // The prices do not include the rest of the limit: after a plan beyond it, the next dive has a
            // greater tax.
            self.tax *= if kept { 0.97 } else { 1.15 };
            self.tax = self.tax.clamp(0.2, 20.0);
        }
        Ok(incumbent.offer(instance, windows))
    }

    /// The jobs that lose most by the prices come first; in every other dive, the largest.
    fn order(
        &self,
        instance: &Instance<'_>,
        pool: &Pool,
        duals: &Duals,
        prices: &NodeTimePrices,
    ) -> Result<Vec<usize>, JointError> {
        let by_price = self.count.is_multiple_of(2);
        let size =
            |job: usize| instance.jobs[job].request.work().get() * instance.jobs[job].request.nodes() as f64;
        let mut paid = Vec::new();
        if by_price {
            let own = NodeTimePrices::default();
            let least = |job: usize, prices: &NodeTimePrices| {
                pool.least(job, duals.weights(instance, job), instance.from, prices)
                    .map_or(f64::INFINITY, |least| least.1)
            };
            paid.extend((0..instance.jobs.len()).map(|job| least(job, prices) - least(job, &own)));
        }
        let key = |job: usize| paid.get(job).copied().unwrap_or_else(|| size(job));
        let mut keys: Vec<(f64, usize)> = (0..instance.jobs.len()).map(|job| (key(job), job)).collect();
        sort(&mut keys, &|a, b| b.0.total_cmp(&a.0));
        Ok(keys.into_iter().map(|key| key.1).collect())
    }
}
