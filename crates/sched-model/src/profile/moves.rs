//! Moves of reservations: time that is held both before and after is not changed.

use super::{Profile, check_interval};
use crate::{ModelError, Span, Time};

impl Profile {
    /// Moves a reservation of `cpus` CPUs for `span` from one start to another: as [`release`](Self::release)
    /// and then [`reserve`](Self::reserve), but without changing the time that both have in common.
    ///
    /// # Errors
    /// As for the two. The profile is then unchanged.
    pub fn move_reservation(
        &mut self,
        from: Time,
        to: Time,
        span: Span,
        cpus: u32,
    ) -> Result<(), ModelError> {
        self.check_move(from, to, span, cpus)?;
        self.change_by_move(from, to, span, cpus);
        Ok(())
    }

    /// The error of a reservation that cannot be moved so.
    pub(super) fn check_move(&self, from: Time, to: Time, span: Span, cpus: u32) -> Result<(), ModelError> {
        check_interval("a release", from, from + span, cpus)?;
        check_interval("a reservation", to, to + span, cpus)?;
        self.check_taken(from, from + span, cpus)?;
        if to < self.start() {
            return self.check_free(to, to + span, cpus); // which names the instant
        }
        let (_, (start, end)) = parts_of_move(from, to, span);
        if start < end { self.check_free(start, end, cpus) } else { Ok(()) }
    }

    pub(super) fn change_by_move(&mut self, from: Time, to: Time, span: Span, cpus: u32) {
        let (left, entered) = parts_of_move(from, to, span);
        for ((start, end), delta) in [(entered, -i64::from(cpus)), (left, i64::from(cpus))] {
            let start = start.max(self.start());
            if start < end {
                self.steps.change_unsettled(start, end, delta);
            }
        }
        self.steps.settle();
    }
}

/// The interval that a reservation leaves when it moves, and the one that it enters; either may be empty.
fn parts_of_move(from: Time, to: Time, span: Span) -> ((Time, Time), (Time, Time)) {
    let (until, end) = (from + span, to + span);
    if to <= from {
        ((end.max(from), until), (to, end.min(from)))
    } else {
        ((from, until.min(to)), (until.max(to), end))
    }
}
