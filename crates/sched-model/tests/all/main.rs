//! The tests of the crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // a test stops at the first surprise

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
mod values;

use sched_model::{Money, NodeId, Placement, Price, Speed, Time};

fn time(at: u32) -> Time {
    Time::must(f64::from(at))
}

/// A placement on a node, up to an instant and for this cost.
fn held(node: u32, end: f64, cost: f64) -> Placement {
    let (speed, price) = (Speed::ETALON, Price::must(1.0));
    Placement { node: NodeId(node), speed, price, end: Time::must(end), cost: Money::must(cost) }
}
