//! What searches count and prove on fixed inputs, pinned.
//!
//! Counted work is part of an answer: a limit of it decides where a search stops, and a journal that is replayed
//! compares it. The tests against brute force see a search that misses something; these see one that reads more
//! than before, stops elsewhere, or proves less. After a change that is meant to,
//! `GOLDEN=write cargo test -p slot-window --test all counted` writes the numbers anew.

#[path = "../../../sched-model/tests/pinned/mod.rs"]
mod pinned;

use pinned::{Counted, Random, pinned};
use sched_model::check::Holding;
use sched_model::*;
use slot_window::subset::{ExactSubset, SubsetProblem, SubsetScratch, SubsetSolver};
use slot_window::{
    AlternativesSearch, Amp, MaxValue, NodeValues, Objective, Optimal, SearchKind, SearchScratch, TotalSpeed,
    WindowQuery, WindowSearch,
};

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

/// The searches of the registry but those for values, which have tests of their own.
fn searches() -> Vec<Named> {
    let values = [SearchKind::MaxValue, SearchKind::MaxValueRough];
    let kinds = SearchKind::ALL.iter().filter(|kind| !values.contains(kind));
    kinds.map(|&kind| (kind.name().to_owned(), kind.build())).collect()
}

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
fn stopped_everywhere(
    search: &dyn WindowSearch,
    query: &WindowQuery<'_>,
    scratch: &mut SearchScratch,
    all: &mut Counted,
) {
    let mut within = |limit: Limit, all: &mut Counted| {
        let found = search.find_within(query, &mut limit.meter(), scratch).unwrap();
        all.outcome(&found);
        found.incumbent.iter().for_each(|window| note_window(window, all));
        found.work
    };
    let whole = within(Limit::default().with_work(400_000), all);
    for eighths in 1..8 {
        within(Limit::default().with_work(whole * eighths / 8), all);
    }
    within(Limit::default().with_relative_gap(0.01), all);
    within(Limit::default().with_absolute_gap(0.5), all);
    within(Limit::default().with_memory(1 << 12), all);
    let mut told = Vec::new();
    let mut note = |progress: Progress| told.push((progress.incumbent, progress.bound));
    let limit = Limit::default().with_work(400_000);
    let mut meter = limit.meter().with_observer(&mut note);
    let observed = search.find_within(query, &mut meter, scratch).unwrap();
    all.outcome(&observed);
    for (incumbent, bound) in told {
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
    let mut scratch = SearchScratch::new();
    for style in STYLES {
        for (tariff, n) in [(Tariff::default(), 3), (Tariff::default().with_digits(1, Rounding::Up), 5)] {
            let slots = market(style, nodes, &mut random).with_tariff(tariff);
            let worth: Vec<f64> = (0..nodes).map(|_| style.amount(&mut random)).collect();
            let request = ResourceRequest::new(n, Work::must(8.0)).unwrap();
            let cheapest = Optimal::new(Objective::Cost);
            let least =
                cheapest.find(&slots, &request, Time::ZERO, &mut scratch).unwrap().unwrap().cost().get();
            let requests = [1.1, 2.0].map(|factor| request.with_budget(Money::must(factor * least)));
            for request in requests.into_iter().chain([request.with_deadline(Time::must(60.0))]) {
                let eligible = slots.eligible(demands);
                let query = WindowQuery::new(&slots, &request, Time::must(1.0)).with_eligible(&eligible);
                for (at, (name, search)) in searches(&worth).into_iter().enumerate() {
                    if all.len() == at {
                        all.push((name, Counted::NOTHING));
                    }
                    stopped_everywhere(search.as_ref(), &query, &mut scratch, &mut all[at].1);
                }
            }
        }
    }
    all
}

#[test]
fn windows() {
    pinned("windows", &on_markets(60, &Demands::new(), &|_| searches()));
}

#[test]
fn values() {
    pinned("values", &on_markets(60, &Demands::new(), &value_searches));
}

#[test]
fn values_where_nodes_are_packed() {
    let packed = Demands::new().with_pack("rack");
    pinned("packed", &on_markets(60, &packed, &value_searches));
}

#[test]
fn values_where_nodes_are_spread() {
    let spread = Demands::new().with_spread("rack", 1).unwrap();
    pinned("spread", &on_markets(30, &spread, &value_searches));
}

/// Items of every style, whose values follow the costs or do not.
#[test]
fn subsets() {
    let mut random = Random(3);
    let mut scratch = SubsetScratch::new();
    let mut all = Vec::new();
    for style in STYLES {
        for (name, max_steps) in [("exchanges", 1 << 17), ("few exchanges", 200), ("partial choices", 0)] {
            let mut counted = Counted::NOTHING;
            for round in 0..12 {
                let k = 12 + random.below(60) as usize;
                let n = 2 + random.below(8) as usize;
                let costs: Vec<f64> = (0..k).map(|_| style.amount(&mut random)).collect();
                let value = |&cost: &f64| match round % 3 {
                    0 => cost,
                    1 => cost + 1.0,
                    _ => style.amount(&mut random),
                };
                let values: Vec<f64> = costs.iter().map(value).collect();
                let mut sorted = costs.clone();
                sorted.sort_unstable_by(f64::total_cmp);
                let budget = 0.5 * (sorted[..n].iter().sum::<f64>() + sorted[k - n..].iter().sum::<f64>());
                let problem = SubsetProblem::new(&values, &costs, n, budget).unwrap();
                let solver = ExactSubset::new().with_max_steps(max_steps);
                let mut within = |limit: Limit| {
                    let found = solver.solve(&problem, &limit, &mut scratch);
                    counted.outcome(&found);
                    for &index in found.incumbent.iter().flat_map(|subset| subset.indices()) {
                        counted.note(index as u64);
                    }
                    found.work
                };
                let whole = within(Limit::default().with_work(60_000));
                for eighths in 1..8 {
                    within(Limit::default().with_work(whole * eighths / 8));
                }
                within(Limit::default().with_relative_gap(0.001).with_work(60_000));
                within(Limit::default().with_memory(1 << 14).with_work(60_000));
            }
            all.push((format!("{name} {style:?}"), counted));
        }
    }
    pinned("subsets", &all);
}

#[test]
fn alternatives() {
    let mut random = Random(5);
    let mut all = Vec::new();
    for style in STYLES {
        let slots = market(style, 60, &mut random);
        let job = |id: u32| {
            let request = ResourceRequest::new(1 + id as usize % 4, Work::must(f64::from(4 + id))).unwrap();
            Job::new(JobId(u64::from(id)), request.with_price_limit(Price::must(3.0)))
        };
        let batch = Batch::new((0..6).map(job).collect()).unwrap();
        let mut counted = Counted::NOTHING;
        let mut within = |limit: Limit| {
            let search = AlternativesSearch::new(Amp::new()).with_max_per_job(6).with_limit(limit);
            let found = search.find(&slots, &batch, Time::ZERO).unwrap();
            counted.spent(found.work());
            counted.note(found.end() as u64);
            counted.note(found.rounds() as u64);
            found
                .jobs()
                .flat_map(|(_, windows)| windows)
                .for_each(|window| note_window(window, &mut counted));
            found.work()
        };
        let whole = within(Limit::default());
        for eighths in 1..8 {
            within(Limit::default().with_work(whole * eighths / 8));
        }
        within(Limit::default().with_memory(1 << 12));
        all.push((format!("{style:?}"), counted));
    }
    pinned("alternatives", &all);
}
