//! Blind Greedy: the cost optimisation of Nimrod-G, read literally.

use super::market::{check, schedule_of};
use super::{ClusterView, ParallelJob, Reservation, TradeOffHeuristic, TradeOffMetric};
use crate::HeuristicError;
use sched_model::{Meter, Schedule};

/// Blind Greedy: jobs in order of arrival, each to the cluster of least metric as the clusters were before
/// any of these jobs was placed; there each job waits until it can start.
///
/// S. K. Garg, R. Buyya, H. J. Siegel, "Scheduling parallel applications on utility grids: time and cost
/// trade-off management", 2009, say of Greedy that it does not consider the other applications of an
/// interval. This is the literal reading; [`TradeOffGreedy`](crate::TradeOffGreedy) takes into account what
/// it has placed. Jobs of one submit time keep their order.
///
/// O(n (m f + log n)) for n jobs on m clusters, with f an earliest fit ([`Profile`](sched_model::Profile)).
/// Heuristic. Ties go to the lowest cluster. A job that has to wait beyond its deadline or the end of its
/// cluster's free time is refused, even if another cluster has a place.
///
/// ```
/// use grid_heuristics::{BlindGreedy, ClusterView, ParallelJob, TradeOffHeuristic, TradeOffMetric};
/// use sched_model::{JobId, Price, Profile, Span, Time, TradeOff};
/// let cluster = || ClusterView { price: Price::must(1.0), free: Profile::new(2, Time::ZERO).unwrap() };
/// let job = |id| ParallelJob::new(JobId(id), 2, [Span::must(4.0), Span::must(5.0)]);
/// let metric = TradeOffMetric::default().with_factor(TradeOff::must(0.0));
/// let schedule = BlindGreedy::new(metric).schedule(&[cluster(), cluster()], &[job(1), job(2)])?;
/// let place = |id| schedule.place_of(JobId(id)).map(|p| (p.resource, p.start.get()));
/// // For both, cluster 0 counts as free; the second waits there, though it would end at 5 on cluster 1.
/// assert_eq!((place(1), place(2)), (Some((0, 0.0)), Some((0, 4.0))));
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[must_use]
pub struct BlindGreedy {
    metric: TradeOffMetric,
}

impl BlindGreedy {
    /// Measures by this metric.
    pub fn new(metric: TradeOffMetric) -> Self {
        Self { metric }
    }
}

impl TradeOffHeuristic for BlindGreedy {
    fn name(&self) -> &str {
        "blind-greedy"
    }

    fn schedule_metered(
        &self,
        clusters: &[ClusterView],
        jobs: &[ParallelJob],
        meter: &mut Meter,
    ) -> Result<Schedule<Reservation>, HeuristicError> {
        check(clusters, jobs)?;
        let mut filled = clusters.to_vec();
        let mut taken: Vec<Option<Reservation>> = vec![None; jobs.len()];
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        order.sort_by_key(|&job| jobs[job].submit);
        for at in order {
            let job = &jobs[at];
            meter.spend(clusters.len() as u64)?;
            let Some((seen, _)) = self.metric.best(clusters, job) else { continue };
            let cluster = &mut filled[seen.resource];
            // No CPUs were freed since, so no start is earlier than the one found before.
            let Some(place) = super::metric::earliest(seen.resource, cluster, job, seen.start) else {
                continue;
            };
            if place.end > place.start {
                cluster.free.reserve(place.start, place.end, place.cpus)?;
            }
            taken[at] = Some(place);
        }
        schedule_of(&filled, jobs, &taken)
    }
}
