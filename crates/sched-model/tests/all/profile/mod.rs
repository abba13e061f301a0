//! Profiles, checked by hand and compared with a plain list of steps.

#[allow(dead_code)] // for its test of the blocks themselves
#[path = "../../../src/profile/blocks.rs"]
mod blocks;
pub(crate) mod plain;

use crate::judge::family;
use crate::time;
use econsched::testkit::Check;
use plain::Case;
use sched_model::{ModelError, Profile, Span, Time};

family!(Profiles: Case, Case::draw, Case::judge);

#[test]
fn agree_with_a_plain_list() {
    Check::new(Profiles).run(2000).unwrap();
}

/// Malformed profiles and reservations. The plain list shows that other invalid changes are refused without
/// effect.
#[test]
fn what_makes_no_sense_is_refused() {
    let mut profile = Profile::new(4, Time::must(10.0));
    assert!(matches!(profile.reserve(time(15), time(15), 1), Err(ModelError::EmptyInterval { .. })));
    assert!(matches!(profile.release(time(15), time(16), 0), Err(ModelError::Zero { .. })));
    assert_eq!(Profile::new(0, Time::ZERO).earliest_fit(1, Span::must(1.0), Time::ZERO), None);
    assert!(Profile::from_steps(4, &[(time(1), 5)]).is_err());
    assert!(Profile::from_steps(4, &[(time(1), 2), (time(1), 3)]).is_err());
}

#[test]
fn a_machine_that_closes_has_no_late_fit() {
    let profile = Profile::from_steps(4, &[(time(0), 1), (time(5), 4), (time(9), 0)]).unwrap();
    for (cpus, span, from, start) in
        [(2, 4.0, 0, Some(5)), (2, 5.0, 0, None), (0, 5.0, 0, Some(0)), (1, 1.0, 9, None)]
    {
        assert_eq!(profile.earliest_fit(cpus, Span::must(span), time(from)), start.map(time));
    }
}
