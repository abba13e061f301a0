//! The tests of the crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // a test stops at the first surprise

mod alternatives;
mod explain;
mod golden;
#[path = "../../../../fuzz/src/judge.rs"]
mod judge;
mod less;
mod limits;
mod many_nodes;
mod mip;
mod priced;
mod priced_windows;
mod registry;
mod searches;
#[path = "../../../econsched-cli/tests/all/session.rs"]
mod session;
mod subset;
mod subsets;

use econsched::testkit::Draw;
use sched_model::*;

/// A node with one slot.
fn slot(id: u32, (speed, price): (f64, f64), (start, end): (f64, f64)) -> Slot {
    let node = Node::must(id, speed, price);
    Slot::new(node, Time::must(start), Time::must(end)).unwrap()
}

/// A node of speed 1 for each price, all free from 0 to the end.
fn at_prices(prices: impl IntoIterator<Item = f64>, end: f64) -> SlotList {
    let of = |(id, price)| slot(id, (1.0, price), (0.0, end));
    SlotList::new((0..).zip(prices).map(of).collect()).unwrap()
}

/// Three slots of each node, with a number of different speeds from 1 to 5; few of them start together. Racks of
/// three nodes, some with a GPU.
fn three_for_each_node(nodes: u32, speeds: u32) -> SlotList {
    let of_node = |id: u32| {
        let speed = 1.0 + 4.0 * f64::from(id % speeds) / f64::from(speeds);
        (0..3_u32).map(move |part| {
            let start = f64::from(40 * part) + 20.0 * share(7 * id + part);
            slot(id, (speed, speed * (1.0 + share(id))), (start, start + 15.0))
        })
    };
    let features = (0..nodes).map(|id| {
        let features = Features::default().with_label(format!("rack={}", id / 3));
        (NodeId(id), if id % 2 == 0 { features.with_label("gpu") } else { features })
    });
    SlotList::new((0..nodes).flat_map(of_node).collect()).unwrap().with_features(features).unwrap()
}

/// A number in [0, 1), different for each index.
fn share(index: u32) -> f64 {
    Draw::new(1, index as usize).unit()
}
