//! Labels and amounts of nodes against a plain filter, through all changes of a list.

use crate::testkit::{Draw, drawn};
use sched_model::check::{Checker, Rules, Violation};
use sched_model::*;
use std::collections::BTreeMap;

const NODES: u32 = 150;
const LABELS: [&str; 7] = ["gpu", "rack=a", "rack=b", "zone=east", "rack", "owner=x", "spot"];

fn node(id: u32) -> Node {
    Node::new(NodeId(id), Speed::ETALON, Price::must(1.0))
}

fn time(at: u32) -> Time {
    Time::must(f64::from(at))
}

/// What a node has, as plain bits and a number.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Plain {
    labels: u8,
    memory: u8,
}

impl Plain {
    fn features(self) -> Features {
        let labels = LABELS.iter().enumerate().filter(|(bit, _)| self.labels >> bit & 1 == 1);
        let features = labels.fold(Features::new(), |features, (_, label)| features.with_label(*label));
        features.with_amount("memory", f64::from(self.memory)).unwrap()
    }

    /// Whether it has the label at this place of the table: `rack` stands for every value of it.
    fn has(self, at: usize) -> bool {
        self.labels >> at & 1 == 1 || LABELS[at] == "rack" && self.labels & 0b110 > 0
    }
}

#[derive(Debug, Clone)]
struct Wanted {
    with: Vec<usize>,
    without: Vec<usize>,
    memory: Option<u8>,
    not_before: Option<u32>,
    start: Option<u32>,
}

impl Wanted {
    fn demands(&self) -> Demands {
        let mut demands =
            self.with.iter().fold(Demands::new(), |demands, &at| demands.with_label(LABELS[at]));
        demands = self.without.iter().fold(demands, |demands, &at| demands.without_label(LABELS[at]));
        if let Some(memory) = self.memory {
            demands = demands.with_at_least("memory", f64::from(memory)).unwrap();
        }
        if let Some(at) = self.not_before {
            demands = demands.with_not_before(time(at));
        }
        if let Some(at) = self.start {
            demands = demands.with_start(time(at));
        }
        demands
    }

    fn suits(&self, node: Plain) -> bool {
        self.with.iter().all(|&at| node.has(at))
            && !self.without.iter().any(|&at| node.has(at))
            && self.memory.is_none_or(|memory| node.memory >= memory)
    }

    fn part(&self, start: u32, end: u32) -> Option<(u32, u32)> {
        let start = start.max(self.not_before.unwrap_or(0));
        let start = match self.start {
            Some(fixed) if fixed < start => return None,
            Some(fixed) => fixed,
            None => start,
        };
        (start < end).then_some((start, end))
    }
}

fn wanted(draw: &mut Draw) -> Wanted {
    let mut some = || (0..draw.below(3)).map(|_| draw.below(LABELS.len())).collect();
    let (with, without) = (some(), some());
    let mut at = || draw.chance(30).then(|| draw.below(50) as u32);
    let (not_before, start) = (at(), at());
    Wanted { with, without, memory: draw.chance(50).then(|| draw.below(4) as u8), not_before, start }
}

fn slots(list: &SlotList) -> Vec<(u32, u32, u32)> {
    list.iter().map(|slot| (slot.start().get() as u32, slot.node().0, slot.end().get() as u32)).collect()
}

fn changed(list: &mut SlotList, draw: &mut Draw) {
    for _ in 0..draw.below(60) {
        let (id, start) = (draw.below(NODES as usize) as u32, draw.below(50) as u32);
        let (from, to) = (time(start), time(start + draw.between(1, 19) as u32));
        match draw.below(5) {
            0 => drop(list.take(NodeId(id), from, to)),
            1 => drop(list.block(NodeId(id), from, to)),
            2 => drop(list.free(node(id), from, to)),
            3 => list.reprice(NodeId(id), Price::must(2.0), from),
            _ => list.advance(time(start / 4)),
        }
    }
}

#[test]
fn what_suits_is_what_a_plain_filter_finds() {
    drawn(256, |draw| {
        let one = |draw: &mut Draw| Plain { labels: draw.below(128) as u8, memory: draw.below(4) as u8 };
        let plain: Vec<Plain> = (0..NODES / 2).map(|_| one(draw)).collect();
        let (wanted, needed) = (wanted(draw), draw.between(1, NODES as usize - 1));
        let nodes: Vec<Node> = (0..NODES).map(node).collect();
        let list = SlotList::from_nodes(&nodes, &[], Time::ZERO, time(50)).unwrap();
        // Half of the nodes have features, the others none.
        let named = plain.iter().enumerate().map(|(at, plain)| (NodeId(2 * at as u32), plain.features()));
        let mut list = list.with_features(named).unwrap();
        changed(&mut list, draw);
        let has = |id: u32| match plain.get(id as usize / 2) {
            Some(plain) if id.is_multiple_of(2) => *plain,
            _ => Plain { labels: 0, memory: 0 },
        };
        let demands = wanted.demands();

        let mut expected: Vec<_> = slots(&list)
            .into_iter()
            .filter(|&(_, id, _)| wanted.suits(has(id)))
            .filter_map(|(start, id, end)| wanted.part(start, end).map(|(start, end)| (start, id, end)))
            .collect();
        expected.sort_unstable();
        let only = list.only(&demands);
        assert_eq!(slots(&only), expected);

        let eligible = list.eligible(&demands);
        for slot in list.iter() {
            assert_eq!(eligible.allows(slot), wanted.suits(has(slot.node().0)));
            assert!(eligible.allows(slot) || !eligible.allows_all());
        }

        // A refusal counts nodes, and says which demand is to blame.
        let mut ids: Vec<u32> = list.iter().map(|slot| slot.node().0).collect();
        ids.sort_unstable();
        ids.dedup();
        let suiting = ids.iter().filter(|&&id| wanted.suits(has(id))).count();
        let asks_nothing = wanted.with.is_empty() && wanted.without.is_empty() && wanted.memory.is_none();
        match list.missing(&demands, needed) {
            None => assert!(suiting >= needed || asks_nothing),
            Some(Refusal::Missing { needed: of, having, what }) => {
                assert!(of == needed && suiting <= having && having < needed && !what.is_empty());
            }
            Some(other) => panic!("{other}"),
        }

        // Of one slot for each node, the checker agrees.
        let checker = Checker::new(&list, Rules::default());
        let firsts: BTreeMap<NodeId, Slot> = list.iter().map(|slot| (slot.node(), *slot)).collect();
        for slot in firsts.values() {
            let start = slot.start();
            let window = Window::new(start, vec![list.placement(slot, start, Span::must(1.0))]).unwrap();
            let at = start.get() as u32;
            let fits = wanted.suits(has(slot.node().0))
                && wanted.not_before.is_none_or(|early| at >= early)
                && wanted.start.is_none_or(|fixed| at == fixed);
            assert_eq!(checker.demands(&window, &demands).is_empty(), fits);
        }
    });
}

#[test]
fn refusals_and_violations_name_what_is_missing() {
    let list = SlotList::from_nodes(&[node(1), node(2)], &[], Time::ZERO, time(10)).unwrap();
    let features = [
        (NodeId(1), Features::new().with_label("gpu")),
        (NodeId(2), Features::new().with_amount("memory", 8.0).unwrap()),
    ];
    let list = list.with_features(features).unwrap();
    let both = Demands::new().with_label("gpu").with_at_least("memory", 8.0).unwrap();
    let refusal = list.missing(&both, 1).unwrap();
    assert_eq!(refusal.to_string(), "needs 1 node with gpu and memory of at least 8, only 0 such");
    let refusal = list.missing(&both, 2).unwrap();
    assert_eq!(refusal, Refusal::Missing { needed: 2, what: "gpu".to_owned(), having: 1 });
    assert_eq!(list.missing(&Demands::new().without_label("gpu"), 1), None);
    assert_eq!(list.missing(&Demands::new(), 3), None);

    let slot = list.iter().next().unwrap();
    let window = Window::new(time(2), vec![list.placement(slot, time(2), Span::must(1.0))]).unwrap();
    let checker = Checker::new(&list, Rules::default());
    let late = both.with_not_before(time(3)).with_start(time(4));
    assert_eq!(
        checker.demands(&window, &late),
        [
            Violation::Missing { node: NodeId(1), what: "memory of at least 8".to_owned() },
            Violation::WrongStart { demanded: time(3), start: time(2) },
            Violation::WrongStart { demanded: time(4), start: time(2) },
        ]
    );
    assert!(
        list.clone().with_features([(NodeId(1), Features::new()), (NodeId(1), Features::new())]).is_err()
    );
    assert!(Features::new().with_amount("memory", -1.0).is_err());
    assert!(Demands::new().with_at_least("memory", f64::NAN).is_err());
}

#[test]
fn a_measured_time_is_that_of_its_node_alone() {
    let spans = Spans::new([(NodeId(2), Span::must(8.5)), (NodeId(5), Span::must(3.0))]).unwrap();
    let found = [1, 2, 3, 5, 6].map(|id| spans.on(NodeId(id)).map(Span::get));
    assert_eq!(found, [None, Some(8.5), None, Some(3.0), None]);
}

#[test]
fn slots_stay_small_and_alike() {
    assert_eq!(size_of::<Slot>(), 40);
    let plain = SlotList::from_nodes(&[node(1)], &[], Time::ZERO, time(10)).unwrap();
    let list = plain.clone().with_features([(NodeId(1), Features::new().with_label("gpu"))]).unwrap();
    // A slot is the same slot wherever it is; a list is not.
    assert_eq!(plain.iter().next(), list.iter().next());
    assert_ne!(plain, list);
    // Taken over into another list, it has no features there.
    let taken = SlotList::new(list.iter().copied().collect()).unwrap();
    assert!(taken.only(&Demands::new().with_label("gpu")).is_empty());
}

#[cfg(feature = "serde")]
#[test]
fn features_are_written_with_the_list() {
    let nodes: Vec<Node> = (0..5).map(node).collect();
    let gpu = || Features::new().with_label("gpu").with_amount("memory", 64.0).unwrap();
    let list = SlotList::from_nodes(&nodes, &[], Time::ZERO, time(10)).unwrap();
    let list =
        list.with_features([(NodeId(1), gpu()), (NodeId(3), gpu()), (NodeId(9), Features::new())]).unwrap();
    let text = serde_json::to_string(&list).unwrap();
    let kinds = r#"{"nodes":[1,3],"features":{"labels":["gpu"],"amounts":{"memory":64.0}}}"#;
    assert!(text.contains(kinds) && !text.contains("tariff") && !text.contains("kind"), "{text}");
    let read: SlotList = serde_json::from_str(&text).unwrap();
    assert_eq!(read, list);
    assert_eq!(read.only(&Demands::new().with_label("gpu")).len(), 2);

    let demands = Demands::new().with_label("gpu").without_label("spot").with_start(time(4));
    let text = serde_json::to_string(&demands).unwrap();
    assert_eq!(serde_json::from_str::<Demands>(&text).unwrap(), demands);
    assert_eq!(serde_json::from_str::<Demands>("{}").unwrap(), Demands::new());
    let error = serde_json::from_str::<Features>(r#"{"amounts": {"memory": -1}}"#).unwrap_err();
    assert!(error.to_string().contains("an amount of a node"), "{error}");
}

/// Nodes are added with features that no other has, and removed: the features of each are those set last, and
/// demands compiled for one list hold for another that shares its features.
#[test]
fn features_of_nodes_that_come_and_go() {
    let mut list = SlotList::default();
    let node = |id| Node::new(NodeId(id), Speed::ETALON, Price::must(1.0));
    let host = |round: u32, id: u32| Features::new().with_label(format!("host={round}-{id}"));
    for round in 0..60 {
        for id in 0..10 {
            let _ = list.remove_node(NodeId(id));
            list.free(node(id), Time::ZERO, Time::must(100.0)).unwrap();
            list.take(NodeId(id), Time::must(40.0), Time::must(50.0)).unwrap();
            let features = if (round + id) % 3 == 0 { Features::new() } else { host(round, id) };
            list.set_features(NodeId(id), features);
        }
        let before = list.clone();
        let compiled = list.eligible(&Demands::new().with_label(format!("host={round}-1")));
        let slots = list.iter().filter(|slot| compiled.allows(slot)).count();
        assert_eq!(slots, if (round + 1) % 3 == 0 { 0 } else { 2 }, "round {round}");
        let named = (0..10).filter(|id| (round + id) % 3 != 0).map(|id| (NodeId(id), host(round, id)));
        let plain = SlotList::new(list.iter().copied().collect()).unwrap();
        let anew = plain.clone().with_features(named).unwrap();
        assert_eq!(list, anew, "in whatever order they became known");
        assert_ne!(list, plain);
        let other = plain.with_features_of(&list);
        assert!(other.is_compiled_for(&compiled) && other == list);
        list.set_features(NodeId(1), Features::new().with_label("other"));
        assert_ne!(list, before, "a clone keeps what it had");
        assert!(!list.is_compiled_for(&compiled), "compiled before");
    }
}
