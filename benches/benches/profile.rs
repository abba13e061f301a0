//! The profile of free CPUs at growing numbers of steps, beside a plain list that every question walks over.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use econsched_benches::profile;
use sched_model::{Span, Time};
use workload_gen::internal::unit;

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

criterion_group!(benches, profiles);
criterion_main!(benches);
