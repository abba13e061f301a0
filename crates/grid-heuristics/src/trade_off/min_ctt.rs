//! MinCTT: min-min cost time trade-off.

use super::{ClusterView, Market, ParallelJob, Phi, Reservation, TradeOffHeuristic, TradeOffMetric};
use crate::HeuristicError;
use sched_model::{Meter, Schedule};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// MinCTT: always the job of least metric, at its place of least metric.
///
/// S. K. Garg, R. Buyya, H. J. Siegel, "Scheduling parallel applications on utility grids: time and cost
/// trade-off management", 2009, algorithm 1; the schedule is that of the literal pseudo code
/// (`econsched::testkit::oracle`), ties included. The metric only grows while clusters fill up, so an old one is a
/// lower bound, and a job is examined again only when its bound is the least.
///
/// Its makespans are short. Prefer [`MaxCtt`](crate::MaxCtt) where wide and long jobs should not come last.
///
/// O(n m (f + log n)) for the first look at n jobs on m clusters, with f an earliest fit
/// ([`Profile`](sched_model::Profile)); then O(m + f + log n) for each look. Heuristic. Ties go to the first
/// job, then to the lowest cluster.
///
/// ```
/// use grid_heuristics::{ClusterView, MinCtt, ParallelJob, TradeOffHeuristic, TradeOffMetric};
/// use sched_model::{JobId, Price, Profile, Span, Time, TradeOff};
/// let cluster =
///     |price| ClusterView { price: Price::must(price), free: Profile::new(2, Time::ZERO).unwrap() };
/// let clusters = [cluster(1.0), cluster(2.0)];
/// let job = |id, a, b| ParallelJob::new(JobId(id), 2, [Span::must(a), Span::must(b)]);
/// // All time. Job 1: 8/8 and 8/8; job 2: 4/8 on cluster 0. Job 2 comes first, then job 1 has 12/8 and 8/8.
/// let metric = TradeOffMetric::default().with_factor(TradeOff::must(0.0));
/// let schedule = MinCtt::new(metric).schedule(&clusters, &[job(1, 8.0, 8.0), job(2, 4.0, 12.0)])?;
/// let place = |id| schedule.place_of(JobId(id)).map(|p| (p.resource, p.start.get(), p.cost.get()));
/// assert_eq!(place(2), Some((0, 0.0, 8.0)));
/// assert_eq!(place(1), Some((1, 0.0, 32.0)));
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[must_use]
pub struct MinCtt {
    metric: TradeOffMetric,
}

impl MinCtt {
    /// Measures by this metric.
    pub fn new(metric: TradeOffMetric) -> Self {
        Self { metric }
    }
}

impl TradeOffHeuristic for MinCtt {
    fn name(&self) -> &str {
        "min-ctt"
    }

    fn schedule_metered(
        &self,
        clusters: &[ClusterView],
        jobs: &[ParallelJob],
        meter: &mut Meter,
    ) -> Result<Schedule<Reservation>, HeuristicError> {
        let mut market = Market::new(&self.metric, clusters, jobs, meter)?;
        let mut first = Vec::with_capacity(jobs.len());
        for job in 0..jobs.len() {
            first.extend(market.best(job, meter)?.map(|(phi, _)| Reverse((Phi(phi), job))));
        }
        let mut queue = BinaryHeap::from(first);
        while let Some(Reverse((bound, job))) = queue.pop() {
            // A job without a place now will not get one later.
            let Some((phi, place)) = market.best(job, meter)? else { continue };
            if Phi(phi) == bound {
                market.take(job, place)?;
            } else {
                queue.push(Reverse((Phi(phi), job)));
            }
        }
        market.schedule()
    }
}
