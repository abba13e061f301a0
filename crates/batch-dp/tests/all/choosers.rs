//! Every registered algorithm under the testkit, and the default algorithm also with coverage, budgets of users and
//! earlier choices.

use crate::selections::Selections;
use batch_dp::ChooserKind;
use econsched::testkit::{self, Check};

#[test]
fn every_chooser_is_exact_within_any_limit() {
    for &kind in ChooserKind::ALL {
        let chooser = kind.build();
        assert_eq!(chooser.name(), kind.name());
        let seen = testkit::chooser(&*chooser).with_exactness().run(800);
        assert!(seen.is_ok_and(|seen| seen.solved > 400), "{kind}");
    }
}

#[test]
fn selections_fronts_and_plans_are_the_best_of_all_within_any_limit() {
    let seen = Check::new(Selections).run(250).unwrap();
    assert!(seen.solved > 1_000, "{seen:?}");
}
