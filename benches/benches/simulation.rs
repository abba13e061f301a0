//! The event engine alone, a cluster under each local policy, Multi-S-Grid, and the profile of free CPUs.
#![allow(clippy::expect_used)] // a bench stops at the first surprise

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use econsched_benches::profile;
use econsched_studies::multi_s_grid::{GridName, JobProperties, MultiSGrid, UserGroup};
use grid_sim::{PolicyKind, Replay, internal::EventQueue, jobs_of_log};
use sched_model::{Limit, Machine, MachineId, Price, Span, Speed, Time};
use workload_gen::internal::{Distribution, Exponential, unit};
use workload_gen::sample::stream;
use workload_gen::synthetic::LogGenerator;

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
        group.bench_function(BenchmarkId::from_parameter(pending), |b| {
            b.iter(|| {
                for _ in 0..EVENTS {
                    let Some((now, event)) = queue.pop() else { return };
                    let delay = delays[(queue.served % 4096) as usize];
                    queue.schedule(now + delay, (event % 3) as u8, event).expect("not past");
                }
            });
        });
    }
}

/// A log of 1,000 jobs on 128 CPUs.
fn policies(c: &mut Criterion) {
    let log = LogGenerator::default().with_jobs(1_000).generate(&mut stream(21, 0)).expect("a log");
    let jobs = jobs_of_log(&log.records).jobs;
    let machine = Machine::new(MachineId(0), 128, Speed::ETALON, Price::must(0.0)).expect("a machine");
    let mut group = c.benchmark_group("local policy");
    for &kind in PolicyKind::ALL {
        let run = || Replay::new(&machine, kind.build()).run(&jobs, &mut Limit::none().meter());
        println!("{kind}: mean wait {:.0}", run().expect("a replay").report.wait.mean);
        group.bench_function(kind.name(), |b| b.iter(run));
    }
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
    group.bench_function("plain", |b| b.iter(|| grid.run(&jobs)));
}

/// The earliest start of a job of so many CPUs and such a span, from an instant on.
fn plain_fit(steps: &[(Time, u32)], cpus: u32, span: Span, from: Time) -> Option<Time> {
    let mut start = from.max(steps[0].0);
    for (at, &(begin, free)) in steps.iter().enumerate() {
        let end = steps.get(at + 1).map(|step| step.0);
        if end.is_none_or(|end| end > start) && free < cpus {
            if begin >= start + span {
                return Some(start);
            }
            start = end?;
        }
    }
    Some(start)
}

/// The profile of free CPUs at growing numbers of steps, beside a plain list that every question walks over.
fn profiles(c: &mut Criterion) {
    let mut group = c.benchmark_group("profile");
    for steps in [1_000, 10_000, 100_000, 1_000_000] {
        let (free, mut rng) = profile(steps);
        let list: Vec<(Time, u32)> = free.steps().collect();
        let mut row = |name: &str, fit: &dyn Fn(u32, Span, Time) -> Option<Time>| {
            group.bench_function(BenchmarkId::new(name, steps), |b| {
                b.iter(|| {
                    let from = Time::must(f64::from(steps) * unit(&mut rng));
                    fit(1 + (unit(&mut rng) * 63.0) as u32, Span::must(0.5 + 2.0 * unit(&mut rng)), from)
                });
            });
        };
        row("earliest fit", &|cpus, span, from| free.earliest_fit(cpus, span, from));
        row("earliest fit, plain list", &|cpus, span, from| plain_fit(&list, cpus, span, from));
    }
}

criterion_group!(benches, engine, policies, systems, profiles);
criterion_main!(benches);
