//! Sorting and sets of ids, compared with the standard library.

use crate::held;
use econsched::testkit::drawn;
use sched_model::internal::{IdSet, sort};
use sched_model::*;
use std::collections::BTreeSet;

#[test]
fn items_are_sorted_as_the_standard_library_sorts_them() {
    drawn(256, |draw| {
        let mut ours: Vec<(usize, usize)> = (0..draw.below(40)).map(|at| (draw.below(12), at)).collect();
        let mut theirs = ours.clone();
        sort(&mut ours, &|a, b| a.0.cmp(&b.0));
        theirs.sort_by_key(|item| item.0);
        assert_eq!(ours, theirs);
    });
}

#[test]
fn an_id_that_stands_again_is_named() {
    drawn(256, |draw| {
        let ids: Vec<u32> = (0..draw.between(1, 29)).map(|_| draw.below(120) as u32).collect();
        let again = |id| ids.iter().filter(|other| **other == id).count() > 1;
        match Window::new(Time::ZERO, ids.iter().map(|&id| held(id, 1.0, 1.0)).collect()) {
            Err(ModelError::RepeatedNode { node }) => assert!(again(node.0)),
            other => assert!(other.is_ok() && !ids.iter().any(|id| again(*id))),
        }
    });
}

#[test]
fn it_is_a_set() {
    drawn(256, |draw| {
        let (mut set, mut known) = (IdSet::default(), BTreeSet::new());
        for _ in 0..draw.below(120) {
            let id = if draw.chance(50) { draw.below(40) as u64 } else { u64::MAX - draw.below(4) as u64 };
            assert_eq!(set.insert(JobId(id)), known.insert(id));
        }
        for id in (0..42).chain([u64::MAX, u64::MAX - 1, u64::MAX - 2]) {
            assert_eq!(set.contains(JobId(id)), known.contains(&id));
        }
        // As few runs as possible.
        let starts = known.iter().filter(|&&id| id == 0 || !known.contains(&(id - 1)));
        let text = serde_json::to_string(&set).unwrap();
        let runs: Vec<(u64, u64)> = serde_json::from_str(&text).unwrap();
        assert_eq!(runs.len(), starts.count());
        assert_eq!(serde_json::from_str::<IdSet>(&text).unwrap(), set);
    });
}
