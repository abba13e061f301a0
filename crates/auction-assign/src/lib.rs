//! Assignment of jobs to resources with a proof: auction, shortest augmenting paths, capacities, provider strategies.
#![forbid(unsafe_code)]

mod auction;
mod choose;
mod error;
mod few;
mod frame;
mod greedy;
mod kind;
mod lists;
mod market;
mod matching;
mod paths;
mod problem;
mod shortest;
mod solution;
mod sorted;
mod source;
pub mod strategy;
mod verify;

pub use auction::Auction;
pub use choose::{Chosen, solve};
pub use error::AssignError;
pub use few::FewResources;
pub use greedy::Greedy;
pub use kind::{Assigner, AssignerKind};
pub use problem::{Costs, Coverage, MAX_COST, MAX_INDEX, Problem, Sense};
pub use shortest::ShortestPaths;
pub use solution::{Answer, Assignment, Duals, Shortage};
pub use sorted::Sorted;
pub use verify::{Certificate, Flaw, verify, verify_answer, verify_shortage};
