//! Windows of maximum (or minimum) total value by any additive criterion, exact.
//!
//! Source: the general window search with optimal subset allocation (MaxQ) of V. Toporkov and D. Yemelyanov,
//! *Optimization of Resources Selection for Jobs Scheduling in Heterogeneous Distributed Computing
//! Environments*, 2018 (talk at the Russian Supercomputing Days).
//!
//! Deviations. The source solves an integer knapsack table at every step of the scan for every speed. Here costs are
//! real numbers, and few steps are solved: a Lagrangian bound over all nodes ranks the speeds, the one of the largest
//! bound comes first, and the search ends when no speed's bound exceeds the value of the best window so far. Nodes
//! that no better window can contain are left out of the scan. A step is solved only if the n largest reduced values
//! that are live at it, with a slot that has just arrived among them, could exceed the best value. The search begins
//! with the earliest window. Until a better one is found, a target takes the place of its value: a value that only
//! windows of the few best nodes can exceed. If there is no such window, the target is lowered.

use crate::{
    Criterion, Objective, WindowError, WindowQuery, WindowSearch,
    error::ended,
    solve::{SearchScratch, optimise, run_search},
    sweep::Test,
    value::{Conclusion, ValueSearch},
};
use sched_model::{
    End, Meter, Outcome, Sense, Window,
    check::{Holding, Rules},
};
use std::sync::Arc;

/// The window of maximum total value by an additive [`Criterion`] among all that keep speed, budget,
/// deadline and the ends of slots.
///
/// Window models and budget as for [`Optimal`](crate::Optimal), which is faster for start, finish, runtime
/// and cost. A criterion that depends on the span gets the span for which the node is held: its own in
/// [own-span](Holding::OwnSpan) windows, that of the slowest node in [slowest-span](Holding::SlowestSpan)
/// ones.
///
/// * **Source**: V. Toporkov, D. Yemelyanov, *Optimization of Resources Selection for Jobs Scheduling in
///   Heterogeneous Distributed Computing Environments*, 2018: the general window search with optimal subset
///   allocation (MaxQ); the method here is another, and exact on real costs.
/// * **Guarantee**: exact, as the choice of the best subset is, unless a limit stops the
///   search: [`solve`](WindowSearch::solve) then returns the best window so far and a bound on
///   all others. The first window so far is the earliest. A unit of work is a slot, node, exchange or partial choice
///   that is examined.
/// * **Complexity**: m slots, K nodes, D speeds. O(m + D K) for the bounds; then, for each speed whose bound
///   is above the incumbent, a pass over the slots, O(m + a k) for k nodes that may matter with a slots that
///   are long enough (with a small constant), and O(n) for each arrival that may lead to a better
///   window of n nodes; and some exact choices among the live nodes that may matter. (Own-span windows have
///   one speed level.)
/// * **Ties**: the earliest start; then, on one speed level, the cheaper; then the lower node ids.
/// * **Errors**: [`WindowError::Value`] if the criterion gives a value that is NaN or above 10^200 in
///   magnitude.
///
/// ```
/// use sched_model::*;
/// use slot_window::{MaxValue, NodeValues, WindowQuery, WindowSearch};
///
/// let slot = |id, speed, price| {
///     Slot::new(
///         Node::must(id, speed, price),
///         Time::ZERO,
///         Time::must(100.0),
///     )
/// };
/// let slots = SlotList::new(vec![slot(1, 1.0, 1.0)?, slot(2, 1.0, 2.0)?, slot(3, 1.0, 4.0)?])?;
/// let liked = NodeValues::new([(NodeId(1), 2.0), (NodeId(2), 5.0), (NodeId(3), 6.0)])?;
/// let request = ResourceRequest::new(2, Work::must(10.0))?.with_budget(Money::must(55.0));
///
/// // Nodes 2 and 3 are worth 11 but cost 60; 1 and 3 are worth 8 and cost 50.
/// let best = MaxValue::new(liked).find(&WindowQuery::new(&slots, &request))?.solution()?;
/// assert_eq!(best.placements().iter().map(|placement| placement.node.0).collect::<Vec<_>>(), [1, 3]);
///
/// // Minimum energy, if power is the square of the speed: two slow nodes need 10 + 10, a fast one 20 alone.
/// let slots = SlotList::new(vec![slot(1, 2.0, 1.0)?, slot(2, 1.0, 2.0)?, slot(3, 1.0, 3.0)?])?;
/// let energy = |slot: &Slot, span: Span| slot.speed.get().powi(2) * span.get();
/// let search = MaxValue::new(energy).with_sense(Sense::Minimise);
/// let frugal = search.find(&WindowQuery::new(&slots, &request))?.solution()?;
/// assert_eq!(frugal.placements().iter().map(|placement| placement.node.0).collect::<Vec<_>>(), [2, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
#[must_use]
pub struct MaxValue {
    pub(crate) criterion: Arc<dyn Criterion>,
    pub(crate) sense: Sense,
    pub(crate) rules: Rules,
}

impl MaxValue {
    /// Creates a search for the maximum value by `criterion`, with all nodes held for the slowest span, and rho = 1.
    pub fn new(criterion: impl Criterion + 'static) -> Self {
        let rules = Rules::per_window(1.0).with_holding(Holding::SlowestSpan);
        Self { criterion: Arc::new(criterion), sense: Sense::Maximise, rules }
    }
}

sched_model::setters!(MaxValue {
    /// Sets whether the value is maximised or minimised.
    with_sense: sense: Sense,
    /// Sets the rules by which nodes are held and limits apply.
    with_rules: rules: Rules,
});

impl WindowSearch for MaxValue {
    fn name(&self) -> &str {
        match self.rules.holding {
            Holding::SlowestSpan => "max-value",
            Holding::OwnSpan => "max-value-rough",
        }
    }

    fn rules(&self) -> Rules {
        self.rules
    }

    fn solve(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Outcome<Window>, WindowError> {
        run_search(query, self.rules, meter, |query, limits, scratch, meter| {
            let (holding, earliest) = (self.rules.holding, (Objective::Start, Test::EachStart));
            let stopped = ended(optimise(query, earliest, holding, &limits, scratch, meter).1)?;
            let SearchScratch { choice, value: memory, .. } = scratch;
            if stopped.is_some() || !choice.is_found() {
                // A window found so far may have a greater value than the earliest one, with which more work begins.
                choice.reset();
                return Ok(Conclusion { value: None, bound: None, end: stopped.unwrap_or(End::Done) });
            }
            let (criterion, sign) = (self.criterion.as_ref(), self.sense.sign());
            ValueSearch { query, limits, criterion, sign, holding }.run(memory, choice, meter)
        })
    }
}
