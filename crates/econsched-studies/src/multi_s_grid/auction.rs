//! The paper's auction, and how much dearer its plans are than the least.

use econsched::auction_assign::strategy::{Demand, SiteState};
use econsched::grid_sim::SimError;
use econsched::grid_sim::multi_s_grid::{AuctionScheduler, GlobalScheduler};
use econsched::sched_model::{ExactSum, Time};

/// Plans by the auction, and solves each slice exactly as well.
#[derive(Debug)]
pub(super) struct JudgedAuction {
    auction: AuctionScheduler,
    /// Costs of the auction's plans, and the least ones, of all slices.
    paid: ExactSum,
    least: ExactSum,
}

impl JudgedAuction {
    pub(super) fn new(auction: AuctionScheduler) -> Self {
        Self { auction, paid: ExactSum::new(), least: ExactSum::new() }
    }

    /// By how much the auction's plans cost more than the least, in per cent; NaN if nothing was planned.
    pub(super) fn dearer_percent(&self) -> f64 {
        100.0 * (self.paid.value() / self.least.value() - 1.0)
    }
}

impl GlobalScheduler for JudgedAuction {
    fn name(&self) -> &str {
        self.auction.name()
    }

    fn plan(
        &mut self,
        now: Time,
        jobs: &[Demand],
        sites: &[SiteState],
    ) -> Result<Vec<Option<usize>>, SimError> {
        let chosen = self.auction.plan(now, jobs, sites)?;
        let wrong = |error: econsched::auction_assign::AssignError| SimError::Scheduler {
            who: "strategy".into(),
            why: error.to_string(),
        };
        let exact = self.auction.strategy.plan(jobs, sites).map_err(wrong)?;
        let ready: Vec<SiteState> = exact.ready.iter().map(|&site| sites[site]).collect();
        let costs = self.auction.strategy.costs(jobs, &ready).map_err(wrong)?;
        for (job, site) in chosen.iter().enumerate() {
            let column = site.and_then(|site| exact.ready.iter().position(|&ready| ready == site));
            if let Some(column) = column {
                self.paid.add(costs.row(job)[column]);
            }
        }
        self.least.add(exact.outcome.solution.total);
        Ok(chosen)
    }
}
