//! Windows of minimum start, finish, runtime or cost.
//!
//! Source: the general window search of V. Toporkov and D. Yemelyanov, *Optimization of Resources Selection
//! for Jobs Scheduling in Heterogeneous Distributed Computing Environments*, 2018 (talk at the Russian
//! Supercomputing Days), and the algorithms MinFinish, MinRunTime and MinCost named there.
//!
//! Deviations. All slots of equal start are read before the window is tested. Costs are real numbers, not
//! rounded. Each window found tightens the limits of the rest of the scan, so that one pass for each speed is
//! enough and often ends early. Own-span windows, those of 2011, are supported beside slowest-span ones.

use crate::{Objective, WindowError, WindowQuery, WindowSearch, solve::best_window, sweep::Test};
use sched_model::{
    Meter, Outcome, Window,
    check::{Holding, Rules},
};

/// The window of minimum start, finish, runtime or cost among all that keep speed, budget, deadline and the
/// ends of slots.
///
/// In a [slowest-span](Holding::SlowestSpan) window all N nodes are held and charged for the span of the slowest; in
/// an [own-span](Holding::OwnSpan) window, each node for its own span. So in the first the user also pays for nodes
/// that wait for the slowest one; in the second other jobs can use that time. The budget is that of the request,
/// otherwise rho * C * t * N as for [`Amp`](crate::Amp).
///
/// Prefer [`FirstFit`](crate::FirstFit) or [`Amp`](crate::Amp) if the first window suffices, and
/// [`MaxValue`](crate::MaxValue) for any other additive criterion.
///
/// * **Source**: V. Toporkov, D. Yemelyanov, *Optimization of Resources Selection for Jobs Scheduling in
///   Heterogeneous Distributed Computing Environments*, 2018: the general window search, and MinFinish,
///   MinRunTime and MinCost; own-span windows as in the paper of 2011.
/// * **Guarantee**: exact. The minimum runtime is the minimum span of the slowest task. [`Window::runtime`] is the
///   finish minus the start, which differs from that span by the rounding of the finish; so another window may have a
///   runtime that is lower in the last bits.
/// * **Complexity**: m slots, w live at once, D distinct speeds. Own span: one pass, O(m log w), and O(w log
///   w) whenever finish or runtime improves. Slowest span: a pass for each speed, O(D m log w) at most; a
///   pass ends as soon as no better window can follow. The cheapest slowest-span window: the slots are listed
///   once in O(m), the costs of windows of K nodes are bounded in O(K log K), and only speeds whose bound is not
///   above the best cost have a pass.
/// * **Ties**: the earliest start; then (slowest span) the shorter span; then the cheapest; then the lower
///   node ids, slot by slot.
/// * **Errors**: [`WindowError`], only for malformed input.
///
/// ```
/// use sched_model::{check::Rules, *};
/// use slot_window::{Objective, Optimal, WindowQuery, WindowSearch};
///
/// let slot = |id, speed, price, from, to| {
///     Slot::new(
///         Node::must(id, speed, price),
///         Time::must(from),
///         Time::must(to),
///     )
/// };
/// let slots = SlotList::new(vec![
///     slot(1, 1.0, 1.0, 0.0, 100.0)?,
///     slot(2, 2.0, 3.0, 0.0, 100.0)?,
///     slot(3, 2.0, 4.0, 20.0, 100.0)?,
/// ])?;
/// let request = ResourceRequest::new(2, Work::must(60.0))?;
/// let query = WindowQuery::new(&slots, &request);
/// // Nodes 1 and 2 at 0 take 60; nodes 2 and 3 at 20 take 30.
/// let first = Optimal::new(Objective::Finish).find(&query)?;
/// assert_eq!((first.value, first.proof()), (Some(50.0), Proof::Exact));
/// // 1 * 60 + 3 * 30 if each is held for its own span, 1 * 60 + 3 * 60 if both are held for 60.
/// let cheapest = Optimal::new(Objective::Cost);
/// assert_eq!(cheapest.with_rules(Rules::per_window(1.0)).find(&query)?.value, Some(150.0));
/// // Then 3 * 30 + 4 * 30 is the cheapest.
/// assert_eq!(cheapest.find(&query)?.solution()?.cost(), Money::must(210.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct Optimal {
    objective: Objective,
    rules: Rules,
}

impl Optimal {
    /// Creates a search for the minimum of `objective`, with all nodes held for the slowest span, and rho = 1.
    pub fn new(objective: Objective) -> Self {
        Self { objective, rules: Rules::per_window(1.0).with_holding(Holding::SlowestSpan) }
    }

    /// Sets the rules, for example to those of another search: the result is then the best of all windows that they
    /// allow.
    pub fn with_rules(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }
}

impl WindowSearch for Optimal {
    fn name(&self) -> &str {
        match (self.objective, self.rules.holding) {
            (Objective::Start, Holding::SlowestSpan) => "min-start",
            (Objective::Start, Holding::OwnSpan) => "min-start-rough",
            (Objective::Finish, Holding::SlowestSpan) => "min-finish",
            (Objective::Finish, Holding::OwnSpan) => "min-finish-rough",
            (Objective::Runtime, Holding::SlowestSpan) => "min-runtime",
            (Objective::Runtime, Holding::OwnSpan) => "min-runtime-rough",
            (Objective::Cost, Holding::SlowestSpan) => "min-cost",
            (Objective::Cost, Holding::OwnSpan) => "min-cost-rough",
        }
    }

    fn rules(&self) -> Rules {
        self.rules
    }

    fn starts_are_monotone(&self) -> bool {
        self.objective == Objective::Start
    }

    fn solve(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Outcome<Window>, WindowError> {
        best_window(query, self.rules, (self.objective, Test::EachStart), meter)
    }
}
