//! Prices from nested samples of the jobs, each four times as large as the one before; the last is all of them.
//!
//! A sample's prices are near those of the next larger one, the nearer the more jobs a resource holds. So each sample but
//! the first is balanced on a core that is as wide as prices have moved on the sample before, and a little wider.

use super::balance::Balance;
use super::core::{Core, Size};
use super::paths::Outcome;
use super::rows::Sample;
use super::scaled;
use crate::candidates::drive::power_of_two;
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::stop::Stop;
use crate::kernel::watch::Watch;
use sched_model::End;

/// How much larger each sample is than the one before.
const FACTOR: usize = 4;

/// Jobs per resource of the smallest sample.
const LEAST_SAMPLE: usize = 1;

/// The width of a core, as a share of how far prices moved against each other on the sample before.
const NEXT_WIDTH: f64 = 1.0;

const FIRST_WIDTH: f64 = 1.0 / 16.0;

/// Arcs of a core, per job, beyond which members keep only their cheapest; the first sample may have as many arcs as all
/// jobs together.
const ARCS_PER_JOB: usize = 48;

/// Jobs and places of a sample that may stay out of balance, as one in so many jobs.
const TOLERATED: u64 = 256;

/// Paths are looked for on a part of the core first, so much less wide, then so many times wider.
const NARROWED: f64 = 1.0 / 16.0;
const WIDENED: f64 = 4.0;

/// Of what power of two below a width the prices that sweeps stop at are multiples: a width is four times an odd number at most
/// of a quarter, narrowed by powers of two, and prices stop half a width away.
const FINEST: f64 = 1.0 / 1024.0;

/// Arcs of a core that is too small for a part of it to be worth while.
const LEAST_NARROWED: usize = 2000;

/// The first increment of rough sweeps on the first sample as a share of what costs lie apart, how it falls, and how often.
const FIRST_INCREMENT: f64 = 1.0 / 8.0;
const NEXT_INCREMENT: f64 = 1.0 / 4.0;
const INCREMENTS: usize = 5;

/// Jobs and places that such sweeps may leave out of balance, as one in so many jobs.
const TOLERATED_ROUGHLY: u64 = 64;

/// If the first of them leaves more than one job in so many out of balance, they are of no use here.
const NOT_ROUGHLY: u64 = 3;

/// Passes over all jobs, each with a wider core, before another method goes on.
const MOST_PASSES: usize = 6;

/// How a sample is looked at.
struct Plan {
    stride: usize,
    capacities: Vec<u32>,
    has_slack: bool,
}

/// The optimum, but for rounding, from prices of samples; `None` if more than `budget` entries would have to be read, or a
/// core cannot place every job.
pub(super) fn solve(prepared: &Prepared<'_>, budget: u64) -> Result<Option<Found>, Stop> {
    let n = prepared.jobs();
    let m = prepared.capacities.len();
    if n == 0 || m == 0 {
        return Ok(None);
    }
    let mut stride = 1;
    while n / (stride * FACTOR) >= LEAST_SAMPLE * m {
        stride *= FACTOR;
    }
    let mut prices: Vec<f64> =
        prepared.capacities.iter().map(|&c| if c == 0 { f64::INFINITY } else { 0.0 }).collect();
    let mut width = f64::INFINITY;
    let mut spent = 0u64;
    let mut least_raise = f64::INFINITY;
    loop {
        let sample = Sample::new(prepared, stride);
        let capacities = scaled(&prepared.capacities, n, sample.count());
        let places: u64 = capacities.iter().map(|&c| u64::from(c)).sum();
        let plan = Plan { stride, capacities, has_slack: places > sample.count() as u64 };
        let mut level =
            Level { prepared, sample, plan, spent: &mut spent, least_raise: &mut least_raise, budget };
        match level.solve(&mut prices, &mut width)? {
            Solved::Optimum(found) => return Ok(Some(found)),
            Solved::Prices => stride /= FACTOR,
            Solved::Nothing => return Ok(None),
        }
    }
}

struct Level<'f, 'a, 's> {
    prepared: &'f Prepared<'a>,
    sample: Sample<'f, 'a>,
    plan: Plan,
    spent: &'s mut u64,
    /// Prices are sums of costs and of multiples of this.
    least_raise: &'s mut f64,
    budget: u64,
}

/// The result of one sample.
enum Solved {
    /// The sample was all jobs: their optimum, but for rounding.
    Optimum(Found),
    /// Prices for the next sample.
    Prices,
    /// The budget does not suffice, or no core places every job.
    Nothing,
}

impl Level<'_, '_, '_> {
    /// Prices for a start, by sweeps with falling increments.
    fn roughly(&mut self, mut core: Core, prices: &mut Vec<f64>) -> Result<(), Stop> {
        let tolerated = self.sample.count() as u64 / TOLERATED_ROUGHLY;
        let mut increment = power_of_two(core.spread().max(self.prepared.survey.step)) * FIRST_INCREMENT;
        for number in 0..INCREMENTS {
            let plan = &self.plan;
            let mut balance = Balance::new(&core, &plan.capacities, plan.has_slack, self.prepared.watch);
            balance.sweep_roughly(increment, tolerated, self.budget)?;
            *self.spent += core.work + balance.work;
            if number == 0 && balance.unbalanced() > self.sample.count() as u64 / NOT_ROUGHLY {
                return Ok(());
            }
            *self.least_raise = self.least_raise.min(increment);
            *prices = balance.prices;
            let at = balance.at;
            core = core.narrowed(&at, prices, f64::INFINITY);
            increment *= NEXT_INCREMENT;
        }
        Ok(())
    }

    /// Balances the sample from these prices, and leaves its prices, and the width that the next core should have.
    fn solve(&mut self, prices: &mut Vec<f64>, width: &mut f64) -> Result<Solved, Stop> {
        let (prepared, sample) = (self.prepared, self.sample);
        let rounded = |width: f64| rounded(prepared, width);
        let whole = self.plan.stride == 1;
        let count = sample.count();
        let m = self.plan.capacities.len();
        let first = *width == f64::INFINITY;
        let is_small = count * m <= ARCS_PER_JOB * prepared.jobs();
        let most = match (is_small, first) {
            (true, _) => usize::MAX,
            // From prices of 0 many resources are too dear by far.
            (false, true) => ARCS_PER_JOB.max(m / 4),
            (false, false) => ARCS_PER_JOB,
        };
        if first {
            let size = Size { width: *width, arcs: most };
            let Some(core) = Core::collect(&sample, &self.plan.capacities, prices, size, prepared.watch)?
            else {
                return Ok(Solved::Nothing);
            };
            self.roughly(core, prices)?;
        }
        let plan = &self.plan;
        for pass in 0..MOST_PASSES {
            *self.least_raise = self.least_raise.min(power_of_two(*width) * FINEST);
            let size = Size { width: *width, arcs: most.saturating_mul(1 << pass.min(8)) };
            let Some(core) = Core::collect(&sample, &plan.capacities, prices, size, prepared.watch)? else {
                return Ok(Solved::Nothing);
            };
            *self.spent += core.work;
            let left = if whole { self.budget.saturating_sub(*self.spent) } else { self.budget / 2 };
            let tolerated = if whole { 0 } else { count as u64 / TOLERATED };
            if whole {
                prepared.look_overfull(&core.resource_of, prices)?;
            }
            let balance = on_core(&core, plan, tolerated, left, prepared.watch)?;
            let outcome = balance.outcome;
            *self.spent += balance.work;
            if outcome == Outcome::Spent {
                return Ok(Solved::Nothing);
            }
            let (fallen, risen) = core.moved(&balance.prices);
            let range = if risen >= fallen { risen - fallen } else { 0.0 };
            let enough =
                outcome == Outcome::Balanced && core.is_enough(&balance.prices, |k| paid(&core, &balance, k));
            prices.clone_from(&balance.prices);
            if enough || (!whole && outcome == Outcome::Balanced) {
                *width = rounded(if width.is_finite() {
                    range * NEXT_WIDTH
                } else {
                    extent(prices) * FIRST_WIDTH
                });
                if !whole {
                    return Ok(Solved::Prices);
                }
                let mut resource_of = core.resource_of.clone();
                for (&job, &r) in core.jobs.iter().zip(&balance.at) {
                    resource_of[job as usize] = r;
                }
                let cost_of =
                    resource_of.iter().enumerate().map(|(i, &r)| sample.cost(i, r as usize)).collect();
                let (prices, least_raise) = (prices.clone(), *self.least_raise);
                return Ok(Solved::Optimum(Found { resource_of, cost_of, prices, least_raise }));
            }
            *width = match outcome {
                Outcome::Balanced => rounded(range * 1.5),
                _ => rounded(*width * 4.0),
            };
        }
        Ok(if whole { Solved::Nothing } else { Solved::Prices })
    }
}

/// How far finite prices lie apart.
fn extent(prices: &[f64]) -> f64 {
    let finite = || prices.iter().copied().filter(|price| price.is_finite());
    let extent = finite().fold(f64::NEG_INFINITY, f64::max) - finite().fold(f64::INFINITY, f64::min);
    if extent > 0.0 { extent } else { 0.0 }
}

/// What balancing came to.
struct Balanced {
    outcome: Outcome,
    prices: Vec<f64>,
    at: Vec<u32>,
    work: u64,
}

/// What a member pays.
fn paid(core: &Core, balance: &Balanced, k: usize) -> f64 {
    let r = balance.at[k];
    let cost = core.arcs(k).iter().find(|arc| arc.to == r).map_or(f64::INFINITY, |arc| arc.cost);
    cost + balance.prices[r as usize]
}

/// Balances a core: first by single prices, then by paths, on ever wider cores of its own.
fn on_core(core: &Core, plan: &Plan, tolerated: u64, budget: u64, watch: Watch<'_>) -> Result<Balanced, End> {
    let mut balance = Balance::new(core, &plan.capacities, plan.has_slack, watch);
    balance.sweep(budget)?;
    let out = balance.unbalanced();
    if out <= tolerated
        || !core.width.is_finite()
        || core.arcs.len() < LEAST_NARROWED
        || core.has_few_resources()
    {
        let outcome = balance.search_all(tolerated, budget)?;
        let Balance { prices, at, work, .. } = balance;
        return Ok(Balanced { outcome, prices, at, work });
    }
    let Balance { mut prices, mut at, mut work, .. } = balance;
    let mut width = core.width * NARROWED;
    loop {
        width = width.min(core.width);
        let inner = core.narrowed(&at, &prices, width);
        let mut balance = Balance::new(&inner, &plan.capacities, plan.has_slack, watch);
        balance.sweep(budget)?;
        let mut outcome = balance.search_all(tolerated, budget)?;
        work += inner.work + balance.work;
        let enough = width >= core.width || inner.is_enough(&balance.prices, |k| balance.paid(k));
        prices.clone_from(&balance.prices);
        at.clone_from(&inner.resource_of);
        for (&k, &r) in inner.jobs.iter().zip(&balance.at) {
            at[k as usize] = r;
        }
        if work > budget {
            outcome = Outcome::Spent;
        }
        if outcome == Outcome::Spent || width >= core.width || (outcome == Outcome::Balanced && enough) {
            return Ok(Balanced { outcome, prices, at, work });
        }
        width *= WIDENED;
    }
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
