//! Windows of least start, finish, runtime or cost.
//!
//! Source: the general window search of V. Toporkov and D. Yemelyanov, *Optimization of Resources Selection for Jobs
//! Scheduling in Heterogeneous Distributed Computing Environments*, 2018 (talk at the Russian Supercomputing Days), and
//! the algorithms MinFinish, MinRunTime and MinCost named there.
//!
//! Deviations. A group of slots with equal starts is taken whole before the window is tested. Costs are real numbers,
//! not rounded. What has been found tightens the limits of the rest of the scan, so that one pass for each speed is
//! enough and often ends early. The rough window model of 2011 is offered beside the square one.

use crate::{
    SearchScratch, WindowError, WindowSearch,
    cost_scan::cheapest,
    scan::{Hold, Limits, Next, Query, Test, latest_start, scan, speeds},
};
use sched_model::{
    Money, ResourceRequest, SlotList, Time, Window,
    check::{Holding, Rules},
};
use std::fmt;

/// What [`Optimal`] minimises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Objective {
    /// The start of the window.
    Start,
    /// The finish of its last task.
    Finish,
    /// From the start to the finish.
    Runtime,
    /// What all placements cost together.
    Cost,
}

impl Objective {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Start, Self::Finish, Self::Runtime, Self::Cost];

    /// Its value for a window.
    #[must_use]
    pub fn of(self, window: &Window) -> f64 {
        match self {
            Self::Start => window.start().get(),
            Self::Finish => window.finish().get(),
            Self::Runtime => window.runtime().get(),
            Self::Cost => window.cost().get(),
        }
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Start => "start",
            Self::Finish => "finish",
            Self::Runtime => "runtime",
            Self::Cost => "cost",
        })
    }
}

/// The window of least start, finish, runtime or cost among all that keep to speed, budget, deadline and the slots'
/// ends.
///
/// In a [square](Holding::Square) window all N nodes are held, and paid, for the span of the slowest; in a
/// [rough](Holding::Rough) one each for its own span. So idle tails are the user's cost in the first and free for
/// others in the second. The budget is the request's own, else rho * C * t * N as for [`Amp`](crate::Amp).
///
/// Prefer [`FirstFit`](crate::FirstFit) or [`Amp`](crate::Amp) where the first window will do, and
/// [`MaxValue`](crate::MaxValue) for any other additive criterion.
///
/// * **Guarantee**: exact.
/// * **Complexity**: m slots, w live at once, D distinct speeds. Rough: one pass, O(m log w), and O(w log w) whenever
///   finish or runtime improves. Square: a pass for each speed, O(D m log w) at most; passes end as soon as nothing
///   better can follow. The cheapest square window: the slots are listed once in O(m), K nodes bounded on each speed in
///   O(D K), and only speeds whose bound stands are passed, as in [`MaxValue`](crate::MaxValue).
/// * **Ties**: the earliest start; then (square) the shorter span; then the cheapest; then the lower node ids, slot by
///   slot.
/// * **Errors**: [`WindowError`], only for malformed input.
///
/// ```
/// use sched_model::{*, check::Holding};
/// use slot_window::{Objective, Optimal, SearchScratch, WindowSearch};
///
/// let slot = |id, speed, price, from, to| {
///     Slot::new(Node::new(NodeId(id), Speed::must(speed), Price::must(price)), Time::must(from), Time::must(to))
/// };
/// let slots = SlotList::new(vec![
///     slot(1, 1.0, 1.0, 0.0, 100.0)?,
///     slot(2, 2.0, 3.0, 0.0, 100.0)?,
///     slot(3, 2.0, 4.0, 20.0, 100.0)?,
/// ])?;
/// let request = ResourceRequest::new(2, Work::must(60.0))?;
/// let mut find = |objective, holding| {
///     let search = Optimal::new(objective).with_holding(holding);
///     search.find(&slots, &request, Time::ZERO, &mut SearchScratch::new()).map(|window| window.unwrap())
/// };
/// // Nodes 1 and 2 at 0 take 60; nodes 2 and 3 at 20 take 30.
/// assert_eq!(find(Objective::Finish, Holding::Square)?.finish(), Time::must(50.0));
/// // 1 * 60 + 3 * 30 where each is held for its own span, 1 * 60 + 3 * 60 where both are held for 60.
/// assert_eq!(find(Objective::Cost, Holding::Rough)?.cost(), Money::must(150.0));
/// // Then 3 * 30 + 4 * 30 is the cheapest.
/// assert_eq!(find(Objective::Cost, Holding::Square)?.cost(), Money::must(210.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Optimal {
    objective: Objective,
    holding: Holding,
    rho: f64,
}

impl Optimal {
    /// Square windows, rho = 1.
    #[must_use]
    pub fn new(objective: Objective) -> Self {
        Self { objective, holding: Holding::Square, rho: 1.0 }
    }

    /// In this window model.
    #[must_use]
    pub fn with_holding(self, holding: Holding) -> Self {
        Self { holding, ..self }
    }

    /// With this share of C * t * N as the budget of requests that give none.
    ///
    /// # Errors
    /// [`WindowError::Factor`] unless `rho` is positive and finite.
    pub fn with_rho(self, rho: f64) -> Result<Self, WindowError> {
        Ok(Self { rho: crate::error::factor("rho", rho)?, ..self })
    }

    /// What it minimises.
    #[must_use]
    pub fn objective(&self) -> Objective {
        self.objective
    }
}

impl WindowSearch for Optimal {
    fn name(&self) -> &str {
        match (self.objective, self.holding) {
            (Objective::Start, Holding::Square) => "min-start",
            (Objective::Start, Holding::Rough) => "min-start-rough",
            (Objective::Finish, Holding::Square) => "min-finish",
            (Objective::Finish, Holding::Rough) => "min-finish-rough",
            (Objective::Runtime, Holding::Square) => "min-runtime",
            (Objective::Runtime, Holding::Rough) => "min-runtime-rough",
            (Objective::Cost, Holding::Square) => "min-cost",
            (Objective::Cost, Holding::Rough) => "min-cost-rough",
        }
    }

    fn rules(&self) -> Rules {
        Rules::per_window(self.rho).with_holding(self.holding)
    }

    fn starts_never_recede(&self) -> bool {
        self.objective == Objective::Start
    }

    fn find(
        &self,
        slots: &SlotList,
        request: &ResourceRequest,
        from: Time,
        scratch: &mut SearchScratch,
    ) -> Result<Option<Window>, WindowError> {
        let limits = Limits::of(request, request.budget_for(self.rho).map(Money::get));
        let query = Query { slots, request, from };
        optimise(query, self.objective, Test::Group, self.holding, &limits, scratch)?;
        scratch.choice.window(query)
    }
}

/// Leaves the best window in the scratch's choice.
pub(crate) fn optimise(
    query: Query<'_>,
    objective: Objective,
    test: Test,
    holding: Holding,
    limits: &Limits,
    scratch: &mut SearchScratch,
) -> Result<(), WindowError> {
    scratch.choice.reset();
    match holding {
        Holding::Rough => rough(query, objective, test, *limits, scratch),
        Holding::Square => square(query, objective, test, limits, scratch),
    }
}

/// One pass; each window found tightens the limits so that only a strictly better one is found after it.
fn rough(
    query: Query<'_>,
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
                    entry.latest = entry.latest.min(latest_start(finish, entry.span));
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
fn square(
    query: Query<'_>,
    objective: Objective,
    test: Test,
    limits: &Limits,
    scratch: &mut SearchScratch,
) -> Result<(), WindowError> {
    if objective == Objective::Cost {
        let SearchScratch { value, cost, choice, .. } = scratch;
        return cheapest(query, limits, &mut value.catalogue, &mut value.pass, cost, choice);
    }
    speeds(query.slots, query.from, limits.min_speed, &mut scratch.speeds);
    let SearchScratch { live, choice, speeds, .. } = scratch;
    // Objective and start of the best window so far.
    let mut best = (f64::INFINITY, f64::INFINITY);
    for &speed in speeds.iter() {
        let span = query.request.work() / sched_model::Speed::new(speed)?;
        let hold = Hold::Same(span);
        let mut limits = Limits { min_speed: speed, ..*limits };
        // Equal values are let through: an earlier start may decide.
        match objective {
            Objective::Start => limits.start_below = best.0,
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
