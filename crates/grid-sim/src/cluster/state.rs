//! The state of a cluster as a value that can be written and read.

use super::free::Look;
use super::hold::Hold;
use super::profiles::Profiles;
use super::{Cluster, Holder, LocalPolicy, LocalQueue, Overrun, QueuedJob};
use crate::SimError;
use sched_model::{ExactSum, Machine, ModelError, Time};

/// The whole state of a cluster between two events except its policy: the registered policies have no state.
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
    used: Vec<f64>,
    now: Time,
}

/// Terms whose exact sum is this sum.
pub(crate) fn terms(sum: &ExactSum) -> Vec<f64> {
    let (mut rest, mut terms) = (sum.clone(), Vec::new());
    // Each term is the remainder, rounded; so each term shortens the remainder by 53 bits.
    while rest.value() != 0.0 && rest.value().is_finite() {
        let term = rest.value();
        terms.push(term);
        rest.remove(term);
    }
    terms
}

/// The exact sum of these terms.
pub(crate) fn sum(terms: &[f64]) -> ExactSum {
    let mut sum = ExactSum::new();
    terms.iter().for_each(|&term| sum.add(term));
    sum
}

fn wrong(what: &'static str, expected: &'static str, value: f64) -> SimError {
    ModelError::OutOfRange { what, expected, value }.into()
}

impl Cluster {
    /// Its state. Between two passes no refusal waits to be fetched.
    pub(crate) fn state(&self) -> ClusterState {
        ClusterState {
            machine: self.machine,
            overrun: self.overrun,
            profiles: self.free.profiles.clone(),
            queue: self.queue.iter().copied().collect(),
            holds: self.holds.iter().map(|(&holder, &hold)| (holder, hold)).collect(),
            freed: self.freed,
            used: terms(&self.used),
            now: self.now,
        }
    }

    /// The cluster that had this state, under this policy.
    ///
    /// # Errors
    /// [`SimError`] for a state that no cluster has: jobs beyond the machine, twice, or more CPUs in use than
    /// there are.
    pub(crate) fn of_state(state: &ClusterState, policy: Box<dyn LocalPolicy>) -> Result<Self, SimError> {
        let mut cluster = Self::new(&state.machine, policy, state.now).with_overrun(state.overrun);
        let cpus = state.machine.cpus();
        if !state.profiles.are_of(&state.machine) {
            let there = f64::from(state.profiles.cpus.cpus());
            return Err(wrong("the free CPUs, memory and GPUs of a machine", "those that it has", there));
        }
        for &(holder, hold) in &state.holds {
            let (Holder::Local(job) | Holder::Reserved(job)) = holder;
            if cluster.holds.insert(holder, hold).is_some() {
                return Err(SimError::RepeatedJob { job });
            }
        }
        let running = || state.holds.iter().filter(|(_, hold)| hold.running);
        let busy: u64 = running().map(|(_, hold)| u64::from(hold.amounts.cpus)).sum();
        cluster.busy = u32::try_from(busy)
            .ok()
            .filter(|&busy| busy <= cpus)
            .ok_or_else(|| wrong("the CPUs in use", "[0, CPUs of the machine]", busy as f64))?;
        let mut waiting = std::collections::BTreeSet::new();
        for queued in &state.queue {
            let job = queued.job.id();
            cluster.submit(queued.job)?; // which asks whether it may be there
            if !waiting.insert(job) {
                return Err(SimError::RepeatedJob { job });
            }
        }
        cluster.queue = LocalQueue::default();
        for &queued in &state.queue {
            // The new record of freed time is empty, so that no earlier look tells anything.
            cluster.queue.push(QueuedJob { looked: Look::default(), ..queued });
        }
        cluster.free = state.profiles.clone().into();
        cluster.freed = state.freed;
        cluster.used = sum(&state.used);
        if !cluster.used.value().is_finite() {
            return Err(wrong("the CPU time used", "a finite number", cluster.used.value()));
        }
        Ok(cluster)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_add_up_to_the_sum_that_they_came_from() {
        let mut whole = ExactSum::new();
        for term in [1e60, 0.1, -0.3, 1e-300, 7.0, -1e60] {
            whole.add(term);
        }
        let mut difference = sum(&terms(&whole));
        for term in [0.1, -0.3, 1e-300, 7.0] {
            difference.remove(term);
        }
        assert_eq!(difference.value(), 0.0);
        assert!(terms(&ExactSum::new()).is_empty());
    }
}
