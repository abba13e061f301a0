//! The time of a search for one window on a large list, with demands and without: each search on the same
//! slots, as the minimum of so many runs, and as a multiple of the time of the same search without demands.
//!
//! `cargo run --release -p slot-window --example demands_at_scale [nodes [runs]]`
//!
//! "bare" is the list without features, "plain" a query without demands, "nothing" one with empty ones.

#![allow(clippy::disallowed_types)] // it reports how long it takes

use sched_model::*;
use slot_window::{SearchKind, WindowQuery};
use std::error::Error;
use std::time::{Duration, Instant};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Numbers in [0, 1) that are the same on every machine.
struct Shares(u64);

impl Shares {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, least: f64, greatest: f64) -> f64 {
        least + (greatest - least) * self.next()
    }
}

/// Six slots for each node, in 21 speeds; a third of the nodes are free at first. Racks of 40 nodes, ten
/// zones, every second node with a GPU.
fn cluster(nodes: u32) -> Fallible<SlotList> {
    let mut shares = Shares(12);
    let mut slots = Vec::new();
    for id in 0..nodes {
        let speed = f64::from((shares.next() * 21.0) as u32).mul_add(0.1, 1.0);
        let price = speed * shares.between(0.75, 1.25);
        let node = Node::new(NodeId(id), Speed::new(speed)?, Price::new(price)?);
        let mut now = (shares.between(-100.0, 200.0)).max(0.0);
        for _ in 0..6 {
            let end = now + shares.between(30.0, 250.0);
            slots.push(Slot::new(node, Time::new(now)?, Time::new(end)?)?);
            now = end + shares.between(20.0, 300.0);
        }
    }
    let features = (0..nodes).map(|id| {
        let features =
            Features::new().with_label(format!("rack={}", id / 40)).with_label(format!("zone={}", id % 10));
        (NodeId(id), if id % 2 == 0 { features.with_label("gpu") } else { features })
    });
    Ok(SlotList::new(slots)?.with_features(features)?)
}

fn asked(nodes: u32) -> Fallible<Vec<(&'static str, Demands)>> {
    let spans = (0..nodes).map(|id| (NodeId(id), Span::must(50.0 + f64::from(id * 31 % 97))));
    Ok(vec![
        ("bare", Demands::new()),
        ("plain", Demands::new()),
        ("nothing", Demands::new()),
        ("label", Demands::new().with_label("gpu")),
        ("pack", Demands::new().with_pack("zone")),
        ("spread", Demands::new().with_spread("rack", 2)?),
        ("spans", Demands::new().with_spans(Spans::new(spans)?)),
    ])
}

const SEARCHES: [SearchKind; 9] = [
    SearchKind::Amp,
    SearchKind::MinFinishRough,
    SearchKind::MinFinish,
    SearchKind::MinRuntimeRough,
    SearchKind::MinRuntime,
    SearchKind::MinCostRough,
    SearchKind::MinCost,
    SearchKind::MinStart,
    SearchKind::FirstFit,
];

fn main() -> Fallible<()> {
    let mut arguments = std::env::args().skip(1);
    let nodes: u32 = arguments.next().map_or(Ok(400), |nodes| nodes.parse())?;
    let runs: u32 = arguments.next().map_or(Ok(1), |runs| runs.parse())?;
    let slots = cluster(nodes)?;
    let without_features = slots.iter().map(|slot| Slot::new(slot.as_node(), slot.start(), slot.end()));
    let bare = SlotList::new(without_features.collect::<Result<_, _>>()?)?;
    let request = ResourceRequest::new(20, Work::must(150.0))?;
    for tightness in [f64::INFINITY, 1.0, 0.85] {
        let budget = Money::must(20.0 * 150.0 * tightness.min(1e9));
        let request = request.with_budget(budget);
        println!("budget {budget}");
        for kind in SEARCHES {
            let search = kind.build();
            let mut plain = Duration::MAX;
            for (name, demands) in asked(nodes)? {
                let slots = if name == "bare" { &bare } else { &slots };
                let eligible = slots.eligible(&demands);
                let mut query = WindowQuery::new(slots, &request);
                if name != "bare" && name != "plain" {
                    query = query.with_eligible(&eligible);
                }
                let (mut least, mut meter, mut window) = (Duration::MAX, Limit::default().meter(), None);
                for _ in 0..runs {
                    meter.restart();
                    let begun = Instant::now();
                    window = search.solve(&query, &mut meter)?.best;
                    least = least.min(begun.elapsed());
                }
                if name == "plain" {
                    plain = least;
                }
                let found = window.as_ref().map(|found| (found.start(), found.finish(), found.cost()));
                let times = least.as_secs_f64() / plain.as_secs_f64();
                println!("{:18} {name:8} {least:>12.1?} {times:>6.1} times  {found:?}", kind.name());
            }
        }
    }
    Ok(())
}
