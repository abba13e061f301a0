//! The paper's auction, and how much more its plans cost than the least possible and than those of greedy.

use super::measures::Judgement;
use super::simulator::{AuctionScheduler, GlobalScheduler, Places};
use econsched::auction_assign::strategy::{Demand, SiteState};
use econsched::auction_assign::{AssignError, Assigner, AssignmentProblem, Costs, Coverage, Greedy};
use econsched::grid_sim::SimError;
use econsched::sched_model::Time;
use econsched::sched_model::internal::{ExactSum, exact_sum};

/// The figures of plans by the exact method.
pub(super) const EXACT: Judgement =
    Judgement { above_optimum: 0.0, near_optimum: 100.0, cheapest_place: 100.0, above_greedy: f64::NAN };

/// Plans by the auction, and also solves each slice exactly and by greedy.
#[derive(Debug)]
pub(super) struct JudgedAuction {
    auction: AuctionScheduler,
    /// Costs of the auction's plans, and the least ones, of all slices.
    paid: ExactSum,
    least: ExactSum,
    /// Costs of the auction's plans, and those of greedy, of the slices of several jobs.
    several: [ExactSum; 2],
    /// Slices, and those within n epsilon.
    slices: [u64; 2],
    /// Slices of one job, and those in which it gets its cheapest place.
    single: [u64; 2],
}

fn percent([all, some]: [u64; 2]) -> f64 {
    100.0 * some as f64 / all as f64
}

impl JudgedAuction {
    pub(super) fn new(auction: AuctionScheduler) -> Self {
        let [paid, least, ours, others] = std::array::from_fn(|_| ExactSum::new());
        Self { auction, paid, least, several: [ours, others], slices: [0; 2], single: [0; 2] }
    }

    pub(super) fn measures(&self) -> Judgement {
        let more = |ours: &ExactSum, others: &ExactSum| 100.0 * (ours.value() / others.value() - 1.0);
        Judgement {
            above_optimum: more(&self.paid, &self.least),
            near_optimum: percent(self.slices),
            cheapest_place: percent(self.single),
            above_greedy: more(&self.several[0], &self.several[1]),
        }
    }
}

/// The sum of costs if each job in turn takes its cheapest place that is left.
fn greedy(costs: &[f64], places: &[u32]) -> Result<f64, AssignError> {
    let costs = Costs::dense(costs.len() / places.len(), places.len(), costs)?;
    let problem = AssignmentProblem::new(costs).with_capacities(places).with_coverage(Coverage::MostJobs);
    let answer = Greedy.assign(&problem)?;
    let chosen = answer.best.as_ref().map_or(&[][..], |assignment| &assignment.resources);
    let cost = |(job, site): (usize, &Option<u32>)| costs.get(job, (*site)? as usize);
    Ok(exact_sum(chosen.iter().enumerate().filter_map(cost)))
}

impl GlobalScheduler for JudgedAuction {
    fn plan(&mut self, now: Time, jobs: &[Demand], sites: &[SiteState]) -> Result<Places, SimError> {
        let chosen = self.auction.plan(now, jobs, sites)?;
        let wrong =
            |error: AssignError| SimError::Scheduler { who: "strategy".into(), why: error.to_string() };
        let exact = self.auction.strategy.plan(jobs, sites).map_err(wrong)?;
        let ready: Vec<SiteState> = exact.ready.iter().map(|&site| sites[site]).collect();
        let costs = self.auction.strategy.costs(jobs, &ready).map_err(wrong)?;
        let mut paid = ExactSum::new();
        for (job, site) in chosen.iter().enumerate() {
            let column = site.and_then(|site| exact.ready.iter().position(|&ready| ready == site));
            if let Some(column) = column {
                paid.add(costs[job * ready.len() + column]);
            }
        }
        let (paid, least) = (paid.value(), exact.assignment.total);
        let places: Vec<u32> = exact.ready.iter().map(|&site| exact.offered[site]).collect();
        if !jobs.is_empty() && !places.is_empty() {
            let free: f64 = places.iter().map(|&places| f64::from(places)).sum();
            let n = free.max(jobs.len() as f64);
            // Sums are rounded, so their last bits mean nothing.
            let within = paid <= least + n * self.auction.epsilon + 1e-9 * least;
            self.slices = [self.slices[0] + 1, self.slices[1] + u64::from(within)];
            if jobs.len() == 1 {
                self.single = [self.single[0] + 1, self.single[1] + u64::from(paid <= least)];
            } else {
                self.several[0].add(paid);
                self.several[1].add(greedy(&costs, &places).map_err(wrong)?);
            }
        }
        self.paid.add(paid);
        self.least.add(least);
        Ok(chosen)
    }
}
