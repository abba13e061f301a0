//! The pricing search: against every window, and by hand.

use crate::priced_windows::PricedSearches;
use crate::slot;
use econsched::testkit::Check;
use sched_model::check::{Holding, Rules};
use sched_model::*;
use slot_window::WindowQuery;
use slot_window::priced::{NodeTimePrices, PricedAnswer, PricedQuery};

/// The window of least value below this, from 0 on.
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

/// Three nodes, 0.9 of work: from 0 nodes 2 to 4 cost 0.54 for 0.9, in doubles, and with node 0 for another span of
/// time the sums differ in their last bits from those of the windows.
#[test]
fn a_value_of_the_same_window_does_not_rise_with_more_work() {
    let slots = vec![
        slot(0, (0.7, 1.0), (0.0, 3.0)),
        slot(1, (1.0, 0.0), (1.0, 3.0)),
        slot(2, (1.0, 0.1), (0.0, 1.0)),
        slot(3, (1.0, 0.5), (0.0, 2.0)),
        slot(4, (1.0, 0.0), (0.0, 1.0)),
    ];
    let slots = SlotList::new(slots).unwrap();
    let request = ResourceRequest::must(3, 0.9).with_budget(Money::must(1.735_714_285_714_285_8));
    let query = PricedQuery::new(Rules::per_window(1.0), &WindowQuery::new(&slots, &request)).unwrap();
    let mut known = f64::INFINITY;
    for work in 0..200 {
        let (limit, prices) = (Limit::default().with_work(work), NodeTimePrices::default());
        let found = query.best([-1.0, 1.0, 0.0], &prices, f64::INFINITY, &mut limit.meter()).unwrap().best;
        let value = found.map_or(f64::INFINITY, |found| found.value);
        assert!(value <= known, "{value} at {work}, and {known} before");
        known = value;
    }
    assert!(known < 0.0);
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

#[test]
fn a_start_without_an_affordable_set_hides_no_window_of_a_later_one() {
    // At 2 only nodes 0 and 2 are free, for 54 together; at 3 nodes 1 and 2 take the whole budget.
    let slots = vec![
        slot(0, (2.0, 3.0), (0.0, 11.0)),
        slot(2, (1.0, 3.0), (2.0, 15.0)),
        slot(1, (1.0, 0.0), (3.0, 16.0)),
    ];
    let slots = SlotList::new(slots).unwrap();
    let request = ResourceRequest::must(2, 12.0).with_budget(Money::must(36.0));
    for below in [-3.0, -29.0, f64::INFINITY] {
        let asked = (&slots, &request);
        let answer = bounded(Holding::OwnSpan, [-1.0, 0.0, 2.0], asked, &NodeTimePrices::default(), below);
        assert_eq!(answer.best.map(|best| best.value), Some(-30.0), "below {below}: {}", answer.bound);
    }
}

/// Three nodes for one unit of time from 0, two of them within 55: the dearest two (nodes 1 and 2, -30 and
/// -30 + 10) cost 60, nodes 1 and 3 (-30 and -20) cost 50. Both sets have the sum -50, the windows with their
/// runtime 18 more: -32. The double above -32, less 18, is -50.
#[test]
fn a_window_is_found_below_the_next_double() {
    let slots = [(1, 30.0), (2, 30.0), (3, 20.0)].map(|(id, price)| slot(id, (1.0, price), (0.0, 1.0)));
    let slots = SlotList::new(slots.to_vec()).unwrap();
    let request = ResourceRequest::must(2, 1.0).with_budget(Money::must(55.0));
    let prices = NodeTimePrices::new([(NodeId(2), Time::must(0.5), 10.0)]).unwrap();
    for holding in [Holding::OwnSpan, Holding::SlowestSpan] {
        let below = |below| bounded(holding, [-1.0, 18.0, 0.0], (&slots, &request), &prices, below).best;
        let next = (-32.0_f64).next_up();
        assert_eq!(next - 18.0, -50.0);
        let found = below(next).unwrap();
        assert_eq!((found.value, found.window.cost().get()), (-32.0, 50.0));
        assert_eq!(below(-32.0), None);
    }
}
