//! The window of least start, finish, runtime or cost: which engine serves which objective.

use crate::{
    Objective, SearchScratch, WindowError, WindowQuery, pools,
    scan::{Hold, Limits, Next, Test, earliest, scan, speeds},
    value::cheapest::cheapest,
};
use sched_model::check::Holding;

/// Leaves the best window in the scratch's choice.
pub(crate) fn optimise(
    query: WindowQuery<'_>,
    objective: Objective,
    test: Test,
    holding: Holding,
    limits: &Limits,
    scratch: &mut SearchScratch,
) -> Result<(), WindowError> {
    scratch.choice.reset();
    if let Some(eligible) = query.beyond_mask() {
        return pools::optimise(query, eligible, (objective, test), holding, limits, scratch);
    }
    match holding {
        Holding::OwnSpan if objective == Objective::Start && test == Test::Group => {
            let hold = Hold::Own(query.request.work());
            earliest(query, hold, &mut { *limits }, &mut scratch.live, &mut scratch.choice)
        }
        Holding::OwnSpan => own_span(query, objective, test, *limits, scratch),
        Holding::SlowestSpan => slowest_span(query, objective, test, limits, scratch),
    }
}

/// One pass; each window found tightens the limits so that only a strictly better one is found after it.
fn own_span(
    query: WindowQuery<'_>,
    objective: Objective,
    test: Test,
    mut limits: Limits,
    scratch: &mut SearchScratch,
) -> Result<(), WindowError> {
    let SearchScratch { live, choice, spare, .. } = scratch;
    let hold = Hold::Own(query.request.work());
    scan(query, hold, test, &mut limits, live, |live, start, limits| {
        if !live.affordable(limits.budget) {
            return Next::Continue;
        }
        match objective {
            Objective::Start => {}
            Objective::Cost => limits.budget = live.cost().next_down(),
            Objective::Finish | Objective::Runtime => {
                let Some(longest) = live.fastest(limits.budget, spare) else { return Next::Continue };
                if objective == Objective::Finish {
                    limits.finish = (start + longest).next_down();
                } else {
                    limits.span_below = longest;
                }
            }
        }
        choice.set(start, hold, live.chosen().iter().map(|entry| entry.at));
        match objective {
            Objective::Start => Next::Stop,
            Objective::Cost => Next::Continue,
            Objective::Finish => {
                let finish = limits.finish;
                live.retain(|entry| {
                    entry.end = entry.end.min(finish);
                    true
                });
                Next::Continue
            }
            Objective::Runtime => {
                let below = limits.span_below;
                live.retain(|entry| entry.span < below);
                Next::Continue
            }
        }
    })
}

/// A pass for each distinct speed, fastest first, in which all nodes at least this fast are held for the span of this
/// speed. The best window of its slowest node's own pass is among those.
fn slowest_span(
    query: WindowQuery<'_>,
    objective: Objective,
    test: Test,
    limits: &Limits,
    scratch: &mut SearchScratch,
) -> Result<(), WindowError> {
    if objective == Objective::Cost {
        let SearchScratch { value, cost, choice, .. } = scratch;
        scratch.work += cheapest(query, limits, &mut value.catalogue, &mut value.pass, cost, choice)?;
        return Ok(());
    }
    speeds(query, limits.min_speed, &mut scratch.speeds);
    let SearchScratch { live, choice, speeds, .. } = scratch;
    // Objective and start of the best window so far.
    let mut best = (f64::INFINITY, f64::INFINITY);
    for &speed in speeds.iter() {
        let span = query.request.work() / sched_model::Speed::new(speed)?;
        let hold = Hold::Same(span);
        let mut limits = Limits { min_speed: speed, ..*limits };
        // Equal values are let through: an earlier start may decide.
        match objective {
            Objective::Start => limits.start_below = limits.start_below.min(best.0),
            Objective::Finish => limits.finish = limits.finish.min(best.0),
            Objective::Runtime | Objective::Cost => {}
        }
        scan(query, hold, test, &mut limits, live, |live, start, limits| {
            if !live.affordable(limits.budget) {
                return Next::Continue;
            }
            let value = match objective {
                Objective::Start => start,
                Objective::Finish => start + span.get(),
                Objective::Runtime => span.get(),
                Objective::Cost => live.cost(),
            };
            if (value, start) < best {
                best = (value, start);
                choice.set(start, hold, live.chosen().iter().map(|entry| entry.at));
            }
            Next::Stop
        })?;
        if objective == Objective::Runtime && choice.is_found() {
            break;
        }
    }
    Ok(())
}
