//! The choice among conflicting candidates, in cases computed by hand; [`conflicts`](crate::conflicts) compares with
//! all choices.

use joint_plan::internal::{Candidate, ConflictProblem, ResourceUse};
use sched_model::{End, Limit};

/// Costs in tenths: choices of the same cost differ only by rounding, and very many choices are optimal.
#[test]
fn a_gap_of_rounding_spares_the_search_among_equal_choices() {
    let on = |job: u32, number: u32| Candidate {
        objective: 0.1 * f64::from(1 + (job + number) % 3),
        weight: 0.0,
        cost: 0.0,
        uses: vec![ResourceUse {
            resource: number % 3,
            start: f64::from(number / 3 * 5),
            end: f64::from(number / 3 * 5 + 7),
        }],
    };
    let jobs: Vec<Vec<Candidate>> =
        (0..12).map(|job| (0..90).map(|number| on(job, number)).collect()).collect();
    let within = Limit::default().with_work(1_000_000).with_relative_gap(1e-9);
    let choice = ConflictProblem::new(jobs, f64::INFINITY).unwrap().solve(&mut within.meter());
    assert!(matches!(choice.end, End::Done | End::Gap), "{}", choice.end);
    assert!((choice.objective - 1.2).abs() < 1e-9, "{}", choice.objective);
}
