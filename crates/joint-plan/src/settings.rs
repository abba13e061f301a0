//! The settings of the joint planner.

/// Plans a batch as a whole: chooses a window for each job such that no two windows overlap and the limit of the
/// batch is kept. The most jobs come first, then the goal.
///
/// Sources: the cycle of V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, *Resource Selection Algorithms
/// for Economic Scheduling in Distributed Systems*, 2011, cuts every window that it finds out of the free time,
/// job by job, which restricts the choice. Here one pool collects the windows of many cycles and of searches under
/// prices of node-time (the Lagrangian relaxation: L. Wolsey, *Integer Programming*, 1998, chapter 10), and the
/// choice takes into account which windows overlap. Large neighbourhoods: P. Shaw, *Using constraint programming
/// and local search methods to solve vehicle routing problems*, 1998.
///
/// * **Guarantee**: the plan keeps rules and limits. Its [bound](crate::JointPlan::bound) holds for all plans that
///   place as many jobs, including those with windows that no search has found. That no plan places more jobs is
///   proven only if [none is left out](crate::JointPlan::left_out).
/// * **Complexity**: bounded only by the limit, which counts work; if the limit ends the search, the answer is the
///   best plan so far.
/// * **Ties**: the plan found first; the order of the search depends only on the input.
/// * **Errors**: [`JointError`](crate::JointError), for malformed input only.
///
/// ```
/// use joint_plan::{Goal, JointPlanner, PlanProblem, Planner};
/// use sched_model::*;
/// let node = |id, speed, price| Node::new(NodeId(id), Speed::must(speed), Price::must(price));
/// let nodes = [node(1, 1.0, 1.0), node(2, 2.0, 4.0)];
/// let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(40.0))?;
/// let job = |id, work| Ok::<_, ModelError>(Job::new(JobId(id), ResourceRequest::new(1, Work::must(work))?));
/// let batch = Batch::new(vec![job(1, 40.0)?, job(2, 60.0)?])?;
/// // Node 1 is cheaper for both, but free for 40 only: job 1 fits there, job 2 must take node 2 for 30.
/// let problem = PlanProblem::new(&slots, &batch, Goal::MinCost { time_limit: None });
/// let outcome = JointPlanner::new().plan(&problem)?;
/// assert_eq!(outcome.value, Some(40.0 + 30.0 * 4.0));
/// assert!(outcome.gap().is_some_and(|gap| gap < 1e-9));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
#[must_use]
pub struct JointPlanner {
    pub(crate) effort: Effort,
    /// Number of shuffled orders in the portfolio, and the seed of the first.
    pub(crate) shuffled: (usize, u64),
    /// The seed of the neighbourhoods that are chosen at random; 0 by default. The same seed gives the same plan.
    pub seed: u64,
    /// Whether branches on starts may raise the bound.
    pub(crate) branches: bool,
}

impl Default for JointPlanner {
    fn default() -> Self {
        Self::new()
    }
}

impl JointPlanner {
    /// A planner with [`Effort::Hard`] and five shuffled orders in the portfolio.
    pub fn new() -> Self {
        Self { effort: Effort::default(), shuffled: (5, 1), seed: 0, branches: true }
    }

    /// Sets the number of shuffled orders of the jobs in the portfolio, in addition to the orders by size and the
    /// given one. The same seed gives the same orders.
    pub fn with_shuffled_orders(self, count: usize, seed: u64) -> Self {
        Self { shuffled: (count, seed), ..self }
    }
}

sched_model::setters!(JointPlanner {
    /// Sets the effort. Under the same limits a greater effort never places fewer jobs than [`Effort::Quick`], and
    /// never as many at a worse value of the goal, because it begins with the same steps.
    with_effort: effort: Effort,
});

/// The effort of a planner: the phases that it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Effort {
    /// One cycle of the paper by the search that fits the goal, and the bound of each job alone.
    Quick,
    /// Several searches in several orders of the jobs, then a choice among all their windows, which may conflict,
    /// and the bound of each job alone.
    Normal,
    /// As [`Normal`](Self::Normal), followed by prices of node-time by dual ascent, branches on starts and large
    /// neighbourhoods, with the bound of prices and branches.
    #[default]
    Hard,
}
