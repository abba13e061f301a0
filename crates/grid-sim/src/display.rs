//! Results as text: how the run went, then the lines of its report.

use crate::bounds::GridBounds;
use crate::grid::{GridOutcome, LiveOutcome};
use crate::replay::ReplayOutcome;
use sched_model::{End, internal::counted};
use std::fmt::{Display, Formatter, Result};

/// Writes why a run was stopped, if it was.
fn stopped(f: &mut Formatter<'_>, end: Option<End>) -> Result {
    end.map_or(Ok(()), |end| write!(f, "; stopped: {end}"))
}

impl Display for ReplayOutcome {
    /// Events and the reason of a stop, then the lines of the report.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}", counted(self.events, "event"))?;
        stopped(f, self.stopped)?;
        write!(f, "\n{}", self.report)
    }
}

impl Display for GridOutcome {
    /// Cycles, events and the reason of a stop, then the lines of the report.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}, {}", counted(self.cycles, "cycle"), counted(self.events, "event"))?;
        stopped(f, self.stopped)?;
        write!(f, "\n{}", self.report)
    }
}

impl Display for LiveOutcome {
    /// Cycles, their work and the reason of a stop, what became of promises, then the lines of the report.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let [later, otherwise] = self.moved;
        write!(f, "{}, {} of work", counted(self.cycles, "cycle"), counted(self.work, "unit"))?;
        stopped(f, self.stopped)?;
        write!(
            f,
            "\npromises: {later} moved to a later start, {otherwise} moved otherwise, {} withdrawn; {} preempted",
            self.withdrawn,
            counted(self.preempted, "job")
        )?;
        write!(f, "\n{}", self.report)
    }
}

impl Display for GridBounds {
    /// Writes one line: `cost at least 400, makespan at least 60`.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "cost at least {}, makespan at least {}", self.cost, self.makespan)
    }
}
