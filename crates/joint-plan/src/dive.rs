//! Dives: plans made job by job, each job getting its best window under the prices in the remaining free time.

use crate::JointError;
use crate::duals::Duals;
use crate::instance::{Instance, Stopped};
use crate::pool::{Incumbent, Occupancy, Pool};
use sched_model::Meter;
use sched_model::internal::sort;
use slot_window::priced::{NodeTimePrices, PricedQuery};

/// The factor by which the tax rises after a plan that exceeds a limit, and the maximum tax.
const TAX_FACTOR: f64 = 1.15;
const MAX_TAX: f64 = 20.0;

/// Makes one dive: adds its windows to the pool, and offers its plan.
///
/// A dive does not check the limit and the budgets of users before its plan is complete. If the plan exceeds one of
/// them, the next dive pays more for the limited quantities: `tax` times their multipliers.
///
/// # Errors
/// [`Stopped`] if the limit ends it.
pub(crate) fn dive(
    instance: &Instance<'_>,
    pool: &mut Pool,
    incumbent: &mut Incumbent,
    duals: &Duals,
    tax: &mut f64,
    meter: &mut Meter,
) -> Result<(), Stopped> {
    let (prices, taxed) = (duals.node_time()?, duals.taxed(*tax));
    let limit = instance.pricing_limit();
    let mut occupancy = Occupancy::empty(instance);
    let mut windows = vec![None; instance.jobs.len()];
    for job in by_price(instance, pool, duals, &prices) {
        meter.spend(1 + instance.slots.len() as u64)?;
        let from = instance.earliest(instance.jobs[job]);
        let weights = taxed.weights(instance, job);
        let known = pool.least_of(job, weights, from, &prices, |window| occupancy.holders(window).is_empty());
        let below = known.map_or(f64::INFINITY, |known| known.1);
        let request = &instance.jobs[job].request;
        let query = instance.query(&occupancy.rest, instance.jobs[job], request);
        let answer = PricedQuery::new(instance.rules, &query)
            .and_then(|query| query.best(weights, &prices, below, &mut limit.meter()))
            .map_err(JointError::from)?;
        meter.spend(answer.work)?;
        let found = answer.best.map(|best| best.window);
        let Some(window) = found.or_else(|| known.map(|known| pool.of(job)[known.0].clone())) else {
            continue;
        };
        occupancy.take(job, &window)?;
        pool.add(job, &window);
        windows[job] = Some(window);
    }
    *tax = if instance.keeps_to_limits(&windows) { 1.0 } else { (*tax * TAX_FACTOR).min(MAX_TAX) };
    incumbent.offer(instance, windows);
    Ok(())
}

/// Sorts the jobs by how much the prices raise their minimum values, in descending order.
fn by_price(instance: &Instance<'_>, pool: &Pool, duals: &Duals, prices: &NodeTimePrices) -> Vec<usize> {
    let none = NodeTimePrices::default();
    let least = |job: usize, prices: &NodeTimePrices| {
        let least = pool.least(job, duals.weights(instance, job), instance.from, prices);
        least.map_or(f64::INFINITY, |least| least.1)
    };
    let lost = |job: usize| least(job, prices) - least(job, &none);
    let mut jobs: Vec<(f64, usize)> = (0..instance.jobs.len()).map(|job| (lost(job), job)).collect();
    sort(&mut jobs, &|a, b| b.0.total_cmp(&a.0));
    jobs.into_iter().map(|job| job.1).collect()
}
