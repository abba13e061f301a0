//! The state of a schedule under construction, with the earliest known place of each job on each cluster.

use super::metric::{NoPlace, Scale, earliest, place_on};
use super::{ClusterView, Reservation, TimedJob, TradeOffMetric, TradeOffProblem};
use crate::HeuristicError;
use sched_model::{End, JobId, Meter, ModelError, Refusal, Schedule, Span};

/// The earliest place of a job on a cluster, as last computed.
#[derive(Debug, Clone, Copy)]
struct Offer {
    /// The metric of the place; infinite if there is none. Clusters only fill up, so phi only grows: that of an old
    /// offer is a lower bound.
    phi: f64,
    place: Option<Reservation>,
    /// The version of the cluster when the offer was computed.
    version: u32,
}

/// The clusters with all reservations made so far, and an [`Offer`] for each job on each cluster.
pub(crate) struct Market<'a> {
    jobs: Vec<TimedJob<'a>>,
    clusters: Vec<ClusterView>,
    /// The number of reservations made on each cluster.
    versions: Vec<u32>,
    scales: Vec<Scale>,
    /// Jobs x clusters.
    offers: Vec<Offer>,
    /// The place of each job that has been placed.
    taken: Vec<Option<Reservation>>,
}

impl<'a> Market<'a> {
    pub(crate) fn new(
        metric: &TradeOffMetric,
        problem: &TradeOffProblem<'a>,
        meter: &mut Meter,
    ) -> Result<Self, HeuristicError> {
        check(problem)?;
        let clusters = problem.clusters;
        let pairs = problem.jobs.len().saturating_mul(clusters.len());
        meter.reserve_items::<(Offer, Option<Span>)>(pairs)?;
        meter.spend(pairs as u64)?;
        let jobs =
            (0..problem.jobs.len()).map(|job| problem.timed_job(job)).collect::<Result<Vec<_>, _>>()?;
        let scales: Vec<Scale> = jobs.iter().map(|job| metric.scale(clusters, job)).collect();
        let offer = |(job, scale): (&TimedJob<'_>, &Scale), resource: usize| {
            let place = earliest(resource, &clusters[resource], job, job.job.submit);
            Offer { phi: place.map_or(f64::INFINITY, |place| scale.phi(job, &place)), place, version: 0 }
        };
        let rows = jobs.iter().zip(&scales);
        let offers = rows.flat_map(|row| (0..clusters.len()).map(move |resource| offer(row, resource)));
        Ok(Self {
            clusters: clusters.to_vec(),
            versions: vec![0; clusters.len()],
            offers: offers.collect(),
            scales,
            taken: vec![None; jobs.len()],
            jobs,
        })
    }

    /// Returns the present place of a job on the cluster that was its best before any job was placed. The offers must
    /// be those of then: [`best`](Self::best) must not have been called.
    pub(crate) fn blind(&self, job: usize) -> Option<Reservation> {
        let row = job * self.clusters.len();
        let offers = &self.offers[row..row + self.clusters.len()];
        let (resource, phi) = crate::etc::mapping::first_min(offers.iter().map(|offer| offer.phi))?;
        self.renewed(job, &offers[resource].place?, phi).place
    }

    /// Returns the present place of minimum phi for a job, and phi; `None` if it has no place. Ties go to the lowest
    /// cluster.
    ///
    /// An offer is computed again only if its phi is the minimum and the cluster has changed since.
    pub(crate) fn best(&mut self, job: usize, meter: &mut Meter) -> Result<Option<(f64, Reservation)>, End> {
        let row = job * self.clusters.len();
        loop {
            meter.spend(self.clusters.len() as u64)?;
            let phis = self.offers[row..row + self.clusters.len()].iter().map(|offer| offer.phi);
            let Some((resource, phi)) = crate::etc::mapping::first_min(phis) else { return Ok(None) };
            let Some(place) = self.offers[row + resource].place else { return Ok(None) };
            if self.offers[row + resource].version == self.versions[resource] {
                return Ok(Some((phi, place)));
            }
            self.offers[row + resource] = self.renewed(job, &place, phi);
        }
    }

    fn renewed(&self, job: usize, old: &Reservation, old_phi: f64) -> Offer {
        let cluster = &self.clusters[old.resource];
        let version = self.versions[old.resource];
        if cluster.free.min_free(old.start, old.end) >= old.cpus {
            return Offer { phi: old_phi, place: Some(*old), version };
        }
        // No CPUs have been freed since then, so the job cannot start earlier than before.
        let place = earliest(old.resource, cluster, &self.jobs[job], old.start);
        let phi = place.map_or(f64::INFINITY, |place| self.scales[job].phi(&self.jobs[job], &place));
        Offer { phi, place, version }
    }

    /// Reserves a place for a job.
    pub(crate) fn take(&mut self, job: usize, place: Reservation) -> Result<(), HeuristicError> {
        // A job of length 0 holds no CPUs.
        if place.end > place.start {
            self.clusters[place.resource].free.reserve(place.start, place.end, place.cpus)?;
            self.versions[place.resource] += 1;
        }
        self.taken[job] = Some(place);
        Ok(())
    }

    pub(crate) fn schedule(self) -> Result<Schedule<Reservation>, HeuristicError> {
        let mut schedule = Schedule::default();
        for (job, place) in self.jobs.iter().zip(&self.taken) {
            match place {
                Some(place) => schedule.decide(job.job.id, Ok(*place))?,
                None => schedule.decide(job.job.id, Err(refusal(&self.clusters, job)))?,
            }
        }
        Ok(schedule)
    }
}

fn check(problem: &TradeOffProblem<'_>) -> Result<(), HeuristicError> {
    let jobs = problem.jobs;
    if problem.clusters.is_empty() && !jobs.is_empty() {
        return Err(HeuristicError::NoResource { jobs: jobs.len() });
    }
    let mut ids: Vec<JobId> = jobs.iter().map(|job| job.id).collect();
    ids.sort_unstable();
    match ids.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(ModelError::RepeatedId { what: "job", id: pair[0].0 }.into()),
        None => Ok(()),
    }
}

/// Returns why a job has no place: the reason of the cluster on which it came closest to one, in the order deadline,
/// end of the free time, budget, width, speed. A job that would have a place on some cluster lost it on the only
/// cluster that its heuristic considered.
fn refusal(clusters: &[ClusterView], job: &TimedJob<'_>) -> Refusal {
    let mut reasons: Vec<NoPlace> = vec![];
    for (resource, cluster) in clusters.iter().enumerate() {
        match place_on(resource, cluster, job, job.job.submit) {
            Ok(_) => return Refusal::NoCapacity,
            Err(reason) => reasons.push(reason),
        }
    }
    let lateness = |reason: &NoPlace| match reason {
        NoPlace::TooLate { late_by } => Some(*late_by),
        _ => None,
    };
    let excess = |reason: &NoPlace| match reason {
        NoPlace::TooExpensive { short_by } => Some(*short_by),
        _ => None,
    };
    let closed = reasons.iter().zip(clusters).filter_map(|(reason, cluster)| match reason {
        NoPlace::Closed { time } => Some(max_free_cpus(cluster, job, *time)),
        _ => None,
    });
    let too_narrow = reasons.iter().zip(clusters).filter_map(|(reason, cluster)| match reason {
        NoPlace::TooWide => Some(cluster.free.cpus()),
        _ => None,
    });
    if let Some(late_by) = reasons.iter().filter_map(lateness).min() {
        Refusal::Deadline { late_by }
    } else if let Some(most) = closed.max() {
        Refusal::Horizon { needed: job.cpus as usize, most: most as usize }
    } else if let Some(short_by) = reasons.iter().filter_map(excess).min() {
        Refusal::Budget { short_by }
    } else if let Some(largest) = too_narrow.max() {
        Refusal::TooWide { needed: job.cpus as usize, largest: largest as usize }
    } else {
        // The job cannot run on any cluster.
        Refusal::TooFewNodes { needed: job.cpus as usize, fast_enough: 0 }
    }
}

/// Returns the maximum number of CPUs that are free at once for `time`. It must be below the number of CPUs of the job.
fn max_free_cpus(cluster: &ClusterView, job: &TimedJob<'_>, time: Span) -> u32 {
    // Invariant: `low` CPUs are free at once for `time`, `high` are not.
    let (mut low, mut high) = (0, job.cpus);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match cluster.free.earliest_fit(middle, time, job.job.submit) {
            Some(_) => low = middle,
            None => high = middle,
        }
    }
    low
}
