//! Algorithms that run in a simulation: policies, brokers, local rules, a provider's strategies.

use super::Family;
use crate::Failure;
use crate::multi_s_grid::{Config, GridName, JobProperties, MultiSGrid, UserGroup};
use econsched::auction_assign::strategy::{FreeMachine, LocalRule, Strategy};
use econsched::batch_dp::Goal;
use econsched::grid_heuristics::{TradeOffKind, TradeOffMetric};
use econsched::grid_sim::{
    BatchScheduler, Grid, GridJob, LocalJob, PolicyKind, ReplayOptions, Resource, TradeOffBroker,
    TwoPhaseBroker, jobs_of_log, replay,
};
use econsched::sched_model::{
    Job, JobId, Machine, MachineId, Price, ResourceRequest, SiteId, Span, Speed, Time, TradeOff, Work,
};
use econsched::slot_window::SearchKind;
use econsched::workload_gen::sample::{stream, unit};
use econsched::workload_gen::synthetic::LogGenerator;
use std::sync::Arc;

pub(super) fn families() -> Result<Vec<Family>, Failure> {
    Ok(vec![policies()?, brokers()?, local_rules()?, strategies()?])
}

/// A log of 1,000 jobs on 128 CPUs.
fn policies() -> Result<Family, Failure> {
    let log = LogGenerator::default().with_jobs(1_000).generate(&mut stream(21, 0))?;
    let jobs: Arc<Vec<LocalJob>> = Arc::new(jobs_of_log(&log.records)?.jobs);
    let machine = Machine::new(MachineId(0), 128, Speed::ETALON, Price::ZERO)?;
    let mut family = Family::new("local policy", &["mean wait", "slowdown", "use %"]);
    for kind in PolicyKind::ALL.iter().copied() {
        let jobs = Arc::clone(&jobs);
        family.add(kind.name(), move || {
            let report = replay(&machine, kind.build(), &jobs, &ReplayOptions::default())?.report;
            Ok(vec![report.wait.mean, report.bounded_slowdown.mean, 100.0 * report.utilisation])
        });
    }
    Ok(family)
}

/// 120 jobs on four resources, brokered every 50.
fn brokers() -> Result<Family, Failure> {
    let machines = [(16, 1.0, 1.0), (16, 1.5, 1.9), (24, 2.0, 3.0), (8, 3.0, 5.2)];
    let machines = machines.into_iter().zip(0..).map(|((cpus, speed, price), id)| {
        Ok(Machine::new(MachineId(id), cpus, Speed::new(speed)?, Price::new(price)?)?)
    });
    let machines = machines.collect::<Result<Vec<Machine>, Failure>>()?;
    let mut rng = stream(22, 0);
    let jobs = (0..120).map(|id| {
        let request = ResourceRequest::new(
            1 + (unit(&mut rng) * 7.9) as usize,
            Work::new(50.0 + 250.0 * unit(&mut rng))?,
        )?;
        let job = Job::new(JobId(id), request).with_submit(Time::new(800.0 * unit(&mut rng))?);
        Ok(GridJob::new(job.with_trade_off(TradeOff::new(unit(&mut rng))?)))
    });
    let shared = Arc::new((machines, jobs.collect::<Result<Vec<GridJob>, Failure>>()?));
    let mut family = Family::new("broker", &["done", "makespan", "cost", "response"]);
    let mut add =
        |name: String, make: Box<dyn Fn() -> Result<Box<dyn BatchScheduler>, Failure> + Send + Sync>| {
            let shared = Arc::clone(&shared);
            family.add(name, move || {
                let (machines, jobs) = &*shared;
                let resource =
                    |(machine, id): (&Machine, u32)| Resource::new(SiteId(id), id.to_string(), *machine);
                let grid = Grid::new(machines.iter().zip(0..).map(resource).collect());
                let report = grid.run(jobs, make()?.as_mut())?.report;
                let done = report.endings.get("done").copied().unwrap_or(0);
                Ok(vec![done as f64, report.makespan.get(), report.cost.get(), report.response.mean])
            });
        };
    for &kind in TradeOffKind::ALL {
        let broker = move || -> Result<Box<dyn BatchScheduler>, Failure> {
            Ok(Box::new(TradeOffBroker::of_kind(kind, TradeOffMetric::default())))
        };
        add(kind.name().to_owned(), Box::new(broker));
    }
    for search in [SearchKind::Amp, SearchKind::MinCostRough, SearchKind::MinFinishRough] {
        for (name, goal) in [
            ("least cost", Goal::MinCost { time_limit: None }),
            ("least time", Goal::MinTime { budget: None }),
        ] {
            let broker = move || -> Result<Box<dyn BatchScheduler>, Failure> {
                let search = search.build();
                let broker = TwoPhaseBroker::new(search, Span::new(2000.0)?).with_goal(goal);
                Ok(Box::new(broker.with_max_alternatives(10)))
            };
            add(format!("two-phase, {search}, {name}"), Box::new(broker));
        }
    }
    Ok(family)
}

/// 200 jobs on the 40 machines of a site.
fn local_rules() -> Result<Family, Failure> {
    let mut rng = stream(23, 0);
    let machines = (0..40).map(|_| {
        let live = 2 + (unit(&mut rng) * 6.9) as u32;
        let free = (f64::from(live) * unit(&mut rng)).ceil() as u32;
        Ok(FreeMachine::new(free, live, Speed::new(1.0 + (unit(&mut rng) * 4.0).floor())?))
    });
    let machines = machines.collect::<Result<Vec<_>, Failure>>()?;
    let jobs = (0..200).map(|_| Ok(Work::new(10.0 + 90.0 * unit(&mut rng))?));
    let shared = Arc::new((machines, jobs.collect::<Result<Vec<Work>, Failure>>()?));
    let mut family = Family::new("local rule", &["placed", "mean time", "greatest load %"]);
    for (name, rule) in [
        ("shortest-first", LocalRule::ShortestFirst),
        ("balanced", LocalRule::Balanced),
        ("least-total", LocalRule::LeastTotal),
    ] {
        let shared = Arc::clone(&shared);
        family.add(name, move || {
            let (machines, jobs) = &*shared;
            let places = rule.place(jobs, machines)?;
            let mut busy: Vec<u32> = machines.iter().map(|machine| machine.live - machine.free).collect();
            let mut times = Vec::new();
            for (place, work) in places.iter().zip(jobs) {
                if let Some(at) = *place {
                    busy[at] += 1;
                    times.push((*work / machines[at].speed).get());
                }
            }
            let loads =
                busy.iter().zip(machines).map(|(&busy, machine)| f64::from(busy) / f64::from(machine.live));
            Ok(vec![times.len() as f64, super::mean(&times), 100.0 * loads.fold(0.0, f64::max)])
        });
    }
    Ok(family)
}

/// 1,000 jobs on a grid whose machines and links fail, under a provider's strategies.
fn strategies() -> Result<Family, Failure> {
    let mut rng = stream(24, 0);
    let sites = GridName::G18.properties().generate(&mut rng)?;
    let users = UserGroup::Users2.properties().generate(&mut rng)?;
    let jobs = JobProperties::default().with_jobs(1_000).generate(&users, &mut rng)?;
    let shared = Arc::new((sites, users, jobs));
    let plain = Strategy::default();
    let mut family = Family::new("provider's strategy", &["done", "mean cost", "starved", "mean wait"]);
    for (name, strategy) in [
        ("time", plain),
        ("fail prevention", plain.with_fail_prevention(1.0)),
        ("quality of service", plain.with_quality_of_service(1.0)),
        ("starvation prevention", plain.with_starvation_prevention(1.0)),
        ("balancing", plain.with_balancing(true)),
        (
            "all",
            plain
                .with_fail_prevention(1.0)
                .with_quality_of_service(1.0)
                .with_starvation_prevention(1.0)
                .with_balancing(true),
        ),
    ] {
        let shared = Arc::clone(&shared);
        family.add(name, move || {
            let (sites, users, jobs) = &*shared;
            let config = Config::default().with_strategy(strategy);
            let outcome =
                MultiSGrid::new(sites).with_users(users).with_config(config).with_seed(1).run(jobs)?;
            let done = outcome.report.endings.get("done").copied().unwrap_or(0);
            Ok(vec![done as f64, outcome.mean_cost, outcome.starved as f64, outcome.report.wait.mean])
        });
    }
    Ok(family)
}
