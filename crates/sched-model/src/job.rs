//! Jobs, batches and users.

use crate::order::{order, sort};
use crate::{JobId, ModelError, Money, Priority, Qos, ResourceRequest, Time, TradeOff, UserId};

/// A request with its owner, submit time, priority and trade-off factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[must_use]
pub struct Job {
    /// Its identifier, unique in its batch.
    pub id: JobId,
    /// Its request.
    pub request: ResourceRequest,
    /// Its owner.
    #[cfg_attr(feature = "serde", serde(default))]
    pub user: UserId,
    /// When it was submitted: it cannot start before.
    #[cfg_attr(feature = "serde", serde(default = "origin"))]
    pub submit: Time,
    /// Its rank: greater goes first.
    #[cfg_attr(feature = "serde", serde(default = "even_priority"))]
    pub priority: Priority,
    /// Weight of cost against time: at 0 only time counts, at 1 only cost.
    #[cfg_attr(feature = "serde", serde(default = "even_trade_off"))]
    pub trade_off: TradeOff,
}

#[cfg(feature = "serde")]
fn origin() -> Time {
    Time::ZERO
}

fn even_priority() -> Priority {
    Priority::must(1.0)
}

fn even_trade_off() -> TradeOff {
    TradeOff::must(0.5)
}

impl Job {
    /// A job of user 0 submitted at time 0, of priority 1 and trade-off 0.5.
    pub fn new(id: JobId, request: ResourceRequest) -> Self {
        Self {
            id,
            request,
            user: UserId(0),
            submit: Time::ZERO,
            priority: even_priority(),
            trade_off: even_trade_off(),
        }
    }
}

crate::setters!(Job {
    /// The same job of this user.
    with_user: user: UserId,
    /// The same job, submitted then.
    with_submit: submit: Time,
    /// The same job of this priority.
    with_priority: priority: Priority,
    /// The same job of this trade-off factor.
    with_trade_off: trade_off: TradeOff,
});

/// Jobs that are scheduled together, in the order in which they are served.
///
/// ```
/// use sched_model::{Batch, Job, JobId, Priority, ResourceRequest, Work};
/// let request = ResourceRequest::new(1, Work::must(5.0))?;
/// let batch = Batch::new(vec![
///     Job::new(JobId(1), request),
///     Job::new(JobId(2), request).with_priority(Priority::must(3.0)),
/// ])?;
/// let order: Vec<_> = batch.by_priority().iter().map(|job| job.id.0).collect();
/// assert_eq!(order, [2, 1]);
/// # Ok::<(), sched_model::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Vec<Job>", into = "Vec<Job>"))]
#[must_use]
pub struct Batch {
    jobs: Vec<Job>,
}

impl Batch {
    /// A batch of these jobs, in this order.
    ///
    /// # Errors
    /// [`ModelError::RepeatedJob`] if two carry one id.
    pub fn new(jobs: Vec<Job>) -> Result<Self, ModelError> {
        let order = order(jobs.len(), &|a, b| jobs[a].id.cmp(&jobs[b].id));
        let mut pairs = order.windows(2).map(|pair| (pair[0] as usize, pair[1] as usize));
        if let Some((first, second)) = pairs.find(|&(first, second)| jobs[first].id == jobs[second].id) {
            return Err(ModelError::RepeatedJob { job: jobs[first].id, first, second });
        }
        Ok(Self { jobs })
    }

    /// The jobs, in order of service.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// The jobs, in order of service.
    pub fn iter(&self) -> std::slice::Iter<'_, Job> {
        self.jobs.iter()
    }

    /// Number of jobs.
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// The same jobs, greater priority first; ties by submit time, then by id.
    pub fn by_priority(mut self) -> Self {
        sort(&mut self.jobs, &|a, b| {
            b.priority.cmp(&a.priority).then((a.submit, a.id).cmp(&(b.submit, b.id)))
        });
        self
    }
}

impl<'a> IntoIterator for &'a Batch {
    type Item = &'a Job;
    type IntoIter = std::slice::Iter<'a, Job>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl TryFrom<Vec<Job>> for Batch {
    type Error = ModelError;
    fn try_from(jobs: Vec<Job>) -> Result<Self, ModelError> {
        Self::new(jobs)
    }
}

impl From<Batch> for Vec<Job> {
    fn from(batch: Batch) -> Self {
        batch.jobs
    }
}

/// An owner of jobs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[must_use]
pub struct User {
    /// The identifier that jobs refer to.
    pub id: UserId,
    /// Its name, for reports.
    pub name: String,
    /// The most that all the user's jobs together may cost; `None` for no limit.
    #[cfg_attr(feature = "serde", serde(default))]
    pub budget: Option<Money>,
    /// The quality of service that the user is entitled to. A user with a greater one is served better.
    pub qos: Qos,
}

impl User {
    /// A user of quality of service 1 without a budget.
    pub fn new(id: UserId, name: impl Into<String>) -> Self {
        Self { id, name: name.into(), budget: None, qos: Qos::must(1.0) }
    }
}

crate::setters!(User {
    /// The same user with this budget.
    with_budget: budget: Money => Some,
    /// The same user with this quality of service.
    with_qos: qos: Qos,
});
