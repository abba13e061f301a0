//! A job of a cluster.

use crate::SimError;
use sched_model::{JobId, ModelError, Span, Time, UserId};

/// A job of a cluster: CPUs at once, for the time it asks for and the time it really takes.
///
/// The scheduler sees the requested time only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "RawLocalJob"))]
pub struct LocalJob {
    pub(super) id: JobId,
    pub(super) user: UserId,
    pub(super) submit: Time,
    pub(super) cpus: u32,
    pub(super) requested: Span,
    pub(super) actual: Span,
}

/// A job as it is written down, before it has been checked.
#[cfg(feature = "serde")]
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLocalJob {
    id: JobId,
    #[serde(default)]
    user: UserId,
    submit: Time,
    cpus: u32,
    requested: Span,
    actual: Span,
}

#[cfg(feature = "serde")]
impl TryFrom<RawLocalJob> for LocalJob {
    type Error = SimError;
    fn try_from(raw: RawLocalJob) -> Result<Self, SimError> {
        Ok(Self::new(raw.id, raw.submit, raw.cpus, raw.requested, raw.actual)?.with_user(raw.user))
    }
}

impl LocalJob {
    /// A job of user 0.
    ///
    /// # Errors
    /// [`SimError::Model`] for no CPU or a requested time of zero. The actual time may be zero, and longer than
    /// requested.
    pub fn new(id: JobId, submit: Time, cpus: u32, requested: Span, actual: Span) -> Result<Self, SimError> {
        if cpus == 0 {
            return Err(ModelError::Zero { what: "cpus of a job" }.into());
        }
        if requested <= Span::ZERO {
            let (what, expected) = ("the requested time of a job", "(0, 1e60]");
            return Err(ModelError::OutOfRange { what, expected, value: requested.get() }.into());
        }
        Ok(Self { id, user: UserId(0), submit, cpus, requested, actual })
    }

    /// The same job of this user.
    #[must_use]
    pub fn with_user(self, user: UserId) -> Self {
        Self { user, ..self }
    }

    /// Its identifier.
    #[must_use]
    pub fn id(&self) -> JobId {
        self.id
    }

    /// Its owner.
    #[must_use]
    pub fn user(&self) -> UserId {
        self.user
    }

    /// When it is submitted.
    #[must_use]
    pub fn submit(&self) -> Time {
        self.submit
    }

    /// CPUs it needs at once.
    #[must_use]
    pub fn cpus(&self) -> u32 {
        self.cpus
    }

    /// Time it asks for.
    #[must_use]
    pub fn requested(&self) -> Span {
        self.requested
    }

    /// Time it really takes, if it is not stopped.
    #[must_use]
    pub fn actual(&self) -> Span {
        self.actual
    }
}
