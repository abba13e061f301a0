//! One alternative per job: every algorithm on economic and on strongly correlated batches, and the whole
//! front.
//!
//! Each measurement goes through a fixed set of seeded batches: the limit at 25, 50 and 75% between the smallest
//! and the largest sum, each of the three problems in turn, and only where the limit binds (elsewhere there
//! is nothing to solve). The time is per batch.
//!
//! With `BATCH_CHOICE_EXPORT=FILE` nothing is measured by criterion: the batches, our answers and our times
//! are written to the file as JSON, for `peers/batch_choice.py` to give to other solvers.
#![allow(clippy::disallowed_types)] // it reports how long it takes
#![allow(clippy::unwrap_used)] // a bench stops at the first surprise

use criterion::{BenchmarkId, Criterion, Throughput};
use econsched::batch_dp::{Alternatives, ChoiceProblem, ChooserKind, Front, Goal};
use sched_model::Limit;
use std::hint::black_box;
use std::time::Instant;
use workload_gen::internal::unit;
use workload_gen::sample::{Stream, stream};

/// Work V ~ U[50, 150] and N ~ U{1..6} nodes per job; speed p ~ U[1, 3]; time V / p; cost time * N * 1.7^p *
/// U[0.75, 1.25].
const ECONOMIC: &str = "economic";
/// Time ~ U[50, 150], cost twice that, give or take 1%.
const CORRELATED: &str = "correlated";

/// Family, jobs, alternatives per job, batches drawn, and whether the plain recurrence is fit for it.
const SIZES: [(&str, usize, usize, usize, bool); 9] = [
    (ECONOMIC, 7, 35, 200, true),
    (ECONOMIC, 20, 50, 100, true),
    (ECONOMIC, 100, 50, 40, false),
    (ECONOMIC, 1_000, 100, 18, false),
    (ECONOMIC, 100, 1_000, 18, false),
    (ECONOMIC, 10_000, 20, 9, false),
    (CORRELATED, 7, 35, 60, false),
    (CORRELATED, 20, 50, 30, false),
    (CORRELATED, 100, 50, 18, false),
];

fn between(rng: &mut Stream, low: f64, high: f64) -> f64 {
    low + (high - low) * unit(rng)
}

/// A multiple of 2^-16: sums are then exact, and every solver must agree to the bit.
fn on_grid(value: f64) -> f64 {
    (value * 65_536.0).round() / 65_536.0
}

fn rows(rng: &mut Stream, family: &str, jobs: usize, alternatives: usize) -> Vec<Vec<(f64, f64)>> {
    let job = |_| {
        let (work, nodes) = (between(rng, 50.0, 150.0), (6.0 * unit(rng)).floor() + 1.0);
        let alternative = |_| {
            let (cost, time) = if family == CORRELATED {
                let time = between(rng, 50.0, 150.0);
                (2.0 * time * between(rng, 0.99, 1.01), time)
            } else {
                let speed = between(rng, 1.0, 3.0);
                let price = 1.7_f64.powf(speed) * between(rng, 0.75, 1.25);
                (work / speed * nodes * price, work / speed)
            };
            (on_grid(cost), on_grid(time))
        };
        (0..alternatives).map(alternative).collect()
    };
    (0..jobs).map(job).collect()
}

/// What a problem minimises of an alternative, and what it limits.
fn sides(goal: Goal, (cost, time): (f64, f64)) -> (f64, f64) {
    match goal {
        Goal::MinTime { .. } => (time, cost),
        Goal::MaxIncome { .. } => (-cost, time),
        _ => (cost, time),
    }
}

/// Batches, each with a goal whose limit binds.
fn instances(family: &str, jobs: usize, alternatives: usize, count: usize) -> Vec<(Alternatives, Goal)> {
    let mut rng = stream(2011, (jobs * 10_000 + alternatives) as u64);
    let mut instances = Vec::new();
    for number in 0..count {
        let rows = rows(&mut rng, family, jobs, alternatives);
        let goals = [
            Goal::MinTime { budget: None },
            Goal::MinCost { time_limit: None },
            Goal::MaxIncome { time_limit: None },
        ];
        let goal = if family == CORRELATED { goals[2] } else { goals[number / 3 % 3] };
        let (mut least, mut most, mut free) = (0.0, 0.0, 0.0);
        for row in &rows {
            let sides = row.iter().map(|&pair| sides(goal, pair));
            least += sides.clone().map(|side| side.1).fold(f64::INFINITY, f64::min);
            most += sides.clone().map(|side| side.1).fold(0.0, f64::max);
            free += sides.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(0.0, |side| side.1);
        }
        let limit = on_grid(least + (most - least) * [0.25, 0.5, 0.75][number % 3]);
        if free > limit {
            instances.push((Alternatives::new(&rows).unwrap(), goal.with_limit(Some(limit))));
        }
    }
    instances
}

fn problems(instances: &[(Alternatives, Goal)]) -> Vec<ChoiceProblem<'_>> {
    instances.iter().map(|(batch, goal)| ChoiceProblem::new(batch, *goal)).collect()
}

fn choice(c: &mut Criterion) {
    for (family, jobs, alternatives, count, recurrence) in SIZES {
        let instances = instances(family, jobs, alternatives, count);
        let (problems, size) = (problems(&instances), format!("{jobs}x{alternatives}"));
        let mut group = c.benchmark_group(format!("batch choice/{family}"));
        group.sample_size(10).throughput(Throughput::Elements(problems.len() as u64));
        for &kind in ChooserKind::ALL {
            if kind == ChooserKind::BackwardRun && !recurrence {
                continue;
            }
            let (chooser, mut meter) = (kind.build(), Limit::none().meter());
            let sum: f64 = problems.iter().filter_map(|problem| chooser.choose(problem).ok()?.value).sum();
            println!("{kind}, {family}, {size}: values sum to {sum}");
            group.bench_function(BenchmarkId::new(kind.name(), &size), |b| {
                b.iter(|| {
                    for problem in &problems {
                        let _ = black_box(chooser.solve(problem, &mut meter));
                        meter.restart();
                    }
                });
            });
        }
    }
}

fn front(c: &mut Criterion) {
    let mut group = c.benchmark_group("front/economic");
    for (jobs, alternatives, count) in [(7, 35, 60), (20, 50, 12), (100, 50, 3)] {
        let instances = instances(ECONOMIC, jobs, alternatives, count);
        let (problems, limit) = (problems(&instances), Limit::default().with_work(500_000_000));
        group.sample_size(10).throughput(Throughput::Elements(problems.len() as u64));
        group.bench_function(format!("{jobs}x{alternatives}"), |b| {
            b.iter(|| {
                for problem in &problems {
                    let _ = black_box(Front::of(problem, &mut limit.meter()));
                }
            });
        });
    }
}

/// The instances with our answers and the median of our times, as JSON.
fn export() -> String {
    let mut all = Vec::new();
    let (chooser, mut meter) = (ChooserKind::ExpandingCore.build(), Limit::none().meter());
    for (family, jobs, alternatives, count, _) in SIZES {
        for (batch, goal) in instances(family, jobs, alternatives, count) {
            let mut solve = |_| {
                let start = Instant::now();
                let answer = chooser.solve(&ChoiceProblem::new(&batch, goal), &mut meter).unwrap();
                meter.restart();
                (start.elapsed().as_nanos() as f64 / 1e3, answer.best)
            };
            let mut runs = [(); 7].map(&mut solve);
            runs.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (time, choice) = &runs[3];
            let Some(choice) = choice else { continue };
            let of = |job| batch.of_job(job).map(|pair| sides(goal, pair)).collect::<Vec<_>>();
            all.push(serde_json::json!({
                "family": family, "jobs": jobs, "alternatives": alternatives, "limit": goal.limit(),
                "ours": sides(goal, (choice.cost, choice.time)).0, "ours_us": time,
                "rows": (0..jobs).map(of).collect::<Vec<_>>(),
            }));
        }
    }
    serde_json::Value::from(all).to_string()
}

fn main() {
    if let Some(path) = std::env::var_os("BATCH_CHOICE_EXPORT") {
        return std::fs::write(path, export()).unwrap();
    }
    let mut criterion = Criterion::default().configure_from_args();
    choice(&mut criterion);
    front(&mut criterion);
    criterion.final_summary();
}
