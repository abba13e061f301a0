//! Assignment by sorting, for costs whose optimum follows from a ranking of the jobs and of the resources.
//!
//! A. J. Hoffman, On simple linear programming problems (1963), for matrices with the property of G. Monge:
//! with rows and columns in the right order, `c[i][r] + c[k][s] <= c[i][s] + c[k][r]` for `i < k`, `r < s`.
//! Product costs, length / speed, have this property: the longest jobs go to the fastest resources.

use sched_model::Proof;
use sched_model::internal::{exact_sum, order};

use crate::costs::Form;
use crate::finish::finish;
use crate::kernel::NONE;
use crate::kernel::prepared::{Prepared, PricedAssignment};
use crate::kernel::source::Row;
use crate::kernel::watch::{Stop, Watch};
use crate::kernel::wide::add_signed;
use crate::solution::Duals;
use crate::{Answer, AssignError, Assignment, AssignmentProblem, Coverage, Sense};

pub(crate) fn run(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Answer, Stop> {
    if let Some(answer) = product(problem) {
        return Ok(answer);
    }
    let prepared = Prepared::new(problem, watch)?;
    match rank(&prepared)? {
        Some(priced) if misplaced(&prepared, &priced, 0)? == 0 => finish(&prepared, priced, None),
        _ => Err(AssignError::Unsupported { method: "sorted", reason: "the costs give no ranking" }.into()),
    }
}

/// Solves a problem with product costs by sorting, with the proof that the ranking of the factors gives: only the
/// quotients of the assignment are computed. `None` if the problem does not have that form.
fn product(problem: &AssignmentProblem<'_>) -> Option<Answer> {
    let PricedAssignment { resource_of, cost_of, mut prices, .. } = rank_product(problem)?;
    let (n, m) = (problem.jobs(), problem.resources());
    let total = exact_sum(cost_of.iter().copied());
    let max_magnitude = cost_of.iter().fold(0.0, |a: f64, cost| a.max(cost.abs()));
    let profits =
        resource_of.iter().zip(&cost_of).map(|(&r, cost)| 0.0 - (cost + prices[r as usize])).collect();
    let waiting = (prices.len() > m).then(|| 0.0 - prices[m]);
    prices.truncate(m);
    let solution = Assignment {
        resources: resource_of.iter().map(|&r| ((r as usize) < m).then_some(r)).collect(),
        total: if problem.sense == Sense::Maximise { 0.0 - total } else { 0.0 + total },
        duals: Some(Duals { profits, prices, waiting, remainders: None }),
    };
    // The ranking of the factors is exact; each quotient, of this assignment and of the optimum, is off by at most half
    // a unit in the last place.
    let proof = match f64::EPSILON * max_magnitude * n as f64 {
        0.0 => Proof::Exact,
        gap => Proof::WithinEpsilon(gap),
    };
    Some(Answer { solution, proof })
}

/// Returns the assignment and prices of a problem with product costs, by the ranks of their factors. `None` if the
/// costs have another form, if there is a penalty, or if not every job that must be placed has a place.
pub(crate) fn rank_product(problem: &AssignmentProblem<'_>) -> Option<PricedAssignment> {
    let Form::Product { lengths, speeds } = problem.costs.form() else { return None };
    let (n, m) = (problem.jobs(), problem.resources());
    let missing = (n as u64).saturating_sub(problem.total_capacity());
    if matches!(problem.coverage, Coverage::Penalty(_))
        || (missing > 0 && problem.coverage == Coverage::EveryJob)
    {
        return None;
    }
    let maximise = problem.sense == Sense::Maximise;
    // Unplaced jobs cost nothing, as on an infinitely fast resource; this dummy has the index after the last resource.
    let speed = |r: usize| if r == m { f64::INFINITY } else { speeds[r] };
    let resources = order(m + usize::from(missing > 0), &|a, b| {
        let faster = speed(b).total_cmp(&speed(a));
        if maximise { faster.reverse() } else { faster }
    });
    let jobs = order(n, &|a, b| descending(lengths[a], lengths[b]));
    let cost = |i: usize, r: usize| {
        let cost = lengths[i] / speed(r);
        if maximise { -cost } else { cost }
    };
    let capacity = |r: usize| if r == m { missing } else { u64::from(problem.capacity(r)) };
    Some(chain(&jobs, &resources, capacity, cost))
}

/// Fills the resources, in the order `resources`, with the jobs in the order `jobs`. The last resource used
/// and all after it have the price 0. The prices of two neighbours up to it differ by what the first job after the
/// boundary between them would save on the earlier one.
fn chain(
    jobs: &[u32],
    resources: &[u32],
    capacity: impl Fn(usize) -> u64,
    cost: impl Fn(usize, usize) -> f64,
) -> PricedAssignment {
    let mut resource_of = vec![NONE; jobs.len()];
    let mut prices = vec![0.0; resources.len()];
    let mut first_after = Vec::with_capacity(resources.len());
    let mut placed = 0usize;
    for &r in resources {
        let room = usize::try_from(capacity(r as usize)).unwrap_or(usize::MAX);
        let upto = placed.saturating_add(room).min(jobs.len());
        for &i in &jobs[placed..upto] {
            resource_of[i as usize] = r;
        }
        placed = upto;
        first_after.push(placed);
    }
    for at in (1..resources.len()).rev() {
        let (before, after) = (resources[at - 1] as usize, resources[at] as usize);
        if let Some(&next) = jobs.get(first_after[at - 1]) {
            let cost = |r| cost(next as usize, r);
            prices[before] = prices[after] + (cost(after) - cost(before));
        }
    }
    let cost_of = resource_of.iter().enumerate().map(|(i, &r)| cost(i, r as usize)).collect();
    PricedAssignment { resource_of, cost_of, prices, min_raise: f64::INFINITY }
}

/// Returns the assignment and prices that a ranking of jobs and resources gives, if a sample of exchanges of two jobs
/// between two resources agrees with one. Requires that every place will be taken and no pair is forbidden.
pub(crate) fn rank(prepared: &Prepared<'_>) -> Result<Option<PricedAssignment>, Stop> {
    let (n, m) = (prepared.jobs(), prepared.source.cols());
    if n < 3 || m < 2 || prepared.dummy.is_some() || prepared.survey.forbidden || !prepared.is_tight() {
        return Ok(None);
    }
    let cost = |i: usize, r: usize| prepared.source.cost(i, r);
    // The two resources between which jobs 0 and n / 2 differ most, then the two jobs that differ most between these.
    // Any two jobs of different rank serve; two of equal rank find no ranking, and another method follows.
    let apart = |r: usize| cost(0, r) - cost(n / 2, r);
    let Some((near, far)) = extremes(m, apart) else { return Ok(None) };
    let by_job: Vec<f64> = (0..n).map(|i| cost(i, far) - cost(i, near)).collect();
    let Some((lowest, highest)) = extremes(n, |i| by_job[i]) else { return Ok(None) };
    let by_resource: Vec<f64> = (0..m).map(|r| cost(highest, r) - cost(lowest, r)).collect();
    // The gain of an exchange of two jobs between two resources must have the sign that the ranks predict.
    let mut state = 1u64;
    let mut draw = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    let (mut against, mut agree, mut agreeing) = (0.0, 0.0, 0);
    for _ in 0..SAMPLE {
        let (i, k, r, s) = (draw(n), draw(n), draw(m), draw(m));
        let (here, there) = (cost(i, r) + cost(k, s), cost(i, s) + cost(k, r));
        let exchange = here - there;
        // A smaller gain is only rounding, for example if costs are sums of a job part and a resource part.
        let noise = 8.0 * f64::EPSILON * (here.abs() + there.abs());
        let ranks = (by_job[i] > by_job[k]) == (by_resource[r] > by_resource[s]);
        let alike = by_job[i] == by_job[k] || by_resource[r] == by_resource[s];
        if exchange.abs() > noise && !alike {
            // Weighted by the gain, because costs that were rounded to whole numbers disagree only slightly.
            if (exchange > 0.0) == ranks {
                agree += exchange.abs();
                agreeing += 1;
            } else {
                against += exchange.abs();
            }
        }
    }
    // Costs without a ranking agree and disagree alike, far from this share.
    if against * 16.0 > agree || agreeing * 16 < SAMPLE {
        return Ok(None);
    }
    prepared.watch.spend(prepared.source.all_entries())?;
    let (by_job, by_resource) =
        by_halves(prepared, &ascending_order(&by_job), &ascending_order(&by_resource));
    let jobs = order(n, &|a, b| descending(by_job[a], by_job[b]));
    let resources = ascending_order(&by_resource);
    Ok(Some(chain(&jobs, &resources, |r| u64::from(prepared.capacities[r]), cost)))
}

/// Returns how much more each job costs on the upper half of the resources than on the lower half, and how much more
/// each resource costs for the upper half of the jobs than for the lower half. If a cost is, for example, the maximum
/// of two numbers, two resources distinguish only some jobs, and two jobs only some resources; halves distinguish all
/// that differ.
fn by_halves(prepared: &Prepared<'_>, jobs: &[u32], resources: &[u32]) -> (Vec<f64>, Vec<f64>) {
    let signs = |order: &[u32]| {
        let mut signs = vec![0.0; order.len()];
        let half = order.len() / 2;
        order[..half].iter().for_each(|&at| signs[at as usize] = -1.0);
        order[order.len() - half..].iter().for_each(|&at| signs[at as usize] = 1.0);
        signs
    };
    let (of_job, of_resource) = (signs(jobs), signs(resources));
    let mut by_job = Vec::with_capacity(jobs.len());
    let mut by_resource = vec![0.0; resources.len()];
    let mut buffer = Vec::new();
    for (i, &sign) in of_job.iter().enumerate() {
        let mut sum = 0.0;
        match prepared.source.row(i, &mut buffer) {
            Row::Full(row) => sum = add_signed(row, sign, &of_resource, &mut by_resource),
            listed => listed.each(|r, cost| {
                sum += of_resource[r] * cost;
                by_resource[r] += sign * cost;
            }),
        }
        by_job.push(sum);
    }
    (by_job, by_resource)
}

/// The indices of the keys in ascending order of key; ties by index.
fn ascending_order(keys: &[f64]) -> Vec<u32> {
    order(keys.len(), &|a, b| descending(keys[b], keys[a]))
}

/// Compares two numbers in descending order; -0 equals 0.
fn descending(a: f64, b: f64) -> std::cmp::Ordering {
    (b + 0.0).total_cmp(&(a + 0.0))
}

/// The number of exchanges that are sampled before sorting.
const SAMPLE: usize = 64;

/// The positions of the minimum and the maximum of a key; `None` if all keys are equal.
fn extremes(count: usize, key: impl Fn(usize) -> f64) -> Option<(usize, usize)> {
    let (mut min, mut max) = ((f64::INFINITY, 0), (f64::NEG_INFINITY, 0));
    for at in 0..count {
        let key = key(at);
        if key < min.0 {
            min = (key, at);
        }
        if key > max.0 {
            max = (key, at);
        }
    }
    (min.0 < max.0).then_some((min.1, max.1))
}

/// Returns the number of jobs that pay more than their minimum cost + price, up to rounding. Takes one pass over the
/// costs, which ends early when the number exceeds `most`.
pub(crate) fn misplaced(
    prepared: &Prepared<'_>,
    priced: &PricedAssignment,
    max_misplaced: usize,
) -> Result<usize, Stop> {
    let mut buffer = Vec::new();
    let max_magnitude =
        priced.prices.iter().fold(prepared.survey.max_magnitude, |a, price| a.max(price.abs()));
    let margin = if prepared.sums_are_exact(priced) { 0.0 } else { 16.0 * f64::EPSILON * max_magnitude };
    let out = prepared.dummy.map_or(f64::INFINITY, |out| out + priced.prices[prepared.source.cols()]);
    let mut misplaced = 0;
    for (i, (&r, &cost)) in priced.resource_of.iter().zip(&priced.cost_of).enumerate() {
        prepared.watch.spend(prepared.source.entries(i))?;
        let paid = (cost + priced.prices[r as usize]) - margin;
        let minimum = prepared.source.row(i, &mut buffer).min_sum(&priced.prices);
        misplaced += usize::from(minimum.min(out) < paid);
        if misplaced > max_misplaced {
            break;
        }
    }
    Ok(misplaced)
}
