//! Problems turned round: each resource takes a job.
//!
//! Where there are more jobs than resources, the rows of the transposed matrix are few and long, and each takes
//! one of many columns: whole rows, read once or twice, mostly place them all.

use crate::automatic::first_pass::{FirstPass, open};
use crate::candidates::drive;
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::stop::Stop;
use crate::kernel::watch::{Attempt, Overseer, Standing, Watch};
use crate::problem::Form;
use crate::rows;
use crate::{Answer, AssignmentProblem, Costs, Coverage};
use sched_model::End;

/// Problems of fewer costs are solved as they are, and so are those of more, for which memory is dear.
const LEAST_COSTS: usize = 1 << 12;
const MOST_COSTS: usize = 1 << 26;

/// The answer of the transposed problem where whole rows give it, for full costs, more jobs than resources, one
/// place each, and as many jobs as possible.
pub(super) fn solve(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Option<Answer>, Stop> {
    let Form::Dense(values) = problem.costs().form() else { return Ok(None) };
    let (n, m) = (problem.jobs(), problem.resources());
    let suits = n > m && problem.is_one_to_one() && problem.coverage() == Coverage::MostJobs;
    if !suits || !(LEAST_COSTS..=MOST_COSTS).contains(&values.len()) {
        return Ok(None);
    }
    if watch.wants_any() {
        drive::first_look(&Prepared::without_columns(problem, watch)?)?;
    }
    let Some(_room) = watch.room::<f64>(values.len(), m) else { return Ok(None) };
    let turned = transposed(values, m, watch)?;
    let smaller = AssignmentProblem::new(Costs::dense(m, n, &turned)?).with_sense(problem.sense());
    let attempt = Attempt::new(watch);
    let answer = assign(problem, &smaller, Some, attempt.watch(), by_rows);
    Ok(attempt.result(answer)?.flatten())
}

/// Passes that paths over whole rows may be predicted to read.
const PASSES: u64 = 64;

/// Rows as columns; a few rows at a time, so that what is read and written is near.
fn transposed(values: &[f64], cols: usize, watch: Watch<'_>) -> Result<Vec<f64>, End> {
    const ROWS: usize = 8;
    let rows = values.len() / cols;
    let mut turned = vec![0.0; values.len()];
    for first in (0..rows).step_by(ROWS) {
        let block = &values[first * cols..rows.min(first + ROWS) * cols];
        watch.spend(block.len() as u64)?;
        if block.len() == ROWS * cols {
            let lines: [&[f64]; ROWS] = std::array::from_fn(|k| &block[k * cols..(k + 1) * cols]);
            for r in 0..cols {
                let column: [f64; ROWS] = std::array::from_fn(|k| lines[k][r]);
                turned[r * rows + first..][..ROWS].copy_from_slice(&column);
            }
            continue;
        }
        for (k, line) in block.chunks_exact(cols).enumerate() {
            for (r, &value) in line.iter().enumerate() {
                turned[r * rows + first + k] = value;
            }
        }
    }
    Ok(turned)
}

/// The answer, if whole rows give it.
fn by_rows(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Option<Answer>, Stop> {
    let FirstPass { prepared, cheapest, narrow } = open(problem, watch)?;
    if !rows::suit_prepared(&prepared) {
        return Ok(None);
    }
    match rows::place(&prepared, narrow.as_ref(), cheapest.as_deref(), PASSES)? {
        rows::Placed::All(found) => drive::finish_ranked(&prepared, found).map(Some),
        rows::Placed::Some(_) => Ok(None),
    }
}

/// The answer from the `turned` problem, in which every resource takes a job of some column, by the method
/// `solve`. `job_of` gives the next job of a column. `None` where some resource takes none.
pub(super) fn assign(
    problem: &AssignmentProblem<'_>,
    turned: &AssignmentProblem<'_>,
    mut job_of: impl FnMut(u32) -> Option<u32>,
    watch: Watch<'_>,
    solve: impl FnOnce(&AssignmentProblem<'_>, Watch<'_>) -> Result<Option<Answer>, Stop>,
) -> Result<Option<Answer>, Stop> {
    // Its intermediate answers are of the transposed problem: only its work is counted.
    let counting = CountOnly(watch);
    let answer = match solve(turned, watch.through(&counting)) {
        Ok(answer) => answer,
        Err(Stop::Ended(end)) => return Err(end.into()),
        Err(Stop::Infeasible(_) | Stop::Malformed(_)) => return Ok(None),
    };
    let assignment = answer.as_ref().map(|answer| &answer.solution);
    let Some((assignment, duals)) = assignment.and_then(|found| Some((found, found.duals.as_ref()?))) else {
        return Ok(None);
    };
    let prepared = Prepared::without_columns(problem, watch)?;
    let (n, m) = (problem.jobs(), problem.resources());
    // Jobs that no resource takes are on the dummy, the index after the last.
    let mut found = Found {
        resource_of: vec![m as u32; n],
        cost_of: vec![0.0; n],
        prices: Vec::with_capacity(m + 1),
        least_raise: f64::INFINITY,
    };
    for (r, &column) in assignment.resources.iter().enumerate() {
        let Some(job) = column.and_then(&mut job_of) else { return Ok(None) };
        found.resource_of[job as usize] = r as u32;
        found.cost_of[job as usize] = prepared.source.cost(job as usize, r);
    }
    // The profit of a resource in the transposed problem is its price here. A job that nobody takes has the
    // price 0 there, and pays 0 here.
    found.prices.extend_from_slice(&duals.profits);
    found.prices.resize(prepared.capacities.len(), 0.0);
    if duals.remainders.is_some() || !prepared.on_grid(&found.prices) {
        // Sums were not exact there, and need not be exact here.
        found.least_raise = 0.0;
    }
    drive::finish_ranked(&prepared, found).map(Some)
}

/// Counts work, and records no assignment.
struct CountOnly<'a>(Watch<'a>);

impl Overseer for CountOnly<'_> {
    fn outer(&self) -> Watch<'_> {
        self.0
    }

    fn is_due(&self, _: u64) -> bool {
        false
    }

    fn wants_any(&self) -> bool {
        false
    }

    fn record(&self, _: Standing) -> Result<(), End> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        for (rows, cols) in [(1, 1), (3, 2), (8, 5), (19, 7)] {
            let values: Vec<f64> = (0..rows * cols).map(|k| k as f64).collect();
            let turned = transposed(&values, cols, Watch::NONE).unwrap();
            assert!((0..rows * cols).all(|k| turned[k % cols * rows + k / cols] == values[k]));
        }
    }
}
