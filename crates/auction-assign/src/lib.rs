//! Assignment of jobs to resources with a proof: auction, shortest augmenting paths, capacities, provider strategies.
#![forbid(unsafe_code)]

mod error;
mod frame;
mod lists;
mod matching;
mod paths;
mod problem;
mod solution;
mod source;
mod shortest;

pub use error::AssignError;
pub use problem::{Costs, Coverage, MAX_COST, MAX_INDEX, Problem, Sense};
pub use shortest::solve_paths;
pub use solution::{Answer, Assignment, Duals, Shortage};
