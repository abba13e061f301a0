//! Starts from an earlier answer; [`stopped`](crate::stopped) compares starts of every kind with solving from
//! scratch.

use crate::cases::{dense, problem, structured};
use auction_assign::{
    AssignError, Assigner, AssignerKind, Assignment, AssignmentProblem, Costs, assign, verify,
};
use econsched::testkit::AssignCase;
use sched_model::Limit;

/// Distances of points, among the structures of costs.
const DISTANCES: usize = 18;

/// The proven answer; `None` if not every job can be placed.
fn proven(problem: &AssignmentProblem<'_>) -> Option<Assignment> {
    let answer = assign(problem).unwrap();
    let Some(assignment) = answer.best.as_ref() else {
        answer.refusal.as_ref().unwrap().verify(problem).unwrap();
        return None;
    };
    assert_eq!(verify(problem, assignment).unwrap().gap, 0.0);
    Some(assignment.clone())
}

/// One cost has fallen since the start, so two jobs have to change places.
#[test]
fn a_start_whose_costs_have_changed_proves_nothing() {
    let mut hours = [4.0, 1.0, f64::INFINITY, 3.0, 5.0, 2.0];
    let nothing = Assignment { resources: vec![None; 3], total: 0.0, duals: None };
    let solved = |hours: &[f64], start: &Assignment| {
        let problem = AssignmentProblem::new(Costs::dense(3, 2, hours).unwrap()).with_capacities(&[1, 2]);
        proven(&problem.with_start(start)).unwrap()
    };
    let first = solved(&hours, &nothing);
    assert_eq!(first.total, 9.0);
    hours[0] = 0.5;
    assert_eq!(solved(&hours, &first).total, 5.5);
}

#[test]
fn a_start_saves_most_of_the_work() {
    for (round, (n, m, places)) in [(400, 400, 1), (300, 450, 1), (600, 60, 11)].into_iter().enumerate() {
        let capacities = Some(vec![places; m]);
        let mut case = AssignCase { capacities, ..dense(m, &structured(DISTANCES, n, m)) };
        let start = proven(&problem(&case)).unwrap();
        case.rows[7] = dense(m, &structured(DISTANCES, 1, m)).rows.remove(0);
        let problem = problem(&case);
        let again =
            AssignerKind::Automatic.solve(&problem.with_start(&start), &mut Limit::none().meter()).unwrap();
        assert_eq!(again.value, Some(proven(&problem).unwrap().total));
        assert!(again.work < 20 * (n * m) as u64, "{round}: {}", again.work);
    }
}

#[test]
fn a_start_of_another_size_is_refused() {
    let start = proven(&AssignmentProblem::new(Costs::dense(2, 3, &[1.0; 6]).unwrap())).unwrap();
    let refused = |rows: usize, cols: usize| {
        let costs = vec![1.0; rows * cols];
        assign(&AssignmentProblem::new(Costs::dense(rows, cols, &costs).unwrap()).with_start(&start))
            .unwrap_err()
    };
    assert_eq!(refused(1, 3), AssignError::Start { what: "jobs", given: 2, expected: 1 });
    assert_eq!(refused(2, 4), AssignError::Start { what: "prices", given: 3, expected: 4 });
}
