//! Heuristics on matrices of expected times to compute: single-CPU tasks, one at a time on each resource.

mod alike;
mod check;
mod duplex;
mod fpltf;
mod greatest;
mod kpb;
pub(crate) mod mapping;
mod max_min;
mod mct;
mod met;
mod min_min;
mod olb;
mod sufferage;
mod sufferage_passes;
mod switching;

pub use check::{MappingFlaw, check_mapping};
pub use duplex::Duplex;
pub use fpltf::Fpltf;
pub use kpb::Kpb;
pub use mapping::{ImmediateHeuristic, Mapping, MappingHeuristic};
pub use max_min::MaxMin;
pub use mct::Mct;
pub use met::Met;
pub use min_min::MinMin;
pub use olb::Olb;
pub use sufferage::Sufferage;
pub use sufferage_passes::SufferagePasses;
pub use switching::Switching;
