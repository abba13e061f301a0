//! A machine of several CPUs with its own queue: local jobs served by a policy, and advance reservations.

mod hold;
mod job;
mod outage;
mod pass;
mod policy;
mod profiles;
mod queue;

use crate::SimError;
pub use hold::Overrun;
pub(crate) use hold::{Hold, Holder};
pub use job::LocalJob;
pub use pass::{LocalPolicy, Pass};
pub use policy::PolicyKind;
use profiles::{Amounts, Profiles};
use queue::LocalQueue;
pub use queue::QueuedJob;
use sched_model::{JobId, Machine, ModelError, Profile, Refusal, Span, Time};
use std::collections::{BTreeMap, BTreeSet};

/// The result of a pass.
#[derive(Debug, Default)]
pub(crate) struct PassResult {
    pub(crate) started: Vec<QueuedJob>,
    /// Jobs refused because start plus requested time rounds to the start.
    pub(crate) refused: Vec<LocalJob>,
}

/// The state of a cluster between events: the queue, and what is running, reserved and promised.
///
/// It has no clock, no event queue and no policy. Its driver tells it the present, which never goes back, and calls
/// [`pass`](Self::pass) after everything else that happens at an instant. All free time is kept in profiles, from
/// which jobs, promises and reservations are cut.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Cluster {
    pub(crate) machine: Machine,
    /// What happens to jobs whose requested time is over.
    pub(crate) overrun: Overrun,
    profiles: Profiles,
    /// The waiting jobs.
    pub(crate) queue: LocalQueue,
    #[cfg_attr(feature = "serde", serde(with = "crate::engine::entries"))]
    pub(crate) holds: BTreeMap<Holder, Hold>,
    /// Whether CPUs were given back early since the last pass.
    freed: bool,
    pub(crate) now: Time,
}

impl Cluster {
    /// Creates an idle cluster.
    pub(crate) fn new(machine: &Machine, overrun: Overrun, now: Time) -> Self {
        Self {
            machine: *machine,
            overrun,
            profiles: Profiles::of_machine(machine, now),
            queue: LocalQueue::default(),
            holds: BTreeMap::new(),
            freed: false,
            now,
        }
    }

    /// Returns the number of free CPUs over time, given what is running, reserved and promised. A broker may reserve
    /// from these.
    pub(crate) fn profile(&self) -> &Profile {
        &self.profiles.cpus
    }

    /// Moves the present to `now`; the other methods do so too.
    pub(crate) fn tick(&mut self, now: Time) {
        self.now = self.now.max(now);
        self.profiles.advance(now);
    }

    /// Puts a job at the end of the queue; the next [`pass`](Self::pass) will see it.
    ///
    /// # Errors
    /// [`SimError::Model`] for a job that [`LocalJob::new`] refuses, [`SimError::RepeatedJob`] if a job with its
    /// identifier is running.
    pub(crate) fn submit(&mut self, job: LocalJob) -> Result<(), SimError> {
        if self.holds.contains_key(&Holder::Local(job.id)) {
            return Err(SimError::RepeatedJob { job: job.id });
        }
        self.queue.push(QueuedJob::new(job.checked()?));
        Ok(())
    }

    /// Lets `policy` serve the queue, again after each refusal.
    ///
    /// # Errors
    /// [`SimError::RepeatedJob`] if a job with the identifier of a started one is running; the errors of the policy.
    pub(crate) fn pass(&mut self, now: Time, policy: &mut dyn LocalPolicy) -> Result<PassResult, SimError> {
        self.tick(now);
        let mut passed = PassResult::default();
        let was_due = self.queue.next_promise().is_some_and(|start| start <= now);
        loop {
            let freed = std::mem::take(&mut self.freed);
            let mut pass = Pass::new(now, &mut self.profiles, &mut self.queue, freed);
            policy.pass(&mut pass)?;
            let untimed = pass.untimed;
            passed.started.extend(pass.started);
            if untimed.is_empty() {
                break;
            }
            // The jobs behind the refused ones are served again. The queue is shorter each time, so the loop ends.
            let leaves = |queued: &QueuedJob| untimed.contains(&queued.job.id);
            let places: Vec<usize> = (0..self.queue.len()).filter(|&at| leaves(&self.queue[at])).collect();
            let left = places.into_iter().enumerate().map(|(before, at)| self.queue.remove(at - before).job);
            passed.refused.extend(left);
        }
        let due = |queued: &QueuedJob| Some((queued.job.id, queued.promise?)).filter(|of| of.1 <= now);
        // The next pass would be the same, at the same instant.
        if was_due
            && passed.started.is_empty()
            && passed.refused.is_empty()
            && let Some((_, (job, start))) = self.queue.first_due(0, Some(now), due)
        {
            let why = "it was promised this start, and no job starts then".to_owned();
            return Err(SimError::BadPlace { who: "the local policy".to_owned(), job, start, why });
        }
        for QueuedJob { job, first_promise, .. } in &passed.started {
            let hold = Hold::new(job.amounts(), now, now + job.requested);
            let local = Some((*job, *first_promise));
            let hold = Hold { done: now + job.actual, running: true, local, ..hold };
            if self.holds.insert(Holder::Local(job.id), hold).is_some() {
                return Err(SimError::RepeatedJob { job: job.id });
            }
        }
        Ok(passed)
    }

    /// Reserves CPUs in advance, beside everything that is held and promised.
    ///
    /// # Errors
    /// [`SimError::RepeatedJob`] if the job already has a reservation here, [`SimError::Model`] if the CPUs are not
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

    /// Checks a deserialised cluster, and returns it.
    ///
    /// # Errors
    /// [`SimError`] for a state that no cluster can have: jobs larger than the machine, a job that occurs twice, or
    /// more CPUs in use than exist.
    pub(crate) fn checked(self) -> Result<Self, SimError> {
        let wrong = |what, expected, value| Err(ModelError::OutOfRange { what, expected, value }.into());
        if !self.profiles.are_of(&self.machine) {
            let there = f64::from(self.profiles.cpus.cpus());
            return wrong("the free CPUs, memory and GPUs of a machine", "those that it has", there);
        }
        for (&holder, hold) in &self.holds {
            let (Holder::Local(job) | Holder::Reserved(job)) = holder;
            if holder != hold.local.map_or(Holder::Reserved(job), |(local, _)| Holder::Local(local.id)) {
                return Err(SimError::RepeatedJob { job });
            }
        }
        let running = self.holds.values().filter(|hold| hold.running);
        let busy: u64 = running.map(|hold| u64::from(hold.amounts.cpus)).sum();
        if busy > u64::from(self.machine.cpus()) {
            return wrong("the CPUs in use", "[0, CPUs of the machine]", busy as f64);
        }
        let mut waiting = BTreeSet::new();
        for queued in self.queue.iter() {
            let job = queued.job.id;
            if self.holds.contains_key(&Holder::Local(job)) || !waiting.insert(job) {
                return Err(SimError::RepeatedJob { job });
            }
            let beyond = queued.job.amounts().beyond(&self.machine);
            if let Some(Refusal::TooWide { needed, .. } | Refusal::TooLarge { needed, .. }) = beyond {
                let what = "the CPUs, memory or GPUs of a waiting job";
                return wrong(what, "[0, those of the machine]", needed as f64);
            }
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests;
