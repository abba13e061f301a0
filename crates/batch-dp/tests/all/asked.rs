//! Helpers: calls of the crate with default settings.

use batch_dp::{
    Alternatives, BatchError, Choice, ChoiceProblem, ChoiceRefusal, Chooser, ChooserKind, Coverage,
    ExpandingCore, Goal,
};
use sched_model::{Limit, Meter, Outcome};

pub(crate) type Chosen = Outcome<Choice, ChoiceRefusal>;

/// The answer of a registered algorithm within the default limit.
pub(crate) fn solve(kind: ChooserKind, batch: &Alternatives, goal: Goal) -> Chosen {
    kind.build().choose(&ChoiceProblem::new(batch, goal)).unwrap()
}

pub(crate) fn select(
    batch: &Alternatives,
    goal: Goal,
    coverage: &Coverage,
    meter: &mut Meter,
) -> Result<Chosen, BatchError> {
    ExpandingCore.solve(&ChoiceProblem::new(batch, goal).with_coverage(coverage.clone()), meter)
}

/// The user of each job, and the budget of each user.
pub(crate) type Users = (Vec<usize>, Vec<f64>);

/// The problem with an account for each user.
pub(crate) fn paid<'a>(problem: ChoiceProblem<'a>, (of_job, budgets): &Users) -> ChoiceProblem<'a> {
    budgets.iter().enumerate().fold(problem, |problem, (user, &budget)| {
        let own: Vec<usize> = (0..of_job.len()).filter(|&job| of_job[job] == user).collect();
        problem.with_account(&own, budget)
    })
}

/// The choice of the default algorithm under a limit.
pub(crate) fn within(
    batch: &Alternatives,
    goal: Goal,
    coverage: &Coverage,
    users: &Users,
    limit: &Limit,
) -> Result<Chosen, BatchError> {
    let problem = ChoiceProblem::new(batch, goal).with_coverage(coverage.clone());
    ExpandingCore.solve(&paid(problem, users), &mut limit.meter())
}
