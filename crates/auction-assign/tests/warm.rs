//! Solving again after a little has changed, against solving from nothing.

#![allow(clippy::unwrap_used)] // the problems here are well formed

mod enumeration;
mod oracle;

use auction_assign::{
    AssignError, Changes, Costs, Coverage, Problem, Sense, Warm, solve, verify, verify_shortage,
};
use enumeration::{Case, best_by_enumeration};
use oracle::{Rng, families};
use sched_model::{End, Limit};

/// Changes a case here and there; returns which jobs and resources were touched.
fn change(case: &mut Case, rng: &mut Rng) -> (Vec<u32>, Vec<u32>) {
    let (mut jobs, mut resources) = (Vec::new(), Vec::new());
    let draw = |rng: &mut Rng| match rng.below(8) {
        0 if !case.sparse => f64::INFINITY,
        1 => rng.unit() * 1000.0,
        _ => rng.below(1_000_000) as f64 - 1000.0,
    };
    for _ in 0..rng.below(3) {
        let job = rng.below(case.rows as u64) as usize;
        jobs.push(job as u32);
        for r in 0..case.cols {
            if rng.below(2) == 0 {
                case.values[job * case.cols + r] = draw(rng);
            }
        }
    }
    for _ in 0..rng.below(3) {
        let resource = rng.below(case.cols as u64) as usize;
        resources.push(resource as u32);
        for i in 0..case.rows {
            if rng.below(2) == 0 {
                case.values[i * case.cols + resource] = draw(rng);
            }
        }
    }
    if let Some(capacities) = &mut case.capacities
        && rng.below(2) == 0
    {
        let r = rng.below(case.cols as u64) as usize;
        capacities[r] = rng.below(4) as u32;
    }
    (jobs, resources)
}

#[test]
fn small_problems_through_many_changes() {
    let mut rng = Rng(61);
    for round in 0..60 {
        let mut case = Case::random(&mut rng, round, 5);
        let mut warm = Warm::default();
        let mut touched = (Vec::new(), Vec::new());
        for step in 0..6 {
            let problem = case.problem();
            let changes = Changes::of_jobs(&touched.0).with_resources(&touched.1);
            let found = warm.solve(&problem, changes, &mut Limit::without_limit().meter()).unwrap();
            match best_by_enumeration(&case) {
                None => verify_shortage(&problem, &found.shortage.unwrap()).unwrap(),
                Some(best) => {
                    assert_eq!(found.outcome.end, End::Done);
                    let assignment = found.outcome.incumbent.unwrap();
                    let certificate = verify(&problem, &assignment, 0.0)
                        .unwrap_or_else(|flaw| panic!("{flaw} in round {round}, step {step}: {case:?}"));
                    assert_eq!(certificate.gap, 0.0, "round {round}, step {step}: {case:?}");
                    assert!((assignment.total - best).abs() <= 1e-9 * best.abs().max(1.0));
                }
            }
            touched = change(&mut case, &mut rng);
        }
    }
}

#[test]
fn larger_problems_take_a_fraction_of_the_work() {
    let mut rng = Rng(62);
    for round in 0..8 {
        let (n, m) = [(400, 400), (300, 450), (600, 60)][round % 3];
        let mut values = families(&mut rng, [0, 4, 10, 9][round % 4], n, m);
        let mut capacities = vec![[1, 1, 11][round % 3]; m];
        let limit = Limit::without_limit();
        let mut warm = Warm::default();
        let problem =
            Problem::new(Costs::dense(n, m, &values).unwrap()).with_capacities(&capacities).unwrap();
        warm.solve(&problem, Changes::default(), &mut limit.meter()).unwrap();
        for step in 0..6 {
            let job = rng.below(n as u64) as usize;
            let fresh = families(&mut rng, 0, 1, m);
            match step % 3 {
                0 => values[job * m..(job + 1) * m].copy_from_slice(&fresh),
                1 => values[job * m + rng.below(m as u64) as usize] += 1000.0,
                _ if n < m * capacities[0] as usize => {
                    let (less, more) = (rng.below(m as u64) as usize, rng.below(m as u64) as usize);
                    if capacities[less] > 1 {
                        capacities[less] -= 1;
                        capacities[more] += 1;
                    }
                }
                _ => {}
            }
            let problem =
                Problem::new(Costs::dense(n, m, &values).unwrap()).with_capacities(&capacities).unwrap();
            let changed = [job as u32];
            let again = warm.solve(&problem, Changes::of_jobs(&changed), &mut limit.meter()).unwrap().outcome;
            let assignment = again.incumbent.unwrap();
            assert_eq!(verify(&problem, &assignment, 0.0).unwrap().gap, 0.0);
            assert_eq!(assignment.total, solve(&problem).unwrap().assignment().unwrap().total);
            let nothing = Warm::default().solve(&problem, Changes::default(), &mut limit.meter()).unwrap();
            let share = again.work as f64 / nothing.outcome.work as f64;
            assert!(
                share < 0.25,
                "round {round}, step {step}: {share} {} {}",
                again.work,
                nothing.outcome.work
            );
        }
    }
}

#[test]
fn what_was_stopped_starts_from_nothing_and_names_outside_are_refused() {
    let values = families(&mut Rng(63), 0, 60, 60);
    let problem = Problem::new(Costs::dense(60, 60, &values).unwrap());
    let mut warm = Warm::default();
    let limit = Limit::without_limit();
    let best = warm.solve(&problem, Changes::default(), &mut limit.meter()).unwrap().outcome.value;
    let stopped = warm.solve(&problem, Changes::of_jobs(&[3]), &mut Limit::default().with_work(10).meter());
    assert_eq!(stopped.unwrap().outcome.end, End::Work);
    let again = warm.solve(&problem, Changes::default(), &mut limit.meter()).unwrap().outcome;
    assert_eq!(again.value, best);
    let error = warm.solve(&problem, Changes::of_jobs(&[60]), &mut limit.meter()).unwrap_err();
    assert_eq!(error, AssignError::Changed { what: "job", index: 60, count: 60 });
    // Another sense, another coverage: from nothing.
    let most = problem.with_sense(Sense::Maximise).with_coverage(Coverage::MostJobs);
    let found = warm.solve(&most, Changes::default(), &mut limit.meter()).unwrap().outcome;
    assert_eq!(found.value, Some(solve(&most).unwrap().assignment().unwrap().total));
}

/// A sparse matrix that was full: what is no longer listed is forbidden from then on, and back.
#[test]
fn a_pair_that_is_no_longer_listed_is_forbidden() {
    let limit = Limit::without_limit();
    let full = Costs::sparse(2, 2, &[0, 2, 4], &[0, 1, 0, 1], &[1.0, 2.0, 3.0, 5.0]).unwrap();
    let none = Costs::sparse(2, 2, &[0, 0, 2], &[0, 1], &[3.0, 5.0]).unwrap();
    let solve = |warm: &mut Warm, costs, coverage, jobs: &[u32]| {
        let problem = Problem::new(costs).with_coverage(coverage);
        warm.solve(&problem, Changes::of_jobs(jobs), &mut limit.meter()).unwrap()
    };
    for coverage in [Coverage::MostJobs, Coverage::EveryJob, Coverage::Optional { unplaced: 9.0 }] {
        let mut warm = Warm::default();
        assert_eq!(solve(&mut warm, full, coverage, &[]).outcome.value, Some(5.0));
        let without = solve(&mut warm, none, coverage, &[0]);
        match coverage {
            Coverage::EveryJob => assert_eq!(without.shortage.unwrap().jobs, [0]),
            Coverage::MostJobs => assert_eq!(without.outcome.value, Some(3.0)),
            _ => assert_eq!(without.outcome.value, Some(12.0)),
        }
        assert_eq!(solve(&mut warm, full, coverage, &[0]).outcome.value, Some(5.0));
    }
}

/// Beside one cost of 1e60 sums round, and what closes without rounding passes through higher prices than
/// those that are kept: lists made at these may not be kept with the others.
#[test]
fn lists_made_while_closing_are_not_kept() {
    let limit = Limit::without_limit();
    let mut rng = Rng(64);
    let (n, m) = (35, 105);
    for round in 0..40 {
        let mut values = families(&mut rng, 2, n, m);
        for _ in 0..2 {
            values[rng.below((n * m) as u64) as usize] = 1e60;
        }
        let mut warm = Warm::default();
        let mut changed = Vec::new();
        for step in 0..6 {
            let problem = Problem::new(Costs::dense(n, m, &values).unwrap()).with_sense(Sense::Maximise);
            let found = warm.solve(&problem, Changes::of_jobs(&changed), &mut limit.meter()).unwrap();
            let certificate = verify(&problem, &found.outcome.incumbent.unwrap(), 0.0);
            assert_eq!(certificate.unwrap().gap, 0.0, "round {round}, step {step}");
            let job = rng.below(n as u64) as usize;
            for value in values[job * m..(job + 1) * m].iter_mut().filter(|value| **value < 1e60) {
                *value = rng.below(100) as f64 - 50.0;
            }
            changed = vec![job as u32];
        }
    }
}
