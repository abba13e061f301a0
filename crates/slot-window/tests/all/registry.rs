//! Every registered search, and searches by values, against every window that there is, stopped at any limit and by any
//! signal: by the check that users are given.

use crate::common::objective;
use econsched::testkit;
use sched_model::check::Holding;
use sched_model::*;
use slot_window::{MaxValue, SearchKind, WindowSearch};

#[test]
fn every_kind() {
    for &kind in SearchKind::ALL {
        let search = kind.build();
        assert_eq!(search.name(), kind.name());
        let mut check = testkit::search(&search);
        // The table works in whole units of money and may miss windows that meet the budget to the bit.
        if kind != SearchKind::MaxValueTable {
            check = check.with_completeness();
        }
        check = match (kind, objective(kind)) {
            // Finish less start is the span of the slowest task but for a rounding.
            (SearchKind::MinRuntime | SearchKind::MinRuntimeRough, _) => check,
            (_, Some(objective)) => {
                check.with_value(move |window, _| objective.of(window)).with_earliest_start()
            }
            (SearchKind::MaxValue | SearchKind::MaxValueRough, None) => {
                check.with_value(|window, _| -speeds(window)).with_earliest_start()
            }
            _ => check,
        };
        let seen = check.run(600).unwrap_or_else(|fault| panic!("{kind}: {fault}"));
        assert!(seen.solved > 100, "{kind}: {seen:?}");
    }
}

/// The sum of the speeds, which the registered searches by value have as their criterion.
fn speeds(window: &Window) -> f64 {
    testkit::rounded_sum(window.placements().iter().map(|placement| placement.speed.get()))
}

/// The ends of the slots: a value that differs from slot to slot of a node.
#[test]
fn greatest_and_least_value() {
    for (holding, sense) in [
        (Holding::OwnSpan, Sense::Maximise),
        (Holding::OwnSpan, Sense::Minimise),
        (Holding::SlowestSpan, Sense::Maximise),
        (Holding::SlowestSpan, Sense::Minimise),
    ] {
        let search = MaxValue::new(|slot: &Slot, _| slot.end().get());
        let search = search.with_sense(sense).with_holding(holding);
        let value = |window: &Window, slots: &SlotList| {
            let end = |held: &Placement| {
                let of_node = slots.iter().filter(|slot| slot.node() == held.node && held.end <= slot.end());
                of_node.map(|slot| slot.end().get()).fold(f64::INFINITY, f64::min)
            };
            let ends = window.placements().iter().map(end);
            -sense.sign() * testkit::rounded_sum(ends)
        };
        let check = testkit::search(&search).with_completeness().with_value(value);
        let seen = check.run(600).unwrap_or_else(|fault| panic!("{holding:?} {sense:?}: {fault}"));
        assert!(seen.solved > 100, "{holding:?} {sense:?}: {seen:?}");
    }
}
