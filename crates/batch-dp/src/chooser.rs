//! The trait of algorithms that choose one alternative per job, and their registry.

use crate::{
    BatchError, ChoiceProblem, ChoiceRefusal, ExpandingCore,
    backward_run::{self, BackwardRun},
    expanding_core,
};
use sched_model::{Goal, Limit, Meter, Outcome};
use std::fmt;

/// The result of [`Chooser::solve`].
pub(crate) type Chosen = Outcome<Choice, ChoiceRefusal>;

/// An algorithm that chooses one alternative per job. Implement this trait to add an algorithm of your own.
pub trait Chooser: fmt::Debug + Send + Sync {
    /// Returns the name of the algorithm, for reports.
    fn name(&self) -> &'static str;

    /// Solves a problem within the limit of a meter. On return, all memory that the call reserved at the meter is
    /// released. Value and bound are in the unit of the optimised quantity, with all penalties included. With
    /// [`Coverage::MostJobs`](crate::Coverage::MostJobs) and [`Coverage::MostWeight`](crate::Coverage::MostWeight) they
    /// cover the optimised quantity only, and the bound holds for the choices of the maximum service.
    ///
    /// # Errors
    /// [`BatchError`] for malformed input: a limit that is NaN, or a list whose length is not the number of jobs. If no
    /// choice exists, the outcome has a [`ChoiceRefusal`]. An implementation that is stopped before it has a choice may
    /// return the error of its meter with `?`; [`choose`](Self::choose) turns it into an outcome without a choice.
    fn solve(
        &self,
        problem: &ChoiceProblem<'_>,
        meter: &mut Meter,
    ) -> Result<Outcome<Choice, ChoiceRefusal>, BatchError>;

    /// Solves a problem within the default [`Limit`].
    ///
    /// # Errors
    /// As for [`solve`](Self::solve).
    fn choose(&self, problem: &ChoiceProblem<'_>) -> Result<Outcome<Choice, ChoiceRefusal>, BatchError> {
        Outcome::on(&mut Limit::default().meter(), |meter| self.solve(problem, meter))
    }
}

/// The chosen alternative of each job that is served, with the sums.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Choice {
    /// For each job, in order, the position of its chosen alternative, from 0; `None` if the job is left out.
    pub picks: Vec<Option<usize>>,
    /// Total cost of the chosen alternatives: the exact sum, rounded once.
    pub cost: f64,
    /// Total time of the chosen alternatives: the exact sum, rounded once.
    pub time: f64,
    /// The sum over the jobs left out of their penalties, of their weights, or of 1 each, according to the
    /// [`Coverage`](crate::Coverage).
    pub left_out: f64,
}

impl Choice {
    /// Returns the quantity that `goal` optimises: the total time or the total cost.
    #[must_use]
    pub fn value(&self, goal: Goal) -> f64 {
        if goal.limits_cost() { self.time } else { self.cost }
    }
}

impl fmt::Display for Choice {
    /// `cost 15, time 9; alternatives 0, 1`; or, if the second job is left out,
    /// `cost 10, time 4, left out 3; alternatives 0, -`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cost {}, time {}", self.cost, self.time)?;
        if self.picks.contains(&None) {
            write!(f, ", left out {}", self.left_out)?;
        }
        for (at, pick) in self.picks.iter().enumerate() {
            write!(f, "{}", if at == 0 { "; alternatives " } else { ", " })?;
            match pick {
                Some(pick) => write!(f, "{pick}")?,
                None => write!(f, "-")?,
            }
        }
        Ok(())
    }
}

sched_model::registry! {
    /// The algorithms of this crate, by name.
    pub enum ChooserKind: "choice algorithm" => dyn Chooser {
        /// [`ExpandingCore`], the default.
        ExpandingCore = expanding_core::NAME => ExpandingCore,
        /// The recurrence of equation 1, with a list of undominated states for each job.
        ///
        /// Source: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, *Resource Selection Algorithms for
        /// Economic Scheduling in Distributed Systems*, 2011.
        ///
        /// Prefer [`ExpandingCore`]: its answer is equally good and takes a fraction of the time, and if a limit stops
        /// it, it returns a good choice with a bound. This algorithm is short enough to be read, and serves as the
        /// oracle for `ExpandingCore`. If a limit stops it, it returns the choice that uses the minimum of the limited
        /// quantity or, if it is better and keeps the limit, the earlier choice. It returns [`BatchError::Together`] if
        /// jobs may be left out, or if there are accounts.
        ///
        /// With n jobs of k alternatives and at most s undominated states: O(n k s log(k s)) time, O(n s) space; s may
        /// grow as k^n. Each state formed counts four units of work. Exact: sums are formed without rounding, and
        /// rounded once at the end. Ties: among equal objectives the minimum weight, both as rounded; then the first
        /// alternative of the first job, of the second job, and so on.
        BackwardRun = backward_run::NAME => BackwardRun,
    }
}
