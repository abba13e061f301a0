//! The alternatives search: time per alternative as the list grows, for searches that resume and one that
//! cannot.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use sched_model::{Batch, Job, JobId, SlotList, Time};
use slot_window::{AlternativesSearch, SearchKind};
use std::error::Error;
use workload_gen::cycle::{JobGenerator, SlotGenerator};
use workload_gen::sample::stream;

/// `slots` slots and `jobs` jobs, drawn as in the study of 2011; the price limit is 1.7 to the power of the
/// least speed.
fn inputs(slots: u32, jobs: u32) -> Result<(SlotList, Batch), Box<dyn Error>> {
    let slots = SlotGenerator::default().with_count(slots..=slots).generate(&mut stream(11, 0))?;
    let batch = JobGenerator::default().with_jobs(jobs..=jobs).generate(&mut stream(12, 0))?;
    let jobs = (0..).zip(batch.iter()).map(|(id, job)| Job::new(JobId(id), job.request)).collect();
    Ok((slots, Batch::new(jobs)?))
}

fn growth(c: &mut Criterion) {
    let mut group = c.benchmark_group("alternatives/100 jobs");
    group.sample_size(10);
    for slots in [1_000, 10_000, 100_000] {
        let Ok((list, batch)) = inputs(slots, 100) else { continue };
        for kind in [SearchKind::Alp, SearchKind::Amp, SearchKind::FirstFitRough] {
            let search = kind.build();
            let alternatives = AlternativesSearch::new(search);
            let Ok(found) = alternatives.find(&list, &batch, Time::ZERO) else { continue };
            // Time per element is time per alternative.
            group.throughput(Throughput::Elements(found.total() as u64));
            group.bench_function(BenchmarkId::new(kind.name(), slots), |b| {
                b.iter(|| alternatives.find(&list, &batch, Time::ZERO));
            });
        }
    }
    group.finish();
}

fn every_search(c: &mut Criterion) {
    let mut group = c.benchmark_group("alternatives/7 jobs, 150 slots");
    let Ok((list, batch)) = inputs(150, 7) else { return };
    for &kind in SearchKind::ALL {
        let search = kind.build();
        let alternatives = AlternativesSearch::new(search);
        group.bench_function(kind.name(), |b| b.iter(|| alternatives.find(&list, &batch, Time::ZERO)));
    }
    group.finish();
}

criterion_group!(benches, growth, every_search);
criterion_main!(benches);
