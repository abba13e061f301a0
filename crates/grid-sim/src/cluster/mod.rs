//! A machine of several CPUs with its own queue: local jobs under a policy, and advance reservations.

mod free;
mod openings;
mod outage;
mod pass;
mod policy;
mod profiles;
mod queue;
mod state;

use crate::SimError;
use free::{FreeTime, Hold};
pub use free::{Holder, Overrun, Settled};
pub use pass::{LocalPolicy, Pass};
pub use policy::{Conservative, Easy, Fcfs, PolicyKind};
use profiles::{Amounts, Profiles};
pub use queue::{LocalQueue, QueuedJob};
use sched_model::internal::ExactSum;
use sched_model::{JobId, MAX_QUANTITY, Machine, Profile, Span, Time};
pub use state::LocalJob;
pub(crate) use state::{ClusterState, sum, terms};
use std::collections::BTreeMap;

/// A job that has just started.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Started {
    /// The job.
    pub job: LocalJob,
    /// The first start it was promised; `None` if it started without a promise.
    pub promise: Option<Time>,
}

/// The state of a cluster between events: the queue, what runs, what is reserved and what is promised.
///
/// It has no clock and no event queue; its driver ([`replay`](crate::replay), [`Grid`](crate::Grid), or a
/// simulation of yours) gives it the present, in order, and calls [`pass`](Self::pass) after all that happens
/// at an instant. All free time is kept in profiles, from which starts, promises and reservations are cut.
///
/// ```
/// use grid_sim::{Cluster, Easy, Holder, LocalJob, Settled};
/// use sched_model::*;
/// let machine = Machine::new(MachineId(0), 4, Speed::ETALON, Price::ZERO)?;
/// let mut cluster = Cluster::new(&machine, Box::new(Easy), Time::ZERO);
/// let job = |id, cpus, time| {
///     LocalJob::new(JobId(id), Time::ZERO, cpus, Span::must(time), Span::must(time))
/// };
/// // Three CPUs for 10; then a job of all four, which must wait; then one that fits beside both.
/// for job in [job(1, 3, 10.0)?, job(2, 4, 5.0)?, job(3, 1, 10.0)?] {
///     cluster.submit(job)?;
/// }
/// let started: Vec<u64> = cluster.pass(Time::ZERO)?.iter().map(|s| s.job.id().0).collect();
/// assert_eq!(started, [1, 3]); // job 3 is backfilled: it ends by the promised start of job 2
/// assert_eq!(cluster.profile().to_string(), "0: 0, 15: 4");
///
/// let ten = Time::must(10.0);
/// assert_eq!(cluster.due(Holder::Local(JobId(1))), Some((ten, true)));
/// assert_eq!(cluster.settle(ten, Holder::Local(JobId(1)))?, Settled::Done);
/// # Ok::<(), grid_sim::SimError>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct Cluster {
    machine: Machine,
    policy: Box<dyn LocalPolicy>,
    overrun: Overrun,
    free: FreeTime,
    queue: LocalQueue,
    refused: Vec<LocalJob>,
    holds: BTreeMap<Holder, Hold>,
    freed: bool,
    busy: u32,
    /// CPUs times instant of all ends, less that of all starts.
    used: ExactSum,
    now: Time,
}

impl Cluster {
    /// An idle cluster that stops jobs whose time is up.
    pub fn new(machine: &Machine, policy: Box<dyn LocalPolicy>, now: Time) -> Self {
        Self {
            machine: *machine,
            policy,
            overrun: Overrun::default(),
            free: Profiles::of_machine(machine, now).into(),
            queue: LocalQueue::default(),
            refused: Vec::new(),
            holds: BTreeMap::new(),
            freed: false,
            busy: 0,
            used: ExactSum::new(),
            now,
        }
    }

    /// The same cluster with this rule for jobs whose time is up.
    pub fn with_overrun(self, overrun: Overrun) -> Self {
        Self { overrun, ..self }
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// CPUs free over time, given what runs, what is reserved and what is promised: what a broker may
    /// reserve.
    pub fn profile(&self) -> &Profile {
        &self.free.profiles.cpus
    }

    /// The jobs that wait.
    pub fn queue(&self) -> &LocalQueue {
        &self.queue
    }

    /// CPUs that are in use.
    #[must_use]
    pub fn busy(&self) -> u32 {
        self.busy
    }

    /// CPU time used up to the last event: the integral of [`busy`](Self::busy) over time, rounded once.
    pub fn used(&self) -> Span {
        let mut used = self.used.clone();
        add_product(&mut used, f64::from(self.busy), self.now.get());
        Span::new(used.value().clamp(0.0, MAX_QUANTITY)).unwrap_or(Span::ZERO)
    }

    /// `cpus` more CPUs are busy from the present on.
    fn occupy(&mut self, cpus: u32) {
        self.busy += cpus;
        add_product(&mut self.used, -f64::from(cpus), self.now.get());
    }

    /// `cpus` fewer CPUs are busy from the present on.
    fn vacate(&mut self, cpus: u32) {
        self.busy -= cpus;
        add_product(&mut self.used, f64::from(cpus), self.now.get());
    }

    /// Moves the present; the other methods do so too.
    pub fn tick(&mut self, now: Time) {
        self.now = self.now.max(now);
        self.free.profiles.advance(now);
    }

    /// Puts a job at the end of the queue; the next [`pass`](Self::pass) will see it.
    ///
    /// # Errors
    /// [`SimError::TooWide`] if it needs more CPUs than there are, [`SimError::TooLarge`] for memory and
    /// GPUs, [`SimError::RepeatedJob`] if it runs already.
    pub fn submit(&mut self, job: LocalJob) -> Result<(), SimError> {
        let cpus = self.machine.cpus();
        if job.cpus > cpus {
            return Err(SimError::TooWide { job: job.id, needed: job.cpus, cpus });
        }
        if let Some((what, needed, has)) = job.amounts().beyond(&self.machine) {
            return Err(SimError::TooLarge { job: job.id, what, needed, has });
        }
        if self.holds.contains_key(&Holder::Local(job.id)) {
            return Err(SimError::RepeatedJob { job: job.id });
        }
        self.queue.push(QueuedJob::new(job));
        Ok(())
    }

    /// Lets the policy serve the queue, and returns the jobs that it started.
    ///
    /// # Errors
    /// Those of the policy.
    pub fn pass(&mut self, now: Time) -> Result<Vec<Started>, SimError> {
        self.tick(now);
        let mut started = Vec::new();
        loop {
            let (freed, so_far) = (std::mem::take(&mut self.freed), std::mem::take(&mut started));
            if freed {
                self.free.turn();
            }
            let mut pass = Pass::new(now, &mut self.free, &mut self.queue, freed, so_far);
            self.policy.pass(&mut pass)?;
            let untimed = pass.untimed;
            started = pass.started;
            if untimed.is_empty() {
                break;
            }
            // The jobs behind the refused ones are served again. The queue is shorter each time, so this
            // ends.
            let leaves = |queued: &QueuedJob| untimed.contains(&queued.job.id);
            self.refused.extend(self.queue.take_where(leaves).iter().map(|queued| queued.job));
        }
        for queued in &started {
            let LocalJob { id, cpus, requested, actual, .. } = queued.job;
            let hold = Hold::new(queued.job.amounts(), now, now + requested);
            let hold = Hold { done: now + actual, running: true, ..hold };
            self.occupy(cpus);
            if self.holds.insert(Holder::Local(id), hold).is_some() {
                return Err(SimError::RepeatedJob { job: id });
            }
        }
        Ok(started.iter().map(|queued| Started { job: queued.job, promise: queued.first_promise }).collect())
    }

    /// The jobs that passes have refused since the last call of this method, because start plus requested
    /// time rounds to the start.
    pub fn take_refused(&mut self) -> Vec<LocalJob> {
        std::mem::take(&mut self.refused)
    }

    /// The earliest start that a waiting job is promised.
    pub fn next_promise(&self) -> Option<Time> {
        self.queue.next_promise()
    }

    /// Reserves CPUs in advance, beside all that is held and promised.
    ///
    /// # Errors
    /// [`SimError::RepeatedJob`] if the job has a reservation here, [`SimError::Model`] if the CPUs are not
    /// free.
    pub fn reserve(&mut self, job: JobId, cpus: u32, start: Time, span: Span) -> Result<(), SimError> {
        if self.holds.contains_key(&Holder::Reserved(job)) {
            return Err(SimError::RepeatedJob { job });
        }
        let until = start + span;
        let amounts = Amounts::of_cpus(cpus);
        self.free.profiles.reserve(start, until, amounts)?;
        self.holds.insert(Holder::Reserved(job), Hold::new(amounts, start, until));
        Ok(())
    }
}

/// Adds a product to a sum, both without rounding.
fn add_product(sum: &mut ExactSum, a: f64, b: f64) {
    let product = a * b;
    sum.add(product);
    sum.add(a.mul_add(b, -product)); // what the product lost in rounding
}

#[cfg(test)]
mod tests {
    use super::*;
    use sched_model::{MachineId, Price, Speed};

    pub(super) fn t(at: f64) -> Time {
        Time::must(at)
    }

    pub(super) fn s(span: f64) -> Span {
        Span::must(span)
    }

    pub(super) fn cluster(cpus: u32, kind: PolicyKind) -> Cluster {
        let machine = Machine::new(MachineId(0), cpus, Speed::ETALON, Price::ZERO).unwrap();
        Cluster::new(&machine, kind.build(), Time::ZERO)
    }

    pub(super) fn job(id: u64, cpus: u32, requested: f64, actual: f64) -> LocalJob {
        LocalJob::new(JobId(id), Time::ZERO, cpus, s(requested), s(actual)).unwrap()
    }

    #[test]
    fn reservations_keep_off_promises_and_jobs_keep_off_reservations() {
        let mut cluster = cluster(4, PolicyKind::Easy);
        cluster.submit(job(1, 4, 10.0, 10.0)).unwrap();
        cluster.submit(job(2, 4, 10.0, 10.0)).unwrap();
        cluster.pass(t(0.0)).unwrap();
        assert_eq!(cluster.next_promise(), Some(t(10.0)));
        assert!(cluster.reserve(JobId(9), 1, t(15.0), s(10.0)).is_err());
        cluster.reserve(JobId(9), 1, t(20.0), s(10.0)).unwrap();
        assert!(cluster.reserve(JobId(9), 1, t(40.0), s(10.0)).is_err(), "one reservation a job");
        cluster.submit(job(3, 4, 5.0, 5.0)).unwrap();
        cluster.settle(t(10.0), Holder::Local(JobId(1))).unwrap();
        assert_eq!(cluster.pass(t(10.0)).unwrap()[0].promise, Some(t(10.0)));
        assert_eq!(cluster.next_promise(), Some(t(30.0)), "after the reservation");
        assert!(cluster.claim(t(10.0), JobId(9), s(1.0)).is_err(), "not before its start");
        cluster.settle(t(20.0), Holder::Local(JobId(2))).unwrap();
        cluster.claim(t(20.0), JobId(9), s(3.0)).unwrap();
        assert_eq!((cluster.busy(), cluster.due(Holder::Reserved(JobId(9)))), (1, Some((t(23.0), true))));
        assert_eq!(cluster.settle(t(23.0), Holder::Reserved(JobId(9))).unwrap(), Settled::Done);
        assert_eq!(cluster.pass(t(23.0)).unwrap().len(), 1, "the time given back brings the promise forward");
        assert_eq!(cluster.used(), s(83.0));
    }

    #[test]
    fn the_cpus_of_all_that_run_are_busy() {
        let mut cluster = cluster(4, PolicyKind::Fcfs);
        cluster.submit(job(1, 1, 10.0, 10.0)).unwrap();
        cluster.submit(job(2, 3, 5.0, 5.0)).unwrap();
        cluster.pass(t(0.0)).unwrap();
        assert_eq!(cluster.busy(), 4);
        cluster.settle(t(5.0), Holder::Local(JobId(2))).unwrap();
        assert_eq!(cluster.busy(), 1);
        cluster.settle(t(10.0), Holder::Local(JobId(1))).unwrap();
        assert_eq!((cluster.busy(), cluster.used()), (0, s(25.0)));
    }

    #[test]
    fn used_time_is_rounded_once() {
        // Three times the rounded difference of 0.4 and 0.1 is 0.9000000000000001.
        let mut cluster = cluster(3, PolicyKind::Fcfs);
        cluster.submit(job(1, 3, 1.0, 1.0)).unwrap();
        cluster.pass(t(0.1)).unwrap();
        cluster.tick(t(0.2));
        cluster.stop(t(0.4), Holder::Local(JobId(1))).unwrap();
        assert_eq!(cluster.used(), s(0.9));
    }
}
