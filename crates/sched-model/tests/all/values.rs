//! Quantities, matrices and windows refuse what they cannot be.

use sched_model::{
    Bandwidth, EtcMatrix, ModelError, Money, NodeId, Placement, Price, Span, Speed, Time, Window, Work,
};
use std::cmp::Ordering;

#[test]
fn constructors_refuse_what_is_not_a_quantity() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e61, -1e61] {
        assert!(Time::new(bad).is_err(), "{bad}");
        assert!(Money::new(bad).is_err(), "{bad}");
        assert!(Span::new(bad).is_err(), "{bad}");
    }
    assert!(Span::new(-1.0).is_err());
    assert!(Price::new(-0.5).is_err());
    assert!(Speed::new(0.0).is_err());
    assert!(Bandwidth::new(0.0).is_err());
    assert!(Time::new(-5.0).is_ok());
    let error = Span::new(-1.0).unwrap_err();
    assert_eq!(error.to_string(), "Span must be finite, at least 0 and at most 1e60, got -1");
}

#[test]
fn extremes_stay_finite() {
    let span = Work::must(1e60) / Speed::must(1e-60);
    assert!(span.get().is_finite());
    let cost = Price::must(1e60) * span;
    assert!((0..1000).map(|_| cost).sum::<Money>().get().is_finite());
}

#[allow(clippy::disallowed_types)] // equal values have equal hashes
#[test]
fn minus_zero_is_zero() {
    use std::collections::HashSet;
    let set: HashSet<Money> = [Money::must(0.0), Money::must(-0.0), -Money::ZERO].into();
    assert_eq!(set.len(), 1);
    assert_eq!(Time::must(-0.0).cmp(&Time::ZERO), Ordering::Equal);
    assert!(Time::must(-0.0).get().is_sign_positive());
}

#[test]
fn errors_name_the_place() {
    let error = EtcMatrix::new(2, 3, vec![1.0, 2.0, 3.0, 4.0, f64::NAN, 6.0]).unwrap_err();
    assert!(matches!(error, ModelError::Cell { row: 1, col: 1, .. }));
    let error = EtcMatrix::new(2, 2, vec![1.0; 3]).unwrap_err();
    assert_eq!(error.to_string(), "a matrix of 2 x 2 needs 2 * 2 values, got 3");
    assert!(EtcMatrix::new(usize::MAX, 3, vec![]).is_err());
    assert!(EtcMatrix::from_rows(&[vec![1.0], vec![1.0, 2.0]]).is_err());
}

#[test]
fn a_cell_of_minus_zero_is_zero() {
    let cells = EtcMatrix::from_rows(&[[-0.0, 1.0]]).unwrap();
    assert!(cells.get(0, 0).is_sign_positive());
}

#[test]
fn empty_matrices_have_rows_without_values() {
    let matrix = EtcMatrix::new(2, 0, vec![]).unwrap();
    assert!(matrix.row(1).is_empty());
}

fn placement(node: u32, end: f64) -> Placement {
    Placement {
        node: NodeId(node),
        speed: Speed::ETALON,
        price: Price::must(1.0),
        end: Time::must(end),
        cost: Money::must(1.0),
    }
}

#[test]
fn a_window_needs_time() {
    assert!(Window::new(Time::must(5.0), vec![]).is_err());
    assert!(Window::new(Time::must(5.0), vec![placement(1, 5.0)]).is_err());
}

#[test]
fn touching_windows_do_not_overlap() {
    let first = Window::new(Time::ZERO, vec![placement(1, 10.0), placement(2, 20.0)]).unwrap();
    let second = Window::new(Time::must(10.0), vec![placement(1, 30.0)]).unwrap();
    let third = Window::new(Time::must(10.0), vec![placement(2, 11.0)]).unwrap();
    assert!(!first.overlaps(&second));
    assert!(first.overlaps(&third) && third.overlaps(&first));
}
