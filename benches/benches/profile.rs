//! The profile of free CPUs at growing numbers of steps, beside a plain list that every question walks over.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sched_model::{Profile, Span, Time};
use std::hint::black_box;

const CPUS: u32 = 64;

/// About `steps` steps of one unit of time, a tenth of them with room for wide jobs.
fn profile(steps: usize, rng: &mut ChaCha8Rng) -> Profile {
    let step = |at: usize, rng: &mut ChaCha8Rng| {
        let free = if rng.random_range(0..10) == 0 { CPUS } else { rng.random_range(0..CPUS / 2) };
        (Time::must(at as f64), free)
    };
    let mut all: Vec<(Time, u32)> = (0..steps).map(|at| step(at, rng)).collect();
    all.push((Time::must(steps as f64), CPUS));
    Profile::from_steps(CPUS, &all).unwrap_or_else(|error| panic!("{error}"))
}

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

fn profiles(c: &mut Criterion) {
    let mut group = c.benchmark_group("profile");
    for steps in [1_000usize, 10_000, 100_000, 1_000_000] {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut free = profile(steps, &mut rng);
        let list: Vec<(Time, u32)> = free.steps().collect();
        let mut question = {
            let mut rng = ChaCha8Rng::seed_from_u64(2);
            move || {
                let from = Time::must(rng.random_range(0.0..steps as f64));
                (rng.random_range(1..CPUS), Span::must(rng.random_range(0.5..2.5)), from)
            }
        };
        group.bench_function(BenchmarkId::new("earliest fit", steps), |b| {
            b.iter(|| {
                let (cpus, span, from) = question();
                black_box(free.earliest_fit(cpus, span, from))
            });
        });
        group.bench_function(BenchmarkId::new("earliest fit, plain list", steps), |b| {
            b.iter(|| {
                let (cpus, span, from) = question();
                black_box(plain_fit(&list, cpus, span, from))
            });
        });
        // No free interval is long enough before the end, so the whole profile is read.
        group.bench_function(BenchmarkId::new("earliest fit of a long job", steps), |b| {
            b.iter(|| black_box(free.earliest_fit(CPUS, Span::must(1e9), Time::ZERO)));
        });
        group.bench_function(BenchmarkId::new("fit, reserve, release", steps), |b| {
            b.iter(|| {
                let (cpus, span, from) = question();
                let Some(start) = free.earliest_fit(cpus, span, from) else { return };
                let done = free.reserve(start, start + span, cpus);
                black_box(done.and_then(|()| free.release(start, start + span, cpus)).is_ok());
            });
        });
    }
    group.finish();
}

criterion_group!(benches, profiles);
criterion_main!(benches);
