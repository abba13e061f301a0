//! The zoo of assignment problems: totals and proofs of every method.

use super::compare;
use econsched::auction_assign::{Assigner, AssignerKind, AssignmentProblem, Coverage};
use econsched::testkit::{Draw, zoo::zoo};

/// The number of jobs placed, the total and the proof; or the jobs and resources of a shortage; or `-` if the
/// method does not support the problem.
fn answer(method: &dyn Assigner, problem: &AssignmentProblem<'_>) -> String {
    let Ok(answer) = method.assign(problem) else { return "-".to_owned() };
    match (&answer.best, &answer.refusal) {
        (Some(assignment), _) => {
            let placed = assignment.placed();
            format!("{placed} {:?} {:?}", assignment.total, answer.proof())
        }
        (_, Some(short)) => format!("{} jobs for {} places", short.jobs.len(), short.capacity),
        _ => "nothing".to_owned(),
    }
}

/// The answers of every method that supports the problem, on every problem; after the answer of the automatic
/// choice, only answers that differ from it.
fn rows(jobs: usize, kinds: &[AssignerKind], coverages: &[Coverage]) -> Vec<String> {
    let mut rows = Vec::new();
    for (number, generator) in zoo(jobs).iter().enumerate() {
        let instance = generator.generate(&mut Draw::new(34, number));
        for &coverage in coverages {
            let problem = AssignmentProblem::new(instance.costs().unwrap());
            let problem = problem.with_capacities(&instance.capacities).with_coverage(coverage);
            let first = answer(&*AssignerKind::Automatic.build(), &problem);
            let mut row = format!("{jobs}; {}; {coverage:?}; {first}", generator.name());
            for kind in kinds {
                let other = answer(&*kind.build(), &problem);
                if other != first && other != "-" {
                    row += &format!("; {kind}: {other}");
                }
            }
            rows.push(row);
        }
    }
    rows
}

#[test]
fn assignments_are_frozen() {
    let all = [Coverage::EveryJob, Coverage::MostJobs, Coverage::Penalty(1000.5)];
    let mut found = rows(16, AssignerKind::ALL, &all);
    found.extend(rows(
        90,
        &[AssignerKind::Auction, AssignerKind::ShortestPaths, AssignerKind::Greedy],
        &all[1..2],
    ));
    compare("assignments.csv", &found);
}
