//! From a problem to the input of the kernels, and from their result back to an answer.

use sched_model::exact_sum;

use crate::kernel::NONE;
use crate::kernel::lanes::greatest_finite;
use crate::kernel::matching;
use crate::kernel::source::Source;
use crate::kernel::survey::{Survey, survey};
use crate::kernel::watch::{Stop, Watch};
use crate::solution::{Assignment, Shortage};
use crate::{AssignError, AssignmentProblem, Coverage, Sense};

/// A checked problem in the kernels' form: costs to be minimised, every job placed, and one more resource,
/// the *dummy*, for jobs that stay unplaced.
pub(crate) struct Prepared<'a> {
    pub(crate) problem: AssignmentProblem<'a>,
    pub(crate) source: Source<'a>,
    pub(crate) survey: Survey,
    /// Of the resources, none beyond one more than the jobs; the dummy's is the last if there is one.
    pub(crate) capacities: Vec<u32>,
    /// The cost of staying unplaced.
    pub(crate) dummy: Option<f64>,
    /// The overseer of the search.
    pub(crate) watch: Watch<'a>,
}

/// The result of a kernel: the resource of each job (the dummy included), its cost there, and a price per
/// resource. Prices need no common zero, but no resource with room left may have a higher price than another.
#[derive(Clone)]
pub(crate) struct Found<N = f64> {
    pub(crate) resource_of: Vec<u32>,
    pub(crate) cost_of: Vec<f64>,
    pub(crate) prices: Vec<N>,
    /// The least power of two but multiples of the costs' step that prices were raised by; infinite if there
    /// was none.
    pub(crate) least_raise: f64,
}

impl Found {
    /// No job placed, at these prices.
    pub(crate) fn none(prepared: &Prepared<'_>, prices: Vec<f64>) -> Self {
        let n = prepared.jobs();
        Self { resource_of: vec![NONE; n], cost_of: vec![0.0; n], prices, least_raise: f64::INFINITY }
    }
}

impl<'a> Prepared<'a> {
    /// Checks all costs, and computes how many jobs must stay unplaced.
    pub(crate) fn new(problem: &AssignmentProblem<'a>, watch: Watch<'a>) -> Result<Self, Stop> {
        Self::surveyed(problem, true, watch)
    }

    /// As [`new`](Self::new), for kernels that do not [`start`](Self::start) from the least costs of the
    /// resources.
    pub(crate) fn without_columns(problem: &AssignmentProblem<'a>, watch: Watch<'a>) -> Result<Self, Stop> {
        Self::surveyed(problem, false, watch)
    }

    fn surveyed(problem: &AssignmentProblem<'a>, columns: bool, watch: Watch<'a>) -> Result<Self, Stop> {
        let penalty = Self::penalty(problem)?;
        let survey = survey(&Source::new(problem), penalty, columns, watch)?;
        Self::of(problem, survey, watch)
    }

    /// The cost of staying unplaced, 0 where this is not optional.
    fn penalty(problem: &AssignmentProblem<'a>) -> Result<f64, AssignError> {
        match problem.coverage() {
            Coverage::EveryJob | Coverage::MostJobs => Ok(0.0),
            Coverage::Penalty(unplaced) if !(unplaced.abs() <= crate::MAX_COST) => {
                Err(AssignError::Penalty { value: unplaced })
            }
            Coverage::Penalty(unplaced) if problem.sense() == Sense::Maximise => Ok(-unplaced),
            Coverage::Penalty(unplaced) => Ok(unplaced),
        }
    }

    /// From the survey of a problem's costs.
    pub(crate) fn of(
        problem: &AssignmentProblem<'a>,
        survey: Survey,
        watch: Watch<'a>,
    ) -> Result<Self, Stop> {
        let (n, m) = (problem.jobs(), problem.resources());
        let source = Source::new(problem);
        // Job indices fit 32 bits.
        let most = n as u32;
        // A capacity of one more than the jobs is never full, so that more makes no difference.
        let ample = most + 1;
        let mut capacities: Vec<u32> = match problem.capacities() {
            Some(capacities) => capacities.iter().map(|&capacity| capacity.min(ample)).collect(),
            None => vec![1; m],
        };
        let total = problem.total_capacity();
        let dummy = match problem.coverage() {
            Coverage::EveryJob => {
                if total < n as u64 {
                    let shortage = Shortage {
                        jobs: (0..most).collect(),
                        resources: (0..m as u32).collect(),
                        capacity: total,
                    };
                    return Err(shortage.into());
                }
                None
            }
            Coverage::MostJobs => {
                let placed = if survey.forbidden {
                    matching::greatest(&source, &capacities, watch)?
                } else {
                    n.min(usize::try_from(total).unwrap_or(n))
                };
                (placed < n).then(|| {
                    capacities.push((n - placed) as u32);
                    0.0
                })
            }
            Coverage::Penalty(_) => {
                capacities.push(ample);
                Some(Self::penalty(problem)?)
            }
        };
        Ok(Self { problem: *problem, source, survey, capacities, dummy, watch })
    }

    /// Whether every place will be taken: then prices have no natural zero, and any may be started from.
    pub(crate) fn is_tight(&self) -> bool {
        self.capacities.iter().map(|&c| u64::from(c)).sum::<u64>() == self.source.rows() as u64
    }

    /// The cost of a pair, the dummy's included; infinite where it is forbidden.
    pub(crate) fn cost(&self, job: usize, resource: u32) -> f64 {
        match self.dummy {
            Some(cost) if resource as usize == self.source.cols() => cost,
            _ => self.source.cost(job, resource as usize),
        }
    }

    /// Number of jobs.
    pub(crate) fn jobs(&self) -> usize {
        self.source.rows()
    }

    /// Whether jobs may stay unplaced at a penalty.
    pub(crate) fn is_optional(&self) -> bool {
        matches!(self.problem.coverage(), Coverage::Penalty(_))
    }

    /// Prices to start from where every place will be taken: minus the least of each column, after the least
    /// of each row is subtracted. Else 0.
    pub(crate) fn start(&self) -> Vec<f64> {
        if !self.is_tight() {
            return vec![0.0; self.capacities.len()];
        }
        let least = &self.survey.column_least;
        let common = least.iter().copied().filter(|least| least.is_finite()).fold(f64::INFINITY, f64::min);
        let common = if common.is_finite() { common } else { 0.0 };
        let mut prices: Vec<f64> =
            least.iter().map(|&least| -(if least.is_finite() { least } else { common })).collect();
        prices.extend(self.dummy.map(|_| -common));
        prices
    }

    /// Whether every sum on the way to these prices was exact in doubles.
    pub(crate) fn sums_are_exact(&self, found: &Found) -> bool {
        // Prices only rose, so no earlier price was greater than these.
        self.survey.is_exact(greatest_finite(&found.prices), found.least_raise)
    }

    /// The assignment alone, nothing proven.
    pub(crate) fn assignment(&self, resource_of: &[u32], cost_of: &[f64]) -> Assignment {
        let m = self.source.cols() as u32;
        let total = exact_sum(cost_of.iter().copied());
        Assignment {
            resources: resource_of.iter().map(|&r| (r != NONE && r < m).then_some(r)).collect(),
            // Never -0.
            total: self.signed(total),
            duals: None,
        }
    }

    /// A sum of costs to be minimised, with the sign of the problem.
    pub(crate) fn signed(&self, total: f64) -> f64 {
        if self.problem.sense() == Sense::Maximise { 0.0 - total } else { 0.0 + total }
    }
}
