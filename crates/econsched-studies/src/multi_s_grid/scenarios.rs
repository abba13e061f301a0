//! The scenarios, which are drawn grids, users and jobs: under peak, at peak, and rising from one to the other.

use super::MultiSGridStudy;
use super::inputs::{GridName, GridUser, JobProperties, UserGroup};
use super::simulator::Config;
use super::site::Site;
use crate::Failure;
use crate::stats::Moments;
use econsched::sched_model::{Job, JobId, Span, Time};
use econsched::workload_gen::sample::stream;

/// Work offered under peak while jobs arrive, over the capacity of the part of the grid that is up on average: a site
/// that is down counts as no capacity.
pub(super) const UNDER_PEAK: f64 = 0.6;
/// Work offered at peak by default: see [`MultiSGridStudy::at_peak`].
pub(super) const AT_PEAK: f64 = 1.5;

/// The load of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Load {
    UnderPeak,
    Peak,
    /// Under peak until the middle of the run, at peak after it.
    Rising,
}

/// The input of one run.
pub(super) struct Scenario {
    pub(super) sites: Vec<Site>,
    pub(super) users: Vec<GridUser>,
    pub(super) jobs: Vec<Job>,
    /// Work offered over the capacity of all processors, as if nothing failed; NaN if the load changes.
    pub(super) offered: f64,
}

impl MultiSGridStudy {
    /// Draws the scenario of a replicate under each [`Load`].
    pub(super) fn scenarios(&self, replicate: u64) -> Result<[Scenario; 3], Failure> {
        let under = self.scenario(replicate, UNDER_PEAK)?;
        let rising = self.rising(replicate, &under)?;
        Ok([under, self.scenario(replicate, self.at_peak)?, rising])
    }

    pub(super) fn scenario(&self, replicate: u64, load: f64) -> Result<Scenario, Failure> {
        let mut rng = stream(self.seed, replicate);
        let grids = GridName::ALL;
        let sites = grids[(replicate % 10) as usize].properties().generate(&mut rng)?;
        let group = UserGroup::ALL[(replicate / 10 % 2) as usize];
        let users = group.properties().generate(&mut rng)?;
        let properties = JobProperties::default();
        let capacity = capacity(&sites, &users, &properties, Config::default().repair);
        let offered = load * capacity / self::capacity(&sites, &users, &properties, None);
        let jobs = arriving(properties, load * capacity, self.arrivals()).generate(&users, &mut rng)?;
        Ok(Scenario { sites, users, jobs, offered })
    }

    /// Draws jobs under peak until the middle of the run and at peak after it, on the grid and with the users of
    /// `under`.
    fn rising(&self, replicate: u64, under: &Scenario) -> Result<Scenario, Failure> {
        let Scenario { sites, users, jobs, .. } = under;
        let middle = self.middle();
        // A random stream of its own, so that the jobs of the other scenarios do not change.
        let mut rng = stream(self.seed ^ 0x5249_5345, replicate);
        let properties = JobProperties::default();
        let rate = self.at_peak * capacity(sites, users, &properties, Config::default().repair);
        let late = arriving(properties, rate, f64::from(self.slices) - middle).generate(users, &mut rng)?;
        let mut all: Vec<Job> = jobs.iter().filter(|job| job.submit.get() < middle).cloned().collect();
        for job in late {
            let submit = Time::try_from(job.submit.get() + middle)?;
            all.push(Job { id: JobId(all.len() as u64), submit, ..job });
        }
        for (id, job) in (0..).zip(&mut all) {
            job.id = JobId(id);
        }
        Ok(Scenario { sites: sites.clone(), users: users.clone(), jobs: all, offered: f64::NAN })
    }
}

/// Sets the number of jobs and their mean gap so that they arrive at this rate, in jobs per second, for this time.
fn arriving(jobs: JobProperties, rate: f64, time: f64) -> JobProperties {
    let gap = 1.0 / rate;
    jobs.with_jobs((time / gap).ceil().clamp(1.0, 1e6) as u32).with_mean_gap(gap)
}

/// Returns how many jobs per second all processors together can serve, computed from mean values: each job holds a
/// processor for its transfer over the slower of two links and for its processing. With repairs of this length,
/// machines and links of sites count for the share of time in which they work; without, they never fail.
fn capacity(sites: &[Site], users: &[GridUser], jobs: &JobProperties, repair: Option<Span>) -> f64 {
    let works = |mean_time_to_failure: Option<Span>| match (repair, mean_time_to_failure) {
        (Some(repair), Some(up)) => up.get() / (up.get() + repair.get()),
        _ => 1.0,
    };
    let middle = |range: &std::ops::RangeInclusive<f64>| 0.5 * (range.start() + range.end());
    let (length, input) = (middle(&jobs.length), middle(&jobs.input));
    let mut rate = 0.0;
    for site in sites {
        let link = site.bandwidth.map_or(f64::INFINITY, |bandwidth| bandwidth.get());
        let transfer: Moments = users.iter().map(|user| input / link.min(user.bandwidth.get())).collect();
        for machine in &site.machines {
            let up = works(machine.mean_time_to_failure) * works(site.link_mean_time_to_failure);
            rate += up * f64::from(machine.cpus()) / (transfer.mean() + length / machine.speed.get());
        }
    }
    rate
}
