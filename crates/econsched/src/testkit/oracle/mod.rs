//! Oracles: each tries everything, or follows a definition step by step, and shares no code with what it judges.

mod assignments;
mod choices;
mod windows;

pub use assignments::{Weight, best_assignment, weigh};
pub use choices::choices;
pub use windows::{cost, windows};
