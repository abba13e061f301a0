//! The tests of the crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // a test stops at the first surprise

mod cheapest;
mod common;
mod conformance;
mod counted;
mod demands;
mod exact_money;
mod explain;
mod golden;
#[path = "../../../../fuzz/src/judge.rs"]
mod judge;
mod limits;
mod mip;
mod oracle;
mod packed;
mod plain;
mod priced;
mod priced_stops;
mod reasons;
mod registry;
mod stopping;
mod subset;
mod subsets;
