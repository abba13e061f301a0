//! The work of a cycle: what a step may still take, and what ends it.

use sched_model::{End, Limit, Meter, Outcome, Window};
use slot_window::{WindowError, WindowQuery, WindowSearch};

/// The work of a cycle. A step is a search, a job that is answered by what earlier ones have found, or a choice.
///
/// A signal stops a cycle between two steps or within one. Each step is a unit of work beside its own, so the work
/// tells where; a cycle that is repeated has it as its limit.
#[derive(Debug)]
pub(crate) struct CycleMeter<'a> {
    limit: &'a Limit,
    pub(crate) spent: u64,
    /// What a cycle ends by at its limit: [`End::Signal`] for one that is repeated and that a signal has stopped.
    at_limit: End,
}

impl<'a> CycleMeter<'a> {
    pub(crate) fn new(limit: &'a Limit, at_limit: End) -> Self {
        Self { limit, spent: 0, at_limit }
    }

    /// What is left, with the signal.
    pub(super) fn left(&self) -> Meter {
        self.limit.clone().with_work(self.limit.work.saturating_sub(self.spent)).meter()
    }

    /// Begins a step.
    ///
    /// # Errors
    /// Why it must not be begun.
    pub(crate) fn begin(&mut self) -> Result<(), End> {
        if self.spent >= self.limit.work {
            return Err(self.at_limit);
        }
        if self.limit.is_signalled() {
            return Err(End::Signal);
        }
        self.spend(1);
        Ok(())
    }

    /// One search within what is left: the window that it has found, and what stopped it, if anything did.
    ///
    /// # Errors
    /// [`WindowError`] for a query that the search cannot take.
    pub(crate) fn solve(
        &mut self,
        search: &dyn WindowSearch,
        query: &WindowQuery<'_>,
    ) -> Result<(Option<Window>, Option<End>), WindowError> {
        let mut meter = self.left();
        let outcome = Outcome::on(&mut meter, |meter| search.solve(query, meter));
        self.spend(meter.work());
        let Outcome { best, end, .. } = outcome?;
        Ok((best, (!matches!(end, End::Done | End::Gap)).then(|| self.end(end))))
    }

    pub(super) fn spend(&mut self, work: u64) {
        self.spent = self.spent.saturating_add(work);
    }

    /// What ends the cycle where this has ended a step.
    pub(super) fn end(&self, end: End) -> End {
        if end == End::Work { self.at_limit } else { end }
    }
}

/// Whether a cycle goes on after a step that ended so. What one search needs of memory says nothing of the next.
///
/// # Errors
/// Why it ends.
pub(super) fn goes_on(stopped: Option<End>) -> Result<(), End> {
    match stopped {
        Some(end @ (End::Work | End::Signal)) => Err(end),
        _ => Ok(()),
    }
}
