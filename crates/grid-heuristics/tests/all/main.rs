//! The tests of the crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // a test stops at the first surprise

mod conformance;
mod definitions;
mod golden;
mod grouping;
#[path = "../../../../fuzz/src/judge.rs"]
mod judge;
mod mappings;
mod trade_off;
