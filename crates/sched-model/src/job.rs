//! Requests, jobs and batches.

use crate::error::must;
use crate::order::order;
use crate::{
    DataSize, Demands, JobId, ModelError, Money, Price, Priority, Speed, Time, TradeOff, UserId, Work,
};
use std::ops::Deref;
use std::sync::Arc;

/// The request of a job: a number of CPUs that start at the same time, each of at least `min_speed`, each for one
/// task of `work`.
///
/// All limits are optional. A window must keep all given limits that a search supports: a price limit per slot (used
/// by ALP), a budget for the window as a whole (used by AMP, which derives it from the price limit if none is given),
/// and a deadline for the finish. What a job demands of its nodes beyond speed and price, and of its start, is in its
/// [`Demands`], which clones share.
///
/// ```
/// use sched_model::{Money, Price, ResourceRequest, Speed, Span, Time, Work, check::Rules};
/// let request = ResourceRequest::new(3, Work::must(60.0))?
///     .with_min_speed(Speed::must(1.5))
///     .with_price_limit(Price::must(2.0))
///     .with_deadline(Time::must(500.0));
/// assert_eq!(request.work() / Speed::must(2.0), Span::must(30.0));
/// // rho * C * t * N = 0.8 * 2 * 60 * 3
/// assert_eq!(Rules::per_window(0.8).budget(&request), Some(Money::must(288.0)));
/// # Ok::<(), sched_model::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct ResourceRequest {
    nodes: usize,
    /// Minimum speed of each CPU.
    pub min_speed: Speed,
    work: Work,
    /// Maximum price of one slot, C.
    pub price_limit: Option<Price>,
    /// Maximum cost of the window, if given.
    pub budget: Option<Money>,
    /// Latest finish of the window.
    pub deadline: Option<Time>,
    /// Data to be transferred before the start.
    pub input: DataSize,
    /// `None` instead of empty demands.
    demands: Option<Arc<Demands>>,
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(remote = "ResourceRequest", rename = "ResourceRequest", deny_unknown_fields)]
struct ResourceRequestForm {
    nodes: usize,
    #[serde(default = "any_speed", skip_serializing_if = "is_any_speed")]
    min_speed: Speed,
    work: Work,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    price_limit: Option<Price>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    budget: Option<Money>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deadline: Option<Time>,
    #[serde(default = "no_input")]
    input: DataSize,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "shared")]
    demands: Option<Arc<Demands>>,
}

#[cfg(feature = "serde")]
crate::serde_checked!(ResourceRequest as ResourceRequestForm);

/// No demands.
static NONE: Demands = Demands::NONE;

fn any_speed() -> Speed {
    Speed::must(crate::quantity::MIN_SPEED)
}

#[cfg(feature = "serde")]
fn is_any_speed(speed: &Speed) -> bool {
    *speed == any_speed()
}

fn no_input() -> DataSize {
    DataSize::must(0.0)
}

/// Serializes demands as if they were not shared.
#[cfg(feature = "serde")]
mod shared {
    use super::{Arc, Demands};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(shared: &Option<Arc<Demands>>, to: S) -> Result<S::Ok, S::Error> {
        shared.as_deref().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Arc<Demands>>, D::Error> {
        let demands = Option::<Demands>::deserialize(from)?;
        Ok(demands.filter(|demands| !demands.is_empty()).map(Arc::new))
    }
}

impl ResourceRequest {
    /// Creates a request from literals: `nodes` CPUs of any speed and price, each with one task of `work`.
    ///
    /// # Panics
    /// If [`new`](Self::new) returns an error, or the work is invalid. For data, use `new`.
    #[track_caller]
    pub fn must(nodes: usize, work: f64) -> Self {
        must(Self::new(nodes, Work::must(work)))
    }

    /// Creates a request for `nodes` CPUs of any speed and price, each with one task of `work`.
    ///
    /// # Errors
    /// [`ModelError::Zero`] if `nodes` is 0, [`ModelError::OutOfRange`] if `work` is 0.
    pub fn new(nodes: usize, work: Work) -> Result<Self, ModelError> {
        let request = Self {
            nodes,
            min_speed: any_speed(),
            work,
            price_limit: None,
            budget: None,
            deadline: None,
            input: no_input(),
            demands: None,
        };
        request.checked()
    }

    fn checked(self) -> Result<Self, ModelError> {
        if self.nodes == 0 {
            return Err(ModelError::Zero { what: "nodes of a request" });
        }
        if self.work.get() <= 0.0 {
            return Err(ModelError::out_of_range("the work of a request", "(0, 1e60]", self.work.get()));
        }
        Ok(self)
    }

    /// Sets the number of nodes.
    ///
    /// # Errors
    /// [`ModelError::Zero`] if `nodes` is 0.
    pub fn with_nodes(self, nodes: usize) -> Result<Self, ModelError> {
        Self { nodes, ..self }.checked()
    }

    /// Sets the work of each task.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] if `work` is 0.
    ///
    /// ```
    /// use sched_model::{Money, ResourceRequest, Work};
    /// let request = ResourceRequest::new(2, Work::must(10.0))?.with_budget(Money::must(5.0));
    /// let rest = request.clone().with_work(Work::must(4.0))?;
    /// assert_eq!((rest.nodes(), rest.work(), rest.budget), (2, Work::must(4.0), Some(Money::must(5.0))));
    /// assert!(request.with_work(Work::must(0.0)).is_err());
    /// # Ok::<(), sched_model::ModelError>(())
    /// ```
    pub fn with_work(self, work: Work) -> Result<Self, ModelError> {
        Self { work, ..self }.checked()
    }

    /// Sets the demands on features of the nodes and on the start, and the spans of tasks that differ from work /
    /// speed.
    ///
    /// ```
    /// use sched_model::{Demands, ResourceRequest};
    /// let request = ResourceRequest::must(2, 30.0).with_demands(Demands::default().with_pack("rack"));
    /// assert_eq!(request.demands().pack.as_deref(), Some("rack"));
    /// ```
    pub fn with_demands(self, demands: Demands) -> Self {
        Self { demands: (!demands.is_empty()).then(|| Arc::new(demands)), ..self }
    }

    /// The number of CPUs that start at the same time, N; at least 1.
    #[inline]
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The work of each task; positive. On a node, the task takes work / speed.
    #[inline]
    pub fn work(&self) -> Work {
        self.work
    }

    /// The demands on features of the nodes and on the start, and the spans of tasks that differ from work / speed;
    /// empty by default.
    pub fn demands(&self) -> &Demands {
        self.demands.as_deref().unwrap_or(&NONE)
    }
}

crate::setters!(ResourceRequest {
    /// Sets the minimum speed of each node.
    with_min_speed: min_speed: Speed,
    /// Sets the price limit of each slot.
    with_price_limit: price_limit: Price => Some,
    /// Sets the budget of the window as a whole.
    with_budget: budget: Money => Some,
    /// Sets the deadline of the window.
    with_deadline: deadline: Time => Some,
    /// Sets the amount of data that must reach the resource before the job starts.
    with_input: input: DataSize,
});

/// A request with its owner, submit time, priority and trade-off factor.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[must_use]
pub struct Job {
    /// The identifier, unique in the batch.
    pub id: JobId,
    /// The request.
    pub request: ResourceRequest,
    /// The owner.
    #[cfg_attr(feature = "serde", serde(default))]
    pub user: UserId,
    /// The instant of submission; the job cannot start earlier.
    #[cfg_attr(feature = "serde", serde(default = "origin"))]
    pub submit: Time,
    /// The priority: jobs of higher priority are served first.
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
    /// Creates a job of user 0, submitted at time 0, with priority 1 and trade-off factor 0.5.
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
    /// Sets the owner.
    with_user: user: UserId,
    /// Sets the submit time.
    with_submit: submit: Time,
    /// Sets the priority.
    with_priority: priority: Priority,
    /// Sets the trade-off factor.
    with_trade_off: trade_off: TradeOff,
});

/// Jobs that are scheduled together, in the order in which they are served.
///
/// ```
/// use sched_model::{Batch, Job, JobId, ResourceRequest};
/// let job = |id| Job::new(JobId(id), ResourceRequest::must(1, 5.0));
/// let batch = Batch::new(vec![job(2), job(1)])?;
/// assert_eq!((batch.len(), batch[0].id), (2, JobId(2)));
/// assert!(Batch::new(vec![job(1), job(1)]).is_err());
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
    /// Creates a batch of `jobs`, to be served in this order.
    ///
    /// # Errors
    /// [`ModelError::RepeatedJob`] if two jobs have the same id.
    pub fn new(jobs: Vec<Job>) -> Result<Self, ModelError> {
        let order = order(jobs.len(), &|a, b| jobs[a].id.cmp(&jobs[b].id));
        let mut pairs = order.windows(2).map(|pair| (pair[0] as usize, pair[1] as usize));
        if let Some((first, second)) = pairs.find(|&(first, second)| jobs[first].id == jobs[second].id) {
            return Err(ModelError::RepeatedJob { job: jobs[first].id, first, second });
        }
        Ok(Self { jobs })
    }
}

impl Deref for Batch {
    type Target = [Job];

    /// The jobs, in order of service.
    fn deref(&self) -> &[Job] {
        &self.jobs
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
