//! Generators of a scheduling cycle: a list of free slots and a batch of jobs.
//!
//! Source: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, "Resource Selection Algorithms for
//! Economic Scheduling in Distributed Systems", 2011, section 5. Every parameter of that section is a field,
//! and the defaults are its values.
//!
//! The section says that all parameters are uniform in their ranges, but not whether lengths, gaps and speeds are
//! real or whole numbers. Here they are real by default; with [`SlotGenerator::whole_times`],
//! [`SlotGenerator::whole_speeds`] and the corresponding fields of [`JobGenerator`] they are whole numbers.

mod jobs;
mod slots;

pub use jobs::JobGenerator;
pub use slots::SlotGenerator;
