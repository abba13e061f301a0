//! The method for many jobs on few resources, without expanding capacities into single places.
//!
//! Successive shortest paths (R. G. Busacker, P. J. Gowen, 1961; with node prices J. Edmonds, R. M. Karp,
//! Theoretical improvements in algorithmic efficiency for network flow problems, 1972) on a graph whose nodes
//! are the resources: the arc from r to s is the cheapest move of a job from r to s. (The same view of the
//! transportation problem as in T. Tokuyama, J. Nakano, Geometric algorithms for the minimum cost assignment
//! problem, 1995.)
//!
//! If every job has room on its cheapest resource, one pass gives the answer. Otherwise prices are found on samples of
//! the jobs, each four times as large as the one before, with capacities in proportion; the last sample is all jobs.
//! For each sample, one pass places every job on its resource of minimum cost + price, and keeps the few pairs that can
//! still matter (`core`). On these pairs, the loads of overfull resources and of those with room are balanced along
//! shortest paths (`balance`). The prices of a sample are near those of the next larger one, the nearer the more jobs a
//! resource holds; so the core of a sample is a little wider than the change of prices on the sample before.
//! Candidate lists correct rounding errors, and solve problems for which cores do not suffice.

mod balance;
mod core;

use balance::Balance;
use sched_model::internal::order;

use self::core::{Core, extent, max_shift};
use crate::finish::{finish, proven};
use crate::kernel::lanes;
use crate::kernel::number::{max_of, power_of_two};
use crate::kernel::prepared::{Prepared, PricedAssignment};
use crate::kernel::source::Row;
use crate::kernel::watch::{Stop, Watch};
use crate::{Answer, AssignError, AssignmentProblem, shortest_paths};

/// The maximum number of resources, because the method needs memory in proportion to its square.
const MAX_RESOURCES: usize = 2000;

pub(crate) fn run(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Answer, Stop> {
    if problem.resources() > MAX_RESOURCES {
        let reason = "more than 2000 resources";
        return Err(AssignError::Unsupported { method: "transport", reason }.into());
    }
    solve(problem, watch)
}

/// The maximum number of resources at which a pass tests whether every job has a place on its cheapest resource. With
/// more, some resource is nearly always the cheapest of too many jobs.
const MAX_CHEAPEST_RESOURCES: usize = 256;

/// As [`run`], for any number of resources.
pub(crate) fn solve(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Answer, Stop> {
    let prepared = Prepared::without_columns(problem, watch)?;
    prepared.first_look()?;
    if problem.resources() <= MAX_CHEAPEST_RESOURCES
        && let Some(priced) = all_cheapest(&prepared)?
    {
        return Ok(proven(&prepared, priced));
    }
    match by_samples(&prepared)? {
        Some(priced) => finish(&prepared, priced, None),
        // A core cannot place every job, or cores had to be widened too often.
        None => shortest_paths::solve(&prepared, None),
    }
}

/// Places each job on its cheapest resource, at prices of 0; `None` if there is not enough room, or if rows are not
/// full.
fn all_cheapest(prepared: &Prepared<'_>) -> Result<Option<PricedAssignment>, Stop> {
    if prepared.dummy.is_some() {
        return Ok(None);
    }
    let mut priced = PricedAssignment::none(prepared, vec![0.0; prepared.capacities.len()]);
    let (mut room, mut buffer) = (prepared.capacities.clone(), Vec::new());
    for i in 0..prepared.jobs() {
        prepared.watch.spend(prepared.source.entries(i))?;
        let Row::Full(row) = prepared.source.row(i, &mut buffer) else { return Ok(None) };
        let minimum = lanes::min(row);
        let r = lanes::first_equal(row, minimum);
        let has_room = room.get(r).is_some_and(|&room| room > 0);
        if !has_room || !(minimum < f64::INFINITY) {
            return Ok(None);
        }
        room[r] -= 1;
        (priced.resource_of[i], priced.cost_of[i]) = (r as u32, minimum);
    }
    Ok(Some(priced))
}

/// Returns capacities in proportion to a sample of the jobs, rounded by largest remainders.
fn scaled(capacities: &[u32], jobs: usize, sample: usize) -> Vec<u32> {
    if sample == jobs {
        return capacities.to_vec();
    }
    let ratio = sample as f64 / jobs as f64;
    let exact: Vec<f64> = capacities.iter().map(|&c| f64::from(c) * ratio).collect();
    let mut scaled: Vec<u32> = exact.iter().map(|&c| c as u32).collect();
    let wanted = (exact.iter().sum::<f64>().round() as usize).max(sample);
    let mut order = order(capacities.len(), &|a, b| exact[b].fract().total_cmp(&exact[a].fract()));
    order.retain(|&r| capacities[r as usize] > 0);
    let given: usize = scaled.iter().map(|&c| c as usize).sum();
    for &r in order.iter().cycle().take(wanted.saturating_sub(given)) {
        scaled[r as usize] += 1;
    }
    scaled
}

/// The factor between the sizes of consecutive samples.
const SAMPLE_FACTOR: usize = 4;

/// The minimum number of jobs per resource in the smallest sample.
const MIN_SAMPLE: usize = 2;

/// The width of the second core, as a fraction of the range of the prices.
const SECOND_WIDTH: f64 = 1.0 / 16.0;

/// The minimum width of a core, as a fraction of the range of the prices.
const MIN_WIDTH: f64 = 1.0 / 256.0;

/// In a sample with at most this many pairs, a core that was too narrow is widened to all pairs.
const FEW_PAIRS: u64 = 60_000;

/// A sample may stay out of balance by one job or place per this many jobs.
const TOLERATED: usize = 256;

/// The maximum number of passes over a sample, each with a wider core.
const MAX_PASSES: usize = 6;

/// The factor by which a core that was too narrow is widened; the next one is widened by its square, and so on.
const WIDENING: f64 = 4.0;

/// Returns an assignment that is optimal up to rounding; `None` if a core cannot place every job, or if cores had to be
/// widened too often.
fn by_samples(prepared: &Prepared<'_>) -> Result<Option<PricedAssignment>, Stop> {
    let (n, m) = (prepared.jobs(), prepared.capacities.len());
    if n == 0 || m == 0 {
        return Ok(None);
    }
    let mut stride = 1;
    while MIN_SAMPLE * (n / (stride * SAMPLE_FACTOR)) >= m {
        stride *= SAMPLE_FACTOR;
    }
    let closed = |&c: &u32| if c == 0 { f64::INFINITY } else { 0.0 };
    let mut prices: Vec<f64> = prepared.capacities.iter().map(closed).collect();
    // Before the first sample is solved, all pairs matter.
    let mut width = f64::INFINITY;
    loop {
        let (count, is_whole) = (n.div_ceil(stride), stride == 1);
        let capacities = scaled(&prepared.capacities, n, count);
        let (is_first, begun, mut wider) = (width == f64::INFINITY, prices.clone(), WIDENING);
        for _ in 0..MAX_PASSES {
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
                return Ok(Some(to_assignment(prepared, &core, balance)));
            }
            if is_balanced {
                let apart = extent(prices.iter().copied());
                let min_width = apart * MIN_WIDTH;
                let next = if is_first {
                    apart * SECOND_WIDTH
                } else {
                    max_of(max_shift(&begun, &prices), min_width)
                };
                width = round_width(prepared, next);
                break;
            }
            let is_small = prepared.source.all_entries() / stride as u64 <= FEW_PAIRS;
            width = if is_small { f64::INFINITY } else { round_width(prepared, width * wider) };
            wider *= WIDENING;
        }
        if is_whole {
            return Ok(None);
        }
        stride /= SAMPLE_FACTOR;
    }
}

/// Returns the placements and prices of the balanced core of all jobs.
fn to_assignment(prepared: &Prepared<'_>, core: &Core, balance: Balance<'_>) -> PricedAssignment {
    let mut resource_of = core.resource_of.clone();
    for (&job, &r) in core.jobs.iter().zip(&balance.at) {
        resource_of[job as usize] = r;
    }
    let cost_of = resource_of.iter().enumerate().map(|(i, &r)| prepared.cost(i, r)).collect();
    // Prices are sums and differences of costs.
    PricedAssignment { resource_of, cost_of, prices: balance.prices, min_raise: f64::INFINITY }
}

/// Rounds a width up to three binary digits, the last of which is at most two places below the step of the costs, so
/// that sums with it are nearly as exact as sums of costs.
fn round_width(prepared: &Prepared<'_>, width: f64) -> f64 {
    if !width.is_finite() {
        return width;
    }
    let min_epsilon = prepared.survey.step.max(prepared.survey.max_magnitude * f64::EPSILON);
    let p = power_of_two(width.max(min_epsilon));
    p * ((width / p).max(1.0) * 4.0).ceil() / 4.0
}
