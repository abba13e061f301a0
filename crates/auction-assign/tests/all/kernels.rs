//! The inner loops at the ends of rows, on ties, and with numbers of very different magnitudes, tested by the answers
//! and the work of methods.

use crate::cases::{self, problem};
use crate::larger::check;
use auction_assign::{Assigner, AssignerKind, AssignmentProblem, Auction, Costs, Coverage, assign, verify};
use econsched::testkit::{AssignCase, Draw};
use sched_model::Limit;

fn dense<'a>(resources: usize, values: &'a [f64]) -> AssignmentProblem<'a> {
    AssignmentProblem::new(Costs::dense(values.len() / resources, resources, values).unwrap())
}

fn work(method: &dyn Assigner, problem: &AssignmentProblem<'_>) -> u64 {
    method.solve(problem, &mut Limit::none().meter()).unwrap().work
}

#[test]
fn every_job_on_its_cheapest_resource() {
    let resources =
        |row: &[f64]| AssignerKind::Transport.assign(&dense(row.len(), row)).unwrap().best.unwrap().resources;
    for (row, first) in [
        (&[7.0, 3.0, 9.0, 9.0, 3.0, 3.0][..], 1),
        (&[7.0, 9.0, 9.0, 3.0, 3.0, 3.0, 9.0, 3.0, 3.0], 3),
        (&[9.0, 9.0, 9.0, 9.0, 9.0, 3.0, 3.0, 9.0, 3.0], 5),
        (&[9.0, 9.0, 9.0, 9.0, 9.0, 3.0, 3.0, 9.0, 2.0], 8),
    ] {
        assert_eq!(resources(row), [Some(first)]);
    }
    let values = [3.0, 1.0, 2.0, 5.0, 0.5, -4.0];
    let roomy = AssignCase { capacities: Some(vec![1, 2]), ..cases::dense(2, &values) };
    let answer = AssignerKind::Transport.assign(&problem(&roomy)).unwrap();
    assert_eq!(
        (answer.work, answer.value, answer.best.unwrap().resources),
        // One pass checks the costs, another places the jobs.
        (12, Some(-1.0), vec![Some(1), Some(0), Some(1)])
    );
    // Problems in which this fails: too little room, a place that needs a price, or jobs left out.
    let tight = AssignCase { capacities: Some(vec![2, 1]), ..roomy.clone() };
    for (case, total) in [
        (AssignCase { maximise: true, ..tight.clone() }, Some(8.5)),
        (tight, Some(1.0)),
        (AssignCase { capacities: Some(vec![3, 0]), ..roomy.clone() }, Some(5.5)),
        (AssignCase { coverage: Coverage::Penalty(0.0), ..roomy }, Some(-4.0)),
    ] {
        assert_eq!(check(case, "little room"), total);
    }
}

/// If a thousand columns are of a few kinds, each kind is solved once; otherwise all columns are solved.
#[test]
fn a_hundred_kinds_of_a_thousand_columns_are_found() {
    let passes = |kinds: usize| {
        let entry = |k: usize| k / 1000 * (k / 1000) * 7 + k % 1000 * 7919 % 1009 % kinds * 31;
        let values: Vec<f64> = (0..500_000).map(|k| (entry(k) % 997) as f64).collect();
        work(&AssignerKind::Automatic, &dense(1000, &values)) as f64 / 5e5
    };
    assert!([1, 10, 100].into_iter().all(|kinds| passes(kinds) < 2.5));
}

/// A factor is rounded up to a power of two.
#[test]
fn epsilon_falls_by_powers_of_two() {
    let draw = &mut Draw::new(5, 0);
    let values: Vec<f64> = (0..40 * 40).map(|_| draw.below(1000) as f64).collect();
    let of = |factor| work(&Auction::default().with_factor(factor).with_closing(false), &dense(40, &values));
    assert_eq!((of(5.0), of(9.0)), (of(8.0), of(16.0)));
    assert!(of(2.0) != of(4.0) && of(4.0) != of(8.0) && of(8.0) != of(16.0));
}

/// Two hundred jobs with one place each, and twenty jobs that may use any of these places: each job makes room for
/// the next, and lists are not read once per place.
#[test]
fn a_phase_of_the_matching_reads_a_list_three_times_at_most() {
    // A resource that no job may use keeps the search from ending when all places are taken.
    let cost =
        |k: usize| if k % 201 < 200 && (k / 201 >= 200 || k / 201 == k % 201) { 1.0 } else { f64::INFINITY };
    let values: Vec<f64> = (0..220 * 201).map(cost).collect();
    let case = AssignCase { sparse: true, coverage: Coverage::MostJobs, ..cases::dense(201, &values) };
    assert!(work(&AssignerKind::ShortestPaths, &problem(&case)) < 140_000);
    assert_eq!(check(case, "matching"), Some(200.0));
}

/// Times on a grid of machines have long paths. If these are predicted, the auction takes over. If places are left
/// over, no prediction ends the search.
#[test]
fn long_paths_are_foretold() {
    let of = |k: usize| 1.0 + (k * 7919 % 1009) as f64;
    let time =
        |i: usize, r: usize| (1e4 * of(i) / of(r + 500) + 1e4 * of(3 * i + 7) / of(5 * r + 300)).round();
    for (n, m, most) in [(300, 300, 110), (160, 176, 80)] {
        let values: Vec<f64> = (0..n * m).map(|k| time(k / m, k % m)).collect();
        let passes = work(&AssignerKind::Automatic, &dense(m, &values)) / (n * m) as u64;
        assert!(passes < most, "{m}: {passes}");
    }
}

/// Distances that should be equal differ in their last bits after rounding. A search that takes them for different
/// places a job where it pays more, and then has to place every later job again.
#[test]
fn rounded_sums_put_jobs_where_they_pay_least_but_for_rounding() {
    let n = 70;
    let of = |k: usize| (k * 7919 % 1009) as f64 / 1009.0;
    let point = |k: usize| (of(k + 1) + of(3 * k) / 1000.0, of(k * k + n));
    let apart = |a: (f64, f64), b: (f64, f64)| ((a.0 - b.0).powi(2) + (a.1 - b.1).powi(2)).sqrt();
    let values: Vec<f64> = (0..n * n).map(|k| apart(point(k / n), point(n + k % n))).collect();
    assert!(work(&AssignerKind::Automatic, &dense(n, &values)) < 23 * 4900);
}

/// Thirds have no exact sums, but no sums are needed if each job has a cheapest resource of its own.
#[test]
fn jobs_on_their_cheapest_resources_need_no_sums() {
    let n = 70;
    let cost = |k: usize| {
        let (i, r) = (k / n, k % n);
        if (r + n - i) % n == 7 { i as f64 / 3.0 } else { (100 + k * 7919 % 1009) as f64 / 3.0 }
    };
    let mut values: Vec<f64> = (0..n * n).map(cost).collect();
    let duals = |values: &[f64]| {
        let found = assign(&dense(n, values)).unwrap().best.unwrap();
        assert_eq!(verify(&dense(n, values), &found).unwrap().gap, 0.0);
        found.duals.unwrap()
    };
    let found = duals(&values);
    assert!(found.remainders.is_none() && found.prices.iter().all(|&price| price == 0.0));
    // Two jobs have the same cheapest resource, so one of them pays more than its minimum cost.
    values[8] = -1.0 / 3.0;
    assert!(duals(&values).prices.iter().any(|&price| price > 0.0));
}

/// If many costs are equal, a job takes a free one of its cheapest resources, at any position; quarters are as
/// exact as whole numbers.
#[test]
fn free_ones_of_equal_resources_are_found() {
    let of_kinds = |kinds: usize, unit: f64| {
        let cost = |k: usize| unit * ((k * 7919 + k / 75 * k % 10_007 * 31) % 1009 % kinds) as f64;
        let values: Vec<f64> = (0..75 * 75).map(cost).collect();
        check(cases::dense(75, &values), "ties");
        work(&AssignerKind::Automatic, &dense(75, &values))
    };
    let [whole, quarters]: [u64; 2] =
        [1.0, 0.25].map(|unit| [2, 3, 5].map(|kinds| of_kinds(kinds, unit)).iter().sum());
    assert!(whole < 52_000 && whole == quarters, "{whole} {quarters}");
}

/// The number of bids depends on which job is outbid, at which price, and on when a list is made again.
#[test]
fn an_auction_takes_so_many_bids() {
    for (jobs, resources, places, expected) in [
        (60, 12, 6, [69_360, 62_008, 51_040]),
        (60, 60, 1, [161_860, 158_448, 72_480]),
        (80, 50, 2, [128_818, 138_094, 82_480]),
    ] {
        let cost = |k: u64| ((k * 7919 + k * k * 104_729) % 1000) as f64;
        let values: Vec<f64> = (0..jobs * resources as u64).map(cost).collect();
        let capacities = vec![places; resources];
        let problem = dense(resources, &values).with_capacities(&capacities);
        let methods: [&dyn Assigner; 3] =
            [&Auction::default(), &Auction::default().with_closing(false), &AssignerKind::ShortestPaths];
        assert_eq!(methods.map(|method| work(method, &problem)), expected);
    }
}

/// Two jobs that both want the same two of three resources raise their prices by an epsilon per bid, until the
/// third, which costs up to a million times 2^36 epsilons more, is as good.
#[test]
fn a_price_war_in_small_steps_ends() {
    let values = [0.0, 0.0, 1e6].repeat(3);
    let problem = AssignmentProblem::new(Costs::dense(3, 3, &values).unwrap());
    for epsilon in [1.0, 1e-3, 1e-9, 1e-300] {
        for factor in [2.0, 8.0, 1e9] {
            let plain = Auction::default().with_factor(factor).with_last_epsilon(epsilon).with_closing(false);
            let total = plain.assign(&problem).unwrap().best.unwrap().total;
            // At such costs a smaller step is not felt.
            assert!(total <= 1e6 + 3.0 * epsilon.max(1e6 * 2f64.powi(-36)), "{epsilon} {factor}");
        }
    }
}
