//! The zoo of assignment problems: totals and proofs of every method.

use super::compare;
use econsched::auction_assign::{Assigner, AssignerKind, Costs, Coverage, Problem};
use econsched::testkit::zoo::{AssignmentInstance, zoo};
use econsched::workload_gen::sample::stream;

fn problem(instance: &AssignmentInstance, coverage: Coverage) -> Problem<'_> {
    let AssignmentInstance { jobs, resources, offsets, columns, values, capacities, .. } = instance;
    let costs = if instance.is_sparse() {
        Costs::sparse(*jobs, *resources, offsets, columns, values)
    } else {
        Costs::dense(*jobs, *resources, values)
    };
    Problem::new(costs.unwrap()).with_capacities(capacities).unwrap().with_coverage(coverage)
}

/// Jobs placed, total and proof, or the jobs and resources that are short, or `-` where it is not supported.
fn answer(method: &dyn Assigner, problem: &Problem<'_>) -> String {
    let Ok(answer) = method.assign(problem) else { return "-".to_owned() };
    match (answer.assignment(), answer.shortage()) {
        (Some(assignment), _) => {
            let placed = assignment.placed();
            format!("{placed} {:?} {:?}", assignment.total, answer.proof().unwrap())
        }
        (_, Some(short)) => format!("{} jobs for {} places", short.jobs.len(), short.capacity),
        _ => "nothing".to_owned(),
    }
}

/// Every method that takes it on every problem; after the answer of the automatic choice, only what differs.
fn rows(jobs: usize, kinds: &[AssignerKind], coverages: &[Coverage]) -> Vec<String> {
    let mut rows = Vec::new();
    for (number, generator) in zoo(jobs).iter().enumerate() {
        let instance = generator.generate(&mut stream(number as u64, 34));
        for &coverage in coverages {
            let problem = problem(&instance, coverage);
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
    let all = [Coverage::EveryJob, Coverage::MostJobs, Coverage::Optional { unplaced: 1000.5 }];
    let mut found = rows(16, AssignerKind::ALL, &all);
    found.extend(rows(
        90,
        &[AssignerKind::Auction, AssignerKind::ShortestPaths, AssignerKind::Greedy],
        &all[1..2],
    ));
    compare("assignments.csv", &found);
}
