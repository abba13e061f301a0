//! Windows that long sums of money could hide, by hand.

use crate::slot;
use econsched::testkit::rounded_sum;
use sched_model::check::{Holding, Rules};
use sched_model::*;
use slot_window::{Amp, Objective, Optimal, WindowQuery, WindowSearch};

/// Running sums of costs that fall over sixty decades must not hide the cheap windows at the end: long scans,
/// in which they are kept for many slots.
#[test]
fn prices_of_sixty_decades_hide_no_cheaper_window() {
    let plain: &[(usize, f64, i32, &[f64])] =
        &[(3, 0.7, 200, &[3e43, 1e30, 1e30]), (2, 0.9, 400, &[7e29, 7e29]), (3, 0.9, 400, &[3e43, 1e28])];
    for &(n, factor, falling, great) in plain {
        let mut price = 1e60 / factor;
        let mut prices: Vec<f64> = (0..falling).map(|_| (price *= factor, price).1).collect();
        prices.extend(great);
        prices.extend([3.0, 2.0, 1.0, 0.5, 0.25, 0.1]);
        let slots = (0..).zip(&prices).map(|(id, &price)| slot(id, (1.0, price), (f64::from(id), 1e4)));
        let racks = (0..)
            .zip(&prices)
            .map(|(id, _)| (NodeId(id), Features::default().with_label(format!("rack={id}"))));
        let slots = SlotList::new(slots.collect()).unwrap().with_features(racks).unwrap();
        let request = ResourceRequest::must(n, 1.0);
        let apart = slots.eligible(&Demands::default().with_spread("rack", 1).unwrap());
        let query = WindowQuery::new(&slots, &request);
        let least = Money::must(rounded_sum([0.1, 0.25, 0.5][..n].iter().copied()));
        for query in [query, query.with_eligible(&apart)] {
            for holding in [Holding::OwnSpan, Holding::SlowestSpan] {
                let search =
                    Optimal::new(Objective::Cost).with_rules(Rules::per_window(1.0).with_holding(holding));
                let found = search.solve(&query, &mut Limit::default().meter());
                let cost = found.unwrap().best.map(|window| window.cost());
                assert_eq!(cost, Some(least), "{n} of prices falling by {factor}, {holding:?}");
            }
        }
    }
}

/// Many sums of falling prices, each rounded, and then a window that meets the budget to the last bit.
#[test]
fn falling_prices_hide_no_window_within_the_budget() {
    let cheap = [0.12, 0.11, 0.1, 0.1, 0.1, 0.1];
    let prices = (0..118).map(|at| 0.6 - f64::from(at) * 0.002).chain(cheap);
    let slots = (0..).zip(prices).map(|(id, price)| slot(id, (1.0, price), (f64::from(id), 1e4)));
    let slots = SlotList::new(slots.collect()).unwrap();
    let request = ResourceRequest::must(6, 1.0).with_budget(Money::must(rounded_sum(cheap)));
    let found = Amp::new().find(&WindowQuery::new(&slots, &request)).unwrap().best;
    assert_eq!(found.map(|window| window.start()), Some(Time::must(123.0)));
}
