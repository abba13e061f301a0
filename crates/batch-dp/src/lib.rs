//! One alternative per job: the exact choice under a budget or a time limit, and the whole Pareto front.
#![forbid(unsafe_code)]

mod alternatives;
mod backward_run;
mod core_order;
mod error;
mod exactness;
mod expanding_core;
mod forward;
mod front;
mod incumbent;
mod kind;
pub mod limits;
mod multiplier;
mod problem;
mod scratch;
mod states;
mod vector;

pub use alternatives::Alternatives;
pub use backward_run::BackwardRun;
pub use error::BatchError;
pub use expanding_core::ExpandingCore;
pub use front::{FrontPoint, FrontSearch, ParetoFront};
pub use kind::{BatchChoice, BatchChoiceKind};
pub use problem::{Choice, Decision, Problem, Total};
pub use scratch::Scratch;
pub use vector::{CriteriaVector, Criterion, VectorCriterion, Weights, choose_by_vector};
