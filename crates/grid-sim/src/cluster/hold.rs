//! The holders of CPUs of a cluster, running jobs and reservations, and what happens at their end.

use super::profiles::Amounts;
use super::{Cluster, LocalJob, pass};
use crate::SimError;
use crate::quantity::times;
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
    /// Its time is extended by this span, again and again until it is done. From the 65th extension on, each is twice
    /// as long as the one before, so that a job of 10^7 seconds that is extended by one second is extended some 90
    /// times and not 10^7 times. Promises to waiting jobs are moved to make room; advance reservations are not:
    /// before them an extension is shortened, and where not even this span fits the job is stopped.
    Extend(Span),
}

/// A holder of CPUs of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub(crate) enum Holder {
    /// A job of the local queue.
    Local(JobId),
    /// A job from outside, in an advance reservation.
    Reserved(JobId),
}

/// The CPUs, memory and GPUs of one holder, and how long it holds them.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Hold {
    pub(crate) amounts: Amounts,
    pub(crate) start: Time,
    /// Planned end: CPUs, memory and GPUs are held until then.
    pub(super) until: Time,
    /// When the job is done, if it is not stopped before.
    pub(crate) done: Time,
    pub(crate) running: bool,
    /// Number of extensions so far, and the length of the last one.
    pub(super) extensions: u32,
    pub(super) extended_by: Span,
    /// The local job and the first start that it was promised; `None` for a reservation.
    pub(crate) local: Option<(LocalJob, Option<Time>)>,
}

impl Hold {
    pub(super) fn new(amounts: Amounts, start: Time, until: Time) -> Self {
        let (extensions, extended_by) = (0, Span::ZERO);
        Self { amounts, start, until, done: until, running: false, extensions, extended_by, local: None }
    }

    /// Returns the length of the next extension, where `step` is that of the first ones.
    pub(super) fn next_extension(&self, step: Span) -> Span {
        if self.extensions < EQUAL_EXTENSIONS { step } else { self.extended_by + self.extended_by }
    }
}

/// Number of equally long extensions of a job; each later one is twice as long as the one before.
const EQUAL_EXTENSIONS: u32 = 64;

impl Cluster {
    /// Starts a job in its reservation; it is done after `actual`, unless its time is over before.
    ///
    /// # Errors
    /// [`SimError::UnknownJob`] if the job has no reservation that starts now.
    pub(crate) fn claim(&mut self, now: Time, job: JobId, actual: Span) -> Result<(), SimError> {
        self.tick(now);
        match self.holds.get_mut(&Holder::Reserved(job)) {
            Some(hold) if !hold.running && hold.start == now => {
                hold.running = true;
                hold.done = now + actual;
                Ok(())
            }
            _ => Err(SimError::UnknownJob { who: "a claim of a reservation".into(), job }),
        }
    }

    /// Returns when a running job is done or its time is over, whichever comes first, and whether it is done then.
    pub(crate) fn due(&self, holder: Holder) -> Option<(Time, bool)> {
        let hold = self.holds.get(&holder).filter(|hold| hold.running)?;
        Some((hold.done.min(hold.until), hold.done <= hold.until))
    }

    /// Extends the time of a job that is not done, if jobs are extended and there is room. Returns its new planned
    /// end.
    ///
    /// # Errors
    /// Only for a cluster whose own data are inconsistent.
    pub(crate) fn extend(&mut self, now: Time, holder: Holder) -> Result<Option<Time>, SimError> {
        self.tick(now);
        let (Overrun::Extend(step), Some(&hold)) = (self.overrun, self.holds.get(&holder)) else {
            return Ok(None);
        };
        let mut span = hold.next_extension(step);
        // A step of zero, or one that is lost in rounding, would be repeated for ever.
        if hold.done <= now || hold.until + step <= hold.until {
            return Ok(None);
        }
        if !self.profiles.holds(hold.amounts, hold.until, hold.until + span) {
            self.withdraw_promises()?;
        }
        // Reservations stay: a longer extension is halved until it ends before the next of them.
        while !self.profiles.holds(hold.amounts, hold.until, hold.until + span) {
            if span <= step {
                return Ok(None);
            }
            span = times(span, 0.5).max(step);
        }
        let until = hold.until + span;
        self.profiles.reserve(hold.until, until, hold.amounts)?;
        let extensions = hold.extensions.saturating_add(1);
        self.holds.insert(holder, Hold { until, extensions, extended_by: span, ..hold });
        Ok(Some(until))
    }

    /// Withdraws the promises to all waiting jobs.
    pub(super) fn withdraw_promises(&mut self) -> Result<(), SimError> {
        for index in 0..self.queue.len() {
            pass::withdraw(index, &mut self.queue, &mut self.profiles)?;
        }
        self.freed = true; // what the promises leave behind
        Ok(())
    }

    /// Stops a running job, or cancels a reservation, and releases what it still held.
    ///
    /// # Errors
    /// [`SimError::UnknownJob`] if there is no such holder.
    pub(crate) fn stop(&mut self, now: Time, holder: Holder) -> Result<Hold, SimError> {
        self.tick(now);
        let (Holder::Local(job) | Holder::Reserved(job)) = holder;
        let unknown = || SimError::UnknownJob { who: "the end of a job".into(), job };
        let hold = self.holds.remove(&holder).ok_or_else(unknown)?;
        let from = hold.start.max(now);
        if from < hold.until {
            self.profiles.release(from, hold.until, hold.amounts)?;
            self.freed = true;
        }
        Ok(hold)
    }
}

#[cfg(test)]
mod tests {
    use crate::cluster::tests::{cluster, job, over, s, t};
    use crate::cluster::{Holder, Overrun, PolicyKind};
    use sched_model::JobId;

    #[test]
    fn what_is_not_done_in_time_is_killed_or_extended() {
        let mut conservative = PolicyKind::Conservative;
        let mut killing = cluster(2, &[job(1, 2, 10.0, 25.0)]);
        killing.pass(t(0.0), &mut conservative).unwrap();
        assert_eq!(over(&mut killing, 10.0, Holder::Local(JobId(1))), Some(false));

        let mut extending = cluster(2, &[job(1, 2, 10.0, 25.0), job(2, 2, 10.0, 10.0)]);
        extending.overrun = Overrun::Extend(s(10.0));
        extending.pass(t(0.0), &mut conservative).unwrap();
        let holder = Holder::Local(JobId(1));
        assert_eq!(extending.extend(t(10.0), holder).unwrap(), Some(t(20.0)));
        assert!(extending.pass(t(10.0), &mut conservative).unwrap().started.is_empty());
        assert_eq!(extending.queue.next_promise(), Some(t(20.0)), "the promise gives way");
        // A reservation does not.
        extending.reserve(JobId(7), 1, t(30.0), s(5.0)).unwrap();
        assert_eq!(extending.extend(t(20.0), holder).unwrap(), Some(t(30.0)));
        assert_eq!(extending.due(holder), Some((t(25.0), true)));
        assert_eq!(over(&mut extending, 25.0, holder), Some(true));
        extending.pass(t(25.0), &mut conservative).unwrap();
        assert_eq!(extending.queue.next_promise(), Some(t(35.0)));
    }
}
