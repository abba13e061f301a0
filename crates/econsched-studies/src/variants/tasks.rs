//! Tasks to resources: mappings, trade-offs, assignments, and the policies of a queue.

use super::{Variant, family};
use crate::Failure;
use econsched::auction_assign::{AssignerKind, AssignmentProblem, Costs, Coverage};
use econsched::grid_heuristics::{ClusterView, MappingKind, TradeOffKind, TradeOffProblem};
use econsched::grid_sim::{LocalJob, PolicyKind, Replay, jobs_of_log};
use econsched::sched_model::{
    EtcMatrix, Job, JobId, Limit, Machine, MachineId, Price, Profile, ResourceRequest, Speed, Time, TradeOff,
    Work,
};
use econsched::workload_gen::etc::{Consistency, EtcGenerator, EtcKind};
use econsched::workload_gen::internal::unit;
use econsched::workload_gen::sample::stream;
use econsched::workload_gen::synthetic::LogGenerator;

pub(super) fn families() -> Result<Vec<Vec<Variant>>, Failure> {
    Ok(vec![mappings()?, trade_offs()?, assigners()?, policies()?])
}

/// 512 tasks on 16 machines, as the literature has them.
fn mappings() -> Result<Vec<Variant>, Failure> {
    let generator = EtcGenerator::new(512, 16, EtcKind::HiHi);
    let etcs = [Consistency::Consistent, Consistency::Inconsistent]
        .map(|consistency| generator.clone().with_consistency(consistency).generate(&mut stream(11, 0)));
    let [consistent, inconsistent] = etcs;
    let (etcs, figures) = ([consistent?, inconsistent?], &["makespan, consistent", "inconsistent"]);
    Ok(family("mapping", figures, etcs, |etcs, kind: &MappingKind| {
        let heuristic = kind.build();
        let makespan = |etc| Ok(heuristic.map(etc)?.makespan().map_or(f64::NAN, Time::get));
        etcs.iter().map(makespan).collect()
    }))
}

/// 300 parallel jobs on eight clusters.
fn trade_offs() -> Result<Vec<Variant>, Failure> {
    let mut rng = stream(12, 0);
    let clusters = (0..8)
        .map(|_| {
            let free = Profile::new(16 + (unit(&mut rng) * 100.0) as u32, Time::ZERO)?;
            let price = Price::new(0.01 + 0.09 * unit(&mut rng))?;
            Ok(ClusterView { speed: Speed::ETALON, price, free })
        })
        .collect::<Result<Vec<ClusterView>, Failure>>()?;
    let mut times = Vec::new();
    let jobs = (0..300)
        .map(|id| {
            let cpus = 1 << (unit(&mut rng) * 4.9) as u32;
            let mean = 10.0 + 3000.0 * unit(&mut rng);
            times.extend((0..8).map(|_| mean * (0.1 + 2.9 * unit(&mut rng))));
            let job = Job::new(JobId(id), ResourceRequest::new(cpus, Work::new(mean)?)?);
            Ok(job.with_trade_off(TradeOff::new(unit(&mut rng))?))
        })
        .collect::<Result<Vec<Job>, Failure>>()?;
    let times = EtcMatrix::new(jobs.len(), clusters.len(), times)?;
    let figures = &["placed", "makespan", "cost"];
    Ok(family(
        "trade-off",
        figures,
        (clusters, jobs, times),
        |(clusters, jobs, times), kind: &TradeOffKind| {
            let problem = TradeOffProblem::new(jobs, clusters).with_times(times);
            let schedule = kind.build().schedule(&problem)?;
            let places = || schedule.placed().map(|(_, place)| place);
            let makespan = places().map(|place| place.end).max().map_or(f64::NAN, Time::get);
            let cost = places().map(|place| {
                f64::from(place.cpus) * (clusters[place.resource].price * (place.end - place.start)).get()
            });
            Ok(vec![places().count() as f64, makespan, cost.sum()])
        },
    ))
}

/// Random costs of 200 jobs on 200 resources, and of 1000 on 20 with capacities.
fn assigners() -> Result<Vec<Variant>, Failure> {
    let mut rng = stream(14, 0);
    let mut costs =
        |count: usize| -> Vec<f64> { (0..count).map(|_| (1e4 * unit(&mut rng)).floor()).collect() };
    let input = (costs(200 * 200), costs(1000 * 20), vec![48_u32; 20]);
    let figures = &["sum, one to one", "sum, capacities"];
    Ok(family("assignment", figures, input, |(square, wide, capacities), kind: &AssignerKind| {
        let square = AssignmentProblem::new(Costs::dense(200, 200, square)?);
        let wide = AssignmentProblem::new(Costs::dense(1000, 20, wide)?)
            .with_capacities(capacities)
            .with_coverage(Coverage::MostJobs);
        // A method that does not support the form has no figure.
        let sum = |problem| kind.build().assign(&problem).ok().and_then(|answer| answer.value);
        Ok([square, wide].map(|problem| sum(problem).unwrap_or(f64::NAN)).to_vec())
    }))
}

/// A log of 1,000 jobs on 128 CPUs.
fn policies() -> Result<Vec<Variant>, Failure> {
    let log = LogGenerator::default().with_jobs(1_000).generate(&mut stream(21, 0))?;
    let jobs: Vec<LocalJob> = jobs_of_log(&log.records).jobs;
    let machine = Machine::new(MachineId(0), 128, Speed::ETALON, Price::ZERO)?;
    let figures = &["mean wait", "slowdown", "use %"];
    Ok(family("local policy", figures, (machine, jobs), |(machine, jobs), kind: &PolicyKind| {
        let report = Replay::new(machine, kind.build()).run(jobs, &mut Limit::none().meter())?.report;
        Ok(vec![report.wait.mean, report.bounded_slowdown.mean, 100.0 * report.utilisation])
    }))
}
