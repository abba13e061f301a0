//! Every registered algorithm passes the checks that users are given; those of `grid-sim` and
//! `grid-heuristics` are checked in their own tests.

use econsched::auction_assign::AssignerKind;
use econsched::batch_dp::ChooserKind;
use econsched::prelude::*;
use econsched::slot_window::Objective;
use econsched::testkit;

/// The objective by which a search finds the best window; `None` where it promises only to keep its rules.
fn objective(kind: SearchKind) -> Option<Objective> {
    match kind {
        SearchKind::MinFinish | SearchKind::MinFinishRough => Some(Objective::Finish),
        SearchKind::MinRuntime | SearchKind::MinRuntimeRough => Some(Objective::Runtime),
        SearchKind::MinCost | SearchKind::MinCostRough => Some(Objective::Cost),
        SearchKind::MaxValueTable => None,
        _ => Some(Objective::Start),
    }
}

#[test]
fn searches() {
    for &kind in SearchKind::ALL {
        let search = kind.build();
        let mut check = testkit::search(&search);
        // The table works in whole units of money and may miss windows that meet the budget to the bit.
        if kind != SearchKind::MaxValueTable {
            check = check.with_completeness();
        }
        let value = move |window: &Window, _: &SlotList| match objective(kind) {
            None => 0.0,
            Some(objective) => objective.of(window),
        };
        let by_start = !matches!(
            kind,
            SearchKind::MaxValue
                | SearchKind::MaxValueRough
                | SearchKind::MultipleBest
                | SearchKind::MultipleBestRough
                // Finish less start is the runtime except for a rounding; the attacks know the spans.
                | SearchKind::MinRuntime
                | SearchKind::MinRuntimeRough
        );
        if by_start {
            check = check.with_value(value);
        }
        let seen = check.run(400).unwrap_or_else(|fault| panic!("{kind}: {fault}"));
        println!("{kind}: {seen:?}");
        assert!(seen.solved > 100, "{kind}: {seen:?}");
    }
}

#[test]
fn choosers() {
    for &kind in ChooserKind::ALL {
        let chooser = kind.build();
        let check = testkit::chooser(chooser.as_ref()).with_exactness();
        let seen = check.run(600).unwrap_or_else(|fault| panic!("{kind}: {fault}"));
        println!("{kind}: {seen:?}");
        assert!(seen.solved > 300, "{kind}: {seen:?}");
    }
}

#[test]
fn assigners() {
    for &kind in AssignerKind::ALL {
        let assigner = kind.build();
        let check = testkit::assigner(assigner.as_ref()).with_duals();
        let seen = check.run(600).unwrap_or_else(|fault| panic!("{kind}: {fault}"));
        println!("{kind}: {seen:?}");
    }
}
