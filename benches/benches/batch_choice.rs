//! One alternative per job: every algorithm on economic and on strongly correlated batches, and the whole
//! front.
//!
//! Each measurement goes through a fixed set of seeded batches: the limit at 25, 50 and 75% between the least
//! and the largest sum, each of the three problems in turn, and only where the limit binds (elsewhere there
//! is nothing to solve). The time is per batch.
//!
//! With `BATCH_CHOICE_EXPORT=FILE` nothing is measured by criterion: the batches, our answers and our times
//! are written to the file as JSON, for `peers/batch_choice.py` to give to other solvers.
#![allow(clippy::disallowed_types)] // it reports how long it takes

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
    (0..jobs)
        .map(|_| {
            let (work, nodes) = (between(rng, 50.0, 150.0), (6.0 * unit(rng)).floor() + 1.0);
            (0..alternatives)
                .map(|_| {
                    if family == CORRELATED {
                        let time = between(rng, 50.0, 150.0);
                        return (on_grid(2.0 * time * between(rng, 0.99, 1.01)), on_grid(time));
                    }
                    let speed = between(rng, 1.0, 3.0);
                    let (time, price) = (work / speed, 1.7_f64.powf(speed) * between(rng, 0.75, 1.25));
                    (on_grid(time * nodes * price), on_grid(time))
                })
                .collect()
        })
        .collect()
}

/// A batch and a problem whose limit binds.
struct Instance {
    batch: Alternatives,
    goal: Goal,
}

/// What a problem minimises of an alternative, and what it limits.
fn sides(goal: Goal, (cost, time): (f64, f64)) -> (f64, f64) {
    match goal {
        Goal::MinTime { .. } => (time, cost),
        Goal::MaxIncome { .. } => (-cost, time),
        _ => (cost, time),
    }
}

fn instances(family: &str, jobs: usize, alternatives: usize, count: usize) -> Vec<Instance> {
    let mut rng = stream(2011, (jobs * 10_000 + alternatives) as u64);
    let mut instances = Vec::new();
    for number in 0..count {
        let rows = rows(&mut rng, family, jobs, alternatives);
        let Ok(batch) = Alternatives::new(&rows) else { continue };
        let place = [0.25, 0.5, 0.75][number % 3];
        let kinds = [
            Goal::MinTime { budget: None },
            Goal::MinCost { time_limit: None },
            Goal::MaxIncome { time_limit: None },
        ];
        let kind = if family == CORRELATED { kinds[2] } else { kinds[number / 3 % 3] };
        let (mut least, mut most, mut free) = (0.0, 0.0, 0.0);
        for row in &rows {
            let sides = row.iter().map(|&pair| sides(kind, pair));
            least += sides.clone().map(|side| side.1).fold(f64::INFINITY, f64::min);
            most += sides.clone().map(|side| side.1).fold(0.0, f64::max);
            free += sides.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(0.0, |side| side.1);
        }
        let limit = on_grid(least + (most - least) * place);
        let goal = kind.with_limit(Some(limit));
        if free > limit {
            instances.push(Instance { batch, goal });
        }
    }
    instances
}

fn choice(c: &mut Criterion) {
    for (family, jobs, alternatives, count, recurrence) in SIZES {
        let instances = instances(family, jobs, alternatives, count);
        let mut group = c.benchmark_group(format!("batch choice/{family}"));
        group.sample_size(10).throughput(Throughput::Elements(instances.len() as u64));
        for &kind in ChooserKind::ALL {
            if kind == ChooserKind::BackwardRun && !recurrence {
                continue;
            }
            let (chooser, mut meter) = (kind.build(), Limit::none().meter());
            let best = |of: &Instance| chooser.choose(&ChoiceProblem::new(&of.batch, of.goal)).ok()?.value;
            let sum: f64 = instances.iter().filter_map(best).sum();
            println!("{kind}, {family}, {jobs}x{alternatives}: values sum to {sum}");
            group.bench_function(BenchmarkId::new(kind.name(), format!("{jobs}x{alternatives}")), |b| {
                b.iter(|| {
                    for instance in &instances {
                        let problem = ChoiceProblem::new(&instance.batch, instance.goal);
                        let _ = black_box(chooser.solve(&problem, &mut meter));
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
        group.sample_size(10).throughput(Throughput::Elements(instances.len() as u64));
        group.bench_function(format!("{jobs}x{alternatives}"), |b| {
            b.iter(|| {
                for instance in &instances {
                    let problem = ChoiceProblem::new(&instance.batch, instance.goal);
                    let limit = Limit::default().with_work(500_000_000);
                    let _ = black_box(Front::of(&problem, &mut limit.meter()));
                }
            });
        });
    }
}

/// The instances with our answers and the median of our times, as JSON.
fn export() -> String {
    let mut all = Vec::new();
    let chooser = ChooserKind::ExpandingCore.build();
    let mut meter = Limit::none().meter();
    for (family, jobs, alternatives, count, _) in SIZES {
        for instance in instances(family, jobs, alternatives, count) {
            let mut times = Vec::new();
            let mut answer = None;
            for _ in 0..7 {
                let start = Instant::now();
                let problem = ChoiceProblem::new(&instance.batch, instance.goal);
                answer = chooser.solve(&problem, &mut meter).ok();
                meter.restart();
                times.push(start.elapsed().as_nanos() as f64 / 1e3);
            }
            times.sort_by(f64::total_cmp);
            let choice = answer.and_then(|outcome| outcome.best);
            let (Some(choice), Some(limit)) = (choice, instance.goal.limit()) else { continue };
            let objective = sides(instance.goal, (choice.cost, choice.time)).0;
            let of = |job| instance.batch.of_job(job).map(|pair| sides(instance.goal, pair)).collect();
            let pairs: Vec<Vec<(f64, f64)>> = (0..jobs).map(of).collect();
            all.push(serde_json::json!({
                "family": family, "jobs": jobs, "alternatives": alternatives, "limit": limit, "ours": objective,
                "ours_us": times[3], "rows": pairs,
            }));
        }
    }
    serde_json::Value::from(all).to_string()
}

fn main() {
    if let Some(path) = std::env::var_os("BATCH_CHOICE_EXPORT") {
        if let Err(error) = std::fs::write(&path, export()) {
            eprintln!("{}: {error}", path.display());
            std::process::exit(2);
        }
        return;
    }
    let mut criterion = Criterion::default().configure_from_args();
    choice(&mut criterion);
    front(&mut criterion);
    criterion.final_summary();
}
