//! Budgets that earlier searches missed, by hand.

use crate::slot;
use econsched::testkit::rounded_sum;
use sched_model::check::{Holding, Rules};
use sched_model::*;
use slot_window::subset::SubsetProblem;
use slot_window::{Amp, MaxValue, NodeValues, Objective, Optimal, WindowQuery, WindowSearch};

/// One slot of length 1 per price, all nodes of speed 1, and a request for so many for work 1.
fn market(prices: &[f64], n: usize, budget: f64) -> (SlotList, ResourceRequest) {
    let slots = (1..).zip(prices).map(|(id, &price)| slot(id, (1.0, price), (0.0, 1.0)));
    (SlotList::new(slots.collect()).unwrap(), ResourceRequest::must(n, 1.0).with_budget(Money::must(budget)))
}

fn nodes(window: &Window) -> Vec<u32> {
    window.placements().iter().map(|placement| placement.node.0).collect()
}

fn most_valuable(values: &[f64], prices: &[f64], n: usize, budget: f64) -> Option<Vec<u32>> {
    let (slots, request) = market(prices, n, budget);
    let values = NodeValues::new((1..).map(NodeId).zip(values.iter().copied())).unwrap();
    let found = [Holding::OwnSpan, Holding::SlowestSpan].map(|holding| {
        let search = MaxValue::new(values.clone()).with_rules(Rules::per_window(1.0).with_holding(holding));
        search.find(&WindowQuery::new(&slots, &request)).unwrap().best
    });
    assert_eq!(found[0], found[1]);
    found[0].as_ref().map(nodes)
}

#[test]
fn a_match_just_too_dear_displaces_none_that_is_affordable() {
    let (values, prices) = ([8.0, 5.0, 9.0], [0.2, 0.1, 0.4]);
    // 0.2 + 0.4 rounds to 0.6000000000000001; 0.1 + 0.4 is 0.5.
    assert_eq!(most_valuable(&values, &prices, 2, 0.6), Some(vec![2, 3]));
    let problem = SubsetProblem::new(&values, &prices, 2, 0.6).unwrap();
    let best = problem.solve(&mut Limit::default().meter()).best.unwrap();
    assert_eq!((&best.indices[..], best.value), (&[1, 2][..], 14.0));

    let (values, costs) = ([6.0, 1.0, 4.0, 9.0], [0.7, 0.1, 0.4, 0.8]);
    let problem = SubsetProblem::new(&values, &costs, 3, 1.9).unwrap();
    let best = problem.solve(&mut Limit::default().meter()).best.unwrap();
    assert_eq!(best.value, rounded_sum(best.indices.iter().map(|&i| values[i])));
    // 0.7 + 0.4 + 0.8 is affordable within 1.9 and worth 19 only if its exact sum rounds to 1.9.
    let all = rounded_sum([0.7, 0.4, 0.8]) <= 1.9;
    assert_eq!(best.value, if all { 19.0 } else { 16.0 });
}

#[test]
fn what_the_order_of_a_sum_makes_too_dear_is_affordable() {
    // 0.2 + 0.3 + 0.1 is 0.6 in one order of addition and 0.6 + 2^-53 in another; the exact sum rounds to
    // 0.6.
    assert_eq!(most_valuable(&[6.0, 0.0, 9.0, 0.0], &[0.2, 0.3, 0.1, 0.4], 3, 0.6), Some(vec![1, 2, 3]));
    let (slots, request) = market(&[0.4, 0.2, 0.3, 0.4, 0.1, 0.2], 5, 1.2);
    let searches: [&dyn WindowSearch; 4] = [
        &Amp::new(),
        &Optimal::new(Objective::Cost),
        &Optimal::new(Objective::Finish).with_rules(Rules::per_window(1.0)),
        &MaxValue::new(NodeValues::default()),
    ];
    for search in searches {
        let window = search.find(&WindowQuery::new(&slots, &request)).unwrap().best;
        assert_eq!(window.map(|window| window.cost()), Some(Money::must(1.2)), "{}", search.name());
    }
}

#[test]
fn a_budget_met_exactly_by_values_that_fall_with_the_span() {
    // The slow node must be in, so that the others share what it leaves of the budget: 0.3 - 0.1 rounds.
    let (slots, request) = market(&[0.1, 0.2], 2, rounded_sum([0.1, 0.2]));
    let search = MaxValue::new(|_: &Slot, span: Span| 1.0 - span.get());
    assert!(search.find(&WindowQuery::new(&slots, &request)).unwrap().best.is_some());
    let (slots, request) = market(&[0.7, 0.1, 0.3], 3, rounded_sum([0.7, 0.1, 0.3]));
    assert!(search.find(&WindowQuery::new(&slots, &request)).unwrap().best.is_some());
}

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
        let racks =
            (0..).zip(&prices).map(|(id, _)| (NodeId(id), Features::new().with_label(format!("rack={id}"))));
        let slots = SlotList::new(slots.collect()).unwrap().with_features(racks).unwrap();
        let request = ResourceRequest::must(n, 1.0);
        let apart = slots.eligible(&Demands::new().with_spread("rack", 1).unwrap());
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
