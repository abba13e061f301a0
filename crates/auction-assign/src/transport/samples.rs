//! Prices from nested samples of the jobs, each four times as large as the one before; the last is all of
//! them.
//!
//! A sample's prices are near those of the next larger one, the nearer the more jobs a resource holds. So
//! each sample but the first is balanced on a core a little wider than the changes of the prices on the
//! sample before.

use super::balance::Balance;
use super::core::{Core, extent, moved};
use super::scaled;
use crate::kernel::number::{greater, power_of_two};
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::watch::Stop;

/// How much larger each sample is than the one before.
const FACTOR: usize = 4;

/// Resources per job of the smallest sample, at most.
const LEAST_SAMPLE: usize = 2;

/// The width of the second core, as a share of how far prices lie apart.
const SECOND_WIDTH: f64 = 1.0 / 16.0;

/// The least width of a core, as a share of how far prices lie apart.
const LEAST_WIDTH: f64 = 1.0 / 256.0;

/// Pairs of a sample up to which a core that was too narrow is made of all of them.
const FEW_PAIRS: u64 = 60_000;

/// Jobs and places of a sample that may stay out of balance, as one in so many jobs.
const TOLERATED: usize = 256;

/// Passes over all jobs, each with a wider core, before another method continues.
const MOST_PASSES: usize = 6;

/// How much wider a core is than the first that was too narrow; than the second by the square of it, and so on.
const WIDER: f64 = 4.0;

/// The optimum, up to rounding; `None` where a core cannot place every job, or cores had to be made wider too
/// often.
pub(super) fn solve(prepared: &Prepared<'_>) -> Result<Option<Found>, Stop> {
    let (n, m) = (prepared.jobs(), prepared.capacities.len());
    if n == 0 || m == 0 {
        return Ok(None);
    }
    let mut stride = 1;
    while LEAST_SAMPLE * (n / (stride * FACTOR)) >= m {
        stride *= FACTOR;
    }
    let closed = |&c: &u32| if c == 0 { f64::INFINITY } else { 0.0 };
    let mut prices: Vec<f64> = prepared.capacities.iter().map(closed).collect();
    // Before the first sample is solved, all pairs matter.
    let mut width = f64::INFINITY;
    loop {
        let (count, is_whole) = (n.div_ceil(stride), stride == 1);
        let capacities = scaled(&prepared.capacities, n, count);
        let (is_first, begun, mut wider) = (width == f64::INFINITY, prices.clone(), WIDER);
        for _ in 0..MOST_PASSES {
            let Some(core) = Core::collect(prepared, stride, &capacities, &prices, width)? else {
                return Ok(None);
            };
            if is_whole {
                prepared.look_overfull(&core.resource_of, &prices)?;
            }
            let mut balance = Balance::new(&core, &capacities, prepared.watch);
            let is_balanced = balance.search_all(if is_whole { 0 } else { count / TOLERATED })?;
            prices.clone_from(&balance.prices);
            if is_balanced && is_whole {
                return Ok(Some(found(prepared, &core, balance)));
            }
            if is_balanced {
                let apart = extent(prices.iter().copied());
                let least = apart * LEAST_WIDTH;
                let next =
                    if is_first { apart * SECOND_WIDTH } else { greater(moved(&begun, &prices), least) };
                width = rounded(prepared, next);
                break;
            }
            let is_small = prepared.source.all_entries() / stride as u64 <= FEW_PAIRS;
            width = if is_small { f64::INFINITY } else { rounded(prepared, width * wider) };
            wider *= WIDER;
        }
        if is_whole {
            return Ok(None);
        }
        stride /= FACTOR;
    }
}

/// The jobs where balancing has placed them.
fn found(prepared: &Prepared<'_>, core: &Core, balance: Balance<'_>) -> Found {
    let mut resource_of = core.resource_of.clone();
    for (&job, &r) in core.jobs.iter().zip(&balance.at) {
        resource_of[job as usize] = r;
    }
    let cost_of = resource_of.iter().enumerate().map(|(i, &r)| prepared.cost(i, r)).collect();
    // Prices are sums and differences of costs.
    Found { resource_of, cost_of, prices: balance.prices, least_raise: f64::INFINITY }
}

/// A width not below this one that has at most three binary digits, the last at most two places below that of the
/// costs: sums with it are nearly as exact as theirs.
fn rounded(prepared: &Prepared<'_>, width: f64) -> f64 {
    if !width.is_finite() {
        return width;
    }
    let least = prepared.survey.step.max(prepared.survey.greatest * f64::EPSILON);
    let p = power_of_two(width.max(least));
    p * ((width / p).max(1.0) * 4.0).ceil() / 4.0
}
