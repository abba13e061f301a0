//! The meter of a cycle: the work that remains, and the reason that ends the cycle.

use sched_model::{End, Limit, Meter, Outcome, Window};
use slot_window::{WindowError, WindowQuery, WindowSearch};

/// The meter of a cycle. A step is a search, a job whose search is skipped because of earlier ones, a step of an
/// enumeration of sets of jobs to stop, or a choice.
///
/// A signal stops a cycle between two steps or within one. Each step counts one unit in addition to its own work, so
/// the work determines where the cycle stopped; a repeated cycle has it as its limit.
#[derive(Debug)]
pub(crate) struct CycleMeter<'a> {
    limit: &'a Limit,
    pub(crate) spent: u64,
    /// The end of a cycle that reaches its limit: [`End::Signal`] if it repeats a cycle that a signal had stopped.
    at_limit: End,
}

impl<'a> CycleMeter<'a> {
    pub(crate) fn new(limit: &'a Limit, at_limit: End) -> Self {
        Self { limit, spent: 0, at_limit }
    }

    /// A meter with the work that is left, and with the signal.
    pub(super) fn left(&self) -> Meter {
        self.limit.clone().with_work(self.limit.work.saturating_sub(self.spent)).meter()
    }

    /// Begins a step, and charges its unit.
    ///
    /// # Errors
    /// The end of the cycle, if the step must not begin.
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

    /// Runs a search within the work that is left. Returns the window found, and the end that stopped the search, if
    /// any.
    ///
    /// # Errors
    /// [`WindowError`] for a query that the search rejects.
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

    /// The end of the cycle that follows from the end of a step.
    pub(super) fn end(&self, end: End) -> End {
        if end == End::Work { self.at_limit } else { end }
    }
}

/// Checks whether a cycle continues after a step that was stopped. It continues after the end by memory, because the
/// next step may need less.
///
/// # Errors
/// The end of the cycle.
pub(super) fn check_continues(stopped: Option<End>) -> Result<(), End> {
    match stopped {
        Some(end @ (End::Work | End::Signal)) => Err(end),
        _ => Ok(()),
    }
}
