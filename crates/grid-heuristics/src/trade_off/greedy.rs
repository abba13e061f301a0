//! Greedy: the cost optimisation of Nimrod-G, for parallel jobs.

use super::{ClusterView, Market, ParallelJob, Reservation, TradeOffHeuristic, TradeOffMetric};
use crate::HeuristicError;
use sched_model::{Meter, Schedule};

/// Greedy: jobs in order of arrival, each to its place of least metric.
///
/// The baseline of S. K. Garg, R. Buyya, H. J. Siegel, "Scheduling parallel applications on utility grids:
/// time and cost trade-off management", 2009, after D. Abramson, R. Buyya, J. Giddy, "A computational economy
/// for grid computing and its implementation in the Nimrod-G resource broker", 2002. Jobs of one submit time
/// keep their order. For a job at a time see [`TradeOffMetric::best`].
///
/// O(n m f + n log n) for n jobs on m clusters, with f an earliest fit ([`Profile`](sched_model::Profile)).
/// Heuristic. Ties go to the lowest cluster.
///
/// ```
/// use grid_heuristics::{ClusterView, TradeOffGreedy, ParallelJob, TradeOffHeuristic, TradeOffMetric};
/// use sched_model::{JobId, Price, Profile, Span, Time, TradeOff};
/// let clusters = [ClusterView { price: Price::must(1.0), free: Profile::new(2, Time::ZERO)? }];
/// let job = |id, submit| ParallelJob::new(JobId(id), 2, [Span::must(4.0)]).with_submit(Time::must(submit));
/// let schedule = TradeOffGreedy::default().schedule(&clusters, &[job(1, 3.0), job(2, 1.0)])?;
/// let start = |id| schedule.place_of(JobId(id)).map(|p| p.start.get());
/// assert_eq!((start(1), start(2)), (Some(5.0), Some(1.0)));
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[must_use]
pub struct TradeOffGreedy {
    metric: TradeOffMetric,
}

impl TradeOffGreedy {
    /// Measures by this metric.
    pub fn new(metric: TradeOffMetric) -> Self {
        Self { metric }
    }
}

impl TradeOffHeuristic for TradeOffGreedy {
    fn name(&self) -> &str {
        "greedy"
    }

    fn schedule_metered(
        &self,
        clusters: &[ClusterView],
        jobs: &[ParallelJob],
        meter: &mut Meter,
    ) -> Result<Schedule<Reservation>, HeuristicError> {
        let mut market = Market::new(&self.metric, clusters, jobs, meter)?;
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        order.sort_by_key(|&job| jobs[job].submit);
        for job in order {
            if let Some((_, place)) = market.best(job, meter)? {
                market.take(job, place)?;
            }
        }
        market.schedule()
    }
}
