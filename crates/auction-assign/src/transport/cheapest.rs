//! The case in which every job has room on its cheapest resource: one pass over the costs, with all prices 0.

use sched_model::{Proof, exact_sum};

use crate::kernel::lanes::CHEAPEST_LANES;
use crate::kernel::watch::{Stop, Watch};
use crate::kernel::wide::cheapest;
use crate::problem::{Form, MAX_COST};
use crate::solution::Duals;
use crate::{Answer, Assignment, AssignmentProblem, Coverage, Sense};

/// The answer with all prices 0, where it exists: a full matrix without forbidden pairs, every job placed,
/// and room for each job where it costs least. `None` proves nothing, not even that the costs are valid.
pub(crate) fn assign(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Option<Answer>, Stop> {
    let Form::Dense(values) = problem.costs().form() else { return Ok(None) };
    let (n, m) = (problem.jobs(), problem.resources());
    let capacities: Vec<u32> = (0..m).map(|r| problem.capacity(r)).collect();
    // A resource without a place would need a price.
    let optional = matches!(problem.coverage(), Coverage::Penalty(_));
    if n == 0 || optional || problem.total_capacity() < n as u64 || capacities.contains(&0) {
        return Ok(None);
    }
    match problem.sense() {
        Sense::Minimise => place::<false>(values, n, &capacities, watch),
        Sense::Maximise => place::<true>(values, n, &capacities, watch),
    }
}

fn place<const NEGATE: bool>(
    values: &[f64],
    n: usize,
    capacities: &[u32],
    watch: Watch<'_>,
) -> Result<Option<Answer>, Stop> {
    let m = capacities.len();
    let mut room = capacities.to_vec();
    let mut resource_of = Vec::with_capacity(n);
    let mut profits = Vec::with_capacity(n);
    let mut magnitudes = [0.0; CHEAPEST_LANES];
    for row in values.chunks_exact(m) {
        watch.spend(m as u64)?;
        let Some((least, r)) = cheapest::<NEGATE>(row, &mut magnitudes) else { return Ok(None) };
        let room = &mut room[r];
        let Some(left) = room.checked_sub(1) else { return Ok(None) };
        *room = left;
        resource_of.push(Some(r as u32));
        profits.push(0.0 - least);
    }
    // A cost that is NaN, forbidden or too great shows in the sum of the magnitudes.
    if !(magnitudes.iter().sum::<f64>() <= MAX_COST) {
        return Ok(None);
    }
    let lost = exact_sum(profits.iter().copied());
    let duals = Duals { profits, prices: vec![0.0; m], waiting: None, remainders: None };
    // Never -0.
    let total = if NEGATE { 0.0 + lost } else { 0.0 - lost };
    let solution = Assignment { resources: resource_of, total, duals: Some(duals) };
    Ok(Some(Answer { solution, proof: Proof::Exact }))
}
