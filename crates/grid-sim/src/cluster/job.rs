//! A job of a cluster.

use super::profiles::Amounts;
use crate::SimError;
use sched_model::{JobId, ModelError, Span, Time, UserId};

/// A job of a cluster: the CPUs, memory and GPUs that it needs at once, the time that it requests, and the time that
/// it really takes.
///
/// The scheduler sees only the requested time. Simulating a job without a CPU, or with a requested time of zero, is
/// an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct LocalJob {
    /// Its identifier.
    pub id: JobId,
    /// Its owner.
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
    pub memory: u32,
    /// GPUs it needs.
    pub gpus: u32,
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(remote = "LocalJob", rename = "LocalJob", deny_unknown_fields)]
struct LocalJobForm {
    id: JobId,
    #[serde(default)]
    user: UserId,
    submit: Time,
    cpus: u32,
    requested: Span,
    actual: Span,
    #[serde(default, skip_serializing_if = "is_none")]
    memory: u32,
    #[serde(default, skip_serializing_if = "is_none")]
    gpus: u32,
}

#[cfg(feature = "serde")]
sched_model::serde_checked!(LocalJob as LocalJobForm);

#[cfg(feature = "serde")]
#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_none(amount: &u32) -> bool {
    *amount == 0
}

impl LocalJob {
    /// Creates a job of user 0 that takes no memory and no GPU.
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
    /// Sets the user.
    with_user: user: UserId,
    /// Sets the instant of submission.
    with_submit: submit: Time,
    /// Sets the amount of memory, of all its CPUs together, in the unit of the machine.
    with_memory: memory: u32,
    /// Sets the number of GPUs.
    with_gpus: gpus: u32,
});
