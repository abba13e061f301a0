//! The tests of the crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // a test stops at the first surprise

mod asked;
mod bounded;
mod branches;
mod choosers;
#[allow(dead_code)] // its pairs alone are taken
#[path = "../../../econsched/tests/all/frozen/families.rs"]
mod families;
mod golden;
#[path = "../../../../fuzz/src/judge.rs"]
mod judge;
mod left_out;
mod mip;
mod planner;
mod plans;
mod registered;
mod selections;
#[cfg(feature = "serde")]
#[path = "../../../econsched-cli/tests/all/session.rs"]
mod session;
