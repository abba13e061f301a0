//! Economic scheduling: which free time, on which machines, at which price, goes to which job, within budgets
//! and deadlines.
//!
//! For people who write a cluster broker, a batch system, a spot market or a simulator: this is the part that
//! decides. There is no daemon, no runtime and no global state: every algorithm is a call with plain values.
//! This crate re-exports the others, each behind a feature, so that one dependency is enough.
//!
//! # From slots to a plan
#![cfg_attr(feature = "joint-plan", doc = "```")]
#![cfg_attr(not(feature = "joint-plan"), doc = "```ignore")]
//! use econsched::prelude::*;
//!
//! let nodes = [Node::must(1, 1.0, 1.0), Node::must(2, 2.0, 3.0), Node::must(3, 2.0, 4.0)];
//! let busy = [Occupied::must(2, 0.0, 30.0)];
//! let slots = SlotList::from_nodes(&nodes, &busy, Time::ZERO, Time::must(200.0))?;
//! let request = ResourceRequest::must(2, 60.0).with_budget(Money::must(220.0));
//! let batch = Batch::new(vec![Job::new(JobId(1), request)])?;
//!
//! let problem = PlanProblem::new(&slots, &batch, Goal::MinFinish { budget: None });
//! let plan = plan(&problem)?.solution()?;
//! // Node 1 takes 60 at a price of 1, node 3 takes 30 at a price of 4.
//! assert_eq!(plan.to_string().trim(), "job 1: [0, 60) for 180 on nodes 1, 3 until 30");
//! assert!(plan.violations(&problem).is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Which algorithm when
//!
//! | your problem | crate | start with |
//! |---|---|---|
//! | one job needs N nodes at once, early and cheaply | [`slot_window`] | [`Amp`]; [`Alp`] where the price limit holds for each node |
//! | the same, but the *best* window by start, finish, runtime, cost, or a value of your own | [`slot_window`] | [`Optimal`] with an [`Objective`]; [`MaxValue`] with a [`Criterion`] |
//! | the same under prices of node-time | [`slot_window`] | [`PricedSearch`] |
//! | a batch of such jobs, planned together, near the best of all plans, and how near | [`joint_plan`] | [`plan`] on a [`PlanProblem`]; [`JointPlanner`] for its settings |
//! | the same by the published scheme | [`slot_window`], then [`batch_dp`] | [`AlternativesSearch`], then [`batch_dp::plan`] |
//! | the same as time passes, with promises, early ends, overruns and failures | [`live_broker`] | [`Broker`] |
//! | one option for each of many items under one limit, exactly (a multiple-choice knapsack on real numbers) | [`batch_dp`] | [`ExpandingCore`] on a [`ChoiceProblem`]; [`Front`] for every trade-off |
//! | exactly n of k items under a budget | [`slot_window`] | [`SubsetProblem`] |
//! | independent tasks on machines of known run times | [`grid_heuristics`] | [`MinMin`], [`Sufferage`]; [`MappingKind`] to compare all |
//! | parallel jobs on clusters, time against money | [`grid_heuristics`] | [`MinCtt`], [`MaxCtt`] |
//! | very many small jobs, each too short for a dispatch of its own | [`grid_heuristics`] | [`JobGrouping`] |
//! | one resource for each job at minimum total cost, with a proof | [`auction_assign`] | [`assign`]; [`Auction`] for the method of that name |
//! | sites of a grid for the jobs of a time slice, under a provider's strategy | [`auction_assign`] | [`Strategy`] |
//! | jobs or environments to test with; logs | [`workload_gen`] | [`SlotGenerator`], [`LublinModel`]; [`SwfLog`] for logs |
//! | what happens as time passes | [`grid_sim`] | [`Grid`] with a [`TwoPhaseBroker`]; [`easy`] on a log |
//! | test an algorithm of your own as ours are tested | [`testkit`] | the check of its trait |
//! | check any schedule | [`sched_model`] | [`Checker`](sched_model::check::Checker) |
//!
//! # Features
//! `slot-window`, `batch-dp` and `joint-plan` (all by default), `live-broker`, `grid-heuristics`,
//! `auction-assign`, `workload-gen`, `grid-sim` (brings all but `joint-plan`), `serde`, `convert` (logs in
//! formats other than SWF), `testkit` (checks for algorithms of your own), and `full` for all of these. Off in `full`:
//! `rayon` (joint plans and passes over the costs of assignments on all threads, to the same bytes),
//! `tracing` (events for operators), `chrono` and `jiff` (times and spans from and to those of these crates).
//!
// Every name above is a link: into this page's crates where their feature is on, else to their own pages.
#![cfg_attr(
    feature = "slot-window",
    doc = "
[`Amp`]: slot_window::Amp
[`Alp`]: slot_window::Alp
[`Optimal`]: slot_window::Optimal
[`Objective`]: slot_window::Objective
[`MaxValue`]: slot_window::MaxValue
[`Criterion`]: slot_window::Criterion
[`PricedSearch`]: slot_window::priced::PricedSearch
[`AlternativesSearch`]: slot_window::AlternativesSearch
[`SubsetProblem`]: slot_window::subset::SubsetProblem
"
)]
#![cfg_attr(
    not(feature = "slot-window"),
    doc = "
[`Amp`]: https://docs.rs/slot-window
[`Alp`]: https://docs.rs/slot-window
[`Optimal`]: https://docs.rs/slot-window
[`Objective`]: https://docs.rs/slot-window
[`MaxValue`]: https://docs.rs/slot-window
[`Criterion`]: https://docs.rs/slot-window
[`PricedSearch`]: https://docs.rs/slot-window
[`AlternativesSearch`]: https://docs.rs/slot-window
[`SubsetProblem`]: https://docs.rs/slot-window
[`slot_window`]: https://docs.rs/slot-window
"
)]
#![cfg_attr(
    feature = "batch-dp",
    doc = "
[`batch_dp::plan`]: batch_dp::plan()
[`ChoiceProblem`]: batch_dp::ChoiceProblem
[`Front`]: batch_dp::Front
[`ExpandingCore`]: batch_dp::ExpandingCore
"
)]
#![cfg_attr(
    not(feature = "batch-dp"),
    doc = "
[`batch_dp::plan`]: https://docs.rs/batch-dp
[`ChoiceProblem`]: https://docs.rs/batch-dp
[`Front`]: https://docs.rs/batch-dp
[`ExpandingCore`]: https://docs.rs/batch-dp
[`batch_dp`]: https://docs.rs/batch-dp
"
)]
#![cfg_attr(
    feature = "joint-plan",
    doc = "
[`JointPlanner`]: joint_plan::JointPlanner
[`PlanProblem`]: joint_plan::PlanProblem
[`plan`]: joint_plan::plan()
"
)]
#![cfg_attr(
    not(feature = "joint-plan"),
    doc = "
[`JointPlanner`]: https://docs.rs/joint-plan
[`PlanProblem`]: https://docs.rs/joint-plan
[`plan`]: https://docs.rs/joint-plan
[`joint_plan`]: https://docs.rs/joint-plan
"
)]
#![cfg_attr(
    feature = "live-broker",
    doc = "
[`Broker`]: live_broker::Broker
"
)]
#![cfg_attr(
    not(feature = "live-broker"),
    doc = "
[`Broker`]: https://docs.rs/live-broker
[`live_broker`]: https://docs.rs/live-broker
"
)]
#![cfg_attr(
    feature = "grid-heuristics",
    doc = "
[`MinMin`]: grid_heuristics::MinMin
[`Sufferage`]: grid_heuristics::Sufferage
[`MappingKind`]: grid_heuristics::MappingKind
[`MinCtt`]: grid_heuristics::MinCtt
[`MaxCtt`]: grid_heuristics::MaxCtt
[`JobGrouping`]: grid_heuristics::JobGrouping
"
)]
#![cfg_attr(
    not(feature = "grid-heuristics"),
    doc = "
[`MinMin`]: https://docs.rs/grid-heuristics
[`Sufferage`]: https://docs.rs/grid-heuristics
[`MappingKind`]: https://docs.rs/grid-heuristics
[`MinCtt`]: https://docs.rs/grid-heuristics
[`MaxCtt`]: https://docs.rs/grid-heuristics
[`JobGrouping`]: https://docs.rs/grid-heuristics
[`grid_heuristics`]: https://docs.rs/grid-heuristics
"
)]
#![cfg_attr(
    feature = "auction-assign",
    doc = "
[`assign`]: auction_assign::assign()
[`Auction`]: auction_assign::Auction
[`Strategy`]: auction_assign::strategy::Strategy
"
)]
#![cfg_attr(
    not(feature = "auction-assign"),
    doc = "
[`assign`]: https://docs.rs/auction-assign
[`Auction`]: https://docs.rs/auction-assign
[`Strategy`]: https://docs.rs/auction-assign
[`auction_assign`]: https://docs.rs/auction-assign
"
)]
#![cfg_attr(
    feature = "workload-gen",
    doc = "
[`SlotGenerator`]: workload_gen::cycle::SlotGenerator
[`LublinModel`]: workload_gen::lublin::LublinModel
[`SwfLog`]: workload_gen::swf::SwfLog
"
)]
#![cfg_attr(
    not(feature = "workload-gen"),
    doc = "
[`SlotGenerator`]: https://docs.rs/workload-gen
[`LublinModel`]: https://docs.rs/workload-gen
[`SwfLog`]: https://docs.rs/workload-gen
[`workload_gen`]: https://docs.rs/workload-gen
"
)]
#![cfg_attr(
    feature = "grid-sim",
    doc = "
[`Grid`]: grid_sim::Grid
[`TwoPhaseBroker`]: grid_sim::TwoPhaseBroker
[`easy`]: grid_sim::easy()
"
)]
#![cfg_attr(
    not(feature = "grid-sim"),
    doc = "
[`Grid`]: https://docs.rs/grid-sim
[`TwoPhaseBroker`]: https://docs.rs/grid-sim
[`easy`]: https://docs.rs/grid-sim
[`grid_sim`]: https://docs.rs/grid-sim
"
)]
#![cfg_attr(
    not(feature = "testkit"),
    doc = "
[`testkit`]: https://docs.rs/econsched
"
)]
#![forbid(unsafe_code)]
// Says in the documentation which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "auction-assign")]
#[doc(inline)]
pub use auction_assign;
#[cfg(feature = "batch-dp")]
#[doc(inline)]
pub use batch_dp;
#[cfg(feature = "grid-heuristics")]
#[doc(inline)]
pub use grid_heuristics;
#[cfg(feature = "grid-sim")]
#[doc(inline)]
pub use grid_sim;
#[cfg(feature = "joint-plan")]
#[doc(inline)]
pub use joint_plan::{self, plan};
#[cfg(feature = "live-broker")]
#[doc(inline)]
pub use live_broker;
#[doc(inline)]
pub use sched_model;
#[cfg(feature = "slot-window")]
#[doc(inline)]
pub use slot_window;
#[cfg(feature = "workload-gen")]
#[doc(inline)]
pub use workload_gen;

#[cfg(feature = "testkit")]
pub mod testkit;

pub mod prelude {
    //! What most programs need: the model, and of each family the trait, the input, the registry, and the
    //! function that is the short call.
    //!
    //! Names that two families have (`Coverage`), or that say little alone (`Greedy`), are written with their
    //! crates.

    pub use sched_model::check::{Checker, Rules};
    pub use sched_model::{
        Batch, Demands, End, EtcMatrix, Fate, Features, Job, JobId, Limit, Meter, ModelError, Money, Node,
        NodeId, Occupied, Outcome, Placement, Price, Proof, Refusal, ResourceRequest, Schedule, Slot,
        SlotList, Span, Speed, Time, UserId, Window, Work,
    };

    #[cfg(feature = "auction-assign")]
    pub use auction_assign::{Assigner, AssignerKind, Assignment, AssignmentProblem, Costs, assign, verify};
    #[cfg(feature = "batch-dp")]
    pub use batch_dp::{Alternatives, Choice, ChoiceProblem, Chooser, ChooserKind, ExpandingCore};
    #[cfg(feature = "grid-heuristics")]
    pub use grid_heuristics::{Mapping, MappingHeuristic, MappingKind};
    #[cfg(feature = "joint-plan")]
    pub use joint_plan::{Goal, Plan, PlanProblem, Planner, PlannerKind, plan};
    #[cfg(feature = "slot-window")]
    pub use slot_window::{
        Alp, AlternativesSearch, Amp, Objective, Optimal, SearchKind, WindowError, WindowQuery, WindowSearch,
    };
}

#[cfg(all(doctest, feature = "joint-plan"))]
mod pages {
    #[doc = include_str!("../README.md")]
    struct OfTheCrate;
    #[doc = include_str!("../../../README.md")]
    struct OfTheRepository;
}
