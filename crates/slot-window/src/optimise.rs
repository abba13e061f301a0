//! The window of minimum start, finish, runtime or cost: the engine for each objective.

use crate::{
    Objective, SearchScratch, WindowError, WindowQuery,
    error::ended,
    scratch::solved,
    sweep::{Best, Limits, Search, Test},
    value::best::Known,
};
use sched_model::{
    End, Meter, Outcome, Window,
    check::{Holding, Rules},
};

/// The best window by the rules of a search; where it was stopped, the best one found so far.
pub(crate) fn best(
    query: &WindowQuery<'_>,
    rules: Rules,
    objective: (Objective, Test),
    meter: &mut Meter,
) -> Result<Outcome<Window>, WindowError> {
    solved(query, rules, meter, |query, limits, scratch, meter| {
        let end = ended(optimise(query, objective, rules.holding, &limits, scratch, meter))?;
        Ok(Known { value: None, bound: None, end: end.unwrap_or(End::Done) })
    })
}

/// Leaves the best window in the scratch's choice; where the search was stopped, the best one found so far.
pub(crate) fn optimise(
    query: WindowQuery<'_>,
    (objective, test): (Objective, Test),
    holding: Holding,
    limits: &Limits,
    scratch: &mut SearchScratch,
    meter: &mut Meter,
) -> Result<(), WindowError> {
    let SearchScratch { pools, choice, .. } = scratch;
    let best = Best::new(objective, choice);
    let mut search = Search { query, test, limits: *limits, best, pools, meter };
    match (holding, objective) {
        (Holding::OwnSpan, _) => search.own_span(),
        (_, Objective::Cost) => search.cheapest(),
        (_, Objective::Runtime) => search.shortest(),
        (_, Objective::Start | Objective::Finish) => search.earliest(),
    }
}
