//! Economic scheduling: which free time, on which machines, at which price, goes to which job, within budgets and
//! deadlines.
//!
//! Somebody writes a cluster broker, a batch system, a spot market or a simulator; this is the part that decides. No
//! daemon, no runtime, no global state: every algorithm is a call with plain values. This crate re-exports the others,
//! one feature each, so that one dependency is enough.
//!
//! # From slots to a schedule
#![cfg_attr(all(feature = "slot-window", feature = "batch-dp"), doc = "```")]
#![cfg_attr(not(all(feature = "slot-window", feature = "batch-dp")), doc = "```ignore")]
//! use econsched::prelude::*;
//!
//! let node = |id, speed, price| Node::new(NodeId(id), Speed::must(speed), Price::must(price));
//! let nodes = [node(1, 1.0, 1.0), node(2, 2.0, 3.0), node(3, 2.0, 4.0)];
//! let busy = [Occupied::new(NodeId(2), Time::ZERO, Time::must(30.0))?];
//! let slots = SlotList::from_nodes(&nodes, &busy, Time::ZERO, Time::must(200.0))?;
//!
//! let request = ResourceRequest::new(2, Work::must(60.0))?.with_budget(Money::must(220.0));
//! let batch = Batch::new(vec![Job::new(JobId(1), request), Job::new(JobId(2), request)])?;
//!
//! let found = AlternativesSearch::new(Amp::new()).find(&slots, &batch, Time::ZERO)?; // phase 1: windows of each job
//! let plan = batch_dp::plan(found.offers(), Goal::MinTime { budget: None })?; // phase 2: one for each
//!
//! assert_eq!(plan.schedule.placed().count(), 2);
//! let checker = Checker::new(&slots, Amp::new().rules());
//! assert!(checker.schedule(&plan.schedule, &batch).is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Which algorithm when
//!
//! | your problem | crate | start with |
//! |---|---|---|
//! | one job wants N nodes at once, some time soon, for little money | [`slot_window`] | `Amp`; `Alp` where each node has a price limit of its own |
//! | the same, but the *best* window by start, finish, runtime, cost, or a value of your own | [`slot_window`] | `Optimal` with an `Objective` |
//! | a batch of such jobs, to be scheduled together | [`slot_window`], then [`batch_dp`] | `AlternativesSearch`, then `plan` with a `Goal` |
//! | the same, near the best of all plans, and how near | [`joint_plan`] | `JointPlanner` |
//! | the same as time passes, with promises, early ends, overruns and failures | [`live_broker`] | `Broker` |
//! | one option for each of many items under one limit, exactly (a multiple-choice knapsack on real numbers) | [`batch_dp`] | `choose`; `Front` for every trade-off |
//! | exactly n of k items under a budget | [`slot_window`] | its `subset` module |
//! | independent tasks on machines of known run times | [`grid_heuristics`] | `MinMin`, `Sufferage`; `MappingKind::ALL` to compare |
//! | parallel jobs on clusters, time against money | [`grid_heuristics`] | `MinCtt`, `MaxCtt` |
//! | very many small jobs, each too short for a dispatch of its own | [`grid_heuristics`] | its grouping |
//! | one resource for each job at least total cost, with a proof | [`auction_assign`] | `solve`; `Auction` for the method of that name |
//! | jobs or environments to test with; logs | [`workload_gen`] | its generators; `swf` for logs |
//! | what happens as time passes | [`grid_sim`] | its broker; EASY on a log |
//! | an algorithm of your own, to be tested as ours are | `testkit` | its check of your trait |
//! | doubts about any schedule | [`sched_model`] | `check::Checker` |
//!
//! # Features
//! `slot-window` and `batch-dp` (both by default), `joint-plan`, `live-broker`, `grid-heuristics`, `auction-assign`,
//! `workload-gen`, `grid-sim` (brings all but `joint-plan` and `live-broker`), `serde`, `json` (logs in that format), `testkit`
//! (checks for algorithms of your own), and `full` for all of
//! them.

#![forbid(unsafe_code)]
// Says in the documentation which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "auction-assign")]
pub use auction_assign;
#[cfg(feature = "batch-dp")]
pub use batch_dp;
#[cfg(feature = "grid-heuristics")]
pub use grid_heuristics;
#[cfg(feature = "grid-sim")]
pub use grid_sim;
#[cfg(feature = "joint-plan")]
pub use joint_plan;
#[cfg(feature = "live-broker")]
pub use live_broker;
pub use sched_model;
#[cfg(feature = "slot-window")]
pub use slot_window;
#[cfg(feature = "workload-gen")]
pub use workload_gen;

#[cfg(feature = "testkit")]
pub mod testkit;

pub mod prelude {
    //! What most programs need: the model, and the two phases of the cycle.
    //!
    //! Names that could be anybody's (a `Greedy`, a `Problem`) stay in their crates, which come along.

    pub use sched_model::check::{Checker, Rules};
    pub use sched_model::{
        Batch, DataSize, Job, JobId, ModelError, Money, Node, NodeId, Occupied, Placement, Price, Proof,
        Refusal, ResourceRequest, Schedule, Slot, SlotList, Span, Speed, Time, User, UserId, Window, Work,
    };

    #[cfg(feature = "auction-assign")]
    pub use auction_assign;
    #[cfg(feature = "batch-dp")]
    pub use batch_dp::{self, Goal};
    #[cfg(feature = "grid-heuristics")]
    pub use grid_heuristics;
    #[cfg(feature = "grid-sim")]
    pub use grid_sim;
    #[cfg(feature = "joint-plan")]
    pub use joint_plan;
    #[cfg(feature = "live-broker")]
    pub use live_broker;
    #[cfg(feature = "slot-window")]
    pub use slot_window::{self, Alp, AlternativesSearch, Amp, SearchKind, SearchScratch, WindowSearch};
    #[cfg(feature = "workload-gen")]
    pub use workload_gen;
}

#[cfg(all(doctest, feature = "slot-window", feature = "batch-dp"))]
#[doc = include_str!("../README.md")]
struct Readme;
