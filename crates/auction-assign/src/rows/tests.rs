//! Whole rows against other methods, and what is handed over.

use super::*;
use crate::finish::finish;
use crate::kernel::lanes::least_sum;
use crate::kernel::watch::Watch;
use crate::{Assigner, Automatic, Costs, ShortestPaths, assign, verify};
use sched_model::Limit;

/// Square and with places left over, with few values and with many.
fn problems() -> impl Iterator<Item = (usize, usize, Vec<f64>)> {
    (0..60u64).map(|round| {
        let n = 20 + round as usize % 30;
        let m = n + [0, 7, 40][round as usize % 3];
        let kinds = [2, 3, 30, 1000][round as usize % 4];
        let value = |k: u64| ((k * 7919 + (k + round) * k * 104_729) % 1000 % kinds) as f64 - 1.0;
        (n, m, (0..(n * m) as u64).map(value).collect())
    })
}

#[test]
fn with_passes_enough_the_optimum_is_found() {
    for (n, m, values) in problems() {
        let problem = AssignmentProblem::new(Costs::dense(n, m, &values).unwrap());
        let prepared = Prepared::new(&problem, Watch::NONE).ok().unwrap();
        let other = ShortestPaths.assign(&problem).unwrap();
        let found = place(&prepared, u64::MAX).ok().unwrap();
        let proven = finish(&prepared, found, None).ok().unwrap();
        assert_eq!(verify(&problem, &proven.solution).unwrap().gap, 0.0);
        assert_eq!(proven.solution.total, other.best.unwrap().total);
    }
}

/// Times on a grid of machines, where paths are long; not where places are left over, which no prediction ends.
#[test]
fn long_paths_are_foretold() {
    let n = 160;
    let of = |k: usize| 1.0 + (k * 7919 % 1009) as f64;
    let time =
        |i: usize, r: usize| (1e4 * of(i) / of(r + 500) + 1e4 * of(3 * i + 7) / of(5 * r + 300)).round();
    for (m, passes, is_long) in [(n, 1, true), (n, u64::MAX, false), (n + 16, 1, false)] {
        let values: Vec<f64> = (0..n * m).map(|k| time(k / m, k % m)).collect();
        let problem = AssignmentProblem::new(Costs::dense(n, m, &values).unwrap());
        let prepared = Prepared::new(&problem, Watch::NONE).ok().unwrap();
        let found = place(&prepared, passes);
        assert_eq!(matches!(found, Err(Stop::Long)), is_long, "{m} {passes}");
        assert!(is_long || found.is_ok());
    }
}

/// Rounded distances differ by last bits where they are equal; a search that takes one for another puts a job
/// where it pays more.
#[test]
fn rounded_sums_put_jobs_where_they_pay_least_but_for_rounding() {
    for n in [70, 90, 120] {
        let point = |k: usize| {
            let of = |k: usize| (k * 7919 % 1009) as f64 / 1009.0;
            (of(k + 1) + of(3 * k) / 1000.0, of(k * k + n))
        };
        let apart = |a: (f64, f64), b: (f64, f64)| ((a.0 - b.0).powi(2) + (a.1 - b.1).powi(2)).sqrt();
        let values: Vec<f64> = (0..n * n).map(|k| apart(point(k / n), point(n + k % n))).collect();
        let problem = AssignmentProblem::new(Costs::dense(n, n, &values).unwrap());
        let prepared = Prepared::new(&problem, Watch::NONE).ok().unwrap();
        assert_eq!(prepared.survey.step, 0.0);
        let found = place(&prepared, u64::MAX).ok().unwrap();
        for (row, &r) in values.chunks(n).zip(&found.resource_of) {
            let paid = row[r as usize] + found.prices[r as usize];
            assert!(paid <= least_sum(row, &found.prices) + 1e-12, "{n}");
        }
    }
}

/// As a larger problem of these is solved: forbidden pairs, and more jobs than they leave room for.
#[test]
fn what_cannot_be_placed_is_proven() {
    let n = 70;
    let mut values: Vec<f64> = (0..n * n).map(|k| ((k * 7919 + k / n * 31) % 1009) as f64).collect();
    for job in 10..10 + n / 2 {
        values[job * n + n / 2 - 1..(job + 1) * n].fill(f64::INFINITY);
    }
    let problem = AssignmentProblem::new(Costs::dense(n, n, &values).unwrap());
    assert!(suit(&problem));
    let answer = assign(&problem).unwrap();
    answer.refusal.as_ref().unwrap().verify(&problem).unwrap();
    values[3 * n..4 * n].fill(f64::INFINITY);
    let problem = AssignmentProblem::new(Costs::dense(n, n, &values).unwrap());
    let answer = assign(&problem).unwrap();
    answer.refusal.as_ref().unwrap().verify(&problem).unwrap();
    let most = problem.with_coverage(Coverage::MostJobs);
    let answer = assign(&most).unwrap();
    assert_eq!(verify(&most, answer.best.as_ref().unwrap()).unwrap().gap, 0.0);
}

#[test]
fn limits_are_kept_and_bounds_hold() {
    let n = 70;
    let values: Vec<f64> = (0..n * n).map(|k| ((k * 7919 + k / n * k % 10_007 * 31) % 1009) as f64).collect();
    let problem = AssignmentProblem::new(Costs::dense(n, n, &values).unwrap());
    let best = assign(&problem).unwrap().best.unwrap().total;
    for work in (1..40).map(|k| k * 2000) {
        let limit = Limit::default().with_work(work);
        let outcome = Automatic.solve(&problem, &mut limit.meter()).unwrap();
        assert!(outcome.work <= work, "{} {work}", outcome.work);
        assert!(outcome.bound.is_none_or(|bound| bound <= best));
        assert!(outcome.value.is_none_or(|value| value >= best));
    }
}
