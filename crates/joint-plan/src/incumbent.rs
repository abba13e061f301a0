//! The best plan so far.

use crate::instance::Instance;
use sched_model::check::{Holding, Rules};
use sched_model::{Job, Placement, Slot, SlotList, Time, Window, affordable, exact_sum};

/// A window for each job, or none.
#[derive(Debug, Clone)]
pub(crate) struct Incumbent {
    windows: Vec<Option<Window>>,
    left_out: usize,
    objective: f64,
}

impl Incumbent {
    /// No job is placed.
    pub(crate) fn empty(jobs: usize) -> Self {
        Self { windows: vec![None; jobs], left_out: jobs, objective: 0.0 }
    }

    /// Takes a plan if it keeps to the limit and places more jobs, or as many at a lesser objective. Says whether it did.
    pub(crate) fn offer(
        &mut self,
        instance: &Instance<'_>,
        windows: impl IntoIterator<Item = Option<Window>>,
    ) -> bool {
        let windows: Vec<Option<Window>> = windows.into_iter().collect();
        let placed = || windows.iter().flatten();
        if !keeps_to_limit(instance, &windows) {
            return false;
        }
        let left_out = windows.len() - placed().count();
        let objective = exact_sum(placed().map(|window| instance.terms.objective(window, instance.from)));
        let better = left_out < self.left_out || left_out == self.left_out && objective < self.objective;
        if better {
            *self = Self { windows, left_out, objective };
        }
        better
    }

    pub(crate) fn windows(&self) -> &[Option<Window>] {
        &self.windows
    }

    pub(crate) fn left_out(&self) -> usize {
        self.left_out
    }

    pub(crate) fn objective(&self) -> f64 {
        self.objective
    }
}

/// Whether these windows together keep to the limit.
pub(crate) fn keeps_to_limit(instance: &Instance<'_>, windows: &[Option<Window>]) -> bool {
    affordable(windows.iter().flatten().map(|window| instance.terms.weight(window)), instance.limit)
}

/// Windows moved to earlier starts on the same nodes as long as there is room: neither cost nor runtime changes.
///
/// Jobs in order of their starts; each goes to the earliest start at which all its nodes are free for as long as it holds
/// them, until a pass moves none.
pub(crate) fn shift_to_earlier_starts(instance: &Instance<'_>, windows: &mut [Option<Window>]) {
    let mut rest = instance.slots.clone();
    for window in windows.iter().flatten() {
        if rest.cut(window).is_err() {
            return;
        }
    }
    loop {
        let mut moved = false;
        let mut order: Vec<usize> = (0..windows.len()).filter(|&job| windows[job].is_some()).collect();
        order.sort_by_key(|&job| (windows[job].as_ref().map(Window::start), job));
        for job in order {
            let Some(window) = &windows[job] else { continue };
            if rest.give_back(window).is_err() {
                return;
            }
            let from = instance.from.max(instance.jobs[job].submit);
            // A runtime is the difference of two instants: by rounding it may grow.
            let earlier = earliest_on_its_nodes(&rest, instance.jobs[job], window, from, instance.rules)
                .filter(|earlier| earlier.runtime() <= window.runtime());
            let place = earlier.unwrap_or_else(|| window.clone());
            moved |= place.start() < window.start();
            if rest.cut(&place).is_err() {
                return;
            }
            windows[job] = Some(place);
        }
        if !moved {
            return;
        }
    }
}

/// The window on the same nodes at the earliest start before its own; `None` where there is none.
fn earliest_on_its_nodes(
    rest: &SlotList,
    job: &Job,
    window: &Window,
    from: Time,
    rules: Rules,
) -> Option<Window> {
    let placements = window.placements();
    let own = |placement: &Placement| job.request.span_on(placement.speed);
    let longest = placements.iter().map(own).max()?;
    let span =
        |placement: &Placement| if rules.holding == Holding::OwnSpan { own(placement) } else { longest };
    let mut free: Vec<Vec<&Slot>> = vec![Vec::new(); placements.len()];
    for slot in rest.iter().filter(|slot| slot.end() > from) {
        let same = |placement: &Placement| {
            placement.node == slot.node()
                && placement.speed == slot.speed()
                && placement.price == slot.price()
        };
        if let Some(at) = placements.iter().position(same) {
            free[at].push(slot);
        }
    }
    let mut starts: Vec<Time> = free.iter().flatten().map(|slot| slot.start().max(from)).collect();
    starts.sort_unstable();
    starts.dedup();
    starts.into_iter().take_while(|&start| start < window.start()).find_map(|start| {
        let place = |(placement, slots): (&Placement, &Vec<&Slot>)| {
            let covers = |slot: &&&Slot| slot.start() <= start && start + span(placement) <= slot.end();
            slots.iter().find(covers).map(|slot| rest.placement(slot, start, span(placement)))
        };
        let places: Option<Vec<Placement>> = placements.iter().zip(&free).map(place).collect();
        Window::new(start, places?).ok()
    })
}
