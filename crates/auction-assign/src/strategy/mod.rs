//! Strategies of a grid's provider: the costs of jobs on sites, the numbers of processors that sites offer, and the
//! choice of machines within a site.
//!
//! A. Raeisi Gahrouei, M. Ghatee, Auction-based approximate algorithm for Grid system scheduling under resource
//! provider strategies (2018). In each time slice the global scheduler assigns waiting jobs to sites; each site is
//! a resource with as many places as it offers processors. The local scheduler of a site then picks machines.
//!
//! - [`Strategy`] computes the costs: transfer time + processing time (equations 11 and 12), weighted by failure,
//!   quality of service and starvation (equations 27 and 28). [`Strategy::plan`] plans a whole slice.
//! - [`Strategy::balancing`] balances the load of the sites (equation 17).
//! - [`LocalRule`] picks machines (equations 13 to 16 and 18).
//!
//! # Readings and deviations
//! Equations 27 and 28 are garbled in print. They are read as `a = (pt + st) * g` with
//! `g = (P_pt * P_st)^(-fp) / (qos^qp * rho^sp)`, where `pt` is the processing time, `st` the transfer time, and
//! `P_pt` and `P_st` the probabilities that nothing fails during these times: the only choice of signs with which each
//! parameter has the effect that the article states. "Fail rates" in seconds are mean times to failure. Equation
//! 17 is a soft constraint: it acts through the number of processors offered. The mean in equation 12 is over the free
//! processors; a site without a free processor takes no part in the slice.
//!
//! ```
//! use auction_assign::AssignerKind;
//! use auction_assign::strategy::{Demand, FreeMachine, SiteState, Strategy};
//! use sched_model::{Speed, Work};
//! let site = |speed, free| {
//!     let speed = Speed::must(speed);
//!     SiteState::new(&[FreeMachine { free, live: 2, speed, mean_time_to_failure: None }])
//! };
//! // Two sites with one free processor each, the second twice as fast; three jobs.
//! let sites = [site(1000.0, 1), site(2000.0, 1)];
//! let jobs = [4000.0, 6000.0, 2000.0].map(|work| Demand::from(Work::must(work)));
//! let plan = Strategy::default().plan(&jobs, &sites, &AssignerKind::Automatic)?;
//! // 2 + 2 seconds; the longest job waits.
//! assert_eq!(plan.sites, [Some(1), None, Some(0)]);
//! # Ok::<(), auction_assign::AssignError>(())
//! ```

mod site;

use sched_model::internal::{counted, exp, pow};
use sched_model::{Proof, Span};

use crate::costs::{Costs, MAX_COST};
use crate::solution::Assignment;
use crate::{AssignError, Assigner, AssignmentProblem, Coverage};

pub use site::{Demand, FreeMachine, LocalRule, SiteState};
use site::{offered_processors, rate};

/// The way in which quality of service and starvation enter the costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Mode {
    /// Quality of service and starvation divide the whole row of costs of a job, as in equation 28. A job of greater
    /// weight is *selected* first if jobs outnumber processors, but gets slower processors: of two equal jobs that take
    /// 10 or 20 seconds on two sites, the one of quality 10 costs 1 or 2, the other 10 or 20, and the sum is minimal if
    /// the first gets the slow site.
    #[default]
    Divided,
    /// Quality of service and starvation multiply the gain of a job: the cost is `weight * (time - horizon)`, where the
    /// horizon is the maximum time of any pair plus one slice. A job of greater weight is selected first, and it also
    /// gets faster processors.
    Weighted,
}

sched_model::settings! {
    /// A provider's strategy.
    ///
    /// Each exponent must be finite and at least 0; 0 switches it off. With the defaults the cost is the time.
    #[derive(Copy)]
    pub struct Strategy {
        /// Exponent of fail prevention, fp.
        with_fail_prevention: fail_prevention: f64 = 0.0,
        /// Exponent of quality of service, qp.
        with_quality_of_service: quality_of_service: f64 = 0.0,
        /// Exponent of starvation prevention, sp.
        with_starvation_prevention: starvation_prevention: f64 = 0.0,
        /// The length of a time slice, greater than 0: a job that has waited this long has twice its priority.
        with_slice: slice: Span = Span::must(1.0),
        /// The way in which quality of service and starvation enter the costs.
        with_mode: mode: Mode = Mode::Divided,
        /// Whether sites offer only as many processors as balance their loads (equation 17).
        with_balancing: balancing: bool = false,
    }
}

/// The plan for one slice.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SitePlan {
    /// The site of each job, an index into the sites given to the planner; `None` for a job that waits.
    pub sites: Vec<Option<usize>>,
    /// The number of processors that each site offers.
    pub offered: Vec<u32>,
    /// The sites that take part, ascending: the columns of the assignment.
    pub ready: Vec<usize>,
    /// The assignment with its duals; resource `r` is the site `ready[r]`.
    pub assignment: Assignment,
    /// The proof of the total of the assignment.
    pub proof: Proof,
}

impl std::fmt::Display for SitePlan {
    /// The number of jobs sent to sites, then the assignment with its proof.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sent = self.sites.iter().flatten().count();
        let (jobs, sites) = (counted(self.sites.len(), "job"), counted(self.ready.len(), "site"));
        write!(f, "{sent} of {jobs} sent to {sites}; ")?;
        write!(f, "{}; {}", self.assignment, self.proof)
    }
}

/// Returns x^y. Small whole powers are computed by multiplication, so that powers of whole numbers are whole numbers.
fn power(x: f64, y: f64) -> f64 {
    let whole = (1..=8u8).find(|&whole| y == f64::from(whole));
    whole.map_or_else(|| pow(x, y), |whole| (1..whole).fold(x, |product, _| product * x))
}

impl Strategy {
    /// Returns the transfer time: input / bandwidth of the slower of the two links (the first term of equation 11); 0
    /// if neither link has a bandwidth.
    fn transfer_time(job: &Demand, site: &SiteState) -> f64 {
        let slower = match (job.bandwidth, site.bandwidth) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        slower.map_or(0.0, |bandwidth| job.input.get() / bandwidth.get())
    }

    /// Returns the processing time: work / mean speed of the free processors (the second term of equation 11); infinite
    /// on a site without a free processor.
    fn processing_time(job: &Demand, site: &SiteState) -> f64 {
        site.speed.map_or(f64::INFINITY, |speed| job.work.get() / speed.get())
    }

    /// Returns the negated logarithm of the probability that neither the site nor a link fails while the job needs it:
    /// of `P_pt * P_st` of equation 28, with the links in series.
    fn hazard(job: &Demand, site: &SiteState) -> f64 {
        let processing = Self::processing_time(job, site) * site.failure_rate;
        let failures = |mean: Option<Span>| mean.map_or(0.0, |mean| rate(mean.get()));
        let links = failures(site.link_mean_time_to_failure) + failures(job.link_mean_time_to_failure);
        processing + Self::transfer_time(job, site) * links
    }

    /// Returns the weight of a job, `qos^qp * rho^sp`, where `rho = max(priority, 1) * (1 + waited / slice)`.
    fn weight(&self, job: &Demand) -> f64 {
        let rho = job.priority.get().max(1.0) * (1.0 + job.waited.get() / self.slice.get());
        power(job.qos.get(), self.quality_of_service) * power(rho, self.starvation_prevention)
    }

    /// Returns the time with fail prevention, `(pt + st) * (P_pt * P_st)^(-fp)`, at most [`MAX_COST`].
    fn guarded_time(&self, job: &Demand, site: &SiteState) -> f64 {
        let time = Self::processing_time(job, site) + Self::transfer_time(job, site);
        let hazard =
            if self.fail_prevention == 0.0 { 0.0 } else { self.fail_prevention * Self::hazard(job, site) };
        (time * exp(hazard)).min(MAX_COST)
    }

    /// Computes the costs of all jobs (rows) on these sites (columns), row by row as for [`Costs::dense`]. Every site
    /// must have a free processor.
    ///
    /// # Errors
    /// [`AssignError::Parameter`] for an exponent that is negative or not finite, or a slice of 0;
    /// [`AssignError::Cost`] for a site without a free processor, and for a cost beyond [`MAX_COST`], which
    /// extreme powers of quality of service and waiting time can give.
    pub fn costs(&self, jobs: &[Demand], sites: &[SiteState]) -> Result<Vec<f64>, AssignError> {
        self.check()?;
        let mut values = Vec::with_capacity(jobs.len().saturating_mul(sites.len()));
        for job in jobs {
            values.extend(sites.iter().map(|site| self.guarded_time(job, site)));
        }
        let cols = sites.len().max(1);
        let horizon = values.iter().copied().fold(0.0, f64::max) + self.slice.get();
        for (job, row) in jobs.iter().zip(values.chunks_mut(cols)) {
            let weight = self.weight(job);
            for cost in row {
                *cost = match self.mode {
                    Mode::Divided => *cost / weight,
                    Mode::Weighted => weight * (*cost - horizon),
                };
            }
        }
        let bad = values.iter().position(|cost| !(cost.abs() <= MAX_COST));
        let bad =
            bad.or_else(|| values.iter().enumerate().position(|(k, _)| sites[k % cols].speed.is_none()));
        if let Some(k) = bad {
            return Err(AssignError::Cost { job: k / cols, resource: k % cols, value: values[k] });
        }
        Ok(values)
    }

    /// Plans one slice, as the global scheduler: assigns as many jobs as there are offered processors to sites, by
    /// `method`, such that the sum of costs is minimal; the other jobs wait.
    ///
    /// [`Automatic`](crate::AssignerKind::Automatic) finds the minimum sum. The method of the paper is an
    /// [`Auction`](crate::Auction) that ends with some epsilon; the proof of the plan then states a bound on the
    /// difference to the minimum.
    ///
    /// # Errors
    /// As for [`costs`](Self::costs), and those of the method; [`AssignError::Unsupported`] if the method returns
    /// no assignment.
    pub fn plan(
        &self,
        jobs: &[Demand],
        sites: &[SiteState],
        method: &dyn Assigner,
    ) -> Result<SitePlan, AssignError> {
        let offered = if self.balancing {
            offered_processors(sites, jobs.len())
        } else {
            sites.iter().map(|site| site.free).collect()
        };
        let ready: Vec<usize> =
            (0..sites.len()).filter(|&r| offered[r] > 0 && sites[r].speed.is_some()).collect();
        let states: Vec<SiteState> = ready.iter().map(|&r| sites[r]).collect();
        let places: Vec<u32> = ready.iter().map(|&r| offered[r]).collect();
        let costs = self.costs(jobs, &states)?;
        let problem = AssignmentProblem::new(Costs::dense(jobs.len(), states.len(), &costs)?)
            .with_capacities(&places)
            .with_coverage(Coverage::MostJobs);
        let outcome = method.assign(&problem)?;
        let proof = outcome.proof();
        // With `MostJobs` the problem is never infeasible.
        let Some(assignment) = outcome.best else {
            return Err(AssignError::Unsupported { method: "strategy", reason: "no plan for a slice" });
        };
        let site = |resource: &Option<u32>| resource.map(|r| ready[r as usize]);
        let sites = assignment.resources.iter().map(site).collect();
        Ok(SitePlan { sites, offered, ready, assignment, proof })
    }

    fn check(&self) -> Result<(), AssignError> {
        let expected = "a finite number from 0";
        for (what, value) in [
            ("fail prevention (fp)", self.fail_prevention),
            ("quality of service (qp)", self.quality_of_service),
            ("starvation prevention (sp)", self.starvation_prevention),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(AssignError::Parameter { what, value, expected });
            }
        }
        if self.slice == Span::ZERO {
            let expected = "a positive length";
            return Err(AssignError::Parameter { what: "time slice", value: 0.0, expected });
        }
        Ok(())
    }
}
