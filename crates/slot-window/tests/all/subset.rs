//! The best subset, compared with all subsets, or with a table if there are too many.

use crate::subsets::Subsets;
use econsched::testkit::{Check, drawn};
use sched_model::{End, Limit, Proof};
use slot_window::WindowError;
use slot_window::subset::{Subset, SubsetProblem};
use std::cell::Cell;

/// The best subset; `None` if there is none.
fn solve(problem: &SubsetProblem) -> Option<Subset> {
    let outcome = problem.solve(&mut Limit::none().meter());
    assert_eq!(outcome.value, outcome.best.as_ref().map(|subset| subset.value));
    assert_eq!(outcome.proof(), Proof::Exact);
    outcome.best
}

const GRID: f64 = 65_536.0;

#[test]
fn a_subset_is_as_good_as_it_says_within_any_limit() {
    let seen = Check::new(Subsets).run(800).unwrap();
    assert!(seen.solved > 800, "{seen:?}");
}

/// Two methods that share only the bound, with a wide gap below it that many exchanges fill. Exchanges that are
/// listed in vain show only in the work, which must be no more than was measured.
#[test]
fn exchanges_and_lists_agree() {
    let (work, compared) = (Cell::new(0), Cell::new(0));
    drawn(300, |draw| {
        let items = draw.between(20, 49);
        let item = |_| {
            let (cost, noise) = (655_360 + draw.below(12_451_840), draw.below(65_536));
            ((2 * cost + 4 * noise) as f64 / GRID, cost as f64 / GRID)
        };
        let (values, costs): (Vec<f64>, Vec<f64>) = (0..items).map(item).unzip();
        let (count, share) = (draw.between(2, 8), 0.05 + 0.55 * draw.unit());
        let mut sorted = costs.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let (least, most): (f64, f64) = (sorted[..count].iter().sum(), sorted[items - count..].iter().sum());
        let budget = ((least + share * (most - least)) * GRID).floor() / GRID;
        let problem = SubsetProblem::new(&values, &costs, count, budget).unwrap();
        let exchanges = problem.solve(&mut Limit::none().with_memory(0).meter());
        assert_eq!(exchanges.end, End::Done);
        assert_eq!(exchanges.best, solve(&problem.clone().with_max_exchanges(0)));
        work.set(work.get() + exchanges.work + problem.solve(&mut Limit::none().meter()).work);
        let some = problem.with_one_of(&[draw.below(items), draw.below(items)]);
        let exchanges = some.solve(&mut Limit::none().with_memory(0).meter());
        // Many subsets without one of the two may be better.
        if exchanges.end == End::Done {
            assert_eq!(exchanges.best, solve(&some.with_max_exchanges(0)));
            compared.set(compared.get() + 1);
        }
    });
    assert!(work.get() <= 999_094, "{}", work.get());
    assert!(compared.get() > 200, "{}", compared.get());
}

#[test]
fn of_no_items_only_the_empty_subset_is_taken() {
    let solve =
        |count, budget| solve(&SubsetProblem::new(&[], &[], count, budget).unwrap()).map(|best| best.indices);
    assert_eq!([solve(0, 0.0), solve(0, -1.0), solve(1, 5.0)], [Some(vec![]), None, None]);
}

#[test]
fn bad_input_is_named() {
    assert_eq!(
        SubsetProblem::new(&[1.0], &[], 1, 1.0).unwrap_err(),
        WindowError::Lengths { values: 1, costs: 0 }
    );
    let error = SubsetProblem::new(&[1.0, f64::NAN], &[1.0, 1.0], 1, 1.0).unwrap_err();
    assert_eq!(error.to_string(), "the value of item 1 is out of range: NaN");
    let error = SubsetProblem::new(&[1.0], &[-1.0], 1, 1.0).unwrap_err();
    assert_eq!(error.to_string(), "the cost of item 0 is out of range: -1");
    assert!(SubsetProblem::new(&[1.0], &[1.0], 1, f64::NAN).is_err());
}
