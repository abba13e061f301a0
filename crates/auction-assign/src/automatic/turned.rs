//! Problems turned round: each resource takes a job.
//!
//! Where there are more jobs than resources, the rows of the transposed matrix are few and long, and each takes
//! one of many columns: whole rows, read once or twice, mostly place them all. Where rows are equal, they are
//! equal columns of the transposed matrix.

use crate::automatic::{by_shape, classes, look_first};
use crate::finish::finish;
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::watch::{Stop, Watch};
use crate::problem::Form;
use crate::{Answer, AssignmentProblem, Costs, Coverage};

/// Problems of fewer costs are solved as they are, and so are those of more, for which memory is dear.
const LEAST_COSTS: usize = 1 << 12;
const MOST_COSTS: usize = 1 << 26;

/// The answer of the transposed problem, for full costs and one place each, where there are more jobs than
/// resources, of which as many as possible are to be placed, or as many with equal rows. `None` where some
/// resource takes no job.
pub(super) fn solve(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Option<Answer>, Stop> {
    let Form::Dense(values) = problem.costs().form() else { return Ok(None) };
    let (n, m) = (problem.jobs(), problem.resources());
    if !problem.is_one_to_one() || !(LEAST_COSTS..=MOST_COSTS).contains(&values.len()) {
        return Ok(None);
    }
    let inner = watch.without_looks();
    let found = match problem.coverage() {
        Coverage::MostJobs if n > m => {
            let Some(_room) = watch.room::<f64>(values.len(), m) else { return Ok(None) };
            look_first(problem, watch)?;
            let turned = transposed(values, m, watch)?;
            let turned = AssignmentProblem::new(Costs::dense(m, n, &turned)?).with_sense(problem.sense());
            watch.attempt(|| by_shape(&turned, inner))
        }
        Coverage::EveryJob | Coverage::MostJobs if n == m => {
            let Some(rows) = classes::classes(n, m, |i, r| values[i * m + r]) else { return Ok(None) };
            let Some(_room) = watch.room::<f64>(m * rows.first.len(), n) else { return Ok(None) };
            let row = |i: usize| &values[i * m..(i + 1) * m];
            for (i, &class) in rows.class_of.iter().enumerate() {
                watch.spend(m as u64)?;
                let pairs = row(i).iter().zip(row(rows.first[class as usize]));
                if !pairs.fold(true, |all, (a, b)| all & (a == b)) {
                    return Ok(None);
                }
            }
            look_first(problem, watch)?;
            let merged: Vec<f64> =
                (0..m).flat_map(|r| rows.first.iter().map(move |&i| values[i * m + r])).collect();
            let cost = |r: usize, i: usize| values[i * m + r];
            let turned = AssignmentProblem::new(Costs::function(m, n, &cost)?).with_sense(problem.sense());
            watch.attempt(|| classes::by_classes(&turned, rows, &merged, inner, by_shape))
        }
        _ => return Ok(None),
    };
    let answer = match found {
        Ok(answer) => answer,
        Err(Stop::Infeasible(_) | Stop::Malformed(_)) => None,
        Err(stop) => return Err(stop),
    };
    let assignment = answer.as_ref().map(|answer| &answer.solution);
    let Some((assignment, duals)) = assignment.and_then(|found| Some((found, found.duals.as_ref()?))) else {
        return Ok(None);
    };
    let prepared = Prepared::without_columns(problem, watch)?;
    // Jobs that no resource takes are on the dummy, the index after the last.
    let mut found = Found {
        resource_of: vec![m as u32; n],
        cost_of: vec![0.0; n],
        // The profit of a resource in the transposed problem is its price here. A job that nobody takes has
        // the price 0 there, and pays 0 here.
        prices: duals.profits.clone(),
        least_raise: f64::INFINITY,
    };
    for (r, job) in (0..).zip(&assignment.resources) {
        let Some(job) = job.map(|job| job as usize) else { return Ok(None) };
        (found.resource_of[job], found.cost_of[job]) = (r, prepared.source.cost(job, r as usize));
    }
    found.prices.resize(prepared.capacities.len(), 0.0);
    if duals.remainders.is_some() || !prepared.on_grid(&found.prices) {
        // Sums were not exact there, and need not be exact here.
        found.least_raise = 0.0;
    }
    finish(&prepared, found, None).map(Some)
}

/// Rows as columns; a few rows at a time, so that what is read and written is near.
fn transposed(values: &[f64], cols: usize, watch: Watch<'_>) -> Result<Vec<f64>, Stop> {
    const ROWS: usize = 8;
    let rows = values.len() / cols;
    let mut turned = vec![0.0; values.len()];
    for (first, block) in (0..).step_by(ROWS).zip(values.chunks(ROWS * cols)) {
        watch.spend(block.len() as u64)?;
        for r in 0..cols {
            let column = block[r..].iter().step_by(cols);
            turned[r * rows + first..].iter_mut().zip(column).for_each(|(to, &value)| *to = value);
        }
    }
    Ok(turned)
}
