//! Every registered algorithm of every family by criterion, its figures printed beside.

use criterion::{Criterion, criterion_group, criterion_main};
use econsched_studies::variants::variants;
use std::hint::black_box;

fn every_variant(c: &mut Criterion) {
    let all = variants().unwrap_or_else(|error| panic!("{error}"));
    for family in all.chunk_by(|a, b| a.family == b.family) {
        let Some(first) = family.first() else { continue };
        let mut group = c.benchmark_group(first.family);
        group.sample_size(10);
        for variant in family {
            let figures = variant.run().unwrap_or_else(|error| panic!("{variant:?}: {error}"));
            let named: Vec<String> = variant
                .figures
                .iter()
                .zip(&figures)
                .map(|(name, value)| format!("{name} {value:.6}"))
                .collect();
            println!("{variant:?}: {}", named.join(", "));
            group.bench_function(variant.name.as_str(), |b| b.iter(|| black_box(variant.run())));
        }
        group.finish();
    }
}

criterion_group!(benches, every_variant);
criterion_main!(benches);
