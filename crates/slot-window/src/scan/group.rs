//! The first instant of a list, where its slots have been sorted by price / speed.
//!
//! The n cheapest suitable slots are found without reading all slots that start there: price / speed times
//! the work is a lower bound of a slot's cost, up to rounding, whether it is held for its own span or for a
//! longer one. So once it exceeds the n-th least cost, no later slot is among the n cheapest.

use super::{Choice, Hold, Limits, Plain, entry::Entry, suits};
use crate::WindowQuery;
use sched_model::{End, Meter, Slot, affordable};
use std::collections::BinaryHeap;

/// Tests the first instant of the list alone: if the n cheapest of its suitable slots are affordable, they
/// become the choice. `None` where this was not decided: the list is not sorted so, the search begins later,
/// or many slots are not suitable. Counts the slots read.
pub(super) fn at_first_instant(
    query: WindowQuery<'_>,
    hold: Hold,
    limits: &Limits,
    choice: &mut Choice,
    meter: &mut Meter<'_>,
) -> Result<Option<bool>, End> {
    let work = query.request.work().get();
    // Charges by other tariffs are not in the order of price / speed; products of very little work lose their
    // digits.
    if !query.slots.tariff().is_plain() || work < LEAST_WORK {
        return Ok(None);
    }
    let Some(start) = first_instant(query) else { return Ok(None) };
    let Some(sorted) = query.slots.first_group_with_room(query.request.work()) else { return Ok(None) };
    let n = query.request.nodes();
    let mut cheapest: BinaryHeap<Entry> = BinaryHeap::new();
    let mut slots: Vec<Slot> = Vec::new();
    let mut unsuited = 0;
    let mask = query.mask();
    if start < limits.finish && start < limits.start_below {
        for (ratio, slot) in sorted {
            meter.spend(1)?;
            let least = least_cost(ratio, work);
            let greatest = cheapest.peek().filter(|_| cheapest.len() == n).map(|entry| entry.cost);
            if least > greatest.unwrap_or(limits.budget) {
                break;
            }
            let at = slots.len() as u32;
            let allowed = mask.is_none_or(|mask| mask.allows(&slot));
            let suiting = suits(&slot, at, start, hold, limits, Plain).filter(|_| allowed);
            let Some(entry) = suiting else {
                unsuited += 1;
                if unsuited > MOST_UNSUITED + n {
                    return Ok(None);
                }
                continue;
            };
            slots.push(slot);
            cheapest.push(entry);
            if cheapest.len() > n {
                cheapest.pop();
            }
        }
    }
    let costs = cheapest.iter().map(|entry| entry.cost);
    let found = cheapest.len() == n && affordable(costs, limits.budget);
    if found {
        choice.set_slots(start, hold, cheapest.iter().map(|entry| slots[entry.at as usize]));
    }
    Ok(Some(found))
}

/// The first instant of a search, if what is free then are the slots that start first, which are in order.
pub(crate) fn first_instant(query: WindowQuery<'_>) -> Option<f64> {
    let start = query.slots.first_group_start()?;
    // Slots that have begun count from `from` on.
    let others = || query.slots.first_start_after(start).is_some_and(|next| next <= query.from);
    if query.from > start && others() {
        return None;
    }
    Some(start.max(query.from).get())
}

/// Where so many slots, and one more for each node of the window, are not suitable, all are read in their own
/// order, which is faster than looking them up.
const MOST_UNSUITED: usize = 64;

/// With less work, spans and costs may be so small that the bounds on relative rounding errors do not hold.
pub(crate) const LEAST_WORK: f64 = 1e-200;

/// A slot of this price / speed costs no less for this work, in computed numbers: the ratio, the span and the
/// cost are rounded once each, and so is this product.
pub(crate) fn least_cost(ratio: f64, work: f64) -> f64 {
    let least = ratio * work;
    if least < 1e-290 { 0.0 } else { least * (1.0 - 8.0 * f64::EPSILON) }
}
