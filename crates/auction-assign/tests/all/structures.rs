//! Structures that the automatic choice looks for: equal rows and columns, many more resources than jobs.

use crate::oracle;
use crate::oracle::Rng;
use auction_assign::{
    AssignError, Assigner, Automatic, Costs, Coverage, Problem, Sense, ShortestPaths, solve_within,
    verify_answer, verify_shortage,
};
use sched_model::{End, Limit, Proof};

/// Both totals are equal, and the automatic one is proven.
fn check(problem: &Problem<'_>, name: &str) {
    let answer = Automatic.assign(problem).unwrap();
    let other = ShortestPaths.assign(problem).unwrap();
    match (answer.shortage(), other.shortage()) {
        (Some(shortage), Some(_)) => {
            verify_shortage(problem, shortage).unwrap_or_else(|flaw| panic!("{name}: {flaw}"));
        }
        (None, None) => {
            assert_eq!(answer.proof(), Some(Proof::Exact), "{name}");
            let certificate =
                verify_answer(problem, &answer, 0.0).unwrap_or_else(|flaw| panic!("{name}: {flaw}"));
            let (total, expected) = (certificate.unwrap().total, other.assignment().unwrap().total);
            assert!((total - expected).abs() <= 1e-9 * expected.abs(), "{name}: {total} {expected}");
        }
        (found, expected) => panic!("{name}: {found:?} {expected:?}"),
    }
    for work in [5_000, 50_000, 200_000] {
        let found = solve_within(problem, &mut Limit::default().with_work(work).meter()).unwrap().outcome;
        assert!(found.work <= work);
        if let Some(assignment) = &found.incumbent {
            let gap = auction_assign::verify(problem, assignment, 0.0).unwrap().gap;
            assert!(found.end != End::Done || gap == 0.0, "{name}");
        }
    }
}

/// A matrix whose rows come from so many kinds, and whose columns do.
fn kinds(rng: &mut Rng, rows: usize, cols: usize, row_kinds: u64, col_kinds: u64, spread: u64) -> Vec<f64> {
    let table: Vec<f64> = (0..row_kinds * col_kinds).map(|_| rng.below(spread) as f64 - 3.0).collect();
    let of_row: Vec<u64> = (0..rows).map(|_| rng.below(row_kinds)).collect();
    let of_col: Vec<u64> = (0..cols).map(|_| rng.below(col_kinds)).collect();
    of_row
        .iter()
        .flat_map(|a| of_col.iter().map(|b| table[(a * col_kinds + b) as usize]).collect::<Vec<_>>())
        .collect()
}

#[test]
fn equal_rows_and_equal_columns() {
    let mut rng = Rng(51);
    for round in 0..90 {
        let n = 70 + rng.below(30) as usize;
        let m = n + [0, 0, 9][round % 3];
        let (row_kinds, col_kinds) = [(1000, 7), (7, 1000), (9, 5), (1, 1), (1000, 1)][round / 3 % 5];
        let mut values = kinds(&mut rng, n, m, row_kinds, col_kinds, [1_000_000, 5][round % 2]);
        match round / 15 % 4 {
            0 => {}
            // Nearly equal.
            1 => values[n * m / 2 + 3] += 1.0,
            // Not on a grid.
            2 => values.iter_mut().for_each(|value| *value /= 3.0),
            // A kind of row forbids a kind of column.
            _ => {
                values.iter_mut().filter(|value| **value > 500_000.0).for_each(|value| *value = f64::INFINITY)
            }
        }
        let capacities: Vec<u32> = (0..m).map(|_| rng.below(3) as u32).collect();
        let problem = Problem::new(Costs::dense(n, m, &values).unwrap());
        let problem = problem.with_sense([Sense::Minimise, Sense::Maximise][round % 2]);
        for coverage in [Coverage::EveryJob, Coverage::MostJobs, Coverage::Optional { unplaced: 1000.0 }] {
            let problem = problem.with_coverage(coverage);
            check(&problem, &format!("{round} {coverage:?}"));
            check(&problem.with_capacities(&capacities).unwrap(), &format!("{round} {coverage:?} places"));
        }
    }
}

#[test]
fn many_more_resources_than_jobs() {
    let mut rng = Rng(52);
    for round in 0..60 {
        let n = 1 + rng.below(25) as usize;
        let m = n * (2 + rng.below(40) as usize) + rng.below(9) as usize;
        let mut values = oracle::families(&mut rng, round, n, m);
        if round % 3 == 0 {
            values.iter_mut().for_each(|value| *value /= 3.0);
        }
        let problem = Problem::new(Costs::dense(n, m, &values).unwrap());
        check(&problem.with_sense([Sense::Minimise, Sense::Maximise][round % 2]), &round.to_string());
        // What is wrong is named, wherever it stands.
        let at = rng.below((n * m) as u64) as usize;
        for bad in [f64::NAN, f64::NEG_INFINITY, 1e61] {
            let mut values = values.clone();
            values[at] = bad;
            let problem = Problem::new(Costs::dense(n, m, &values).unwrap());
            let error = Automatic.assign(&problem).unwrap_err();
            let AssignError::Cost { job, resource, .. } = error else { panic!("{error}") };
            assert_eq!((job, resource), (at / m, at % m));
        }
    }
}

#[test]
fn more_jobs_than_resources() {
    let mut rng = Rng(53);
    for round in 0..120 {
        let m = 30 + rng.below(40) as usize;
        let n = m + 1 + rng.below(60) as usize * (1 + round % 3) + 4096 / m;
        let mut values = oracle::families(&mut rng, round, n, m);
        match round % 4 {
            // Not on a grid.
            1 => values.iter_mut().for_each(|value| *value /= 3.0),
            // Differences that a rounded sum loses.
            2 => values.iter_mut().enumerate().for_each(|(k, value)| {
                *value = (*value % 4.0) + 2f64.powi(-50 - (k % 3) as i32);
            }),
            // A resource that nobody may take, and one that a single job may.
            3 if round % 8 == 3 => {
                (0..n * m).filter(|k| k % m == 1 || (k % m == 2 && k / m > 0)).for_each(|k| {
                    values[k] = f64::INFINITY;
                })
            }
            _ => {}
        }
        let problem = Problem::new(Costs::dense(n, m, &values).unwrap());
        let sense =
            if round % 8 == 3 { Sense::Minimise } else { [Sense::Minimise, Sense::Maximise][round % 2] };
        for coverage in [Coverage::MostJobs, Coverage::EveryJob, Coverage::Optional { unplaced: 1000.0 }] {
            check(
                &problem.with_sense(sense).with_coverage(coverage),
                &format!("{round} {n} x {m} {coverage:?}"),
            );
        }
        let problem = problem.with_coverage(Coverage::MostJobs);
        let at = rng.below((n * m) as u64) as usize;
        for bad in [f64::NAN, f64::NEG_INFINITY, 1e61] {
            let mut values = values.clone();
            values[at] = bad;
            let problem =
                Problem::new(Costs::dense(n, m, &values).unwrap()).with_coverage(problem.coverage());
            let error = Automatic.assign(&problem).unwrap_err();
            let AssignError::Cost { job, resource, .. } = error else { panic!("{error}") };
            assert_eq!((job, resource), (at / m, at % m));
        }
    }
}

#[test]
fn a_few_open_resources_among_many_closed_ones() {
    for round in 0..70usize {
        let mut rng = Rng(1000 + round as u64);
        let m = 97 + rng.below(30) as usize;
        let n = 200 + rng.below(110) as usize;
        let mut values = if round % 2 == 0 {
            oracle::families(&mut rng, 0, n, m)
        } else {
            (0..n * m).map(|_| 2f64.powi(rng.below(60) as i32 - 30)).collect()
        };
        // A few pairs are forbidden, so that a search that meets no room has to say who competes.
        values.iter_mut().filter(|_| rng.below(50) == 0).for_each(|value| *value = f64::INFINITY);
        let mut capacities = vec![0; m];
        let mut left = n as u32;
        while left > 0 {
            let places = (left * (1 + rng.below(4) as u32)).div_ceil(8);
            capacities[rng.below(m as u64) as usize] += places;
            left -= places;
        }
        let problem = Problem::new(Costs::dense(n, m, &values).unwrap());
        check(&problem.with_capacities(&capacities).unwrap(), &format!("{round} {capacities:?}"));
    }
}

/// Costs of which a few exchanges look as if jobs and resources could be ranked, though they cannot.
#[test]
fn what_only_seems_ranked_is_soon_solved() {
    let n = 120;
    let draw = |k: usize, bound: usize| (k * 7919 + (k / n) * k % 10_007 * 31) % bound;
    let near = |i: usize, r: usize| (i.abs_diff(r).pow(2) + draw(i * n + r, n)) as f64;
    let edits = |i: usize, r: usize| match (i < n / 2, r < n / 2) {
        (true, true) => 1.0 + draw(i * n + r, 99) as f64,
        (false, false) => 0.0,
        _ if i % (n / 2) == r % (n / 2) => 50.0,
        _ => 1e9,
    };
    let costs: [&dyn Fn(usize, usize) -> f64; 2] = [&near, &edits];
    for cost in costs {
        let values: Vec<f64> = (0..n * n).map(|k| cost(k / n, k % n)).collect();
        let problem = Problem::new(Costs::dense(n, n, &values).unwrap());
        check(&problem, "seems ranked");
        let work = solve_within(&problem, &mut Limit::default().meter()).unwrap().outcome.work;
        assert!(work < 24 * (n * n) as u64, "{work}");
    }
}

/// Enough jobs for a core of few pairs each.
#[test]
fn many_points_in_a_square() {
    let mut rng = Rng(57);
    let n = 1500;
    let points: Vec<(f64, f64)> =
        (0..2 * n).map(|_| (rng.below(1_000_000) as f64, rng.below(1_000_000) as f64)).collect();
    let apart = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).hypot(a.1 - b.1).floor();
    let values: Vec<f64> = (0..n * n).map(|k| apart(points[k / n], points[n + k % n])).collect();
    let problem = Problem::new(Costs::dense(n, n, &values).unwrap());
    let answer = Automatic.assign(&problem).unwrap();
    assert_eq!(answer.proof(), Some(Proof::Exact));
    assert_eq!(verify_answer(&problem, &answer, 0.0).unwrap().unwrap().gap, 0.0);
    let spent = solve_within(&problem, &mut Limit::default().meter()).unwrap().outcome.work;
    for eighths in [4, 6, 7] {
        let limit = Limit::default().with_work(spent * eighths / 8);
        let found = solve_within(&problem, &mut limit.meter()).unwrap().outcome;
        assert!(found.work <= spent * eighths / 8 && found.end == End::Work);
        if let (Some(value), Some(bound)) = (found.value, found.bound) {
            assert!(
                bound <= answer.assignment().unwrap().total && answer.assignment().unwrap().total <= value
            );
        }
    }
}
