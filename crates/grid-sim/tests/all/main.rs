//! The tests of the crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // a test stops at the first surprise

mod cluster;
mod common;
mod grid;
mod grids;
mod hostile;
#[cfg(feature = "serde")]
#[path = "../../../../fuzz/src/json.rs"]
mod json;
#[path = "../../../../fuzz/src/judge.rs"]
mod judge;
mod live;
mod registered;
mod resume;
mod serde;
#[cfg(feature = "serde")]
#[path = "../../../econsched-cli/tests/all/session.rs"]
mod session;
