//! Oracles: each tries every solution, or follows a definition step by step, and shares no code with the
//! algorithms that it judges.

#[cfg(feature = "auction-assign")]
mod assignments;
mod choices;
#[cfg(feature = "grid-heuristics")]
mod mappings;
mod windows;

#[cfg(feature = "auction-assign")]
pub use assignments::{Weight, best_assignment, weigh};
pub use choices::choices;
#[cfg(feature = "grid-heuristics")]
pub use mappings::{mapping, trade_off};
pub use windows::{cost, subsets, windows};
