//! The assignment problem, and the trait that all methods implement.

use sched_model::{Limit, Meter, Outcome, Sense};

use crate::costs::Costs;
use crate::{AssignError, Assignment, Shortage};

/// The rule for which jobs must be placed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Coverage {
    /// Every job must be placed; if that is infeasible, the outcome holds a [`Shortage`](crate::Shortage).
    #[default]
    EveryJob,
    /// As many jobs as possible must be placed; the answer has the best sum among all assignments that place this
    /// many.
    MostJobs,
    /// Jobs may stay unplaced; each unplaced job adds this number to the sum.
    Penalty(f64),
}

/// An assignment problem: each job goes to at most one resource, and each resource holds at most as many jobs as its
/// capacity.
///
/// ```
/// use auction_assign::{Costs, Coverage, AssignmentProblem};
/// // Three jobs, two resources; the second holds two jobs.
/// let costs = Costs::dense(3, 2, &[4.0, 1.0, 2.0, 3.0, 5.0, 2.0])?;
/// let problem = AssignmentProblem::new(costs).with_capacities(&[1, 2]);
/// assert_eq!(problem.capacities, Some(&[1, 2][..]));
/// # Ok::<(), auction_assign::AssignError>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct AssignmentProblem<'a> {
    /// The costs of all pairs of job and resource.
    pub costs: Costs<'a>,
    /// The number of jobs that each resource can hold; `None` for one each.
    pub capacities: Option<&'a [u32]>,
    /// Whether the sum of the costs is minimised or maximised.
    pub sense: Sense,
    /// Which jobs must be placed.
    pub coverage: Coverage,
    /// The earlier answer to start from, if any.
    pub start: Option<&'a Assignment>,
}

impl<'a> AssignmentProblem<'a> {
    /// Creates a problem that minimises the sum of `costs`, with one place on each resource, in which every job must be
    /// placed.
    pub fn new(costs: Costs<'a>) -> Self {
        Self { costs, capacities: None, sense: Sense::Minimise, coverage: Coverage::EveryJob, start: None }
    }

    /// Sets the capacities: resource `r` holds up to `capacities[r]` jobs. If there are not as many as resources,
    /// solving the problem returns [`AssignError::Capacities`].
    pub fn with_capacities(self, capacities: &'a [u32]) -> Self {
        Self { capacities: Some(capacities), ..self }
    }

    /// Sets whether the sum of the costs is minimised or maximised.
    pub fn with_sense(self, sense: Sense) -> Self {
        Self { sense, ..self }
    }

    /// Sets which jobs must be placed.
    pub fn with_coverage(self, coverage: Coverage) -> Self {
        Self { coverage, ..self }
    }

    /// Sets an earlier answer from whose prices and placements [`assign`](crate::assign) starts; other methods ignore
    /// it.
    ///
    /// The answer is as exact as without a start, whatever has changed since. One pass over the costs finds the jobs
    /// that no longer pay their minimum cost + price, and only these are placed again. If they are more than a quarter
    /// of the jobs plus eight, or if the start has no duals, the search ignores the start. The incumbent of a stopped
    /// search is no worse than the start, provided that the start is still feasible. If the start has another number of
    /// jobs or resources than the problem, `assign` returns [`AssignError::Start`].
    ///
    /// ```
    /// use auction_assign::{AssignmentProblem, Costs, assign, verify};
    /// let mut hours = [4.0, 1.0, 3.0, 2.0, 0.0, 5.0, 3.0, 2.0, 2.0];
    /// let first = assign(&AssignmentProblem::new(Costs::dense(3, 3, &hours)?))?.best.unwrap();
    /// assert_eq!(first.total, 5.0);
    /// // Job 1 now wants resource 2.
    /// hours[5] = 0.0;
    /// let problem = AssignmentProblem::new(Costs::dense(3, 3, &hours)?).with_start(&first);
    /// let second = assign(&problem)?.best.unwrap();
    /// assert_eq!((second.total, verify(&problem, &second).unwrap().gap), (4.0, 0.0));
    /// assert_eq!(second.resources, [Some(1), Some(2), Some(0)]);
    /// # Ok::<(), auction_assign::AssignError>(())
    /// ```
    pub fn with_start(self, start: &'a Assignment) -> Self {
        Self { start: Some(start), ..self }
    }

    /// Number of jobs.
    pub(crate) fn jobs(&self) -> usize {
        self.costs.rows()
    }

    /// Number of resources.
    pub(crate) fn resources(&self) -> usize {
        self.costs.cols()
    }

    /// The number of jobs that a resource can hold; 0 for a resource outside the matrix.
    pub(crate) fn capacity(&self, resource: usize) -> u32 {
        match self.capacities {
            _ if resource >= self.resources() => 0,
            Some(capacities) => capacities.get(resource).copied().unwrap_or_default(),
            None => 1,
        }
    }

    /// The sum of all capacities.
    pub(crate) fn total_capacity(&self) -> u64 {
        match self.capacities {
            Some(capacities) => capacities.iter().map(|&c| u64::from(c)).sum(),
            None => self.resources() as u64,
        }
    }

    /// Whether every resource holds exactly one job.
    pub(crate) fn is_one_to_one(&self) -> bool {
        self.capacities.is_none_or(|capacities| capacities.iter().all(|&c| c == 1))
    }

    /// Returns an error unless there are as many capacities as resources.
    pub(crate) fn check(&self) -> Result<(), AssignError> {
        match self.capacities.map(<[u32]>::len) {
            Some(capacities) if capacities != self.resources() => {
                Err(AssignError::Capacities { capacities, resources: self.resources() })
            }
            _ => Ok(()),
        }
    }
}

// Problems can be solved on any thread.
const fn is_shared<T: Send + Sync>() {}
const _: () = is_shared::<AssignmentProblem<'static>>();

/// A method that solves assignment problems.
///
/// # Guarantee
/// Every method except [`Greedy`](crate::AssignerKind::Greedy) is exact for all costs unless a limit stops it: the
/// [`Proof`](sched_model::Proof) is `Exact`, which means that no assignment has a better sum of costs, compared
/// without rounding (`total` is that sum, rounded once to a double). Two answers carry a weaker proof, a bound on the
/// difference between the total and the optimum: that of an [`Auction`](crate::Auction) [without
/// closing](crate::Auction::with_closing), and that of [`Sorted`](crate::AssignerKind::Sorted) on product costs,
/// which computes only the quotients of the assignment.
///
/// # Errors
/// [`AssignError::Cost`] for a cost that is NaN, negative infinity, or of a magnitude above
/// [`MAX_COST`](crate::MAX_COST); [`AssignError::Penalty`] for a penalty that is NaN or of a magnitude above it;
/// [`AssignError::Capacities`] if the numbers of capacities and resources differ; [`AssignError::Start`] from a method
/// that uses the start, if that has another shape; [`AssignError::Unsupported`] from a method that does not solve
/// problems of this form.
pub trait Assigner: std::fmt::Debug + Send + Sync {
    /// The name of the method; for a registered one that in [`AssignerKind`](crate::AssignerKind).
    fn name(&self) -> &'static str;

    /// Solves a problem within the limits of a meter.
    ///
    /// The unit of work is one entry of the costs that is read; bids and steps of searches are counted in the same
    /// unit. A search that stops early (because of work, memory or the stop signal, or because its gap is small
    /// enough) returns the incumbent, the best assignment so far, which places every job that must be placed, and the
    /// best bound that its duals have proven. The first incumbent and bound are known after two passes over the costs;
    /// later ones are computed each time the search has done four times the work that computing them takes.
    /// Without any limit none are computed before the end. A search stopped by a signal at work `w` returns the
    /// same bytes as one limited to `w`; more work never makes the incumbent or the bound worse. Memory is
    /// counted for candidate lists and moves, not for data of the size of the answer. A search that was stopped
    /// early has checked only the costs that it read.
    ///
    /// If it is proven that not every job can be placed, the outcome is infeasible, and its refusal is a [`Shortage`]:
    /// a set of jobs that compete for too few places.
    fn solve(
        &self,
        problem: &AssignmentProblem<'_>,
        meter: &mut Meter,
    ) -> Result<Outcome<Assignment, Shortage>, AssignError>;

    /// Solves a problem without a limit; the time is polynomial in the size of the problem.
    fn assign(&self, problem: &AssignmentProblem<'_>) -> Result<Outcome<Assignment, Shortage>, AssignError> {
        self.solve(problem, &mut Limit::none().meter())
    }
}
