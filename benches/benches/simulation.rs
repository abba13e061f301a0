//! The event engine alone, a brokered grid, and Multi-S-Grid; `variants` has a cluster under each local policy.
#![allow(clippy::expect_used)] // a bench stops at the first surprise

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use econsched_studies::garg2009::broker;
use econsched_studies::multi_s_grid::{GridName, JobProperties, MultiSGrid, UserGroup};
use grid_heuristics::TradeOffKind;
use grid_sim::internal::EventQueue;
use sched_model::{Span, Time};
use std::hint::black_box;
use workload_gen::sample::{Distribution, Exponential, stream};

/// The hold model: each event served schedules another, so that the number of pending events stays the same.
fn engine(c: &mut Criterion) {
    const EVENTS: u64 = 100_000;
    let mut group = c.benchmark_group("engine/hold");
    group.throughput(Throughput::Elements(EVENTS)).sample_size(10);
    let delay = Exponential::new(10.0).expect("positive");
    let mut rng = stream(1, 0);
    let delays: Vec<Span> = (0..4096).map(|_| Span::must(delay.sample(&mut rng))).collect();
    for pending in [100usize, 10_000, 1_000_000] {
        let mut queue = EventQueue::default();
        for index in 0..pending {
            queue.schedule(Time::ZERO + delays[index % 4096], 0, index as u64).expect("not past");
        }
        group.bench_with_input(BenchmarkId::from_parameter(pending), &pending, |b, _| {
            b.iter(|| {
                for _ in 0..EVENTS {
                    let Some((now, event)) = queue.pop() else { return };
                    let delay = delays[(queue.served % 4096) as usize];
                    queue.schedule(now + delay, (event % 3) as u8, event).expect("not past");
                }
            });
        });
    }
    group.finish();
}

/// A replicate of the meta-broker study: 1,000 jobs on five clusters, workload included.
fn brokers(c: &mut Criterion) {
    let mut group = c.benchmark_group("garg/1000 jobs");
    group.sample_size(10);
    for &heuristic in TradeOffKind::ALL {
        let config = broker::Config::default();
        group.bench_function(BenchmarkId::from_parameter(heuristic), |b| {
            let mut broker = heuristic.build_with(config.metric());
            b.iter(|| black_box(broker::simulate(&config, 1, 0, &mut broker)));
        });
    }
    group.finish();
}

/// Three hours of 10,000 jobs on seven sites, while machines and links fail.
fn systems(c: &mut Criterion) {
    let mut rng = stream(3, 0);
    let sites = GridName::G18.properties().generate(&mut rng).expect("a grid");
    let users = UserGroup::Users2.properties().generate(&mut rng).expect("users");
    let jobs = JobProperties::default().with_jobs(10_000).generate(&users, &mut rng).expect("jobs");
    let grid = MultiSGrid::new(&sites).with_users(&users).with_seed(1);
    let mut group = c.benchmark_group("multi-s-grid/10000 jobs");
    group.sample_size(10);
    group.bench_function("plain", |b| {
        b.iter(|| black_box(grid.run(&jobs)));
    });
    group.finish();
}

criterion_group!(benches, engine, brokers, systems);
criterion_main!(benches);
