//! Strategies of a grid's provider: costs of jobs on sites, processors offered, machines within a site.
//!
//! A. Raeisi Gahrouei, M. Ghatee, Auction-based approximate algorithm for Grid system scheduling under
//! resource provider strategies (2018). In each time slice the global scheduler assigns waiting jobs to
//! sites, each site a resource with as many places as it offers processors; the local scheduler of a site
//! then picks machines.
//!
//! - [`Strategy`] makes the costs: transfer + processing time (equations 11 and 12), weighed by failure,
//!   quality of service and starvation (equations 27 and 28). [`Strategy::plan`] does a whole slice.
//! - [`offered_processors`] balances the load of the sites (equation 17).
//! - [`LocalRule`] picks machines (equations 13 to 16 and 18).
//!
//! # Readings and deviations
//! Equations 27 and 28 are garbled in print. They are read as `a = (pt + st) * g` with
//! `g = (P_pt * P_st)^(-fp) / (qos^qp * rho^sp)`: the only choice of signs with which each parameter has the
//! effect that the article states. "Fail rates" in seconds are mean times to failure. Equation 17 is soft, by
//! way of the processors offered. The mean in equation 12 is over the free processors; a site without a free
//! processor takes no part in the slice.
//!
//! ```
//! use auction_assign::strategy::{Demand, FreeMachine, SiteState, Strategy};
//! use sched_model::{Speed, Work};
//! let site = |speed, free| SiteState::new(&[FreeMachine::new(free, 2, Speed::must(speed))]);
//! // Two sites with one free processor each, the second twice as fast; three jobs.
//! let sites = [site(1000.0, 1), site(2000.0, 1)];
//! let jobs = [4000.0, 6000.0, 2000.0].map(|work| Demand::new(Work::must(work)));
//! let plan = Strategy::default().plan(&jobs, &sites)?;
//! // 2 + 2 seconds; the longest job waits.
//! assert_eq!(plan.sites, [Some(1), None, Some(0)]);
//! # Ok::<(), auction_assign::AssignError>(())
//! ```

mod balance;
mod cost;
mod demand;
mod local;
mod site;

pub use balance::{Processors, offered_processors};
pub use cost::{Mode, SitePlan, Strategy};
pub use demand::Demand;
pub use local::LocalRule;
pub use site::{FreeMachine, SiteState};
