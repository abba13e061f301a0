//! The tests of the crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // a test stops at the first surprise

mod common;
mod damaged;
mod drawn;
mod edges;
mod explain;
mod golden;
mod histories;
#[path = "../../../../fuzz/src/json.rs"]
mod json;
#[path = "../../../../fuzz/src/judge.rs"]
mod judge;
#[path = "../../../slot-window/tests/all/less.rs"]
mod less;
mod preemption;
#[path = "../../../econsched-cli/tests/all/session.rs"]
mod session;
mod shared;
mod stories;
