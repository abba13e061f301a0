//! Oracles: each tries every solution, or follows a definition step by step, and shares no code with the
//! algorithms that it judges.

#[cfg(feature = "auction-assign")]
mod assignments;
#[cfg(feature = "grid-sim")]
mod busy;
mod choices;
mod windows;

#[cfg(feature = "auction-assign")]
pub use assignments::{Weight, best_assignment, weigh};
#[cfg(feature = "grid-sim")]
pub use busy::most_busy;
pub use choices::choices;
pub use windows::{cost, subsets, windows};
