//! Sorting and sets of ids, compared with the standard library.

use proptest::prelude::*;
use sched_model::order::sort;
use sched_model::*;
use std::collections::BTreeSet;

proptest! {
    #[test]
    fn items_are_sorted_as_the_standard_library_sorts_them(items in prop::collection::vec(0_u8..12, 0..40)) {
        let mut ours: Vec<(u8, String)> = items.iter().zip(0..).map(|(&item, at)| (item, format!("{at}"))).collect();
        let mut theirs = ours.clone();
        sort(&mut ours, &|a, b| a.0.cmp(&b.0));
        theirs.sort_by_key(|item| item.0);
        prop_assert_eq!(ours, theirs);
    }

    #[test]
    fn an_id_that_stands_again_is_named(items in prop::collection::vec(0_u32..120, 1..30)) {
        let (speed, price, end, cost) = (Speed::ETALON, Price::ZERO, Time::must(1.0), Money::ZERO);
        let on = |id: &u32| Placement { node: NodeId(*id), speed, price, end, cost };
        let error = Window::new(Time::ZERO, items.iter().map(on).collect()).err();
        let again = |id| items.iter().filter(|item| **item == id).count() > 1;
        match error {
            Some(ModelError::RepeatedNode { node }) => prop_assert!(again(node.0)),
            other => prop_assert!(other.is_none() && !items.iter().any(|id| again(*id))),
        }
    }

    #[test]
    fn it_is_a_set(ids in prop::collection::vec(prop_oneof![0u64..40, u64::MAX - 3..=u64::MAX], 0..120)) {
        let (mut set, mut known) = (IdSet::default(), BTreeSet::new());
        for id in ids {
            prop_assert_eq!(set.insert(JobId(id)), known.insert(id));
        }
        for id in (0..42).chain([u64::MAX, u64::MAX - 1, u64::MAX - 2]) {
            prop_assert_eq!(set.contains(JobId(id)), known.contains(&id));
        }
        #[cfg(feature = "serde")]
        {
            // As few runs as possible.
            let starts = known.iter().filter(|&&id| id == 0 || !known.contains(&(id - 1)));
            let text = serde_json::to_string(&set).unwrap();
            let runs: Vec<(u64, u64)> = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(runs.len(), starts.count());
            prop_assert_eq!(serde_json::from_str::<IdSet>(&text).unwrap(), set);
        }
    }
}
