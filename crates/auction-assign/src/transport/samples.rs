//! Prices from nested samples of the jobs, each four times as large as the one before; the last is all of
//! them.
//!
//! A sample's prices are near those of the next larger one, the nearer the more jobs a resource holds. So
//! each sample but the first is balanced on a core a little wider than the changes of the prices on the
//! sample before.

use super::balance::{Balance, Outcome};
use super::core::{Core, Sample, Size};
use super::scaled;
use crate::kernel::number::{greater, power_of_two};
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::watch::Stop;

/// How much larger each sample is than the one before.
const FACTOR: usize = 4;

/// Resources per job of the smallest sample, at most.
const LEAST_SAMPLE: usize = 2;

/// The width of a core, as a share of how far prices moved against each other on the sample before.
const NEXT_WIDTH: f64 = 1.0;

const FIRST_WIDTH: f64 = 1.0 / 16.0;

/// The least width of a core, as a share of how far prices lie apart.
const LEAST_WIDTH: f64 = 1.0 / 256.0;

/// Pairs of a sample up to which a core that was too narrow is made of all of them.
const FEW_PAIRS: u64 = 60_000;

/// Arcs of a core, per job, beyond which members keep only their cheapest; the first sample may have as many
/// arcs as all jobs together.
const ARCS_PER_JOB: usize = 48;

/// Jobs and places of a sample that may stay out of balance, as one in so many jobs.
const TOLERATED: u64 = 256;

/// Passes over all jobs, each with a wider core, before another method continues.
const MOST_PASSES: usize = 6;

/// How much wider a core is than the first that was too narrow; than the second by the square of it, and so on.
const WIDER: f64 = 4.0;

/// How a sample is balanced.
struct Plan {
    /// Whether these are all jobs.
    is_whole: bool,
    capacities: Vec<u32>,
    has_slack: bool,
}

/// The search through the samples.
pub(super) struct Samples<'f, 'a> {
    prepared: &'f Prepared<'a>,
    stride: usize,
    prices: Vec<f64>,
    /// Of the next core; infinite before the first sample is solved.
    width: f64,
}

impl<'f, 'a> Samples<'f, 'a> {
    pub(super) fn new(prepared: &'f Prepared<'a>) -> Self {
        let (n, m) = (prepared.jobs(), prepared.capacities.len());
        let mut stride = 1;
        while LEAST_SAMPLE * (n / (stride * FACTOR)) >= m.max(1) {
            stride *= FACTOR;
        }
        let closed = |&c: &u32| if c == 0 { f64::INFINITY } else { 0.0 };
        Self {
            prepared,
            stride,
            prices: prepared.capacities.iter().map(closed).collect(),
            width: f64::INFINITY,
        }
    }

    /// The optimum, up to rounding; `None` where a core cannot place every job, or cores had to be made wider
    /// too often.
    pub(super) fn solve(mut self) -> Result<Option<Found>, Stop> {
        let n = self.prepared.jobs();
        if n == 0 || self.prices.is_empty() {
            return Ok(None);
        }
        loop {
            let sample = Sample::new(self.prepared, self.stride);
            let capacities = scaled(&self.prepared.capacities, n, sample.count());
            let places: u64 = capacities.iter().map(|&c| u64::from(c)).sum();
            let plan =
                Plan { is_whole: self.stride == 1, capacities, has_slack: places > sample.count() as u64 };
            let mut level = Level { samples: &mut self, sample, plan };
            match level.solve()? {
                Reached::Solved(found) => return Ok(Some(found)),
                Reached::Priced => self.stride /= FACTOR,
                Reached::Nowhere => return Ok(None),
            }
        }
    }
}

/// The result of one sample.
enum Reached {
    /// All jobs are placed.
    Solved(Found),
    /// The prices of the sample are as good as it can give.
    Priced,
    /// This method has no answer.
    Nowhere,
}

struct Level<'s, 'f, 'a> {
    samples: &'s mut Samples<'f, 'a>,
    sample: Sample<'f, 'a>,
    plan: Plan,
}

impl Level<'_, '_, '_> {
    /// Balances the sample from the present prices, and leaves its prices and the width of the next core.
    fn solve(&mut self) -> Result<Reached, Stop> {
        let (prepared, sample) = (self.samples.prepared, self.sample);
        let rounded = |width: f64| rounded(prepared, width);
        let whole = self.plan.is_whole;
        let count = sample.count();
        let m = self.plan.capacities.len();
        let first = self.samples.width == f64::INFINITY;
        let is_small = count * m <= ARCS_PER_JOB * prepared.jobs();
        let most = match (is_small, first) {
            (true, _) => usize::MAX,
            // After a start from prices of 0 many resources are far overpriced.
            (false, true) => ARCS_PER_JOB.max(m / 4),
            (false, false) => ARCS_PER_JOB,
        };
        let begun = self.samples.prices.clone();
        let mut wider = WIDER;
        for pass in 0..MOST_PASSES {
            let Some(core) = self.collect(most.saturating_mul(1 << pass.min(8)))? else {
                return Ok(Reached::Nowhere);
            };
            let samples = &mut *self.samples;
            let tolerated = if whole { 0 } else { count as u64 / TOLERATED };
            if whole {
                prepared.look_overfull(&core.resource_of, &samples.prices)?;
            }
            let mut balance = Balance::new(&core, &self.plan.capacities, self.plan.has_slack, prepared.watch);
            let outcome = balance.search_all(tolerated)?;
            let range = range(&begun, &balance.prices);
            let enough = outcome == Outcome::Balanced && core.is_enough(&balance.prices, |k| balance.paid(k));
            samples.prices.clone_from(&balance.prices);
            if enough || (!whole && outcome == Outcome::Balanced) {
                let least = extent(&samples.prices) * LEAST_WIDTH;
                samples.width = rounded(if first {
                    extent(&samples.prices) * FIRST_WIDTH
                } else {
                    greater(range * NEXT_WIDTH, least)
                });
                return Ok(if whole {
                    Reached::Solved(self.found(&core, &balance.at))
                } else {
                    Reached::Priced
                });
            }
            samples.width = match outcome {
                _ if sample.all_entries() <= FEW_PAIRS => f64::INFINITY,
                Outcome::Balanced => rounded(greater(range * 1.5, samples.width)),
                _ => rounded(samples.width * wider),
            };
            if outcome == Outcome::TooNarrow {
                wider *= WIDER;
            }
        }
        Ok(if whole { Reached::Nowhere } else { Reached::Priced })
    }

    /// The core at the present prices and width.
    fn collect(&mut self, arcs: usize) -> Result<Option<Core>, Stop> {
        let samples = &mut *self.samples;
        let size = Size { width: samples.width, arcs };
        Core::collect(&self.sample, &self.plan.capacities, &samples.prices, size, samples.prepared.watch)
    }

    /// The jobs where balancing has placed them.
    fn found(&self, core: &Core, at: &[u32]) -> Found {
        let mut resource_of = core.resource_of.clone();
        for (&job, &r) in core.jobs.iter().zip(at) {
            resource_of[job as usize] = r;
        }
        let cost_of = resource_of.iter().enumerate().map(|(i, &r)| self.sample.cost(i, r)).collect();
        // Prices are sums and differences of costs.
        Found { resource_of, cost_of, prices: self.samples.prices.clone(), least_raise: f64::INFINITY }
    }
}

/// How far prices have moved against each other.
fn range(before: &[f64], now: &[f64]) -> f64 {
    extent(&now.iter().zip(before).map(|(now, before)| now - before).collect::<Vec<_>>())
}

/// The difference between the greatest and the least finite price.
fn extent(prices: &[f64]) -> f64 {
    let finite = || prices.iter().copied().filter(|price| price.is_finite());
    let extent = finite().fold(f64::NEG_INFINITY, f64::max) - finite().fold(f64::INFINITY, f64::min);
    if extent > 0.0 { extent } else { 0.0 }
}

/// A power of two not below a width, so that sums with it are as exact as those of the costs.
fn rounded(prepared: &Prepared<'_>, width: f64) -> f64 {
    let least = prepared.survey.step.max(prepared.survey.greatest * f64::EPSILON);
    if width.is_finite() {
        let p = power_of_two(width.max(least));
        p * ((width / p).max(1.0) * 4.0).ceil() / 4.0
    } else {
        width
    }
}
