//! Quantities, matrices and windows refuse invalid values.

use crate::held;
use sched_model::*;
use std::cmp::Ordering;

#[test]
fn constructors_refuse_what_is_not_a_quantity() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e61, -1e61] {
        assert!(
            Time::try_from(bad).is_err() && Money::try_from(bad).is_err() && Span::try_from(bad).is_err(),
            "{bad}"
        );
    }
    assert!(
        Price::try_from(-0.5).is_err() && Speed::try_from(0.0).is_err() && Bandwidth::try_from(0.0).is_err()
    );
    assert!(Time::try_from(-5.0).is_ok());
    let error = Span::try_from(-1.0).unwrap_err();
    assert_eq!(error.to_string(), "Span must be finite, at least 0 and at most 1e60, got -1");
}

#[allow(clippy::disallowed_types)] // equal values have equal hashes
#[test]
fn minus_zero_is_zero() {
    use std::collections::HashSet;
    let set: HashSet<Money> = [Money::must(0.0), Money::must(-0.0)].into();
    assert_eq!(set.len(), 1);
    assert_eq!(Time::must(-0.0).cmp(&Time::ZERO), Ordering::Equal);
    assert!(Time::must(-0.0).get().is_sign_positive());
    assert!(EtcMatrix::from_rows(&[[-0.0, 1.0]]).unwrap()[0][0].is_sign_positive());
}

#[test]
fn errors_of_matrices_name_the_place() {
    let error = EtcMatrix::new(2, 3, vec![1.0, 2.0, 3.0, 4.0, f64::NAN, 6.0]).unwrap_err();
    assert!(matches!(error, ModelError::Cell { row: 1, col: 1, .. }));
    let error = EtcMatrix::new(2, 2, vec![1.0; 3]).unwrap_err();
    assert_eq!(error.to_string(), "a matrix of 2 x 2 needs 2 * 2 values, got 3");
    assert!(EtcMatrix::new(usize::MAX, 3, vec![]).is_err());
    assert!(EtcMatrix::from_rows(&[vec![1.0], vec![1.0, 2.0]]).is_err());
    assert!(EtcMatrix::new(2, 0, vec![]).unwrap()[1].is_empty());
}

#[test]
fn windows_need_time_and_do_not_overlap_where_they_touch() {
    let window = |start, ends: &[(u32, f64)]| {
        Window::new(Time::must(start), ends.iter().map(|&(node, end)| held(node, end, 1.0)).collect())
    };
    assert!(window(5.0, &[]).is_err() && window(5.0, &[(1, 5.0)]).is_err());
    let first = window(0.0, &[(1, 10.0), (2, 20.0)]).unwrap();
    let takes = |node, start, end| first.takes(NodeId(node), Time::must(start), Time::must(end));
    assert!(takes(2, 10.0, 11.0) && takes(2, -5.0, 1.0) && takes(1, 0.0, 10.0));
    assert!(!takes(1, 10.0, 30.0) && !takes(1, -5.0, 0.0) && !takes(3, 0.0, 10.0));
}
