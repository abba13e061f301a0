//! Whole rows against other methods, and what is handed over.

use super::*;
use crate::finish::finish;
use crate::kernel::lanes::least_sum;
use crate::kernel::number::Float;
use crate::kernel::watch::Watch;
use crate::{Assigner, Automatic, Costs, Sense, ShortestPaths, assign, verify};
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
        let (_, narrow) = survey_narrow(&problem, Watch::NONE).ok().unwrap().unwrap();
        let other = ShortestPaths.assign(&problem).unwrap();
        for narrow in [None, Some(&narrow)] {
            let found = place(&prepared, narrow, u64::MAX).ok().unwrap();
            let proven = finish(&prepared, found, None).ok().unwrap();
            assert_eq!(verify(&problem, &proven.solution).unwrap().gap, 0.0);
            assert_eq!(proven.solution.total, other.best.as_ref().unwrap().total);
        }
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
        let found = place(&prepared, None, passes);
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
        let found = place(&prepared, None, u64::MAX).ok().unwrap();
        for (row, &r) in values.chunks(n).zip(&found.resource_of) {
            let paid = row[r as usize] + found.prices[r as usize];
            assert!(paid <= least_sum(row, &found.prices) + 1e-12, "{n}");
        }
    }
}

/// -0 and 0 are the same cost, whichever of them is the least of a row.
#[test]
fn the_copy_finds_the_least_of_each_column_as_the_survey_does() {
    for n in [5usize, 16, 37, 70] {
        let value = |k: usize| match (k * 31 % 11, k / n % 2) {
            (0, _) => -0.0,
            (1, 0) => 0.0,
            _ => (k * 7919 % 1009) as f64 + 1.0 - (k / n % 3 * 200) as f64,
        };
        let values: Vec<f64> = (0..n * n).map(value).collect();
        let problem = AssignmentProblem::new(Costs::dense(n, n, &values).unwrap());
        let (survey, _) = survey_narrow(&problem, Watch::NONE).ok().unwrap().unwrap();
        let plain = Prepared::new(&problem, Watch::NONE).ok().unwrap().survey;
        assert_eq!(survey.column_least, plain.column_least);
    }
}

#[test]
fn narrow_costs_are_copied_and_no_others() {
    let (n, m) = (9, 11);
    let values: Vec<f64> = (0..n * m).map(|k| ((k * 7919 + k / n * 31) % 1009) as f64 / 4.0).collect();
    let copied = |values: &[f64]| {
        let problem = AssignmentProblem::new(Costs::dense(n, m, values).unwrap());
        survey_narrow(&problem, Watch::NONE).ok().unwrap()
    };
    let (survey, narrow) = copied(&values).unwrap();
    let problem = AssignmentProblem::new(Costs::dense(n, m, &values).unwrap());
    let plain = Prepared::new(&problem, Watch::NONE).ok().unwrap().survey;
    assert_eq!((survey.step, survey.greatest, survey.forbidden), (0.25, plain.greatest, false));
    assert!((0..n * m).all(|k| narrow.cost(k / m, k % m).wide() == values[k]));
    // The first row says what the grid is.
    for at in m..n * m {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e61, -2e6, 0.125, 1.0 + 2f64.powi(-40)] {
            let mut values = values.clone();
            values[at] = bad;
            assert!(copied(&values).is_none(), "{bad} at {at}");
        }
    }
}

/// All jobs but the first want the first resource by nearly twice the greatest cost.
fn contested(rows: usize, cols: usize, step: f64) -> Vec<f64> {
    let cost = |i: usize, r: usize| match (i, r) {
        (0, _) => 1.0,
        (_, 0) => -4_194_303.0,
        _ => (4_194_303 - (i * 7919 + r * 104_729 + i * r * 31) % 1009) as f64,
    };
    (0..rows * cols).map(|k| cost(k / cols, k % cols) * step).collect()
}

/// Prices that 32 bits do not hold to the step end the search there, not the search for the optimum.
#[test]
fn prices_too_great_for_32_bits_are_left_to_others() {
    for (rows, cols, step) in [(70, 70, 1.0), (70, 70, 0.25), (70, 80, 1.0), (64, 120, 2f64.powi(-12))] {
        for sense in [Sense::Minimise, Sense::Maximise] {
            let mut values = contested(rows, cols, step);
            if sense == Sense::Maximise {
                values.iter_mut().for_each(|value| *value = 0.0 - *value);
            }
            let problem =
                AssignmentProblem::new(Costs::dense(rows, cols, &values).unwrap()).with_sense(sense);
            let (survey, narrow) = survey_narrow(&problem, Watch::NONE).ok().unwrap().unwrap();
            let prepared = Prepared::of(&problem, survey, Watch::NONE).ok().unwrap();
            assert!(narrow.narrowed(&prepared.start()).is_some());
            // The copy stops where sums could be rounded; the rows themselves go on.
            let most = 2f64.powi(23) * prepared.survey.step;
            let begun = search(&prepared, &narrow, vec![0.0; cols], u64::MAX);
            let begun = begun.ok().unwrap();
            assert!(!begun.waiting().is_empty());
            let greatest = prepared.survey.greatest;
            assert!(begun.prices.iter().all(|&price| f64::from(price).abs() + greatest <= most));
            let whole = place(&prepared, Some(&narrow), u64::MAX).ok().unwrap();
            assert!(whole.prices.iter().any(|price| price.abs() + greatest > most));
            let answer = assign(&problem).unwrap();
            let other = ShortestPaths.assign(&problem).unwrap();
            assert_eq!(answer.best.as_ref().unwrap().total, other.best.as_ref().unwrap().total);
            assert_eq!(verify(&problem, answer.best.as_ref().unwrap()).unwrap().gap, 0.0);
        }
    }
}

/// To the last step: what is added in 32 bits is no more than these hold.
#[test]
fn the_copy_holds_prices_up_to_what_the_greatest_cost_leaves() {
    for (step, greatest) in [(1.0, 4_194_304.0), (0.25, 1_000_000.25), (2f64.powi(-12), 0.0), (1.0, 77.0)] {
        let counted = Watch::NONE.room::<f32>(4, 1).unwrap();
        let narrow = Narrow::new(vec![0.0; 4], counted, 2, (step, greatest));
        let room = 2f64.powi(23) * step - greatest;
        for sign in [-1.0, 1.0] {
            let price = |steps: f64| sign * (room + steps * step);
            assert!(narrow.is_exact(price(0.0) as f32, room as f32));
            assert!(
                !narrow.is_exact(price(1.0) as f32, 0.0) && !narrow.is_exact(0.0, price(1.0).abs() as f32)
            );
            assert_eq!(narrow.narrowed(&[0.0, price(0.0)]), Some(vec![0.0, price(0.0) as f32]));
            assert_eq!(narrow.narrowed(&[0.0, price(1.0)]), None);
        }
        // No number of 32 bits.
        assert_eq!(narrow.narrowed(&[step * (1.0 + 2f64.powi(-30)), 0.0]), None);
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
