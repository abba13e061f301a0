//! Heuristics on matrices of expected times to compute: single-CPU tasks, one at a time on each resource.

mod check;
mod greatest;
pub(crate) mod mapping;
mod min_min;
mod rules;

pub use check::MappingFlaw;
pub use greatest::{MaxMin, Sufferage};
pub use mapping::{ImmediateHeuristic, Mapping, MappingHeuristic};
pub use min_min::{Duplex, MinMin};
pub use rules::{Fpltf, Kpb, Mct, Met, Olb, SufferagePasses, Switching};
