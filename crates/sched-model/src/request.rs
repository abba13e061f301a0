//! What a job asks for, and jobs, batches and users.

use crate::{
    DataSize, JobId, ModelError, Money, Price, Priority, Qos, Span, Speed, Time, TradeOff, UserId, Work,
};

/// What a job asks for: `nodes` CPUs at once, each at least `min_speed` fast, each to do `work`.
///
/// Limits are optional and all hold together where a search supports them: a price limit per slot (what ALP reads), a
/// budget for the window as a whole (what AMP reads, or derives from the price limit), a deadline for its finish.
///
/// ```
/// use sched_model::{Money, Price, ResourceRequest, Speed, Span, Time, Work};
/// let request = ResourceRequest::new(3, Work::must(60.0))?
///     .with_min_speed(Speed::must(1.5))
///     .with_price_limit(Price::must(2.0))
///     .with_deadline(Time::must(500.0));
/// assert_eq!(request.span_on(Speed::must(2.0)), Span::must(30.0));
/// assert_eq!(request.budget_for(0.8), Some(Money::must(288.0))); // rho * C * t * N = 0.8 * 2 * 60 * 3
/// # Ok::<(), sched_model::ModelError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "RawRequest"))]
pub struct ResourceRequest {
    nodes: usize,
    min_speed: Speed,
    work: Work,
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    price_limit: Option<Price>,
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    budget: Option<Money>,
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    deadline: Option<Time>,
    input: DataSize,
}

#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[cfg_attr(not(feature = "serde"), allow(dead_code))]
struct RawRequest {
    nodes: usize,
    #[cfg_attr(feature = "serde", serde(default = "any_speed"))]
    min_speed: Speed,
    work: Work,
    #[cfg_attr(feature = "serde", serde(default))]
    price_limit: Option<Price>,
    #[cfg_attr(feature = "serde", serde(default))]
    budget: Option<Money>,
    #[cfg_attr(feature = "serde", serde(default))]
    deadline: Option<Time>,
    #[cfg_attr(feature = "serde", serde(default = "no_input"))]
    input: DataSize,
}

fn any_speed() -> Speed {
    Speed::must(crate::MIN_SPEED)
}

#[cfg(feature = "serde")]
fn no_input() -> DataSize {
    DataSize::ZERO
}

impl TryFrom<RawRequest> for ResourceRequest {
    type Error = ModelError;
    fn try_from(raw: RawRequest) -> Result<Self, ModelError> {
        Ok(Self {
            min_speed: raw.min_speed,
            price_limit: raw.price_limit,
            budget: raw.budget,
            deadline: raw.deadline,
            input: raw.input,
            ..Self::new(raw.nodes, raw.work)?
        })
    }
}

impl ResourceRequest {
    /// A request for `nodes` CPUs of any speed and price, each to do `work`.
    ///
    /// # Errors
    /// [`ModelError::Zero`] for no node, [`ModelError::OutOfRange`] for no work.
    pub fn new(nodes: usize, work: Work) -> Result<Self, ModelError> {
        if nodes == 0 {
            return Err(ModelError::Zero { what: "nodes of a request" });
        }
        if work <= Work::ZERO {
            return Err(ModelError::OutOfRange {
                what: "the work of a request",
                expected: "(0, 1e60]",
                value: work.get(),
            });
        }
        Ok(Self {
            nodes,
            min_speed: any_speed(),
            work,
            price_limit: None,
            budget: None,
            deadline: None,
            input: DataSize::ZERO,
        })
    }

    /// Only nodes at least this fast.
    #[must_use]
    pub fn with_min_speed(self, min_speed: Speed) -> Self {
        Self { min_speed, ..self }
    }

    /// Only slots at most this dear.
    #[must_use]
    pub fn with_price_limit(self, price_limit: Price) -> Self {
        Self { price_limit: Some(price_limit), ..self }
    }

    /// The window as a whole costs at most this.
    #[must_use]
    pub fn with_budget(self, budget: Money) -> Self {
        Self { budget: Some(budget), ..self }
    }

    /// The window has finished by then.
    #[must_use]
    pub fn with_deadline(self, deadline: Time) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    /// Data that must reach the resource before the job starts.
    #[must_use]
    pub fn with_input(self, input: DataSize) -> Self {
        Self { input, ..self }
    }

    /// CPUs that must start at once, N; at least 1.
    #[inline]
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Least speed of each.
    #[inline]
    #[must_use]
    pub fn min_speed(&self) -> Speed {
        self.min_speed
    }

    /// Work of each task; positive.
    #[inline]
    #[must_use]
    pub fn work(&self) -> Work {
        self.work
    }

    /// Greatest price of one slot, C.
    #[inline]
    #[must_use]
    pub fn price_limit(&self) -> Option<Price> {
        self.price_limit
    }

    /// Greatest cost of the window, where given outright.
    #[inline]
    #[must_use]
    pub fn budget(&self) -> Option<Money> {
        self.budget
    }

    /// Latest finish of the window.
    #[inline]
    #[must_use]
    pub fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// Data to be transferred before the start.
    #[inline]
    #[must_use]
    pub fn input(&self) -> DataSize {
        self.input
    }

    /// How long a task takes on a node of this speed: work / speed.
    #[inline]
    #[must_use]
    pub fn span_on(&self, speed: Speed) -> Span {
        self.work / speed
    }

    /// The budget of the window: as given; else S = rho * C * t * N from the price limit C, with t the span on the
    /// etalon (V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov: Resource Selection Algorithms for Economic
    /// Scheduling in Distributed Systems, 2011, sections 3 and 6); `None` where neither limit is set.
    #[must_use]
    pub fn budget_for(&self, rho: f64) -> Option<Money> {
        self.budget.or_else(|| {
            let etalon_span = self.span_on(Speed::ETALON);
            // `nodes` is a count, far below 2^53.
            let value = rho * self.price_limit?.get() * etalon_span.get() * self.nodes as f64;
            Some(Money::unchecked(value))
        })
    }
}

/// A request with its owner and its place in time and rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Job {
    /// Its identifier, unique in its batch.
    pub id: JobId,
    /// What it asks for.
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
    /// Weight of cost against time: 0 is all time, 1 all cost.
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
    #[must_use]
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

    /// The same job of this user.
    #[must_use]
    pub fn with_user(self, user: UserId) -> Self {
        Self { user, ..self }
    }

    /// The same job, submitted then.
    #[must_use]
    pub fn with_submit(self, submit: Time) -> Self {
        Self { submit, ..self }
    }

    /// The same job of this priority.
    #[must_use]
    pub fn with_priority(self, priority: Priority) -> Self {
        Self { priority, ..self }
    }

    /// The same job of this trade-off factor.
    #[must_use]
    pub fn with_trade_off(self, trade_off: TradeOff) -> Self {
        Self { trade_off, ..self }
    }
}

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
pub struct Batch {
    jobs: Vec<Job>,
}

impl Batch {
    /// A batch of these jobs, in this order.
    ///
    /// # Errors
    /// [`ModelError::RepeatedJob`] if two carry one id.
    pub fn new(jobs: Vec<Job>) -> Result<Self, ModelError> {
        let mut ids: Vec<(JobId, usize)> = jobs.iter().enumerate().map(|(at, job)| (job.id, at)).collect();
        ids.sort_unstable();
        if let Some(pair) = ids.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(ModelError::RepeatedJob { job: pair[0].0, first: pair[0].1, second: pair[1].1 });
        }
        Ok(Self { jobs })
    }

    /// The jobs, in order of service.
    #[must_use]
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// The jobs, in order of service.
    pub fn iter(&self) -> std::slice::Iter<'_, Job> {
        self.jobs.iter()
    }

    /// Number of jobs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// The same jobs, greater priority first; ties by submit time, then by id.
    #[must_use]
    pub fn by_priority(mut self) -> Self {
        self.jobs.sort_by_key(|job| (std::cmp::Reverse(job.priority), job.submit, job.id));
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
pub struct User {
    /// The identifier that jobs refer to.
    pub id: UserId,
    /// For reports.
    pub name: String,
    /// What all the user's jobs together may cost; `None` for no limit.
    #[cfg_attr(feature = "serde", serde(default))]
    pub budget: Option<Money>,
    /// The quality of service that the user is entitled to: greater is better served.
    pub qos: Qos,
}

impl User {
    /// A user of quality of service 1 without a budget.
    #[must_use]
    pub fn new(id: UserId, name: impl Into<String>) -> Self {
        Self { id, name: name.into(), budget: None, qos: Qos::must(1.0) }
    }

    /// The same user with this budget.
    #[must_use]
    pub fn with_budget(self, budget: Money) -> Self {
        Self { budget: Some(budget), ..self }
    }

    /// The same user with this quality of service.
    #[must_use]
    pub fn with_qos(self, qos: Qos) -> Self {
        Self { qos, ..self }
    }
}
