//! Multi-S-Grid: a grid whose machines and links fail, scheduled in time slices by the strategies of its provider.
//!
//! Source: A. Raeisi Gahrouei, M. Ghatee, "Auction-based approximate algorithm for Grid system scheduling
//! under resource provider strategies": the model of section 2 and the simulator of section 4.
//!
//! At the beginning of each time slice the global scheduler ([`GlobalScheduler`]; the paper's is
//! [`Strategy`](econsched::auction_assign::strategy::Strategy)) sends waiting jobs to sites, and the local scheduler of
//! each site ([`LocalScheduler`]; [`LocalRule`](econsched::auction_assign::strategy::LocalRule)) puts them on machines.
//! A job holds one processor from then on: its input is transferred over the slower of two links, then it
//! runs. It is never moved.
//!
//! | fails | lost | until |
//! |---|---|---|
//! | a machine | the jobs on it | it is repaired |
//! | the link of a site | all jobs on the site | it is repaired |
//! | the link of a user | the user's jobs whose input is being transferred | it is repaired; until then the user's waiting jobs stay in the pool |
//! | a user leaves | all the user's jobs | for ever |
//! | a job is withdrawn | the job | for ever |
//!
//! # Readings and deviations
//! - Failures come at exponential intervals, drawn for each component from its own stream, so that a strategy
//!   does not change when a component fails.
//! - The paper does not say how long a repair takes: [`Config::repair`], 10 seconds by default.
//! - Failed jobs leave the system. [`Config::retries`] sends them back to the pool.
//! - By default users do not leave, and jobs are not withdrawn (the paper's `S_j = 0`): see
//!   [`Config::owner_lifetime`] and [`Config::job_lifetime`].
//! - Slices are assigned exactly; [`Config::auction`] gives the paper's auction with a last epsilon.
//! - The paper calls the system preemptive, but the behaviour that it describes is non-preemptive; so is this
//!   one.
//!
//! Grids, users and jobs are drawn from [properties](super::inputs), those of the paper's tables or of files as in its
//! figures 4 to 6.

mod failures;
mod gis;
mod ledger;
mod schedulers;
mod slice;
mod system;

use super::inputs::GridUser;
use super::site::Site;
use econsched::auction_assign::strategy::{LocalRule, Strategy};
use econsched::auction_assign::{Assigner, AssignerKind};
use econsched::grid_sim::internal::{check_count, default_threshold};
use econsched::grid_sim::{JobRecord, LogEntry, Report, SimError};
use econsched::sched_model::{End, Job, JobId, Limit, Meter, Span, Time, UserId};
pub use gis::AssignedJob;
pub(super) use ledger::is_failure;
pub use schedulers::{GlobalScheduler, LocalScheduler, Places, Schedulers, StrategyScheduler, auction};
use std::collections::{BTreeMap, BTreeSet};
use system::System;

econsched::sched_model::settings! {
    /// The configuration of a run of Multi-S-Grid. By default costs are plain times: no strategy, no balancing.
    pub struct Config {
        /// The provider's strategy; its slice is the time slice of the run.
        with_strategy: strategy: Strategy = Strategy::default(),
        /// The rule of the local schedulers; by default the balanced one if the strategy balances, else shortest job
        /// to fastest machine.
        with_local: local: Option<LocalRule> = None,
        /// Maximum number of slices, after which the run ends; 100,000 by default.
        with_slices: slices: u32 = 100_000,
        /// Whether machines and links fail; they do by default.
        with_failures: failures: bool = true,
        /// Length of a repair; `None` if nothing is repaired. 10 by default.
        with_repair: repair: Option<Span> = Some(Span::must(10.0)),
        /// How often a job that was lost to a failure goes back to the pool; 0 by default.
        with_retries: retries: u32 = 0,
        /// Mean of the exponential time that a user stays; `None`, the default, for ever.
        with_owner_lifetime: owner_lifetime: Option<Span> = None,
        /// Mean of the exponential time from its submission after which a job is withdrawn by its owner; `None`, the
        /// default, for never.
        with_job_lifetime: job_lifetime: Option<Span> = None,
        /// The last epsilon of the auction that assigns the slices, as in the paper; `None`, the default, for the
        /// exact method. See [`auction`].
        with_auction: auction: Option<f64> = None,
        /// The time of waiting after which a job has starved; 10 by default.
        with_starving_after: starving_after: Span = Span::must(10.0),
        /// Lower bound on the run time in the bounded slowdown.
        with_threshold: threshold: Span = default_threshold(),
        /// Whether to record each slice and each assignment.
        with_trace: trace: bool = false,
        /// Whether to keep an event log.
        with_log: log: bool = false,
    }
}

/// The record of one time slice.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SliceRecord {
    /// Its start.
    pub at: Time,
    /// Number of jobs in the pool before the schedulers ran.
    pub waiting: usize,
    /// Number of free processors that can be reached, before the schedulers ran.
    pub free: u64,
    /// Number of jobs assigned in this slice.
    pub assigned: usize,
    /// Number of jobs done so far.
    pub done: usize,
    /// Number of jobs lost to failures so far.
    pub lost: usize,
    /// Mean cost (transfer and processing time) of the jobs assigned so far.
    pub mean_cost: f64,
    /// Busy share of the processors of each site after the schedulers ran; `None` if no processor of the site can be
    /// reached.
    pub loads: Vec<Option<f64>>,
    /// Variance of these loads over the sites that have one.
    pub load_variance: f64,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SystemOutcome {
    /// A record for each job, in the order given. For a job that was retried, it is that of its last run.
    pub records: Vec<JobRecord>,
    /// The statistics of the records.
    pub report: Report,
    /// Number of jobs that waited longer than allowed, whether or not they were assigned in the end.
    pub starved: usize,
    /// Mean cost (transfer and processing time) of all assignments.
    pub mean_cost: f64,
    /// Processor time of jobs that were lost.
    pub lost_time: Span,
    /// A record for each slice; empty unless asked for.
    pub slices: Vec<SliceRecord>,
    /// All assignments; empty unless asked for.
    pub assignments: Vec<AssignedJob>,
    /// The event log; empty unless asked for.
    pub log: Vec<LogEntry>,
    /// Number of events served.
    pub events: u64,
    /// When the last event was served.
    pub end: Time,
    /// Why the run stopped early; `None` if it ran to its end.
    pub stopped: Option<End>,
}

/// The pool of jobs. Jobs and their owners are given by their indices in the lists.
pub(super) struct Pool<'a> {
    pub(super) jobs: &'a [Job],
    /// The owner of each job.
    pub(super) owners: Vec<usize>,
    /// Jobs that have not arrived yet, and jobs that wait, each in order of submission.
    coming: BTreeSet<(Time, usize)>,
    waiting: BTreeSet<(Time, usize)>,
}

impl<'a> Pool<'a> {
    pub(super) fn new(jobs: &'a [Job], users: &[GridUser]) -> Result<Self, SimError> {
        check_count("jobs", jobs.len())?;
        let by_id: BTreeMap<UserId, usize> =
            users.iter().enumerate().map(|(at, user)| (user.id, at)).collect();
        let mut owners = Vec::with_capacity(jobs.len());
        let mut seen: BTreeSet<JobId> = BTreeSet::new();
        for job in jobs {
            if !seen.insert(job.id) {
                return Err(SimError::RepeatedJob { job: job.id });
            }
            let owner = by_id.get(&job.user).copied();
            owners.push(owner.ok_or(SimError::UnknownUser { job: job.id, user: job.user })?);
        }
        let coming = jobs.iter().map(|job| job.submit).zip(0..).collect();
        Ok(Self { jobs, owners, coming, waiting: BTreeSet::new() })
    }

    /// Returns the waiting jobs, in order of submission.
    pub(super) fn waiting(&self) -> impl ExactSizeIterator<Item = usize> {
        self.waiting.iter().map(|&(_, job)| job)
    }

    /// Returns when the next job arrives.
    pub(super) fn next_arrival(&self) -> Option<Time> {
        self.coming.first().map(|&(submit, _)| submit)
    }

    /// Takes the next job that has arrived by now; it does not wait yet.
    pub(super) fn take_arrived(&mut self, now: Time) -> Option<usize> {
        self.next_arrival().filter(|&submit| submit <= now)?;
        self.coming.pop_first().map(|(_, job)| job)
    }

    /// Lets the job wait, after those submitted before it.
    pub(super) fn wait(&mut self, job: usize) {
        self.waiting.insert((self.jobs[job].submit, job));
    }

    /// Removes the job from those that wait; returns whether it was among them.
    pub(super) fn remove(&mut self, job: usize) -> bool {
        self.waiting.remove(&(self.jobs[job].submit, job))
    }
}

/// A grid of failing machines and links, scheduled in time slices.
///
/// Failures depend only on seed and replicate, not on the schedulers. The same values give the same result to the
/// byte.
///
/// Time: for each slice in which jobs wait, one assignment of the waiting jobs to the sites; see
/// [`auction_assign`](econsched::auction_assign) for its complexity.
///
/// ```
/// use econsched_studies::multi_s_grid::{GridName, JobProperties, MultiSGrid, UserGroup};
/// use econsched::workload_gen::sample::stream;
/// let mut rng = stream(1, 0);
/// let sites = GridName::G3.properties().generate(&mut rng)?;
/// let users = UserGroup::Users1.properties().generate(&mut rng)?;
/// let jobs = JobProperties::default().with_jobs(200).generate(&users, &mut rng)?;
/// let outcome = MultiSGrid::new(&sites).with_users(&users).with_seed(1).run(&jobs)?;
/// assert_eq!(outcome.report.endings.values().sum::<usize>(), 200); // each job ends in one way
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct MultiSGrid<'a> {
    sites: &'a [Site],
    users: &'a [GridUser],
    config: Config,
    seed: u64,
    replicate: u64,
}

impl<'a> MultiSGrid<'a> {
    /// Creates a grid of these sites, without users, in the default configuration, with seed and replicate 0.
    pub fn new(sites: &'a [Site]) -> Self {
        Self { sites, users: &[], config: Config::default(), seed: 0, replicate: 0 }
    }

    /// Runs these jobs under the strategy and the local rule of the configuration.
    ///
    /// # Errors
    /// [`SimError::RepeatedJob`] and [`SimError::UnknownUser`] for the jobs, [`SimError::OutOfRange`] for a slice of
    /// zero and an epsilon that is not positive, [`SimError::Workload`] for a mean time to failure of zero,
    /// [`SimError::TooMany`] for more than 20 million jobs or failures, [`SimError::TooManyExpected`] if as many
    /// failures are expected in one slice (both repairs and mean times to failure almost zero),
    /// [`SimError::Scheduler`] for a strategy out of range.
    pub fn run(&self, jobs: &[Job]) -> Result<SystemOutcome, SimError> {
        self.run_within(jobs, &mut Limit::none().meter())
    }

    /// As [`run`](Self::run), within the limit of the meter. Work is one unit for each event, and in each slice 2^14
    /// units and one for each waiting job and site. Jobs that are waiting or running when the meter ends are
    /// [`Waiting`](econsched::grid_sim::Ending::Waiting).
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub fn run_within(&self, jobs: &[Job], meter: &mut Meter) -> Result<SystemOutcome, SimError> {
        let balanced =
            if self.config.strategy.balancing { LocalRule::Balanced } else { LocalRule::ShortestFirst };
        let mut local = self.config.local.unwrap_or(balanced);
        let auction = match self.config.auction {
            Some(value) if !(value > 0.0 && value.is_finite()) => {
                let (what, expected) = ("the epsilon of the auction", "positive and finite");
                return Err(SimError::OutOfRange { what, expected, value });
            }
            epsilon => epsilon.map(auction),
        };
        let method = auction.as_ref().map_or(&AssignerKind::Automatic as &dyn Assigner, |auction| auction);
        let mut global = StrategyScheduler { strategy: self.config.strategy, method };
        self.run_under(jobs, Schedulers { global: &mut global, local: &mut local }, meter)
    }

    /// As [`run_within`](Self::run_within), with schedulers of your own. Of the strategy in the configuration, only
    /// the slice is used.
    ///
    /// # Errors
    /// As for [`run`](Self::run), and [`SimError::Scheduler`] for an invalid answer of a scheduler.
    pub fn run_under(
        &self,
        jobs: &[Job],
        schedulers: Schedulers<'_>,
        meter: &mut Meter,
    ) -> Result<SystemOutcome, SimError> {
        if self.config.strategy.slice <= Span::ZERO {
            return Err(SimError::OutOfRange { what: "the time slice", expected: "positive", value: 0.0 });
        }
        System::new(self, jobs, schedulers)?.run(meter)
    }
}

econsched::sched_model::setters!(impl<'a> MultiSGrid<'a> {
    /// Sets the users.
    with_users: users: &'a [GridUser],
    /// Sets the configuration.
    with_config: config: Config,
    /// Sets the seed from which failures are drawn.
    with_seed: seed: u64,
    /// Sets the replicate of the seed, which has its own failures.
    with_replicate: replicate: u64,
});
