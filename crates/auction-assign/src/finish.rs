//! Completes the assignment and prices that a method has found to an answer with duals.
//!
//! If every sum of doubles was exact, the prices prove the assignment as they are. Otherwise they are
//! converted to fixed-point numbers as wide as the costs need, up to the whole range of doubles; a price that is not a
//! multiple of their unit is rounded up. At these prices a few jobs may pay more than their minimum cost + price, by a
//! last bit or two. Usually it is enough to lower prices a little (`tighten`); otherwise these jobs are removed and
//! placed again along shortest paths, in exact arithmetic.

use std::iter::repeat;

use sched_model::Proof;

use crate::candidates::State;
use crate::candidates::lists::CandidateLists;
use crate::candidates::paths;
use crate::kernel::lanes::max_finite_magnitude;
use crate::kernel::number::{Fixed, Number, Parts, Unit, max_of, min_of};
use crate::kernel::prepared::{Prepared, PricedAssignment, min_magnitude};
use crate::kernel::watch::Stop;
use crate::kernel::wide::min;
use crate::solution::{Answer, Assignment, Duals, Remainders};
use crate::tighten::{MARGIN, NearPairs};

/// Returns the exact answer from an assignment in which, up to rounding, every job is on its resource of minimum cost +
/// price, and no free place has a higher price than another place. Jobs that must be placed again use `lists`, or new
/// ones.
pub(crate) fn finish(
    prepared: &Prepared<'_>,
    mut priced: PricedAssignment,
    lists: Option<CandidateLists<'_>>,
) -> Result<Answer, Stop> {
    if prepared.sums_are_exact(&priced) {
        return Ok(proven(prepared, priced));
    }
    if all_are_cheapest(prepared, &priced)? {
        priced.prices.fill(0.0);
        return Ok(proven(prepared, priced));
    }
    let least_cost = min_magnitude(&prepared.source);
    let penalty = prepared.dummy.filter(|&penalty| penalty != 0.0).map_or(f64::INFINITY, f64::abs);
    let unit = Unit::below(least_cost.min(penalty));
    let max_magnitude = prepared.survey.max_magnitude.max(max_finite_magnitude(&priced.prices));
    // No difference of prices and no distance exceeds the sum of costs and prices along a path through all jobs and
    // resources.
    let nodes = priced.resource_of.len() + priced.prices.len();
    let bits = unit.bits(max_magnitude) + Unit(0).bits(nodes as f64) + 4;
    let solution = if bits <= Fixed::<2>::BITS {
        finish_in::<Fixed<2>>(prepared, priced, lists, unit)?
    } else {
        finish_in::<Fixed<21>>(prepared, priced, lists, unit)?
    };
    Ok(Answer { solution, proof: Proof::Exact })
}

/// Returns the answer from an assignment that its prices prove as they are.
pub(crate) fn proven(prepared: &Prepared<'_>, priced: PricedAssignment) -> Answer {
    let priced = standardised(prepared, priced, Unit::NONE);
    Answer { solution: assignment(prepared, priced, Unit::NONE), proof: Proof::Exact }
}

/// Returns the answer from an assignment in which jobs may pay more than their minimum, with the gap that its prices
/// prove.
pub(crate) fn finish_approximate(prepared: &Prepared<'_>, priced: PricedAssignment) -> Answer {
    let is_exact = prepared.sums_are_exact(&priced);
    let priced = standardised(prepared, priced, Unit::NONE);
    // If the gap is less than the step of the costs, the total is optimal, but the duals alone do not prove that.
    let proof = match gap(prepared, &priced, is_exact) {
        0.0 => Proof::Exact,
        gap => Proof::WithinEpsilon(gap),
    };
    Answer { solution: assignment(prepared, priced, Unit::NONE), proof }
}

/// Whether every job is on its cheapest resource, so that prices of 0 prove the assignment without any sum. Takes one
/// pass, which ends at the first job that is not.
fn all_are_cheapest(prepared: &Prepared<'_>, priced: &PricedAssignment) -> Result<bool, Stop> {
    let mut buffer = Vec::new();
    for (i, &cost) in priced.cost_of.iter().enumerate() {
        prepared.watch.spend(prepared.source.entries(i))?;
        let row = prepared.source.row(i, &mut buffer).costs();
        if min(row) < cost || prepared.dummy.is_some_and(|out| out < cost) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Computes an optimal assignment in exact numbers, from one that is optimal up to rounding. If jobs do not pay their
/// minimum, tries to lower prices until they do; otherwise removes these jobs and places them again.
fn finish_in<N: Number>(
    prepared: &Prepared<'_>,
    priced: PricedAssignment,
    lists: Option<CandidateLists<'_>>,
    unit: Unit,
) -> Result<Assignment, Stop> {
    let margin = MARGIN * max_finite_magnitude(&priced.prices).max(prepared.survey.max_magnitude);
    let PricedAssignment { resource_of, cost_of, prices, min_raise } = priced;
    let prices = prices.into_iter().map(|price| N::of(price, unit)).collect();
    let mut state = State::new(resource_of.len(), prepared.capacities.clone(), prices, unit);
    let mut lists = lists.map_or_else(|| CandidateLists::lazy(prepared, &state.rounded_down), Ok)?;
    lists.epoch += 1;
    let (mut near, mut to_place) = (NearPairs::new(resource_of.len()), Vec::new());
    let mut seen = lists.work;
    for (i, (&r, &cost)) in resource_of.iter().zip(&cost_of).enumerate() {
        prepared.watch.spend_since(&mut seen, lists.work)?;
        let (paid, mut is_cheaper) = (state.paid(cost, r), false);
        lists.for_each_near(i, &state.rounded_down, paid.limit(unit) + margin, |other, cost| {
            if other != r {
                is_cheaper |= state.paid(cost, other) < paid;
                near.add(other, cost);
            }
        });
        near.end();
        if is_cheaper {
            to_place.push(i as u32);
        }
    }
    let max_fall = N::at_least(margin / 2.0, unit);
    let lowered = match to_place.is_empty() {
        // Every job pays its minimum: no job is placed again, and only free places are brought to the common level.
        true => None,
        false => near.lower(&state, (&resource_of, &cost_of), max_fall, prepared.watch)?,
    };
    let priced = if let Some(prices) = lowered {
        PricedAssignment { resource_of, cost_of, prices, min_raise }
    } else {
        for (i, (&r, &cost)) in (0..).zip(resource_of.iter().zip(&cost_of)) {
            if to_place.binary_search(&i).is_err() {
                state.place(i, r, cost);
            }
        }
        paths::place(prepared, &mut state, &to_place, &mut lists)?;
        state.into_priced(min_raise)
    };
    Ok(assignment(prepared, standardised(prepared, priced, unit), unit))
}

/// Shifts the prices so that their minimum is 0. The price of a resource without a place becomes the minimum at which
/// no job would prefer the resource, at least 0.
fn standardised<N: Number>(
    prepared: &Prepared<'_>,
    mut priced: PricedAssignment<N>,
    unit: Unit,
) -> PricedAssignment<N> {
    let prices = &mut priced.prices;
    let zero = prices.iter().copied().fold(N::INFINITY, min_of);
    for price in prices.iter_mut().filter(|price| price.is_finite()) {
        // Never -0.
        *price = N::default() + (*price - zero);
    }
    if prepared.capacities.iter().all(|&capacity| capacity > 0) {
        return priced;
    }
    for (price, _) in prices.iter_mut().zip(&prepared.capacities).filter(|&(_, &capacity)| capacity == 0) {
        *price = N::default();
    }
    let mut buffer = Vec::new();
    for (i, (&r, &cost)) in priced.resource_of.iter().zip(&priced.cost_of).enumerate() {
        let paid = N::of(cost, unit) + prices[r as usize];
        prepared.source.row(i, &mut buffer).each(|r, cost| {
            if prepared.capacities[r] == 0 && cost < f64::INFINITY {
                prices[r] = max_of(prices[r], paid - N::of(cost, unit));
            }
        });
    }
    priced
}

/// Returns an upper bound on the difference between the total and the optimum: the gap that the prices leave, plus the
/// rounding error of its computation if sums are not exact.
fn gap(prepared: &Prepared<'_>, priced: &PricedAssignment, is_exact: bool) -> f64 {
    let PricedAssignment { resource_of, cost_of, prices, .. } = priced;
    let mut buffer = Vec::new();
    let mut gap = 0.0;
    let mut max_magnitude = 0.0f64;
    let out = prepared.dummy.map_or(f64::INFINITY, |cost| cost + prices[prepared.source.cols()]);
    let mut loads = vec![0u32; prices.len()];
    for (i, (&r, &cost)) in resource_of.iter().zip(cost_of).enumerate() {
        let minimum = prepared.source.row(i, &mut buffer).min_sum(prices).min(out);
        let paid = cost + prices[r as usize];
        loads[r as usize] += 1;
        gap += (paid - minimum).max(0.0);
        max_magnitude = max_magnitude.max(paid.abs()).max(cost.abs());
    }
    for ((&price, &capacity), &load) in prices.iter().zip(&prepared.capacities).zip(&loads) {
        gap += price * f64::from(capacity - load);
    }
    // If all prices are 0 and every job is on its cheapest resource, nothing was added.
    if is_exact || (gap == 0.0 && prices.iter().all(|&price| price == 0.0)) {
        return gap;
    }
    // Each of the sums above is off by at most half a unit in the last place.
    gap + 2.0 * f64::EPSILON * max_magnitude * resource_of.len() as f64
}

/// Returns the assignment with its duals.
fn assignment<N: Number>(prepared: &Prepared<'_>, priced: PricedAssignment<N>, unit: Unit) -> Assignment {
    let PricedAssignment { resource_of, cost_of, mut prices, .. } = priced;
    let m = prepared.source.cols();
    let profit = |cost: f64, r: usize| N::default() - (N::of(cost, unit) + prices[r]);
    let profits: Vec<N> =
        resource_of.iter().zip(&cost_of).map(|(&r, &cost)| profit(cost, r as usize)).collect();
    // With a penalty the dummy has room left, so its price is the minimum, which is 0: the waiting profit is exactly
    // the value of an unplaced job. With `MostJobs` the dummy has just as many places as there are unplaced jobs.
    let waiting: Vec<N> = prepared.dummy.map(|cost| profit(cost, m)).into_iter().collect();
    prices.truncate(m);
    let duals = duals([profits, prices, waiting], unit);
    Assignment { duals: Some(duals), ..prepared.assignment(&resource_of, &cost_of) }
}

/// Converts profits, prices and the waiting profit to doubles with their remainders.
fn duals<N: Number>(numbers: [Vec<N>; 3], unit: Unit) -> Duals {
    let numbers = numbers.map(|numbers| N::split(numbers, unit));
    let each = numbers.iter().flat_map(|(_, rest)| rest).map(|rest| rest.len()).max().unwrap_or_default();
    let padded = |rest: &Parts| rest.iter().copied().chain(repeat(0.0)).take(each).collect::<Parts>();
    let [(profits, profit_rest), (prices, price_rest), (waiting, waiting_rest)] = numbers;
    let [profit_rest, price_rest, waiting_rest] =
        [profit_rest, price_rest, waiting_rest].map(|rest| rest.iter().flat_map(padded).collect());
    let remainders = Remainders { each, profits: profit_rest, prices: price_rest, waiting: waiting_rest };
    Duals { profits, prices, waiting: waiting.first().copied(), remainders: (each > 0).then_some(remainders) }
}
