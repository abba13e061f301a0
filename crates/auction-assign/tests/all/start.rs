//! Starts from an earlier answer. ([`stopped`](crate::stopped) compares starts of every kind with solving from
//! scratch.)

use crate::cases::{dense, problem, structured};
use auction_assign::{
    AssignError, Assigner, AssignerKind, Assignment, AssignmentProblem, Costs, assign, verify,
};
use econsched::testkit::AssignCase;
use sched_model::Limit;

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
