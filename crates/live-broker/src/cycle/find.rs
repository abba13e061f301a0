//! Phase 1: alternatives for every job, none of which overlaps one of another job, nor another job's promise; the
//! requests that have failed in the cycle, and its work.

use super::{Ask, Query};
use crate::decision::Reason;
use crate::fit::{asked, seen_by};
use sched_model::check::Rules;
use sched_model::{
    End, JobId, JobWindows, Limit, Money, Outcome, Price, ResourceRequest, SlotList, StopSignal, Time, Window,
};
use slot_window::{WindowError, WindowQuery, WindowSearch};

/// In the order of the asks.
#[derive(Debug)]
pub(super) struct Found {
    /// Alternatives, without the present window.
    pub(super) windows: Vec<JobWindows>,
    /// Those for which there is no window, as far as the limit of a whole cycle tells.
    pub(super) without: Vec<bool>,
    pub(super) refused: Vec<(JobId, Reason)>,
    pub(super) end: End,
}

/// The windows of all asks.
pub(super) fn find(query: &Query<'_>, mut list: SlotList, meter: &mut CycleMeter<'_>) -> Found {
    let windows = query.asks.iter().map(|ask| JobWindows::new(ask.record.job.id, Vec::new())).collect();
    let without = vec![false; query.asks.len()];
    let mut found = Found { windows, without, refused: Vec::new(), end: End::Done };
    if let Err(end) = rounds(query, &mut list, meter, &mut found) {
        found.end = end;
    }
    found
}

/// Round after round, each job in turn gets the window that the search prefers, which is cut out of the list.
/// A job that is promised a window gets one alternative to it, searched for as if the promise were given up.
///
/// # Errors
/// Why the search was stopped.
fn rounds(
    query: &Query<'_>,
    list: &mut SlotList,
    meter: &mut CycleMeter<'_>,
    found: &mut Found,
) -> Result<(), End> {
    let asks = &query.asks;
    let mut failures = Failures::new(query.search.rules());
    let mut open: Vec<(usize, Time)> = asks.iter().enumerate().map(|(at, ask)| (at, ask.from)).collect();
    for round in 0..query.state.config.max_alternatives {
        let mut still_open = Vec::new();
        for &(at, since) in &open {
            let ask = &asks[at];
            meter.steps += 1;
            // Demands only exclude windows, except measured times, which may also allow others.
            let usual = ask.record.speeds.is_empty() && ask.record.demands().spans.is_empty();
            if round == 0
                && usual
                && ask.present.is_none()
                && failures.include(&ask.record.job.request, since)
            {
                found.without[at] = true;
                continue;
            }
            let alone = meter.spent == 0;
            let rule = Rule { search: query.search, least_gain: query.state.config.stability.least_gain };
            match search(query, ask, rule, since, list, meter) {
                Step::Window(window, stopped) => {
                    if ask.present.is_none() {
                        let next = if query.search.starts_are_monotone() { window.start() } else { since };
                        still_open.push((at, next));
                    }
                    found.windows[at].windows.push(window);
                    meter.check_after(stopped)?;
                }
                Step::Nothing { unsuitable } => {
                    found.without[at] |= round == 0;
                    if !unsuitable && usual && ask.record.avoids.is_empty() {
                        failures.push(&ask.record.job.request, since);
                    }
                }
                Step::Refused(reason) => {
                    if round == 0 && ask.present.is_none() {
                        found.refused.push((ask.record.job.id, reason));
                    }
                }
                Step::Stopped(end) => {
                    // The limit of a whole cycle does not suffice for this job. A few passes over the slots
                    // will end within a multiple of it, which the next cycle has; but of a search that may
                    // take any time there is no use in asking again.
                    let endless = !query.state.config.searches_in_passes();
                    let is_whole = meter.check_after(Some(end)).is_ok();
                    if endless && alone && end == End::Work && round == 0 && is_whole {
                        found.without[at] = true;
                    }
                    return Err(end);
                }
            }
            // After the last search there is nothing to stop.
            let next_round = round + 1 < query.state.config.max_alternatives && !still_open.is_empty();
            let more = next_round || open.last().is_some_and(|&(last, _)| last != at);
            if more {
                meter.check()?;
            }
        }
        if still_open.is_empty() {
            break;
        }
        open = still_open;
    }
    Ok(())
}

/// Which search is used, and which windows are accepted.
#[derive(Clone, Copy)]
pub(super) struct Rule<'a> {
    pub(super) search: &'a dyn WindowSearch,
    /// What a window must gain beside the present one.
    pub(super) least_gain: Option<f64>,
}

pub(super) enum Step {
    /// A window, and why the search ended, if it was stopped.
    Window(Window, Option<End>),
    /// There is none, or one that does not suit.
    Nothing {
        unsuitable: bool,
    },
    Refused(Reason),
    Stopped(End),
}

/// One search. What it finds is cut out of the list.
pub(super) fn search(
    query: &Query<'_>,
    ask: &Ask<'_>,
    rule: Rule<'_>,
    from: Time,
    list: &mut SlotList,
    meter: &mut CycleMeter<'_>,
) -> Step {
    for slot in &ask.in_its_place {
        let freed = list.extend(&[slot.as_node()], slot.start(), slot.end());
        debug_assert!(freed.is_ok(), "{freed:?}");
    }
    let far = query.state.book.horizon_end;
    let avoided: Vec<_> =
        ask.record.avoids.iter().flat_map(|&node| list.block(node, query.state.now, far)).collect();
    let seen = seen_by(list, &ask.record.speeds);
    let asked = asked(
        WindowQuery::new(seen.as_ref().unwrap_or(list), &ask.record.job.request).with_from(from),
        ask.eligible.as_deref(),
    );
    let found = meter.solve(rule.search, &asked);
    for slot in avoided {
        let freed = list.extend(&[slot.as_node()], slot.start(), slot.end());
        debug_assert!(freed.is_ok(), "{freed:?}");
    }
    let step = match found {
        Ok((Some(window), stopped)) if suits(query, ask, rule, &window) && list.cut(&window).is_ok() => {
            Step::Window(window, stopped)
        }
        Ok((_, Some(end))) => Step::Stopped(end),
        Ok((window, None)) => Step::Nothing { unsuitable: window.is_some() },
        Err(error) => Step::Refused(Reason::Request(error.to_string())),
    };
    for slot in &ask.in_its_place {
        list.block(slot.node(), slot.start(), slot.end());
    }
    step
}

/// Whether a job may be offered this window.
fn suits(query: &Query<'_>, ask: &Ask<'_>, rule: Rule<'_>, window: &Window) -> bool {
    if window.start() < ask.from || window.nodes().any(|node| ask.record.avoids.contains(&node)) {
        return false;
    }
    let enough = |present: &Window| {
        rule.least_gain.is_none_or(|least| query.gain_above(present, window, least) >= 0.0)
    };
    ask.latest.is_none_or(|latest| window.start() <= latest)
        && ask.present.is_none_or(|present| present != window && enough(present))
}

/// Requests that have failed in a cycle: a request that asks for as much as one of them, or more, in every respect has
/// no window either. The list only shrinks in a cycle, so a failure holds for the rest of it, and a queue of equal jobs
/// for which there is no window costs one search, not one for each.
pub(super) struct Failures {
    rules: Rules,
    /// Requests without a window that starts at this instant or later.
    known: Vec<(ResourceRequest, Time)>,
}

impl Failures {
    /// To compare with so many takes less time than a search.
    const MOST: usize = 64;

    pub(super) fn new(rules: Rules) -> Self {
        Self { rules, known: Vec::new() }
    }

    /// A complete search from an instant on has found nothing, with no less free time than there is for others.
    pub(super) fn push(&mut self, request: &ResourceRequest, from: Time) {
        if self.known.len() < Self::MOST {
            self.known.push((request.clone(), from));
        }
    }

    /// Whether it is known that there is no window for a request.
    pub(super) fn include(&self, request: &ResourceRequest, from: Time) -> bool {
        self.known.iter().any(|(known, since)| from >= *since && asks_no_less(self.rules, request, known))
    }
}

/// Whether a request asks for as much as another one, or more, in every respect.
fn asks_no_less(rules: Rules, request: &ResourceRequest, other: &ResourceRequest) -> bool {
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

/// The work and the steps of a cycle. A step is a search, a job that is answered by what earlier ones have
/// found, or a choice.
///
/// A signal stops a cycle between two steps or within one. The number of the steps begun and the work tell
/// where: the work alone does not, since a step may take none. So a cycle that is repeated stops after as many
/// steps, and in the last of them at the limit of the work.
#[derive(Debug)]
pub(crate) struct CycleMeter<'a> {
    limit: &'a Limit,
    pub(crate) spent: u64,
    /// Steps begun.
    pub(super) steps: u64,
    /// The steps after which a signal stopped this cycle when it ran first; the limit is then the work that it
    /// had done.
    last: Option<u64>,
}

impl<'a> CycleMeter<'a> {
    pub(crate) fn new(limit: &'a Limit, last: Option<u64>) -> Self {
        Self { limit, spent: 0, steps: 0, last }
    }

    /// What is left, with the signal.
    pub(super) fn left(&self) -> Limit {
        self.limit.clone().with_work(self.limit.work.saturating_sub(self.spent))
    }

    /// One search within what is left: the window that it has found, and what stopped it, if anything did. A finished
    /// search counts as one unit at least, so that the work of a cycle ends; a stopped one counts what it took.
    ///
    /// # Errors
    /// [`WindowError`] for a query that the search cannot take.
    pub(crate) fn solve(
        &mut self,
        search: &dyn WindowSearch,
        query: &WindowQuery<'_>,
    ) -> Result<(Option<Window>, Option<End>), WindowError> {
        let mut meter = self.left().meter();
        let outcome = search.solve(query, &mut meter);
        let (work, found) = match outcome {
            Ok(Outcome { best, work, end: End::Done | End::Gap, .. }) => (work.max(1), Ok((best, None))),
            Ok(Outcome { best, work, end, .. }) => (work, Ok((best, Some(end)))),
            Err(WindowError::Stopped(end)) => (meter.work(), Ok((None, Some(end)))),
            Err(error) => (meter.work(), Err(error)),
        };
        self.spend(work);
        found
    }

    pub(super) fn spend(&mut self, work: u64) {
        self.spent = self.spent.saturating_add(work);
    }

    /// # Errors
    /// Why no more work may be begun.
    pub(crate) fn check(&self) -> Result<(), End> {
        let signal = self.limit.signal.as_ref();
        match self.last {
            Some(last) if self.steps >= last => Err(End::Work),
            Some(_) => Ok(()),
            None if self.spent >= self.limit.work => Err(End::Work),
            None if signal.is_some_and(StopSignal::is_set) => Err(End::Signal),
            None => Ok(()),
        }
    }

    /// # Errors
    /// Why the cycle ends after a step that was stopped so: a signal ends the whole cycle, so that the cycle differs
    /// from a complete one. A step may have been stopped by memory before the signal came.
    pub(super) fn check_after(&self, stopped: Option<End>) -> Result<(), End> {
        match stopped {
            Some(_) if self.last.is_some_and(|last| self.steps >= last) => Err(End::Work),
            Some(End::Signal) => Err(End::Signal),
            _ => Ok(()),
        }
    }
}
