//! Mapping heuristics for grids and clusters: the classical ETC heuristics, trade-off meta-brokering, job
//! grouping.
//!
//! Every heuristic is a function of plain values, without random numbers and without a clock. The same input
//! gives the same answer, and ties go to the lowest index.
//!
//! # Which one when
//!
//! **Independent tasks, one at a time on each resource**, with a matrix of expected times to compute (ETC): a
//! [`MappingHeuristic`] gives a [`Mapping`]. [`MappingKind::ALL`] lists them all by name; comparing them on
//! your own matrices is cheap.
//!
//! | your tasks | take |
//! |---|---|
//! | all known, many short ones beside few long ones | [`MinMin`](MappingKind::MinMin) |
//! | all known, a few long ones determine the makespan | [`MaxMin`](MappingKind::MaxMin); [`Fpltf`](MappingKind::Fpltf) in the time of a sort |
//! | one of these two, but you do not know which | [`Duplex`](MappingKind::Duplex) |
//! | all known, resources that are good at different tasks (inconsistent times) | [`Sufferage`](MappingKind::Sufferage), [`SufferagePasses`](MappingKind::SufferagePasses) |
//! | must be placed on arrival (immediate mode) | [`Mct`](MappingKind::Mct); [`Kpb`] to keep special resources for the tasks that gain most from them |
//! | must be placed on arrival, load comes in waves | [`Switching`] |
//! | have unknown times | [`Olb`](MappingKind::Olb) |
//! | may be mapped regardless of load | [`Met`](MappingKind::Met) |
//!
//! [`Mapping::check`] verifies any mapping; [`Mapping::from_order`] builds one from your own decisions.
//!
//! Heuristics that place tasks on arrival are also [`ImmediateHeuristic`]s, which may keep state between tasks.
//!
//! **Parallel jobs that take several CPUs of one cluster at once**, where cost matters as well as time: a
//! [`TradeOffHeuristic`] gives a [`Schedule`](sched_model::Schedule) of [`Reservation`]s, with a reason for
//! every job that has none. A cluster is a speed, a price and a [`Profile`](sched_model::Profile) of free CPUs, so
//! local load and existing reservations are respected. The [`TradeOffMetric`] weighs cost against response time,
//! with one factor for all jobs or each job's own.
//!
//! | you want | take |
//! |---|---|
//! | short makespans | [`MinCtt`](TradeOffKind::MinCtt) |
//! | wide and long jobs to be placed first | [`MaxCtt`](TradeOffKind::MaxCtt) |
//! | arrival order, or one job at a time | [`Greedy`](TradeOffKind::Greedy), [`TradeOffMetric::best`] |
//! | a literal reading of the published Greedy, for comparison | [`BlindGreedy`](TradeOffKind::BlindGreedy) |
//!
//! **Very many jobs, each too short to be dispatched alone**: [`JobGrouping`] joins them into groups that each run for
//! at most a given time, the granularity, optionally on the cheapest resources first.
//!
//! [`MappingHeuristic::map`] runs without a limit; its time depends only on the matrix. [`MappingHeuristic::solve`]
//! takes a meter, which limits work and memory and carries a stop signal; if the meter ends it, there is no mapping
//! ([`Duplex`](MappingKind::Duplex) may return that of Min-min).
//!
//! # Example
//! ```
//! use grid_heuristics::{MappingHeuristic, MappingKind};
//! use sched_model::{EtcMatrix, Time};
//!
//! // Three tasks on two resources.
//! let etc = EtcMatrix::from_rows(&[[9.0, 8.0], [2.0, 3.0], [2.0, 1.0]])?;
//! let makespan = |kind: MappingKind| kind.map(&etc).map(|mapping| mapping.makespan());
//! assert_eq!(makespan(MappingKind::MinMin)?, Some(Time::must(9.0)));
//! assert_eq!(makespan(MappingKind::MaxMin)?, Some(Time::must(8.0)));
//! # Ok::<(), grid_heuristics::HeuristicError>(())
//! ```
//!
//! # Features
//! `serde`: settings, inputs and answers are serialised; settings and inputs are deserialised too.

#![forbid(unsafe_code)]
// The documentation shows which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod error;
mod etc;
mod grouping;
mod kind;
mod trade_off;

pub use error::HeuristicError;
pub use etc::{ImmediateHeuristic, Kpb, Mapping, MappingFlaw, MappingHeuristic, Switching};
pub use grouping::{Dispatching, Group, Grouping, JobGrouping, JobOrder, ResourceOrder, ServiceRule, Totals};
pub use kind::{MappingKind, TradeOffKind};
pub use trade_off::{Averages, ClusterView, Reservation, TradeOffHeuristic, TradeOffMetric, TradeOffProblem};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
