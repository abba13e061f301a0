//! Greedy: each job, in order, on its cheapest resource with room.

use sched_model::Proof;

use crate::kernel::NONE;
use crate::kernel::matching;
use crate::kernel::prepared::Prepared;
use crate::kernel::watch::{Stop, Watch};
use crate::{Answer, AssignmentProblem};

pub(crate) fn run(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Answer, Stop> {
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
