//! The testbed and the workloads of a published study of meta-brokers.
//!
//! Source: S. K. Garg, R. Buyya, H. J. Siegel, "Scheduling Parallel Applications on Utility Grids: Time and
//! Cost Trade-off Management", 2009: Table 1 and section 5.
//!
//! # Readings and deviations
//! - The paper names the Lublin model but not its system size. With 128 processors, the model's own size, 1000
//!   jobs have about 8.4e7 node-seconds; [`MetaBrokerWorkload::model`] takes another size.
//! - Consistent prices follow the MIPS rating of Table 1, but times drawn at random ignore it. With consistent
//!   prices each row is therefore sorted, so that the resource with the lowest rating is the slowest.
//! - Section 6.2.2 calls NorduGrid the cheapest resource under HIUC, while in Table 1 it is the most expensive
//!   (0.0139). The table is followed.
//! - In case 2 each user has a trade-off factor, whose distribution is not stated. Here factors are uniform.

use crate::WorkloadError;
use crate::draw::Distribution;
use crate::draw::range::{self, Least};
use crate::error::require;
use crate::etc::{Consistency, Variation};
use crate::lublin::LublinModel;
use rand::Rng;
use sched_model::{
    EtcMatrix, Job, JobId, Machine, MachineId, Price, ResourceRequest, Speed, Time, TradeOff, Work,
};
use std::ops::RangeInclusive;

/// A resource of Table 1: a cluster of the testbed.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct EdgResource {
    /// Name and country.
    pub name: &'static str,
    /// Number of CPUs.
    pub cpus: u32,
    /// Rating of a CPU in MIPS.
    pub mips: f64,
    /// Price of a CPU second, inconsistent with the ratings.
    pub inconsistent_price: f64,
    /// Price of a CPU second, consistent with the ratings.
    pub consistent_price: f64,
}

const fn edg(name: &'static str, cpus: u32, mips: f64, inconsistent: f64, consistent: f64) -> EdgResource {
    EdgResource { name, cpus, mips, inconsistent_price: inconsistent, consistent_price: consistent }
}

/// Table 1: a subset of the European Data Grid testbed, with 425 CPUs.
#[doc(hidden)]
pub const EDG_TESTBED: [EdgResource; 5] = [
    edg("RAL (UK)", 20, 1320.0, 0.0074, 0.0353),
    edg("Imperial College (UK)", 26, 1330.0, 0.0100, 0.1424),
    edg("NorduGrid (Norway)", 265, 1100.0, 0.0139, 0.0032),
    edg("NIKHEF (Netherlands)", 54, 1166.0, 0.0097, 0.0069),
    edg("Lyon (France)", 60, 1160.0, 0.0095, 0.0061),
];

/// Returns the resources of Table 1 as machines, with ids 0 to 4 and speeds in MIPS.
///
/// ```
/// let machines = workload_gen::meta_broker::edg_machines(true)?;
/// assert_eq!(machines.iter().map(|machine| machine.cpus()).sum::<u32>(), 425);
/// # Ok::<(), workload_gen::WorkloadError>(())
/// ```
///
/// # Errors
/// None with the values of the table; the errors are those of the model's constructors.
#[doc(hidden)]
pub fn edg_machines(consistent_prices: bool) -> Result<Vec<Machine>, WorkloadError> {
    let machine = |(id, resource): (u32, &EdgResource)| {
        let price = if consistent_prices { resource.consistent_price } else { resource.inconsistent_price };
        let (speed, price) = (Speed::try_from(resource.mips)?, Price::try_from(price)?);
        Ok(Machine::new(MachineId(id), resource.cpus, speed, price)?)
    };
    (0..).zip(&EDG_TESTBED).map(machine).collect()
}

sched_model::settings! {
    /// Generates jobs and their times on the testbed.
    ///
    /// The same stream gives the same jobs for any variation and prices, because times are drawn after all jobs.
    ///
    /// ```
    /// use workload_gen::meta_broker::MetaBrokerWorkload;
    /// use workload_gen::sample::stream;
    ///
    /// let workload = MetaBrokerWorkload::default().with_jobs(100).with_consistent_prices(true);
    /// let case = workload.generate(&mut stream(1, 0))?;
    /// assert_eq!((case.jobs.len(), case.etc.rows(), case.etc.cols(), case.machines.len()), (100, 100, 5, 5));
    /// // NorduGrid has the lowest rating: consistent times make it the slowest.
    /// assert!(case.etc[0].iter().all(|&time| time <= case.etc[0][2]));
    /// # Ok::<(), workload_gen::WorkloadError>(())
    /// ```
    pub struct MetaBrokerWorkload {
        /// Number of jobs. Paper: about 1000.
        with_jobs: jobs: usize = 1000,
        /// The model of the jobs. Paper: Lublin and Feitelson; here the whole sample on 128 processors.
        with_model: model: LublinModel = LublinModel::default(),
        /// The divisor of arrival times. Paper: 1000.
        _: arrival_divisor: f64 = 1000.0,
        /// Whether times vary by `high` (HIUC and HICC in the paper) or by `low` (LOUC and LOCC).
        with_high_variation: high_variation: bool = true,
        /// Whether slower resources are cheaper: HICC and LOCC in the paper, otherwise HIUC and LOUC.
        with_consistent_prices: consistent_prices: bool = false,
        /// The high variation of times between resources. Paper: gamma with a coefficient of variation of 0.9.
        _: high: Variation = Variation::Gamma { cov: 0.9 },
        /// The low variation of times between resources. Paper: uniform with a standard deviation of 20 s.
        _: low: Variation = Variation::Uniform { deviation: 20.0 },
        /// The range of the trade-off factors of jobs, which are uniform. Not stated in the paper; 0 to 1 here.
        with_trade_off: trade_off: RangeInclusive<f64> = 0.0..=1.0,
    }
}

/// A generated case: the machines, the jobs, and the time of each job on each machine.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MetaBrokerCase {
    /// The machines of the testbed.
    pub machines: Vec<Machine>,
    /// The jobs in order of arrival, with ids from 0. `nodes` is the number of CPUs that the job needs at once on
    /// one machine; `work` is the run time drawn by the model, in seconds: the mean, or the minimum, of the job's row
    /// of `etc`.
    pub jobs: Vec<Job>,
    /// Seconds that each job (row) takes on each machine (column).
    pub etc: EtcMatrix,
}

impl MetaBrokerWorkload {
    /// Draws a case.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for the first field that is out of its range; [`WorkloadError::Model`] if a time
    /// leaves the range of the model. For `high` and `low` as for [`Variation::etc`].
    pub fn generate(&self, rng: &mut dyn Rng) -> Result<MetaBrokerCase, WorkloadError> {
        range::number("arrival_divisor", self.arrival_divisor, Least::Positive)?;
        let trade_offs = range::real("trade_off", &self.trade_off, Least::Zero)?;
        let trade_off = &self.trade_off;
        require(*trade_off.end() <= 1.0, "trade_off", format_args!("{trade_off:?}"), "in [0, 1]")?;
        let machines = edg_machines(self.consistent_prices)?;
        let drawn: Vec<_> = self.model.jobs(&mut *rng)?.take(self.jobs).collect();
        let mut jobs = Vec::with_capacity(drawn.len());
        for (id, job) in (0..).zip(&drawn) {
            let request = ResourceRequest::new(job.size as usize, Work::try_from(job.runtime)?)?;
            let job = Job::new(JobId(id), request)
                .with_submit(Time::try_from(job.arrival / self.arrival_divisor)?)
                .with_trade_off(TradeOff::try_from(trade_offs.sample(rng))?);
            jobs.push(job);
        }
        let times: Vec<f64> = drawn.iter().map(|job| job.runtime).collect();
        let variation = if self.high_variation { self.high } else { self.low };
        let mut etc = variation.etc(&times, machines.len(), rng)?;
        if self.consistent_prices {
            let mut order: Vec<usize> = (0..EDG_TESTBED.len()).collect();
            order.sort_by(|&a, &b| EDG_TESTBED[b].mips.total_cmp(&EDG_TESTBED[a].mips));
            etc = Consistency::Consistent.arrange(&etc, &order)?;
        }
        Ok(MetaBrokerCase { machines, jobs, etc })
    }
}
