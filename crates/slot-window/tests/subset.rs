//! The subset solvers against each other.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use sched_model::Proof;
use slot_window::WindowError;
use slot_window::subset::{
    ExactSubset, ExhaustiveSubset, SubsetKind, SubsetProblem, SubsetScratch, SubsetSolver, SubsetTable,
};

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
        let expected = ExhaustiveSubset::new().solve(&instance.problem(), &mut scratch).unwrap();
        let found = ExactSubset::new().solve(&instance.problem(), &mut scratch).unwrap();
        prop_assert_eq!(&found, &expected);
        // The lists alone, without the depth-first search before them.
        let by_lists = ExactSubset::new().with_max_steps(0).solve(&instance.problem(), &mut scratch).unwrap();
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
        let expected = ExhaustiveSubset::new().solve(&instance.problem(), &mut scratch).unwrap();
        let found = ExactSubset::new().solve(&instance.problem(), &mut scratch).unwrap();
        prop_assert_eq!(&found, &expected);
        // The lists alone, without the depth-first search before them.
        let by_lists = ExactSubset::new().with_max_steps(0).solve(&instance.problem(), &mut scratch).unwrap();
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
        let table = SubsetTable::new().solve(&instance.problem(), &mut scratch).unwrap();
        let exact = ExactSubset::new().solve(&instance.problem(), &mut scratch).unwrap();
        prop_assert_eq!(table.as_ref().map(|best| best.proof), exact.as_ref().map(|best| best.proof));
        prop_assert_eq!(table.map(|best| best.solution.value()), exact.map(|best| best.solution.value()));
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
        let table = SubsetTable::new().solve(&instance.problem(), &mut scratch).unwrap();
        let exact = ExactSubset::new().solve(&instance.problem(), &mut scratch).unwrap();
        prop_assert_eq!(table.map(|best| best.solution.value()), exact.map(|best| best.solution.value()));
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
        let exchanges =
            ExactSubset::new().with_max_states(0).solve(&instance.problem(), &mut scratch).unwrap();
        let lists = ExactSubset::new().with_max_steps(0).solve(&instance.problem(), &mut scratch).unwrap();
        prop_assert_eq!(exchanges, lists);
    }

    #[test]
    fn every_solver_keeps_to_the_budget(instance in instance(12, 5)) {
        let mut scratch = SubsetScratch::new();
        let best = ExhaustiveSubset::new().solve(&instance.problem(), &mut scratch).unwrap();
        for &kind in SubsetKind::ALL {
            let solver = kind.build();
            prop_assert_eq!(solver.name(), kind.name());
            prop_assert_eq!(kind.name().parse::<SubsetKind>().unwrap(), kind);
            let Some(found) = solver.solve(&instance.problem(), &mut scratch).unwrap() else { continue };
            let subset = found.solution;
            prop_assert_eq!(subset.indices().len(), instance.count);
            prop_assert!(subset.indices().is_sorted_by(|a, b| a < b));
            prop_assert!(subset.cost() <= instance.budget);
            let best = best.as_ref().unwrap();
            prop_assert!(subset.value() <= best.solution.value());
            if found.proof == Proof::Exact {
                prop_assert_eq!(subset.value(), best.solution.value());
            }
        }
    }

    #[test]
    fn a_limit_gives_an_answer_without_proof(
        items in prop::collection::vec((10u32..200, 0u32..3), 60..80),
        count in 10usize..20,
    ) {
        let (values, costs) =
            items.into_iter().map(|(cost, noise)| (f64::from(2 * cost + noise), f64::from(cost))).unzip();
        let instance = with_budget(values, costs, count, 0.5, 1.0);
        let mut scratch = SubsetScratch::new();
        let exact = ExactSubset::new().solve(&instance.problem(), &mut scratch).unwrap().unwrap();
        let cut = ExactSubset::new().with_max_steps(10).with_max_states(10).solve(&instance.problem(), &mut scratch).unwrap().unwrap();
        prop_assert!(cut.solution.cost() <= instance.budget);
        prop_assert!(cut.proof == Proof::LimitReached || cut.solution == exact.solution);
    }
}

#[test]
fn ties_by_cost_then_indices() {
    let solve = |values: &[f64], costs: &[f64], count, budget| {
        let problem = SubsetProblem::new(values, costs, count, budget).unwrap();
        let best = ExactSubset::new().solve(&problem, &mut SubsetScratch::new()).unwrap().unwrap();
        best.solution.indices().to_vec()
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
    let best = ExactSubset::new().solve(&problem, &mut SubsetScratch::new()).unwrap().unwrap();
    assert_eq!((best.solution.value(), best.solution.cost(), best.proof), (60.0, 100.0, Proof::Exact));
}

#[test]
fn edges() {
    let mut scratch = SubsetScratch::new();
    let mut solve = |values: &[f64], costs: &[f64], count, budget| {
        let problem = SubsetProblem::new(values, costs, count, budget).unwrap();
        SubsetKind::ALL
            .iter()
            .map(|kind| {
                let found = kind.build().solve(&problem, &mut scratch).unwrap();
                found.map(|best| best.solution.indices().to_vec())
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
        let expected = ExhaustiveSubset::new().solve(&problem, &mut scratch).unwrap();
        let found = ExactSubset::new().solve(&problem, &mut scratch).unwrap();
        assert_eq!(
            found.map(|best| best.solution.value()),
            expected.map(|best| best.solution.value()),
            "{values:?} {costs:?}"
        );
    }
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
    assert!(matches!(
        ExhaustiveSubset::new().solve(&problem, &mut scratch),
        Err(WindowError::TooLarge { .. })
    ));
    let fine = SubsetTable::new().with_unit(1e-9).unwrap();
    assert!(matches!(fine.solve(&problem, &mut scratch), Err(WindowError::TooLarge { .. })));
    assert!(SubsetTable::new().with_unit(0.0).is_err());
}
