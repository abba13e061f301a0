//! Trade-off of cost against time for parallel jobs on clusters: the meta-broker's heuristics.

pub(crate) mod heuristics;
pub(crate) mod market;
mod metric;

use crate::HeuristicError;
pub use metric::{Averages, TradeOffMetric};
use sched_model::{
    EtcMatrix, Job, Limit, Machine, Meter, ModelError, Money, Price, Profile, Schedule, Span, Speed, Time,
};
use std::fmt::Debug;

/// What the meta-broker knows of a cluster: the speed and price of a CPU, and the free CPUs over time.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[must_use]
pub struct ClusterView {
    /// Work per unit of time of a CPU.
    pub speed: Speed,
    /// Money per CPU and unit of time.
    pub price: Price,
    /// Its free CPUs over time; nothing is placed before the profile starts.
    pub free: Profile,
}

impl ClusterView {
    /// A machine with all CPUs free from `start` on.
    pub fn of_machine(machine: &Machine, start: Time) -> Self {
        Self { speed: machine.speed, price: machine.price, free: Profile::new(machine.cpus(), start) }
    }
}

/// Jobs that each take several CPUs of one cluster at once, and the clusters.
///
/// A job takes work / speed, or the time that is given for it on the cluster; it runs on clusters of at least its
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
    /// These jobs on these clusters.
    pub fn new(jobs: &'a [Job], clusters: &'a [ClusterView]) -> Self {
        Self { jobs, clusters, times: None }
    }

    /// One job as it is placed.
    fn asked(&self, at: usize) -> Result<Asked<'a>, HeuristicError> {
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
        Ok(Asked { job, cpus, times })
    }
}

sched_model::setters!(impl<'a> TradeOffProblem<'a> {
    /// The same jobs, which take these times.
    with_times: times: &'a EtcMatrix => Some,
});

/// A job with its CPUs and its time on each cluster; `None` where it cannot run.
pub(crate) struct Asked<'a> {
    job: &'a Job,
    cpus: u32,
    times: Vec<Option<Span>>,
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
        problem: &TradeOffProblem<'_>,
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
    /// [`HeuristicError::NoResource`] for jobs without a cluster, [`HeuristicError::TooMany`] for a job of more
    /// than `u32::MAX` CPUs, [`HeuristicError::Model`] for times of another shape than jobs x clusters, or two jobs
    /// of one id.
    fn schedule(&self, problem: &TradeOffProblem<'_>) -> Result<Schedule<Reservation>, HeuristicError> {
        self.solve(problem, &mut Limit::none().meter())
    }
}
