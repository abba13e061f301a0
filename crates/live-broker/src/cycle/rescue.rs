//! Phase 0: promises that would be late, because a task on one of their nodes takes longer, are moved to
//! windows in time.
//!
//! Each such job gives its time up and gets the window of least start beside all other promises, if that
//! starts within the tolerance. So a job that could start in time elsewhere does not wait until its promise
//! is lost.

use super::find::{Rule, Step, search};
use super::meter::CycleMeter;
use super::{CycleNote, Query, Rescue};
use sched_model::SlotList;
use slot_window::{Objective, Optimal};

/// Adds to the note which promises are moved and which cannot be. The new windows are cut out of the list.
pub(super) fn rescue(
    query: &Query<'_>,
    list: &mut SlotList,
    note: &mut CycleNote,
    meter: &mut CycleMeter<'_>,
) {
    let earliest = Optimal::new(Objective::Start).with_rules(query.search.rules());
    let rule = Rule { search: &earliest, least_gain: None };
    for (late, ask) in &query.late {
        if let Some(end) = meter.end() {
            note.end = end;
            return;
        }
        meter.steps += 1;
        match search(query, ask, rule, ask.from, list, meter) {
            Step::Window(window, stopped) => {
                note.rescued.push(Rescue { job: ask.id, window, late: *late });
                if let Some(end) = stopped.and_then(|end| meter.end_after(end)) {
                    note.end = end;
                    return;
                }
            }
            Step::Nothing { .. } | Step::Refused(_) => note.late.push(ask.id),
            Step::Stopped(end) => {
                note.end = end;
                return;
            }
        }
    }
}
