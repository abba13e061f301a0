//! Machines, sites and waiting jobs as the schedulers see them, the number of processors that sites offer, and the
//! choice of machines within a site.

use sched_model::internal::order;
use sched_model::{Bandwidth, DataSize, Priority, Span, Speed, Work};

use crate::costs::{Costs, MAX_COST};
use crate::{AssignError, AssignmentProblem, Coverage, assign};

/// A machine of a site that is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FreeMachine {
    /// Number of free processors.
    pub free: u32,
    /// Number of processors, free or not.
    pub live: u32,
    /// Speed of each processor.
    pub speed: Speed,
    /// Mean time between failures; `None` if it never fails.
    pub mean_time_to_failure: Option<Span>,
}

/// A site as the global scheduler sees it at the beginning of a slice.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SiteState {
    /// Number of free processors.
    pub free: u32,
    /// Number of processors that are up, free or not.
    pub live: u32,
    /// Mean speed of its free processors (equation 12); `None` if there are none.
    pub speed: Option<Speed>,
    /// Failures per unit of time: the inverse of the mean time to failure over the free processors; 0 if the site
    /// never fails.
    pub failure_rate: f64,
    /// Bandwidth of its link; `None` if transfers take no time.
    pub bandwidth: Option<Bandwidth>,
    /// Mean time between failures of its link; `None` if it never fails.
    pub link_mean_time_to_failure: Option<Span>,
}

impl SiteState {
    /// Returns the state of a site with these machines, on a link that takes no time and never fails.
    ///
    /// The mean time to failure, like the speed, is the mean over the free processors. Machines that never fail
    /// are left out of this mean, so a site never fails only if no machine with a free processor does.
    pub fn new(machines: &[FreeMachine]) -> Self {
        let (mut free, mut live) = (0u32, 0u32);
        let (mut speeds, mut spans, mut failing) = (0.0, 0.0, 0.0);
        for machine in machines {
            free = free.saturating_add(machine.free);
            live = live.saturating_add(machine.live);
            let weight = f64::from(machine.free);
            speeds += weight * machine.speed.get();
            if let Some(mean) = machine.mean_time_to_failure {
                spans += weight * mean.get();
                failing += weight;
            }
        }
        Self {
            free,
            live,
            // The mean of speeds lies within their limits, except for rounding at the ends.
            speed: Speed::try_from(
                (speeds / f64::from(free))
                    .clamp(sched_model::internal::MIN_SPEED, sched_model::internal::MAX_QUANTITY),
            )
            .ok(),
            failure_rate: if failing > 0.0 { rate(spans / failing) } else { 0.0 },
            bandwidth: None,
            link_mean_time_to_failure: None,
        }
    }
}

/// Returns the number of failures per unit of time for a mean time to failure; [`MAX_COST`] for a mean time of 0.
pub(super) fn rate(mean: f64) -> f64 {
    (1.0 / mean).min(MAX_COST)
}

/// A waiting job as the global scheduler sees it, with the properties of its owner that affect its cost.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Demand {
    /// Its length.
    pub work: Work,
    /// The amount of data to be transferred before it starts.
    pub input: DataSize,
    /// Bandwidth of the owner's link; `None` if the transfer takes no time.
    pub bandwidth: Option<Bandwidth>,
    /// Mean time between failures of the owner's link; `None` if it never fails.
    pub link_mean_time_to_failure: Option<Span>,
    /// The quality of service that the owner is entitled to; positive.
    pub qos: Priority,
    /// The priority of the job; values below 1 count as 1.
    pub priority: Priority,
    /// The time that the job has waited.
    pub waited: Span,
}

impl From<Work> for Demand {
    /// Returns a job of this length without input that has just arrived; its quality of service and priority are 1.
    fn from(work: Work) -> Self {
        Self {
            work,
            input: DataSize::must(0.0),
            bandwidth: None,
            link_mean_time_to_failure: None,
            qos: Priority::must(1.0),
            priority: Priority::must(1.0),
            waited: Span::ZERO,
        }
    }
}

/// Returns the number of processors that each site offers, such that the free fractions of the sites are as equal as
/// possible once the offered processors are taken (equation 17, soft).
///
/// A site offers `free - level * live`, at least 0, with one `level` for all sites, such that the offers sum to
/// the number of jobs, or to the number of free processors if that is less. Fractions are rounded by largest
/// remainder, the lower index first. Free processors beyond `live` do not count. Time: O(sites log sites).
pub(super) fn offered_processors(sites: &[SiteState], jobs: usize) -> Vec<u32> {
    let free = |site: &SiteState| site.free.min(site.live);
    let total: u64 = sites.iter().map(|site| u64::from(free(site))).sum();
    let wanted = total.min(jobs as u64);
    let fraction = |r: usize| f64::from(free(&sites[r])) / f64::from(sites[r].live);
    let offering: Vec<usize> = (0..sites.len()).filter(|&r| free(&sites[r]) > 0).collect();
    let by = |key: &dyn Fn(usize) -> f64| {
        let order = order(offering.len(), &|a, b| key(offering[b]).total_cmp(&key(offering[a])));
        order.into_iter().map(|at| offering[at as usize]).collect::<Vec<usize>>()
    };
    let falling = by(&fraction);
    // Only the sites with the largest free fractions offer any. They are added one by one, each of which changes the
    // level, until the level is not below the free fraction of the next site.
    let (mut some_free, mut some_live) = (0u64, 0u64);
    let mut level = 0.0;
    for (at, &r) in falling.iter().enumerate() {
        some_free += u64::from(free(&sites[r]));
        some_live += u64::from(sites[r].live);
        level = (some_free as f64 - wanted as f64) / some_live as f64;
        if falling.get(at + 1).is_none_or(|&next| level >= fraction(next)) {
            break;
        }
    }
    let level = level.max(0.0);
    let exact: Vec<f64> = sites
        .iter()
        .map(|site| (f64::from(free(site)) - level * f64::from(site.live)).clamp(0.0, f64::from(free(site))))
        .collect();
    let mut offered: Vec<u32> = exact.iter().map(|&g| g as u32).collect();
    let by_remainder = by(&|r| exact[r].fract());
    let mut left = wanted.saturating_sub(offered.iter().map(|&g| u64::from(g)).sum());
    while left > 0 {
        let before = left;
        for &r in &by_remainder {
            if left > 0 && offered[r] < free(&sites[r]) {
                offered[r] += 1;
                left -= 1;
            }
        }
        if left == before {
            break;
        }
    }
    offered
}

sched_model::registry! {
    /// The rule by which the local scheduler of a site places jobs on machines.
    #[derive(Default)]
    pub enum LocalRule: "local rule" {
        /// Jobs in ascending order of length, each to the fastest machine with a free processor: the article's rule.
        #[default]
        ShortestFirst = "shortest-first",
        /// Jobs in ascending order of length, each to the machine with the maximum free fraction (equation 18); among
        /// equals, to the fastest.
        Balanced = "balanced",
        /// The placement with the minimum sum of processing times (equation 13 literally), which sends the longest jobs
        /// to the fastest machines.
        LeastTotal = "least-total",
    }
}

impl LocalRule {
    /// Returns the machine of each job; `None` for jobs beyond the number of free processors. Ties: the lower index.
    ///
    /// Time: O(jobs * machines); for [`LeastTotal`](Self::LeastTotal) O(jobs log jobs + machines log machines +
    /// jobs * machines).
    ///
    /// # Errors
    /// [`AssignError::Factor`] if a work divided by a speed exceeds [`MAX_COST`](crate::MAX_COST), with
    /// [`LeastTotal`](Self::LeastTotal) only.
    ///
    /// ```
    /// use auction_assign::strategy::{FreeMachine, LocalRule};
    /// use sched_model::{Speed, Work};
    /// let machine = |free, live, speed| {
    ///     FreeMachine { free, live, speed: Speed::must(speed), mean_time_to_failure: None }
    /// };
    /// let machines = [machine(1, 4, 3.0), machine(2, 2, 1.0)];
    /// let jobs = [9.0, 3.0].map(Work::must);
    /// assert_eq!(LocalRule::ShortestFirst.place(&jobs, &machines)?, [Some(1), Some(0)]);
    /// assert_eq!(LocalRule::Balanced.place(&jobs, &machines)?, [Some(1), Some(1)]);
    /// assert_eq!(LocalRule::LeastTotal.place(&jobs, &machines)?, [Some(0), Some(1)]);
    /// # Ok::<(), auction_assign::AssignError>(())
    /// ```
    pub fn place(self, jobs: &[Work], machines: &[FreeMachine]) -> Result<Vec<Option<usize>>, AssignError> {
        if self == Self::LeastTotal {
            return place_by_min_total(jobs, machines);
        }
        let mut free: Vec<u32> = machines.iter().map(|machine| machine.free).collect();
        let mut placed = vec![None; jobs.len()];
        for job in order(jobs.len(), &|a, b| jobs[a].cmp(&jobs[b])) {
            // `max_by` returns the last of equal elements: in reverse order, the one of lowest index.
            let best = (0..machines.len()).rev().filter(|&k| free[k] > 0).max_by(|&a, &b| {
                let fraction = |k: usize| f64::from(free[k]) / f64::from(machines[k].live.max(1));
                let balance = fraction(a).total_cmp(&fraction(b));
                let speed = machines[a].speed.cmp(&machines[b].speed);
                if self == Self::Balanced { balance.then(speed) } else { speed }
            });
            let Some(best) = best else { break };
            free[best] -= 1;
            placed[job as usize] = Some(best);
        }
        Ok(placed)
    }
}

fn place_by_min_total(jobs: &[Work], machines: &[FreeMachine]) -> Result<Vec<Option<usize>>, AssignError> {
    let lengths: Vec<f64> = jobs.iter().map(|work| work.get()).collect();
    let speeds: Vec<f64> = machines.iter().map(|machine| machine.speed.get()).collect();
    let free: Vec<u32> = machines.iter().map(|machine| machine.free).collect();
    let problem = AssignmentProblem::new(Costs::product(&lengths, &speeds)?)
        .with_capacities(&free)
        .with_coverage(Coverage::MostJobs);
    let placed = assign(&problem)?.best.map(|assignment| assignment.resources).unwrap_or_default();
    Ok(placed.into_iter().map(|machine| machine.map(|k| k as usize)).collect())
}
