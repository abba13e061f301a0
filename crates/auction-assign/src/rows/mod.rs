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
//! Deviations: who was outbid bids again after all others; a job whose cheapest resources are equal takes a
//! free one of them, if there is one, and does not push others out; where bids leave many waiting, prices
//! from the columns alone are tried instead; what the whole takes is foretold from the last paths, and handed
//! over where that is too much.

mod first;
mod reduction;

use crate::candidates::state::State;
use crate::candidates::whole_rows::WholeRowSearch;
use crate::kernel::NONE;
use crate::kernel::number::Unit;
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::stop::Stop;
use crate::problem::Form;
use crate::{Coverage, Problem};
pub(crate) use first::survey_and_choose;
use reduction::Reduction;

/// Passes over the costs.
#[derive(Clone, Copy)]
pub(crate) struct Passes {
    /// That bids may read.
    bids: u64,
    /// That paths may read before what is left counts.
    sure: u64,
    /// That all paths may be expected to read.
    expected: u64,
}

/// Where more than one job in so many waits after bids, other prices to begin with are tried; they must leave
/// half as many.
const MANY_LEFT: usize = 4;

impl Default for Passes {
    fn default() -> Self {
        Self { bids: 2, sure: 1, expected: 32 }
    }
}

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

/// As [`suit`], of costs that were looked at: on no grid, last bits of prices would be left for exact numbers
/// to close, which takes longer from here than from lists.
pub(crate) fn suit_prepared(prepared: &Prepared<'_>) -> bool {
    prepared.dummy.is_none() && prepared.survey.step > 0.0 && suit(&prepared.problem)
}

/// Places jobs from prices that are 0 wherever a resource may stay free, and from the `cheapest` resource of
/// each job at these, where it is known; for problems that [`suit`](suit_prepared). Every job placed stands
/// where cost + price is least, and free resources keep their price. Leaves jobs waiting, with [`NONE`],
/// where more would have to be read.
pub(crate) fn place(
    prepared: &Prepared<'_>,
    prices: Vec<f64>,
    cheapest: Option<&[u32]>,
    passes: Passes,
) -> Result<Found, Stop> {
    let all = prepared.source.all_entries();
    let mut reduction = Reduction::new(prepared, prices);
    for (job, &r) in (0..).zip(cheapest.unwrap_or_default()) {
        reduction.place(job, r, prepared.source.cost(job as usize, r as usize));
    }
    let mut waiting = reduction.reduce(passes.bids.saturating_mul(all))?;
    if prepared.is_tight() && waiting.len() * MANY_LEFT > prepared.jobs() {
        // Columns before rows may suit these costs.
        let mut other = Reduction::from_columns(prepared)?;
        let left = other.reduce((passes.bids + 1).saturating_mul(all))?;
        if left.len() * 2 < waiting.len() {
            (reduction, waiting) = (other, left);
        }
    }
    let Reduction { prices, resource_of, cost_of, .. } = reduction;
    if waiting.is_empty() {
        return Ok(Found { resource_of, cost_of, prices, least_raise: f64::INFINITY });
    }
    let mut state = State::new(prepared.jobs(), prepared.capacities.clone(), prices, Unit::NONE);
    for (job, (&r, &cost)) in (0..).zip(resource_of.iter().zip(&cost_of)) {
        if r != NONE {
            state.place(job, r, cost);
        }
    }
    let mut search = WholeRowSearch::new(prepared.capacities.len());
    // Half of it is the last path, for the longest come last.
    let mut path = 0;
    for (done, &job) in waiting.iter().enumerate() {
        let left = (waiting.len() - done) as u64;
        let expected = search.work.saturating_add(left.saturating_mul(path));
        if search.work > passes.sure.saturating_mul(all) && expected > passes.expected.saturating_mul(all) {
            break;
        }
        prepared.look(&state.resource_of, &state.prices)?;
        let before = search.work;
        search.augment(job, &mut state, prepared, u64::MAX)?;
        path = (path + (search.work - before)).div_ceil(2);
    }
    let State { resource_of, cost_of, prices, .. } = state;
    Ok(Found { resource_of, cost_of, prices, least_raise: f64::INFINITY })
}

#[cfg(test)]
mod tests {
    use super::*;
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
            let found = place(&prepared, prepared.start(), None, passes).ok().unwrap();
            let Answer::Assigned(proven) = prepared.finish(found) else { panic!("all are placed") };
            assert_eq!(verify(&problem, &proven.solution, 0.0).unwrap().gap, 0.0);
            let other = ShortestPaths.assign(&problem).unwrap();
            assert_eq!(proven.solution.total, other.assignment().unwrap().total);
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
                let found = place(&prepared, prepared.start(), None, passes).ok().unwrap();
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
            for bad in [f64::NAN, f64::INFINITY, 1e61] {
                let mut values = values.clone();
                values[n * m / 2] = bad;
                let problem = Problem::new(Costs::dense(n, m, &values).unwrap());
                assert!(survey_and_choose(&problem, Watch::NONE).ok().unwrap().is_none());
            }
        }
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
