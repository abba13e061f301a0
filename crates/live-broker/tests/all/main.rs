//! The tests of the crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // a test stops at the first surprise

mod common;
mod damaged;
mod demands;
#[cfg(feature = "serde")]
mod drawn;
mod edges;
mod explain;
mod faults;
mod golden;
#[cfg(feature = "serde")]
mod histories;
#[cfg(feature = "serde")]
#[path = "../../../../fuzz/src/judge.rs"]
mod judge;
mod late;
mod moves;
mod preemption;
mod promises;
#[cfg(feature = "serde")]
mod shared;
