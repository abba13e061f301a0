//! Every registered assignment method on the zoo of assignment problems. Methods that do not take a form are left out, and
//! moves between resources where these are not few.
//!
//! The comparison with solvers of crates.io and PyPI is `benches/peers/assignment.py`, on the same problems.

use auction_assign::{AssignerKind, Costs, Coverage, Problem};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use workload_gen::assignment::{AssignmentInstance, zoo};
use workload_gen::sample::stream;

fn problem(instance: &AssignmentInstance) -> Problem<'_> {
    let AssignmentInstance { jobs, resources, offsets, columns, values, capacities, .. } = instance;
    let costs = if instance.is_sparse() {
        Costs::sparse(*jobs, *resources, offsets, columns, values)
    } else {
        Costs::dense(*jobs, *resources, values)
    };
    costs
        .and_then(|costs| Problem::new(costs).with_capacities(capacities))
        .unwrap_or_else(|error| panic!("{error}"))
        .with_coverage(Coverage::MostJobs)
}

fn assignment(c: &mut Criterion) {
    for (number, generator) in zoo(300).iter().enumerate() {
        let instance = generator.generate(&mut stream(number as u64, 0));
        let problem = problem(&instance);
        let title = format!("assignment, {}, {} x {}", generator.name(), generator.jobs, generator.resources);
        let mut group = c.benchmark_group(title);
        group.sample_size(10);
        for &kind in AssignerKind::ALL {
            let few = generator.jobs >= 8 * generator.resources;
            let method = kind.build();
            if (kind == AssignerKind::Transport && !few) || method.assign(&problem).is_err() {
                continue;
            }
            group.bench_function(BenchmarkId::from_parameter(kind.name()), |bencher| {
                bencher.iter(|| {
                    let answer = method.assign(&problem);
                    black_box(answer.map(|answer| answer.assignment().map(|found| found.total)))
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, assignment);
criterion_main!(benches);
