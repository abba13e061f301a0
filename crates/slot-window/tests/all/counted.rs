//! What searches by value count and prove on fixed inputs, pinned: that levels are ranked again in time shows in
//! nothing but the work. After a change that is meant to,
//! `GOLDEN=write cargo test -p slot-window --test all counted` writes the numbers anew.

#[path = "../../../sched-model/tests/pinned/mod.rs"]
mod pinned;

use pinned::{Counted, Random, pinned};
use sched_model::check::Holding;
use sched_model::*;
use slot_window::{MaxValue, NodeValues, Objective, Optimal, TotalSpeed, WindowQuery, WindowSearch};
use std::sync::mpsc;

/// Amounts of money and values.
#[derive(Debug, Clone, Copy)]
enum Style {
    Tenths,
    Real,
    Ties,
    /// Over twelve decades.
    Wide,
}

const STYLES: [Style; 4] = [Style::Tenths, Style::Real, Style::Ties, Style::Wide];

impl Style {
    fn amount(self, random: &mut Random) -> f64 {
        match self {
            Self::Tenths => f64::from(1 + random.below(40)) / 10.0,
            Self::Real => 0.5 + 3.0 * random.share(),
            Self::Ties => [0.1, 0.2, 0.3][random.below(3) as usize],
            Self::Wide => {
                (1.0 + random.share()) * [1e-6, 1e-3, 1.0, 10.0, 1e3, 1e6][random.below(6) as usize]
            }
        }
    }
}

fn note_window(window: &Window, all: &mut Counted) {
    all.note_number(Some(window.start().get()));
    for placement in window.placements() {
        all.note(u64::from(placement.node.0));
        all.note_number(Some(placement.end.get()));
    }
}

/// Nodes of up to three speeds with some free intervals each, which begin together or apart; racks of five.
fn market(style: Style, nodes: u32, random: &mut Random) -> SlotList {
    let mut slots = Vec::new();
    for id in 0..nodes {
        let speed = [1.0, 2.0, 4.0][random.below(3) as usize];
        let node = Node::new(NodeId(id), Speed::must(speed), Price::must(speed * style.amount(random)));
        let mut end = 0.0;
        for _ in 0..1 + random.below(4) {
            let start = end + f64::from(random.below(6));
            end = start + 4.0 + f64::from(random.below(30));
            slots.push(Slot::new(node, Time::must(start), Time::must(end)).unwrap());
        }
    }
    let racks = (0..nodes).map(|id| (NodeId(id), Features::new().with_label(format!("rack={}", id / 5))));
    SlotList::new(slots).unwrap().with_features(racks).unwrap()
}

type Named = (String, Box<dyn WindowSearch>);

/// Values by node, by slot, and by slot and span, in both window models, and costs that are minimised.
fn value_searches(worth: &[f64]) -> Vec<Named> {
    let mut all: Vec<Named> = Vec::new();
    for holding in [Holding::OwnSpan, Holding::SlowestSpan] {
        let nodes = NodeValues::new((0..).map(NodeId).zip(worth.iter().copied())).unwrap();
        let by_span = {
            let worth = worth.to_vec();
            move |slot: &Slot, span: Span| {
                worth[slot.node().0 as usize] - slot.price().get() * span.get() / 8.0
            }
        };
        let searches = [
            ("nodes", MaxValue::new(nodes)),
            ("speeds", MaxValue::new(TotalSpeed)),
            ("spans", MaxValue::new(by_span.clone())),
            ("least by spans", MaxValue::new(by_span).with_sense(Sense::Minimise)),
        ];
        for (name, search) in searches {
            all.push((format!("{name} {holding:?}"), Box::new(search.with_holding(holding))));
        }
    }
    all
}

/// The search without a limit, then stopped at eighths of its work, by gaps and by little memory; what an
/// observer is told of the first.
fn stopped_everywhere(search: &dyn WindowSearch, query: &WindowQuery<'_>, all: &mut Counted) {
    let within = |limit: Limit, all: &mut Counted| {
        let found = search.solve(query, &mut limit.meter()).unwrap();
        all.outcome(&found);
        found.best.iter().for_each(|window| note_window(window, all));
        found.work
    };
    let whole = within(Limit::default().with_work(400_000), all);
    for eighths in 1..8 {
        within(Limit::default().with_work(whole * eighths / 8), all);
    }
    within(Limit::default().with_relative_gap(0.01), all);
    within(Limit::default().with_absolute_gap(0.5), all);
    within(Limit::default().with_memory(1 << 12), all);
    let (tell, told) = mpsc::channel();
    let limit = Limit::default().with_work(400_000);
    let mut meter = limit.meter().with_observer(move |progress| tell.send(progress).unwrap());
    let observed = search.solve(query, &mut meter).unwrap();
    all.outcome(&observed);
    for Progress { best: incumbent, bound, .. } in told.try_iter() {
        all.note_number(incumbent);
        all.note_number(bound);
    }
}

/// Each search on markets of every style, with ample, scarce and no budgets.
fn on_markets(
    nodes: u32,
    demands: &Demands,
    searches: &dyn Fn(&[f64]) -> Vec<Named>,
) -> Vec<(String, Counted)> {
    let mut random = Random(7);
    let mut all: Vec<(String, Counted)> = Vec::new();
    for style in STYLES {
        for (tariff, n) in [(Tariff::default(), 3), (Tariff::default().with_digits(1, Rounding::Up), 5)] {
            let slots = market(style, nodes, &mut random).with_tariff(tariff);
            let worth: Vec<f64> = (0..nodes).map(|_| style.amount(&mut random)).collect();
            let request = ResourceRequest::new(n, Work::must(8.0)).unwrap();
            let cheapest = Optimal::new(Objective::Cost);
            let least =
                cheapest.find(&WindowQuery::new(&slots, &request)).unwrap().best.unwrap().cost().get();
            let requests = [1.1, 2.0].map(|factor| request.with_budget(Money::must(factor * least)));
            for request in requests.into_iter().chain([request.with_deadline(Time::must(60.0))]) {
                let eligible = slots.eligible(demands);
                let query =
                    WindowQuery::new(&slots, &request).with_from(Time::must(1.0)).with_eligible(&eligible);
                for (at, (name, search)) in searches(&worth).into_iter().enumerate() {
                    if all.len() == at {
                        all.push((name, Counted::NOTHING));
                    }
                    stopped_everywhere(search.as_ref(), &query, &mut all[at].1);
                }
            }
        }
    }
    all
}

#[test]
fn values() {
    pinned("values", &on_markets(60, &Demands::new(), &value_searches));
}
