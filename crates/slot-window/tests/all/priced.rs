//! The pricing search, compared with every window, and checked by hand.

use crate::priced_windows::PricedSearches;
use crate::slot;
use econsched::testkit::Check;
use sched_model::check::Rules;
use sched_model::*;
use slot_window::WindowQuery;
use slot_window::priced::{NodeTimePrices, PricedQuery};

#[test]
fn no_window_has_a_lesser_value_within_any_limit() {
    let seen = Check::new(PricedSearches).run(1500).unwrap();
    assert!(seen.solved > 400, "{seen:?}");
}

#[test]
fn a_request_for_countless_nodes_has_no_window() {
    let slots = SlotList::new(vec![slot(1, (1.0, 1.0), (0.0, 9.0))]).unwrap();
    let request = ResourceRequest::must(usize::MAX, 1.0);
    let query = PricedQuery::new(Rules::per_window(1.0), &WindowQuery::new(&slots, &request)).unwrap();
    for below in [1.0, f64::INFINITY] {
        let mut meter = Limit::default().meter();
        let answer = query.best([1.0, 0.0, 0.0], &NodeTimePrices::default(), below, &mut meter).unwrap();
        assert_eq!((answer.best, answer.bound > 0.9), (None, true));
    }
}

#[test]
fn prices_and_weights_out_of_range_are_refused() {
    let at = (NodeId(1), Time::ZERO);
    assert!(NodeTimePrices::new([(at.0, at.1, -1.0)]).is_err());
    assert!(NodeTimePrices::new([(at.0, at.1, f64::NAN)]).is_err());
    let slots = SlotList::new(vec![slot(1, (1.0, 1.0), (0.0, 9.0))]).unwrap();
    let request = ResourceRequest::must(1, 1.0);
    let query = PricedQuery::new(Rules::per_window(1.0), &WindowQuery::new(&slots, &request)).unwrap();
    let is_taken = |weights| {
        let answer = query.best(weights, &NodeTimePrices::default(), 9.0, &mut Limit::default().meter());
        answer.is_ok()
    };
    assert!(!is_taken([0.0, -1.0, 0.0]));
    assert!(!is_taken([0.0, 0.0, f64::INFINITY]));
    assert!(is_taken([-1.0, 0.0, 0.0]) && !is_taken([-1e101, 0.0, 0.0]));
}
