//! Job grouping on a thousand resources.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use grid_heuristics::{GroupResource, JobGrouping, JobOrder, ResourceOrder, SmallJob};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sched_model::{JobId, Price, Span, Speed, Work};
use std::hint::black_box;

fn grouping(c: &mut Criterion) {
    let mut group = c.benchmark_group("grouping");
    group.sample_size(10);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let resources: Vec<GroupResource> = (0..1_000)
        .map(|_| {
            let speed = Speed::must(rng.random_range(1.0..100.0));
            GroupResource::new(speed, Price::must(rng.random_range(1.0..10.0)))
        })
        .collect();
    for count in [10_000u64, 100_000, 1_000_000] {
        let jobs: Vec<SmallJob> = (0..count)
            .map(|id| SmallJob::new(JobId(id), Work::must(rng.random_range(1.0..1_000.0))))
            .collect();
        group.throughput(Throughput::Elements(count));
        let config = JobGrouping::new(Span::must(60.0));
        for (name, config) in [
            ("arrival", config),
            (
                "priority",
                config.with_job_order(JobOrder::Priority).with_resource_order(ResourceOrder::CostPerWork),
            ),
        ] {
            group.bench_function(BenchmarkId::new(name, count), |b| {
                b.iter(|| black_box(config.group(&jobs, &resources).map(|grouping| grouping.groups().len())));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, grouping);
criterion_main!(benches);
