//! The simulation and its settings.

use super::super::inputs::GridUser;
use super::system::System;
use super::{AuctionScheduler, Config, Schedulers, SystemOutcome};
use econsched::auction_assign::strategy::{LocalRule, Strategy};
use econsched::grid_sim::SimError;
use econsched::sched_model::{Job, Limit, Meter, Site, Span};

/// A grid of failing machines and links, scheduled in time slices.
///
/// Failures depend on seed and replicate only, not on the schedulers. The same values give the same result to
/// the byte.
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
    /// A grid of these sites, without users, in the usual configuration, with seed and replicate 0.
    pub fn new(sites: &'a [Site]) -> Self {
        Self { sites, users: &[], config: Config::default(), seed: 0, replicate: 0 }
    }

    /// Runs these jobs under the strategy and the local rule of the configuration.
    ///
    /// # Errors
    /// [`SimError::RepeatedJob`] and [`SimError::UnknownUser`] for the jobs, [`SimError::OutOfRange`] for a
    /// slice of zero and an epsilon that is not positive, [`SimError::Workload`] for a mean time to failure
    /// of zero, [`SimError::TooMany`] for more than [`MOST_JOBS`](econsched::grid_sim::MOST_JOBS) failures,
    /// [`SimError::TooManyExpected`] where as many are expected in one slice (both repairs and mean times to
    /// failure almost zero), [`SimError::Scheduler`] for a strategy out of range.
    pub fn run(&self, jobs: &[Job]) -> Result<SystemOutcome, SimError> {
        self.run_within(jobs, &mut Limit::none().meter())
    }

    /// As [`run`](Self::run), within the limit of the meter. Work is one unit for each event, and
    /// [`Meter::POLL`] and one for each waiting job and site in each slice. Jobs that still wait or run then
    /// are [`Waiting`](econsched::grid_sim::Ending::Waiting).
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub fn run_within(&self, jobs: &[Job], meter: &mut Meter) -> Result<SystemOutcome, SimError> {
        let balanced =
            if self.config.strategy.balancing { LocalRule::Balanced } else { LocalRule::ShortestFirst };
        let mut strategy: Strategy = self.config.strategy;
        let mut local = self.config.local.unwrap_or(balanced);
        match self.config.auction {
            Some(epsilon) => {
                if !(epsilon > 0.0 && epsilon.is_finite()) {
                    let (what, expected) = ("the epsilon of the auction", "positive and finite");
                    return Err(SimError::OutOfRange { what, expected, value: epsilon });
                }
                let mut auction = AuctionScheduler { strategy, epsilon };
                self.simulate(jobs, Schedulers { global: &mut auction, local: &mut local }, meter)
            }
            None => self.simulate(jobs, Schedulers { global: &mut strategy, local: &mut local }, meter),
        }
    }

    /// As [`run`](Self::run), with schedulers of your own. Of the strategy of the configuration only the
    /// slice is used.
    ///
    /// # Errors
    /// As for [`run`](Self::run), and [`SimError::Scheduler`] for a bad answer of a scheduler.
    pub fn run_under(&self, jobs: &[Job], schedulers: Schedulers<'_>) -> Result<SystemOutcome, SimError> {
        self.simulate(jobs, schedulers, &mut Limit::none().meter())
    }

    fn simulate(
        &self,
        jobs: &[Job],
        schedulers: Schedulers<'_>,
        meter: &mut Meter,
    ) -> Result<SystemOutcome, SimError> {
        if self.config.strategy.slice <= Span::ZERO {
            return Err(SimError::OutOfRange { what: "the time slice", expected: "positive", value: 0.0 });
        }
        let system = System::new(self.sites, self.users, jobs, &self.config, schedulers)?;
        system.run((self.seed, self.replicate), meter)
    }
}

econsched::sched_model::setters!(impl<'a> MultiSGrid<'a> {
    /// The same with these users.
    with_users: users: &'a [GridUser],
    /// The same in this configuration.
    with_config: config: Config,
    /// The same with failures drawn from this seed.
    with_seed: seed: u64,
    /// The same with the failures of this replicate of the seed.
    with_replicate: replicate: u64,
});
