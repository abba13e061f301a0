//! The paper's auction, and how much more its plans cost than the minimum possible and than greedy plans.

use super::measures::{Judgement, percent};
use super::simulator::{GlobalScheduler, Places, StrategyScheduler, auction};
use econsched::auction_assign::strategy::{Demand, SiteState, Strategy};
use econsched::auction_assign::{Assigner, AssignerKind};
use econsched::grid_sim::SimError;
use econsched::sched_model::Time;
use econsched::sched_model::internal::ExactSum;

/// The judgement of plans by the exact method.
pub(super) const EXACT: Judgement =
    Judgement { above_optimum: 0.0, near_optimum: 100.0, cheapest_place: 100.0, above_greedy: f64::NAN };

/// A scheduler that plans by the auction, and also solves each slice exactly and by greedy to judge it.
#[derive(Debug)]
pub(super) struct JudgedAuction {
    strategy: Strategy,
    epsilon: f64,
    /// Total cost of the auction's plans, and the minimum total cost, over all slices.
    paid: ExactSum,
    minimum: ExactSum,
    /// Total cost of the auction's plans, and of greedy plans, over the slices of several jobs.
    several: [ExactSum; 2],
    /// Number of slices, and of those whose plan is within n epsilon of the optimum.
    slices: [usize; 2],
    /// Number of slices of one job, and of those in which it gets its cheapest place.
    single: [usize; 2],
}

impl JudgedAuction {
    pub(super) fn new(strategy: Strategy, epsilon: f64) -> Self {
        let [paid, minimum, ours, others] = std::array::from_fn(|_| ExactSum::new());
        Self { strategy, epsilon, paid, minimum, several: [ours, others], slices: [0; 2], single: [0; 2] }
    }

    pub(super) fn measures(&self) -> Judgement {
        let more = |ours: &ExactSum, others: &ExactSum| 100.0 * (ours.value() / others.value() - 1.0);
        Judgement {
            above_optimum: more(&self.paid, &self.minimum),
            near_optimum: percent(self.slices[1], self.slices[0]),
            cheapest_place: percent(self.single[1], self.single[0]),
            above_greedy: more(&self.several[0], &self.several[1]),
        }
    }
}

impl GlobalScheduler for JudgedAuction {
    fn plan(&mut self, _: Time, jobs: &[Demand], sites: &[SiteState]) -> Result<Places, SimError> {
        let strategy = self.strategy;
        let by = |method: &dyn Assigner| StrategyScheduler { strategy, method }.site_plan(jobs, sites);
        let (auction, exact) = (by(&auction(self.epsilon))?, by(&AssignerKind::Automatic)?);
        let (paid, minimum) = (auction.assignment.total, exact.assignment.total);
        if !jobs.is_empty() && !exact.ready.is_empty() {
            let free: f64 = exact.ready.iter().map(|&site| f64::from(exact.offered[site])).sum();
            let n = free.max(jobs.len() as f64);
            // Sums are rounded, so their last bits mean nothing.
            let within = paid <= minimum + n * self.epsilon + 1e-9 * minimum;
            self.slices = [self.slices[0] + 1, self.slices[1] + usize::from(within)];
            if jobs.len() == 1 {
                self.single = [self.single[0] + 1, self.single[1] + usize::from(paid <= minimum)];
            } else {
                self.several[0].add(paid);
                // Greedy: each job in turn takes its cheapest free place.
                self.several[1].add(by(&AssignerKind::Greedy)?.assignment.total);
            }
        }
        self.paid.add(paid);
        self.minimum.add(minimum);
        Ok(auction.sites)
    }
}
