//! Random grids: what is charged is what was used, what users pay is what sites earn, and no CPU is held
//! twice.

use crate::common::{job, resource, span};
use crate::registered::Schedulers;
use batch_dp::{Goal, Preference, VectorCriterion};
use econsched::testkit::{Check, Draw, SchedulerCase, drawn, oracle::most_busy};
use grid_sim::*;
use live_broker::{Config, MovePolicy, Preemption, Prefer, Stability};
use sched_model::*;
use slot_window::{Objective, SearchKind};

/// Machines, the jobs of their own users, and jobs of three other users for a broker, some of which end early or late.
fn scene(draw: &mut Draw) -> (Vec<Machine>, Vec<Vec<LocalJob>>, Vec<GridJob>) {
    let SchedulerCase { machines, jobs } = SchedulerCase::draw(draw);
    let (machines, local) = machines.into_iter().unzip();
    let owned = |mut job: GridJob| {
        job.job.user = UserId(draw.below(3) as u32);
        job.job.priority = Priority::must(draw.between(1, 3) as f64);
        job.with_actual_share(draw.between(1, 8) as f64 / 4.0)
    };
    (machines, local, jobs.into_iter().map(owned).collect())
}

/// Outages of CPUs of these machines, each of up to 59 seconds.
fn outages(machines: &[Machine], draw: &mut Draw) -> Vec<Outage> {
    let mut outages = Vec::new();
    for (machine, cpus) in machines.iter().map(Machine::cpus).enumerate() {
        for cpu in 0..cpus {
            let mut from = draw.below(200);
            while draw.chance(15) {
                let until = from + draw.between(1, 59);
                let [begins, ends] = [from, until].map(|at| Time::must(at as f64));
                outages.push(Outage { machine, cpu, from: begins, until: ends, announced: draw.chance(50) });
                from = until + draw.below(100);
            }
        }
    }
    outages
}

/// Under both brokers CPUs in use and CPUs that are down are never more than there are, what users pay is what sites
/// earn, and a job that loses its CPU is tried again.
#[test]
fn money_and_time_add_up_under_every_search() {
    drawn(96, |draw| {
        let (machines, local, mut made) = scene(draw);
        let policy = *draw.pick(PolicyKind::ALL).unwrap();
        if draw.chance(50) {
            let times: Vec<Span> = machines.iter().map(|_| span(draw.between(1, 19) as u32)).collect();
            made = made.into_iter().map(|job| job.with_times(times.clone())).collect();
        }
        let outages = outages(&machines, draw);
        let mut cancel = |_| (Time::must(draw.below(200) as f64), JobId(draw.below(made.len()) as u64));
        let cancelled: Vec<(Time, JobId)> = (0..made.len().min(3)).map(&mut cancel).collect();
        let (kind, min_time, extends) =
            (*draw.pick(SearchKind::ALL).unwrap(), draw.chance(50), draw.chance(50));
        let goal = if min_time { Goal::MinTime { budget: None } } else { Goal::MinCost { time_limit: None } };
        let config =
            Config::new(span(500)).with_search(kind).with_goal(goal, 8).with_time(Objective::Runtime);
        let order = Preference::Lexicographic(vec![VectorCriterion::TimeLeft, VectorCriterion::Cost]);
        let mut broker = TwoPhaseBroker::new(match draw.below(4) {
            1 => config.with_preference(Prefer::Makespan),
            2 if min_time => config.with_preference(Prefer::MeanFinish),
            3 => config.with_preference(Prefer::Vector(order)),
            _ => config,
        });
        let interval = span(draw.of([0, 20]));
        let faults = Faults { outages: outages.clone(), cancellations: cancelled.clone() };
        let grid = || {
            let resources = machines.iter().zip(&local).map(|(machine, local)| {
                let resource = Resource::new(SiteId(machine.id.0), "", *machine);
                resource.with_policy(policy.build()).with_local_jobs(local.clone())
            });
            Grid::new(resources.collect())
                .with_interval(interval)
                .with_patience(60)
                .with_faults(faults.clone())
                .with_overrun(if extends { Overrun::Extend(span(3)) } else { Overrun::Kill })
        };
        let moves = draw.of([MovePolicy::Never, MovePolicy::NotLater, MovePolicy::Anywhere]);
        let mut config = Config::new(span(400)).with_search(kind).with_stability(Stability::new(moves));
        if draw.chance(50) {
            config = config.with_preemption(Preemption { least_run: span(5), delay: Span::ZERO });
        }
        if draw.chance(50) {
            config = config.with_goal(goal, 4);
        }
        let live = grid().run_live(&made, config.clone(), &mut Limit::none().meter()).unwrap();
        assert_eq!(live, grid().run_live(&made, config.clone(), &mut Limit::none().meter()).unwrap());
        for (record, job) in live.records.iter().zip(&made) {
            assert!(job.job.request.budget.is_none_or(|budget| record.cost() <= budget));
        }
        let outcome = grid().run(&made, &mut broker, &mut Limit::none().meter()).unwrap();
        assert!(outcome.records.iter().all(|record| record.ending != Ending::Waiting));
        // A run that is stopped, mostly between two events, tells of a job what the whole run tells, or that it waits.
        let (cycles, few) = (draw.below(5) as u64, draw.below(60) as u64);
        let few = |cycle: u64| Limit::none().with_work(cycles * cycle + few).meter();
        let stopped = grid().run(&made, &mut broker, &mut few(Meter::POLL)).unwrap().records;
        let stopped_live = grid().run_live(&made, config, &mut few(50)).unwrap().records;
        for (part, whole) in [(stopped, &outcome.records), (stopped_live, &live.records)] {
            let told = |(part, whole): (&JobRecord, _)| part.ending == Ending::Waiting || part == whole;
            assert!(part.iter().zip(whole).all(told), "{part:?} {whole:?}");
        }
        nobody_is_below_the_bounds(&machines, &made, &outcome.records);
        if live.preempted == 0 {
            nobody_is_below_the_bounds(&machines, &made, &live.records); // of the last runs of jobs
        }
        for (records, local, report) in
            [(&outcome.records, &outcome.local, &outcome.report), (&live.records, &live.local, &live.report)]
        {
            sites_earn_what_users_pay(&machines, &outages, records, local, report);
            endings_are_true(&machines, &made, extends, records);
            for record in records.iter().filter(|record| record.ending == Ending::Cancelled) {
                assert!(cancelled.iter().any(|(_, id)| *id == record.id) && record.cost() == Money::ZERO);
            }
        }
    });
}

/// And no CPU is held twice, or while it is down.
fn sites_earn_what_users_pay(
    machines: &[Machine],
    outages: &[Outage],
    records: &[JobRecord],
    local: &[Vec<JobRecord>],
    report: &Report,
) {
    let paid: f64 = report.users.iter().map(|user| user.paid.get()).sum();
    let earned: f64 = report.sites.iter().map(|site| site.earned.get()).sum();
    assert!((paid - earned).abs() <= 1e-9 * earned.max(1.0), "{} paid, {} earned", paid, earned);
    for (at, (site, local)) in report.sites.iter().zip(local).enumerate() {
        let id = site.site.id;
        let records = || records.iter().chain(local);
        let down = outages.iter().filter(|outage| outage.machine == at);
        let busy = most_busy(id, records(), down.map(|outage| (outage.from, outage.until)));
        assert!(busy <= u64::from(machines[at].cpus()), "{} of {} CPUs of {}", busy, machines[at].cpus(), id);
        let parts = records().flat_map(|record| record.parts.iter().map(move |part| (record, part)));
        let held = parts.filter(|(_, part)| part.site == id);
        let price = machines[at].price;
        let held: f64 =
            held.map(|(record, part)| (part.end - record.start.unwrap()).get() * f64::from(part.cpus)).sum();
        assert!(local.iter().all(|record| record.cost() == Money::ZERO));
        assert!(site.earned.get() <= price.get() * held * (1.0 + 1e-9));
    }
}

fn nobody_is_below_the_bounds(machines: &[Machine], made: &[GridJob], records: &[JobRecord]) {
    // Of the jobs that ran to their end.
    let done = records.iter().zip(made).filter(|(record, _)| record.ending == Ending::Done);
    let (records, done): (Vec<JobRecord>, Vec<&GridJob>) =
        done.map(|(record, job)| (record.clone(), job)).unzip();
    let mut bounds = vec![lower_bounds(machines, done.iter().copied(), true)];
    if records.iter().all(|record| record.parts.len() == 1) {
        bounds.push(lower_bounds(machines, done, false));
        assert!(bounds[0].cost <= bounds[1].cost);
    }
    let mut reached = ReportBuilder::default();
    records.iter().for_each(|record| reached.add(record));
    let reached = reached.build(&[]);
    for bounds in bounds {
        assert!(bounds.cost.get() <= reached.cost.get() * (1.0 + 1e-12), "{:?} {}", bounds, reached.cost);
        assert!(bounds.makespan.get() <= reached.makespan.get() * (1.0 + 1e-12), "{:?}", bounds);
    }
}

fn endings_are_true(machines: &[Machine], made: &[GridJob], extends: bool, records: &[JobRecord]) {
    for (record, job) in records.iter().zip(made) {
        match &record.ending {
            Ending::Done | Ending::Killed => {
                let (start, share) = (record.start.unwrap(), job.actual_share);
                // What may go on is stopped only where others are promised its CPUs.
                let killed = record.ending == Ending::Killed;
                assert!(if killed { share > 1.0 } else { extends || share <= 1.0 }, "{:?}", record);
                assert_eq!(record.parts.iter().map(|part| part.cpus).sum::<u32>(), job.cpus());
                assert!(start >= record.submit);
                // Some searches hold all parts for as long as the slowest takes.
                let asked = record.parts.iter().map(|part| part.site.0 as usize);
                let slowest = asked.map(|at| job.time_on(at, &machines[at]).get()).fold(0.0, f64::max);
                let most = slowest * if extends { share } else { share.min(1.0) };
                assert!((record.end().unwrap() - start).get() <= most * (1.0 + 1e-9), "{:?}", record);
            }
            Ending::Refused(Refusal::TooFewNodes { needed, .. }) => {
                let fast = machines.iter().filter(|machine| machine.speed >= job.job.request.min_speed);
                assert!(*needed > fast.map(|machine| machine.cpus() as usize).sum());
            }
            Ending::Refused(_) | Ending::Cancelled | Ending::Waiting => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn every_broker_passes_the_checks_of_users() {
    Check::new(Schedulers).run(100).unwrap();
}

/// Gives one fixed answer to every question.
#[derive(Debug)]
struct Fixed(Schedule<GridPlace>);
impl BatchScheduler for Fixed {
    fn name(&self) -> &str {
        "fixed"
    }
    fn schedule(
        &mut self,
        _now: Time,
        _jobs: &[&GridJob],
        _offers: &[Offer<'_>],
    ) -> Result<Schedule<GridPlace>, SimError> {
        Ok(self.0.clone())
    }
}

#[test]
fn bad_answers_of_a_scheduler_are_errors_that_name_the_job() {
    let answer = |job, resource, cpus, start| {
        let mut schedule = Schedule::default();
        let part = PlacePart { resource, cpus, span: Span::must(10.0) };
        schedule.decide(JobId(job), Ok(GridPlace { start: Time::must(start), parts: vec![part] })).unwrap();
        Fixed(schedule)
    };
    let message = |mut scheduler: Fixed| {
        let grid = Grid::new(vec![resource(0, 2, 1, 0)]);
        grid.run(&[job(5, 2, 10.0, 60.0)], &mut scheduler, &mut Limit::none().meter())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(message(answer(6, 0, 2, 100.0)), "fixed named job 6, which does not wait");
    assert_eq!(message(answer(5, 0, 2, 99.0)), "fixed placed job 5 at 99: it is already 100");
    assert_eq!(message(answer(5, 0, 1, 100.0)), "fixed placed job 5 at 100: 1 CPU instead of 2");
    assert_eq!(message(answer(5, 1, 2, 100.0)), "fixed placed job 5 at 100: there is no resource 1");

    let short = job(5, 2, 10.0, 0.0).with_times(vec![]);
    let grid = Grid::new(vec![resource(0, 2, 1, 0)]);
    let error = grid.run(&[short], &mut Fixed(Schedule::default()), &mut Limit::none().meter()).unwrap_err();
    assert_eq!(error.to_string(), "the expected times of job 5 must have 1 entries, got 0");
}

#[test]
fn a_job_is_left_waiting_as_often_as_patience_allows() {
    let grid = || Grid::new(vec![resource(0, 2, 1, 0)]).with_patience(3);
    // In immediate mode there is no next interval.
    for (grid, cycles) in [(grid(), 3), (grid().with_interval(Span::ZERO), 1)] {
        let outcome = grid
            .run(&[job(5, 2, 10.0, 0.0)], &mut Fixed(Schedule::default()), &mut Limit::none().meter())
            .unwrap();
        let refused = Ending::Refused(Refusal::NoCapacity);
        assert_eq!((outcome.cycles, &outcome.records[0].ending), (cycles, &refused));
    }
}
