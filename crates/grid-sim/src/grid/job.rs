//! Jobs of a grid, their places, and the trait of schedulers that choose the places.

use crate::SimError;
use crate::cluster::LocalJob;
use crate::error::require;
use sched_model::{Job, JobId, Machine, Profile, ResourceRequest, Schedule, Span, Speed, Time, Work};
use std::collections::BTreeMap;

/// A job for a broker: a job of the model, its expected time on each resource, and the share of that time that it
/// really takes.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct GridJob {
    /// The job: owner, submission, CPUs (`request.nodes()`), work, limits, trade-off factor. Only a
    /// [live broker](crate::Grid::run_live) supports [demands](ResourceRequest::demands);
    /// [`Grid::run`](crate::Grid::run) refuses a job that has any.
    pub job: Job,
    /// Its expected time on each resource, in the order of the resources, none of them zero: its row of an ETC
    /// matrix. `None` stands for work / speed.
    pub times: Option<Vec<Span>>,
    /// The share of its time that it really takes, in `[0, 1e6]`: below 1 it ends early; above 1 it is not done at
    /// the end of its time.
    pub actual_share: f64,
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(remote = "GridJob", rename = "GridJob", deny_unknown_fields)]
struct GridJobForm {
    job: Job,
    #[serde(default)]
    times: Option<Vec<Span>>,
    #[serde(default = "whole")]
    actual_share: f64,
}

#[cfg(feature = "serde")]
sched_model::serde_checked!(GridJob as GridJobForm);

#[cfg(feature = "serde")]
fn whole() -> f64 {
    1.0
}

impl From<Job> for GridJob {
    /// Creates a job that takes work / speed on each resource, and uses all of that time.
    fn from(job: Job) -> Self {
        Self { job, times: None, actual_share: 1.0 }
    }
}

impl GridJob {
    /// Converts a job of a log to a job for a broker: its work is its requested time on a CPU of this speed, and it
    /// runs for the share of the requested time that it ran in the log, but at most for all of it.
    ///
    /// # Errors
    /// [`SimError::Model`] for work or a number of CPUs that no request can have.
    ///
    /// ```
    /// use grid_sim::{GridJob, LocalJob};
    /// use sched_model::*;
    /// let job = LocalJob::new(JobId(1), Time::ZERO, 4, Span::must(100.0), Span::must(25.0))?;
    /// let made = GridJob::of_local(&job, Speed::must(2.0))?;
    /// assert_eq!((made.cpus(), made.job.request.work(), made.actual_share), (4, Work::must(200.0), 0.25));
    /// # Ok::<(), grid_sim::SimError>(())
    /// ```
    pub fn of_local(job: &LocalJob, speed: Speed) -> Result<Self, SimError> {
        let requested = job.requested.get();
        let request = ResourceRequest::new(job.cpus as usize, Work::try_from(requested * speed.get())?)?;
        let made = Job::new(job.id, request).with_user(job.user).with_submit(job.submit);
        Ok(Self::from(made).with_actual_share((job.actual.get() / requested).min(1.0)))
    }

    /// Checks the job for a grid with this number of machines.
    ///
    /// # Errors
    /// [`SimError::OutOfRange`] for a share or a time outside its range, [`SimError::Length`] for expected times on
    /// another number of machines.
    pub(crate) fn check(&self, machines: usize) -> Result<(), SimError> {
        self.check_range()?;
        let what = || format!("the expected times of job {}", self.job.id);
        match self.times.as_ref().map_or(machines, Vec::len) {
            got if got == machines => Ok(()),
            got => Err(SimError::Length { what: what(), expected: machines, got }),
        }
    }

    /// Checks the jobs, and returns the index of each in the list, by its identifier.
    ///
    /// # Errors
    /// [`SimError::RepeatedJob`] for an identifier that occurs twice, and those of [`check`](Self::check).
    pub(crate) fn places(jobs: &[Self], machines: usize) -> Result<BTreeMap<JobId, usize>, SimError> {
        let mut places = BTreeMap::new();
        for (at, job) in jobs.iter().enumerate() {
            if places.insert(job.job.id, at).is_some() {
                return Err(SimError::RepeatedJob { job: job.job.id });
            }
            job.check(machines)?;
        }
        Ok(places)
    }

    #[cfg(feature = "serde")]
    fn checked(self) -> Result<Self, SimError> {
        self.check_range().map(|()| self)
    }

    fn check_range(&self) -> Result<(), SimError> {
        let (share, what) = (self.actual_share, "the share of its time that a job takes");
        require((0.0..=1e6).contains(&share), what, "in [0, 1e6]", share)?;
        let mut times = self.times.iter().flatten().map(|time| time.get());
        times.try_for_each(|time| require(time > 0.0, "the expected time of a job", "positive", time))
    }

    /// Returns the number of CPUs that it needs at once; `u32::MAX` stands for any larger number, too.
    #[must_use]
    pub fn cpus(&self) -> u32 {
        u32::try_from(self.job.request.nodes()).unwrap_or(u32::MAX)
    }

    /// Returns its expected time on `machine`, the resource with this index in the grid.
    ///
    /// # Panics
    /// If expected times are given, and there is none for `resource`.
    pub fn time_on(&self, resource: usize, machine: &Machine) -> Span {
        match &self.times {
            Some(times) => times[resource],
            None => self.job.request.work() / machine.speed,
        }
    }
}

sched_model::setters!(GridJob {
    /// Sets its expected time on each resource.
    with_times: times: Vec<Span> => Some,
    /// Sets the share of its time that it really takes.
    with_actual_share: actual_share: f64,
});

/// CPUs of one resource, held from the start of the [`GridPlace`] on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PlacePart {
    /// Index of the resource in the grid, from 0.
    pub resource: usize,
    /// Number of CPUs.
    pub cpus: u32,
    /// How long they are held.
    pub span: Span,
}

/// Where and when a job runs: CPUs of one or more resources, all from one start.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[must_use]
pub struct GridPlace {
    /// The start of all parts.
    pub start: Time,
    /// At least one part; no resource occurs twice.
    pub parts: Vec<PlacePart>,
}

/// A resource as the scheduler sees it at the end of a schedule interval.
#[derive(Debug, Clone, Copy)]
pub struct Offer<'a> {
    /// Its speed, price and number of CPUs.
    pub machine: &'a Machine,
    /// Its free CPUs over time from the present on, without those of local jobs, promises and reservations.
    pub free: &'a Profile,
}

/// The trait of a broker's schedulers, which decide at the end of each schedule interval where and when jobs run.
///
/// A scheduler may place a job, refuse it for ever, or leave it out of the schedule. A job that is left out waits for
/// the next interval. Places are checked when they are reserved.
///
/// ```
/// use grid_sim::{BatchScheduler, Grid, GridJob, GridPlace, Offer, PlacePart, Resource, SimError};
/// use sched_model::*;
///
/// /// Places each job in turn on the resource on which it starts first.
/// #[derive(Debug)]
/// struct FirstStart;
/// impl BatchScheduler for FirstStart {
///     fn name(&self) -> &str { "first start" }
///     fn schedule(&mut self, now: Time, jobs: &[&GridJob], offers: &[Offer<'_>])
///         -> Result<Schedule<GridPlace>, SimError>
///     {
///         let mut free: Vec<Profile> = offers.iter().map(|offer| offer.free.clone()).collect();
///         let mut schedule = Schedule::default();
///         for job in jobs {
///             let starts = offers.iter().zip(&free).enumerate().filter_map(|(at, (offer, free))| {
///                 Some((free.earliest_fit(job.cpus(), job.time_on(at, offer.machine), now)?, at))
///             });
///             match starts.min() {
///                 Some((start, at)) => {
///                     let (cpus, span) = (job.cpus(), job.time_on(at, offers[at].machine));
///                     free[at].reserve(start, start + span, cpus)?;
///                     let parts = vec![PlacePart { resource: at, cpus, span }];
///                     schedule.decide(job.job.id, Ok(GridPlace { start, parts }))?;
///                 }
///                 None => schedule.decide(job.job.id, Err(Refusal::NoCapacity))?,
///             }
///         }
///         Ok(schedule)
///     }
/// }
///
/// let machine = |id, speed, price| Machine::new(MachineId(id), 2, Speed::must(speed), Price::must(price));
/// let resources = vec![
///     Resource::new(SiteId(0), "slow", machine(0, 1.0, 1.0)?),
///     Resource::new(SiteId(1), "fast", machine(1, 2.0, 3.0)?),
/// ];
/// let job = |id| Ok::<_, SimError>(GridJob::from(Job::new(
///     JobId(id), ResourceRequest::new(2, Work::must(100.0))?)));
/// let jobs = [job(1)?, job(2)?];
/// let outcome = Grid::new(resources).run(&jobs, &mut FirstStart, &mut Limit::none().meter())?;
/// assert_eq!(outcome.report.cost, Money::must(500.0)); // 2 * 100 * 1 + 2 * 50 * 3
/// assert_eq!(outcome.report.makespan, Span::must(100.0));
/// # Ok::<(), SimError>(())
/// ```
pub trait BatchScheduler: Send + Sync + std::fmt::Debug {
    /// Its name, as shown in tables and messages.
    fn name(&self) -> &str;

    /// Decides at `now` about the waiting jobs. The offers are in the order of the resources.
    ///
    /// # Errors
    /// Any error that prevents a decision; it ends the simulation.
    fn schedule(
        &mut self,
        now: Time,
        jobs: &[&GridJob],
        offers: &[Offer<'_>],
    ) -> Result<Schedule<GridPlace>, SimError>;
}
