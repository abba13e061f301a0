//! A greatest matching on the pairs of least cost + price, for costs of which many are equal: one path at a
//! time would read the same ties again and again.

use crate::kernel::NONE;
use crate::kernel::matching;
use crate::kernel::prepared::Prepared;
use crate::kernel::source::{Row, Source};
use crate::kernel::stop::Stop;
use crate::kernel::wide::least_sum;
use crate::{Costs, Problem};

/// Cheapest resources that jobs have on average, for the matching to place most of them; where they have more,
/// each finds a free one by a bid of its own.
const LEAST_PAIRS: usize = 3;
const MOST_PAIRS: usize = 12;

/// Jobs after which the average tells whether to go on.
const SAMPLE: usize = 32;

/// Places as many jobs as possible on one of their cheapest resources at these prices, where every place will be
/// taken; `None` where too few or too many resources of a job are equal.
pub(super) fn match_ties(prepared: &Prepared<'_>, prices: &[f64]) -> Result<Option<Vec<u32>>, Stop> {
    if !prepared.is_tight() {
        return Ok(None);
    }
    let (n, m) = (prepared.jobs(), prices.len());
    let pairs = MOST_PAIRS.saturating_mul(n).saturating_add(m);
    let Some(_room) = prepared.watch.room::<(u32, f64)>(pairs, n) else { return Ok(None) };
    let (mut offsets, mut columns, mut costs) = (vec![0], Vec::new(), Vec::new());
    let mut buffer = Vec::new();
    for job in 0..n {
        prepared.watch.spend(prepared.source.entries(job))?;
        let Row::Full(row) = prepared.source.row(job, &mut buffer) else { return Ok(None) };
        let level = least_sum(row, prices);
        let of_row = (0..).zip(row.iter().zip(prices));
        for (r, (&cost, _)) in
            of_row.filter(|(_, (cost, price))| *cost + *price == level && level.is_finite())
        {
            columns.push(r);
            costs.push(cost);
        }
        offsets.push(columns.len());
        let jobs = job + 1;
        let is_sampled = jobs >= SAMPLE.min(n);
        if is_sampled && !(LEAST_PAIRS * jobs..MOST_PAIRS * jobs).contains(&columns.len()) {
            return Ok(None);
        }
    }
    let cheapest = Problem::new(Costs::sparse(n, m, &offsets, &columns, &costs)?);
    let mut resource_of = vec![NONE; n];
    matching::complete(&Source::new(&cheapest), &prepared.capacities, &mut resource_of, prepared.watch)?;
    Ok(Some(resource_of))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::watch::Watch;
    use crate::{Assigner, ShortestPaths, verify};

    #[test]
    fn ties_are_matched_where_they_are_many_and_differ() {
        let n = 100usize;
        let draw = |k: usize| (k * 7919 + (k / n) * k % 10_007 * 31) % 1009;
        // The zeros of a job, of 100 resources: four anywhere, four that all want, one.
        let anywhere = |i: usize, r: usize| (0..4).all(|k| draw(i * 4 + k) % n != r);
        let wanted = |_: usize, r: usize| r > 3;
        let one = |i: usize, r: usize| draw(i) % n != r;
        let zeros: [&dyn Fn(usize, usize) -> bool; 3] = [&anywhere, &wanted, &one];
        for (is_one, placed) in zeros.into_iter().zip([Some(94..=100), Some(4..=4), None]) {
            let mut values: Vec<f64> = (0..n * n).map(|k| f64::from(is_one(k / n, k % n))).collect();
            // Every column is cheap for some job.
            for (k, value) in values.iter_mut().enumerate() {
                *value += f64::from(*value > 0.0) * (draw(k) % 3) as f64;
            }
            let problem = Problem::new(Costs::dense(n, n, &values).unwrap());
            let prepared = Prepared::new(&problem, Watch::NONE).ok().unwrap();
            let found = match_ties(&prepared, &vec![0.0; n]).ok().unwrap();
            assert_eq!(found.is_some(), placed.is_some());
            let (Some(found), Some(placed)) = (found, placed) else { continue };
            let count = found.iter().filter(|&&r| r != NONE).count();
            assert!(placed.contains(&count), "{count}");
            for (row, &r) in values.chunks(n).zip(&found).filter(|&(_, &r)| r != NONE) {
                assert_eq!(row[r as usize], least_sum(row, &vec![0.0; n]));
            }
            let answer = crate::solve(&problem).unwrap();
            let other = ShortestPaths.assign(&problem).unwrap();
            assert_eq!(answer.assignment().unwrap().total, other.assignment().unwrap().total);
            assert_eq!(verify(&problem, answer.assignment().unwrap(), 0.0).unwrap().gap, 0.0);
        }
    }
}
