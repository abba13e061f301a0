//! Budgets of users beside the limit of the batch.

mod fronts;
mod join;

use crate::number::{Grid, Kind, Wide};
use crate::{Alternatives, BatchDecision, BatchError, Problem, Scratch};
use join::{Join, Joined};
use sched_model::{End, Meter, Outcome};

/// The user of each job, and the budget of each user.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[must_use]
pub struct UserBudgets {
    /// Position in `budgets` of the user of each job.
    pub user_of: Vec<usize>,
    /// The greatest cost of all jobs of each user together; `f64::INFINITY` means none.
    pub budgets: Vec<f64>,
}

impl UserBudgets {
    /// The user of each job of a batch, and the budget of each user.
    pub fn new(user_of: Vec<usize>, budgets: Vec<f64>) -> Self {
        Self { user_of, budgets }
    }

    pub(crate) fn check(&self, batch: &Alternatives) -> Result<(), BatchError> {
        if self.user_of.len() != batch.jobs() {
            return Err(BatchError::Count { jobs: batch.jobs(), given: self.user_of.len() });
        }
        if let Some(job) = self.user_of.iter().position(|&user| user >= self.budgets.len()) {
            return Err(BatchError::UnknownUser { job, user: self.user_of[job] });
        }
        if self.budgets.iter().any(|budget| budget.is_nan()) {
            return Err(BatchError::Limit { what: "budget of a user" });
        }
        Ok(())
    }
}

/// One alternative per job, best for the batch within its limit, such that the jobs of each user also keep to the
/// user's budget.
///
/// The jobs of a user whose budget can bind are combined into the front of all that the user can pay; then one point
/// of each front and one alternative of each other job are chosen. Exact when it is done: all sums are exact, rounded
/// once. Ties: as for [`ExpandingCore`](crate::ExpandingCore), among points. O(front) space for each such user; fronts
/// may be exponential in a user's jobs. For the greatest income under budgets that bind, a front holds each attainable
/// income of its user with the least time. A search that is stopped while fronts are formed has no incumbent.
///
/// # Errors
/// [`BatchError::Limit`] if a limit or budget is NaN; [`BatchError::Count`] if there is not one user for each job;
/// [`BatchError::UnknownUser`] if a job's user has no budget.
///
/// ```
/// use batch_dp::{Alternatives, Problem, UserBudgets, Scratch, choose_with_user_budgets};
/// use sched_model::Limit;
/// // (cost, time): fast or cheap, three times. The first two jobs are of user 0, who pays at most 14.
/// let batch = Alternatives::new(&vec![vec![(10.0, 1.0), (4.0, 5.0)]; 3])?;
/// let users = UserBudgets::new(vec![0, 0, 1], vec![14.0, f64::INFINITY]);
/// let (problem, limit) = (Problem::MinTime { budget: 30.0 }, Limit::default());
/// let decision = choose_with_user_budgets(&batch, problem, &users, &mut Scratch::default(), &mut limit.meter())?;
/// let choice = decision.choice().unwrap();
/// assert_eq!((choice.cost, choice.time, choice.picks[2]), (24.0, 7.0, 0));
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
pub fn choose_with_user_budgets(
    batch: &Alternatives,
    problem: Problem,
    users: &UserBudgets,
    scratch: &mut Scratch,
    meter: &mut Meter<'_>,
) -> Result<BatchDecision, BatchError> {
    users.check(batch)?;
    let view = match problem.view(batch) {
        Ok(view) => view,
        Err(none) => return none.answer(),
    };
    let (mut p, mut w) = (Grid::default(), Grid::default());
    for at in 0..batch.len() {
        let (objective, weight) = view.at(at);
        p.hold(objective);
        w.hold(weight);
    }
    let (kind, scales) = (p.kind().max(w.kind()), (p.scale(), w.scale()));
    let join = Join { batch, problem, users, view, scales };
    let (work, memory) = (meter.work(), meter.memory());
    let joined = match kind {
        Kind::Double => join.choose::<f64>(&mut scratch.core, meter),
        Kind::Short => join.choose::<i64>(&mut scratch.core, meter),
        Kind::Long => join.choose::<i128>(&mut scratch.core, meter),
        Kind::Wide => join.choose::<Wide>(&mut scratch.core, meter),
    };
    meter.release(meter.memory() - memory);
    let work = meter.work() - work;
    Ok(match joined {
        Err(end) => BatchDecision::Chosen(Outcome::stopped(None, None, work, end)),
        Ok(Joined::Refused(decision)) => decision,
        Ok(Joined::Found { picks, bound, end }) => {
            let choice = batch.choice(picks);
            let value = problem.value(&choice);
            BatchDecision::Chosen(if end == End::Done {
                Outcome::solved(choice, value, work)
            } else {
                let bound = view.sign * bound.min(view.sign * value);
                Outcome::stopped(Some((choice, value)), bound.is_finite().then_some(bound), work, end)
            })
        }
    })
}
