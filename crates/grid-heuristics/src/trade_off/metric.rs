//! The trade-off metric, and the earliest place of a job on a cluster.

use super::{ClusterView, Reservation, TimedJob, TradeOffProblem};
use sched_model::{Money, Span, Time, TradeOff};

/// The clusters over which the average time and cost of a job are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Averages {
    /// The clusters on which the job can run and that have enough CPUs for it.
    #[default]
    Fitting,
    /// All clusters on which the job can run, even those with too few CPUs: the published form, m(t).
    All,
}

/// The trade-off metric phi: the weighted sum of the cost and the response time of a job, each divided by its average
/// for the job.
///
/// phi(i, j) = d * c(i, j) / gamma_i + (1 - d) * alpha(i, j) / beta_i for job i on cluster j, with c = price * CPUs *
/// time, alpha the response time (end less submit), gamma_i and beta_i the averages of c and of the time over the
/// clusters, and d the trade-off factor: 0 counts time only, 1 cost only. S. K. Garg, R. Buyya, H. J. Siegel,
/// "Scheduling parallel applications on utility grids: time and cost trade-off management", 2009, equation 1.
/// An average of zero counts as 1 (the paper leaves this open), and a quotient beyond the range of `f64` as
/// [`f64::MAX`]: phi is always finite.
///
/// ```
/// use grid_heuristics::{ClusterView, TradeOffMetric, TradeOffProblem};
/// use sched_model::{Job, JobId, Price, Profile, ResourceRequest, Speed, Time, TradeOff};
/// let cluster = |speed, price| ClusterView {
///     speed: Speed::must(speed),
///     price: Price::must(price),
///     free: Profile::new(4, Time::ZERO),
/// };
/// let clusters = [cluster(1.0, 1.0), cluster(3.0, 3.0)];
/// // Two CPUs: 30 on the cheap cluster for 60, 10 on the expensive one for 60.
/// let jobs = [Job::new(JobId(1), ResourceRequest::must(2, 30.0))];
/// let problem = TradeOffProblem::new(&jobs, &clusters);
/// // All time: 30 / 20 against 10 / 20. The expensive cluster is chosen.
/// let found = TradeOffMetric::default().with_factor(TradeOff::must(0.0)).best(&problem, 0);
/// let (place, phi) = found.unwrap();
/// assert_eq!((place.resource, phi), (1, 0.5));
/// // All cost: 60 / 60 on both. The lower index is chosen.
/// let found = TradeOffMetric::default().with_factor(TradeOff::must(1.0)).best(&problem, 0);
/// let (place, phi) = found.unwrap();
/// assert_eq!((place.resource, phi), (0, 1.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[must_use]
pub struct TradeOffMetric {
    /// One factor for all jobs; `None` for each job's own.
    pub factor: Option<TradeOff>,
    /// The clusters over which averages are taken.
    pub averages: Averages,
}

impl TradeOffMetric {
    /// Sets one factor for all jobs, instead of each job's own.
    pub fn with_factor(self, factor: TradeOff) -> Self {
        Self { factor: Some(factor), ..self }
    }

    /// Sets the clusters over which averages are taken.
    pub fn with_averages(self, averages: Averages) -> Self {
        Self { averages, ..self }
    }

    /// Returns the place of minimum phi for the job of index `job`, and phi (immediate mode). Ties go to the lowest
    /// cluster, then to the earliest start. `None` if the job has no place, or the problem is malformed.
    ///
    /// # Panics
    /// May panic if there is no such job, like the indexing of a slice.
    pub fn best(&self, problem: &TradeOffProblem<'_>, job: usize) -> Option<(Reservation, f64)> {
        let job = problem.timed_job(job).ok()?;
        self.scale(problem.clusters, &job).best(problem.clusters, &job)
    }

    /// Computes the trade-off factor and the averages of one job.
    pub(crate) fn scale(&self, clusters: &[ClusterView], job: &TimedJob<'_>) -> Scale {
        let counts = |cluster: &ClusterView| match self.averages {
            Averages::Fitting => job.cpus <= cluster.free.cpus(),
            Averages::All => true,
        };
        let (mut count, mut times, mut costs) = (0.0, 0.0, 0.0);
        for (cluster, time) in clusters.iter().zip(&job.times) {
            if let Some(time) = time.filter(|_| counts(cluster)) {
                count += 1.0;
                times += time.get();
                costs += cost(cluster, job, time).get();
            }
        }
        // The average of a positive total may round to zero.
        let average = |total: f64| Some(total / count).filter(|&average| average > 0.0).unwrap_or(1.0);
        let factor = self.factor.unwrap_or(job.job.trade_off).get();
        Scale { factor, time: average(times), cost: average(costs) }
    }
}

/// The trade-off factor of one job, and its average time and cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    factor: f64,
    time: f64,
    cost: f64,
}

impl Scale {
    pub(crate) fn phi(&self, job: &TimedJob<'_>, place: &Reservation) -> f64 {
        let response = (place.end - job.job.submit).get();
        // Each quotient is at most `f64::MAX` and the weights add up to 1, so phi is finite.
        let units = |value: f64, average: f64| (value / average).min(f64::MAX);
        self.factor * units(place.cost.get(), self.cost) + (1.0 - self.factor) * units(response, self.time)
    }

    /// Returns the place of minimum phi, and phi.
    pub(crate) fn best(&self, clusters: &[ClusterView], job: &TimedJob<'_>) -> Option<(Reservation, f64)> {
        let mut best: Option<(Reservation, f64)> = None;
        for (resource, cluster) in clusters.iter().enumerate() {
            let Some(place) = earliest(resource, cluster, job, job.job.submit) else { continue };
            let phi = self.phi(job, &place);
            if best.is_none_or(|(_, lowest)| phi < lowest) {
                best = Some((place, phi));
            }
        }
        best
    }
}

/// Returns the cost of a job on a cluster: the exact sum of the equal charges of its CPUs, rounded once.
fn cost(cluster: &ClusterView, job: &TimedJob<'_>, time: Span) -> Money {
    let charge = cluster.price * time;
    Money::try_from(charge.get() * f64::from(job.cpus)).unwrap_or_else(|_| {
        // The product is beyond what `Money` accepts from a number, but a sum may be larger. Doubling is exact.
        let doubled = std::iter::successors(Some(charge), |&power| Some(power + power));
        let powers = doubled.zip(0..u32::BITS).filter(|(_, bit)| job.cpus >> bit & 1 == 1);
        powers.map(|(power, _)| power).sum()
    })
}

/// Why a job has no place on a cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum NoPlace {
    CannotRun,
    TooWide,
    TooExpensive { short_by: Money },
    Closed { time: Span },
    TooLate { late_by: Span },
}

/// Returns the earliest place of a job on a cluster, not before `from`. On one cluster the cost does not depend on the
/// start, so the earliest place has the minimum phi.
pub(super) fn place_on(
    resource: usize,
    cluster: &ClusterView,
    job: &TimedJob<'_>,
    from: Time,
) -> Result<Reservation, NoPlace> {
    let time = job.times[resource].ok_or(NoPlace::CannotRun)?;
    if job.cpus > cluster.free.cpus() {
        return Err(NoPlace::TooWide);
    }
    let cost = cost(cluster, job, time);
    if let Some(budget) = job.job.request.budget.filter(|&budget| cost > budget) {
        return Err(NoPlace::TooExpensive { short_by: cost - budget });
    }
    let start = cluster.free.earliest_fit(job.cpus, time, from).ok_or(NoPlace::Closed { time })?;
    let end = start + time;
    if let Some(deadline) = job.job.request.deadline.filter(|&deadline| end > deadline) {
        return Err(NoPlace::TooLate { late_by: end - deadline });
    }
    Ok(Reservation { resource, cpus: job.cpus, start, end, cost })
}

pub(super) fn earliest(
    resource: usize,
    cluster: &ClusterView,
    job: &TimedJob<'_>,
    from: Time,
) -> Option<Reservation> {
    place_on(resource, cluster, job, from).ok()
}
