//! Every registered algorithm passes the checks that users are given; those of `slot-window`, `grid-sim` and
//! `grid-heuristics` are checked in their own tests.

use econsched::batch_dp::ChooserKind;
use econsched::testkit;

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
