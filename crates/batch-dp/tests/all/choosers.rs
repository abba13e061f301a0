//! Every registered algorithm under the testkit, and the default algorithm also with coverage, budgets of users and
//! earlier choices.

use crate::registered::Choosers;
use crate::selections::Selections;
use batch_dp::ChooserKind;
use econsched::testkit::Check;

#[test]
fn every_chooser_is_exact_within_any_limit() {
    assert!(ChooserKind::ALL.iter().all(|kind| kind.build().name() == kind.name()));
    let seen = Check::new(Choosers).run(800).unwrap();
    assert!(seen.solved > 400 * ChooserKind::ALL.len(), "{seen:?}");
}

#[test]
fn selections_fronts_and_plans_are_the_best_of_all_within_any_limit() {
    let seen = Check::new(Selections).run(250).unwrap();
    assert!(seen.solved > 1_000, "{seen:?}");
}
