//! A job of a cluster, and the state of a cluster as a value that can be written and read.

use super::hold::Hold;
use super::profiles::{Amounts, Profiles};
use super::{Cluster, Holder, LocalPolicy, LocalQueue, Overrun, QueuedJob};
use crate::SimError;
use sched_model::{JobId, Machine, ModelError, Refusal, Span, Time, UserId};

/// The state of a cluster between two events, except its policy (the registered policies have no state) and the
/// time that was used.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct ClusterState {
    machine: Machine,
    overrun: Overrun,
    profiles: Profiles,
    queue: Vec<QueuedJob>,
    holds: Vec<(Holder, Hold)>,
    freed: bool,
    now: Time,
}

fn wrong(what: &'static str, expected: &'static str, value: f64) -> SimError {
    ModelError::OutOfRange { what, expected, value }.into()
}

impl Cluster {
    /// Its state.
    pub(crate) fn state(&self) -> ClusterState {
        ClusterState {
            machine: self.machine,
            overrun: self.overrun,
            profiles: self.profiles.clone(),
            queue: self.queue.iter().copied().collect(),
            holds: self.holds.iter().map(|(&holder, &hold)| (holder, hold)).collect(),
            freed: self.freed,
            now: self.now,
        }
    }

    /// The cluster that had this state, under this policy.
    ///
    /// # Errors
    /// [`SimError`] for a state that no cluster has: jobs beyond the machine, twice, or more CPUs in use than
    /// there are.
    pub(crate) fn of_state(state: &ClusterState, policy: Box<dyn LocalPolicy>) -> Result<Self, SimError> {
        let mut cluster = Self::new(&state.machine, policy, state.now);
        cluster.overrun = state.overrun;
        if !state.profiles.are_of(&state.machine) {
            let there = f64::from(state.profiles.cpus.cpus());
            return Err(wrong("the free CPUs, memory and GPUs of a machine", "those that it has", there));
        }
        for &(holder, hold) in &state.holds {
            let (Holder::Local(job) | Holder::Reserved(job)) = holder;
            let of = hold.local.map_or(Holder::Reserved(job), |(local, _)| Holder::Local(local.id));
            if of != holder || cluster.holds.insert(holder, hold).is_some() {
                return Err(SimError::RepeatedJob { job });
            }
        }
        let (busy, cpus) = (cluster.busy(), state.machine.cpus());
        if busy > u64::from(cpus) {
            return Err(wrong("the CPUs in use", "[0, CPUs of the machine]", busy as f64));
        }
        let mut waiting = std::collections::BTreeSet::new();
        for queued in &state.queue {
            let job = queued.job.id;
            cluster.submit(queued.job)?; // which asks whether it may be there
            if !waiting.insert(job) {
                return Err(SimError::RepeatedJob { job });
            }
            let beyond = queued.job.amounts().beyond(&state.machine);
            if let Some(Refusal::TooWide { needed, .. } | Refusal::TooLarge { needed, .. }) = beyond {
                let what = "the CPUs, memory or GPUs of a waiting job";
                return Err(wrong(what, "[0, those of the machine]", needed as f64));
            }
        }
        cluster.queue = LocalQueue::default();
        for &queued in &state.queue {
            cluster.queue.push(queued);
        }
        cluster.profiles = state.profiles.clone();
        cluster.freed = state.freed;
        Ok(cluster)
    }
}

/// A job of a cluster: CPUs at once, and memory and GPUs beside them, for the time it asks for and the time
/// it really takes.
///
/// The scheduler sees the requested time only. A simulation takes no job without a CPU, or that asks for no time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(remote = "Self", deny_unknown_fields))]
#[must_use]
#[non_exhaustive]
pub struct LocalJob {
    /// Its identifier.
    pub id: JobId,
    /// Its owner.
    #[cfg_attr(feature = "serde", serde(default))]
    pub user: UserId,
    /// When it is submitted.
    pub submit: Time,
    /// CPUs it needs at once.
    pub cpus: u32,
    /// Time it asks for.
    pub requested: Span,
    /// Time it really takes, if it is not stopped.
    pub actual: Span,
    /// Memory it needs, of all its CPUs together, in the unit of the machine.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_none"))]
    pub memory: u32,
    /// GPUs it needs.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_none"))]
    pub gpus: u32,
}

#[cfg(feature = "serde")]
#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_none(amount: &u32) -> bool {
    *amount == 0
}

#[cfg(feature = "serde")]
sched_model::serde_checked!(LocalJob);

impl LocalJob {
    /// A job of user 0 that takes no memory and no GPU.
    ///
    /// # Errors
    /// [`SimError::Model`] for no CPU or a requested time of zero. The actual time may be zero, and longer
    /// than requested.
    pub fn new(id: JobId, submit: Time, cpus: u32, requested: Span, actual: Span) -> Result<Self, SimError> {
        Self { id, user: UserId(0), submit, cpus, requested, actual, memory: 0, gpus: 0 }.checked()
    }

    pub(super) fn checked(self) -> Result<Self, SimError> {
        if self.cpus == 0 {
            return Err(ModelError::Zero { what: "cpus of a job" }.into());
        }
        if self.requested <= Span::ZERO {
            let (what, expected) = ("the requested time of a job", "(0, 1e60]");
            return Err(ModelError::OutOfRange { what, expected, value: self.requested.get() }.into());
        }
        Ok(self)
    }

    pub(crate) fn amounts(&self) -> Amounts {
        Amounts { cpus: self.cpus, others: [self.memory, self.gpus] }
    }
}

sched_model::setters!(LocalJob {
    /// The same job of this user.
    with_user: user: UserId,
    /// The same job, coming at this instant.
    with_submit: submit: Time,
    /// The same job with this amount of memory, of all its CPUs together, in the unit of the machine.
    with_memory: memory: u32,
    /// The same job with so many GPUs.
    with_gpus: gpus: u32,
});
