//! Sites and machines.

use econsched::sched_model::{Bandwidth, Machine, MachineId, Price, Site, SiteId, Span, Speed};
use econsched::workload_gen::WorkloadError;
use econsched::workload_gen::range::{self, Draw, Least};
use rand::Rng;
use std::ops::RangeInclusive;

econsched::sched_model::registry! {
    /// The ten grids of Table 1.
    pub enum GridName: "grid" {
        /// 3 sites.
        G1 = "G1",
        /// 5 sites.
        G2 = "G2",
        /// 7 sites.
        G3 = "G3",
        /// 5 sites.
        G5 = "G5",
        /// 3 sites.
        G7 = "G7",
        /// 5 sites.
        G10 = "G10",
        /// 7 sites.
        G11 = "G11",
        /// 3 sites.
        G12 = "G12",
        /// 5 sites.
        G16 = "G16",
        /// 7 sites.
        G18 = "G18",
    }
}

impl GridName {
    /// The column of Table 1.
    pub fn properties(self) -> GridProperties {
        // Each pair is the table's min and max row; the minimum of machines and of CPUs is 1 throughout.
        let grid = |sites, bandwidth, link, machines, machine, slowest, cpus| {
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
        };
        match self {
            GridName::G1 => grid(3, (32, 512), (30, 120), 4, (15, 90), 1200, 8),
            GridName::G2 => grid(5, (32, 512), (15, 90), 8, (10, 60), 2400, 8),
            GridName::G3 => grid(7, (64, 1024), (30, 120), 4, (10, 60), 1200, 4),
            GridName::G5 => grid(5, (32, 512), (30, 120), 8, (15, 90), 1200, 4),
            GridName::G7 => grid(3, (64, 1024), (15, 90), 8, (15, 90), 2400, 4),
            GridName::G10 => grid(5, (32, 512), (15, 90), 4, (15, 90), 1200, 4),
            GridName::G11 => grid(7, (64, 1024), (15, 90), 8, (15, 90), 1200, 8),
            GridName::G12 => grid(3, (64, 1024), (15, 90), 4, (10, 60), 1200, 8),
            GridName::G16 => grid(5, (32, 512), (15, 90), 8, (10, 60), 1200, 8),
            GridName::G18 => grid(7, (32, 512), (30, 120), 8, (15, 90), 1200, 8),
        }
    }
}

/// The ranges from which a grid is drawn: Figure 4. The default has the values of the figure, which are those
/// of G1.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
#[must_use]
pub struct GridProperties {
    /// Number of sites (the paper's resources).
    pub sites: u32,
    /// Rate of a site's link, KB/s.
    pub bandwidth: RangeInclusive<f64>,
    /// Mean time to failure of a site's link, seconds.
    pub link_mean_time_to_failure: RangeInclusive<f64>,
    /// Machines of a site.
    pub machines: RangeInclusive<u32>,
    /// Mean time to failure of a machine, seconds.
    pub machine_mean_time_to_failure: RangeInclusive<f64>,
    /// Speed of a machine's CPUs, MIPS.
    pub speed: RangeInclusive<f64>,
    /// CPUs of a machine.
    pub cpus: RangeInclusive<u32>,
}

impl Default for GridProperties {
    fn default() -> Self {
        GridName::G1.properties()
    }
}

econsched::sched_model::setters!(GridProperties {
    with_sites: sites: u32,
    with_bandwidth: bandwidth: RangeInclusive<f64>,
    with_link_mean_time_to_failure: link_mean_time_to_failure: RangeInclusive<f64>,
    with_machines: machines: RangeInclusive<u32>,
    with_machine_mean_time_to_failure: machine_mean_time_to_failure: RangeInclusive<f64>,
    with_speed: speed: RangeInclusive<f64>,
    with_cpus: cpus: RangeInclusive<u32>,
});

impl GridProperties {
    /// Draws the sites, ids and names from 1; machine ids are unique in the whole grid, from 0.
    ///
    /// For each site: bandwidth, failures of the link, number of machines; for each machine: CPUs, speed,
    /// failures.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for the first field that is out of its range; [`WorkloadError::Model`] for
    /// values beyond the model's range.
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
            let bandwidth = Bandwidth::new(rate.sample(rng))?;
            let link = Span::new(link_fails.sample(rng))?;
            let mut machines = Vec::new();
            for _ in 0..count.sample(rng) {
                let cpus = processors.sample(rng);
                let speed = Speed::new(mips.sample(rng))?;
                let failure = Span::new(fails.sample(rng))?;
                let machine = Machine::new(MachineId(next), cpus, speed, Price::ZERO)?;
                machines.push(machine.with_mean_time_to_failure(failure));
                next += 1;
            }
            let site = Site::new(SiteId(number), format!("site {number}"), machines)?;
            sites.push(site.with_bandwidth(bandwidth).with_link_mean_time_to_failure(link));
        }
        Ok(sites)
    }
}
