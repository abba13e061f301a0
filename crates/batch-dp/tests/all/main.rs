//! The tests of the crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // a test stops at the first surprise

mod bounded;
mod conformance;
mod counted;
mod families;
mod limits;
mod mip;
mod oracle;
mod partial;
mod planner;
mod user_service;
mod users;
mod warm;
