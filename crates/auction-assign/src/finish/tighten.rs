//! Exact prices for an assignment that is already optimal, as it mostly is where sums were rounded.
//!
//! Prices can be wrong only for pairs whose cost + price is within a *margin* of what their job pays; the
//! margin is far above any rounding error. These pairs are gathered in one pass over the costs in doubles.
//! Prices of taken resources are then lowered, in exact numbers, until no job would pay less elsewhere (label
//! correcting: R. Bellman, On a routing problem, 1958). Where that does not end soon, some other assignment
//! is better.

use std::collections::VecDeque;

use crate::kernel::NONE;
use crate::kernel::number::{Number, Unit, greater, lesser};
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::source::Row;
use crate::kernel::stop::Stop;
use crate::kernel::wide::positions_at_most;

/// The margin, as a part of the greatest sum: 2^14 units in its last place.
const MARGIN: f64 = 1.0 / (1u64 << 38) as f64;

/// Pairs within the margin, and visits of a job, per job on average, beyond which the attempt ends.
const MOST_PAIRS: usize = 8;
const MOST_LOOKS: usize = 32;

/// Pairs near to what their jobs pay.
struct NearPairs {
    /// Where the pairs of a job begin, and those of the last end.
    from: Vec<usize>,
    /// Resource and cost.
    pairs: Vec<(u32, f64)>,
}

/// Prices at which every job exactly pays its least cost + price, from rounded ones: for one place per
/// resource and all jobs placed, or as many as there are places, the others on the dummy. `None` where this
/// search does not find them.
pub(crate) fn tighten<N: Number>(
    prepared: &Prepared<'_>,
    found: &Found,
    unit: Unit,
) -> Result<Option<Vec<N>>, Stop> {
    if prepared.is_optional() || !prepared.problem.is_one_to_one() || found.resource_of.contains(&NONE) {
        return Ok(None);
    }
    let scale = found.prices.iter().fold(prepared.survey.greatest, |a, price| a.max(price.abs()));
    let margin = 2.0 * scale * MARGIN;
    let Some(near) = near_pairs(prepared, found, margin)? else { return Ok(None) };
    let before: Vec<N> = found.prices.iter().map(|&price| N::of(price, unit)).collect();
    let Some(prices) = lower(found, &near, before.clone(), unit) else { return Ok(None) };
    // Pairs beyond the margin still cost no less than what their jobs pay.
    let most = N::of(margin / 2.0, unit);
    let holds = before.iter().zip(&prices).all(|(&before, &after)| before - after <= most);
    Ok(holds.then_some(prices))
}

/// `None` if there are too many.
fn near_pairs(prepared: &Prepared<'_>, found: &Found, margin: f64) -> Result<Option<NearPairs>, Stop> {
    let (n, dummy) = (prepared.jobs(), prepared.source.cols() as u32);
    let mut near = NearPairs { from: Vec::with_capacity(n + 1), pairs: Vec::new() };
    let (mut buffer, mut positions) = (Vec::new(), Vec::new());
    for (job, (&r, &cost)) in found.resource_of.iter().zip(&found.cost_of).enumerate() {
        prepared.watch.spend(prepared.source.entries(job))?;
        near.from.push(near.pairs.len());
        let limit = cost + found.prices[r as usize] + margin;
        match prepared.source.row(job, &mut buffer) {
            Row::Full(row) => {
                positions.clear();
                positions_at_most(row, &found.prices, limit, &mut positions);
                let others = positions.iter().filter(|&&other| other != r);
                near.pairs.extend(others.map(|&other| (other, row[other as usize])));
            }
            Row::Listed(columns, costs) => {
                let all = columns.iter().copied().zip(costs.iter().copied());
                let is_near =
                    |&(other, cost): &(u32, f64)| other != r && cost + found.prices[other as usize] <= limit;
                near.pairs.extend(all.filter(is_near));
            }
        }
        if let Some(out) = prepared.dummy
            && r != dummy
            && out + found.prices[dummy as usize] <= limit
        {
            near.pairs.push((dummy, out));
        }
        if near.pairs.len() > MOST_PAIRS * n {
            return Ok(None);
        }
    }
    near.from.push(near.pairs.len());
    Ok(Some(near))
}

/// Lowers prices of taken resources until every job pays the least of its pairs. `None` if a price would fall
/// below that of a free resource, or after too many visits.
fn lower<N: Number>(found: &Found, near: &NearPairs, mut prices: Vec<N>, unit: Unit) -> Option<Vec<N>> {
    let n = found.resource_of.len();
    let pairs = |job: usize| &near.pairs[near.from[job]..near.from[job + 1]];
    // The jobs to which a resource is near.
    let mut is_taken = vec![false; prices.len()];
    let mut wanted_by = vec![Vec::new(); prices.len()];
    for (job, &r) in found.resource_of.iter().enumerate() {
        is_taken[r as usize] = true;
        pairs(job).iter().for_each(|&(other, _)| wanted_by[other as usize].push(job as u32));
    }
    let free = prices.iter().zip(&is_taken).filter(|&(_, &is_taken)| !is_taken);
    let floor = free.fold(N::NEG_INFINITY, |floor, (&price, _)| greater(floor, price));
    let mut waiting: VecDeque<u32> = (0..n as u32).collect();
    let mut is_waiting = vec![true; n];
    let mut looks = MOST_LOOKS * n;
    while let Some(job) = waiting.pop_front() {
        looks = looks.checked_sub(1)?;
        let i = job as usize;
        is_waiting[i] = false;
        let r = found.resource_of[i] as usize;
        let value = |&(other, cost): &(u32, f64)| N::of(cost, unit) + prices[other as usize];
        let elsewhere = pairs(i).iter().map(value).fold(N::INFINITY, lesser);
        let price =
            if elsewhere < N::INFINITY { elsewhere - N::of(found.cost_of[i], unit) } else { prices[r] };
        if !(price < prices[r]) {
            continue;
        }
        if price < floor {
            return None;
        }
        prices[r] = price;
        for &other in &wanted_by[r] {
            if !std::mem::replace(&mut is_waiting[other as usize], true) {
                waiting.push_back(other);
            }
        }
    }
    Some(prices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::number::Fixed;
    use crate::kernel::watch::Watch;
    use crate::{AssignmentProblem, Costs};

    fn tightened(values: &[f64], resource_of: &[u32], prices: &[f64]) -> Option<Vec<Fixed<2>>> {
        let (n, m) = (resource_of.len(), prices.len());
        let problem = AssignmentProblem::new(Costs::dense(n, m, values).unwrap());
        let prepared = Prepared::new(&problem, Watch::NONE).ok().unwrap();
        let cost_of = resource_of.iter().enumerate().map(|(i, &r)| values[i * m + r as usize]).collect();
        let (resource_of, prices) = (resource_of.to_vec(), prices.to_vec());
        let found = Found { resource_of, cost_of, prices, least_raise: 0.0 };
        tighten(&prepared, &found, Unit::below(0.1)).ok().unwrap()
    }

    const TINY: f64 = 1.0 / (1u64 << 50) as f64;

    #[test]
    fn a_price_that_is_off_by_a_last_bit_falls_and_takes_others_with_it() {
        // Job 0 pays a last bit more than resource 1 asks, job 1 as much as resource 2 does.
        let values = [1.0 + TINY, 1.0, 9.0, 9.0, 1.0, 1.0, 9.0, 9.0, 1.0];
        let prices = tightened(&values, &[0, 1, 2], &[0.0; 3]).unwrap();
        let expected = [0.0 - TINY, 0.0, 0.0].map(|price| Fixed::of(price, Unit::below(0.1)));
        assert!(prices == expected);
        // The same, and the price of resource 1 is two last bits too high.
        let prices = tightened(&values, &[0, 1, 2], &[0.0, 2.0 * TINY, 0.0]).unwrap();
        assert!(prices == expected);
    }

    /// The second job stays out at a price of 1; the first would save a last bit if it did.
    #[test]
    fn the_price_of_staying_out_is_kept_to() {
        let costs = Costs::dense(2, 1, &[1.0 + TINY, 9.0]).unwrap();
        let problem = AssignmentProblem::new(costs).with_coverage(crate::Coverage::MostJobs);
        let prepared = Prepared::new(&problem, Watch::NONE).ok().unwrap();
        let (resource_of, cost_of) = (vec![0, 1], vec![1.0 + TINY, 0.0]);
        let found = Found { resource_of, cost_of, prices: vec![0.0, 1.0], least_raise: 0.0 };
        let prices = tighten::<Fixed<2>>(&prepared, &found, Unit::below(0.1)).ok().unwrap().unwrap();
        assert!(prices == [0.0 - TINY, 1.0].map(|price| Fixed::of(price, Unit::below(0.1))));
    }

    /// Of twelve jobs the resources of the next three are near, too.
    #[test]
    fn several_near_pairs_of_each_job_are_not_too_many() {
        let n = 12;
        let cost = |k: usize| match (k % n + n - k / n) % n {
            0 => 1.0 + TINY,
            1..4 => 1.0 + 2.0 * TINY,
            _ => 9.0,
        };
        let values: Vec<f64> = (0..n * n).map(cost).collect();
        let on_their_own: Vec<u32> = (0..n as u32).collect();
        assert!(tightened(&values, &on_their_own, &vec![0.0; n]).is_some());
    }

    #[test]
    fn what_another_assignment_is_better_than_is_not_tightened() {
        // The first two should change places, by a last bit.
        let values = [1.0 + TINY, 1.0, 9.0, 1.0, 1.0, 9.0, 9.0, 9.0, 1.0];
        assert!(tightened(&values, &[0, 1, 2], &[0.0; 3]).is_none());
        assert!(tightened(&values, &[1, 0, 2], &[0.0; 3]).is_some());
    }

    /// The greatest cost is 2: pairs within 2^-36 are read, and no price may fall by more than half of that.
    #[test]
    fn no_price_falls_by_more_than_half_of_the_margin() {
        let most = 2.0 * MARGIN;
        for (too_much, falls) in [(0.5, true), (1.0, true), (1.5, false)] {
            let values = [1.0 + too_much * most, 1.0, 2.0, 1.0];
            assert_eq!(tightened(&values, &[0, 1], &[0.0; 2]).is_some(), falls, "{too_much}");
        }
    }

    #[test]
    fn no_price_falls_below_that_of_a_free_resource() {
        let values = [1.0 + TINY, 1.0];
        assert!(tightened(&values, &[0], &[0.0; 2]).is_none());
        assert!(tightened(&[1.0, 1.0], &[0], &[TINY, 0.0]).unwrap()[0] == Fixed::default());
        assert!(tightened(&values, &[1], &[0.0; 2]).is_some());
    }
}
