//! Runs one kernel so many times, for a tool that counts instructions: `scripts/instructions.py` takes the
//! difference of two counts, so that drawing the input is left out. Without arguments it prints the names.
//!
//! `kernels NAME TIMES`

use auction_assign::{
    self as assigning, Assigner, AssignerKind, AssignmentProblem as Assignment, Auction, Costs,
};
use batch_dp::{Alternatives, ChoiceProblem, Chooser, Coverage, ExpandingCore, Goal};
use econsched_benches::{Fallible, asked, environment, profile};
use sched_model::{
    Batch, Job, JobId, Limit, Money, Node, Price, ResourceRequest, SlotList, Span, Speed, Time, Work,
};
use slot_window::{AlternativesSearch, SearchKind, WindowQuery};
use std::hint::black_box;
use workload_gen::cycle::SlotGenerator;
use workload_gen::environment::request;
use workload_gen::internal::unit;
use workload_gen::sample::stream;

#[allow(dead_code)] // one of them is taken
#[path = "../../crates/econsched/tests/all/frozen/families.rs"]
mod families;
use families::{Drawn, FAMILIES};

type Kernel = fn(u32) -> Fallible<()>;

const KERNELS: [(&str, Kernel); 23] = [
    ("window amp, 100000 slots to the end", |times| long(SearchKind::Amp, times)),
    ("window alp, 100000 slots to the end", |times| long(SearchKind::Alp, times)),
    ("window min-cost-rough, 100000 slots to the end", |times| long(SearchKind::MinCostRough, times)),
    ("window first-fit, 800 nodes", |times| study(SearchKind::FirstFit, times)),
    ("window min-start, 800 nodes", |times| study(SearchKind::MinStart, times)),
    ("window min-finish, 800 nodes", |times| study(SearchKind::MinFinish, times)),
    ("window min-cost, 800 nodes", |times| study(SearchKind::MinCost, times)),
    ("window min-runtime, 800 nodes", |times| study(SearchKind::MinRuntime, times)),
    ("window alp, 400 slots", |times| alternatives(SearchKind::Alp, &few()?, times)),
    ("window amp, 400 slots", |times| alternatives(SearchKind::Amp, &few()?, times)),
    ("window amp, 100000 nodes free at once", |times| alternatives(SearchKind::Amp, &free()?, times)),
    ("choice 100 x 50", |times| choice(100, &Coverage::EveryJob, all, times)),
    ("choice 1000 x 50", |times| choice(1000, &Coverage::EveryJob, all, times)),
    ("most jobs 100 x 50", |times| choice(100, &Coverage::MostJobs, some, times)),
    ("greatest weight 100 x 50", |times| {
        let mut rng = stream(5, 0);
        let weights = (0..100).map(|_| (unit(&mut rng) * 100.0).floor() + 1.0);
        choice(100, &Coverage::MostWeight(weights.collect()), some, times)
    }),
    ("assignment automatic, uniform 300", |times| {
        assign(AssignerKind::Automatic, &square(300, 1e6), 300, &[], times)
    }),
    ("assignment shortest paths, uniform 300", |times| {
        assign(AssignerKind::ShortestPaths, &square(300, 1e6), 300, &[], times)
    }),
    ("assignment auction, uniform 300", |times| {
        let values = square(300, 1e6);
        let problem = Assignment::new(Costs::dense(300, 300, &values)?);
        for _ in 0..times {
            let _ = black_box(Auction::default().assign(&problem)?);
        }
        Ok(())
    }),
    ("assignment automatic, ties 300", |times| {
        assign(AssignerKind::Automatic, &square(300, 5.0), 300, &[], times)
    }),
    ("assignment automatic, 300 x 20 with places", |times| {
        assign(AssignerKind::Automatic, &square(300, 1e6)[..6000], 20, &[16; 20], times)
    }),
    ("profile earliest fit, 100000 steps", |times| fits(false, times)),
    ("profile fit, reserve, release, 100000 steps", |times| fits(true, times)),
    ("mapping sufferage, 512 x 16", |times| {
        let mut rng = stream(6, 0);
        let rows: Vec<Vec<f64>> =
            (0..512).map(|_| (0..16).map(|_| 1.0 + 1e3 * unit(&mut rng)).collect()).collect();
        let etc = sched_model::EtcMatrix::from_rows(&rows)?;
        let sufferage = grid_heuristics::MappingKind::Sufferage.build();
        for _ in 0..times {
            black_box(sufferage.map(&etc)?);
        }
        Ok(())
    }),
];

fn find(search: SearchKind, slots: &SlotList, request: &ResourceRequest, times: u32) -> Fallible<()> {
    let (search, mut meter) = (search.build(), Limit::default().meter());
    for _ in 0..times {
        meter.restart();
        let _ = black_box(search.solve(&WindowQuery::new(slots, request), &mut meter)?);
    }
    Ok(())
}

/// A request that many slots satisfy and no window, so that the scan goes to the end.
fn long(search: SearchKind, times: u32) -> Fallible<()> {
    let slots = SlotGenerator::default().with_count(100_000..=100_000).generate(&mut stream(7, 0))?;
    let request = ResourceRequest::new(4, Work::try_from(100.0)?)?.with_min_speed(Speed::try_from(1.2)?);
    let request = request.with_budget(Money::try_from(440.0)?).with_price_limit(Price::try_from(2.0)?);
    find(search, &slots, &request, times)
}

fn study(search: SearchKind, times: u32) -> Fallible<()> {
    let slots = environment(800, 1200.0, 0).slots;
    find(search, &slots, &request(7, 800.0, 0.115)?, times)
}

fn few() -> Fallible<SlotList> {
    Ok(SlotGenerator::default().with_count(400..=400).generate(&mut stream(7, 0))?)
}

fn free() -> Fallible<SlotList> {
    let mut rng = stream(7, 0);
    let nodes: Vec<Node> = (0..100_000)
        .map(|id| {
            let speed = 1.0 + 2.0 * unit(&mut rng);
            Node::must(id, speed, speed * (0.75 + 0.5 * unit(&mut rng)))
        })
        .collect();
    Ok(SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(600.0))?)
}

/// All alternatives of one job, or of thirty where there are many.
fn alternatives(search: SearchKind, slots: &SlotList, times: u32) -> Fallible<()> {
    let jobs = (1..=30_u32).map(|id| {
        let request = ResourceRequest::must(4, 50.0 + f64::from(id)).with_price_limit(Price::must(2.0));
        Job::new(JobId(u64::from(id)), request)
    });
    let batch = Batch::new(jobs.collect())?;
    let search = AlternativesSearch::new(search.build()).with_max_per_job(4);
    for _ in 0..times {
        let _ = black_box(search.find(slots, &batch, Time::ZERO)?);
    }
    Ok(())
}

/// Three choices of an economic batch, with budgets of its minimum and maximum cost.
fn choice(jobs: usize, coverage: &Coverage, budgets: fn(f64, f64) -> [f64; 3], times: u32) -> Fallible<()> {
    let mut rng = stream(2011, jobs as u64);
    let drawn = Drawn::new(FAMILIES[0], jobs, 50, &mut |low, high| low + (high - low) * unit(&mut rng));
    let (batch, (least, most)) = (Alternatives::new(&drawn.rows)?, drawn.costs);
    let mut meter = Limit::default().meter();
    for _ in 0..times {
        for budget in budgets(least, most) {
            let goal = Goal::MinTime { budget: Some(budget) };
            let problem = ChoiceProblem::new(&batch, goal).with_coverage(coverage.clone());
            let _ = black_box(ExpandingCore.solve(&problem, &mut meter)?);
            meter.restart();
        }
    }
    Ok(())
}

fn all(least: f64, most: f64) -> [f64; 3] {
    [0.25, 0.5, 0.75].map(|share| least + share * (most - least))
}

fn some(least: f64, _: f64) -> [f64; 3] {
    [0.3, 0.6, 0.9].map(|share| share * least)
}

/// Costs of n jobs on n resources: whole numbers below this.
fn square(n: usize, below: f64) -> Vec<f64> {
    let mut rng = stream(300, below as u64);
    (0..n * n).map(|_| (unit(&mut rng) * below).floor()).collect()
}

fn assign(
    kind: AssignerKind,
    values: &[f64],
    resources: usize,
    capacities: &[u32],
    times: u32,
) -> Fallible<()> {
    let ones = vec![1; resources];
    let capacities = if capacities.is_empty() { &ones } else { capacities };
    let costs = Costs::dense(values.len() / resources, resources, values)?;
    let problem =
        Assignment::new(costs).with_capacities(capacities).with_coverage(assigning::Coverage::MostJobs);
    let method = kind.build();
    for _ in 0..times {
        let _ = black_box(method.assign(&problem)?);
    }
    Ok(())
}

/// A thousand questions of a profile.
fn fits(reserving: bool, times: u32) -> Fallible<()> {
    let (mut profile, mut rng) = profile(100_000);
    for _ in 0..times {
        for _ in 0..1000 {
            let (cpus, span) = (1 + (unit(&mut rng) * 63.0) as u32, Span::must(0.5 + 2.0 * unit(&mut rng)));
            let Some(start) = black_box(profile.earliest_fit(cpus, span, Time::must(1e5 * unit(&mut rng))))
            else {
                continue;
            };
            if reserving {
                profile.reserve(start, start + span, cpus)?;
                profile.release(start, start + span, cpus)?;
            }
        }
    }
    Ok(())
}

fn main() -> Fallible<()> {
    asked(&KERNELS)?.map_or(Ok(()), |(kernel, times)| kernel(times))
}
