//! The tests of the crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // a test stops at the first surprise

mod common;
mod damaged;
mod demands;
mod drawn;
mod edges;
mod explain;
mod faults;
mod golden;
mod histories;
#[path = "../../../../fuzz/src/judge.rs"]
mod judge;
mod late;
#[path = "../../../slot-window/tests/all/less.rs"]
mod less;
mod moves;
mod preemption;
mod promises;
mod shared;
