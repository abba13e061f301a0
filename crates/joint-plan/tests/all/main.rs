//! The tests of the crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // a test stops at the first surprise

mod conflicts;
mod cycle;
mod drawn;
mod joint;
#[path = "../../../../fuzz/src/judge.rs"]
mod judge;
mod limits;
mod optimum;
mod plans;
#[path = "../../../econsched-cli/tests/all/session.rs"]
mod session;
mod threads;
