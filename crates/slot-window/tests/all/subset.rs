//! The subset solvers against each other.

use proptest::prelude::*;
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

/// Numbers of exact sums: few small ones (many ties), multiples of 2^-16, and values that follow the costs.
fn instance(max_items: usize, max_count: usize) -> impl Strategy<Value = Instance> {
    let small = (0u32..6, 0u32..6).prop_map(|(value, cost)| (f64::from(value) - 2.0, f64::from(cost)));
    let real = (0u32..655_360, 0u32..655_360)
        .prop_map(|(value, cost)| (f64::from(value) / GRID, f64::from(cost) / GRID));
    let following = (65_536u32..655_360, 0u32..6_553)
        .prop_map(|(cost, noise)| (f64::from(cost + noise) / GRID, f64::from(cost) / GRID));
    let items = prop_oneof![
        prop::collection::vec(small, 1..max_items),
        prop::collection::vec(real, 1..max_items),
        prop::collection::vec(following, 1..max_items),
    ];
    (items, 0usize..=max_count, -0.1..1.1f64).prop_map(|(items, count, share)| {
        let (values, costs) = items.into_iter().unzip();
        with_budget(values, costs, count, share, 1.0 / GRID)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn exact_is_the_best_of_all(instance in instance(13, 7)) {
        let mut scratch = SubsetScratch::new();
        let expected = solve(&ExhaustiveSubset, &instance.problem(), &mut scratch);
        let found = solve(&ExactSubset::new(), &instance.problem(), &mut scratch);
        prop_assert_eq!(&found, &expected);
        // The lists alone, without the depth-first search before them.
        let by_lists = solve(&ExactSubset::new().with_max_steps(0), &instance.problem(), &mut scratch);
        prop_assert_eq!(by_lists, expected);
    }

    #[test]
    fn exact_on_any_numbers(
        items in prop::collection::vec((-1e3..1e3f64, 0.0..1e3f64), 1..12),
        count in 1usize..6,
        share in 0.0..1.0f64,
    ) {
        let (values, costs) = items.into_iter().unzip();
        let instance = with_budget(values, costs, count, share, 1e-9);
        let mut scratch = SubsetScratch::new();
        let expected = solve(&ExhaustiveSubset, &instance.problem(), &mut scratch);
        let found = solve(&ExactSubset::new(), &instance.problem(), &mut scratch);
        prop_assert_eq!(&found, &expected);
        // The lists alone, without the depth-first search before them.
        let by_lists = solve(&ExactSubset::new().with_max_steps(0), &instance.problem(), &mut scratch);
        prop_assert_eq!(by_lists, expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn exact_and_table_agree_on_whole_numbers(
        items in prop::collection::vec((0u32..1000, 0u32..60), 20..120),
        count in 1usize..20,
        share in 0.0..1.0f64,
    ) {
        let (values, costs) = items.into_iter().map(|(value, cost)| (f64::from(value), f64::from(cost))).unzip();
        let instance = with_budget(values, costs, count, share, 1.0);
        let mut scratch = SubsetScratch::new();
        let table = solve(&SubsetTable::new(), &instance.problem(), &mut scratch);
        let exact = solve(&ExactSubset::new(), &instance.problem(), &mut scratch);
        prop_assert_eq!(table.as_ref().map(|best| best.1), exact.as_ref().map(|best| best.1));
        prop_assert_eq!(table.map(|best| best.0.value()), exact.map(|best| best.0.value()));
    }

    #[test]
    fn the_hard_ones_too(
        items in prop::collection::vec((10u32..200, 0u32..3), 20..80),
        count in 1usize..20,
        share in 0.0..1.0f64,
    ) {
        // Values follow costs closely: thousands of subsets of nearly equal worth.
        let (values, costs) =
            items.into_iter().map(|(cost, noise)| (f64::from(2 * cost + noise), f64::from(cost))).unzip();
        let instance = with_budget(values, costs, count, share, 1.0);
        let mut scratch = SubsetScratch::new();
        let table = solve(&SubsetTable::new(), &instance.problem(), &mut scratch);
        let exact = solve(&ExactSubset::new(), &instance.problem(), &mut scratch);
        prop_assert_eq!(table.map(|best| best.0.value()), exact.map(|best| best.0.value()));
    }

    // Two ways that share no more than the bound, where the gap below it is wide and many exchanges fill it.
    #[test]
    fn exchanges_and_lists_agree(
        items in prop::collection::vec((655_360u32..13_107_200, 0u32..65_536), 20..50),
        count in 2usize..9,
        share in 0.05..0.6f64,
    ) {
        let (values, costs) = items
            .into_iter()
            .map(|(cost, noise)| (f64::from(2 * cost + 4 * noise) / GRID, f64::from(cost) / GRID))
            .unzip();
        let instance = with_budget(values, costs, count, share, 1.0 / GRID);
        let mut scratch = SubsetScratch::new();
        let no_lists = Limit::without_limit().with_memory(0);
        let exchanges = ExactSubset::new().solve(&instance.problem(), &no_lists, &mut scratch);
        prop_assert_eq!(exchanges.end, End::Done);
        let lists = solve(&ExactSubset::new().with_max_steps(0), &instance.problem(), &mut scratch);
        prop_assert_eq!(exchanges.best, lists.map(|best| best.0));
    }

    #[test]
    fn every_solver_keeps_to_the_budget(instance in instance(12, 5)) {
        let mut scratch = SubsetScratch::new();
        let best = solve(&ExhaustiveSubset, &instance.problem(), &mut scratch);
        for &kind in SubsetKind::ALL {
            let solver = kind.build();
            prop_assert_eq!(solver.name(), kind.name());
            prop_assert_eq!(kind.name().parse::<SubsetKind>().unwrap(), kind);
            let Some((subset, proof)) = solve(solver.as_ref(), &instance.problem(), &mut scratch) else { continue };
            prop_assert_eq!(subset.indices().len(), instance.count);
            prop_assert!(subset.indices().is_sorted_by(|a, b| a < b));
            prop_assert!(subset.cost() <= instance.budget);
            let best = best.as_ref().unwrap();
            prop_assert!(subset.value() <= best.0.value());
            if proof == Proof::Exact {
                prop_assert_eq!(subset.value(), best.0.value());
            }
        }
    }

    #[test]
    fn a_limit_gives_an_honest_answer(
        items in prop::collection::vec((10u32..200, 0u32..3), 40..60),
        count in 5usize..15,
        work in 1u64..200_000,
        more in 1u64..200_000,
        memory in 0u64..1_000_000,
    ) {
        let (values, costs) =
            items.into_iter().map(|(cost, noise)| (f64::from(2 * cost + noise), f64::from(cost))).unzip();
        let instance = with_budget(values, costs, count, 0.5, 1.0);
        let problem = instance.problem();
        let mut scratch = SubsetScratch::new();
        let best = solve(&ExactSubset::new(), &problem, &mut scratch).unwrap().0;
        let within = |limit: &Limit, scratch: &mut SubsetScratch| {
            let found = ExactSubset::new().solve(&problem, limit, scratch);
            assert!(found.work <= limit.work);
            if let Some(subset) = &found.best {
                assert!(subset.cost() <= instance.budget);
                assert!(subset.value() <= best.value());
            }
            assert!(found.bound.is_none_or(|bound| bound >= best.value()), "{found:?}");
            assert!(found.end != End::Done || found.best.as_ref() == Some(&best), "{found:?}");
            found
        };
        let less = within(&Limit::without_limit().with_work(work), &mut scratch);
        let more = within(&Limit::without_limit().with_work(work + more), &mut scratch);
        // More work never makes value or bound worse.
        prop_assert!(more.value.unwrap_or(f64::NEG_INFINITY) >= less.value.unwrap_or(f64::NEG_INFINITY));
        prop_assert!(more.bound.unwrap_or(f64::INFINITY) <= less.bound.unwrap_or(f64::INFINITY));
        // To be stopped after so much work, by whatever, is to have that limit.
        let again = within(&Limit::without_limit().with_work(less.work), &mut scratch);
        prop_assert_eq!(less, again);
        let _ = within(&Limit::without_limit().with_memory(memory), &mut scratch);
        let near = within(&Limit::without_limit().with_relative_gap(0.01), &mut scratch);
        prop_assert!(near.value.unwrap() >= 0.99 * best.value());
        prop_assert!(matches!(near.end, End::Done | End::Gap));
    }
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
fn extreme_numbers_stay_exact() {
    let numbers = [0.0, 1e-200, 1e-12, 1.0, 1e12, 1e200];
    let mut scratch = SubsetScratch::new();
    for seed in 0_usize..6_000 {
        let pick = |i: usize| numbers[(seed / 6_usize.pow(i as u32 % 4) + i * seed) % 6];
        let values: Vec<f64> = (0..6).map(pick).collect();
        let costs: Vec<f64> = (0..6).map(|i| pick(i + 6)).collect();
        let problem = SubsetProblem::new(&values, &costs, 3, pick(12)).unwrap();
        let expected = solve(&ExhaustiveSubset, &problem, &mut scratch);
        let found = solve(&ExactSubset::new(), &problem, &mut scratch);
        assert_eq!(found.map(|best| best.0), expected.map(|best| best.0), "{values:?} {costs:?}");
    }
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
