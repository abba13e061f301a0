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

pub(crate) fn choose(batch: &Alternatives, goal: Goal) -> Result<Chosen, BatchError> {
    ExpandingCore.choose(&ChoiceProblem::new(batch, goal))
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
#[derive(Debug, Clone)]
pub(crate) struct Users {
    pub(crate) of_job: Vec<usize>,
    pub(crate) budgets: Vec<f64>,
}

impl Users {
    pub(crate) fn new(of_job: Vec<usize>, budgets: Vec<f64>) -> Self {
        Self { of_job, budgets }
    }

    /// The problem with an account for each user.
    pub(crate) fn pay<'a>(&self, problem: ChoiceProblem<'a>) -> ChoiceProblem<'a> {
        self.budgets.iter().enumerate().fold(problem, |problem, (user, &budget)| {
            let own = self.of_job.iter().enumerate().filter(|(_, of)| **of == user);
            problem.with_account(&own.map(|(job, _)| job).collect::<Vec<_>>(), budget)
        })
    }
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
    ExpandingCore.solve(&users.pay(problem), &mut limit.meter())
}
