//! Tasks to resources: mappings, trade-offs, groups, assignments.

use super::Family;
use crate::Failure;
use econsched::auction_assign::{AssignerKind, AssignmentProblem, Costs, Coverage};
use econsched::grid_heuristics::{
    ClusterView, GroupResource, JobGrouping, JobOrder, MappingKind, ParallelJob, ResourceOrder, SmallJob,
    TradeOffKind,
};
use econsched::sched_model::{JobId, Price, Profile, Span, Speed, Time, TradeOff, Work};
use econsched::workload_gen::etc::{Consistency, EtcGenerator, EtcKind};
use econsched::workload_gen::sample::{stream, unit};
use std::sync::Arc;

pub(super) fn families() -> Result<Vec<Family>, Failure> {
    Ok(vec![mappings()?, trade_offs()?, grouping()?, assigners()?])
}

/// 512 tasks on 16 machines, as the literature has them.
fn mappings() -> Result<Family, Failure> {
    let generator = EtcGenerator::new(512, 16, EtcKind::HiHi.method());
    let etcs = [Consistency::Consistent, Consistency::Inconsistent]
        .map(|consistency| generator.clone().with_consistency(consistency).generate(&mut stream(11, 0)));
    let [consistent, inconsistent] = etcs;
    let etcs = Arc::new([consistent?, inconsistent?]);
    let mut family = Family::new("mapping", &["makespan, consistent", "inconsistent"]);
    for &kind in MappingKind::ALL {
        let (etcs, heuristic) = (Arc::clone(&etcs), kind.build());
        family.add(kind.name(), move || {
            let makespan = |etc| -> Result<f64, Failure> {
                Ok(heuristic.map(etc)?.makespan().map_or(f64::NAN, Time::get))
            };
            Ok(vec![makespan(&etcs[0])?, makespan(&etcs[1])?])
        });
    }
    Ok(family)
}

/// 300 parallel jobs on eight clusters.
fn trade_offs() -> Result<Family, Failure> {
    let mut rng = stream(12, 0);
    let clusters = (0..8)
        .map(|_| {
            let free = Profile::new(16 + (unit(&mut rng) * 100.0) as u32, Time::ZERO)?;
            Ok(ClusterView { price: Price::new(0.01 + 0.09 * unit(&mut rng))?, free })
        })
        .collect::<Result<Vec<ClusterView>, Failure>>()?;
    let jobs = (0..300)
        .map(|id| {
            let cpus = 1 << (unit(&mut rng) * 4.9) as u32;
            let mean = 10.0 + 3000.0 * unit(&mut rng);
            let times = (0..8).map(|_| Span::new(mean * (0.1 + 2.9 * unit(&mut rng))));
            let times = times.collect::<Result<Vec<_>, _>>()?;
            Ok(ParallelJob::new(JobId(id), cpus, times).with_trade_off(TradeOff::new(unit(&mut rng))?))
        })
        .collect::<Result<Vec<ParallelJob>, Failure>>()?;
    let shared = Arc::new((clusters, jobs));
    let mut family = Family::new("trade-off", &["placed", "makespan", "cost"]);
    for &kind in TradeOffKind::ALL {
        let (shared, heuristic) = (Arc::clone(&shared), kind.build());
        family.add(kind.name(), move || {
            let (clusters, jobs) = &*shared;
            let schedule = heuristic.schedule(clusters, jobs)?;
            let places = || schedule.placed().map(|(_, place)| place);
            let makespan = places().map(|place| place.end).max().map_or(f64::NAN, Time::get);
            let cost = places().map(|place| {
                f64::from(place.cpus) * (clusters[place.resource].price * (place.end - place.start)).get()
            });
            Ok(vec![places().count() as f64, makespan, cost.sum()])
        });
    }
    Ok(family)
}

/// 20,000 small jobs on seven resources, in every order of jobs and resources; the published one is that of
/// priority and price per time.
fn grouping() -> Result<Family, Failure> {
    let mut rng = stream(13, 0);
    let jobs = (0..20_000).map(|id| Ok(SmallJob::new(JobId(id), Work::new(200.0 + 40.0 * unit(&mut rng))?)));
    let jobs = Arc::new(jobs.collect::<Result<Vec<_>, Failure>>()?);
    let resources = [(120.0, 100.0), (150.0, 220.0), (200.0, 180.0), (250.0, 300.0), (300.0, 330.0)];
    let resources = [(400.0, 500.0), (500.0, 390.0)]
        .into_iter()
        .chain(resources)
        .map(|(mips, price)| Ok(GroupResource::new(Speed::new(mips)?, Price::new(price)?)));
    let resources = Arc::new(resources.collect::<Result<Vec<_>, Failure>>()?);
    let mut family = Family::new("grouping", &["dispatches", "makespan", "cost"]);
    for (job_name, job_order) in [("arrival", JobOrder::Arrival), ("priority", JobOrder::Priority)] {
        for (name, order) in [
            ("given", ResourceOrder::Given),
            ("cost per time", ResourceOrder::CostPerTime),
            ("cost per work", ResourceOrder::CostPerWork),
        ] {
            let (jobs, resources) = (Arc::clone(&jobs), Arc::clone(&resources));
            let grouping =
                JobGrouping::new(Span::new(20.0)?).with_job_order(job_order).with_resource_order(order);
            family.add(format!("{job_name}, {name}"), move || {
                let totals = grouping.group(&jobs, &resources)?.totals();
                Ok(vec![totals.dispatches as f64, totals.makespan.get(), totals.cost.get()])
            });
        }
    }
    Ok(family)
}

/// Random costs of 200 jobs on 200 resources, and of 1000 on 20 with capacities.
fn assigners() -> Result<Family, Failure> {
    let mut rng = stream(14, 0);
    let mut costs =
        |count: usize| -> Vec<f64> { (0..count).map(|_| (1e4 * unit(&mut rng)).floor()).collect() };
    let shared = Arc::new((costs(200 * 200), costs(1000 * 20), vec![48_u32; 20]));
    let mut family = Family::new("assignment", &["sum, one to one", "sum, capacities"]);
    for &kind in AssignerKind::ALL {
        let (shared, assigner) = (Arc::clone(&shared), kind.build());
        family.add(kind.name(), move || {
            let (square, wide, capacities) = &*shared;
            let square = AssignmentProblem::new(Costs::dense(200, 200, square)?);
            let wide = AssignmentProblem::new(Costs::dense(1000, 20, wide)?)
                .with_capacities(capacities)
                .with_coverage(Coverage::MostJobs);
            // A method that does not support the form has no figure.
            let sum = |problem| {
                let answer = assigner.assign(&problem).ok();
                answer.and_then(|answer| answer.value).unwrap_or(f64::NAN)
            };
            Ok(vec![sum(square), sum(wide)])
        });
    }
    Ok(family)
}
