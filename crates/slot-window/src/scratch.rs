//! The memory that searches share, and how a search uses it.

use crate::{
    WindowError, WindowQuery,
    sweep::{Choice, Limits, Pools},
    value::{best::Known, pass::Pass, search::Chooser},
};
use sched_model::{Meter, Outcome, Window, check::Rules};

/// Memory of searches, which the meter lends to one after another, of any kind. It holds no result.
#[derive(Debug, Default)]
pub(crate) struct SearchScratch {
    pub(crate) pools: Pools,
    pub(crate) choice: Choice,
    pub(crate) pass: Pass,
    pub(crate) chooser: Chooser,
}

/// The window that a search leaves in the scratch's choice, for a query by these rules; where it was stopped, the best
/// one found so far.
pub(crate) fn solved<'a>(
    query: &WindowQuery<'a>,
    rules: Rules,
    meter: &mut Meter,
    search: impl FnOnce(WindowQuery<'a>, Limits, &mut SearchScratch, &mut Meter) -> Result<Known, WindowError>,
) -> Result<Outcome<Window>, WindowError> {
    let query = query.settled()?;
    let (before, mut scratch) = (meter.work(), meter.take::<SearchScratch>());
    scratch.choice.reset();
    let Known { value, bound, end } = search(query, Limits::of(&query, rules), &mut scratch, meter)?;
    let window = scratch.choice.window(query)?;
    meter.put(scratch);
    let mut outcome = Outcome::plain(window, meter.work() - before);
    (outcome.value, outcome.bound, outcome.end) = (value, bound, end);
    Ok(outcome)
}
