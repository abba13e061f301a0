//! The subset solvers against all subsets, and against each other where these are too many.

use crate::subsets::Subsets;
use econsched::testkit::{Check, Draw, drawn};
use sched_model::{End, Limit, Outcome, Proof};
use slot_window::WindowError;
use slot_window::subset::{
    ExactSubset, ExhaustiveSubset, Subset, SubsetKind, SubsetProblem, SubsetScratch, SubsetSolver,
    SubsetTable,
};

/// The best subset and what is proven of it; none where there is none.
fn solve(
    solver: &dyn SubsetSolver,
    problem: &SubsetProblem<'_>,
    scratch: &mut SubsetScratch,
) -> Option<(Subset, Proof)> {
    let outcome = solver.solve(problem, &Limit::without_limit(), scratch);
    assert_eq!(outcome.value, outcome.best.as_ref().map(Subset::value));
    let proof = outcome.proof();
    outcome.best.map(|subset| (subset, proof))
}

#[derive(Debug, Clone)]
struct Instance {
    values: Vec<f64>,
    costs: Vec<f64>,
    count: usize,
    budget: f64,
}

impl Instance {
    fn problem(&self) -> SubsetProblem<'_> {
        SubsetProblem::new(&self.values, &self.costs, self.count, self.budget).unwrap()
    }
}

/// The budget as a share of the way from the least to the greatest cost of a choice.
fn with_budget(values: Vec<f64>, costs: Vec<f64>, count: usize, share: f64, step: f64) -> Instance {
    let mut sorted = costs.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = count.min(costs.len());
    let least: f64 = sorted[..n].iter().sum();
    let most: f64 = sorted[sorted.len() - n..].iter().sum();
    let budget = ((least + share * (most - least)) / step).floor() * step;
    Instance { values, costs, count, budget }
}

const GRID: f64 = 65_536.0;

/// Items of whole values and costs: any, or values that follow costs closely, so that thousands of subsets are of
/// nearly equal worth.
fn instance(draw: &mut Draw, items: usize, hard: bool) -> Instance {
    let item = |_| {
        let (cost, noise) = (draw.between(10, 200), draw.below(3));
        let value = if hard { 2 * cost + noise } else { draw.below(1000) };
        (value as f64, cost as f64)
    };
    let (values, costs) = (0..items).map(item).unzip();
    let (count, share) = (draw.between(1, 19), draw.unit());
    with_budget(values, costs, count, share, 1.0)
}

#[test]
fn every_solver_is_as_good_as_it_says_within_any_limit() {
    let seen = Check::new(Subsets).run(1000).unwrap();
    assert!(seen.solved > 1000, "{seen:?}");
}

#[test]
fn exact_and_table_agree() {
    drawn(600, |draw| {
        let (items, hard) = (draw.between(20, 119), draw.chance(50));
        let instance = instance(draw, items, hard);
        let mut scratch = SubsetScratch::new();
        let table = solve(&SubsetTable::new(), &instance.problem(), &mut scratch);
        let exact = solve(&ExactSubset::new(), &instance.problem(), &mut scratch);
        assert_eq!(table.as_ref().map(|best| best.1), exact.as_ref().map(|best| best.1));
        assert_eq!(table.map(|best| best.0.value()), exact.map(|best| best.0.value()));
    });
}

/// Two ways that share no more than the bound, where the gap below it is wide and many exchanges fill it.
#[test]
fn exchanges_and_lists_agree() {
    drawn(300, |draw| {
        let items = draw.between(20, 49);
        let item = |_| {
            let (cost, noise) = (655_360 + draw.below(12_451_840), draw.below(65_536));
            ((2 * cost + 4 * noise) as f64 / GRID, cost as f64 / GRID)
        };
        let (values, costs) = (0..items).map(item).unzip();
        let (count, share) = (draw.between(2, 8), 0.05 + 0.55 * draw.unit());
        let instance = with_budget(values, costs, count, share, 1.0 / GRID);
        let mut scratch = SubsetScratch::new();
        let no_lists = Limit::without_limit().with_memory(0);
        let exchanges = ExactSubset::new().solve(&instance.problem(), &no_lists, &mut scratch);
        assert_eq!(exchanges.end, End::Done);
        let lists = solve(&ExactSubset::new().with_max_steps(0), &instance.problem(), &mut scratch);
        assert_eq!(exchanges.best, lists.map(|best| best.0));
    });
}

#[test]
fn little_memory_and_a_gap_give_an_honest_answer() {
    drawn(300, |draw| {
        let items = draw.between(40, 59);
        let instance = instance(draw, items, true);
        let (problem, mut scratch) = (instance.problem(), SubsetScratch::new());
        let Some((best, _)) = solve(&ExactSubset::new(), &problem, &mut scratch) else { return };
        let memory = Limit::without_limit().with_memory(draw.below(1_000_000) as u64);
        let gap = Limit::without_limit().with_relative_gap(0.01);
        for limit in [memory, gap] {
            let found = ExactSubset::new().solve(&problem, &limit, &mut scratch);
            let fits = |subset: &Subset| subset.cost() <= instance.budget && subset.value() <= best.value();
            assert!(found.best.as_ref().is_none_or(fits), "{found:?}");
            assert!(found.bound.is_none_or(|bound| bound >= best.value()), "{found:?}");
            assert!(found.end != End::Done || found.best.as_ref() == Some(&best), "{found:?}");
            let near = found.value.is_some_and(|value| value >= 0.99 * best.value());
            assert!(
                limit.relative_gap == 0.0 || near && matches!(found.end, End::Done | End::Gap),
                "{found:?}"
            );
        }
    });
}

#[test]
fn ties_by_cost_then_indices() {
    let solve = |values: &[f64], costs: &[f64], count, budget| {
        let problem = SubsetProblem::new(values, costs, count, budget).unwrap();
        solve(&ExactSubset::new(), &problem, &mut SubsetScratch::new()).unwrap().0.indices().to_vec()
    };
    assert_eq!(solve(&[1.0; 4], &[1.0; 4], 2, 9.0), [0, 1]);
    assert_eq!(solve(&[1.0; 4], &[2.0, 1.0, 2.0, 1.0], 2, 9.0), [1, 3]);
    // 4 + 1 and 3 + 2 are worth the same and cost the same.
    assert_eq!(solve(&[3.0, 4.0, 1.0, 2.0, 9.0], &[3.0, 4.0, 1.0, 2.0, 9.0], 2, 5.0), [0, 3]);
}

#[test]
fn thousands_of_equal_items() {
    let (values, costs): (Vec<f64>, Vec<f64>) =
        (0..2000).map(|i| (f64::from(i % 3), f64::from(i % 3) + 1.0)).unzip();
    let problem = SubsetProblem::new(&values, &costs, 40, 100.0).unwrap();
    let best: Outcome<Subset> =
        ExactSubset::new().solve(&problem, &Limit::default(), &mut SubsetScratch::new());
    assert_eq!(best.proof(), Proof::Exact);
    let best = best.best.unwrap();
    assert_eq!((best.value(), best.cost()), (60.0, 100.0));
}

#[test]
fn edges() {
    let mut scratch = SubsetScratch::new();
    let solve_by = solve;
    let mut solve = |values: &[f64], costs: &[f64], count, budget| {
        let problem = SubsetProblem::new(values, costs, count, budget).unwrap();
        SubsetKind::ALL
            .iter()
            .map(|kind| {
                let found = solve_by(kind.build().as_ref(), &problem, &mut scratch);
                found.map(|best| best.0.indices().to_vec())
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(solve(&[], &[], 0, 0.0), [Some(vec![]), Some(vec![]), Some(vec![])]);
    assert_eq!(solve(&[], &[], 0, -1.0), [None, None, None]);
    assert_eq!(solve(&[], &[], 1, 5.0), [None, None, None]);
    assert_eq!(solve(&[1.0], &[0.0], 1, 0.0), [Some(vec![0]), Some(vec![0]), Some(vec![0])]);
    assert_eq!(solve(&[-1.0, -2.0], &[3.0, 1.0], 1, 2.0), [Some(vec![1]), Some(vec![1]), Some(vec![1])]);
    assert_eq!(solve(&[1.0, 2.0], &[3.0, 4.0], 1, f64::INFINITY)[0], Some(vec![1]));
}

#[test]
fn the_table_claims_nothing_where_its_sums_round() {
    let mut scratch = SubsetScratch::new();
    let mut proof = |values: &[f64]| {
        let costs = vec![1.0; values.len()];
        let problem = SubsetProblem::new(values, &costs, 3, 3.0).unwrap();
        SubsetTable::new().solve(&problem, &Limit::default(), &mut scratch).proof()
    };
    assert_eq!(proof(&[0.5, 1.5, 2.25, 1.0]), Proof::Exact);
    assert_eq!(proof(&[0.1, 0.2, 0.3, 0.7]), Proof::Heuristic);
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
    let many = vec![1.0; 200];
    let problem = SubsetProblem::new(&many, &many, 100, 1e9).unwrap();
    let mut scratch = SubsetScratch::new();
    // Too many subsets, and too many cells.
    let all = ExhaustiveSubset.solve(&problem, &Limit::default().with_work(10_000), &mut scratch);
    assert_eq!((all.end, all.proof(), all.best.is_some()), (End::Work, Proof::LimitReached, true));
    let fine = SubsetTable::new().with_unit(1e-9).unwrap();
    let table = fine.solve(&problem, &Limit::default(), &mut scratch);
    assert_eq!((table.end, table.is_infeasible()), (End::Memory, false));
    assert!(SubsetTable::new().with_unit(0.0).is_err());
}

/// A table of 10^60 cells is not begun, within any limit.
#[test]
fn a_table_that_cannot_be_filled_is_not_made() {
    let problem = SubsetProblem::new(&[1.0, 2.0], &[1e59, 1e60], 1, 1e60).unwrap();
    for limit in [
        Limit::default(),
        Limit::without_limit(),
        Limit::without_limit().with_work(1000),
        Limit::default().with_memory(u64::MAX),
    ] {
        let found = SubsetTable::new().solve(&problem, &limit, &mut SubsetScratch::new());
        assert!(found.best.is_none() && matches!(found.end, End::Work | End::Memory), "{:?}", found.end);
        assert_eq!(found.work, 0);
    }
    // A limit of as much work as there is to do is enough, a unit less is not.
    let problem = SubsetProblem::new(&[1.0, 2.0, 4.0], &[3.0, 5.0, 4.0], 2, 8.0).unwrap();
    let solve = |limit: Limit| SubsetTable::new().solve(&problem, &limit, &mut SubsetScratch::new());
    let whole = solve(Limit::default());
    assert_eq!(whole.best.unwrap().indices(), [0, 2]);
    assert_eq!(solve(Limit::default().with_work(whole.work)).end, End::Done);
    assert_eq!(solve(Limit::default().with_work(whole.work - 1)).end, End::Work);
}
