//! Oracles: each tries everything, or follows a definition step by step, and shares no code with what it judges.

mod choices;
mod windows;

pub use choices::choices;
pub use windows::{cost, windows};
