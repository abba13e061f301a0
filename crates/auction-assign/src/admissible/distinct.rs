//! The case in which the cheapest resources of all jobs differ: one pass, which ends at the first two jobs
//! with the same cheapest resource.

use sched_model::End;

use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::source::Row;
use crate::kernel::wide::least_sum;

/// Places every job on the first of its cheapest resources at these prices, if these all differ; for full
/// rows, no dummy, and prices that are no higher where a resource may stay free than elsewhere. On random
/// costs two jobs with the same resource are met after some sqrt(jobs) rows.
pub(crate) fn match_distinct(prepared: &Prepared<'_>, prices: &[f64]) -> Result<Option<Found>, End> {
    let n = prepared.jobs();
    let mut is_taken = vec![false; prices.len()];
    let (mut resource_of, mut cost_of) = (Vec::with_capacity(n), Vec::with_capacity(n));
    let mut buffer = Vec::new();
    for job in 0..n {
        prepared.watch.spend(prepared.source.entries(job))?;
        let Row::Full(row) = prepared.source.row(job, &mut buffer) else { return Ok(None) };
        let level = least_sum(row, prices);
        let mut equal = row.iter().zip(prices).map(|(cost, price)| cost + price == level);
        let at = if level < f64::INFINITY { equal.position(|is_equal| is_equal) } else { None };
        let Some(r) = at.filter(|&r| !std::mem::replace(&mut is_taken[r], true)) else { return Ok(None) };
        resource_of.push(r as u32);
        cost_of.push(row[r]);
    }
    Ok(Some(Found { resource_of, cost_of, prices: prices.to_vec(), least_raise: f64::INFINITY }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::watch::Watch;
    use crate::{Costs, Problem};

    fn matched(values: &[f64], prices: &[f64]) -> Option<Vec<u32>> {
        let n = prices.len();
        let problem = Problem::new(Costs::dense(n, n, values).unwrap());
        let prepared = Prepared::new(&problem, Watch::NONE).ok().unwrap();
        match_distinct(&prepared, prices).unwrap().map(|found| found.resource_of)
    }

    #[test]
    fn prices_count_and_two_who_want_the_same_end_it() {
        let values = [1.0, 2.0, 3.0, 1.0, 3.0, 4.0, 9.0, 9.0, 5.0];
        assert_eq!(matched(&values, &[0.0; 3]), None);
        // 3 2 3, 3 3 4, 11 9 5: the first of equals.
        assert_eq!(matched(&values, &[2.0, 0.0, 0.0]), Some(vec![1, 0, 2]));
    }

    #[test]
    fn nobody_takes_a_forbidden_resource() {
        let never = f64::INFINITY;
        assert_eq!(matched(&[never, never, 1.0, 2.0], &[0.0; 2]), None);
    }
}
