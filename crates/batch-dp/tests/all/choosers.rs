//! Every registered algorithm by the testkit.

use batch_dp::ChooserKind;
use econsched::testkit;

#[test]
fn every_chooser_is_exact_within_any_limit() {
    for &kind in ChooserKind::ALL {
        let chooser = kind.build();
        assert_eq!(chooser.name(), kind.name());
        let seen = testkit::chooser(&*chooser).with_exactness().run(800);
        assert!(seen.is_ok_and(|seen| seen.solved > 400), "{kind}");
    }
}
