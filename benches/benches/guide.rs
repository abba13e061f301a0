//! Two variants on the same seeded inputs, quality beside time: the pattern to copy. Takes a registry's name
//! for each: `WINDOW_SEARCHES=amp,min-cost-rough cargo bench -p econsched-benches --bench guide`.
#![allow(clippy::unwrap_used)] // a bench stops at the first surprise

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use econsched::prelude::*;
use econsched::sched_model::Limit;
use econsched::workload_gen::cycle::SlotGenerator;
use econsched::workload_gen::sample::stream;
use std::hint::black_box;

fn compare(c: &mut Criterion) {
    // The same lists for both variants, whatever order they run in: each list is a stream of its own.
    let generator = SlotGenerator::default().with_count(1_000..=1_000);
    let lists: Vec<SlotList> = (0..20).map(|at| generator.generate(&mut stream(1, at)).unwrap()).collect();
    let request = ResourceRequest::must(4, 100.0).with_price_limit(Price::must(4.0));
    let names = std::env::var("WINDOW_SEARCHES").unwrap_or_else(|_| "amp,min-cost-rough".to_owned());
    let mut group = c.benchmark_group("guide");
    for name in names.split(',') {
        let search = name.parse::<SearchKind>().unwrap().build();

        // Quality, once: what it finds, and how good that is.
        let found: Vec<Window> = lists
            .iter()
            .filter_map(|list| search.find(&WindowQuery::new(list, &request)).unwrap().best)
            .collect();
        let mean = |of: fn(&Window) -> f64| found.iter().map(of).sum::<f64>() / found.len().max(1) as f64;
        println!(
            "{name}: {} of {} windows, mean start {:.1}, mean cost {:.1}",
            found.len(),
            lists.len(),
            mean(|window| window.start().get()),
            mean(|window| window.cost().get())
        );

        // Time, over many runs: the meter keeps the memory.
        let mut meter = Limit::default().meter();
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| {
                for list in &lists {
                    meter.restart();
                    let _ = black_box(search.solve(&WindowQuery::new(black_box(list), &request), &mut meter));
                }
            });
        });
    }
}

criterion_group!(benches, compare);
criterion_main!(benches);
