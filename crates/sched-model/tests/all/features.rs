//! Labels and amounts of nodes, checked by hand; `slot_list::living` compares them with a plain filter after all
//! kinds of changes.

use crate::time;
use sched_model::*;

#[test]
fn refusals_name_what_is_missing() {
    let nodes = [1, 2].map(|id| Node::must(id, 1.0, 1.0));
    let list = SlotList::from_nodes(&nodes, &[], Time::ZERO, time(10)).unwrap();
    let features = [
        (NodeId(1), Features::default().with_label("gpu")),
        (NodeId(2), Features::default().with_amount("memory", 8.0).unwrap()),
    ];
    let list = list.with_features(features).unwrap();
    let both = Demands::default().with_label("gpu").with_at_least("memory", 8.0).unwrap();
    let refusal = list.missing(&both, 1).unwrap();
    assert_eq!(refusal.to_string(), "needs 1 node with gpu and memory of at least 8, only 0 such");
    let refusal = list.missing(&both, 2).unwrap();
    assert_eq!(refusal, Refusal::Missing { needed: 2, what: "gpu".to_owned(), having: 1 });
    assert_eq!(list.missing(&Demands::default().without_label("gpu"), 1), None);
    assert_eq!(list.missing(&Demands::default(), 3), None);
    assert!(list.with_features([1, 1].map(|id| (NodeId(id), Features::default()))).is_err());
    assert!(Features::default().with_amount("memory", -1.0).is_err());
    assert!(Demands::default().with_at_least("memory", f64::NAN).is_err());
}

/// Nodes with features that no other node has are added and removed. Each node has the features set last, and
/// demands compiled for one list hold for its clones.
#[test]
fn features_of_nodes_that_come_and_go() {
    let mut list = SlotList::default();
    let host = |round: u32, id: u32| Features::default().with_label(format!("host={round}-{id}"));
    for round in 0..60 {
        for id in 0..10 {
            let _ = list.block(NodeId(id), ..);
            list.extend(&[Node::must(id, 1.0, 1.0)], time(0), time(100)).unwrap();
            let features = if (round + id) % 3 == 0 { Features::default() } else { host(round, id) };
            list.set_features(NodeId(id), features);
        }
        let before = list.clone();
        let compiled = list.eligible(&Demands::default().with_label(format!("host={round}-1")));
        let slots = list.iter().filter(|slot| compiled.allows(slot)).count();
        assert_eq!(slots, usize::from((round + 1) % 3 != 0), "round {round}");
        let named = (0..10).filter(|id| (round + id) % 3 != 0).map(|id| (NodeId(id), host(round, id)));
        let anew = SlotList::new(list.clone().into()).unwrap().with_features(named).unwrap();
        assert_eq!(list, anew, "in whatever order they became known");
        list.set_features(NodeId(1), Features::default().with_label("other"));
        assert!(before.is_compiled_for(&compiled) && before != list, "a clone keeps what it had");
        assert!(!list.is_compiled_for(&compiled), "compiled before");
    }
}
