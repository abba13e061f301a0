//! The exact search and the published scheme on inputs that the slides do not have: what is said of them on
//! the slides' environments is no promise for others.

use super::COST;
use super::algorithms::measure;
use crate::Failure;
use econsched::sched_model::{Money, ResourceRequest, SlotList};
use econsched::slot_window::{Objective, Optimal, WindowQuery, WindowSearch};
use econsched::workload_gen::environment::Environment;

/// 100 nodes of the slides, and what is changed.
pub(super) const INPUTS: [&str; 4] = [
    "as in the slides",
    "q is the price of the node",
    "q is 5 on every node",
    "the budget is the cost of the cheapest window",
];
pub(super) const SLIDES: usize = 0;
pub(super) const PRICED: usize = 1;
pub(super) const ALIKE: usize = 2;
pub(super) const TIGHT: usize = 3;

/// Changes an environment and its request as the input says.
pub(super) fn change(
    input: usize,
    environment: &mut Environment,
    slots: &SlotList,
    request: ResourceRequest,
) -> Result<ResourceRequest, Failure> {
    match input {
        PRICED => environment.values = environment.nodes.iter().map(|node| node.price.get()).collect(),
        ALIKE => environment.values.fill(5.0),
        TIGHT => {
            let cheapest = Optimal::new(Objective::Cost);
            if let Some(window) = cheapest.find(&WindowQuery::new(slots, &request))?.best {
                let cost = measure(&window, &environment.values)[COST];
                return Ok(request.with_budget(Money::new(cost)?));
            }
        }
        _ => debug_assert_eq!(input, SLIDES),
    }
    Ok(request)
}

/// Whether a scheme that chose a window of this Q, NaN for none, did as well as the best. Sums of the same
/// values in another order differ by rounding.
pub(super) fn is_as_good(best: f64, chosen: f64) -> bool {
    chosen >= best - 1e-9
}
