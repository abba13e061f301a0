//! Running jobs, from a reservation or from the queue, until they are done, their time is up, or they are
//! stopped.

use super::{Cluster, Hold, Holder, Overrun, Settled, pass};
use crate::SimError;
use crate::report::times;
use sched_model::{JobId, Span, Time};

impl Cluster {
    /// Starts a job in its reservation; it will be done after `actual`, unless its time is up before.
    ///
    /// # Errors
    /// [`SimError::UnknownJob`] if it has no reservation that starts now.
    pub fn claim(&mut self, now: Time, job: JobId, actual: Span) -> Result<(), SimError> {
        self.tick(now);
        match self.holds.get_mut(&Holder::Reserved(job)) {
            Some(hold) if !hold.running && hold.start == now => {
                hold.running = true;
                hold.done = now + actual;
                let cpus = hold.amounts.cpus;
                self.occupy(cpus);
                Ok(())
            }
            _ => Err(SimError::UnknownJob { who: "a claim of a reservation".into(), job }),
        }
    }

    /// When a running job is done, or its time is up, whichever comes first; and whether it will be done
    /// then.
    pub fn due(&self, holder: Holder) -> Option<(Time, bool)> {
        let hold = self.holds.get(&holder).filter(|hold| hold.running)?;
        Some((hold.done.min(hold.until), hold.done <= hold.until))
    }

    /// The CPUs of a running job and its start.
    pub fn held(&self, holder: Holder) -> Option<(u32, Time)> {
        self.holds.get(&holder).filter(|hold| hold.running).map(|hold| (hold.amounts.cpus, hold.start))
    }

    /// Ends a running job that is due, and frees its CPUs; or extends its time.
    ///
    /// # Errors
    /// [`SimError::UnknownJob`] if it does not run.
    pub fn settle(&mut self, now: Time, holder: Holder) -> Result<Settled, SimError> {
        self.tick(now);
        let hold = self.running(holder)?;
        if hold.done > now
            && let Overrun::Extend(step) = self.overrun
            && let Some(until) = self.extend(holder, hold, step)?
        {
            return Ok(Settled::Extended(until));
        }
        self.stop(now, holder)?;
        Ok(if hold.done > now { Settled::Killed } else { Settled::Done })
    }

    fn running(&self, holder: Holder) -> Result<Hold, SimError> {
        let (Holder::Local(job) | Holder::Reserved(job)) = holder;
        let running = self.holds.get(&holder).filter(|hold| hold.running).copied();
        running.ok_or_else(|| SimError::UnknownJob { who: "the end of a job".into(), job })
    }

    fn extend(&mut self, holder: Holder, hold: Hold, step: Span) -> Result<Option<Time>, SimError> {
        let mut span = hold.next_extension(step);
        if hold.until + step <= hold.until {
            return Ok(None); // a step of nothing would come back for ever
        }
        if !self.free.profiles.holds(hold.amounts, hold.until, hold.until + span) {
            for index in 0..self.queue.len() {
                pass::withdraw(index, &mut self.queue, &mut self.free)?;
            }
            self.freed = true; // what the promises leave behind
        }
        // Reservations stay: a longer extension is halved until it ends before the next of them.
        while !self.free.profiles.holds(hold.amounts, hold.until, hold.until + span) {
            if span <= step {
                return Ok(None);
            }
            span = times(span, 0.5).max(step);
        }
        let until = hold.until + span;
        self.free.profiles.reserve(hold.until, until, hold.amounts)?;
        let extensions = hold.extensions.saturating_add(1);
        self.holds.insert(holder, Hold { until, extensions, extended_by: span, ..hold });
        Ok(Some(until))
    }

    /// Stops a running job and gives back what it still held.
    ///
    /// # Errors
    /// [`SimError::UnknownJob`] if it does not run.
    pub fn stop(&mut self, now: Time, holder: Holder) -> Result<(), SimError> {
        self.tick(now);
        let hold = self.running(holder)?;
        self.holds.remove(&holder);
        self.vacate(hold.amounts.cpus);
        if now < hold.until {
            self.free.release(now, hold.until, hold.amounts)?;
            self.freed = true;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::cluster::tests::{cluster, job, s, t};
    use crate::cluster::{Holder, Overrun, PolicyKind, Settled};
    use sched_model::JobId;

    #[test]
    fn what_is_not_done_in_time_is_killed_or_extended() {
        let mut killing = cluster(2, PolicyKind::Conservative);
        killing.submit(job(1, 2, 10.0, 25.0)).unwrap();
        killing.pass(t(0.0)).unwrap();
        assert_eq!(killing.settle(t(10.0), Holder::Local(JobId(1))).unwrap(), Settled::Killed);

        let mut extending = cluster(2, PolicyKind::Conservative).with_overrun(Overrun::Extend(s(10.0)));
        extending.submit(job(1, 2, 10.0, 25.0)).unwrap();
        extending.submit(job(2, 2, 10.0, 10.0)).unwrap();
        extending.pass(t(0.0)).unwrap();
        let holder = Holder::Local(JobId(1));
        assert_eq!(extending.settle(t(10.0), holder).unwrap(), Settled::Extended(t(20.0)));
        assert!(extending.pass(t(10.0)).unwrap().is_empty());
        assert_eq!(extending.next_promise(), Some(t(20.0)), "the promise gives way");
        // A reservation does not.
        extending.reserve(JobId(7), 1, t(30.0), s(5.0)).unwrap();
        assert_eq!(extending.settle(t(20.0), holder).unwrap(), Settled::Extended(t(30.0)));
        assert_eq!(extending.due(holder), Some((t(25.0), true)));
        assert_eq!(extending.settle(t(25.0), holder).unwrap(), Settled::Done);
        extending.pass(t(25.0)).unwrap();
        assert_eq!(extending.next_promise(), Some(t(35.0)));
    }
}
