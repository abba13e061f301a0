//! Every registered assignment method on the zoo of assignment problems. Methods that do not take a form are
//! left out, and moves between resources where these are not few.
//!
//! The comparison with solvers of crates.io and PyPI is `benches/peers/assignment.py`, on the same problems.

#[path = "../../crates/econsched/tests/all/instance/mod.rs"]
mod instance;

use auction_assign::{AssignerKind, Coverage};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use econsched::testkit::zoo::zoo;
use instance::problem;
use std::hint::black_box;
use workload_gen::sample::stream;

fn assignment(c: &mut Criterion) {
    for (number, generator) in zoo(300).iter().enumerate() {
        let instance = generator.generate(&mut stream(number as u64, 0));
        let problem = problem(&instance, Coverage::MostJobs);
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
                    black_box(answer.map(|answer| answer.value))
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, assignment);
criterion_main!(benches);
