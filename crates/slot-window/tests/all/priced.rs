//! The pricing search: against every window, and by hand.

use crate::priced_windows::PricedSearches;
use crate::slot;
use econsched::testkit::Check;
use sched_model::check::{Holding, Rules};
use sched_model::*;
use slot_window::WindowQuery;
use slot_window::priced::{NodeTimePrices, PricedAnswer, PricedQuery};

/// The window of minimum value below this, from 0 on.
fn bounded(
    holding: Holding,
    weights: [f64; 3],
    (slots, request): (&SlotList, &ResourceRequest),
    prices: &NodeTimePrices,
    below: f64,
) -> PricedAnswer {
    let rules = Rules::per_window(1.0).with_holding(holding);
    let query = PricedQuery::new(rules, &WindowQuery::new(slots, request)).unwrap();
    query.best(weights, prices, below, &mut Limit::default().meter()).unwrap()
}

#[test]
fn no_window_has_a_lesser_value_within_any_limit() {
    let seen = Check::new(PricedSearches).run(1500).unwrap();
    assert!(seen.solved > 400, "{seen:?}");
}

#[test]
fn a_request_for_countless_nodes_has_no_window() {
    let slots = SlotList::new(vec![slot(1, (1.0, 1.0), (0.0, 9.0))]).unwrap();
    let request = ResourceRequest::must(usize::MAX, 1.0);
    for below in [1.0, f64::INFINITY] {
        let asked = (&slots, &request);
        let answer = bounded(Holding::OwnSpan, [1.0, 0.0, 0.0], asked, &NodeTimePrices::default(), below);
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
