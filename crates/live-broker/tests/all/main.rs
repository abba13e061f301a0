//! The tests of the crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // a test stops at the first surprise

mod answers;
mod common;
mod damaged;
mod demands;
mod edges;
mod faults;
mod golden;
mod histories;
mod late;
mod moves;
mod overdue;
mod preemption;
mod promises;
mod shared;
mod why_not;
