//! The oracle of windows: lists every window.

use crate::testkit::rounded_sum;
use sched_model::check::{Holding, Rules, unmet};
use sched_model::{Placement, ResourceRequest, Slot, SlotList, Time, Window};

/// Every window that keeps these rules and the demands of the request, and starts where a slot does, or at `from`.
/// Any other window can be moved to one of these starts without ending later or costing more. Time: exponential in the
/// number of nodes, so for few nodes only.
///
/// ```
/// use econsched::prelude::*;
/// use econsched::sched_model::check::Rules;
/// use econsched::testkit::oracle;
/// let node = |id| Node::must(id, 1.0, 2.0);
/// let slots = SlotList::from_nodes(&[node(1), node(2), node(3)], &[], Time::ZERO, Time::must(9.0))?;
/// let request = ResourceRequest::new(2, Work::must(5.0))?;
/// let windows = oracle::windows(&slots, &request, Time::ZERO, Rules::default());
/// assert_eq!(windows.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn windows(slots: &SlotList, request: &ResourceRequest, from: Time, rules: Rules) -> Vec<Window> {
    let demands = request.demands();
    let own = |slot: &Slot| demands.span_on(slot.node).unwrap_or(request.work() / slot.speed);
    let mut starts: Vec<Time> = slots.iter().map(|slot| slot.start).filter(|&start| start > from).collect();
    starts.push(from);
    starts.sort_unstable();
    starts.dedup();
    let budget = budget(request, rules);
    let mut windows = Vec::new();
    for start in starts {
        let dear =
            |slot: &Slot| rules.slot_price && request.price_limit.is_some_and(|most| slot.price > most);
        let free: Vec<&Slot> = slots
            .iter()
            .filter(|slot| slot.start <= start && start < slot.end)
            .filter(|slot| slot.speed >= request.min_speed && !dear(slot))
            .collect();
        subsets(free.len(), request.nodes(), |chosen| {
            let Some(longest) = chosen.iter().map(|&at| own(free[at])).max() else { return };
            let placements = chosen.iter().map(|&at| {
                let span = if rules.holding == Holding::SlowestSpan { longest } else { own(free[at]) };
                Placement::on(free[at], start, span, slots.tariff())
            });
            let Ok(window) = Window::new(start, placements.collect()) else { return };
            let inside = chosen.iter().zip(window.placements()).all(|(&at, held)| held.end <= free[at].end);
            let in_time = request.deadline.is_none_or(|deadline| window.finish() <= deadline);
            let cost = rounded_sum(window.placements().iter().map(|held| held.cost.get()));
            if inside && in_time && cost <= budget && unmet(slots, &window, demands).is_empty() {
                windows.push(window);
            }
        });
    }
    windows
}

/// The budget as given, or rho C t N.
fn budget(request: &ResourceRequest, rules: Rules) -> f64 {
    let derived = || {
        let limit = request.price_limit?.get();
        Some(rules.budget_factor? * limit * request.work().get() * request.nodes() as f64)
    };
    request.budget.map(|budget| budget.get()).or_else(derived).unwrap_or(f64::INFINITY)
}

/// Calls `visit` with every subset of `size` of the positions below `of`, each in ascending order.
pub fn subsets(of: usize, size: usize, mut visit: impl FnMut(&[usize])) {
    if size > of {
        return;
    }
    let mut chosen: Vec<usize> = (0..size).collect();
    loop {
        visit(&chosen);
        let Some(at) = (0..size).rev().find(|&at| chosen[at] < of - size + at) else { return };
        chosen[at] += 1;
        for next in at + 1..size {
            chosen[next] = chosen[next - 1] + 1;
        }
    }
}
