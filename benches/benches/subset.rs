//! The subset problem: exactly n of k items within a budget.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use sched_model::Limit;
use slot_window::subset::SubsetProblem;
use workload_gen::internal::unit;
use workload_gen::sample::stream;

/// Values and costs of k items. Easy: values are independent of costs. Hard: values are twice the costs up to
/// 1%.
fn items(k: usize, hard: bool) -> (Vec<f64>, Vec<f64>) {
    let mut rng = stream(29, k as u64);
    (0..k)
        .map(|_| {
            let cost = 10.0 + 190.0 * unit(&mut rng);
            let other = unit(&mut rng);
            (if hard { 2.0 * cost * (0.99 + 0.02 * other) } else { 10.0 * other }, cost)
        })
        .unzip()
}

/// A quarter of the way from the least to the greatest cost of n items.
fn budget(costs: &[f64], n: usize) -> f64 {
    let mut sorted = costs.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let least: f64 = sorted[..n].iter().sum();
    let greatest: f64 = sorted[sorted.len() - n..].iter().sum();
    (least + 0.25 * (greatest - least)).floor()
}

fn solvers(c: &mut Criterion) {
    let limit = Limit::none();
    for hard in [false, true] {
        let mut group = c.benchmark_group(if hard { "subset/hard" } else { "subset/easy" });
        for (k, n) in [(20, 5), (100, 7), (200, 20), (100, 50), (800, 7)] {
            let (values, costs) = items(k, hard);
            let Ok(problem) = SubsetProblem::new(&values, &costs, n, budget(&costs, n)) else { continue };
            let mut meter = limit.meter();
            group.bench_function(BenchmarkId::new("exact", format!("{n} of {k}")), |b| {
                b.iter(|| {
                    meter.restart();
                    problem.solve(&mut meter)
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, solvers);
criterion_main!(benches);
