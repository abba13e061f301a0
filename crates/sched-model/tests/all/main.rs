//! The tests of the crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // a test stops at the first surprise

// The testkit under the name of the facade.
extern crate self as econsched;
pub use sched_model;

mod check;
mod conversions;
mod elementary;
mod exact_sum;
mod features;
#[path = "../../../../fuzz/src/judge.rs"]
mod judge;
mod limit;
mod order;
mod profile;
mod registry;
mod serde;
mod slot_list;
mod tariff;
mod testkit;
mod values;

fn time(at: u32) -> sched_model::Time {
    sched_model::Time::must(f64::from(at))
}
