//! Heuristics of a meta-broker that trade off cost against time for parallel jobs on clusters.

pub(crate) mod heuristics;
pub(crate) mod market;
mod metric;

use crate::HeuristicError;
pub use metric::{Averages, TradeOffMetric};
use sched_model::{
    EtcMatrix, Job, Limit, Machine, Meter, ModelError, Money, Price, Profile, Schedule, Span, Speed, Time,
};
use std::fmt::Debug;

/// A cluster as the meta-broker sees it: the speed and price of a CPU, and the free CPUs over time.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[must_use]
pub struct ClusterView {
    /// Work per unit of time of a CPU.
    pub speed: Speed,
    /// Money per CPU and unit of time.
    pub price: Price,
    /// The free CPUs over time; no job starts before the profile does.
    pub free: Profile,
}

impl ClusterView {
    /// Returns the view of a machine with all CPUs free from `start` on.
    pub fn of_machine(machine: &Machine, start: Time) -> Self {
        Self { speed: machine.speed, price: machine.price, free: Profile::new(machine.cpus(), start) }
    }
}

/// Jobs that each take one or more CPUs of one cluster at once, and the clusters.
///
/// A job takes work / speed on a cluster, or the time given in `times`; it can run only on clusters of at least its
/// minimum speed. Its price limit, input and demands are ignored.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
#[must_use]
pub struct TradeOffProblem<'a> {
    /// The jobs.
    pub jobs: &'a [Job],
    /// The clusters.
    pub clusters: &'a [ClusterView],
    /// How long each job (row) takes on each cluster (column); `None` for work / speed.
    pub times: Option<&'a EtcMatrix>,
}

impl<'a> TradeOffProblem<'a> {
    /// Creates the problem in which a job takes work / speed on a cluster.
    pub fn new(jobs: &'a [Job], clusters: &'a [ClusterView]) -> Self {
        Self { jobs, clusters, times: None }
    }

    /// Returns the job of index `at` with its CPUs and times.
    ///
    /// # Errors
    /// As for [`TradeOffHeuristic::schedule`], for the times and CPUs.
    fn timed_job(&self, at: usize) -> Result<TimedJob<'a>, HeuristicError> {
        if let Some(etc) =
            self.times.filter(|etc| (etc.rows(), etc.cols()) != (self.jobs.len(), self.clusters.len()))
        {
            let (rows, cols) = (self.jobs.len(), self.clusters.len());
            return Err(ModelError::Shape { rows, cols, values: etc.values().len() }.into());
        }
        let (job, request) = (&self.jobs[at], &self.jobs[at].request);
        let cpus = u32::try_from(request.nodes())
            .map_err(|_| HeuristicError::TooMany { limit: u32::MAX as usize, given: request.nodes() })?;
        let time = |(on, cluster): (usize, &ClusterView)| {
            let given = self.times.map(|etc| Span::try_from(etc[at][on]));
            let time = given.unwrap_or_else(|| Ok(request.work() / cluster.speed));
            time.map(|time| (cluster.speed >= request.min_speed).then_some(time))
        };
        let times = self.clusters.iter().enumerate().map(time).collect::<Result<_, _>>()?;
        Ok(TimedJob { job, cpus, times })
    }
}

sched_model::setters!(impl<'a> TradeOffProblem<'a> {
    /// Sets the time of each job (row) on each cluster (column).
    with_times: times: &'a EtcMatrix => Some,
});

/// A job with its CPUs and its time on each cluster; `None` where it cannot run.
pub(crate) struct TimedJob<'a> {
    job: &'a Job,
    cpus: u32,
    times: Vec<Option<Span>>,
}

/// CPUs of a cluster that are reserved for a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Reservation {
    /// The index of the cluster.
    pub resource: usize,
    /// The number of CPUs.
    pub cpus: u32,
    /// The start.
    pub start: Time,
    /// The end.
    pub end: Time,
    /// The cost: price * CPUs * time on the cluster.
    pub cost: Money,
}

/// A heuristic that places parallel jobs on clusters. Object-safe; the registered heuristics are listed in
/// [`TradeOffKind`](crate::TradeOffKind).
pub trait TradeOffHeuristic: Debug + Send + Sync {
    /// The name of the heuristic; for a registered one that in [`TradeOffKind`](crate::TradeOffKind).
    fn name(&self) -> &str;

    /// Schedules all jobs within the work and memory that the meter allows; there is no partial schedule. One unit of
    /// work is one look at the place of a job on a cluster.
    ///
    /// # Errors
    /// [`HeuristicError::Stopped`] if the meter ended the heuristic; otherwise as for [`schedule`](Self::schedule).
    fn solve(
        &self,
        problem: &TradeOffProblem<'_>,
        meter: &mut Meter,
    ) -> Result<Schedule<Reservation>, HeuristicError>;

    /// Returns a reservation for each job, or the reason why it has none, without a limit. The clusters are not
    /// changed: the caller makes the reservations.
    ///
    /// The reason is that of the cluster on which the job came closest to a place, with all other jobs in place: it
    /// would end after its deadline ([`Refusal::Deadline`](sched_model::Refusal::Deadline)); the free time of the
    /// cluster ends before it has enough CPUs for long enough ([`Refusal::Horizon`](sched_model::Refusal::Horizon));
    /// the cost exceeds its budget ([`Refusal::Budget`](sched_model::Refusal::Budget)); the cluster has too few CPUs
    /// ([`Refusal::TooWide`](sched_model::Refusal::TooWide)); or it is slower than the minimum speed of the job
    /// ([`Refusal::TooFewNodes`](sched_model::Refusal::TooFewNodes)).
    /// [`Refusal::NoCapacity`](sched_model::Refusal::NoCapacity) says that other clusters have a place, but not the
    /// only one that the heuristic considered ([`BlindGreedy`](crate::TradeOffKind::BlindGreedy)).
    ///
    /// # Errors
    /// [`HeuristicError::NoResource`] for jobs without a cluster, [`HeuristicError::TooMany`] for a job of more
    /// than `u32::MAX` CPUs, [`HeuristicError::Model`] if the shape of `times` is not jobs x clusters, or two jobs have
    /// the same id.
    fn schedule(&self, problem: &TradeOffProblem<'_>) -> Result<Schedule<Reservation>, HeuristicError> {
        self.solve(problem, &mut Limit::none().meter())
    }
}
