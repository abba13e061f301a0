//! Trade-off of cost against time for parallel jobs on clusters: the meta-broker's heuristics.

mod heuristics;
mod market;
mod metric;

use crate::HeuristicError;
pub use heuristics::{BlindGreedy, MaxCtt, MinCtt, TradeOffGreedy};
pub(crate) use market::Market;
pub use metric::{Averages, TradeOffMetric};
use sched_model::{Job, JobId, Limit, Machine, Meter, Money, Price, Profile, Schedule, Span, Time, TradeOff};
use std::fmt::Debug;

/// What the meta-broker knows of a cluster: the price of a CPU, and the free CPUs over time.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[must_use]
pub struct ClusterView {
    /// Money per CPU and unit of time.
    pub price: Price,
    /// Its free CPUs over time; nothing is placed before the profile starts.
    pub free: Profile,
}

impl ClusterView {
    /// A machine with all CPUs free from `start` on.
    pub fn of_machine(machine: &Machine, start: Time) -> Self {
        Self { price: machine.price, free: Profile::of_machine(machine, start) }
    }
}

/// A job that takes several CPUs of one cluster at once.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[must_use]
pub struct ParallelJob {
    /// Its identifier, unique among the jobs scheduled together.
    pub id: JobId,
    /// CPUs it takes, p; at least 1.
    pub cpus: u32,
    /// How long it takes on each cluster; `None` where it cannot run.
    pub times: Vec<Option<Span>>,
    /// When it was submitted: it does not start before, and its response time counts from here.
    pub submit: Time,
    /// Weight of cost against time, where the metric leaves that to the job.
    pub trade_off: TradeOff,
    /// The most it may cost.
    pub budget: Option<Money>,
    /// The latest instant at which it may end.
    pub deadline: Option<Time>,
}

impl ParallelJob {
    /// A job submitted at time 0, of trade-off factor 0.5, without budget or deadline, that takes `times[j]`
    /// on cluster j.
    pub fn new(id: JobId, cpus: u32, times: impl IntoIterator<Item = Span>) -> Self {
        Self {
            id,
            cpus,
            times: times.into_iter().map(Some).collect(),
            submit: Time::ZERO,
            trade_off: TradeOff::must(0.5),
            budget: None,
            deadline: None,
        }
    }

    /// A job of the model on these machines: it takes work / speed on those that are fast enough.
    ///
    /// Its price limit, input and demands are ignored.
    ///
    /// # Errors
    /// [`HeuristicError::TooMany`] if it takes more than `u32::MAX` CPUs.
    pub fn of_job(job: &Job, machines: &[Machine]) -> Result<Self, HeuristicError> {
        let request = &job.request;
        let cpus = u32::try_from(request.nodes())
            .map_err(|_| HeuristicError::TooMany { limit: u32::MAX as usize, given: request.nodes() })?;
        let time =
            |machine: &Machine| (machine.speed >= request.min_speed).then(|| request.span_on(machine.speed));
        Ok(Self {
            id: job.id,
            cpus,
            times: machines.iter().map(time).collect(),
            submit: job.submit,
            trade_off: job.trade_off,
            budget: request.budget,
            deadline: request.deadline,
        })
    }

    /// The same job with this submission time.
    pub fn with_submit(self, submit: Time) -> Self {
        Self { submit, ..self }
    }

    /// The same job of this trade-off factor.
    pub fn with_trade_off(self, trade_off: TradeOff) -> Self {
        Self { trade_off, ..self }
    }
}

/// CPUs of a cluster held for a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Reservation {
    /// The cluster, as an index.
    pub resource: usize,
    /// CPUs held.
    pub cpus: u32,
    /// The start.
    pub start: Time,
    /// The end.
    pub end: Time,
    /// What is paid: price * CPUs * time on the cluster.
    pub cost: Money,
}

/// Places parallel jobs on clusters. Object-safe; the registered ones are listed in
/// [`TradeOffKind`](crate::TradeOffKind).
pub trait TradeOffHeuristic: Debug + Send + Sync {
    /// Its name; that of [`TradeOffKind`](crate::TradeOffKind) for the registered ones.
    fn name(&self) -> &str;

    /// Schedules with the work and memory that the meter allows. One unit is one look at a job's place on a cluster.
    /// A schedule is whole or there is none.
    ///
    /// # Errors
    /// [`HeuristicError::Stopped`] if a limit came first; else as for [`schedule`](Self::schedule).
    fn solve(
        &self,
        clusters: &[ClusterView],
        jobs: &[ParallelJob],
        meter: &mut Meter,
    ) -> Result<Schedule<Reservation>, HeuristicError>;

    /// A reservation for each job, or the reason why it has none, without a limit. The clusters are not changed:
    /// the caller makes the reservations.
    ///
    /// A job has no place if it is wider than every cluster
    /// ([`Refusal::TooWide`](sched_model::Refusal::TooWide)), or cannot run on any cluster, or on all that
    /// are wide enough is too expensive ([`Refusal::Budget`](sched_model::Refusal::Budget)), or too late with
    /// all other jobs in place ([`Refusal::Deadline`](sched_model::Refusal::Deadline)), or the clusters close
    /// before ([`Refusal::Horizon`](sched_model::Refusal::Horizon)).
    ///
    /// # Errors
    /// [`HeuristicError::Times`] for a job that does not state as many times as there are clusters,
    /// [`HeuristicError::NoResource`] for jobs without a cluster, [`HeuristicError::Model`] for a job of no
    /// CPU or two jobs of one id.
    fn schedule(
        &self,
        clusters: &[ClusterView],
        jobs: &[ParallelJob],
    ) -> Result<Schedule<Reservation>, HeuristicError> {
        self.solve(clusters, jobs, &mut Limit::none().meter())
    }
}
