//! From the result of rounded sums to the exact optimum.
//!
//! The prices of a search in doubles are converted to fixed-point numbers without change. At these prices a
//! few jobs may pay more than their least cost + price, by a last bit or two. In most cases it is enough to
//! lower some prices a little; else these jobs are removed and placed again along shortest paths, in exact
//! arithmetic. The numbers are as wide as the costs need, up to the whole range of doubles.

use sched_model::Proof;

use crate::kernel::number::{Fixed, Number, Unit, lesser};
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::source::Row;
use crate::kernel::stop::Stop;
use crate::kernel::survey::least_magnitude;
use crate::kernel::tighten::tighten;
use crate::kernel::wide::least;
use crate::solution::{Answer, Duals, Remainders};

/// The answer with duals and proof, from an assignment in which, up to rounding, every job is placed where
/// cost + price is least and free places cost no more than any other.
pub(crate) fn finish(prepared: &Prepared<'_>, mut found: Found, repair: impl Repair) -> Result<Answer, Stop> {
    if prepared.sums_are_exact(&found) {
        return Ok(prepared.finish(found));
    }
    if stand_cheapest(prepared, &found)? {
        found.prices.fill(0.0);
        return Ok(prepared.finish(found));
    }
    let least_cost = least_magnitude(&prepared.source);
    let penalty = prepared.dummy.filter(|&penalty| penalty != 0.0).map_or(f64::INFINITY, f64::abs);
    let unit = Unit::below(least_cost.min(penalty));
    let prices = found.prices.iter().filter(|price| price.is_finite());
    let greatest = prices.fold(prepared.survey.greatest, |a, price| a.max(price.abs()));
    let bits = bits_of_paths(unit, greatest, found.resource_of.len() + found.prices.len());
    if bits <= Fixed::<2>::BITS {
        close::<2>(prepared, found, unit, repair)
    } else {
        close::<21>(prepared, found, unit, repair)
    }
}

/// Whether every job is on its cheapest resource, so that prices of 0 prove the assignment, and no sum is
/// needed: one pass, which ends at the first job that is not.
fn stand_cheapest(prepared: &Prepared<'_>, found: &Found) -> Result<bool, Stop> {
    let mut buffer = Vec::new();
    for (i, &cost) in found.cost_of.iter().enumerate() {
        prepared.watch.spend(prepared.source.entries(i))?;
        let (Row::Full(row) | Row::Listed(_, row)) = prepared.source.row(i, &mut buffer);
        if least(row) < cost || prepared.dummy.is_some_and(|out| out < cost) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Bits of every number that the search forms, where no cost or price is greater: a price differs from
/// another, and a distance from 0, by no more than a path through all jobs and resources sums to.
fn bits_of_paths(unit: Unit, greatest: f64, nodes: usize) -> u32 {
    unit.bits(greatest) + Unit(0).bits(nodes as f64) + 4
}

/// How a family of methods places again, in exact numbers, the jobs that do not pay their least cost + price.
pub(crate) trait Repair {
    /// From an assignment that rounding left near the optimum, and prices that are doubles, to the optimum.
    fn repair<N: Number>(
        self,
        prepared: &Prepared<'_>,
        found: Found<N>,
        unit: Unit,
    ) -> Result<Found<N>, Stop>;
}

fn close<const LIMBS: usize>(
    prepared: &Prepared<'_>,
    found: Found,
    unit: Unit,
    repair: impl Repair,
) -> Result<Answer, Stop> {
    if let Some(prices) = tighten::<Fixed<LIMBS>>(prepared, &found, unit)? {
        let Found { resource_of, cost_of, least_raise, .. } = found;
        return conclude(prepared, Found { resource_of, cost_of, prices, least_raise }, unit);
    }
    let Found { resource_of, cost_of, prices, least_raise } = found;
    let prices = prices.into_iter().map(|price| Fixed::<LIMBS>::of(price, unit)).collect();
    let found = repair.repair(prepared, Found { resource_of, cost_of, prices, least_raise }, unit)?;
    conclude(prepared, found, unit)
}

/// Jobs from which on the passes that only write the answer count, a unit for each job, and those between two
/// questions.
const MANY_JOBS: usize = 1 << 14;
const PART: usize = 1 << 10;

/// The work of some of the jobs in a pass that only writes the answer.
fn written(prepared: &Prepared<'_>, jobs: usize) -> Result<(), Stop> {
    if prepared.jobs() < MANY_JOBS { Ok(()) } else { Ok(prepared.watch.spend(jobs as u64)?) }
}

fn conclude<const LIMBS: usize>(
    prepared: &Prepared<'_>,
    found: Found<Fixed<LIMBS>>,
    unit: Unit,
) -> Result<Answer, Stop> {
    let Found { resource_of, cost_of, mut prices, .. } = found;
    let zero = prices.iter().copied().fold(Number::INFINITY, lesser);
    for price in prices.iter_mut().filter(|price| price.is_finite()) {
        *price = *price - zero;
    }
    prepared.price_closed(&resource_of, &cost_of, &mut prices, unit);
    let profit = |cost: f64, r: u32| Fixed::default() - (Fixed::<LIMBS>::of(cost, unit) + prices[r as usize]);
    let mut profits: Vec<_> = Vec::with_capacity(resource_of.len());
    for (resources, costs) in resource_of.chunks(PART).zip(cost_of.chunks(PART)) {
        written(prepared, resources.len())?;
        profits.extend(resources.iter().zip(costs).map(|(&r, &cost)| profit(cost, r)));
    }
    let waiting: Vec<_> =
        prepared.dummy.map(|cost| profit(cost, prepared.source.cols() as u32)).into_iter().collect();
    prices.truncate(prepared.source.cols());
    let mut assignment = prepared.assignment(&resource_of, &cost_of);
    assignment.duals = Some(duals((&profits, &prices, &waiting), unit, |jobs| written(prepared, jobs))?);
    Ok(Answer { solution: assignment, proof: Proof::Exact })
}

/// The duals as doubles.
fn duals<const LIMBS: usize>(
    (profits, prices, waiting): (&[Fixed<LIMBS>], &[Fixed<LIMBS>], &[Fixed<LIMBS>]),
    unit: Unit,
    mut ask: impl FnMut(usize) -> Result<(), Stop>,
) -> Result<Duals, Stop> {
    let (mut parts, mut all, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    let mut longest = 1;
    for (at, number) in profits.iter().chain(prices).chain(waiting).enumerate() {
        if at % PART == PART - 1 {
            ask(PART)?;
        }
        number.parts(unit, &mut parts);
        longest = longest.max(parts.len());
        all.extend_from_slice(&parts);
        ends.push(all.len());
    }
    let each = longest - 1;
    let (mut ends, mut from) = (ends.into_iter(), 0);
    let mut split = |count: usize| {
        let mut doubles = Vec::with_capacity(count);
        let mut rest = Vec::with_capacity(count * each);
        for end in ends.by_ref().take(count) {
            let parts = &all[from..end];
            doubles.push(parts[0]);
            rest.extend(parts[1..].iter().copied().chain(std::iter::repeat(0.0)).take(each));
            from = end;
        }
        (doubles, rest)
    };
    let ((profits, profit_rest), (prices, price_rest), (waiting, waiting_rest)) =
        (split(profits.len()), split(prices.len()), split(waiting.len()));
    let remainders = Remainders { each, profits: profit_rest, prices: price_rest, waiting: waiting_rest };
    let (waiting, remainders) = (waiting.first().copied(), (each > 0).then_some(remainders));
    Ok(Duals { profits, prices, waiting, remainders })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AssignmentProblem, Costs, assign, verify};

    /// Thirds have no exact sums; where each job has its own cheapest resource, none is needed.
    #[test]
    fn jobs_on_their_cheapest_resources_need_no_sums() {
        let n = 70usize;
        let cost = |k: usize| {
            let (i, r) = (k / n, k % n);
            if (r + n - i) % n == 7 { i as f64 / 3.0 } else { (100 + k * 7919 % 1009) as f64 / 3.0 }
        };
        let mut values: Vec<f64> = (0..n * n).map(cost).collect();
        let assigned = |values: &[f64]| {
            let problem = AssignmentProblem::new(Costs::dense(n, n, values).unwrap());
            let answer = assign(&problem).unwrap();
            let found = answer.best.unwrap();
            assert_eq!(verify(&problem, &found).unwrap().gap, 0.0);
            (found.resources[0], found.duals.unwrap())
        };
        let (first, duals) = assigned(&values);
        assert_eq!(first, Some(7));
        assert!(duals.remainders.is_none() && duals.prices.iter().all(|&price| price == 0.0));
        // Two want the same: one of them pays more than its least cost.
        values[8] = -1.0 / 3.0;
        let (_, duals) = assigned(&values);
        assert!(duals.prices.iter().any(|&price| price > 0.0));
    }

    #[test]
    fn bits_of_the_sums_along_a_path() {
        // 53 for a number, 3 to count six of them, and 4.
        assert_eq!(bits_of_paths(Unit::below(1.0), 1.0, 6), 60);
        // 61 bits before the point, 52 after it.
        assert_eq!(bits_of_paths(Unit::below(1.0), 2f64.powi(60), 1), 113 + 1 + 4);
    }
}
