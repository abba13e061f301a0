//! The heuristics: Greedy and Blind Greedy, the cost optimisation of Nimrod-G for parallel jobs and read literally;
//! MinCTT and MaxCTT, min-min and max-min cost time trade-off.

use super::{Market, Reservation, TradeOffHeuristic, TradeOffMetric, TradeOffProblem};
use crate::HeuristicError;
use sched_model::{End, Job, Meter, Schedule};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
/// use grid_heuristics::{ClusterView, TradeOffGreedy, TradeOffHeuristic, TradeOffProblem};
/// use sched_model::{Job, JobId, Price, Profile, ResourceRequest, Speed, Time};
/// let free = Profile::new(2, Time::ZERO)?;
/// let clusters = [ClusterView { speed: Speed::ETALON, price: Price::must(1.0), free }];
/// let job =
///     |id, submit| Job::new(JobId(id), ResourceRequest::must(2, 4.0)).with_submit(Time::must(submit));
/// let jobs = [job(1, 3.0), job(2, 1.0)];
/// let schedule = TradeOffGreedy::default().schedule(&TradeOffProblem::new(&jobs, &clusters))?;
/// let start = |id| schedule.place_of(JobId(id)).map(|p| p.start.get());
/// assert_eq!((start(1), start(2)), (Some(5.0), Some(1.0)));
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[must_use]
pub struct TradeOffGreedy {
    /// What it measures places by.
    pub metric: TradeOffMetric,
}

impl TradeOffHeuristic for TradeOffGreedy {
    fn name(&self) -> &str {
        "greedy"
    }

    fn solve(
        &self,
        problem: &TradeOffProblem<'_>,
        meter: &mut Meter,
    ) -> Result<Schedule<Reservation>, HeuristicError> {
        let market = Market::new(&self.metric, problem, meter)?;
        in_turn(market, problem.jobs, |market, job| Ok(market.best(job, meter)?.map(|(_, place)| place)))
    }
}

/// Jobs in order of arrival, each to its place if it has one.
fn in_turn<'a>(
    mut market: Market<'a>,
    jobs: &[Job],
    mut place: impl FnMut(&mut Market<'a>, usize) -> Result<Option<Reservation>, End>,
) -> Result<Schedule<Reservation>, HeuristicError> {
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|&job| jobs[job].submit);
    for job in order {
        if let Some(place) = place(&mut market, job)? {
            market.take(job, place)?;
        }
    }
    market.schedule()
}

/// Blind Greedy: jobs in order of arrival, each to the cluster of least metric as the clusters were before
/// any of these jobs was placed; there each job waits until it can start.
///
/// S. K. Garg, R. Buyya, H. J. Siegel, "Scheduling parallel applications on utility grids: time and cost
/// trade-off management", 2009, say of Greedy that it does not consider the other applications of an
/// interval. This is the literal reading; [`TradeOffGreedy`](crate::TradeOffGreedy) takes into account what
/// it has placed. Jobs of one submit time keep their order.
///
/// O(n (m f + log n)) time for n jobs on m clusters, with f an earliest fit ([`Profile`](sched_model::Profile));
/// O(n m) space. Heuristic. Ties go to the lowest cluster. A job that has to wait beyond its deadline or the end of its
/// cluster's free time is refused, even if another cluster has a place.
///
/// ```
/// use grid_heuristics::{BlindGreedy, ClusterView, TradeOffHeuristic, TradeOffMetric, TradeOffProblem};
/// use sched_model::{Job, JobId, Price, Profile, ResourceRequest, Speed, Time, TradeOff};
/// let free = Profile::new(2, Time::ZERO)?;
/// let cluster =
///     |speed| ClusterView { speed: Speed::must(speed), price: Price::must(1.0), free: free.clone() };
/// let jobs = [1, 2].map(|id| Job::new(JobId(id), ResourceRequest::must(2, 4.0)));
/// let metric = TradeOffMetric::default().with_factor(TradeOff::must(0.0));
/// let clusters = [cluster(1.0), cluster(0.8)];
/// let schedule = BlindGreedy { metric }.schedule(&TradeOffProblem::new(&jobs, &clusters))?;
/// let place = |id| schedule.place_of(JobId(id)).map(|p| (p.resource, p.start.get()));
/// // For both, cluster 0 counts as free; the second waits there, though it would end at 5 on cluster 1.
/// assert_eq!((place(1), place(2)), (Some((0, 0.0)), Some((0, 4.0))));
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[must_use]
pub struct BlindGreedy {
    /// What it measures places by.
    pub metric: TradeOffMetric,
}

impl TradeOffHeuristic for BlindGreedy {
    fn name(&self) -> &str {
        "blind-greedy"
    }

    fn solve(
        &self,
        problem: &TradeOffProblem<'_>,
        meter: &mut Meter,
    ) -> Result<Schedule<Reservation>, HeuristicError> {
        let market = Market::new(&self.metric, problem, meter)?;
        in_turn(market, problem.jobs, |market, job| Ok(market.blind(job)))
    }
}

/// MaxCTT: always the job of greatest metric, at its place of least metric.
///
/// S. K. Garg, R. Buyya, H. J. Siegel, "Scheduling parallel applications on utility grids: time and cost
/// trade-off management", 2009, algorithm 2; the schedule is that of the literal pseudo code
/// (`tests/all/definitions.rs`), ties included. After a reservation only the jobs whose best place was on that
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
/// use grid_heuristics::{ClusterView, MaxCtt, TradeOffHeuristic, TradeOffMetric, TradeOffProblem};
/// use sched_model::{EtcMatrix, Job, JobId, Price, Profile, ResourceRequest, Speed, Time, TradeOff};
/// let free = Profile::new(2, Time::ZERO)?;
/// let cluster =
///     |price| ClusterView { speed: Speed::ETALON, price: Price::must(price), free: free.clone() };
/// let clusters = [cluster(1.0), cluster(2.0)];
/// let jobs = [1, 2].map(|id| Job::new(JobId(id), ResourceRequest::must(2, 1.0)));
/// let times = EtcMatrix::from_rows(&[[8.0, 8.0], [4.0, 12.0]])?;
/// let problem = TradeOffProblem::new(&jobs, &clusters).with_times(&times);
/// // All time. Job 1: 8/8 and 8/8; job 2: 4/8. Job 1 comes first, on cluster 0; then job 2 has 12/8 on both.
/// let metric = TradeOffMetric::default().with_factor(TradeOff::must(0.0));
/// let schedule = MaxCtt { metric }.schedule(&problem)?;
/// let place = |id| schedule.place_of(JobId(id)).map(|p| (p.resource, p.start.get()));
/// assert_eq!((place(1), place(2)), (Some((0, 0.0)), Some((0, 8.0))));
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[must_use]
pub struct MaxCtt {
    /// What it measures places by.
    pub metric: TradeOffMetric,
}

impl TradeOffHeuristic for MaxCtt {
    fn name(&self) -> &str {
        "max-ctt"
    }

    fn solve(
        &self,
        problem: &TradeOffProblem<'_>,
        meter: &mut Meter,
    ) -> Result<Schedule<Reservation>, HeuristicError> {
        let mut market = Market::new(&self.metric, problem, meter)?;
        // The present value of each job that waits, and the jobs whose best place is on a cluster. Values are not
        // negative, so their bits are in their order.
        let mut current: Vec<Option<u64>> = vec![None; problem.jobs.len()];
        let mut drawn_to: Vec<Vec<usize>> = vec![vec![]; problem.clusters.len()];
        let mut queue = BinaryHeap::new();
        let mut look_at: Vec<usize> = (0..problem.jobs.len()).collect();
        loop {
            for job in look_at.drain(..) {
                let best = market.best(job, meter)?;
                let phi = best.map(|(phi, _)| phi.to_bits());
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

/// MinCTT: always the job of least metric, at its place of least metric.
///
/// S. K. Garg, R. Buyya, H. J. Siegel, "Scheduling parallel applications on utility grids: time and cost
/// trade-off management", 2009, algorithm 1; the schedule is that of the literal pseudo code
/// (`tests/all/definitions.rs`), ties included. The metric only grows while clusters fill up, so an old one is a
/// lower bound, and a job is examined again only when its bound is the least.
///
/// Its makespans are short. Prefer [`MaxCtt`](crate::MaxCtt) where wide and long jobs should not come last.
///
/// O(n m (f + log n)) for the first look at n jobs on m clusters, with f an earliest fit
/// ([`Profile`](sched_model::Profile)); then O(m + f + log n) for each look. Heuristic. Ties go to the first
/// job, then to the lowest cluster.
///
/// ```
/// use grid_heuristics::{ClusterView, MinCtt, TradeOffHeuristic, TradeOffMetric, TradeOffProblem};
/// use sched_model::{EtcMatrix, Job, JobId, Price, Profile, ResourceRequest, Speed, Time, TradeOff};
/// let free = Profile::new(2, Time::ZERO)?;
/// let cluster =
///     |price| ClusterView { speed: Speed::ETALON, price: Price::must(price), free: free.clone() };
/// let clusters = [cluster(1.0), cluster(2.0)];
/// let jobs = [1, 2].map(|id| Job::new(JobId(id), ResourceRequest::must(2, 1.0)));
/// let times = EtcMatrix::from_rows(&[[8.0, 8.0], [4.0, 12.0]])?;
/// let problem = TradeOffProblem::new(&jobs, &clusters).with_times(&times);
/// // All time. Job 1: 8/8 and 8/8; job 2: 4/8 on cluster 0. Job 2 comes first, then job 1 has 12/8 and 8/8.
/// let metric = TradeOffMetric::default().with_factor(TradeOff::must(0.0));
/// let schedule = MinCtt { metric }.schedule(&problem)?;
/// let place = |id| schedule.place_of(JobId(id)).map(|p| (p.resource, p.start.get(), p.cost.get()));
/// assert_eq!(place(2), Some((0, 0.0, 8.0)));
/// assert_eq!(place(1), Some((1, 0.0, 32.0)));
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[must_use]
pub struct MinCtt {
    /// What it measures places by.
    pub metric: TradeOffMetric,
}

impl TradeOffHeuristic for MinCtt {
    fn name(&self) -> &str {
        "min-ctt"
    }

    fn solve(
        &self,
        problem: &TradeOffProblem<'_>,
        meter: &mut Meter,
    ) -> Result<Schedule<Reservation>, HeuristicError> {
        let mut market = Market::new(&self.metric, problem, meter)?;
        let mut first = Vec::with_capacity(problem.jobs.len());
        for job in 0..problem.jobs.len() {
            first.extend(market.best(job, meter)?.map(|(phi, _)| Reverse((phi.to_bits(), job))));
        }
        let mut queue = BinaryHeap::from(first);
        while let Some(Reverse((bound, job))) = queue.pop() {
            // A job without a place now will not get one later.
            let Some((phi, place)) = market.best(job, meter)? else { continue };
            if phi.to_bits() == bound {
                market.take(job, place)?;
            } else {
                queue.push(Reverse((phi.to_bits(), job)));
            }
        }
        market.schedule()
    }
}
