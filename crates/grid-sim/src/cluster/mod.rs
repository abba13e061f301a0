//! A machine of several CPUs with its own queue: local jobs under a policy, and advance reservations.

mod hold;
mod outage;
mod pass;
mod policy;
mod profiles;
mod queue;
mod state;

use crate::SimError;
pub use hold::Overrun;
pub(crate) use hold::{Hold, Holder, Settled};
pub use pass::{LocalPolicy, Pass};
pub use policy::PolicyKind;
use profiles::{Amounts, Profiles};
pub use queue::{LocalQueue, QueuedJob};
use sched_model::internal::ExactSum;
use sched_model::{JobId, MAX_QUANTITY, Machine, Profile, Span, Time};
pub(crate) use state::ClusterState;
pub use state::LocalJob;
use std::collections::BTreeMap;

/// What a pass has decided.
#[derive(Debug, Default)]
pub(crate) struct Passed {
    pub(crate) started: Vec<QueuedJob>,
    /// Jobs that are refused because start plus requested time rounds to the start.
    pub(crate) refused: Vec<LocalJob>,
}

/// The state of a cluster between events: the queue, what runs, what is reserved and what is promised.
///
/// It has no clock and no event queue; its driver gives it the present, in order, and calls
/// [`pass`](Self::pass) after all that happens at an instant. All free time is kept in profiles, from which
/// starts, promises and reservations are cut.
#[derive(Debug)]
pub(crate) struct Cluster {
    machine: Machine,
    policy: Box<dyn LocalPolicy>,
    /// What happens to jobs whose time is up.
    pub(crate) overrun: Overrun,
    profiles: Profiles,
    queue: LocalQueue,
    holds: BTreeMap<Holder, Hold>,
    freed: bool,
    /// CPUs times instant of all ends, less that of all starts.
    used: ExactSum,
    now: Time,
}

impl Cluster {
    /// An idle cluster that stops jobs whose time is up.
    pub(crate) fn new(machine: &Machine, policy: Box<dyn LocalPolicy>, now: Time) -> Self {
        Self {
            machine: *machine,
            policy,
            overrun: Overrun::default(),
            profiles: Profiles::of_machine(machine, now),
            queue: LocalQueue::default(),
            holds: BTreeMap::new(),
            freed: false,
            used: ExactSum::new(),
            now,
        }
    }

    /// An idle cluster begins at another instant.
    pub(crate) fn begin(&mut self, now: Time) {
        (self.profiles, self.now) = (Profiles::of_machine(&self.machine, now), now);
    }

    /// The machine.
    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }

    /// CPUs free over time, given what runs, what is reserved and what is promised: what a broker may
    /// reserve.
    pub(crate) fn profile(&self) -> &Profile {
        &self.profiles.cpus
    }

    /// The jobs that wait.
    pub(crate) fn queue(&self) -> &LocalQueue {
        &self.queue
    }

    /// The local jobs that run: since when, and the first start that each was promised.
    pub(crate) fn running(&self) -> impl Iterator<Item = (LocalJob, Time, Option<Time>)> {
        self.holds.values().filter_map(|hold| hold.local.map(|(job, promise)| (job, hold.start, promise)))
    }

    /// The CPUs in use.
    fn busy(&self) -> u64 {
        self.holds.values().filter(|hold| hold.running).map(|hold| u64::from(hold.amounts.cpus)).sum()
    }

    /// CPU time used up to the last event: the integral of the busy CPUs over time, rounded once.
    pub(crate) fn used(&self) -> Span {
        let mut used = self.used.clone();
        add_product(&mut used, self.busy() as f64, self.now.get());
        Span::new(used.value().clamp(0.0, MAX_QUANTITY)).unwrap_or(Span::ZERO)
    }

    /// So many more CPUs are busy from the present on.
    fn occupy(&mut self, cpus: f64) {
        add_product(&mut self.used, -cpus, self.now.get());
    }

    /// Moves the present; the other methods do so too.
    pub(crate) fn tick(&mut self, now: Time) {
        self.now = self.now.max(now);
        self.profiles.advance(now);
    }

    /// Puts a job at the end of the queue; the next [`pass`](Self::pass) will see it.
    ///
    /// # Errors
    /// [`SimError::Model`] for a job that [`LocalJob::new`] refuses, [`SimError::RepeatedJob`] if it runs already.
    pub(crate) fn submit(&mut self, job: LocalJob) -> Result<(), SimError> {
        if self.holds.contains_key(&Holder::Local(job.id)) {
            return Err(SimError::RepeatedJob { job: job.id });
        }
        self.queue.push(QueuedJob::new(job.checked()?));
        Ok(())
    }

    /// Lets the policy serve the queue.
    ///
    /// # Errors
    /// Those of the policy.
    pub(crate) fn pass(&mut self, now: Time) -> Result<Passed, SimError> {
        self.tick(now);
        let mut passed = Passed::default();
        loop {
            let freed = std::mem::take(&mut self.freed);
            let mut pass = Pass::new(now, &mut self.profiles, &mut self.queue, freed);
            self.policy.pass(&mut pass)?;
            let untimed = pass.untimed;
            passed.started.extend(pass.started);
            if untimed.is_empty() {
                break;
            }
            // The jobs behind the refused ones are served again. The queue is shorter each time, so this
            // ends.
            let leaves = |queued: &QueuedJob| untimed.contains(&queued.job.id);
            let places: Vec<usize> = (0..self.queue.len()).filter(|&at| leaves(&self.queue[at])).collect();
            let left = places.into_iter().enumerate().map(|(before, at)| self.queue.remove(at - before).job);
            passed.refused.extend(left);
        }
        for QueuedJob { job, first_promise, .. } in &passed.started {
            let hold = Hold::new(job.amounts(), now, now + job.requested);
            let local = Some((*job, *first_promise));
            let hold = Hold { done: now + job.actual, running: true, local, ..hold };
            self.occupy(f64::from(job.cpus));
            if self.holds.insert(Holder::Local(job.id), hold).is_some() {
                return Err(SimError::RepeatedJob { job: job.id });
            }
        }
        Ok(passed)
    }

    /// The earliest start that a waiting job is promised.
    pub(crate) fn next_promise(&self) -> Option<Time> {
        self.queue.next_promise()
    }

    /// Reserves CPUs in advance, beside all that is held and promised.
    ///
    /// # Errors
    /// [`SimError::RepeatedJob`] if the job has a reservation here, [`SimError::Model`] if the CPUs are not
    /// free.
    pub(crate) fn reserve(&mut self, job: JobId, cpus: u32, start: Time, span: Span) -> Result<(), SimError> {
        if self.holds.contains_key(&Holder::Reserved(job)) {
            return Err(SimError::RepeatedJob { job });
        }
        let until = start + span;
        let amounts = Amounts::of_cpus(cpus);
        self.profiles.reserve(start, until, amounts)?;
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
mod tests;
