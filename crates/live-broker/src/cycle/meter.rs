//! What a cycle has done: its searches run here, within the limit of the cycle.

use sched_model::{End, Limit, Outcome, StopSignal, Window};
use slot_window::{WindowError, WindowQuery, WindowSearch};

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

    /// Why no more work may be begun.
    pub(crate) fn end(&self) -> Option<End> {
        if let Some(last) = self.last {
            return (self.steps >= last).then_some(End::Work);
        }
        if self.spent >= self.limit.work {
            return Some(End::Work);
        }
        let signal = self.limit.signal.as_ref();
        signal.is_some_and(StopSignal::is_set).then_some(End::Signal)
    }

    /// Why the cycle ends after a step that was stopped so: a signal ends the whole cycle, so that the cycle differs
    /// from a complete one. A step may have been stopped by memory before the signal came.
    pub(super) fn end_after(&self, stopped: End) -> Option<End> {
        let is_last = self.last.is_some_and(|last| self.steps >= last);
        if is_last { Some(End::Work) } else { (stopped == End::Signal).then_some(End::Signal) }
    }
}
