//! Earlier starts for plans whose goal does not count starts, so that jobs do not wait without need.

use crate::JointError;
use crate::instance::Instance;
use sched_model::internal::sort;
use sched_model::{Job, Meter, Money, Placement, Slot, SlotList, Window};
use slot_window::{Objective, Optimal, WindowSearch};

/// The maximum number of passes over all jobs.
const PASSES: usize = 8;

/// Moves windows to earlier starts while there is free time for it, without raising the cost or the runtime of any
/// window.
///
/// A pass takes the jobs in order of their starts, and moves each to the earliest window on its nodes or, if
/// `elsewhere`, to the earliest window on any nodes, if that starts earlier. The passes end when one moves no window,
/// or when the limit of the meter is reached.
///
/// # Errors
/// [`JointError`] for malformed input.
pub(crate) fn move_to_earlier_starts(
    instance: &Instance<'_>,
    windows: &mut [Option<Window>],
    elsewhere: bool,
    meter: &mut Meter,
) -> Result<(), JointError> {
    let mut rest = instance.slots.clone();
    for window in windows.iter().flatten() {
        rest.cut(window)?;
    }
    for _ in 0..PASSES {
        let mut moved = false;
        let mut order: Vec<usize> = (0..windows.len()).filter(|&job| windows[job].is_some()).collect();
        sort(&mut order, &|&a, &b| {
            let start = |job: usize| windows[job].as_ref().map(Window::start);
            start(a).cmp(&start(b))
        });
        for number in order {
            let Some(window) = &windows[number] else { continue };
            // Reading the list of slots is paid for here, because the searches do not count it.
            if meter.spend(rest.len() as u64).is_err() {
                return Ok(());
            }
            rest.give_back(window, window.start())?;
            let job = instance.jobs[number];
            let held = rest.filtered(|slot| window.placements().iter().any(|place| is_on(place, slot)));
            let mut earlier = earliest(&held, job, window, instance, meter)?;
            let start = earlier.as_ref().map_or(window.start(), Window::start);
            if elsewhere
                && let Some(other) = earliest(&rest, job, window, instance, meter)?
                && other.start() < start
            {
                earlier = Some(other);
            }
            // A runtime is a difference of two rounded instants, so the new one may be longer.
            let earlier = earlier.filter(|earlier| {
                earlier.start() < window.start()
                    && earlier.runtime() <= window.runtime()
                    && earlier.cost() <= window.cost()
            });
            moved |= earlier.is_some();
            let place = earlier.unwrap_or_else(|| window.clone());
            rest.cut(&place)?;
            windows[number] = Some(place);
        }
        if !moved {
            break;
        }
    }
    Ok(())
}

/// Finds the earliest window that costs no more than `window`, on nodes that are no slower than its slowest node.
fn earliest(
    rest: &SlotList,
    job: &Job,
    window: &Window,
    instance: &Instance<'_>,
    meter: &mut Meter,
) -> Result<Option<Window>, JointError> {
    let Some(slowest) = window.placements().iter().map(|placement| placement.speed).min() else {
        return Ok(None);
    };
    let request = job.request.clone().with_min_speed(slowest.max(job.request.min_speed));
    let (cost, rules) = (window.cost(), instance.rules);
    let budget = rules.budget(&request).map_or(cost, |budget: Money| budget.min(cost));
    let request = request.with_budget(budget);
    let query = instance.query(rest, job, &request);
    let search = Optimal::new(Objective::Start).with_rules(rules);
    Ok(search.solve(&query, meter)?.best)
}

/// Whether a slot is on the node of a placement, at the same speed and price.
fn is_on(place: &Placement, slot: &Slot) -> bool {
    (place.node, place.speed, place.price) == (slot.node, slot.speed, slot.price)
}
