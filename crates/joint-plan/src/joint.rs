//! The settings of the joint planner.

/// Plans a batch as a whole: chooses a window for each job such that no two windows overlap and the limit of the batch
/// is kept. The number of placed jobs is maximised first, then the goal is optimised.
///
/// Sources: the cycle of V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, *Resource Selection Algorithms
/// for Economic Scheduling in Distributed Systems*, 2011, cuts every window that it finds out of the free time,
/// job by job, which restricts the choice. Here one pool collects the windows of many cycles and of searches under
/// prices of node-time (the Lagrangian relaxation: L. Wolsey, *Integer Programming*, 1998, chapter 10), and the
/// choice takes into account which windows overlap. Large neighbourhoods: P. Shaw, *Using constraint programming
/// and local search methods to solve vehicle routing problems*, 1998.
///
/// The first plan comes from one cycle, and each step after it may improve plan or bound: cycles by other searches and
/// in other orders of the jobs, a choice among all their windows, prices of node-time by dual ascent, branches on
/// starts, large neighbourhoods. After each step, the observer of the meter is told the value of the best plan so far
/// and the bound; if the minimum makespan comes first, those of the current trial.
///
/// * **Guarantee**: the plan keeps rules and limits. Its bound holds for all plans that place as many jobs, including
///   those with windows that no search has found. The number of placed jobs is proven to be the maximum only if [none
///   is left out](crate::Plan::left_out).
/// * **Limit**: its gap ends the search and changes no step, so a plan for a smaller gap is no worse by the goal. If
///   all steps are done, the remaining gap may be larger than the requested one.
/// * **Complexity**: bounded only by the limit, which counts work; if the limit ends the search, the answer is the
///   best plan so far.
/// * **Ties**: the plan found first; the order of the search depends only on the input.
/// * **Errors**: [`JointError`](crate::JointError), for malformed input only.
///
/// ```
/// use joint_plan::{Goal, JointPlanner, PlanProblem, Planner};
/// use sched_model::*;
/// use std::sync::mpsc::channel;
/// // Node 1 is cheaper for both jobs, but free for 40 only: job 1 fits there, job 2 must take node 2 for 30.
/// let nodes = [Node::must(1, 1.0, 1.0), Node::must(2, 2.0, 4.0)];
/// let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(40.0))?;
/// let job = |id, work| Job::new(JobId(id), ResourceRequest::must(1, work));
/// let batch = Batch::new(vec![job(1, 40.0), job(2, 60.0)])?;
/// let problem = PlanProblem::new(&slots, &batch, Goal::MinCost { time_limit: None });
/// let (tell, told) = channel();
/// let mut meter = Limit::default().meter().with_observer(move |told| tell.send(told.best).unwrap_or(()));
/// let outcome = JointPlanner::new().solve(&problem, &mut meter)?;
/// assert_eq!(outcome.value, Some(40.0 + 30.0 * 4.0));
/// assert!(outcome.gap().is_some_and(|gap| gap < 1e-9));
/// // Plans never get worse, and the last one reported is the result.
/// let told: Vec<f64> = told.try_iter().flatten().collect();
/// assert!(told.is_sorted_by(|before, after| after <= before));
/// assert_eq!(told.last().copied(), outcome.value);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
#[must_use]
pub struct JointPlanner {
    /// The seed of the shuffled orders and of the random neighbourhoods; 0 by default. The same seed gives the same
    /// plan.
    pub seed: u64,
    /// The number of shuffled orders of the jobs, in addition to the orders by size and the given one; 5 by default.
    pub shuffled: usize,
}

impl Default for JointPlanner {
    fn default() -> Self {
        Self::new()
    }
}

impl JointPlanner {
    /// Creates a planner with seed 0 and five shuffled orders.
    pub fn new() -> Self {
        Self { seed: 0, shuffled: 5 }
    }
}
