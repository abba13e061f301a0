//! Every registered assignment method on the same matrices. Methods that do not take a form are left out, and the auction
//! and shortest paths where they are known to be slow (see `docs/assignment-benchmarks.md`).
//!
//! The comparison with solvers of crates.io and PyPI is `benches/peers/assignment.py`.

use auction_assign::{AssignerKind, Costs, Coverage, Problem};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::hint::black_box;

fn family(name: &str, rows: usize, cols: usize) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut points = |count| -> Vec<(f64, f64)> {
        (0..count).map(|_| (rng.random_range(0.0..1e6), rng.random_range(0.0..1e6))).collect()
    };
    let (a, b) = (points(rows), points(cols));
    (0..rows * cols)
        .map(|k| match name {
            "wide" => f64::from(rng.random_range(1..=1_000_000)),
            "narrow" => f64::from(rng.random_range(1..=100)),
            "product" => ((k / cols + 1) * (k % cols + 1)) as f64,
            _ => {
                let (a, b) = (a[k / cols], b[k % cols]);
                (a.0 - b.0).hypot(a.1 - b.1).floor()
            }
        })
        .collect()
}

fn time(c: &mut Criterion, title: &str, problem: &Problem<'_>, parameter: &str, kinds: &[AssignerKind]) {
    let mut group = c.benchmark_group(title);
    group.sample_size(10);
    for &kind in kinds {
        let method = kind.build();
        if method.assign(problem).is_err() {
            continue;
        }
        group.bench_function(BenchmarkId::new(kind.name(), parameter), |bencher| {
            bencher.iter(|| {
                black_box(method.assign(problem).map(|answer| answer.assignment().map(|found| found.total)))
            });
        });
    }
    group.finish();
}

fn one_to_one(c: &mut Criterion) {
    let n = 500;
    for name in ["wide", "narrow", "distance", "product"] {
        let values = family(name, n, n);
        let costs = Costs::dense(n, n, &values).unwrap_or_else(|error| panic!("{error}"));
        let slow = name == "product";
        let kinds: Vec<AssignerKind> = (AssignerKind::ALL.iter().copied())
            .filter(|kind| *kind != AssignerKind::Transport)
            .filter(|kind| !(slow && matches!(kind, AssignerKind::ShortestPaths | AssignerKind::Auction)))
            .collect();
        time(c, "assignment, one to one", &Problem::new(costs), &format!("{name} {n} x {n}"), &kinds);
    }
}

fn capacities(c: &mut Criterion) {
    let (n, m) = (10_000, 20);
    let values = family("wide", n, m);
    for (name, share) in [("short", 0.8), ("slack", 2.0), ("tight", 1.0)] {
        let places = vec![(n as f64 / m as f64 * share) as u32; m];
        let problem = Costs::dense(n, m, &values)
            .and_then(|costs| Problem::new(costs).with_capacities(&places))
            .unwrap_or_else(|error| panic!("{error}"))
            .with_coverage(Coverage::MostJobs);
        time(c, "assignment, capacities", &problem, &format!("{name} {n} x {m}"), AssignerKind::ALL);
    }
}

criterion_group!(benches, one_to_one, capacities);
criterion_main!(benches);
