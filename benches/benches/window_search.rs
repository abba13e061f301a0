//! Window searches: the cost of a scan against a bare pass over the slots, and every registered search in the
//! study's environment, with the published table scheme beside them; alternatives; subsets of nodes.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use econsched_benches::{Fallible, budget, environment, items, values};
use sched_model::{
    Batch, Job, JobId, Limit, Money, Price, ResourceRequest, Sense, SlotList, Speed, Time, Work,
};
use slot_window::subset::SubsetProblem;
use slot_window::{
    AlternativesSearch, Objective, Optimal, SearchKind, SearchOptions, WindowQuery, WindowSearch,
};
use std::collections::BTreeSet;
use std::hint::black_box;
use workload_gen::cycle::{JobGenerator, SlotGenerator};
use workload_gen::environment::request;
use workload_gen::sample::stream;

/// Tests each slot for speed and length, and nothing else.
fn bare_pass(slots: &SlotList, request: &ResourceRequest) -> usize {
    let suits = |slot: &&sched_model::Slot| {
        slot.speed >= request.min_speed && slot.length() >= request.span_on(slot.speed)
    };
    slots.runs_alive_at(Time::ZERO).map(|run| run.iter().filter(suits).count()).sum()
}

/// The same on each speed level, with the span of the level.
fn bare_passes(slots: &SlotList, request: &ResourceRequest, speeds: &BTreeSet<Speed>) -> usize {
    let level = |&speed: &Speed| {
        let span = request.span_on(speed);
        let suits = |slot: &&sched_model::Slot| slot.speed >= speed && slot.length() >= span;
        slots.runs_alive_at(Time::ZERO).map(|run| run.iter().filter(suits).count()).sum::<usize>()
    };
    speeds.iter().map(level).sum()
}

/// A list of `m` slots, and a request that just misses the cheapest window, so that no scan ends early.
fn to_the_end(m: u32) -> Fallible<(SlotList, ResourceRequest)> {
    let slots = SlotGenerator::default().with_count(m..=m).generate(&mut stream(7, 0))?;
    let request = ResourceRequest::new(4, Work::new(100.0)?)?.with_min_speed(Speed::new(1.2)?);
    let cheapest = Optimal::new(Objective::Cost).with_rules(sched_model::check::Rules::per_window(1.0));
    let window = cheapest.find(&WindowQuery::new(&slots, &request))?.best;
    let cost = window.map_or(0.0, |window| window.cost().get());
    let tight = request.with_budget(Money::new(cost * 0.999)?).with_price_limit(Price::new(0.5)?);
    Ok((slots, tight))
}

fn growth(c: &mut Criterion) {
    let mut group = c.benchmark_group("window/to the end");
    group.sample_size(10);
    for m in [1_000, 10_000, 100_000, 1_000_000] {
        let Ok((slots, request)) = to_the_end(m) else { continue };
        group.throughput(Throughput::Elements(u64::from(m)));
        group.bench_function(BenchmarkId::new("bare pass", m), |b| {
            b.iter(|| bare_pass(black_box(&slots), black_box(&request)));
        });
        for kind in [SearchKind::Alp, SearchKind::Amp, SearchKind::MinCostRough, SearchKind::MinFinishRough] {
            let (search, query) = (kind.build(), WindowQuery::new(&slots, &request));
            let mut meter = Limit::default().meter();
            // Each with a limit that no window keeps: the price limit for ALP.
            group.bench_function(BenchmarkId::new(kind.name(), m), |b| {
                b.iter(|| {
                    meter.restart();
                    search.solve(&query, &mut meter)
                });
            });
        }
    }
    group.finish();
}

/// "First Fit over all speeds" is the registered `first-fit`: the square search, which runs First Fit on
/// every distinct speed and takes the earliest start. Both it and `max-value` know the same speeds, slots and
/// budget.
fn study_searches(c: &mut Criterion) {
    let mut group = c.benchmark_group("window/study");
    for (nodes, horizon, n) in [
        (100, 1200.0, 7),
        (800, 1200.0, 7),
        (100, 4800.0, 7),
        (100, 19_200.0, 7),
        (100, 1200.0, 2),
        (100, 1200.0, 20),
        (100, 1200.0, 50),
        (800, 1200.0, 2),
        (800, 1200.0, 20),
        (800, 1200.0, 50),
    ] {
        let (Ok(drawn), Ok(request)) = (environment(nodes, horizon, 0), request(n, 800.0, 0.115)) else {
            continue;
        };
        let (Ok(slots), Ok(values)) = (drawn.slots(), values(&drawn)) else { continue };
        let speeds: BTreeSet<Speed> = drawn.nodes.iter().map(|node| node.speed).collect();
        let label = format!("{nodes} nodes x {horizon}, n = {n}");
        group.bench_function(BenchmarkId::new("bare passes", &label), |b| {
            b.iter(|| bare_passes(black_box(&slots), black_box(&request), black_box(&speeds)));
        });
        let options = SearchOptions::default().with_criterion(values.clone(), Sense::Maximise);
        for &kind in SearchKind::ALL {
            // The table runs separately, without a limit.
            if kind == SearchKind::MaxValueTable {
                continue;
            }
            let Ok(search) = kind.build_with(&options) else { continue };
            let (query, mut meter) = (WindowQuery::new(&slots, &request), Limit::default().meter());
            group.bench_function(BenchmarkId::new(kind.name(), &label), |b| {
                b.iter(|| {
                    meter.restart();
                    search.solve(&query, &mut meter)
                });
            });
        }
        if nodes == 100 && horizon == 1200.0 && n == 7 {
            group.sample_size(10);
            let Ok(table) = SearchKind::MaxValueTable.build_with(&options) else { continue };
            let limit = Limit::none();
            group.bench_function(BenchmarkId::new("table at every step", &label), |b| {
                b.iter(|| table.solve(&WindowQuery::new(&slots, &request), &mut limit.meter()));
            });
            group.sample_size(100);
        }
    }
    group.finish();
}

/// `slots` slots and `jobs` jobs, drawn as in the study of 2011; the price limit is 1.7 to the power of the
/// least speed.
fn cycle(slots: u32, jobs: u32) -> Fallible<(SlotList, Batch)> {
    let slots = SlotGenerator::default().with_count(slots..=slots).generate(&mut stream(11, 0))?;
    let batch = JobGenerator::default().with_jobs(jobs..=jobs).generate(&mut stream(12, 0))?;
    let jobs = (0..).zip(batch.iter()).map(|(id, job)| Job::new(JobId(id), job.request.clone())).collect();
    Ok((slots, Batch::new(jobs)?))
}

/// Time per alternative as the list grows.
fn alternatives(c: &mut Criterion) {
    let mut group = c.benchmark_group("alternatives/100 jobs");
    group.sample_size(10);
    for slots in [1_000, 10_000, 100_000] {
        let Ok((list, batch)) = cycle(slots, 100) else { continue };
        for kind in [SearchKind::Alp, SearchKind::Amp, SearchKind::FirstFitRough] {
            let search = AlternativesSearch::new(kind.build());
            let Ok(found) = search.find(&list, &batch, Time::ZERO) else { continue };
            // Time per element is time per alternative.
            group.throughput(Throughput::Elements(found.total() as u64));
            group.bench_function(BenchmarkId::new(kind.name(), slots), |b| {
                b.iter(|| search.find(&list, &batch, Time::ZERO));
            });
        }
    }
    group.finish();
}

/// The subset problem: exactly n of k items within a budget.
fn subsets(c: &mut Criterion) {
    let limit = Limit::none();
    for hard in [false, true] {
        let mut group = c.benchmark_group(if hard { "subset/hard" } else { "subset/easy" });
        for (k, n) in [(20, 5), (100, 7), (200, 20), (100, 50), (800, 7)] {
            // Easy: values are independent of costs. Hard: they are twice the costs up to 1%.
            let (values, costs) = items(k, |cost, share| {
                (if hard { 2.0 * cost * (0.99 + 0.02 * share) } else { 10.0 * share }, cost)
            });
            let budget = budget(&costs, n, 0.25);
            let Ok(problem) = SubsetProblem::new(&values, &costs, n, budget) else { continue };
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

criterion_group!(benches, growth, study_searches, alternatives, subsets);
criterion_main!(benches);
