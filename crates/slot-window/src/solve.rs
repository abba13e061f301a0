//! The frame in which every search runs: the memory that searches share, and the engine for each objective.

use crate::{
    Objective, WindowError, WindowQuery,
    error::ended,
    sweep::{Among, Best, Choice, Limits, Pools, Search, Test},
    value::{Conclusion, ValueScratch},
};
use sched_model::{
    End, Meter, Outcome, Window,
    check::{Holding, Rules},
};

/// The memory of searches of all kinds, which the meter lends to one after the other. It carries no result from one
/// to the next.
#[derive(Debug, Default)]
pub(crate) struct SearchScratch {
    pub(crate) pools: Pools,
    pub(crate) choice: Choice,
    pub(crate) value: ValueScratch,
}

/// Runs `search` for a query under `rules`, and returns the window that it leaves in the choice of the scratch
/// memory; if it was stopped, that is the best one so far.
pub(crate) fn run_search(
    query: &WindowQuery<'_>,
    rules: Rules,
    meter: &mut Meter,
    search: impl FnOnce(
        WindowQuery<'_>,
        Limits,
        &mut SearchScratch,
        &mut Meter,
    ) -> Result<Conclusion, WindowError>,
) -> Result<Outcome<Window>, WindowError> {
    let mut own = None;
    let query = query.prepared(&mut own)?;
    let limits = Limits::of(&query, rules)?;
    let (before, mut scratch) = (meter.work(), meter.take::<SearchScratch>());
    scratch.choice.reset();
    let Conclusion { value, bound, end } = search(query, limits, &mut scratch, meter)?;
    let window = scratch.choice.window(query, rules.holding)?;
    meter.put(scratch);
    let mut outcome = Outcome::plain(window, meter.work() - before);
    (outcome.value, outcome.bound, outcome.end) = (value, bound, end);
    Ok(outcome)
}

/// Returns the window of minimum objective under `rules`; if the search is stopped, the best one so far.
pub(crate) fn best_window(
    query: &WindowQuery<'_>,
    rules: Rules,
    objective: (Objective, Test),
    meter: &mut Meter,
) -> Result<Outcome<Window>, WindowError> {
    run_search(query, rules, meter, |query, limits, scratch, meter| {
        let (value, result) = optimise(query, objective, rules.holding, &limits, scratch, meter);
        let (value, end) = (value.is_finite().then_some(value), ended(result)?);
        Ok(Conclusion { value, bound: value.filter(|_| end.is_none()), end: end.unwrap_or(End::Done) })
    })
}

/// Leaves the best window in the choice of the scratch memory, and returns its value, infinity if there is none. If
/// the search is stopped, the window is the best one so far.
pub(crate) fn optimise(
    query: WindowQuery<'_>,
    (objective, test): (Objective, Test),
    holding: Holding,
    limits: &Limits,
    scratch: &mut SearchScratch,
    meter: &mut Meter,
) -> (f64, Result<(), WindowError>) {
    let SearchScratch { pools, choice, .. } = scratch;
    let best = Best::new(objective, choice);
    let mut search = Search { query, test, limits: *limits, best, pools, meter };
    let result = match (holding, objective) {
        // A single pass: for the start, the first window is final; otherwise each window found tightens the limits
        // for later ones.
        (Holding::OwnSpan, _) => search.level(Among::List, None),
        (_, Objective::Cost) => search.cheapest(),
        (_, Objective::Runtime) => search.shortest(),
        (_, Objective::Start | Objective::Finish) => search.earliest(),
    };
    (search.best.rank.value, result)
}
