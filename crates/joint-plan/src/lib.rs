//! Plans of whole batches near the joint optimum, with a bound on the distance from it.
//!
//! A scheduling cycle in two phases finds alternatives job after job, each cut out of the free time, and
//! chooses one for each job exactly. But the first phase limits the choice: the plan as a whole can be far
//! from the best. This crate adds a third phase. It collects windows from many searches, finds the best
//! window of each job under prices of node-time, chooses among all of them exactly although they overlap, and
//! plans a few jobs at a time anew. The prices give a bound that holds for every plan, so that the distance
//! from the best plan is bounded; branches on the starts of jobs raise it.
//!
//! | you want | use |
//! |---|---|
//! | the paper's cycle with a bound | [`CyclePlanner`]; [`JointPlanner`] with [`Effort::Quick`] |
//! | the best of several searches and orders | [`Effort::Normal`] |
//! | a plan near the optimum, with a better bound | [`Effort::Hard`] |
//!
//! The choice among alternatives that conflict is of use by itself: [`conflict`].
//!
//! [`JointPlanner::plan`] stops at 20 million units of work, which are one to two seconds at the most, at
//! 100 MB, or when the plan is proven to be within 0.1% of the best; [`JointPlanner::with_limit`] sets other
//! limits and a stop signal. A plan that is stopped is the best so far, with the bound so far.
//!
//! ```
//! use joint_plan::{JointGoal, JointPlanner};
//! use sched_model::*;
//! let node = |id| Node::new(NodeId(id), Speed::ETALON, Price::must(1.0));
//! let slots = SlotList::from_nodes(&[node(1), node(2)], &[], Time::ZERO, Time::must(100.0))?;
//! let request = ResourceRequest::new(2, Work::must(30.0))?;
//! let batch = Batch::new(vec![Job::new(JobId(1), request), Job::new(JobId(2), request)])?;
//! let planner = JointPlanner::new(check::Rules::per_window(1.0));
//! let plan = planner.plan(&slots, &batch, Time::ZERO, JointGoal::MinFinish { budget: f64::INFINITY })?;
//! // One after the other: finishes at 30 and 60.
//! assert_eq!((plan.objective, plan.left_out), (90.0, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]
// Says in the documentation which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod around;
mod ascent;
mod best;
mod branch;
mod choice;
pub mod conflict;
mod cycle;
mod direction;
mod dive;
mod duals;
mod early;
mod entry;
mod error;
mod incumbent;
mod instance;
mod limited;
mod makespan;
mod neighbourhood;
mod order;
mod plan;
mod planner;
mod pool;
mod portfolio;
mod pricing;
mod problem;
mod reasons;
mod run;
mod terms;
mod too_short;
mod watch;

pub use best::{BestOfCycles, Portfolio};
pub use cycle::{CyclePlan, CyclePlanner, EarlierPlan};
pub use error::JointError;
pub use plan::JointPlan;
pub use planner::{AloneBound, JointPlanner};
pub use problem::{GOOD_ENOUGH, Goal, Plan, PlanProblem, plan};
pub use run::Effort;
pub use terms::JointGoal;
pub use watch::{JointProgress, Stage};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
