//! MaxCTT: max-min cost time trade-off.

use super::{ClusterView, Market, ParallelJob, Phi, Reservation, TradeOffHeuristic, TradeOffMetric};
use crate::HeuristicError;
use sched_model::{Meter, Schedule};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// MaxCTT: always the job of greatest metric, at its place of least metric.
///
/// S. K. Garg, R. Buyya, H. J. Siegel, "Scheduling parallel applications on utility grids: time and cost
/// trade-off management", 2009, algorithm 2; the schedule is that of the literal pseudo code
/// (`econsched::testkit::oracle`), ties included. After a reservation only the jobs whose best place was on that
/// cluster are examined again.
///
/// Its schedules are less fragmented than those of [`MinCtt`](crate::MinCtt): jobs that are hard to place are
/// placed first.
///
/// O(n m (f + log n)) for the first look at n jobs on m clusters, with f an earliest fit
/// ([`Profile`](sched_model::Profile)); then O(m + f + log n) for each look, n/m looks after each choice if
/// the jobs spread evenly. Heuristic. Ties go to the first job, then to the lowest cluster.
///
/// ```
/// use grid_heuristics::{ClusterView, MaxCtt, ParallelJob, TradeOffHeuristic, TradeOffMetric};
/// use sched_model::{JobId, Price, Profile, Span, Time, TradeOff};
/// let cluster =
///     |price| ClusterView { price: Price::must(price), free: Profile::new(2, Time::ZERO).unwrap() };
/// let clusters = [cluster(1.0), cluster(2.0)];
/// let job = |id, a, b| ParallelJob::new(JobId(id), 2, [Span::must(a), Span::must(b)]);
/// // All time. Job 1: 8/8 and 8/8; job 2: 4/8. Job 1 comes first, on cluster 0; then job 2 has 12/8 on both.
/// let metric = TradeOffMetric::default().with_factor(TradeOff::must(0.0));
/// let schedule = MaxCtt::new(metric).schedule(&clusters, &[job(1, 8.0, 8.0), job(2, 4.0, 12.0)])?;
/// let place = |id| schedule.place_of(JobId(id)).map(|p| (p.resource, p.start.get()));
/// assert_eq!((place(1), place(2)), (Some((0, 0.0)), Some((0, 8.0))));
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[must_use]
pub struct MaxCtt {
    metric: TradeOffMetric,
}

impl MaxCtt {
    /// Measures by this metric.
    pub fn new(metric: TradeOffMetric) -> Self {
        Self { metric }
    }
}

impl TradeOffHeuristic for MaxCtt {
    fn name(&self) -> &str {
        "max-ctt"
    }

    fn schedule_metered(
        &self,
        clusters: &[ClusterView],
        jobs: &[ParallelJob],
        meter: &mut Meter,
    ) -> Result<Schedule<Reservation>, HeuristicError> {
        let mut market = Market::new(&self.metric, clusters, jobs, meter)?;
        // The present value of each job that waits, and the jobs whose best place is on a cluster.
        let mut current: Vec<Option<Phi>> = vec![None; jobs.len()];
        let mut drawn_to: Vec<Vec<usize>> = vec![vec![]; clusters.len()];
        let mut queue = BinaryHeap::new();
        let mut look_at: Vec<usize> = (0..jobs.len()).collect();
        loop {
            for job in look_at.drain(..) {
                let best = market.best(job, meter)?;
                let phi = best.map(|(phi, _)| Phi(phi));
                if let (Some(phi), true) = (phi, phi != current[job]) {
                    queue.push((phi, Reverse(job)));
                }
                current[job] = phi;
                if let Some((_, place)) = best {
                    drawn_to[place.resource].push(job);
                }
            }
            let Some((phi, Reverse(job))) = queue.pop() else { break };
            // Else the entry is one of an earlier look.
            if current[job] == Some(phi) {
                let Some((_, place)) = market.best(job, meter)? else { continue };
                market.take(job, place)?;
                current[job] = None;
                look_at.append(&mut drawn_to[place.resource]);
                look_at.retain(|&job| current[job].is_some());
            }
        }
        market.schedule()
    }
}
