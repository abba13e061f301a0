//! The answer of a method: an assignment with its duals, or the reason why there is none.

use sched_model::Proof;

/// Prices of resources and profits of jobs: the proof that an assignment is optimal.
///
/// Let the *value* of a pair be its cost when maximising, and minus its cost when minimising. Then:
///
/// | | always | exact answer |
/// |---|---|---|
/// | admissible pair of job `j` and resource `r` | `profits[j] + prices[r] >= value(j, r)` | equal if `j` is on `r` |
/// | resource | `prices[r] >= 0` | 0 if it has room left |
/// | job, if jobs may stay out | `profits[j] >= waiting` | equal if `j` stays out |
///
/// | [`Coverage`](crate::Coverage) | `waiting` |
/// |---|---|
/// | `EveryJob` | `None` |
/// | `MostJobs` | at most the profit of every placed job; `None` if all are placed |
/// | `Penalty` | the value of staying out: the penalty when maximising, minus the penalty when minimising |
///
/// So for every assignment (with `MostJobs`, of as many jobs) the sum of its values, and of `waiting` for each job
/// that stays out, is at most the sum of all profits and of `capacity * price` over all resources. For an exact
/// answer the two sums are equal. An answer that is stopped or within an epsilon has duals that prove its bound.
///
/// The duals of an answer are made in one place, from the prices of any method, except for those of product costs
/// by [`Sorted`](crate::AssignerKind::Sorted) and of bounds on the way.
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
    /// The profit of a job that stays unplaced; `None` if no job does or may: see the table above.
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
    /// Doubles per dual; 1 or 2 unless the magnitudes of the costs differ by a factor of more than 1e15.
    pub each: usize,
    /// `each` for every profit.
    pub profits: Vec<f64>,
    /// `each` for every price.
    pub prices: Vec<f64>,
    /// `each` for the waiting profit; empty where there is none.
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

fn part(remainders: &[f64], index: usize, each: usize) -> &[f64] {
    remainders.chunks(each.max(1)).nth(index).unwrap_or_default()
}

/// An answer: the resource of each job.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Assignment {
    /// The resource of each job, `None` for a job that is not placed.
    pub resources: Vec<Option<u32>>,
    /// The exact sum of the costs, including the penalties of unplaced jobs, rounded once to a double. The order
    /// of the jobs does not matter, and all optima have the same total.
    pub total: f64,
    /// The duals; `None` from a method that proves nothing.
    pub duals: Option<Duals>,
}

impl std::fmt::Display for Assignment {
    /// One line: `3 of 3 jobs placed, total 5`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} jobs placed, total {}", self.placed(), self.resources.len(), self.total)
    }
}

impl Assignment {
    /// The number of placed jobs.
    pub fn placed(&self) -> usize {
        self.resources.iter().flatten().count()
    }
}

/// Why not every job can be placed: these jobs may use only these resources, which have fewer places than there
/// are jobs (a violation of Hall's condition).
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Shortage {
    /// The competing jobs, ascending.
    pub jobs: Vec<u32>,
    /// All resources that any of them may use, ascending.
    pub resources: Vec<u32>,
    /// The number of places on these resources: fewer than the jobs.
    pub capacity: u64,
}

impl Shortage {
    /// A shortage from jobs and resources in any order.
    pub(crate) fn new(mut jobs: Vec<u32>, mut resources: Vec<u32>, capacity: u64) -> Self {
        jobs.sort_unstable();
        resources.sort_unstable();
        Self { jobs, resources, capacity }
    }
}

impl std::fmt::Display for Shortage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} jobs may only use {} resources, which hold {}",
            self.jobs.len(),
            self.resources.len(),
            self.capacity
        )
    }
}

/// The result of a method that ran to its end: an assignment, and what is proven about it.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) solution: Assignment,
    pub(crate) proof: Proof,
}
