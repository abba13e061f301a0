//! Greedy: each job in turn on its cheapest resource with room.

use sched_model::{Meter, Outcome, Proof};

use crate::kernel::NONE;
use crate::kernel::matching;
use crate::kernel::prepared::Prepared;
use crate::kernel::watch::{Stop, Watch, watched};
use crate::{Answer, AssignError, Assigner, Assignment, AssignmentProblem, Shortage};

/// Places the jobs in order, each where its cost is least among the resources with room.
///
/// Use it for comparison, and where an answer is needed in a single pass. Guarantee: none (heuristic), no duals. A
/// job for which no place is left stays unplaced; if every job must be placed, that job is placed by moving others
/// without regard to costs, so the answer is infeasible only if the problem is. Time: O(jobs * resources), plus
/// the moves. Space: O(jobs + resources). Ties: the resource with the lowest index.
///
/// ```
/// use auction_assign::{Assigner, Costs, Greedy, AssignmentProblem};
/// let costs = Costs::dense(2, 2, &[1.0, 2.0, 3.0, 9.0])?;
/// // Job 0 takes the cheapest pair, and job 1 pays for it.
/// assert_eq!(Greedy.assign(&AssignmentProblem::new(costs))?.value, Some(10.0));
/// # Ok::<(), auction_assign::AssignError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Greedy;

impl Assigner for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }

    fn solve(
        &self,
        problem: &AssignmentProblem<'_>,
        meter: &mut Meter,
    ) -> Result<Outcome<Assignment, Shortage>, AssignError> {
        watched(problem, meter, |watch| solve(problem, watch))
    }
}

fn solve(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Answer, Stop> {
    let prepared = Prepared::new(problem, watch)?;
    let m = prepared.source.cols();
    let mut room = prepared.capacities.clone();
    let mut resource_of = vec![NONE; prepared.jobs()];
    let mut buffer = Vec::new();
    let mut stranded = false;
    for (i, chosen) in resource_of.iter_mut().enumerate() {
        let mut best = (f64::INFINITY, NONE);
        let mut offer = |r: usize, cost: f64| {
            if cost < best.0 && room[r] > 0 {
                best = (cost, r as u32);
            }
        };
        prepared.source.row(i, &mut buffer).each(&mut offer);
        let (cost, r) = best;
        match prepared.dummy {
            Some(out) if prepared.is_optional() && out <= cost => *chosen = m as u32,
            _ if r == NONE => stranded = true,
            _ => {
                *chosen = r;
                room[r as usize] -= 1;
            }
        }
    }
    if stranded {
        let left = matching::complete(&prepared.source, &prepared.capacities[..m], &mut resource_of, watch)?;
        if prepared.dummy.is_none()
            && let Some(&job) = left.first()
        {
            let shortage = matching::shortage(&prepared.source, &prepared.capacities, &resource_of, job);
            return Err(shortage.into());
        }
    }
    let cost = |(i, &r): (usize, &u32)| if r == NONE { 0.0 } else { prepared.cost(i, r) };
    let cost_of: Vec<f64> = resource_of.iter().enumerate().map(cost).collect();
    let solution = prepared.assignment(&resource_of, &cost_of);
    Ok(Answer { solution, proof: Proof::Heuristic })
}
