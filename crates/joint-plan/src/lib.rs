//! Plans of whole batches near the joint optimum, with a bound on the distance from it.
//!
//! A scheduling cycle in two phases finds alternatives job by job, each cut out of the free time, and then chooses one
//! alternative for each job exactly. Since the first phase restricts the choice, the whole plan can be far from
//! optimal. This crate adds a third phase. It collects windows from many searches, finds the best window of each job
//! under prices of node-time, chooses exactly among all these windows, which may overlap, and replans a few jobs at a
//! time. The prices give a lower bound for every plan, so the distance from the optimum is bounded; branches on the
//! starts of jobs raise the bound.
//!
//! | you want | use |
//! |---|---|
//! | a plan near the optimum, with a bound | [`plan`], or [`JointPlanner`] with a limit of your own |
//! | the published two-phase cycle | [`CyclePlanner`] |
//! | a planner by name | [`PlannerKind`] |
//!
//! All planners take a [`PlanProblem`].
//!
//! [`plan`] stops at 20 million units of work (one or two seconds at most), at 100 MB, or once the plan is proven to be
//! within 0.1% of the optimum. [`Planner::solve`] takes other limits and a stop signal. A planner that is stopped
//! returns the best plan so far, with the bound so far.
//!
//! ```
//! use joint_plan::{Goal, PlanProblem, plan};
//! use sched_model::*;
//! let nodes = [Node::must(1, 1.0, 1.0), Node::must(2, 1.0, 1.0)];
//! let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(100.0))?;
//! let job = |id| Job::new(JobId(id), ResourceRequest::must(2, 30.0));
//! let batch = Batch::new(vec![job(1), job(2)])?;
//! let outcome = plan(&PlanProblem::new(&slots, &batch, Goal::MinFinish { budget: None }))?;
//! // One after the other: finishes at 30 and 60.
//! assert_eq!(outcome.value, Some(90.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]
// Says in the documentation which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod accounts;
mod ascent;
mod branch;
mod choice;
mod conflict;
mod cycle;
mod cycles;
mod dive;
mod duals;
mod early;
mod error;
mod instance;
mod joint;
mod limited;
mod makespan;
mod neighbourhood;
mod pace;
mod plan;
mod planner;
mod pool;
mod pricing;
mod problem;
mod reasons;
mod run;
mod terms;

pub use cycle::{CyclePlan, CyclePlanner};
pub use error::JointError;
pub use joint::JointPlanner;
pub use plan::{Plan, Planner};
pub use planner::{PlannerKind, plan};
pub use problem::PlanProblem;
#[doc(no_inline)]
pub use sched_model::Goal;

/// Parts of the planners for the tests of this repository, without any guarantee of stability.
#[doc(hidden)]
pub mod internal {
    pub use crate::conflict::{Candidate, ConflictChoice, ConflictProblem, ResourceUse, StartPrices};
    pub use crate::cycle::found_again;
    pub use crate::plan::GOOD_ENOUGH;
    pub use crate::problem::AloneBound;
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
