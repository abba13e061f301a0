//! Grids, users and jobs of the Multi-S-Grid study.
//!
//! Source: A. Raeisi Gahrouei, M. Ghatee, "Auction-based approximate algorithm for Grid system scheduling
//! under resource provider strategies": Tables 1 and 2, and Figures 4, 5 and 6.
//!
//! # Readings and deviations
//! - Every property is a range, and values are real and uniform in it.
//! - What the paper calls a fail rate is used as a mean time to failure, in seconds: larger is better.
//! - In Table 2 the columns for bandwidth and failures are exchanged, compared with Figure 5; the figure is
//!   followed (user bandwidth 16 to 512 KB/s).
//! - The paper does not say how many jobs there are, when they arrive, nor their priorities: here they arrive
//!   with exponential gaps ([`JobProperties::mean_gap`]), each owned by a user drawn at random, all of
//!   priority 1.
//! - Machines cost nothing: the paper has no prices.
//!
//! ```
//! use econsched_studies::multi_s_grid::{GridName, JobProperties, UserGroup};
//! use econsched::workload_gen::sample::stream;
//!
//! let mut rng = stream(1, 0);
//! let sites = GridName::G3.properties().generate(&mut rng)?;
//! let users = UserGroup::Users1.properties().generate(&mut rng)?;
//! let jobs = JobProperties::default().with_jobs(50).generate(&users, &mut rng)?;
//! assert_eq!((sites.len(), users.len(), jobs.len()), (7, 10, 50));
//! # Ok::<(), econsched::workload_gen::WorkloadError>(())
//! ```

use super::site::Site;
use econsched::sched_model::{
    Bandwidth, DataSize, Job, JobId, Machine, MachineId, Price, Priority, ResourceRequest, SiteId, Span,
    Speed, Time, UserId, Work,
};
use econsched::workload_gen::WorkloadError;
use econsched::workload_gen::internal::range::{self, Draw, Least};
use econsched::workload_gen::internal::{Distribution, Exponential, UniformInt};
use rand::Rng;
use std::ops::RangeInclusive;

econsched::sched_model::registry! {
    /// The ten grids of Table 1, one for each column.
    pub enum GridName: "grid" => GridProperties {
        /// 3 sites.
        G1 = "G1" => grid(3, (32, 512), (30, 120), 4, (15, 90), 1200, 8),
        /// 5 sites.
        G2 = "G2" => grid(5, (32, 512), (15, 90), 8, (10, 60), 2400, 8),
        /// 7 sites.
        G3 = "G3" => grid(7, (64, 1024), (30, 120), 4, (10, 60), 1200, 4),
        /// 5 sites.
        G5 = "G5" => grid(5, (32, 512), (30, 120), 8, (15, 90), 1200, 4),
        /// 3 sites.
        G7 = "G7" => grid(3, (64, 1024), (15, 90), 8, (15, 90), 2400, 4),
        /// 5 sites.
        G10 = "G10" => grid(5, (32, 512), (15, 90), 4, (15, 90), 1200, 4),
        /// 7 sites.
        G11 = "G11" => grid(7, (64, 1024), (15, 90), 8, (15, 90), 1200, 8),
        /// 3 sites.
        G12 = "G12" => grid(3, (64, 1024), (15, 90), 4, (10, 60), 1200, 8),
        /// 5 sites.
        G16 = "G16" => grid(5, (32, 512), (15, 90), 8, (10, 60), 1200, 8),
        /// 7 sites.
        G18 = "G18" => grid(7, (32, 512), (30, 120), 8, (15, 90), 1200, 8),
    }
}

/// Returns the ranges of a grid from its column of Table 1. Each pair is the row of the minimum and that of the
/// maximum; the minimum number of machines and of CPUs is 1 throughout, and the maximum speed is always the same.
fn grid(
    sites: u32,
    bandwidth: (u32, u32),
    link: (u32, u32),
    machines: u32,
    machine: (u32, u32),
    slowest: u32,
    cpus: u32,
) -> GridProperties {
    let real = |(low, high): (u32, u32)| f64::from(low)..=f64::from(high);
    GridProperties {
        sites,
        bandwidth: real(bandwidth),
        link_mean_time_to_failure: real(link),
        machines: 1..=machines,
        machine_mean_time_to_failure: real(machine),
        speed: real((slowest, 3600)),
        cpus: 1..=cpus,
    }
}

impl GridName {
    /// Returns the column of Table 1.
    pub fn properties(self) -> GridProperties {
        *self.build()
    }
}

econsched::sched_model::settings! {
    /// The ranges from which a grid is drawn, as in Figure 4. The default has the values of the figure, which are
    /// those of G1.
    pub struct GridProperties {
        /// Number of sites (the paper's resources).
        with_sites: sites: u32 = 3,
        /// Rate of a site's link, KB/s.
        with_bandwidth: bandwidth: RangeInclusive<f64> = 32.0..=512.0,
        /// Mean time to failure of a site's link, seconds.
        with_link_mean_time_to_failure: link_mean_time_to_failure: RangeInclusive<f64> = 30.0..=120.0,
        /// Number of machines of a site.
        with_machines: machines: RangeInclusive<u32> = 1..=4,
        /// Mean time to failure of a machine, seconds.
        with_machine_mean_time_to_failure: machine_mean_time_to_failure: RangeInclusive<f64> = 15.0..=90.0,
        /// Speed of a machine's CPUs, MIPS.
        with_speed: speed: RangeInclusive<f64> = 1200.0..=3600.0,
        /// Number of CPUs of a machine.
        with_cpus: cpus: RangeInclusive<u32> = 1..=8,
    }
}

impl GridProperties {
    /// Draws the sites, with ids and names from 1; machine ids are unique in the whole grid, from 0.
    ///
    /// The order of the draws is, for each site, bandwidth, failures of the link and number of machines; then for
    /// each machine CPUs, speed and failures.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for the first field that is out of its range; [`WorkloadError::Model`] for values
    /// beyond the range of the model.
    pub fn generate(&self, rng: &mut dyn Rng) -> Result<Vec<Site>, WorkloadError> {
        let draw = |name, range| Draw::new(name, range, Least::Positive, false);
        let rate = draw("bandwidth", &self.bandwidth)?;
        let link_fails = draw("link_mean_time_to_failure", &self.link_mean_time_to_failure)?;
        let count = range::count("machines", &self.machines, 1)?;
        let fails = draw("machine_mean_time_to_failure", &self.machine_mean_time_to_failure)?;
        let mips = draw("speed", &self.speed)?;
        let processors = range::count("cpus", &self.cpus, 1)?;
        let mut sites = Vec::new();
        let mut next = 0;
        for number in 1..=self.sites {
            let bandwidth = Bandwidth::try_from(rate.sample(rng))?;
            let link = Span::try_from(link_fails.sample(rng))?;
            let mut machines = Vec::new();
            for _ in 0..count.sample(rng) {
                let cpus = processors.sample(rng);
                let speed = Speed::try_from(mips.sample(rng))?;
                let failure = Span::try_from(fails.sample(rng))?;
                let machine = Machine::new(MachineId(next), cpus, speed, Price::must(0.0))?;
                machines.push(machine.with_mean_time_to_failure(failure));
                next += 1;
            }
            let mut site = Site::new(SiteId(number), format!("site {number}"), machines)?;
            (site.bandwidth, site.link_mean_time_to_failure) = (Some(bandwidth), Some(link));
            sites.push(site);
        }
        Ok(sites)
    }
}

econsched::sched_model::settings! {
    /// The ranges from which jobs are drawn: those of Figure 6, and some that the paper does not state.
    pub struct JobProperties {
        /// Number of jobs. Not stated in the paper; 100 here.
        with_jobs: jobs: u32 = 100,
        /// Length of a job, millions of instructions. Paper: 1200 to 12000.
        with_length: length: RangeInclusive<f64> = 1200.0..=12000.0,
        /// Input volume, KB. Paper: 32 to 1024.
        with_input: input: RangeInclusive<f64> = 32.0..=1024.0,
        /// Priority. Not stated in the paper; 1 for all here.
        with_priority: priority: RangeInclusive<f64> = 1.0..=1.0,
        /// Mean of the exponential gaps between arrivals, seconds; 0 for all at once. Not stated in the paper; 1
        /// here.
        with_mean_gap: mean_gap: f64 = 1.0,
    }
}

impl JobProperties {
    /// Draws the jobs in order of arrival, with ids from 0, each for one CPU and without limits. The order of the
    /// draws is, for each job, the gap before it (none if `mean_gap` is 0), its owner, length, input and priority.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for the first field that is out of its range, and if there are jobs but no users;
    /// [`WorkloadError::Model`] for values beyond the range of the model.
    pub fn generate(&self, users: &[GridUser], rng: &mut dyn Rng) -> Result<Vec<Job>, WorkloadError> {
        range::number("mean_gap", self.mean_gap, Least::Zero)?;
        let draw = |name, range, least| Draw::new(name, range, least, false);
        let length = draw("length", &self.length, Least::Positive)?;
        let input = draw("input", &self.input, Least::Zero)?;
        let priority = draw("priority", &self.priority, Least::Zero)?;
        let gap = (self.mean_gap > 0.0).then(|| Exponential::new(self.mean_gap)).transpose()?;
        let last = u32::try_from(users.len()).ok().and_then(|count| count.checked_sub(1));
        let owner = match last {
            Some(last) => UniformInt::new(0, last)?,
            None if self.jobs == 0 => return Ok(Vec::new()),
            None => {
                let (name, value) = ("number of users", users.len().to_string());
                return Err(WorkloadError::Parameter { name, value, expected: "1 to 2^32 - 1" });
            }
        };
        let mut jobs = Vec::new();
        let mut now = 0.0;
        for id in 0..self.jobs {
            now += gap.map_or(0.0, |gap| gap.sample(rng));
            let user = users[owner.sample(rng) as usize].id;
            let request = ResourceRequest::new(1, Work::try_from(length.sample(rng))?)?
                .with_input(DataSize::try_from(input.sample(rng))?);
            let job = Job::new(JobId(u64::from(id)), request)
                .with_user(user)
                .with_submit(Time::try_from(now)?)
                .with_priority(Priority::try_from(priority.sample(rng))?);
            jobs.push(job);
        }
        Ok(jobs)
    }
}

econsched::sched_model::registry! {
    /// The two groups of Table 2.
    pub enum UserGroup: "user group" => UserProperties {
        /// 10 users, quality of service 2 to 10.
        Users1 = "users1" => UserProperties::default(),
        /// 20 users, quality of service 2 to 15.
        Users2 = "users2" => UserProperties::default()
            .with_users(20)
            .with_link_mean_time_to_failure(20.0..=400.0)
            .with_qos(2.0..=15.0),
    }
}

impl UserGroup {
    /// Returns the row of Table 2.
    pub fn properties(self) -> UserProperties {
        *self.build()
    }
}

econsched::sched_model::settings! {
    /// The ranges from which users are drawn, as in Figure 5. The default has the values of the figure, which are
    /// those of the first group of Table 2.
    pub struct UserProperties {
        /// Number of users.
        with_users: users: u32 = 10,
        /// Rate of a user's link, KB/s.
        with_bandwidth: bandwidth: RangeInclusive<f64> = 16.0..=512.0,
        /// Mean time to failure of a user's link, seconds.
        with_link_mean_time_to_failure: link_mean_time_to_failure: RangeInclusive<f64> = 20.0..=100.0,
        /// Quality of service that a user is entitled to.
        with_qos: qos: RangeInclusive<f64> = 2.0..=10.0,
    }
}

/// A user behind a link.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GridUser {
    /// The identifier that jobs refer to.
    pub id: UserId,
    /// The quality of service that the user is entitled to; users with a higher one are served better.
    pub qos: Priority,
    /// Rate of the link, KB/s.
    pub bandwidth: Bandwidth,
    /// Mean time to failure of the link, seconds.
    pub link_mean_time_to_failure: Span,
}

impl UserProperties {
    /// Draws the users, with ids from 1. The order of the draws is, for each user, bandwidth, failures of the link
    /// and quality of service.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for the first field that is out of its range; [`WorkloadError::Model`] for values
    /// beyond the range of the model.
    pub fn generate(&self, rng: &mut dyn Rng) -> Result<Vec<GridUser>, WorkloadError> {
        let draw = |name, range| Draw::new(name, range, Least::Positive, false);
        let bandwidth = draw("bandwidth", &self.bandwidth)?;
        let link = draw("link_mean_time_to_failure", &self.link_mean_time_to_failure)?;
        let qos = draw("qos", &self.qos)?;
        let mut users = Vec::new();
        for number in 1..=self.users {
            let bandwidth = Bandwidth::try_from(bandwidth.sample(rng))?;
            let link_mean_time_to_failure = Span::try_from(link.sample(rng))?;
            let qos = Priority::try_from(qos.sample(rng))?;
            users.push(GridUser { id: UserId(number), qos, bandwidth, link_mean_time_to_failure });
        }
        Ok(users)
    }
}
