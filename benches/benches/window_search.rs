//! Window searches: the cost of a scan against a bare pass over the slots, and every registered search in the
//! study's environment, with the published table scheme beside them; alternatives; plans; subsets of nodes.
#![allow(clippy::unwrap_used)] // a bench stops at the first surprise

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use econsched::joint_plan::{PlanProblem, PlannerKind};
use econsched_benches::{budget, environment, items, values};
use sched_model::check::Rules;
use sched_model::{
    Batch, Goal, Job, JobId, Limit, Money, Price, ResourceRequest, Sense, SlotList, Speed, Time,
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

/// On each speed level, tests each slot for the speed and the span of the level, and nothing else.
fn bare_passes(slots: &SlotList, request: &ResourceRequest, speeds: &BTreeSet<Speed>) -> usize {
    let level = |&speed: &Speed| {
        let span = request.work() / speed;
        let suits = |slot: &&sched_model::Slot| slot.speed >= speed && slot.end - slot.start >= span;
        slots.runs_alive_at(Time::ZERO).map(|run| run.iter().filter(suits).count()).sum::<usize>()
    };
    speeds.iter().map(level).sum()
}

type Group<'a> = BenchmarkGroup<'a, WallTime>;

/// A row: a search of a window, in the memory that its meter keeps.
fn row(group: &mut Group<'_>, name: BenchmarkId, search: &dyn WindowSearch, query: &WindowQuery<'_>) {
    let mut meter = Limit::none().meter();
    group.bench_function(name, |b| {
        b.iter(|| {
            meter.restart();
            search.solve(query, &mut meter)
        });
    });
}

/// A list of `m` slots, and a request that just misses the cheapest window, so that no scan ends early.
fn to_the_end(m: u32) -> (SlotList, ResourceRequest) {
    let slots = SlotGenerator::default().with_count(m..=m).generate(&mut stream(7, 0)).unwrap();
    let request = ResourceRequest::must(4, 100.0).with_min_speed(Speed::must(1.2));
    let cheapest = Optimal::new(Objective::Cost).with_rules(Rules::per_window(1.0));
    let window = cheapest.find(&WindowQuery::new(&slots, &request)).unwrap().best.unwrap();
    let short = Money::must(window.cost().get() * 0.999);
    (slots, request.with_budget(short).with_price_limit(Price::must(0.5)))
}

fn growth(c: &mut Criterion) {
    let mut group = c.benchmark_group("window/to the end");
    group.sample_size(10);
    for m in [1_000, 10_000, 100_000, 1_000_000] {
        let (slots, request) = to_the_end(m);
        let (query, speeds) = (WindowQuery::new(&slots, &request), BTreeSet::from([request.min_speed]));
        group.throughput(Throughput::Elements(u64::from(m)));
        group.bench_function(BenchmarkId::new("bare pass", m), |b| {
            b.iter(|| bare_passes(black_box(&slots), black_box(&request), &speeds));
        });
        for kind in [SearchKind::Alp, SearchKind::Amp, SearchKind::MinCostRough, SearchKind::MinFinishRough] {
            // Each with a limit that no window keeps: the price limit for ALP.
            row(&mut group, BenchmarkId::new(kind.name(), m), &*kind.build(), &query);
        }
    }
}

/// "First Fit over all speeds" is the registered `first-fit`: the square search, which runs First Fit on
/// every distinct speed and takes the earliest start. Both it and `max-value` know the same speeds, slots and
/// budget.
fn study_searches(c: &mut Criterion) {
    let mut group = c.benchmark_group("window/study");
    let sizes = [100, 800].into_iter().flat_map(|nodes| [7, 2, 20, 50].map(|n| (nodes, 1200.0, n)));
    for (nodes, horizon, n) in sizes.chain([(100, 4800.0, 7), (100, 19_200.0, 7)]) {
        let (drawn, request) = (environment(nodes, horizon, 0), request(n, 800.0, 0.115).unwrap());
        let slots = &drawn.slots;
        let query = WindowQuery::new(slots, &request);
        let speeds: BTreeSet<Speed> = drawn.nodes.iter().map(|node| node.speed).collect();
        let label = format!("{nodes} nodes x {horizon}, n = {n}");
        group.bench_function(BenchmarkId::new("bare passes", &label), |b| {
            b.iter(|| bare_passes(black_box(slots), black_box(&request), black_box(&speeds)));
        });
        let options = SearchOptions::default().with_criterion(values(&drawn), Sense::Maximise);
        for &kind in SearchKind::ALL {
            // The table takes thousands of times as long.
            let is_table = kind == SearchKind::MaxValueTable;
            if is_table && (nodes, horizon, n) != (100, 1200.0, 7) {
                continue;
            }
            let search = kind.build_with(&options).unwrap();
            println!("{kind}, {label}: {}", search.find(&query).unwrap());
            group.sample_size(if is_table { 10 } else { 100 });
            row(&mut group, BenchmarkId::new(kind.name(), &label), &*search, &query);
        }
    }
}

/// `slots` slots and `jobs` jobs, drawn as in the study of 2011; the price limit is 1.7 to the power of the
/// smallest speed.
fn cycle(slots: u32, jobs: u32) -> (SlotList, Batch) {
    let slots = SlotGenerator::default().with_count(slots..=slots).generate(&mut stream(11, 0)).unwrap();
    let batch = JobGenerator::default().with_jobs(jobs..=jobs).generate(&mut stream(12, 0)).unwrap();
    let jobs = (0..).zip(batch.iter()).map(|(id, job)| Job::new(JobId(id), job.request.clone())).collect();
    (slots, Batch::new(jobs).unwrap())
}

/// Time per alternative as the list grows.
fn alternatives(c: &mut Criterion) {
    let few = &[SearchKind::Alp, SearchKind::Amp, SearchKind::FirstFitRough];
    for (jobs, slots, kinds) in
        [(7, 150, SearchKind::ALL), (100, 1_000, few), (100, 10_000, few), (100, 100_000, few)]
    {
        let mut group = c.benchmark_group(format!("alternatives/{jobs} jobs"));
        group.sample_size(10);
        let (list, batch) = cycle(slots, jobs);
        for kind in kinds {
            let search = AlternativesSearch::new(kind.build());
            let found = search.find(&list, &batch, Time::ZERO).unwrap();
            println!("{kind}, {jobs} jobs, {slots} slots: {} alternatives", found.total());
            // Time per element is time per alternative.
            group.throughput(Throughput::Elements(found.total() as u64));
            let name = BenchmarkId::new(kind.name(), slots);
            group.bench_function(name, |b| b.iter(|| search.find(&list, &batch, Time::ZERO)));
        }
    }
}

/// Plans of the whole batch of a cycle.
fn plans(c: &mut Criterion) {
    let mut group = c.benchmark_group("joint plan");
    group.sample_size(10);
    let (slots, batch) = cycle(150, 7);
    let problem = PlanProblem::new(&slots, &batch, Goal::MinCost { time_limit: None });
    for kind in PlannerKind::ALL {
        let planner = kind.build();
        println!("{kind}: {}", planner.plan(&problem).unwrap());
        group.bench_function(kind.name(), |b| b.iter(|| planner.plan(&problem)));
    }
}

/// The subset problem: exactly n of k items within a budget.
fn subsets(c: &mut Criterion) {
    for hard in [false, true] {
        let mut group = c.benchmark_group(if hard { "subset/hard" } else { "subset/easy" });
        for (k, n) in [(20, 5), (100, 7), (200, 20), (100, 50), (800, 7)] {
            // Easy: values are independent of costs. Hard: they are twice the costs up to 1%.
            let (values, costs) = items(k, |cost, share| {
                (if hard { 2.0 * cost * (0.99 + 0.02 * share) } else { 10.0 * share }, cost)
            });
            let budget = budget(&costs, n, 0.25);
            let problem = SubsetProblem::new(&values, &costs, n, budget).unwrap();
            let mut meter = Limit::none().meter();
            group.bench_function(BenchmarkId::new("exact", format!("{n} of {k}")), |b| {
                b.iter(|| {
                    meter.restart();
                    problem.solve(&mut meter)
                });
            });
        }
    }
}

criterion_group!(benches, growth, study_searches, alternatives, plans, subsets);
criterion_main!(benches);
