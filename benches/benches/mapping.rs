//! Tasks to resources: every registered mapping heuristic, trade-off heuristic and assignment method on the same
//! inputs, what it reaches printed beside; the fast forms of heuristics beside the literal pseudo code; job grouping.
//!
//! `--literal` runs each literal form once and prints times and their ratio.
#![allow(clippy::disallowed_types)] // it reports how long it takes
#![allow(clippy::unwrap_used)] // a bench stops at the first surprise

use auction_assign::{Assigner, AssignerKind, AssignmentProblem, Coverage};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use econsched::testkit::Draw;
use econsched::testkit::zoo::{AssignmentGenerator, CostStructure, Places};
use grid_heuristics::{
    ClusterView, JobGrouping, JobOrder, Mapping, MappingHeuristic, MappingKind, ResourceOrder, TradeOffKind,
    TradeOffMetric, TradeOffProblem,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sched_model::{
    EtcMatrix, Job, JobId, Machine, MachineId, Price, Profile, ResourceRequest, Span, Speed, Time, TradeOff,
};
use std::time::Instant;
use workload_gen::etc::{Consistency, EtcGenerator, EtcMethod};
use workload_gen::sample::stream;

#[path = "../../crates/grid-heuristics/tests/all/definitions.rs"]
mod definitions;

const RESOURCES: usize = 100;

/// Range-based, high heterogeneity of tasks and of machines.
fn matrix(tasks: usize, consistency: Consistency) -> EtcMatrix {
    EtcGenerator::new(tasks, RESOURCES, EtcMethod::HiHi)
        .with_consistency(consistency)
        .generate(&mut stream(1, 0))
        .unwrap()
}

/// Clusters of 16 to 256 CPUs, jobs of up to 64 with times that differ up to thirtyfold.
fn brokered(count: u64, clusters: usize) -> (Vec<Job>, Vec<ClusterView>, EtcMatrix) {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let cluster = |_| {
        let free = Profile::new(rng.random_range(16..=256), Time::ZERO);
        ClusterView { speed: Speed::ETALON, price: Price::must(rng.random_range(0.01..0.1)), free }
    };
    let clusters: Vec<ClusterView> = (0..clusters).map(cluster).collect();
    let mut times = Vec::new();
    let job = |id| {
        let (cpus, mean) = (1 << rng.random_range(0..=6), rng.random_range(10.0..5000.0));
        times.extend(clusters.iter().map(|_| mean * rng.random_range(0.1..3.0)));
        let job = Job::new(JobId(id), ResourceRequest::must(cpus, mean));
        job.with_trade_off(TradeOff::must(rng.random_range(0.0..=1.0)))
    };
    let jobs: Vec<Job> = (0..count).map(job).collect();
    let times = EtcMatrix::new(jobs.len(), clusters.len(), times).unwrap();
    (jobs, clusters, times)
}

fn mappings(c: &mut Criterion) {
    let mut group = c.benchmark_group("mapping");
    group.sample_size(10);
    for consistency in [Consistency::Inconsistent, Consistency::Consistent] {
        for tasks in [1_000, 2_000, 4_000] {
            let etc = matrix(tasks, consistency);
            for kind in MappingKind::ALL {
                println!("{kind}, {consistency:?}, {tasks} tasks: {}", kind.map(&etc).unwrap());
                let name = BenchmarkId::new(format!("{kind}, {consistency:?}"), tasks);
                group.bench_function(name, |b| b.iter(|| kind.map(&etc)));
            }
        }
    }
}

fn trade_offs(c: &mut Criterion) {
    let mut group = c.benchmark_group("trade-off");
    group.sample_size(10);
    for jobs in [1_000, 4_000] {
        let (jobs, clusters, times) = brokered(jobs, 20);
        let problem = TradeOffProblem::new(&jobs, &clusters).with_times(&times);
        for kind in TradeOffKind::ALL {
            let heuristic = kind.build(TradeOffMetric::default());
            let schedule = heuristic.schedule(&problem).unwrap();
            let last = schedule.placed().map(|(_, place)| place.end).max();
            let cost: f64 = schedule.placed().map(|(_, place)| place.cost.get()).sum();
            println!("{kind}, {} jobs: makespan {last:?}, cost {cost:.0}", jobs.len());
            let name = BenchmarkId::new(kind.name(), jobs.len());
            group.bench_function(name, |b| b.iter(|| heuristic.schedule(&problem)));
        }
    }
}

fn assignments(c: &mut Criterion) {
    let mut group = c.benchmark_group("assignment");
    let square = |structure| AssignmentGenerator::new(300, 300, structure);
    let few = AssignmentGenerator::new(1000, 20, CostStructure::GridTime);
    for of in [
        square(CostStructure::Wide),
        square(CostStructure::Distance),
        few.clone().with_places(Places::Tight),
        few.with_places(Places::Slack),
    ] {
        let instance = of.generate(&mut Draw::new(14, 0));
        let problem = AssignmentProblem::new(instance.costs().unwrap())
            .with_capacities(&instance.capacities)
            .with_coverage(Coverage::MostJobs);
        for kind in AssignerKind::ALL {
            // Some methods do not take every form.
            let Ok(answer) = kind.assign(&problem) else { continue };
            println!("{kind}, {}: {answer}", of.name());
            group.bench_function(BenchmarkId::new(kind.name(), of.name()), |b| {
                b.iter(|| kind.assign(&problem))
            });
        }
    }
}

/// Runs each form of an algorithm once, the fast one on either side of the literal one: others use the machine, too.
fn against<T: PartialEq>(name: &str, fast: impl Fn() -> T, literal: impl Fn() -> T) {
    let timed = |run: &dyn Fn() -> T| {
        let begin = Instant::now();
        (run(), begin.elapsed().as_secs_f64())
    };
    let ((answer, before), (same, slow)) = (timed(&fast), timed(&literal));
    assert!(answer == same, "{name} differs from its pseudo code");
    let quick = before.min(timed(&fast).1);
    println!("{name} {quick:.3} s, literal {slow:.3} s, ratio {:.0}", slow / quick);
}

fn against_literal() {
    for consistency in [Consistency::Consistent, Consistency::Inconsistent, Consistency::SemiConsistent] {
        let etc = matrix(10_000, consistency);
        for kind in [MappingKind::MinMin, MappingKind::MaxMin, MappingKind::Sufferage] {
            let fast = || kind.map(&etc).unwrap();
            let literal =
                || Mapping::from_order(&etc, definitions::mapping(kind, &etc).unwrap_or_default()).unwrap();
            against(&format!("10000 x {RESOURCES} {consistency:?}: {kind}"), fast, literal);
        }
    }
    let (jobs, clusters, times) = brokered(1_000, 20);
    let problem = TradeOffProblem::new(&jobs, &clusters).with_times(&times);
    let metric = TradeOffMetric::default();
    for kind in [TradeOffKind::MinCtt, TradeOffKind::MaxCtt] {
        let heuristic = kind.build(metric);
        let fast = || {
            let schedule = heuristic.schedule(&problem).unwrap();
            schedule.placed().map(|(job, place)| (job, *place)).collect()
        };
        let greatest = kind == TradeOffKind::MaxCtt;
        let literal = || definitions::trade_off(greatest, &metric, &problem).unwrap();
        against(&format!("1000 x 20 clusters: {kind}"), fast, literal);
    }
}

/// Job grouping on a thousand resources.
fn grouping(c: &mut Criterion) {
    let mut group = c.benchmark_group("grouping");
    group.sample_size(10);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let machine = |id| {
        let speed = Speed::must(rng.random_range(1.0..100.0));
        Machine::new(MachineId(id), 1, speed, Price::must(rng.random_range(1.0..10.0))).unwrap()
    };
    let resources: Vec<Machine> = (0..1_000).map(machine).collect();
    for count in [10_000u64, 100_000, 1_000_000] {
        let job = |id| Job::new(JobId(id), ResourceRequest::must(1, rng.random_range(1.0..1_000.0)));
        let jobs: Vec<Job> = (0..count).map(job).collect();
        group.throughput(Throughput::Elements(count));
        let arrival = JobGrouping::new(Span::must(60.0));
        let by_cost = arrival.with_resource_order(ResourceOrder::CostPerWork);
        for config in [arrival, by_cost.with_job_order(JobOrder::Priority)] {
            let name = BenchmarkId::new(config.job_order.to_string(), count);
            group.bench_function(name, |b| b.iter(|| config.group(&jobs, &resources)));
        }
    }
}

criterion_group!(benches, mappings, trade_offs, assignments, grouping);

fn main() {
    // `--literal` runs the long comparison alone.
    if std::env::args().any(|argument| argument == "--literal") {
        against_literal();
    } else {
        benches();
        Criterion::default().configure_from_args().final_summary();
    }
}
