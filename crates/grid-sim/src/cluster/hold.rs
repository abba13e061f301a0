//! What is held for a time, and what happens at the end of that time.

use super::profiles::Amounts;
use sched_model::{JobId, Span, Time};

/// What happens to a job that is not done at the end of its requested time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Overrun {
    /// It is stopped.
    #[default]
    Kill,
    /// Its time is extended by this span, again and again until it is done; from the 65th time on twice as
    /// much as the time before, so that a job of 10^7 seconds that gets a second more each time is extended
    /// some 90 times and not 10^7 times. Promises to waiting jobs are moved for it; advance reservations are
    /// not: where they leave no room for the extension, the job is stopped.
    Extend(Span),
}

/// The holder of CPUs of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Holder {
    /// A job of the local queue.
    Local(JobId),
    /// A job from outside, in an advance reservation.
    Reserved(JobId),
}

#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Hold {
    pub(super) amounts: Amounts,
    pub(super) start: Time,
    /// CPUs, memory and GPUs are held until then.
    pub(super) until: Time,
    /// The job is done by then.
    pub(super) done: Time,
    pub(super) running: bool,
    /// How often its time was extended, and by how much the last time.
    pub(super) extensions: u32,
    pub(super) extended_by: Span,
}

impl Hold {
    pub(super) fn new(amounts: Amounts, start: Time, until: Time) -> Self {
        let (extensions, extended_by) = (0, Span::ZERO);
        Self { amounts, start, until, done: until, running: false, extensions, extended_by }
    }

    /// By how much its time is to be extended next.
    pub(super) fn next_extension(&self, step: Span) -> Span {
        if self.extensions < EQUAL_EXTENSIONS { step } else { self.extended_by + self.extended_by }
    }
}

/// Extensions of one job that are equally long; those after are each twice the one before.
const EQUAL_EXTENSIONS: u32 = 64;

/// The result of [`Cluster::settle`](super::Cluster::settle).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Settled {
    /// It ran to its end.
    Done,
    /// It was stopped.
    Killed,
    /// It continues until then.
    Extended(Time),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_65th_extension_is_the_first_that_is_longer() {
        let hold = Hold::new(Amounts::of_cpus(1), Time::ZERO, Time::must(10.0));
        let next = |extensions| {
            let hold = Hold { extensions, extended_by: Span::must(3.0), ..hold };
            hold.next_extension(Span::must(2.0)).get()
        };
        assert_eq!([next(0), next(63), next(64), next(65)], [2.0, 2.0, 6.0, 6.0]);
    }
}
