//! From windows to a schedule: the second phase of the cycle in one call.

mod earliest;
mod entry;
mod offers;
mod once;
mod pose;
mod rank;
mod settings;
mod user_budgets;
mod vector;

pub use entry::plan;
pub use settings::Planner;
