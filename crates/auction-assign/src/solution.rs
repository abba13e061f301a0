//! The answer of a method: an assignment with its duals, or a shortage that proves that there is none.

use sched_model::{Proof, internal::counted};

/// Prices of resources and profits of jobs: the proof that an assignment is optimal.
///
/// Let the *value* of a pair be its cost when maximising, and minus its cost when minimising. Then:
///
/// | | always | exact answer |
/// |---|---|---|
/// | admissible pair of job `j` and resource `r` | `profits[j] + prices[r] >= value(j, r)` | equal if `j` is on `r` |
/// | resource | `prices[r] >= 0` | 0 if it has room left |
/// | job, if jobs may stay unplaced | `profits[j] >= waiting` | equal if `j` is unplaced |
///
/// | [`Coverage`](crate::Coverage) | `waiting` |
/// |---|---|
/// | `EveryJob` | `None` |
/// | `MostJobs` | at most the profit of every placed job; `None` if all are placed |
/// | `Penalty` | the value of an unplaced job: the penalty when maximising, minus the penalty when minimising |
///
/// So for every assignment (with `MostJobs`: of as many jobs) the sum of its values, and of `waiting` for each unplaced
/// job, is at most the sum of all profits and of `capacity * price` over all resources. For an exact answer the two
/// sums are equal. The duals of an answer that was stopped prove its bound; so do those of an answer within an epsilon,
/// in which a value may exceed `profits[j] + prices[r]`: [`verify`](crate::verify) adds the excess to the gap.
///
/// If sums of the costs are not exact in doubles, the numbers here are the doubles nearest to the duals, and
/// [`Remainders`] hold the differences: with them the conditions above hold exactly.
///
/// ```
/// use auction_assign::{AssignmentProblem, Costs, assign, verify};
/// // 0.1 + 0.4 against 0.2 + 0.3: as doubles both sum to 0.5, in truth the second is less by 2^-55.
/// let costs = [0.1, 0.2, 0.3, 0.4];
/// let problem = AssignmentProblem::new(Costs::dense(2, 2, &costs)?);
/// let answer = assign(&problem)?;
/// assert_eq!(answer.proof(), sched_model::Proof::Exact);
/// let assignment = answer.best.unwrap();
/// assert_eq!(assignment.resources, [Some(1), Some(0)]);
/// assert_eq!(assignment.to_string(), "2 of 2 jobs placed, total 0.5");
/// assert_eq!(verify(&problem, &assignment).unwrap().gap, 0.0);
/// # Ok::<(), auction_assign::AssignError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Duals {
    /// The profit of each job: its value minus the price it pays.
    pub profits: Vec<f64>,
    /// The price of one place on each resource.
    pub prices: Vec<f64>,
    /// The profit of an unplaced job; `None` if no job is or may be unplaced (see the table above).
    pub waiting: Option<f64>,
    /// The rounding errors of the duals; `None` if the doubles are exact, or if the duals are only a bound.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub remainders: Option<Remainders>,
}

/// The differences between the doubles of [`Duals`] and the exact duals. Each dual is the sum of its double and of
/// `each` further doubles, each of them smaller than the last bit of the one before.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Remainders {
    /// Number of further doubles per dual; 1 or 2 unless the magnitudes of the costs differ by a factor of more than
    /// 1e15.
    pub each: usize,
    /// The remainders of the profits, `each` for every profit.
    pub profits: Vec<f64>,
    /// The remainders of the prices, `each` for every price.
    pub prices: Vec<f64>,
    /// The `each` remainders of the waiting profit; empty if there is none.
    pub waiting: Vec<f64>,
}

impl Duals {
    /// The doubles that sum to the exact price of a resource, in descending order of magnitude;
    /// none for a resource outside the problem.
    pub(crate) fn exact_price(&self, resource: usize) -> impl Iterator<Item = f64> + '_ {
        let rest = self.remainders.as_ref().map_or(&[][..], |rest| part(&rest.prices, resource, rest.each));
        self.prices.get(resource).into_iter().chain(rest).copied()
    }

    /// The doubles that sum to the exact profit of a job, in descending order of magnitude;
    /// none for a job outside the problem.
    pub(crate) fn exact_profit(&self, job: usize) -> impl Iterator<Item = f64> + '_ {
        let rest = self.remainders.as_ref().map_or(&[][..], |rest| part(&rest.profits, job, rest.each));
        self.profits.get(job).into_iter().chain(rest).copied()
    }

    /// The doubles that sum to the exact waiting profit, in descending order of magnitude;
    /// none if there is no waiting profit.
    pub(crate) fn exact_waiting(&self) -> impl Iterator<Item = f64> + '_ {
        let rest = self.remainders.as_ref().map_or(&[][..], |rest| rest.waiting.as_slice());
        self.waiting.iter().chain(rest).copied()
    }
}

/// The remainders of the dual of this index.
fn part(remainders: &[f64], index: usize, each: usize) -> &[f64] {
    remainders.chunks(each.max(1)).nth(index).unwrap_or_default()
}

/// An assignment of jobs to resources.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Assignment {
    /// The resource of each job; `None` for an unplaced job.
    pub resources: Vec<Option<u32>>,
    /// The exact sum of the costs, including the penalties of unplaced jobs, rounded once to a double. It does not
    /// depend on the order of the jobs, and all optima have the same total.
    pub total: f64,
    /// The duals; `None` from a method that proves no bound.
    pub duals: Option<Duals>,
}

impl std::fmt::Display for Assignment {
    /// One line: `3 of 3 jobs placed, total 5`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} of {} placed, total {}",
            self.placed(),
            counted(self.resources.len(), "job"),
            self.total
        )
    }
}

impl Assignment {
    /// The number of placed jobs.
    pub fn placed(&self) -> usize {
        self.resources.iter().flatten().count()
    }
}

/// A proof that not every job can be placed: a set of jobs that may use only some resources, which have fewer places
/// than there are jobs in the set (a violation of Hall's condition).
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Shortage {
    /// The jobs of the set, ascending.
    pub jobs: Vec<u32>,
    /// All resources with a place that any of these jobs may use, ascending.
    pub resources: Vec<u32>,
    /// The number of places on these resources, less than the number of these jobs.
    pub capacity: u64,
}

impl Shortage {
    /// Creates a shortage from jobs and resources in any order.
    pub(crate) fn new(mut jobs: Vec<u32>, mut resources: Vec<u32>, capacity: u64) -> Self {
        jobs.sort_unstable();
        resources.sort_unstable();
        Self { jobs, resources, capacity }
    }
}

impl std::fmt::Display for Shortage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (jobs, resources) = (counted(self.jobs.len(), "job"), counted(self.resources.len(), "resource"));
        let hold = if self.resources.len() == 1 { "holds" } else { "hold" };
        write!(f, "{jobs} may only use {resources}, which {hold} {}", self.capacity)
    }
}

/// The result of a method that ran to its end: an assignment, and what is proven about its total.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) solution: Assignment,
    pub(crate) proof: Proof,
}
