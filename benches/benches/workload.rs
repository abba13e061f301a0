//! Workload generation: values per second of each model, and reading and writing of logs.
#![allow(clippy::unwrap_used)] // a bench stops at the first surprise

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::path::Path;
use workload_gen::cycle::{JobGenerator, SlotGenerator};
use workload_gen::environment::EnvironmentGenerator;
use workload_gen::etc::{EtcGenerator, EtcMethod};
use workload_gen::lublin::LublinModel;
use workload_gen::sample::stream;
use workload_gen::swf::{SwfLog, write};
use workload_gen::synthetic::LogGenerator;

fn models(c: &mut Criterion) {
    let mut group = c.benchmark_group("workload/lublin");
    group.sample_size(10);
    for (typed, name) in [(false, "whole"), (true, "typed")] {
        for jobs in [10_000, 1_000_000] {
            group.throughput(Throughput::Elements(jobs as u64));
            let model = LublinModel::default().with_typed(typed);
            let drawn = || model.jobs(stream(1, 0)).unwrap().take(jobs).map(|job| job.runtime).sum::<f64>();
            group.bench_function(BenchmarkId::new(name, jobs), |b| b.iter(drawn));
        }
    }
    drop(group);

    let mut group = c.benchmark_group("workload/etc 512x16");
    for (name, method) in [("range", EtcMethod::HiHi), ("gamma", EtcMethod::Cvb)] {
        let generator = EtcGenerator::new(512, 16, method);
        group.bench_function(name, |b| b.iter(|| generator.generate(&mut stream(1, 0))));
    }
    drop(group);

    let mut group = c.benchmark_group("workload/cycle");
    let mut rng = stream(1, 0);
    let (slots, jobs) = (SlotGenerator::default(), JobGenerator::default());
    group.bench_function("slots", |b| b.iter(|| slots.generate(&mut rng)));
    group.bench_function("jobs", |b| b.iter(|| jobs.generate(&mut rng)));
    for nodes in [100, 800] {
        let environment = EnvironmentGenerator::default().with_nodes(nodes);
        let name = BenchmarkId::new("environment", nodes);
        group.bench_function(name, |b| b.iter(|| environment.generate(&mut rng)));
    }
}

fn logs(c: &mut Criterion) {
    let mut group = c.benchmark_group("workload/swf");
    group.sample_size(20);
    let log = LogGenerator::default().with_jobs(28_000).generate(&mut stream(1, 0)).unwrap();
    let mut text = Vec::new();
    write(&mut text, &log.header, &log.records).unwrap();
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("read 28,000 jobs", |b| b.iter(|| SwfLog::read(black_box(&text[..]))));
    group.bench_function("write 28,000 jobs", |b| {
        b.iter(|| {
            let mut out = Vec::with_capacity(text.len());
            write(&mut out, &log.header, &log.records).map(|()| out)
        });
    });
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/traces/KTH-SP2-1996-2.1-cln.swf.gz");
    if let Ok(packed) = std::fs::read(path) {
        group.throughput(Throughput::Bytes(packed.len() as u64));
        group.bench_function("read KTH-SP2, gzip", |b| b.iter(|| SwfLog::read(black_box(&packed[..]))));
    }
}

criterion_group!(benches, models, logs);
criterion_main!(benches);
