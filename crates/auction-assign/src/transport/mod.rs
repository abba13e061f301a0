//! Many jobs on few resources, capacities not expanded.
//!
//! Successive shortest paths (R. G. Busacker, P. J. Gowen, 1961; with node prices J. Edmonds, R. M. Karp,
//! Theoretical improvements in algorithmic efficiency for network flow problems, 1972) on a graph whose nodes
//! are the resources: the arc from r to s is the cheapest move of a job from r to s. (The same view of the
//! transportation problem as in T. Tokuyama, J. Nakano, Geometric algorithms for the minimum cost assignment
//! problem, 1995.)
//!
//! Where every job has room on its cheapest resource, one pass gives the answer (`cheapest`). Else prices are
//! first found on samples of the jobs, each four times as large as the one before, with capacities in
//! proportion (`samples`). At those prices one pass places every job where cost + price is least, and keeps
//! the few pairs that can still matter (`core`). On these the resources that are over or under their capacity
//! are balanced, along shortest paths (`balance`). Errors of rounding, and
//! cases that a core cannot decide, are left to candidate lists.

mod balance;
mod cheapest;
mod cheapest_moves;
mod core;
mod dense;
mod samples;

use sched_model::order::order;
use sched_model::{Meter, Outcome};

use crate::finish::finish;
use crate::kernel::prepared::Prepared;
use crate::kernel::watch::{Stop, Watch, watched};
use crate::shortest_paths;
use crate::{Answer, AssignError, Assigner, Assignment, AssignmentProblem, Shortage};

/// Many jobs on few resources: a price for each resource, found on samples; then shortest paths over the
/// resources.
///
/// Source: successive shortest paths, R. G. Busacker, P. J. Gowen, 1961, with node prices of J. Edmonds, R.
/// M. Karp, 1972, over the cheapest moves between resources.
///
/// Prefer it where resources are few (up to some hundreds) and hold many jobs each. Guarantee: exact (see
/// [`Assigner`]). Time: some passes over the costs, and for every job that has to move from its place at the
/// sampled prices (about sqrt(jobs * resources) of them on random costs, at worst all jobs) at most a search
/// over the pairs that are kept; where every job finds room on its cheapest resource, one pass. Space
/// O(jobs + resources^2 + pairs kept): a few per job, or nearly all where most costs are equal; and those of a job
/// once more each time it moves. Ties: the resource of least index that has room.
///
/// ```
/// use auction_assign::{Assigner, Costs, Transport, AssignmentProblem};
/// // Four jobs, all best on resource 0, which holds two: those that lose least by moving go to resource 1.
/// let costs = Costs::dense(4, 2, &[1.0, 4.0, 1.0, 2.0, 1.0, 9.0, 1.0, 3.0])?;
/// let answer = Transport.assign(&AssignmentProblem::new(costs).with_capacities(&[2, 2]))?;
/// let assignment = answer.best.unwrap();
/// assert_eq!(assignment.resources, [Some(0), Some(1), Some(0), Some(1)]);
/// assert_eq!(assignment.total, 7.0);
/// # Ok::<(), auction_assign::AssignError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Transport;

/// The square of this many resources must fit into memory beside the jobs.
const MOST_RESOURCES: usize = 2000;

impl Assigner for Transport {
    fn name(&self) -> &'static str {
        "transport"
    }

    fn solve(
        &self,
        problem: &AssignmentProblem<'_>,
        meter: &mut Meter,
    ) -> Result<Outcome<Assignment, Shortage>, AssignError> {
        if problem.resources() > MOST_RESOURCES {
            let reason = "more than 2000 resources";
            return Err(AssignError::Unsupported { method: self.name(), reason });
        }
        watched(problem, meter, |watch| solve(problem, watch))
    }
}

/// Resources up to which a pass tests whether every job has a place on its cheapest resource: with many
/// resources, there is always one that is the cheapest of too many jobs.
const MOST_CHEAPEST_RESOURCES: usize = 256;

/// As [`Transport`], for any number of resources.
pub(crate) fn solve(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Answer, Stop> {
    if problem.resources() <= MOST_CHEAPEST_RESOURCES
        && let Some(answer) = cheapest::assign(problem, watch)?
    {
        return Ok(answer);
    }
    let prepared = Prepared::without_columns(problem, watch)?;
    prepared.first_look()?;
    match samples::solve(&prepared)? {
        Some(found) => finish(&prepared, found, None),
        // Cores cannot place every job, or had to be made wider too often.
        None => shortest_paths::solve(&prepared, None),
    }
}

/// Capacities in proportion for a sample of the jobs, rounded by largest remainders.
fn scaled(capacities: &[u32], jobs: usize, sample: usize) -> Vec<u32> {
    if sample == jobs {
        return capacities.to_vec();
    }
    let ratio = sample as f64 / jobs as f64;
    let exact: Vec<f64> = capacities.iter().map(|&c| f64::from(c) * ratio).collect();
    let mut scaled: Vec<u32> = exact.iter().map(|&c| c as u32).collect();
    let wanted = (exact.iter().sum::<f64>().round() as usize).max(sample);
    let mut order = order(capacities.len(), &|a, b| exact[b].fract().total_cmp(&exact[a].fract()));
    order.retain(|&r| capacities[r as usize] > 0);
    let given: usize = scaled.iter().map(|&c| c as usize).sum();
    for &r in order.iter().cycle().take(wanted.saturating_sub(given)) {
        scaled[r as usize] += 1;
    }
    scaled
}
