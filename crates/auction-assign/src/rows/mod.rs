//! Whole rows, read in plain loops: bids and shortest paths without lists.
//!
//! R. Jonker, A. Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment
//! problems (1987): prices to begin with are the least of each column, bids without increment (augmenting row
//! reduction) place most jobs, and shortest paths over whole rows the others.
//!
//! Where costs are narrow, or rows short, lists cost more than they spare. An entry of a plain loop takes a
//! third of the time of one that is listed. So this comes first, and goes on for as long as what is left
//! looks as if it took little.
//!
//! Costs of few bits are read from a copy in 32 bits, which takes half the traffic and half the instructions.
//! Sums of 32 bits are exact there, for as long as prices are no greater than the copy allows; then others go
//! on. Where places are left over, and rows are long, the first pass finds the cheapest resource of each job
//! and no more: whether costs lie on a grid is asked only of rows that are read again.
//!
//! Deviations: who was outbid bids again after all others; a job whose cheapest resources are equal takes a
//! free one of them, if there is one, and does not push others out; where bids leave many waiting, prices
//! from the columns alone are tried instead; what the whole takes is foretold from the paths found, and handed
//! over where that is too much.

mod costs;
mod first;
mod narrowing;
mod paths;
mod reduction;
mod stages;
mod standing;

use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::stop::Stop;
use crate::problem::Form;
use crate::{Coverage, Problem};
pub(crate) use costs::Narrow;
use costs::{Rows, Unchecked, Wide};
pub(crate) use first::{Copied, choose, survey_and_choose, survey_narrow};
pub(crate) use stages::Passes;
use stages::{begin, bid, follow};
use standing::Standing;

/// Problems of fewer costs are done at once by any method.
const LEAST_COSTS: usize = 1 << 12;

/// Whether rows are full and stored, and each resource has one place, with places enough.
pub(crate) fn suit(problem: &Problem<'_>) -> bool {
    problem.is_one_to_one()
        && problem.jobs().saturating_mul(problem.resources()) >= LEAST_COSTS
        && problem.jobs() <= problem.resources()
        && !matches!(problem.coverage(), Coverage::Optional { .. })
        && matches!(problem.costs().form(), Form::Dense(_) | Form::Rows { .. })
}

/// As [`suit`], of costs that were looked at.
pub(crate) fn suit_prepared(prepared: &Prepared<'_>) -> bool {
    prepared.dummy.is_none() && suit(&prepared.problem)
}

/// Who stands where when a search begins.
#[derive(Clone, Copy)]
enum Start<'c> {
    /// Nobody but who is alone in finding a resource the cheapest, where that is known; all others bid.
    Cheapest(Option<&'c [u32]>),
    /// Who was placed before, with [`NONE`](crate::kernel::NONE) for who waits; nobody bids.
    Placed(&'c [u32]),
}

/// From a start at these prices on, by these rows.
fn search<R: Rows>(
    prepared: &Prepared<'_>,
    rows: &R,
    prices: Vec<R::Cost>,
    start: Start<'_>,
    passes: Passes,
) -> Result<Standing<R::Cost>, Stop> {
    let (standing, waiting) = match start {
        Start::Cheapest(cheapest) => bid(prepared, rows, begin(prepared, prices, cheapest), passes)?,
        Start::Placed(resource_of) => {
            let standing = Standing::of(resource_of, prices);
            let waiting = standing.waiting();
            (standing, waiting)
        }
    };
    follow(prepared, rows, standing, &waiting, passes)
}

/// By the `narrow` copy, if there is one and it holds the prices.
fn search_narrow(
    prepared: &Prepared<'_>,
    narrow: Option<&Narrow>,
    prices: Vec<f64>,
    start: Start<'_>,
    passes: Passes,
) -> Result<Found, Stop> {
    let copied = narrow.and_then(|narrow| Some((narrow, narrow.narrowed(&prices)?)));
    let standing = match copied {
        Some((narrow, prices)) => search(prepared, narrow, prices, start, passes)?.wide(),
        None => search(prepared, &Wide(prepared), prices, start, passes)?,
    };
    Ok(standing.found(prepared))
}

/// Places jobs from prices that are 0 wherever a resource may stay free, and from the `cheapest` resource of
/// each job at these, where it is known; for problems that [`suit`](suit_prepared). Every job placed stands
/// where cost + price is least, and free resources keep their price. Leaves jobs waiting, with `NONE`,
/// where more would have to be read. The rows read are those of the `narrow` copy, for as long as that holds
/// the sums.
pub(crate) fn place(
    prepared: &Prepared<'_>,
    narrow: Option<&Narrow>,
    prices: Vec<f64>,
    cheapest: Option<&[u32]>,
    passes: Passes,
) -> Result<Found, Stop> {
    search_narrow(prepared, narrow, prices, Start::Cheapest(cheapest), passes)
}

/// As [`place`], from prices of 0 and the cheapest resource of each job at these, with the costs known to be
/// numbers, but not to lie on the grid of the survey; `None` if some that were added to prices do not.
/// Whoever stands on a resource that has a price has had the row read; all others stand where they cost
/// least, which no sum is needed for.
pub(crate) fn place_unchecked(
    prepared: &Prepared<'_>,
    cheapest: &[u32],
    passes: Passes,
) -> Result<Option<Found>, Stop> {
    let rows = Unchecked::new(prepared);
    let standing = search(prepared, &rows, prepared.start(), Start::Cheapest(Some(cheapest)), passes)?;
    Ok(rows.is_on_grid().then(|| standing.found(prepared)))
}

/// Goes on from what was placed, by paths alone.
pub(crate) fn go_on(
    prepared: &Prepared<'_>,
    narrow: Option<&Narrow>,
    found: Found,
    passes: Passes,
) -> Result<Found, Stop> {
    search_narrow(prepared, narrow, found.prices, Start::Placed(&found.resource_of), passes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::NONE;
    use crate::kernel::float::Float;
    use crate::kernel::lanes::least_sum;
    use crate::kernel::watch::Watch;
    use crate::{Answer, Assigner, Costs, ShortestPaths, solve, solve_within, verify, verify_shortage};
    use sched_model::Limit;

    /// Square and with places left over, with few values and with many.
    fn problems() -> impl Iterator<Item = (usize, usize, Vec<f64>)> {
        (0..60u64).map(|round| {
            let n = 20 + round as usize % 30;
            let m = n + [0, 7, 40][round as usize % 3];
            let kinds = [2, 3, 30, 1000][round as usize % 4];
            let value = |k: u64| ((k * 7919 + (k + round) * k * 104_729) % 1000 % kinds) as f64 - 1.0;
            (n, m, (0..(n * m) as u64).map(value).collect())
        })
    }

    #[test]
    fn with_passes_enough_the_optimum_is_found() {
        let passes = Passes { bids: 4, sure: u64::MAX, expected: u64::MAX };
        for (n, m, values) in problems() {
            let problem = Problem::new(Costs::dense(n, m, &values).unwrap());
            let prepared = Prepared::new(&problem, Watch::NONE).ok().unwrap();
            let Copied { narrow, .. } = survey_narrow(&problem, Watch::NONE).ok().unwrap().unwrap();
            let other = ShortestPaths.assign(&problem).unwrap();
            for narrow in [None, Some(&narrow)] {
                let found = place(&prepared, narrow, prepared.start(), None, passes).ok().unwrap();
                let Answer::Assigned(proven) = prepared.finish(found) else { panic!("all are placed") };
                assert_eq!(verify(&problem, &proven.solution, 0.0).unwrap().gap, 0.0);
                assert_eq!(proven.solution.total, other.assignment().unwrap().total);
            }
        }
    }

    #[test]
    fn what_is_handed_over_stands_at_its_level() {
        let mut left = 0;
        for (n, m, values) in problems() {
            for passes in [Passes { bids: 0, sure: 0, expected: 0 }, Passes { bids: 1, sure: 0, expected: 1 }]
            {
                let problem = Problem::new(Costs::dense(n, m, &values).unwrap());
                let prepared = Prepared::new(&problem, Watch::NONE).ok().unwrap();
                let narrow = survey_narrow(&problem, Watch::NONE).ok().unwrap();
                let narrow = narrow.as_ref().map(|copied| &copied.narrow).filter(|_| n % 2 == 0);
                let found = place(&prepared, narrow, prepared.start(), None, passes).ok().unwrap();
                for (job, &r) in found.resource_of.iter().enumerate() {
                    let row = &values[job * m..(job + 1) * m];
                    if r == NONE {
                        left += 1;
                    } else {
                        let paid = row[r as usize] + found.prices[r as usize];
                        assert_eq!(paid, least_sum(row, &found.prices));
                    }
                }
                for r in (0..m).filter(|&r| !found.resource_of.contains(&(r as u32))) {
                    assert_eq!(found.prices[r], prepared.start()[r]);
                }
            }
        }
        assert!(left > 100, "{left}");
    }

    #[test]
    fn the_first_pass_names_the_first_of_the_cheapest_or_nothing() {
        for (n, m, values) in problems().filter(|&(n, m, _)| n < m) {
            let problem = Problem::new(Costs::dense(n, m, &values).unwrap());
            let (survey, cheapest) = survey_and_choose(&problem, Watch::NONE).ok().unwrap().unwrap();
            assert_eq!((survey.step, survey.forbidden), (1.0, false));
            for (row, &r) in values.chunks(m).zip(&cheapest) {
                let least = row.iter().copied().fold(f64::INFINITY, f64::min);
                assert_eq!(row.iter().position(|&cost| cost == least), Some(r as usize));
            }
            let (trusted, chosen) = choose(&problem, Watch::NONE).ok().unwrap().unwrap();
            assert_eq!((trusted.step, &chosen), (1.0, &cheapest));
            assert!(trusted.greatest >= survey.greatest);
            for bad in [f64::NAN, f64::INFINITY, 1e61] {
                let mut values = values.clone();
                values[n * m / 2] = bad;
                let problem = Problem::new(Costs::dense(n, m, &values).unwrap());
                assert!(survey_and_choose(&problem, Watch::NONE).ok().unwrap().is_none());
                assert!(choose(&problem, Watch::NONE).ok().unwrap().is_none());
            }
        }
    }

    /// Rounded distances differ by last bits where they are equal; whoever takes one for another puts a job
    /// where it pays more.
    #[test]
    fn rounded_sums_put_jobs_where_they_pay_least_but_for_rounding() {
        let passes = Passes { bids: 1, sure: u64::MAX, expected: u64::MAX };
        for n in [70, 90, 120] {
            let point = |k: usize| {
                let of = |k: usize| (k * 7919 % 1009) as f64 / 1009.0;
                (of(k + 1) + of(3 * k) / 1000.0, of(k * k + n))
            };
            let apart = |a: (f64, f64), b: (f64, f64)| ((a.0 - b.0).powi(2) + (a.1 - b.1).powi(2)).sqrt();
            let values: Vec<f64> = (0..n * n).map(|k| apart(point(k / n), point(n + k % n))).collect();
            let problem = Problem::new(Costs::dense(n, n, &values).unwrap());
            let prepared = Prepared::new(&problem, Watch::NONE).ok().unwrap();
            assert_eq!(prepared.survey.step, 0.0);
            let found = place(&prepared, None, prepared.start(), None, passes).ok().unwrap();
            for (row, &r) in values.chunks(n).zip(&found.resource_of) {
                let paid = row[r as usize] + found.prices[r as usize];
                assert!(paid <= least_sum(row, &found.prices) + 1e-12, "{n}");
            }
        }
    }

    #[test]
    fn narrow_costs_are_copied_and_no_others() {
        let (n, m) = (9, 11);
        let values: Vec<f64> = (0..n * m).map(|k| ((k * 7919 + k / n * 31) % 1009) as f64 / 4.0).collect();
        let copied = |values: &[f64]| {
            let problem = Problem::new(Costs::dense(n, m, values).unwrap());
            survey_narrow(&problem, Watch::NONE).ok().unwrap()
        };
        let Copied { survey, narrow, cheapest } = copied(&values).unwrap();
        let problem = Problem::new(Costs::dense(n, m, &values).unwrap());
        let plain = Prepared::new(&problem, Watch::NONE).ok().unwrap().survey;
        assert_eq!((survey.step, survey.greatest, survey.forbidden), (0.25, plain.greatest, false));
        for (row, &r) in values.chunks(m).zip(&cheapest.unwrap()) {
            let least = row.iter().copied().fold(f64::INFINITY, f64::min);
            assert_eq!(row.iter().position(|&cost| cost == least), Some(r as usize));
        }
        assert!((0..n * m).all(|k| narrow.cost(k / m, k % m).wide() == values[k]));
        // The first row says what the grid is.
        for at in m..n * m {
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e61, -2e6, 0.125, 1.0 + 2f64.powi(-40)] {
                let mut values = values.clone();
                values[at] = bad;
                assert!(copied(&values).is_none(), "{bad} at {at}");
            }
        }
    }

    /// Prices that 32 bits do not hold to the step end the search there, not the search for the optimum.
    #[test]
    fn prices_too_great_for_32_bits_are_left_to_others() {
        let n = 70;
        // The last job must push all others one on, against a cost that rises in great steps.
        let values: Vec<f64> = (0..n * n)
            .map(|k| {
                let (i, r) = (k / n, k % n);
                if r == i + 1 || i == n - 1 && r == 0 || i == r && i + 1 < n {
                    (r * 55_000) as f64
                } else {
                    4e6
                }
            })
            .collect();
        let problem = Problem::new(Costs::dense(n, n, &values).unwrap());
        assert!(survey_narrow(&problem, Watch::NONE).ok().unwrap().is_some());
        let answer = solve(&problem).unwrap();
        let other = ShortestPaths.assign(&problem).unwrap();
        assert_eq!(answer.assignment().unwrap().total, other.assignment().unwrap().total);
        assert_eq!(verify(&problem, answer.assignment().unwrap(), 0.0).unwrap().gap, 0.0);
    }

    /// As a larger problem of these is solved: forbidden pairs, and more jobs than they leave room for.
    #[test]
    fn what_cannot_be_placed_is_proven() {
        let n = 70;
        let mut values: Vec<f64> = (0..n * n).map(|k| ((k * 7919 + k / n * 31) % 1009) as f64).collect();
        for job in 10..10 + n / 2 {
            values[job * n + n / 2 - 1..(job + 1) * n].fill(f64::INFINITY);
        }
        let problem = Problem::new(Costs::dense(n, n, &values).unwrap());
        assert!(suit(&problem));
        let answer = solve(&problem).unwrap();
        verify_shortage(&problem, answer.shortage().unwrap()).unwrap();
        values[3 * n..4 * n].fill(f64::INFINITY);
        let problem = Problem::new(Costs::dense(n, n, &values).unwrap());
        let answer = solve(&problem).unwrap();
        verify_shortage(&problem, answer.shortage().unwrap()).unwrap();
        let most = problem.with_coverage(Coverage::MostJobs);
        let answer = solve(&most).unwrap();
        assert_eq!(verify(&most, answer.assignment().unwrap(), 0.0).unwrap().gap, 0.0);
    }

    #[test]
    fn limits_are_kept_and_bounds_hold() {
        let n = 70;
        let values: Vec<f64> =
            (0..n * n).map(|k| ((k * 7919 + k / n * k % 10_007 * 31) % 1009) as f64).collect();
        let problem = Problem::new(Costs::dense(n, n, &values).unwrap());
        let best = solve(&problem).unwrap().assignment().unwrap().total;
        for work in (1..40).map(|k| k * 2000) {
            let limit = Limit::default().with_work(work);
            let outcome = solve_within(&problem, &mut limit.meter()).unwrap().outcome;
            assert!(outcome.work <= work, "{} {work}", outcome.work);
            assert!(outcome.bound.is_none_or(|bound| bound <= best));
            assert!(outcome.value.is_none_or(|value| value >= best));
        }
    }
}
