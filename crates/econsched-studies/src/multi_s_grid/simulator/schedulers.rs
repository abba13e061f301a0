//! The traits of the two levels of scheduling: the choice of a site, and the choice of a machine of the site.

use econsched::auction_assign::strategy::{Demand, FreeMachine, LocalRule, SitePlan, SiteState, Strategy};
use econsched::auction_assign::{AssignError, Assigner, Auction};
use econsched::grid_sim::SimError;
use econsched::sched_model::{Time, Work};

/// For each job an index, of a site or of a machine; `None` for jobs that get none.
pub type Places = Vec<Option<usize>>;

/// A global scheduler, which sends waiting jobs to sites at the beginning of each time slice.
///
/// [`StrategyScheduler`] is the one of the paper; implement this trait for a scheduler of your own.
pub trait GlobalScheduler: Send + Sync + std::fmt::Debug {
    /// Returns the index in `sites` of each job's site; `None` for jobs that continue to wait. No site may get more
    /// jobs than it has free processors.
    ///
    /// # Errors
    /// Any error that prevents a decision; it ends the simulation.
    fn plan(&mut self, now: Time, jobs: &[Demand], sites: &[SiteState]) -> Result<Places, SimError>;
}

/// A global scheduler that minimises the costs of a strategy by `method`: exactly, or by an [`auction`].
#[derive(Debug, Clone, Copy)]
pub struct StrategyScheduler<'a> {
    /// The strategy, which determines the costs of jobs on sites.
    pub strategy: Strategy,
    /// The method that minimises the sum of costs.
    pub method: &'a dyn Assigner,
}

impl StrategyScheduler<'_> {
    pub(in super::super) fn site_plan(
        &self,
        jobs: &[Demand],
        sites: &[SiteState],
    ) -> Result<SitePlan, SimError> {
        self.strategy.plan(jobs, sites, self.method).map_err(|error| failed("strategy", &error))
    }
}

impl GlobalScheduler for StrategyScheduler<'_> {
    fn plan(&mut self, _: Time, jobs: &[Demand], sites: &[SiteState]) -> Result<Places, SimError> {
        Ok(self.site_plan(jobs, sites)?.sites)
    }
}

/// Returns the method of the paper: an auction whose last epsilon, in the unit of costs, is `epsilon` rounded down to
/// a power of two.
///
/// The sum of costs is within `n * epsilon` of the minimum, for n jobs and processors together. An epsilon so small
/// that it vanishes in the rounding of the costs gives the minimum sum; a larger epsilon takes fewer bids.
pub fn auction(epsilon: f64) -> Auction {
    Auction::default().with_last_epsilon(epsilon).with_closing(false)
}

/// A local scheduler, which places the jobs of a site on its machines.
pub trait LocalScheduler: Send + Sync + std::fmt::Debug {
    /// Returns the index in `machines` of each job's machine; `None` sends the job back to the pool.
    ///
    /// # Errors
    /// As for [`GlobalScheduler::plan`].
    fn place(&mut self, jobs: &[Work], machines: &[FreeMachine]) -> Result<Places, SimError>;
}

impl LocalScheduler for LocalRule {
    fn place(&mut self, jobs: &[Work], machines: &[FreeMachine]) -> Result<Places, SimError> {
        LocalRule::place(*self, jobs, machines).map_err(|error| failed("local rule", &error))
    }
}

/// The schedulers of both levels.
#[derive(Debug)]
pub struct Schedulers<'a> {
    /// Chooses the site.
    pub global: &'a mut dyn GlobalScheduler,
    /// Chooses the machine.
    pub local: &'a mut dyn LocalScheduler,
}

fn failed(who: &str, error: &AssignError) -> SimError {
    SimError::Scheduler { who: who.to_owned(), why: error.to_string() }
}
