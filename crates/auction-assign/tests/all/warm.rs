//! Starting from an earlier answer, against solving from nothing.

use crate::enumeration::{Case, best_by_enumeration};
use crate::oracle::{Rng, families};
use auction_assign::{
    AssignError, Assignment, Bounded, Costs, Coverage, Duals, Problem, Sense, solve, solve_within, verify,
    verify_shortage,
};
use sched_model::{End, Limit};

fn solved(problem: &Problem<'_>) -> Bounded {
    solve_within(problem, &mut Limit::without_limit().meter()).unwrap()
}

/// The answer, which is proven.
fn proven(problem: &Problem<'_>) -> Assignment {
    let assignment = solved(problem).outcome.incumbent.unwrap();
    assert_eq!(verify(problem, &assignment, 0.0).unwrap().gap, 0.0);
    assignment
}

/// Changes a case here and there.
fn change(case: &mut Case, rng: &mut Rng) {
    let draw = |rng: &mut Rng| match rng.below(8) {
        0 if !case.sparse => f64::INFINITY,
        1 => rng.unit() * 1000.0,
        _ => rng.below(1_000_000) as f64 - 1000.0,
    };
    for _ in 0..rng.below(3) {
        let job = rng.below(case.rows as u64) as usize;
        for r in 0..case.cols {
            if rng.below(2) == 0 {
                case.values[job * case.cols + r] = draw(rng);
            }
        }
    }
    for _ in 0..rng.below(3) {
        let resource = rng.below(case.cols as u64) as usize;
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
}

/// A cost that fell since the start: two jobs would have to change places.
#[test]
fn a_start_whose_costs_have_changed_proves_nothing() {
    let mut hours = [4.0, 1.0, f64::INFINITY, 3.0, 5.0, 2.0];
    let solved_again = |hours: &[f64], start: &Assignment| {
        let problem = Problem::new(Costs::dense(3, 2, hours).unwrap()).with_capacities(&[1, 2]).unwrap();
        proven(&problem.with_start(start)).total
    };
    let nothing = Assignment { resources: vec![None; 3], total: 0.0, duals: None };
    let first = {
        let problem = Problem::new(Costs::dense(3, 2, &hours).unwrap()).with_capacities(&[1, 2]).unwrap();
        proven(&problem.with_start(&nothing))
    };
    assert_eq!(first.total, 9.0);
    hours[0] = 0.5;
    assert_eq!(solved_again(&hours, &first), 5.5);
}

#[test]
fn small_problems_through_many_changes() {
    let mut rng = Rng(61);
    for round in 0..60 {
        let mut case = Case::random(&mut rng, round, 5);
        let mut start: Option<Assignment> = None;
        for step in 0..6 {
            let mut problem = case.problem();
            if let Some(start) = &start {
                problem = problem.with_start(start);
            }
            let found = solved(&problem);
            match best_by_enumeration(&case) {
                None => verify_shortage(&problem, &found.shortage.unwrap()).unwrap(),
                Some(best) => {
                    assert_eq!(found.outcome.end, End::Done);
                    let assignment = found.outcome.incumbent.unwrap();
                    let certificate = verify(&problem, &assignment, 0.0)
                        .unwrap_or_else(|flaw| panic!("{flaw} in round {round}, step {step}: {case:?}"));
                    assert_eq!(certificate.gap, 0.0, "round {round}, step {step}: {case:?}");
                    assert!((assignment.total - best).abs() <= 1e-9 * best.abs().max(1.0));
                    start = Some(assignment);
                }
            }
            change(&mut case, &mut rng);
        }
    }
}

/// Prices and placements that no problem has given.
#[test]
fn a_start_that_is_made_up_is_no_more_than_a_start() {
    let mut rng = Rng(66);
    for round in 0..400 {
        let case = Case::random(&mut rng, round, 5);
        let problem = case.problem();
        let Some(best) = best_by_enumeration(&case) else { continue };
        let draw = |rng: &mut Rng| match rng.below(12) {
            0 => [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -0.0][rng.below(5) as usize],
            1 => f64::from_bits(1 + rng.below(100)),
            2 => 1e60 * rng.unit(),
            3 => -rng.unit(),
            4..8 => rng.unit() * 1000.0,
            _ => rng.below(1000) as f64,
        };
        let whole = rng.below(2) == 0;
        let numbers = |rng: &mut Rng, count: usize| {
            (0..count).map(|_| if whole { rng.below(1000) as f64 } else { draw(rng) }).collect::<Vec<_>>()
        };
        let start = Assignment {
            resources: (0..case.rows).map(|_| (rng.below(5) > 0).then(|| rng.below(7) as u32)).collect(),
            total: -1e9,
            duals: Some(Duals {
                profits: numbers(&mut rng, case.rows),
                prices: numbers(&mut rng, case.cols),
                waiting: (rng.below(2) == 0).then(|| numbers(&mut rng, 1)[0]),
                remainders: None,
            }),
        };
        let found = proven(&problem.with_start(&start));
        assert!(
            (found.total - best).abs() <= 1e-9 * best.abs().max(1.0),
            "round {round}: {case:?} {start:?}"
        );
    }
}

#[test]
fn larger_problems_take_a_few_passes_over_the_costs() {
    let mut rng = Rng(62);
    for round in 0..8 {
        let (n, m) = [(400, 400), (300, 450), (600, 60)][round % 3];
        let mut values = families(&mut rng, [0, 4, 10, 9][round % 4], n, m);
        let mut capacities = vec![[1, 1, 11][round % 3]; m];
        let problem =
            Problem::new(Costs::dense(n, m, &values).unwrap()).with_capacities(&capacities).unwrap();
        let mut start = proven(&problem);
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
            let again = solved(&problem.with_start(&start)).outcome;
            let assignment = again.incumbent.unwrap();
            assert_eq!(verify(&problem, &assignment, 0.0).unwrap().gap, 0.0);
            assert_eq!(assignment.total, solve(&problem).unwrap().assignment().unwrap().total);
            let passes = again.work as f64 / (n * m) as f64;
            assert!(passes < 20.0, "round {round}, step {step}: {passes}");
            start = assignment;
        }
    }
}

#[test]
fn of_a_stopped_search_the_answer_is_no_worse_than_its_start() {
    let mut values = families(&mut Rng(63), 0, 60, 60);
    let problem = Problem::new(Costs::dense(60, 60, &values).unwrap());
    let start = proven(&problem);
    values[3 * 60 + start.resources[3].unwrap() as usize] += 1.0;
    let problem = Problem::new(Costs::dense(60, 60, &values).unwrap()).with_start(&start);
    let mut last = f64::INFINITY;
    for work in 0..200 {
        let limit = Limit::without_limit().with_work(work * 200);
        let found = solve_within(&problem, &mut limit.meter()).unwrap().outcome;
        let value = found.value.unwrap_or(f64::INFINITY);
        assert!(value <= last && found.bound.is_none_or(|bound| bound <= start.total + 1.0), "{work}");
        last = value;
        // Two passes check the costs and complete the start.
        assert!(work * 200 < 8000 || value <= start.total + 1.0, "{work}: {value} {}", start.total);
    }
    assert_eq!(last, proven(&problem).total);
    // Another sense, another coverage: nothing of the start fits.
    let most = problem.with_sense(Sense::Maximise).with_coverage(Coverage::MostJobs);
    assert_eq!(proven(&most).total, solve(&most).unwrap().assignment().unwrap().total);
}

#[test]
fn a_start_of_another_size_is_refused() {
    let start = proven(&Problem::new(Costs::dense(2, 3, &[1.0; 6]).unwrap()));
    let refused = |rows: usize, cols: usize| {
        let costs = vec![1.0; rows * cols];
        solve(&Problem::new(Costs::dense(rows, cols, &costs).unwrap()).with_start(&start)).unwrap_err()
    };
    assert_eq!(refused(1, 3), AssignError::Start { what: "jobs", given: 2, expected: 1 });
    assert_eq!(refused(2, 4), AssignError::Start { what: "prices", given: 3, expected: 4 });
}

/// A sparse matrix that was full: what is no longer listed is forbidden from then on, and back.
#[test]
fn a_pair_that_is_no_longer_listed_is_forbidden() {
    let full = Costs::sparse(2, 2, &[0, 2, 4], &[0, 1, 0, 1], &[1.0, 2.0, 3.0, 5.0]).unwrap();
    let none = Costs::sparse(2, 2, &[0, 0, 2], &[0, 1], &[3.0, 5.0]).unwrap();
    for coverage in [Coverage::MostJobs, Coverage::EveryJob, Coverage::Optional { unplaced: 9.0 }] {
        let full = Problem::new(full).with_coverage(coverage);
        let start = proven(&full);
        assert_eq!(start.total, 5.0);
        let without = solved(&Problem::new(none).with_coverage(coverage).with_start(&start));
        match coverage {
            Coverage::EveryJob => {
                assert_eq!(without.shortage.unwrap().jobs, [0]);
                continue;
            }
            Coverage::MostJobs => assert_eq!(without.outcome.value, Some(3.0)),
            _ => assert_eq!(without.outcome.value, Some(12.0)),
        }
        let start = without.outcome.incumbent.unwrap();
        assert_eq!(proven(&full.with_start(&start)).total, 5.0);
    }
}

/// Beside one cost of 1e60 sums round.
#[test]
fn beside_great_costs() {
    let mut rng = Rng(64);
    let (n, m) = (35, 105);
    for _ in 0..40 {
        let mut values = families(&mut rng, 2, n, m);
        for _ in 0..2 {
            values[rng.below((n * m) as u64) as usize] = 1e60;
        }
        let mut start = proven(&Problem::new(Costs::dense(n, m, &values).unwrap()));
        for _ in 0..6 {
            let problem = Problem::new(Costs::dense(n, m, &values).unwrap()).with_sense(Sense::Maximise);
            start = proven(&problem.with_start(&start));
            let job = rng.below(n as u64) as usize;
            for value in values[job * m..(job + 1) * m].iter_mut().filter(|value| **value < 1e60) {
                *value = rng.below(100) as f64 - 50.0;
            }
        }
    }
}
