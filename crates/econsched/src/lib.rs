//! Economic scheduling: which free time, on which machines, at which price, goes to which job, within budgets
//! and deadlines.
//!
//! For people who write a cluster broker, a batch system, a spot market or a simulator: this is the part that
//! decides. There is no daemon, no runtime and no global state; every algorithm is a call with plain values. This
//! crate re-exports the others, each behind a feature, so one dependency is enough.
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
//! | one job needs N nodes at once, early and cheaply | [`slot_window`] | [`Amp`]; [`Alp`] if the price limit holds for each node |
//! | the same, but the *best* window by start, finish, runtime, cost, or a value of your own | [`slot_window`] | [`Optimal`] with an [`Objective`]; [`MaxValue`] with a [`Criterion`] |
//! | a batch of such jobs, planned together, near the best of all plans, with a bound on the distance | [`joint_plan`] | [`plan`] on a [`PlanProblem`]; [`JointPlanner`] for its settings |
//! | the same by the published scheme | [`slot_window`], then [`batch_dp`] | [`AlternativesSearch`], then [`batch_dp::Planner`] |
//! | the same as time passes, with promises, early ends, overruns and failures | [`live_broker`] | [`Broker`] |
//! | one option for each of many items under one limit, exactly (a multiple-choice knapsack on real numbers) | [`batch_dp`] | [`ExpandingCore`] on a [`ChoiceProblem`]; [`Front`] for every trade-off |
//! | exactly n of k items under a budget | [`slot_window`] | [`SubsetProblem`] |
//! | independent tasks on machines with known run times | [`grid_heuristics`] | [`MinMin`], [`Sufferage`]; [`MappingKind`] to compare all |
//! | parallel jobs on clusters, trading time against money | [`grid_heuristics`] | [`MinCtt`], [`MaxCtt`] |
//! | very many small jobs, each too short to be dispatched alone | [`grid_heuristics`] | [`JobGrouping`] |
//! | one resource for each job at minimum total cost, with a proof | [`auction_assign`] | [`assign`]; [`Auction`] for the method of that name |
//! | sites of a grid for the jobs of a time slice, under a provider's strategy | [`auction_assign`] | [`Strategy`] |
//! | jobs or environments to test with; logs | [`workload_gen`] | [`SlotGenerator`], [`LublinModel`]; [`SwfLog`] for logs |
//! | what happens as time passes | [`grid_sim`] | [`Grid`] with a [`TwoPhaseBroker`]; [`easy`] on a log |
//! | to test an algorithm of your own as ours are tested | [`testkit`] | the check of its trait |
//! | to check any schedule | [`sched_model`] | [`Checker`](sched_model::check::Checker) |
//!
//! # Features
//! `slot-window`, `batch-dp` and `joint-plan` (all by default), `live-broker`, `grid-heuristics`,
//! `auction-assign`, `workload-gen`, `grid-sim` (enables all but `joint-plan`), `serde`, `convert` (logs in
//! formats other than SWF), `testkit` (checks for algorithms of your own), and `full` for all of these. Not part
//! of `full`: `rayon` (joint plans and passes over the costs of assignments on all threads, with the same bytes as
//! a result), `tracing` (events for operators), `chrono` and `jiff` (conversion of times and spans from and to the
//! types of these crates).
//!
//! [`Amp`]: https://docs.rs/slot-window/latest/slot_window/struct.Amp.html
//! [`Alp`]: https://docs.rs/slot-window/latest/slot_window/struct.Alp.html
//! [`Optimal`]: https://docs.rs/slot-window/latest/slot_window/struct.Optimal.html
//! [`Objective`]: https://docs.rs/slot-window/latest/slot_window/enum.Objective.html
//! [`MaxValue`]: https://docs.rs/slot-window/latest/slot_window/struct.MaxValue.html
//! [`Criterion`]: https://docs.rs/slot-window/latest/slot_window/trait.Criterion.html
//! [`AlternativesSearch`]: https://docs.rs/slot-window/latest/slot_window/struct.AlternativesSearch.html
//! [`SubsetProblem`]: https://docs.rs/slot-window/latest/slot_window/subset/struct.SubsetProblem.html
//! [`slot_window`]: https://docs.rs/slot-window
//! [`batch_dp::Planner`]: https://docs.rs/batch-dp/latest/batch_dp/struct.Planner.html
//! [`ChoiceProblem`]: https://docs.rs/batch-dp/latest/batch_dp/struct.ChoiceProblem.html
//! [`Front`]: https://docs.rs/batch-dp/latest/batch_dp/struct.Front.html
//! [`ExpandingCore`]: https://docs.rs/batch-dp/latest/batch_dp/struct.ExpandingCore.html
//! [`batch_dp`]: https://docs.rs/batch-dp
//! [`JointPlanner`]: https://docs.rs/joint-plan/latest/joint_plan/struct.JointPlanner.html
//! [`PlanProblem`]: https://docs.rs/joint-plan/latest/joint_plan/struct.PlanProblem.html
//! [`plan`]: https://docs.rs/joint-plan/latest/joint_plan/fn.plan.html
//! [`joint_plan`]: https://docs.rs/joint-plan
//! [`Broker`]: https://docs.rs/live-broker/latest/live_broker/struct.Broker.html
//! [`live_broker`]: https://docs.rs/live-broker
//! [`MinMin`]: https://docs.rs/grid-heuristics/latest/grid_heuristics/enum.MappingKind.html#variant.MinMin
//! [`Sufferage`]: https://docs.rs/grid-heuristics/latest/grid_heuristics/enum.MappingKind.html#variant.Sufferage
//! [`MappingKind`]: https://docs.rs/grid-heuristics/latest/grid_heuristics/enum.MappingKind.html
//! [`MinCtt`]: https://docs.rs/grid-heuristics/latest/grid_heuristics/enum.TradeOffKind.html#variant.MinCtt
//! [`MaxCtt`]: https://docs.rs/grid-heuristics/latest/grid_heuristics/enum.TradeOffKind.html#variant.MaxCtt
//! [`JobGrouping`]: https://docs.rs/grid-heuristics/latest/grid_heuristics/struct.JobGrouping.html
//! [`grid_heuristics`]: https://docs.rs/grid-heuristics
//! [`assign`]: https://docs.rs/auction-assign/latest/auction_assign/fn.assign.html
//! [`Auction`]: https://docs.rs/auction-assign/latest/auction_assign/struct.Auction.html
//! [`Strategy`]: https://docs.rs/auction-assign/latest/auction_assign/strategy/struct.Strategy.html
//! [`auction_assign`]: https://docs.rs/auction-assign
//! [`SlotGenerator`]: https://docs.rs/workload-gen/latest/workload_gen/cycle/struct.SlotGenerator.html
//! [`LublinModel`]: https://docs.rs/workload-gen/latest/workload_gen/lublin/struct.LublinModel.html
//! [`SwfLog`]: https://docs.rs/workload-gen/latest/workload_gen/swf/struct.SwfLog.html
//! [`workload_gen`]: https://docs.rs/workload-gen
//! [`Grid`]: https://docs.rs/grid-sim/latest/grid_sim/struct.Grid.html
//! [`TwoPhaseBroker`]: https://docs.rs/grid-sim/latest/grid_sim/struct.TwoPhaseBroker.html
//! [`easy`]: https://docs.rs/grid-sim/latest/grid_sim/fn.easy.html
//! [`grid_sim`]: https://docs.rs/grid-sim
//! [`testkit`]: https://docs.rs/econsched/latest/econsched/testkit/index.html

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
    //! Names that two families have (`Coverage`), or that say little alone (`Auction`), are written with their
    //! crates.

    pub use sched_model::check::{Checker, Rules};
    pub use sched_model::{
        Batch, Demands, End, EtcMatrix, Features, Goal, Job, JobId, JobWindows, Limit, Meter, ModelError,
        Money, Node, NodeId, Occupied, Outcome, Placement, Price, Proof, Refusal, ResourceRequest, Schedule,
        Slot, SlotList, Span, Speed, Time, UserId, Window, Work,
    };

    #[cfg(feature = "auction-assign")]
    pub use auction_assign::{Assigner, AssignerKind, Assignment, AssignmentProblem, Costs, assign, verify};
    #[cfg(feature = "batch-dp")]
    pub use batch_dp::{Alternatives, Choice, ChoiceProblem, Chooser, ChooserKind, ExpandingCore};
    #[cfg(feature = "grid-heuristics")]
    pub use grid_heuristics::{Mapping, MappingHeuristic, MappingKind};
    #[cfg(feature = "joint-plan")]
    pub use joint_plan::{Plan, PlanProblem, Planner, PlannerKind, plan};
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
