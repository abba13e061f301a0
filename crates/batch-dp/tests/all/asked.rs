//! Helpers that call the crate with default settings.

use batch_dp::{
    Alternatives, BatchError, Choice, ChoiceProblem, ChoiceRefusal, Chooser, ChooserKind, Coverage,
    ExpandingCore, Goal,
};
use sched_model::{Meter, Outcome};

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
