//! Window searches, subset problems, and windows under prices, of many structures, for the ablation of
//! what is special in `slot-window`: `docs/benchmarks.md` says what each case earns on which of these inputs.
//!
//! `windows NAME TIMES` runs one so many times and prints how many of its answers are proven; without arguments it
//! prints the names. `scripts/instructions.py` counts the instructions.

use econsched_benches::{Fallible, asked, budget, environment, items, values as of_nodes};
use sched_model::{
    Demands, Features, Limit, Money, Node, NodeId, Outcome, Proof, ResourceRequest, Sense, Slot, SlotList,
    Span, Speed, Time, Window,
    check::{Holding, Rules},
};
use slot_window::priced::{NodeTimePrices, PricedQuery};
use slot_window::subset::SubsetProblem;
use slot_window::{MaxValue, Objective, Optimal, SearchKind, WindowQuery, WindowSearch};
use std::hint::black_box;
use workload_gen::environment::request;
use workload_gen::internal::unit;
use workload_gen::sample::stream;

/// How many answers are proven, of how many, and the sum of their values.
type Proven = (usize, usize, f64);

/// Its name, and what runs each of its inputs so many times.
type Case = (&'static str, fn(u32) -> Fallible<Proven>);

const CASES: [Case; 37] = [
    ("value of nodes, 20 nodes", |times| values(times, 20, 3, Holding::SlowestSpan, false)),
    ("value of nodes, 100 nodes", |times| values(times, 100, 7, Holding::SlowestSpan, false)),
    ("value of nodes, 800 nodes", |times| values(times, 800, 7, Holding::SlowestSpan, false)),
    ("value of nodes, 20 of 800 nodes", |times| values(times, 800, 20, Holding::SlowestSpan, false)),
    ("value of nodes, 50 of 800 nodes", |times| values(times, 800, 50, Holding::SlowestSpan, false)),
    ("value of nodes, own span, 100 nodes", |times| values(times, 100, 7, Holding::OwnSpan, false)),
    ("value near cost, 100 nodes", near_cost),
    ("total speed, 800 nodes", |times| on(times, 800, 7, 1200.0, &SearchKind::MaxValue.build())),
    ("energy, 100 nodes", |times| {
        let energy = |slot: &Slot, span: Span| slot.speed.get().powi(2) * span.get();
        on(times, 100, 7, 1200.0, &MaxValue::new(energy).with_sense(Sense::Minimise))
    }),
    ("value with nodes spread, 100 nodes", |times| values(times, 100, 7, Holding::SlowestSpan, true)),
    ("nine searches, 5,000 nodes", |times| nine(times, Demands::default())),
    ("nine searches, 5,000 nodes, label", |times| nine(times, Demands::default().without_label("rack=0"))),
    ("nine searches, 5,000 nodes, pack", |times| nine(times, Demands::default().with_pack("rack"))),
    ("nine searches, 5,000 nodes, spread", |times| nine(times, Demands::default().with_spread("rack", 3)?)),
    ("nine searches, 5,000 nodes, spans", |times| {
        let span = |id: u32| (NodeId(id), Span::must(50.0 + f64::from(id * 31 % 97)));
        nine(times, Demands::default().with_spans((0..5000).map(span))?)
    }),
    ("min-cost, 20 nodes", |times| on(times, 20, 3, 1200.0, &Optimal::new(Objective::Cost))),
    ("min-cost, 100 nodes", |times| on(times, 100, 7, 1200.0, &Optimal::new(Objective::Cost))),
    ("min-cost, 800 nodes", |times| on(times, 800, 7, 1200.0, &Optimal::new(Objective::Cost))),
    ("min-cost, 100 nodes x 19200", |times| on(times, 100, 7, 19_200.0, &Optimal::new(Objective::Cost))),
    ("min-cost, 3 speeds, 300 nodes", |times| speeds(times, 3)),
    ("min-cost, 30 speeds, 300 nodes", |times| speeds(times, 30)),
    ("min-cost, 300 speeds, 300 nodes", |times| speeds(times, 300)),
    ("subset, independent", |times| subsets(times, |cost, other| (10.0 * other, cost))),
    ("subset, twice the cost up to 1%", |times| {
        subsets(times, |cost, other| (2.0 * cost * (0.99 + 0.02 * other), cost))
    }),
    ("subset, cost + 10, whole", |times| subsets(times, |cost, _| (cost.floor() + 10.0, cost.floor()))),
    ("subset, cost + 10, real", |times| subsets(times, |cost, _| (cost + 10.0, cost))),
    ("subset, value = cost, whole", |times| subsets(times, |cost, _| (cost.floor(), cost.floor()))),
    ("subset, value = cost, tenths", |times| {
        subsets(times, |cost, _| ((cost * 10.0).floor() / 10.0, (cost * 10.0).floor() / 10.0))
    }),
    ("subset, few costs and values", |times| {
        subsets(times, |cost, other| ((other * 5.0).floor(), (cost / 40.0).floor() + 1.0))
    }),
    ("subset, odd value = even cost", |times| {
        subsets(times, |cost, _| (2.0 * cost.floor() + 1.0, 2.0 * cost.floor()))
    }),
    ("priced, own span", |times| priced(times, Holding::OwnSpan, 1.0, f64::INFINITY, false)),
    ("priced, own span, tight budget", |times| priced(times, Holding::OwnSpan, 0.2, 0.7, false)),
    ("priced, own span, tight budget, runtime alone", |times| {
        priced(times, Holding::OwnSpan, 0.0, 0.7, false)
    }),
    ("priced, slowest span", |times| priced(times, Holding::SlowestSpan, 1.0, f64::INFINITY, false)),
    ("priced, slowest span, tight budget", |times| priced(times, Holding::SlowestSpan, 0.2, 0.8, false)),
    ("priced, slowest span, dearest", |times| priced(times, Holding::SlowestSpan, -0.2, 0.8, false)),
    ("priced, nodes spread, tight budget", |times| priced(times, Holding::OwnSpan, 0.2, 0.7, true)),
];

fn proven<T>(outcomes: impl IntoIterator<Item = Outcome<T>>) -> Proven {
    outcomes.into_iter().fold((0, 0, 0.0), |(proven, all, values), outcome| {
        let is_proven = outcome.proof() == Proof::Exact;
        (proven + usize::from(is_proven), all + 1, values + outcome.value.unwrap_or(0.0))
    })
}

/// So many environments of the study.
const DRAWS: u64 = 4;

/// A search so many times; its last answer.
fn find(times: u32, search: &dyn WindowSearch, query: &WindowQuery<'_>) -> Fallible<Outcome<Window>> {
    let mut meter = Limit::default().meter();
    for _ in 1..times {
        let _ = black_box(search.solve(query, &mut meter)?);
        meter.restart();
    }
    Ok(search.solve(query, &mut meter)?)
}

/// Finds a window in each environment.
fn each(found: impl Fn(u64) -> Fallible<Outcome<Window>>) -> Fallible<Proven> {
    Ok(proven((0..DRAWS).map(found).collect::<Fallible<Vec<_>>>()?))
}

fn on(times: u32, nodes: u32, n: usize, horizon: f64, search: &dyn WindowSearch) -> Fallible<Proven> {
    each(|number| {
        let (slots, request) = (environment(nodes, horizon, number).slots, request(n, 800.0, 0.115)?);
        find(times, search, &WindowQuery::new(&slots, &request))
    })
}

fn values(times: u32, nodes: u32, n: usize, holding: Holding, spread: bool) -> Fallible<Proven> {
    each(|number| {
        let environment = environment(nodes, 1200.0, number);
        let rules = Rules::per_window(1.0).with_holding(holding);
        let search = MaxValue::new(of_nodes(&environment)).with_rules(rules);
        let (slots, demands) = in_racks(environment.slots, spread)?;
        let (eligible, request) = (slots.eligible(&demands), request(n, 800.0, 0.115)?);
        find(times, &search, &WindowQuery::new(&slots, &request).with_eligible(&eligible))
    })
}

/// Values that follow the charge closely, so that the choice at an instant is hard.
fn near_cost(times: u32) -> Fallible<Proven> {
    let near =
        |slot: &Slot, span: Span| slot.price.get() * span.get() * (1.0 + f64::from(slot.node.0 % 7) / 500.0);
    on(times, 100, 7, 1200.0, &MaxValue::new(near))
}

fn racks(slots: SlotList) -> Fallible<SlotList> {
    let nodes: std::collections::BTreeSet<NodeId> = slots.iter().map(|slot| slot.node).collect();
    let of = |node: NodeId| (node, Features::default().with_label(format!("rack={}", node.0 % 10)));
    Ok(slots.with_features(nodes.into_iter().map(of))?)
}

/// The slots, where so asked in racks with the demand for one node of each.
fn in_racks(slots: SlotList, spread: bool) -> Fallible<(SlotList, Demands)> {
    let demands = Demands::default();
    Ok(if spread { (racks(slots)?, demands.with_spread("rack", 1)?) } else { (slots, demands) })
}

/// The searches that ask for no values of nodes, for a window of twenty that meets demands.
fn nine(times: u32, demands: Demands) -> Fallible<Proven> {
    let slots = racks(environment(5000, 1200.0, 0).slots)?;
    let request = request(20, 800.0, 0.115)?;
    let eligible = slots.eligible(&demands);
    let query = WindowQuery::new(&slots, &request).with_eligible(&eligible);
    let kinds = [
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
    let found = kinds.map(|kind| find(times, kind.build().as_ref(), &query));
    Ok(proven(found.into_iter().collect::<Fallible<Vec<_>>>()?))
}

/// The cheapest slowest-span window of nodes of so many speeds.
fn speeds(times: u32, count: u32) -> Fallible<Proven> {
    each(|number| {
        let mut rng = stream(11, number);
        let mut slots = Vec::new();
        for id in 0..300 {
            let speed = 1.0 + 2.0 * f64::from(id % count) / f64::from(count);
            let node = Node::must(id, speed, speed * (0.75 + 0.5 * unit(&mut rng)));
            let mut at = 100.0 * unit(&mut rng);
            for _ in 0..10 {
                let length = 20.0 + 100.0 * unit(&mut rng);
                slots.push(Slot::new(node, Time::try_from(at)?, Time::try_from(at + length)?)?);
                at += length + 50.0 * unit(&mut rng);
            }
        }
        slots.sort_by_key(|slot| (slot.start, slot.node));
        let (slots, request) = (SlotList::new(slots)?, ResourceRequest::must(5, 80.0));
        let query = WindowQuery::new(&slots, &request);
        find(times, &Optimal::new(Objective::Cost), &query)
    })
}

/// Problems of three sizes with three budgets each; `of` makes a value and a cost of two draws.
fn subsets(times: u32, of: fn(f64, f64) -> (f64, f64)) -> Fallible<Proven> {
    let mut found = Vec::new();
    for (k, n) in [(20, 5), (60, 10), (100, 7)] {
        let (values, costs) = items(k, of);
        for share in [0.1, 0.25, 0.5] {
            let problem = SubsetProblem::new(&values, &costs, n, budget(&costs, n, share))?;
            let mut meter = Limit::default().meter();
            for _ in 1..times {
                let _ = black_box(problem.solve(&mut meter));
                meter.restart();
            }
            found.push(problem.solve(&mut meter));
        }
    }
    Ok(proven(found))
}

/// The best window under prices, of sixty; the budget is such a share of what the window without one costs.
fn priced(times: u32, holding: Holding, cost_weight: f64, budget: f64, spread: bool) -> Fallible<Proven> {
    let (mut proven, mut all, mut values) = (0, 0, 0.0);
    for number in 0..3 {
        let (slots, demands) = in_racks(environment(60, 1200.0, number).slots, spread)?;
        let eligible = slots.eligible(&demands);
        let nodes: std::collections::BTreeSet<NodeId> = slots.iter().map(|slot| slot.node).collect();
        let mut request = ResourceRequest::must(5, 800.0).with_min_speed(Speed::try_from(1.0)?);
        if budget < f64::INFINITY {
            let rich = WindowQuery::new(&slots, &request).with_eligible(&eligible);
            let runtime = Optimal::new(Objective::Runtime)
                .with_rules(Rules::per_window(1.0).with_holding(holding))
                .find(&rich)?
                .solution()?;
            request = request.with_budget(Money::try_from(budget * runtime.cost().get())?);
        }
        let query = WindowQuery::new(&slots, &request).with_eligible(&eligible);
        let query = PricedQuery::new(Rules::per_window(1.0).with_holding(holding), &query)?;
        let weights = [cost_weight, 1.0, 0.5];
        let mut rng = stream(31, number);
        let mut below = f64::INFINITY;
        for _ in 0..4 {
            let mut drawn = Vec::new();
            for &node in &nodes {
                for _ in 0..3 {
                    drawn.push((node, Time::try_from(1200.0 * unit(&mut rng))?, 40.0 * unit(&mut rng)));
                }
            }
            let prices = NodeTimePrices::new(drawn)?;
            for _ in 1..times {
                for below in [f64::INFINITY, below] {
                    black_box(query.best(weights, &prices, below, &mut Limit::default().meter())?);
                }
            }
            let answer = query.best(weights, &prices, f64::INFINITY, &mut Limit::default().meter())?;
            if let Some(best) = &answer.best {
                // Once more, now that a window is known, as a planner asks.
                below = best.value;
            }
            let again = query.best(weights, &prices, below, &mut Limit::default().meter())?;
            let known = answer.best.map_or(f64::INFINITY, |best| best.value);
            proven += usize::from(answer.bound >= known - 1e-6 * known.abs() && again.best.is_none());
            all += 1;
            values += known;
        }
    }
    Ok((proven, all, values))
}

fn main() -> Fallible<()> {
    if let Some((case, times)) = asked(&CASES)? {
        let (proven, all, values) = case(times)?;
        println!("{proven} of {all} proven, values {values}");
    }
    Ok(())
}
