//! The searches of a cycle. Phase 0: windows in time for late promises. Phase 1: alternatives for every request, such
//! that no alternative overlaps that of another job, or another job's promise.

use super::meter::{CycleMeter, check_continues};
use super::{CycleNote, Placed, Query, WindowRequest};
use crate::fit::{slots_for, with_demands};
use sched_model::check::Rules;
use sched_model::{End, JobId, JobWindows, Money, Price, ResourceRequest, Slot, SlotList, Time, Window};
use slot_window::{Objective, Optimal, WindowError, WindowQuery, WindowSearch};

/// Searches for windows in time for the promises that are late because a task on one of their nodes takes longer. Each
/// such job gives up its promise and gets the window of earliest start that leaves all other promises in place, if that
/// starts within the tolerance. So a job that could start in time elsewhere does not wait until its promise is lost.
///
/// Adds the moved promises, and those that stay late, to the note. Cuts the new windows out of the list.
///
/// # Errors
/// The end of the cycle, if it stopped the search.
pub(super) fn rescue(
    query: &Query<'_>,
    list: &mut SlotList,
    note: &mut CycleNote,
    meter: &mut CycleMeter<'_>,
) -> Result<(), End> {
    let earliest = Optimal::new(Objective::Start).with_rules(query.search.rules());
    for (late, request) in &query.late {
        meter.begin()?;
        match search(query, request, &earliest, request.from, list, meter) {
            Ok((Some(window), stopped)) => {
                let (job, late) = (request.record.job.id, Some(*late));
                note.placed.push(Placed { job, window, late, victims: Vec::new() });
                check_continues(stopped)?;
            }
            // No window, or a request that the search rejects.
            nothing => {
                check_continues(nothing.map_or(None, |(_, stopped)| stopped))?;
                note.late.push(request.record.job.id);
            }
        }
    }
    Ok(())
}

/// The alternatives found, each list in the order of the requests.
#[derive(Debug)]
pub(crate) struct Found {
    /// The alternatives, without the present window.
    pub(crate) windows: Vec<JobWindows>,
    /// Whether there is no window for the job, or none that the limit of a whole cycle suffices to find.
    pub(super) without_window: Vec<bool>,
    /// The jobs whose requests the search rejects.
    pub(crate) refused: Vec<(JobId, WindowError)>,
    pub(crate) end: End,
}

/// Finds up to `count` windows for each request.
pub(crate) fn find(query: &Query<'_>, mut list: SlotList, count: usize, meter: &mut CycleMeter<'_>) -> Found {
    let jobs = query.requests.iter().map(|request| request.record.job.id);
    let windows = jobs.map(|job| JobWindows { job, windows: Vec::new(), refusal: None }).collect();
    let without_window = vec![false; query.requests.len()];
    let mut found = Found { windows, without_window, refused: Vec::new(), end: End::Done };
    if let Err(end) = rounds(query, &mut list, count, meter, &mut found) {
        found.end = end;
    }
    found
}

/// Runs rounds, in each of which each job in turn gets the window that the search prefers, which is cut out of the
/// list. A promised job gets only one alternative, which is searched for as if it had given up its promise.
///
/// # Errors
/// The end of the cycle, if it stopped the search.
fn rounds(
    query: &Query<'_>,
    list: &mut SlotList,
    count: usize,
    meter: &mut CycleMeter<'_>,
    found: &mut Found,
) -> Result<(), End> {
    let mut failures = Failures { rules: query.search.rules(), known: Vec::new() };
    let mut open: Vec<(usize, Time)> =
        query.requests.iter().enumerate().map(|(at, request)| (at, request.from)).collect();
    for round in 0..count {
        for (at, since) in std::mem::take(&mut open) {
            let request = &query.requests[at];
            let alone = meter.spent == 0;
            meter.begin()?;
            if round == 0 && failures.exclude(request, since) {
                found.without_window[at] = true;
                continue;
            }
            match search(query, request, query.search, since, list, meter) {
                Ok((Some(window), stopped)) => {
                    if request.present.is_none() {
                        let next = if query.search.starts_are_monotone() { window.start() } else { since };
                        open.push((at, next));
                    }
                    found.windows[at].windows.push(window);
                    check_continues(stopped)?;
                }
                Ok((None, None)) => {
                    found.without_window[at] |= round == 0;
                    failures.add(request, since);
                }
                // Another search would need as much memory.
                Ok((None, Some(End::Memory))) => {
                    found.without_window[at] |= round == 0;
                    found.end = End::Memory;
                }
                Ok((None, Some(end))) => {
                    // If the limit of a whole cycle does not suffice for this job, a search of a few passes over the
                    // slots ends within a multiple of the limit, which a later cycle has. No other search is repeated.
                    let may_end_later = query.state.config.search.is_bounded_by_passes();
                    found.without_window[at] |= alone && end == End::Work && !may_end_later;
                    return Err(end);
                }
                Err(error) if round == 0 && request.present.is_none() => {
                    found.refused.push((request.record.job.id, error));
                }
                Err(_) => {}
            }
        }
        if open.is_empty() {
            break;
        }
    }
    Ok(())
}

/// Requests for which there is no window that starts at a given instant or later. The list only shrinks during a cycle,
/// so this holds for the rest of the cycle: a queue of equal jobs without a window costs one search instead of one for
/// each.
struct Failures<'q> {
    rules: Rules,
    known: Vec<(&'q ResourceRequest, Time)>,
}

/// The maximum number of failures that are kept: comparing with these takes less time than a search.
const MAX_FAILURES: usize = 64;

impl<'q> Failures<'q> {
    /// Whether an earlier failure implies that there is no window for the job.
    fn exclude(&self, request: &WindowRequest<'_>, since: Time) -> bool {
        let resources = &request.record.job.request;
        let excludes = |(known, from): &(&ResourceRequest, Time)| {
            since >= *from && is_at_least_as_demanding(self.rules, resources, known)
        };
        compares(request) && self.known.iter().any(excludes)
    }

    /// Records that there is no window for a job from an instant on.
    fn add(&mut self, request: &WindowRequest<'q>, since: Time) {
        if compares(request) && request.record.avoids.is_empty() && self.known.len() < MAX_FAILURES {
            self.known.push((&request.record.job.request, since));
        }
    }
}

/// Whether a failure of a request can be compared with others: the job has no promise, no speeds of its own, and no
/// measured times, so that its demands only exclude windows.
fn compares(request: &WindowRequest<'_>) -> bool {
    request.present.is_none() && request.record.speeds.is_empty() && request.record.demands().spans.is_empty()
}

/// Runs one search. Returns a window that suits the job, which is cut out of the list, and the end that stopped the
/// search, if any.
///
/// # Errors
/// [`WindowError`] for a request that the search rejects.
pub(super) fn search(
    query: &Query<'_>,
    request: &WindowRequest<'_>,
    search: &dyn WindowSearch,
    from: Time,
    list: &mut SlotList,
    meter: &mut CycleMeter<'_>,
) -> Result<(Option<Window>, Option<End>), WindowError> {
    let give = |list: &mut SlotList, slots: &[Slot]| {
        for slot in slots {
            let freed = list.extend(&[(*slot).into()], slot.start, slot.end);
            debug_assert!(freed.is_ok(), "{freed:?}");
        }
    };
    give(list, &request.freed);
    let (now, far) = (query.state.now, query.state.book.horizon_end);
    let avoided: Vec<Slot> =
        request.record.avoids.iter().flat_map(|&node| list.block(node, now..far)).collect();
    let seen = slots_for(list, &request.record.speeds);
    let asked = with_demands(
        WindowQuery::new(seen.as_ref().unwrap_or(list), &request.record.job.request).with_from(from),
        request.eligible.as_deref(),
    );
    let found = meter.solve(search, &asked);
    give(list, &avoided);
    let fit = |window: &Window| suits(query, request, window) && list.cut(window).is_ok();
    let found = found.map(|(window, stopped)| (window.filter(fit), stopped));
    for slot in &request.freed {
        list.block(slot.node, slot.start..slot.end);
    }
    found
}

/// Whether a job may be offered this window.
fn suits(query: &Query<'_>, request: &WindowRequest<'_>, window: &Window) -> bool {
    if window.start() < request.from || window.nodes().any(|node| request.record.avoids.contains(&node)) {
        return false;
    }
    let enough = |present: &Window| {
        request.least_gain.is_none_or(|least| query.gain_above(present, window, least) >= 0.0)
    };
    request.latest.is_none_or(|latest| window.start() <= latest)
        && request.present.is_none_or(|present| present != window && enough(present))
}

/// Whether a request is at least as demanding as another one in every respect.
fn is_at_least_as_demanding(rules: Rules, request: &ResourceRequest, other: &ResourceRequest) -> bool {
    let at_most =
        |limit: Option<f64>, of: Option<f64>| of.is_none_or(|of| limit.is_some_and(|limit| limit <= of));
    let budget = |request: &ResourceRequest| rules.budget(request).map(Money::get);
    let price = |request: &ResourceRequest| rules.price_limit(request).map(Price::get);
    request.nodes() >= other.nodes()
        && request.work() >= other.work()
        && request.min_speed >= other.min_speed
        && at_most(request.deadline.map(Time::get), other.deadline.map(Time::get))
        && at_most(budget(request), budget(other))
        && at_most(price(request), price(other))
        && (other.demands().is_empty() || request.demands() == other.demands())
}
