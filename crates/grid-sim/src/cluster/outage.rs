//! CPUs that are down.

use super::profiles::Amounts;
use super::{Cluster, Holder};
use crate::SimError;
use sched_model::Time;

impl Cluster {
    /// Returns the holder whose CPUs must be taken away so that one more CPU can be down from `now` to `until`;
    /// `None` if a free one suffices. Promises to waiting jobs do not count: they are withdrawn if they are in the
    /// way. Of all holders at the first instant at which no CPU is free, this is the one with the latest start; ties
    /// go to the last in the order of [`Holder`].
    ///
    /// # Errors
    /// Only for a cluster whose own data are inconsistent.
    pub(crate) fn in_the_way(&mut self, now: Time, until: Time) -> Result<Option<Holder>, SimError> {
        self.tick(now);
        if self.profile().min_free(now, until) > 0 {
            return Ok(None);
        }
        self.withdraw_promises()?;
        if self.profile().min_free(now, until) > 0 {
            return Ok(None);
        }
        let Some((at, _)) = self.profile().steps().find(|(_, free)| *free == 0) else { return Ok(None) };
        let at = at.max(now);
        let there = self.holds.iter().filter(|(_, hold)| hold.start <= at && at < hold.until);
        Ok(there.max_by_key(|(holder, hold)| (hold.start, **holder)).map(|(holder, _)| *holder))
    }

    /// Takes one CPU down from `now` to `until`.
    ///
    /// # Errors
    /// [`SimError::Model`] if no CPU is free during that time.
    pub(crate) fn take_down(&mut self, now: Time, until: Time) -> Result<(), SimError> {
        self.tick(now);
        Ok(self.profiles.reserve(now, until, Amounts::of_cpus(1))?)
    }

    /// Brings a CPU back that was to be down until `until`.
    ///
    /// # Errors
    /// [`SimError::Model`] if no such CPU is down.
    pub(crate) fn bring_back(&mut self, now: Time, until: Time) -> Result<(), SimError> {
        self.tick(now);
        self.freed = true;
        if now < until {
            self.profiles.release(now, until, Amounts::of_cpus(1))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::cluster::tests::{cluster, job, over, s, t};
    use crate::cluster::{Holder, PolicyKind};
    use sched_model::JobId;

    #[test]
    fn who_began_last_gives_way() {
        let mut cluster = cluster(3, &[job(1, 1, 100.0, 100.0), job(2, 3, 10.0, 10.0)]);
        cluster.pass(t(0.0), &mut PolicyKind::Easy).unwrap();
        assert_eq!(cluster.queue.next_promise(), Some(t(100.0)));
        cluster.reserve(JobId(8), 1, t(20.0), s(30.0)).unwrap();
        cluster.reserve(JobId(9), 1, t(30.0), s(30.0)).unwrap();
        // Two CPUs are free up to 20; then one, and at 30 none.
        assert_eq!(cluster.in_the_way(t(5.0), t(30.0)), Ok(None));
        assert_eq!(cluster.in_the_way(t(5.0), t(31.0)), Ok(Some(Holder::Reserved(JobId(9)))));
        cluster.stop(t(5.0), Holder::Reserved(JobId(9))).unwrap();
        assert_eq!(cluster.in_the_way(t(5.0), t(200.0)), Ok(None));
        cluster.take_down(t(5.0), t(200.0)).unwrap();
        // The job of three CPUs waits until all are back.
        cluster.pass(t(5.0), &mut PolicyKind::Easy).unwrap();
        assert_eq!(cluster.queue.next_promise(), Some(t(200.0)));
        cluster.claim(t(20.0), JobId(8), s(30.0)).unwrap();
        assert_eq!(cluster.in_the_way(t(25.0), t(26.0)), Ok(Some(Holder::Reserved(JobId(8)))));
        cluster.bring_back(t(40.0), t(200.0)).unwrap();
        cluster.pass(t(40.0), &mut PolicyKind::Easy).unwrap();
        assert_eq!(cluster.queue.next_promise(), Some(t(100.0)));
        assert_eq!(over(&mut cluster, 50.0, Holder::Reserved(JobId(8))), Some(true));
        assert_eq!(cluster.profile().to_string(), "50: 2, 100: 0, 110: 3");
    }

    /// Only the promise at 100 takes all CPUs before 150; the reservation of all CPUs comes later.
    #[test]
    fn what_comes_after_the_outage_is_not_in_its_way() {
        let mut cluster = cluster(3, &[job(1, 1, 100.0, 100.0), job(2, 3, 10.0, 10.0)]);
        cluster.pass(t(0.0), &mut PolicyKind::Easy).unwrap();
        cluster.reserve(JobId(9), 3, t(200.0), s(10.0)).unwrap();
        assert_eq!(cluster.in_the_way(t(5.0), t(150.0)), Ok(None));
        assert_eq!(cluster.in_the_way(t(5.0), t(201.0)), Ok(Some(Holder::Reserved(JobId(9)))));
    }

    /// Two jobs run, the later one up to 30; then a CPU is down for 20.
    #[test]
    fn who_holds_a_cpu_up_to_an_instant_is_not_there_at_it() {
        let mut cluster = cluster(2, &[job(1, 1, 100.0, 100.0)]);
        cluster.pass(t(0.0), &mut PolicyKind::Easy).unwrap();
        cluster.submit(job(2, 1, 20.0, 20.0)).unwrap();
        cluster.pass(t(10.0), &mut PolicyKind::Easy).unwrap();
        assert_eq!(cluster.in_the_way(t(29.0), t(31.0)), Ok(Some(Holder::Local(JobId(2)))));
        cluster.take_down(t(30.0), t(50.0)).unwrap();
        assert_eq!(cluster.in_the_way(t(30.0), t(40.0)), Ok(Some(Holder::Local(JobId(1)))));
    }
}
