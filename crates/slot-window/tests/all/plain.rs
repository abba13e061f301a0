//! The searches against the plain scheme, every start on every speed, on instances of some dozens of nodes:
//! what bounds leave out there is more than brute force over all windows can see.

use proptest::prelude::*;
use sched_model::check::Holding;
use sched_model::*;
use slot_window::subset::SubsetProblem;
use slot_window::{Amp, MaxValue, NodeValues, Objective, Optimal, WindowQuery, WindowSearch};

#[derive(Debug, Clone)]
struct Instance {
    slots: SlotList,
    request: ResourceRequest,
    from: Time,
    values: Vec<f64>,
}

/// All numbers are multiples of few powers of two, so that every sum is exact.
fn instance() -> impl Strategy<Value = Instance> {
    let node = (0usize..4, 1u32..32, 0u32..64, prop::collection::vec((0u32..12, 1u32..40), 1..4));
    let nodes = prop::collection::vec(node, 8..60);
    let n = prop_oneof![1usize..4, 4usize..10];
    (nodes, n, 2u32..10, 0u32..400, prop::bool::ANY, 0u32..20, prop::bool::ANY).prop_map(
        |(nodes, n, work, share, following, from, scattered)| {
            let mut slots = Vec::new();
            let mut values = Vec::new();
            let mut prices = Vec::new();
            for (number, (speed, price, value, intervals)) in nodes.into_iter().enumerate() {
                // Ids far apart take another way into the lists.
                let id = if scattered { number as u32 * 40_000_003 % 2_000_000_011 } else { number as u32 };
                let speed = [1.0, 2.0, 4.0, 8.0][speed];
                // Values that follow prices make the choices hard.
                let price = f64::from(price) / 4.0;
                values.push(if following { f64::from(value / 16) + price * 4.0 } else { f64::from(value) });
                prices.push(price);
                let node = Node::new(NodeId(id), Speed::must(speed), Price::must(price));
                let mut free_from = 0;
                for (gap, length) in intervals {
                    let start = free_from + gap;
                    free_from = start + length;
                    slots.push(
                        Slot::new(node, Time::must(f64::from(start)), Time::must(f64::from(free_from)))
                            .unwrap(),
                    );
                }
            }
            prices.sort_unstable_by(f64::total_cmp);
            let work = Work::must(f64::from(4 * work));
            let least: f64 = prices.iter().take(n).sum::<f64>() * work.get() / 4.0;
            let budget = (least * f64::from(share) / 100.0 * 4.0).floor() / 4.0;
            Instance {
                slots: SlotList::new(slots).unwrap(),
                request: ResourceRequest::new(n, work).unwrap().with_budget(Money::must(budget)),
                from: Time::must(f64::from(from)),
                values,
            }
        },
    )
}

/// Calls `visit` with each level's span (none: each its own), each start and the slots that can be held then,
/// by node.
fn plain(instance: &Instance, holding: Holding, mut visit: impl FnMut(Option<Span>, Time, &[Slot])) {
    let Instance { slots, request, from, .. } = instance;
    let mut starts: Vec<Time> = slots.iter().map(|slot| slot.start()).filter(|start| start > from).collect();
    starts.push(*from);
    starts.sort_unstable();
    starts.dedup();
    let mut speeds: Vec<Speed> = slots.iter().map(|slot| slot.speed()).collect();
    speeds.sort_unstable();
    speeds.dedup();
    let levels: Vec<(Speed, Option<Span>)> = match holding {
        Holding::OwnSpan => vec![(request.min_speed(), None)],
        Holding::SlowestSpan => speeds.iter().map(|&speed| (speed, Some(request.work() / speed))).collect(),
    };
    for (speed, span) in levels {
        for &start in &starts {
            let fits = |slot: &&Slot| {
                let end = start + span.unwrap_or(request.work() / slot.speed());
                slot.speed() >= speed
                    && slot.start() <= start
                    && end <= slot.end()
                    && request.deadline().is_none_or(|deadline| end <= deadline)
            };
            let mut live: Vec<Slot> = slots.iter().filter(fits).copied().collect();
            live.sort_unstable_by_key(|slot| slot.node());
            visit(span, start, &live);
        }
    }
}

fn holding() -> impl Strategy<Value = Holding> {
    prop::sample::select(vec![Holding::OwnSpan, Holding::SlowestSpan])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn greatest_and_least_value(
        instance in instance(),
        holding in holding(),
        sense in prop::sample::select(vec![Sense::Maximise, Sense::Minimise]),
        by_span in prop::bool::weighted(0.2),
    ) {
        let sign = if sense == Sense::Maximise { 1.0 } else { -1.0 };
        let nodes: Vec<NodeId> = {
            let mut nodes: Vec<NodeId> = instance.slots.iter().map(|slot| slot.node()).collect();
            nodes.sort_unstable();
            nodes.dedup();
            nodes
        };
        let by_node = NodeValues::new(nodes.iter().copied().zip(instance.values.iter().copied())).unwrap();
        // A value that falls with the span by as much for every node: a whole level is worth less than
        // another.
        let fading = by_node.clone();
        let value = move |slot: &Slot, span: Span| {
            fading.of(slot.node()) - if by_span { span.get() / 4.0 } else { 0.0 }
        };
        let search = if by_span { MaxValue::new(value.clone()) } else { MaxValue::new(by_node) };
        let search = search.with_sense(sense).with_holding(holding);
        let request = instance.request;
        let n = request.nodes();
        let mut best: Option<(f64, Time)> = None;
        plain(&instance, holding, |span, start, live| {
            let held = |slot: &Slot| span.unwrap_or(request.work() / slot.speed());
            // In a square window one node must be of the level's speed: else it is held for less.
            let slowest = live.iter().map(|slot| slot.speed()).min();
            let forced: Vec<Option<usize>> = match span {
                Some(span) if by_span => (0..live.len())
                    .filter(|&i| request.work() / live[i].speed() == span)
                    .map(Some)
                    .collect(),
                _ => vec![None],
            };
            if slowest.is_none() {
                return;
            }
            for forced in forced {
                let rest: Vec<&Slot> =
                    (0..live.len()).filter(|&i| Some(i) != forced).map(|i| &live[i]).collect();
                let values: Vec<f64> = rest.iter().map(|slot| sign * value(slot, held(slot))).collect();
                let costs: Vec<f64> = rest.iter().map(|slot| (slot.price() * held(slot)).get()).collect();
                let (mut own, mut budget) = (0.0, request.budget().unwrap().get());
                if let Some(i) = forced {
                    own = sign * value(&live[i], held(&live[i]));
                    budget -= (live[i].price() * held(&live[i])).get();
                }
                let count = n - usize::from(forced.is_some());
                let problem = SubsetProblem::new(&values, &costs, count, budget).unwrap();
                let found = problem.solve(&mut Limit::none().meter());
                let Some(subset) = found.best else { continue };
                let worth = subset.value + own;
                if best.is_none_or(|best| worth > best.0 || (worth == best.0 && start < best.1)) {
                    best = Some((worth, start));
                }
            }
        });
        let found =
            search.find(&WindowQuery::new(&instance.slots, &request).with_from(instance.from)).unwrap().best;
        let found = found.map(|window| {
            (sign * search.value_of(&window, &instance.slots).unwrap(), window.start())
        });
        prop_assert_eq!(found, best);
    }

    #[test]
    fn least_cost(instance in instance(), holding in holding()) {
        let request = instance.request;
        let budget = request.budget().unwrap().get();
        let mut best: Option<(f64, Time)> = None;
        plain(&instance, holding, |span, start, live| {
            let held = |slot: &Slot| span.unwrap_or(request.work() / slot.speed());
            let mut costs: Vec<f64> = live.iter().map(|slot| (slot.price() * held(slot)).get()).collect();
            costs.sort_unstable_by(f64::total_cmp);
            if costs.len() < request.nodes() {
                return;
            }
            let cost: f64 = costs[..request.nodes()].iter().sum();
            if cost <= budget && best.is_none_or(|best| (cost, start) < best) {
                best = Some((cost, start));
            }
        });
        let search = Optimal::new(Objective::Cost).with_holding(holding);
        let found =
            search.find(&WindowQuery::new(&instance.slots, &request).with_from(instance.from)).unwrap().best;
        prop_assert_eq!(found.map(|window| (window.cost().get(), window.start())), best);
    }
}

/// Hundreds of nodes that become free at few instants, most of them too expensive or for too short a time.
fn many_at_once() -> impl Strategy<Value = Instance> {
    let node = (0usize..4, 1u32..40, 0u32..4, 1u32..12);
    (prop::collection::vec(node, 250..900), 1usize..8, 4u32..400).prop_map(|(nodes, n, budget)| {
        let slot = |(id, (speed, price, start, length)): (u32, (usize, u32, u32, u32))| {
            let (speed, price) = ([1.0, 2.0, 4.0, 8.0][speed], f64::from(price));
            let node = Node::new(NodeId(id), Speed::must(speed), Price::must(price));
            let (start, end) = (f64::from(start / 2), f64::from(start / 2 + length));
            Slot::new(node, Time::must(start), Time::must(end)).unwrap()
        };
        Instance {
            slots: SlotList::new((0..).zip(nodes).map(slot).collect()).unwrap(),
            request: ResourceRequest::must(n, 8.0).with_budget(Money::must(f64::from(budget))),
            from: Time::ZERO,
            values: Vec::new(),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Where a run of the list holds nothing cheap enough, it is passed over; ties go to the lower node.
    #[test]
    fn of_many_nodes_free_at_once_the_cheapest(instance in many_at_once(), holding in holding()) {
        let request = instance.request;
        let mut best: Option<(Time, Vec<NodeId>)> = None;
        plain(&instance, holding, |span, start, live| {
            let held = |slot: &Slot| span.unwrap_or(request.work() / slot.speed());
            let mut costs: Vec<(Money, NodeId)> =
                live.iter().map(|slot| (slot.price() * held(slot), slot.node())).collect();
            costs.sort_unstable();
            costs.truncate(request.nodes());
            let cost = costs.iter().map(|(cost, _)| cost.get()).sum::<f64>();
            // Levels come by rising speed: of equal starts the last is the shortest.
            if costs.len() == request.nodes()
                && cost <= request.budget().unwrap().get()
                && best.as_ref().is_none_or(|best| start < best.0 || (start == best.0 && span.is_some()))
            {
                let mut nodes: Vec<NodeId> = costs.into_iter().map(|(_, node)| node).collect();
                nodes.sort_unstable();
                best = Some((start, nodes));
            }
        });
        let query = WindowQuery::new(&instance.slots, &request).with_from(instance.from);
        let found = match holding {
            Holding::OwnSpan => Amp::new().find(&query),
            Holding::SlowestSpan => Optimal::new(Objective::Start).find(&query),
        };
        let nodes = |window: Window| window.placements().iter().map(|placement| placement.node).collect();
        prop_assert_eq!(found.unwrap().best.map(|window| (window.start(), nodes(window))), best);
    }
}
