//! Every registered method, compared with brute force by the testkit, on empty and malformed problems, and from an
//! earlier answer. ([`stopped`](crate::stopped) compares starts of every kind with solving from scratch.)

use crate::cases::{dense, problem, structured};
use crate::changed::Assigners;
use auction_assign::{
    AssignError, Assigner, AssignerKind, Assignment, AssignmentProblem, Costs, Coverage, Sense, assign,
    verify,
};
use econsched::testkit::{AssignCase, Check, Draw, FormCase, drawn};
use sched_model::Limit;

#[test]
fn every_method_passes_the_testkit_and_changed_answers_are_seen() {
    let seen = Check::new(Assigners).run(2000).unwrap();
    assert!(seen.solved > 5000, "{seen:?}");
}

#[cfg(feature = "rayon")]
#[test]
fn stopped_started_and_on_threads_every_answer_is_sound() {
    let seen = Check::new(crate::stopped::Assignments).run(800).unwrap();
    assert_eq!(seen.solved, 800);
}

#[test]
fn greedy_prefers_the_lowest_index_among_equal_costs() {
    // Resource 0 is full when job 1 comes; -0 and 0 are equal, in either order.
    for costs in [[1.0, 1.0, 1.0, 0.0, -0.0, 0.0], [1.0, 1.0, 1.0, -0.0, 0.0, -0.0]] {
        let problem = AssignmentProblem::new(Costs::dense(2, 3, &costs).unwrap());
        let assignment = AssignerKind::Greedy.build().assign(&problem).unwrap().best.unwrap();
        assert_eq!(assignment.resources, [Some(0), Some(1)]);
    }
}

/// Jobs 1 and 2 are equal, 3 and 4, and resources 2 and 3. Products are ranked from the longest job on.
#[test]
fn of_equals_in_a_ranking_the_lower_index_comes_first() {
    let (lengths, speeds) = ([1.0, 2.0, 2.0, 3.0, 3.0, 5.0], [1.0, 2.0, 4.0, 4.0, 8.0, 16.0]);
    let values: Vec<f64> = lengths.iter().flat_map(|length| speeds.map(|speed| length / speed)).collect();
    for (costs, least, greatest) in [
        (Costs::product(&lengths, &speeds).unwrap(), [0, 3, 1, 4, 2, 5], [5, 3, 4, 1, 2, 0]),
        (Costs::dense(6, 6, &values).unwrap(), [0, 1, 2, 3, 4, 5], [5, 4, 2, 3, 1, 0]),
    ] {
        for (sense, expected) in [(Sense::Minimise, least), (Sense::Maximise, greatest)] {
            let problem = AssignmentProblem::new(costs).with_sense(sense);
            let found = AssignerKind::Sorted.build().assign(&problem).unwrap().best.unwrap();
            assert_eq!(found.resources, expected.map(Some));
        }
    }
}

#[test]
fn nothing_to_assign() {
    for (rows, cols) in [(0, 0), (0, 3), (3, 0)] {
        for coverage in [Coverage::EveryJob, Coverage::MostJobs, Coverage::Penalty(2.0)] {
            let problem =
                AssignmentProblem::new(Costs::dense::<f64>(rows, cols, &[]).unwrap()).with_coverage(coverage);
            for &kind in AssignerKind::ALL {
                let Ok(answer) = kind.build().assign(&problem) else { continue };
                let Some(assignment) = answer.best.as_ref() else {
                    assert_eq!((rows, coverage), (3, Coverage::EveryJob), "{kind}");
                    answer.refusal.as_ref().unwrap().verify(&problem).unwrap();
                    continue;
                };
                let penalty = if let Coverage::Penalty(unplaced) = coverage { unplaced } else { 0.0 };
                assert_eq!(assignment.total, rows as f64 * penalty, "{kind}");
            }
        }
    }
}

#[test]
fn a_bad_cost_is_named_by_every_method_wherever_it_stands() {
    drawn(1000, |draw| {
        let mut case = AssignCase::draw(draw);
        case.form = draw.of([FormCase::Plain, FormCase::Strided, FormCase::Function].each_ref()).clone();
        let (job, bad) = (draw.below(case.rows.len()), draw.of([f64::NAN, f64::NEG_INFINITY, 1e61, -1e61]));
        let resource = draw.below(case.rows[job].len());
        let good = assign(&problem(&case)).unwrap().best;
        case.rows[job][resource] = Some(bad);
        let problem = problem(&case);
        let refused = good.is_none_or(|good| verify(&problem, &good).is_err());
        assert!(refused || bad.is_finite(), "{case:?}");
        for &kind in AssignerKind::ALL {
            match kind.build().assign(&problem).unwrap_err() {
                AssignError::Unsupported { .. } => {}
                AssignError::Cost { job: at, resource: on, value } => {
                    assert_eq!((at, on, value.to_bits()), (job, resource, bad.to_bits()), "{kind}");
                }
                other => panic!("{kind}: {other}"),
            }
        }
    });
}

/// Costs that differ only in the sign of 0 have the same answer, and no answer has a negative zero.
#[test]
fn minus_zero_is_zero() {
    let draw = &mut Draw::new(34, 0);
    for round in 0..600 {
        let (n, m) = (draw.between(1, 6), draw.between(1, 6));
        let values: Vec<f64> = structured(round, n, m).iter().map(|value| value.rem_euclid(3.0)).collect();
        let case = AssignCase { maximise: round % 2 == 1, ..dense(m, &values) };
        let mut twin = case.clone();
        for cost in twin.rows.iter_mut().flatten().filter(|cost| **cost == Some(0.0) && draw.chance(50)) {
            *cost = Some(-0.0);
        }
        for &kind in AssignerKind::ALL {
            let (one, other) = (kind.build().assign(&problem(&case)), kind.build().assign(&problem(&twin)));
            // `Debug` distinguishes 0 from -0.
            assert_eq!(format!("{one:?}"), format!("{other:?}"), "{kind} {case:?}");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    assert_eq!(Costs::strided(2, 3, 2, &[0.0; 6]).unwrap_err(), AssignError::Stride { stride: 2, cols: 3 });
    let shape = AssignError::Shape { rows: 2, cols: 3, values: 6 };
    assert_eq!(Costs::strided(2, 3, 4, &[0.0; 6]).unwrap_err(), shape);
    assert!(Costs::strided(2, 3, usize::MAX, &[0.0; 6]).is_err());
    assert!(Costs::strided(2, 3, 4, &[0.0; 7]).is_ok());
    assert!(Costs::strided(0, 3, 3, &[0.0; 0]).is_ok());
    let error = Costs::dense(1, 2, &[1i64, (1i64 << 53) + 1]).unwrap_err();
    assert!(matches!(error, AssignError::Inexact { job: 0, resource: 1, .. }), "{error}");
    assert!(Costs::dense(1, 2, &[i64::MIN, 1 << 60]).is_ok());
    let too_large = AssignError::TooLarge { rows: usize::MAX, cols: 0 };
    assert_eq!(Costs::dense::<i64>(usize::MAX, 0, &[]).unwrap_err(), too_large);
    assert_eq!(Costs::strided::<i64>(usize::MAX, 0, 0, &[]).unwrap_err(), too_large);
}

/// Distances of points, among the structures of costs.
const DISTANCES: usize = 18;

fn proven(problem: &AssignmentProblem<'_>) -> Assignment {
    let assignment = assign(problem).unwrap().best.unwrap();
    assert_eq!(verify(problem, &assignment).unwrap().gap, 0.0);
    assignment
}

#[test]
fn a_start_saves_most_of_the_work() {
    for (round, (n, m, places)) in [(400, 400, 1), (300, 450, 1), (600, 60, 11)].into_iter().enumerate() {
        let capacities = Some(vec![places; m]);
        let mut case = AssignCase { capacities, ..dense(m, &structured(DISTANCES, n, m)) };
        let start = proven(&problem(&case));
        case.rows[7] = dense(m, &structured(DISTANCES, 1, m)).rows.remove(0);
        let problem = problem(&case);
        let again =
            AssignerKind::Automatic.solve(&problem.with_start(&start), &mut Limit::none().meter()).unwrap();
        assert_eq!(again.value, Some(proven(&problem).total));
        assert!(again.work < 20 * (n * m) as u64, "{round}: {}", again.work);
    }
}

#[test]
fn a_start_of_another_size_is_refused() {
    let start = proven(&AssignmentProblem::new(Costs::dense(2, 3, &[1.0; 6]).unwrap()));
    let refused = |rows: usize, cols: usize| {
        let costs = vec![1.0; rows * cols];
        assign(&AssignmentProblem::new(Costs::dense(rows, cols, &costs).unwrap()).with_start(&start))
            .unwrap_err()
    };
    assert_eq!(refused(1, 3), AssignError::Start { what: "jobs", given: 2, expected: 1 });
    assert_eq!(refused(2, 4), AssignError::Start { what: "prices", given: 3, expected: 4 });
}
