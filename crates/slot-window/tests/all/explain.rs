//! Explanations: what is suggested gives a window, one representable step less gives none; what would help is
//! suggested.

use crate::common::{Instance, all_windows, instance};
use proptest::prelude::*;
use sched_model::*;
use slot_window::explain::{DemandChange, Suggestion, earliest_start, explain};
use slot_window::{SearchKind, WindowQuery};

/// Sums of decimals instead of powers of two: roundings everywhere.
fn in_decimals(instance: Instance) -> Instance {
    let Instance { slots, request, from } = instance;
    let slots = slots.iter().map(|slot| {
        let node = Node {
            speed: Speed::must(slot.speed().get() * 1.1),
            price: Price::must(slot.price().get() / 3.0),
            ..slot.as_node()
        };
        Slot::new(
            node,
            Time::must(slot.start().get() / 0.7 - 10.0),
            Time::must(slot.end().get() / 0.7 - 10.0),
        )
        .unwrap()
    });
    let slots = SlotList::new(slots.collect()).unwrap();
    let request = match request.deadline() {
        Some(deadline) => request.with_deadline(Time::must(deadline.get() - 10.3)),
        None => request,
    };
    Instance { slots, request, from: Time::must(from.get() - 10.0) }
}

/// Whether there is a window with a change, by enumeration.
fn allows(instance: &Instance, change: &Suggestion, rules: check::Rules) -> bool {
    let slots = change.apply_to_slots(&instance.slots, instance.from).unwrap();
    let request = change.apply(&instance.request);
    !all_windows(&Instance { slots, request, from: instance.from }, rules).is_empty()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn each_suggestion_does_and_one_step_less_does_not(instance in instance(), decimal: bool) {
        let instance = if decimal { in_decimals(instance) } else { instance };
        let Instance { slots, request, from } = &instance;
        for &kind in SearchKind::ALL {
            let search = kind.build();
            let query = WindowQuery::new(slots, request).with_from(*from);
            let found = search.find(&WindowQuery::new(slots, request).with_from(*from)).unwrap().best;
            let why = explain(&*search, &query).unwrap();
            prop_assert_eq!(found.is_some(), why.is_none(), "{}", kind);
            let Some(why) = why else { continue };
            let counts = why.nodes;
            let causes = [counts.slow, counts.over_price, counts.short, counts.late, counts.over_budget, counts.other];
            prop_assert_eq!(causes.iter().sum::<usize>() + counts.usable, counts.all);
            for suggestion in &why.suggestions {
                let finds = |change: &Suggestion| {
                    let slots = change.apply_to_slots(slots, *from).unwrap();
                    search.find(&WindowQuery::new(&slots, &change.apply(request)).with_from(*from)).unwrap().best.is_some()
                };
                prop_assert!(finds(suggestion), "{kind}: {suggestion:?}");
                if let Some(less) = suggestion.one_step_less() {
                    prop_assert!(!finds(&less), "{kind}: {less:?}");
                }
            }
            // Without a limit there is a window: then the limit is among the suggestions.
            if decimal {
                continue;
            }
            let most = MAX_QUANTITY;
            let rules = search.rules();
            let lifted = [
                (Suggestion::Budget(Money::must(most)), rules.budget(request).is_some()),
                (Suggestion::Deadline(Time::must(most)), request.deadline().is_some()),
                (Suggestion::Nodes(1), request.nodes() > 1),
                (Suggestion::MinSpeed(Speed::must(MIN_SPEED)), true),
                (Suggestion::PriceLimit(Price::must(most)), rules.slot_price && request.price_limit().is_some()),
            ];
            for (change, is_set) in lifted {
                let listed = why.suggestions.iter().any(|one| {
                    std::mem::discriminant(one) == std::mem::discriminant(&change)
                });
                let is_allowed = is_set && allows(&instance, &change, rules);
                // The table counts charges in whole units, rounded up, and may miss a window.
                let is_missed = kind == SearchKind::MaxValueTable && !listed;
                prop_assert!(listed == is_allowed || is_missed, "{kind}: {change:?} {listed}");
            }
        }
    }

    #[test]
    fn no_window_starts_before_the_earliest(instance in instance()) {
        for &kind in SearchKind::ALL {
            let search = kind.build();
            let query = WindowQuery::new(&instance.slots, &instance.request).with_from(instance.from);
            let first = all_windows(&instance, search.rules()).iter().map(Window::start).min();
            prop_assert_eq!(earliest_start(&*search, &query).unwrap(), first, "{}", kind);
        }
    }
}

#[test]
fn each_node_counts_for_its_first_cause() {
    let node = |id, speed, price| Node::new(NodeId(id), Speed::must(speed), Price::must(price));
    let free = |node: Node, from, until| Slot::new(node, Time::must(from), Time::must(until)).unwrap();
    let slots = SlotList::new(vec![
        free(node(1, 0.5, 9.0), 0.0, 90.0),  // too slow, and too expensive
        free(node(2, 1.0, 9.0), 0.0, 5.0),   // too expensive, and too short
        free(node(3, 1.0, 1.0), 0.0, 19.0),  // too short by 1
        free(node(4, 1.0, 1.0), 50.0, 90.0), // too late
        free(node(5, 1.0, 3.0), 0.0, 90.0),  // 60 alone, where the window may cost 50
        free(node(6, 2.0, 2.0), 0.0, 90.0),
        free(node(7, 2.0, 2.0), -9.0, 0.0), // over before the start
    ])
    .unwrap();
    let request = ResourceRequest::new(2, Work::must(20.0))
        .unwrap()
        .with_min_speed(Speed::ETALON)
        .with_price_limit(Price::must(4.0))
        .with_deadline(Time::must(60.0))
        .with_budget(Money::must(50.0));
    let search = SearchKind::Alp.build();
    let why = explain(&*search, &WindowQuery::new(&slots, &request)).unwrap().unwrap();
    let counts = why.nodes;
    assert_eq!((counts.all, counts.slow, counts.over_price, counts.short), (6, 1, 1, 1));
    assert_eq!((counts.late, counts.over_budget, counts.other, counts.usable), (1, 1, 0, 1));
    // At 0 nodes 5 and 6 for 80; at 50 nodes 4 and 6 for 40, until 70.
    assert_eq!(why.reason, Refusal::Budget { short_by: Money::must(30.0) });
    // A task costs 20 on node 3 and on node 6.
    let like = node(3, 1.0, 1.0);
    assert_eq!(
        why.suggestions,
        [
            Suggestion::Budget(Money::must(80.0)),
            Suggestion::Deadline(Time::must(70.0)),
            Suggestion::Nodes(1),
            Suggestion::MoreNodes { count: 1, like },
        ]
    );
}

#[test]
fn demands_hold_in_every_trial() {
    // Nodes 1 and 2 in rack a, nodes 3 and 4 in rack b, where only node 3 has a disk; node 2 is busy
    // until 50.
    let nodes = [1, 2, 3, 4].map(|id| Node::new(NodeId(id), Speed::ETALON, Price::must(1.0)));
    let busy = [Occupied::new(NodeId(2), Time::ZERO, Time::must(50.0)).unwrap()];
    let slots = SlotList::from_nodes(&nodes, &busy, Time::ZERO, Time::must(100.0)).unwrap();
    let features = |rack: &str| Features::new().with_label(format!("rack={rack}"));
    let slots = slots
        .with_features([
            (NodeId(1), features("a").with_label("disk")),
            (NodeId(2), features("a").with_label("disk")),
            (NodeId(3), features("b").with_label("disk")),
            (NodeId(4), features("b")),
        ])
        .unwrap();
    let request = ResourceRequest::new(2, Work::must(20.0)).unwrap().with_deadline(Time::must(60.0));
    let eligible = slots.eligible(&Demands::new().with_label("disk").with_pack("rack"));
    let query = WindowQuery::new(&slots, &request).with_eligible(&eligible);
    for kind in [SearchKind::Amp, SearchKind::Alp, SearchKind::MinCost, SearchKind::MinFinishRough] {
        let search = kind.build();
        let why = explain(&*search, &query).unwrap().unwrap();
        assert_eq!(why.reason.code(), "deadline", "{kind}");
        // Nodes 1 and 3 would do; node 2 is free too late, node 4 has no disk.
        let counts = why.nodes;
        assert_eq!((counts.all, counts.missing, counts.late, counts.usable), (4, 1, 1, 2), "{kind}");
        assert_eq!(
            why.suggestions,
            [
                Suggestion::Deadline(Time::must(70.0)),
                Suggestion::Nodes(1),
                Suggestion::MoreNodes { count: 1, like: nodes[0] },
                // Nodes 3 and 4, or 1 and 3.
                Suggestion::Demand(DemandChange::LiftLabel("disk".to_owned())),
                Suggestion::Demand(DemandChange::LiftPack),
            ],
            "{kind}"
        );
        assert_eq!(earliest_start(&*search, &query).unwrap(), None);
        let patient = request.with_deadline(Time::must(100.0));
        let query = WindowQuery::new(&slots, &patient).with_eligible(&eligible);
        assert_eq!(earliest_start(&*search, &query).unwrap(), Some(Time::must(50.0)));
        assert_eq!(explain(&*search, &query).unwrap(), None);
    }
}

/// A task of measured time takes as long on a node that is like the measured one; and the greatest identifier
/// is no reason to suggest no more nodes.
#[test]
fn more_nodes_take_the_time_of_the_one_that_they_are_like() {
    let node = Node::new(NodeId(u32::MAX), Speed::ETALON, Price::must(1.0));
    let slots = SlotList::from_nodes(&[node], &[], Time::ZERO, Time::must(90.0)).unwrap();
    let demands = Demands::new().with_spans(Spans::new([(node.id, Span::must(7.0))]).unwrap());
    let eligible = slots.eligible(&demands);
    let search = SearchKind::MinCost.build();
    // Work / speed is 2: three tasks cost 21, not 7 + 2 + 2.
    let request = ResourceRequest::new(3, Work::must(2.0)).unwrap();
    for (budget, suggested) in [(20.9, false), (21.0, true)] {
        let request = request.with_budget(Money::must(budget));
        let query = WindowQuery::new(&slots, &request).with_eligible(&eligible);
        let why = explain(&*search, &query).unwrap().unwrap();
        let more = Suggestion::MoreNodes { count: 2, like: node };
        assert_eq!(why.suggestions.contains(&more), suggested, "{why}");
        assert_eq!(more.apply_to_slots(&slots, Time::ZERO).unwrap().len(), 3);
        let measured = more.apply_to_demands(&demands, &slots).unwrap();
        assert_eq!(measured.spans().iter().map(|(_, span)| span).collect::<Vec<_>>(), [Span::must(7.0); 3]);
    }
}
