//! The tests of the crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // a test stops at the first surprise

mod frozen;
mod readme;
mod testkit;
