//! What jobs demand of their nodes: every search against brute force on small instances.

use crate::common::{Instance, all_windows_by, for_each_subset, instance, objective};
use proptest::prelude::*;
use sched_model::check::{Checker, Holding};
use sched_model::*;
use slot_window::priced::{NodeTimePrices, PricedSearch};
use slot_window::{
    AlternativesSearch, Criterion, MaxValue, NodeValues, SearchKind, WindowError, WindowQuery, WindowSearch,
};
use std::sync::Arc;

/// What each node has: a rack, a zone, a GPU; each may be missing.
type Having = [(Option<usize>, Option<usize>, bool)];

/// What is asked: a GPU, pack by rack or zone, spread by the other or the same, starts, and spans of some
/// nodes.
#[derive(Debug, Clone)]
struct Asked {
    gpu: Option<bool>,
    pack: Option<usize>,
    spread: Option<(usize, usize)>,
    not_before: Option<u32>,
    start: Option<u32>,
    spans: Vec<Option<u32>>,
}

const LABELS: [&str; 2] = ["rack", "zone"];

fn asked() -> impl Strategy<Value = Asked> {
    let spans = prop::collection::vec(prop::option::weighted(0.7, 1u32..24), 6);
    (
        prop::option::weighted(0.2, any::<bool>()),
        prop::option::weighted(0.5, 0usize..2),
        prop::option::weighted(0.5, (0usize..2, 1usize..3)),
        prop::option::weighted(0.1, 0u32..12),
        prop::option::weighted(0.1, 0u32..12),
        prop_oneof![Just(Vec::new()), spans],
    )
        .prop_map(|(gpu, pack, spread, not_before, start, spans)| Asked {
            gpu,
            pack,
            spread,
            not_before,
            start,
            spans,
        })
}

fn having() -> impl Strategy<Value = Vec<(Option<usize>, Option<usize>, bool)>> {
    let value = || prop::option::weighted(0.9, 0usize..3);
    prop::collection::vec((value(), value(), any::<bool>()), 6)
}

fn whole(instant: u32) -> Time {
    Time::must(f64::from(instant))
}

impl Asked {
    fn demands(&self) -> Demands {
        let mut demands = match self.gpu {
            Some(true) => Demands::new().with_label("gpu"),
            Some(false) => Demands::new().without_label("gpu"),
            None => Demands::new(),
        };
        if let Some(label) = self.pack {
            demands = demands.with_pack(LABELS[label]);
        }
        if let Some((label, most)) = self.spread {
            demands = demands.with_spread(LABELS[label], most).unwrap();
        }
        if let Some(instant) = self.not_before {
            demands = demands.with_not_before(whole(instant));
        }
        if let Some(instant) = self.start {
            demands = demands.with_start(whole(instant));
        }
        let spans = self.spans.iter().zip(0..).filter_map(|(span, node)| Some((NodeId(node), (*span)?)));
        let spans = spans.map(|(node, halves)| (node, Span::must(f64::from(halves) / 2.0)));
        demands.with_spans(Spans::new(spans).unwrap())
    }

    /// How long a task takes on the node of a slot.
    /// Whether it says more than which nodes suit.
    fn is_beyond_nodes(&self) -> bool {
        let demands = self.demands();
        demands.pack().is_some() || demands.spread().is_some() || !demands.spans().is_empty()
    }

    fn span_on(&self, request: &ResourceRequest, slot: &Slot) -> Span {
        let known = self.spans.get(slot.node().0 as usize).copied().flatten();
        known.map_or(request.work() / slot.speed(), |halves| Span::must(f64::from(halves) / 2.0))
    }

    /// Every window that keeps to the request and to what is asked.
    fn windows(&self, instance: &Instance, having: &Having, rules: check::Rules) -> Vec<Window> {
        let earliest = self.not_before.max(self.start).map_or(instance.from, whole);
        let instance = Instance { from: instance.from.max(earliest), ..instance.clone() };
        let mut windows = all_windows_by(&instance, rules, &|slot| self.span_on(&instance.request, slot));
        windows.retain(|window| {
            let nodes: Vec<_> = window.nodes().map(|node| having[node.0 as usize]).collect();
            let values = |label: usize| -> Vec<Option<usize>> {
                nodes.iter().map(|node| if label == 0 { node.0 } else { node.1 }).collect()
            };
            let same = |values: &[Option<usize>], of| values.iter().filter(|value| **value == of).count();
            self.gpu.is_none_or(|gpu| nodes.iter().all(|node| node.2 == gpu))
                && self
                    .pack
                    .map(values)
                    .is_none_or(|values| values[0].is_some() && same(&values, values[0]) == values.len())
                && self.spread.is_none_or(|(label, most)| {
                    let values = values(label);
                    values.iter().all(|value| value.is_some() && same(&values, *value) <= most)
                })
                && self.start.is_none_or(|start| window.start() == whole(start))
        });
        windows
    }
}

/// The list of an instance with what its nodes have.
fn listed(instance: &Instance, having: &Having) -> SlotList {
    let features = having.iter().zip(0..).map(|(&(rack, zone, gpu), node)| {
        let mut features = Features::new();
        for (label, value) in LABELS.into_iter().zip([rack, zone]) {
            if let Some(value) = value {
                features = features.with_label(format!("{label}={value}"));
            }
        }
        (NodeId(node), if gpu { features.with_label("gpu") } else { features })
    });
    instance.slots.clone().with_features(features).unwrap()
}

fn found(search: &dyn WindowSearch, query: &WindowQuery<'_>) -> Option<Window> {
    search.solve(query, &mut Limit::none().meter()).unwrap().best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6_000))]

    #[test]
    fn the_best_of_all_windows(instance in instance(), asked in asked(), having in having()) {
        let slots = listed(&instance, &having);
        let eligible = slots.eligible(&asked.demands());
        let query = WindowQuery::new(&slots, &instance.request).with_from(instance.from).with_eligible(&eligible);
        for &kind in SearchKind::ALL {
            let search = kind.build();
            let windows = asked.windows(&instance, &having, search.rules());
            let window = found(search.as_ref(), &query);
            if let Some(window) = &window {
                let checker = Checker::new(&slots, search.rules());
                prop_assert_eq!(checker.demanded(window, &instance.request, eligible.demands()), vec![], "{}", kind);
                prop_assert!(window.start() >= instance.from);
            }
            if let Some(objective) = objective(kind) {
                let value = |window: &Window| (objective.of(window), window.start());
                let best = windows.iter().map(value).min_by(|a, b| a.partial_cmp(b).unwrap());
                prop_assert_eq!(window.as_ref().map(value), best, "{}", kind);
            } else if kind != SearchKind::MaxValueTable {
                // The table rounds costs up to its unit.
                prop_assert_eq!(window.is_some(), !windows.is_empty(), "{}", kind);
            }
            if kind == SearchKind::Alp && asked.is_beyond_nodes() {
                // Not the first complete one, as without such demands: the cheapest at the earliest start.
                let value = |window: &Window| (window.start(), window.cost());
                prop_assert_eq!(window.as_ref().map(value), windows.iter().map(value).min());
            }
            // Why there is none.
            if windows.is_empty() {
                let refusal = search.refusal(&query, &mut Limit::none().meter()).unwrap();
                let needed = instance.request.nodes();
                match refusal {
                    Refusal::Missing { having, .. } => prop_assert!(having < needed),
                    Refusal::Horizon { most, .. } => prop_assert!(most < needed),
                    Refusal::NoCapacity => prop_assert!(false, "{kind}: no reason"),
                    _ => {}
                }
            }
            let other = query.with_slots(&instance.slots);
            prop_assert_eq!(
                search.solve(&other, &mut Limit::default().meter()).unwrap_err(),
                WindowError::OtherList
            );
        }
    }

    #[test]
    fn the_greatest_and_least_value_of_all_windows(
        instance in instance(),
        asked in asked(),
        having in having(),
        values in prop::collection::vec(0u32..8, 6),
        criterion in 0usize..3,
        holding in prop::sample::select(vec![Holding::OwnSpan, Holding::SlowestSpan]),
        sense in prop::sample::select(vec![Sense::Maximise, Sense::Minimise]),
    ) {
        let slots = listed(&instance, &having);
        let eligible = slots.eligible(&asked.demands());
        let query = WindowQuery::new(&slots, &instance.request).with_from(instance.from).with_eligible(&eligible);
        let values = values.iter().map(|&value| f64::from(value) - 2.0);
        let criterion: Arc<dyn Criterion> = match criterion {
            0 => Arc::new(NodeValues::new((0..).map(NodeId).zip(values)).unwrap()),
            1 => Arc::new(|slot: &Slot, span: Span| slot.speed().get() * span.get()),
            _ => Arc::new(|slot: &Slot, span: Span| slot.end().get() - 2.0 * span.get() - slot.price().get()),
        };
        let search = MaxValue::shared(criterion).with_sense(sense).with_holding(holding);
        let value = |window: &Window| (-sense.sign() * search.value_of(window, &slots).unwrap(), window.start());
        let windows = asked.windows(&instance, &having, search.rules());
        let best = windows.iter().map(value).min_by(|a, b| a.partial_cmp(b).unwrap());
        let found = found(&search, &query);
        prop_assert_eq!(found.as_ref().map(value), best);
    }

    #[test]
    fn alternatives_meet_the_demands(
        instance in instance(),
        asked in prop::collection::vec(asked(), 3),
        having in having(),
    ) {
        let slots = listed(&instance, &having);
        let jobs = (0..3).map(|id| Job::new(JobId(id), instance.request)).collect();
        let batch = Batch::new(jobs).unwrap();
        let demands = || asked.iter().zip(0..).map(|(asked, id)| (JobId(id), asked.demands()));
        for kind in [SearchKind::Alp, SearchKind::Amp, SearchKind::MinCost, SearchKind::MultipleBest] {
            let search = kind.build();
            let rules = search.rules();
            let all = AlternativesSearch::new(&search).with_demands(demands());
            let all = all.find(&slots, &batch, instance.from).unwrap();
            let checker = Checker::new(&slots, rules).with_demands(demands());
            for ((position, job), asked) in batch.iter().enumerate().zip(&asked) {
                for window in all.of(position) {
                    prop_assert_eq!(checker.job(window, job), vec![], "{}", kind);
                }
                // Nothing more is to be had.
                let rest = Instance { slots: all.rest().clone(), ..instance.clone() };
                prop_assert!(asked.windows(&rest, &having, rules).is_empty(), "{kind}");
            }
        }
    }
}

/// The least value under prices over starts in halves (all events are such) and all sets of nodes.
fn least_priced(
    query: &WindowQuery<'_>,
    search: &PricedSearch,
    rules: check::Rules,
    prices: &NodeTimePrices,
) -> Option<f64> {
    let WindowQuery { slots, request, from, eligible, .. } = *query;
    let none = Demands::new();
    let demands = eligible.map_or(&none, Eligible::demands);
    let checker = Checker::new(slots, rules);
    let mut best: Option<f64> = None;
    for half in (0..130).map(|half| Time::must(f64::from(half) / 2.0)).filter(|&half| half >= from) {
        let free: Vec<&Slot> =
            slots.iter().filter(|slot| slot.start() <= half && half < slot.end()).collect();
        let own = |slot: &Slot| demands.spans().on(slot.node()).unwrap_or(request.span_on(slot.speed()));
        for_each_subset(free.len(), request.nodes(), &mut |chosen| {
            let longest = chosen.iter().map(|&at| own(free[at])).max().unwrap();
            let square = rules.holding == Holding::SlowestSpan;
            let place =
                |&at: &usize| Placement::on(free[at], half, if square { longest } else { own(free[at]) });
            let Ok(window) = Window::new(half, chosen.iter().map(place).collect()) else { return };
            if checker.demanded(&window, request, demands).is_empty() {
                let value = search.value(&window, from, prices);
                best = Some(best.map_or(value, |best: f64| best.min(value)));
            }
        });
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn the_least_value_under_prices(
        instance in instance(),
        asked in asked(),
        having in having(),
        prices in prop::collection::vec((0_u32..6, 0_u32..30, 0_u32..20), 0..8),
        weights in (-2_i32..4, 0_u32..4, 0_u32..3),
        holding in prop::sample::select(vec![Holding::OwnSpan, Holding::SlowestSpan]),
    ) {
        let slots = listed(&instance, &having);
        let eligible = slots.eligible(&asked.demands());
        let query = WindowQuery::new(&slots, &instance.request).with_from(instance.from).with_eligible(&eligible);
        let prices = prices.into_iter().map(|(node, at, price)| (NodeId(node), whole(at), f64::from(price)));
        let prices = NodeTimePrices::new(prices).unwrap();
        let rules = check::Rules::per_window(1.0).with_holding(holding);
        let search = PricedSearch::new(rules)
            .with_cost_weight(f64::from(weights.0)).unwrap()
            .with_runtime_weight(f64::from(weights.1)).unwrap()
            .with_start_weight(f64::from(weights.2)).unwrap();
        let best = least_priced(&query, &search, rules, &prices);
        for below in [f64::INFINITY, 20.0].into_iter().chain(best).chain(best.map(f64::next_up)) {
            let limit = Limit::none();
            let answer = search.bounded_within(&query, &prices, below, &mut limit.meter()).unwrap();
            prop_assert_eq!(answer.best.as_ref().map(|best| best.value), best.filter(|&best| best < below));
            let least = best.map_or(below, |best| best.min(below));
            prop_assert!(answer.bound == least || answer.bound <= least && least - answer.bound < 1e-9);
            if let Some(found) = answer.best {
                let checker = Checker::new(&slots, rules);
                let wrong = checker.demanded(&found.window, &instance.request, eligible.demands());
                prop_assert_eq!(wrong, vec![]);
            }
        }
        // Whatever ends the choices of nodes, the bound holds.
        for (work, gap) in [(0, 0.0), (20, 0.0), (100, 0.0), (100_000, 0.02)] {
            let limit = Limit::default().with_work(work).with_relative_gap(gap);
            let answer = search.bounded_within(&query, &prices, f64::INFINITY, &mut limit.meter()).unwrap();
            prop_assert!(best.is_none_or(|best| answer.bound <= best) && answer.work <= work);
            let value = answer.best.as_ref().map(|found| found.value);
            prop_assert!(value.is_none_or(|value| Some(value) >= best));
            if let Some(found) = answer.best {
                let wrong = Checker::new(&slots, rules).demanded(&found.window, &instance.request, eligible.demands());
                prop_assert_eq!(wrong, vec![]);
            }
        }
        let other = query.with_slots(&instance.slots);
        let refused = search.bounded_within(&other, &prices, 9.0, &mut Limit::default().meter());
        prop_assert_eq!(refused.unwrap_err(), WindowError::OtherList);
    }
}

/// A search that knows nothing of demands.
#[derive(Debug)]
struct Blind;

impl WindowSearch for Blind {
    fn name(&self) -> &str {
        "blind"
    }
    fn rules(&self) -> check::Rules {
        check::Rules::per_window(1.0)
    }
    fn solve(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Outcome<Window>, WindowError> {
        let query = WindowQuery::new(query.slots, query.request).with_from(query.from);
        slot_window::Amp::new().solve(&query, meter)
    }
}

#[test]
fn a_search_that_does_not_keep_to_the_demands_is_found_out() {
    let nodes = [1, 2].map(|id| Node::new(NodeId(id), Speed::ETALON, Price::must(f64::from(id))));
    let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(20.0)).unwrap();
    let slots = slots.with_features([(NodeId(2), Features::new().with_label("gpu"))]).unwrap();
    let request = ResourceRequest::new(1, Work::must(10.0)).unwrap();
    let batch = Batch::new(vec![Job::new(JobId(1), request)]).unwrap();
    let search = AlternativesSearch::new(Blind).with_demands([(JobId(1), Demands::new().with_label("gpu"))]);
    let error = search.find(&slots, &batch, Time::ZERO).unwrap_err();
    assert!(error.to_string().contains("node 1 is not one with gpu"), "{error}");
}

/// A job that is submitted after the only start it may have has no window: not one that starts later.
#[test]
fn a_fixed_start_that_is_over_leaves_no_window() {
    let node = Node::new(NodeId(1), Speed::ETALON, Price::must(1.0));
    let slots = SlotList::from_nodes(&[node], &[], Time::ZERO, Time::must(50.0)).unwrap();
    let request = ResourceRequest::new(1, Work::must(10.0)).unwrap();
    let batch = Batch::new(vec![Job::new(JobId(1), request).with_submit(Time::must(8.0))]).unwrap();
    let demands = Demands::new().with_start(Time::must(5.0));
    let search = AlternativesSearch::new(slot_window::Amp::new()).with_demands([(JobId(1), demands)]);
    let found = search.find(&slots, &batch, Time::ZERO).unwrap();
    assert!(found.of(0).is_empty());
    assert_eq!(found.refusal(0), Some(&Refusal::Horizon { needed: 1, most: 0 }));
}
