//! Heuristics on matrices of expected times to compute: independent tasks, one at a time on each resource.

mod check;
mod classes;
pub(crate) mod mapping;
pub(crate) mod max_first;
pub(crate) mod min_min;
pub(crate) mod rules;

pub use check::MappingFlaw;
pub use mapping::{ImmediateHeuristic, Mapping, MappingHeuristic};
pub use rules::{Kpb, Switching};
