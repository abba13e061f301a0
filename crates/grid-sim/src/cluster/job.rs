//! A job of a cluster.

use super::profiles::Amounts;
use crate::SimError;
use sched_model::{JobId, ModelError, Span, Time, UserId};

/// A job of a cluster: CPUs at once, and memory and GPUs beside them, for the time it asks for and the time
/// it really takes.
///
/// The scheduler sees the requested time only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(remote = "Self", deny_unknown_fields))]
#[must_use]
pub struct LocalJob {
    pub(super) id: JobId,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(super) user: UserId,
    pub(super) submit: Time,
    pub(super) cpus: u32,
    pub(super) requested: Span,
    pub(super) actual: Span,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_none"))]
    memory: u32,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_none"))]
    gpus: u32,
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

    fn checked(self) -> Result<Self, SimError> {
        if self.cpus == 0 {
            return Err(ModelError::Zero { what: "cpus of a job" }.into());
        }
        if self.requested <= Span::ZERO {
            let (what, expected) = ("the requested time of a job", "(0, 1e60]");
            return Err(ModelError::OutOfRange { what, expected, value: self.requested.get() }.into());
        }
        Ok(self)
    }

    /// Its identifier.
    pub fn id(&self) -> JobId {
        self.id
    }

    /// Its owner.
    pub fn user(&self) -> UserId {
        self.user
    }

    /// When it is submitted.
    pub fn submit(&self) -> Time {
        self.submit
    }

    /// CPUs it needs at once.
    #[must_use]
    pub fn cpus(&self) -> u32 {
        self.cpus
    }

    /// Memory it needs, of all its CPUs together, in the unit of the machine.
    #[must_use]
    pub fn memory(&self) -> u32 {
        self.memory
    }

    /// GPUs it needs.
    #[must_use]
    pub fn gpus(&self) -> u32 {
        self.gpus
    }

    pub(crate) fn amounts(&self) -> Amounts {
        Amounts { cpus: self.cpus, memory: self.memory, gpus: self.gpus }
    }

    /// Time it asks for.
    pub fn requested(&self) -> Span {
        self.requested
    }

    /// Time it really takes, if it is not stopped.
    pub fn actual(&self) -> Span {
        self.actual
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
