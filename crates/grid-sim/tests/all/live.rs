//! The live broker in a grid: demands, failures, signals. Random jobs, faults and settings are in
//! [`grid`](crate::grid).

use crate::common::{job, resource, span};
use econsched::testkit::{Stopped, Stops};
use grid_sim::*;
use live_broker::Config;
use sched_model::*;

/// Jobs with demands run on machines that meet them, all their CPUs together where they ask for that; beside
/// expected times too. A grid of clusters says that it knows no demands.
#[test]
fn jobs_get_what_they_demand() {
    let named = |name: &str| Features::default().with_label(format!("site={name}"));
    let grid = Grid::new(vec![
        resource(0, 3, 1, 1).with_features(named("a")),
        resource(1, 2, 1, 2).with_features(named("b").with_label("gpu")),
        resource(2, 4, 1, 9).with_features(named("c").with_label("gpu")),
    ]);
    let job = |id: u64, cpus: usize, demands: Demands| {
        let mut job = job(id, cpus, 10.0, 0.0);
        job.job.request = job.job.request.with_demands(demands);
        job
    };
    let (pack, gpu) = (|| Demands::default().with_pack("site"), || Demands::default().with_label("gpu"));
    let times = vec![span(10), span(20), span(5)];
    let jobs = [
        job(1, 2, Demands::default()),
        // One CPU is left at a, two at b: not on both.
        job(2, 3, pack()),
        job(3, 1, gpu()).with_times(times),
        job(4, 5, pack()),
        job(5, 7, gpu()),
    ];
    let config = || Config::new(span(1000));
    let outcome = grid.run_live(&jobs, config(), &mut Limit::none().meter()).unwrap();
    let places: Vec<Vec<u32>> =
        outcome.records.iter().map(|record| record.parts.iter().map(|part| part.site.0).collect()).collect();
    assert_eq!(places[..3], [vec![0], vec![2], vec![1]]);
    assert_eq!(outcome.records[2].ending, Ending::Done);
    assert_eq!(outcome.records[2].parts[0].end, Time::must(20.0));
    // No machine has five CPUs, so the job waits for ever. Only six CPUs have the label, so a job of seven
    // waits for ever, too.
    assert_eq!(outcome.records[3].ending, Ending::Waiting);
    let refused = Ending::Refused(Refusal::TooFewNodes { needed: 7, fast_enough: 6 });
    assert_eq!(outcome.records[4].ending, refused);
    let mut broker = TwoPhaseBroker::new(config());
    let refused =
        Grid::new(vec![resource(0, 3, 1, 1)]).run(&jobs[..2], &mut broker, &mut Limit::none().meter());
    assert!(matches!(refused, Err(SimError::Demands { job: JobId(2) })), "{refused:?}");
}

/// The job runs on a slow CPU to 12, on a fast one to 6. Where the fast one fails at 6 that part has ended; where it
/// fails before, the job begins anew.
#[test]
fn a_cpu_that_fails_when_its_part_ends_takes_nothing_with_it() {
    let start = |from: f64| {
        let (from, until) = (Time::must(from), Time::must(30.0));
        let outages = vec![Outage { machine: 1, cpu: 0, from, until, announced: true }];
        let grid = Grid::new(vec![resource(0, 1, 1, 1), resource(1, 1, 2, 1)])
            .with_faults(Faults { outages, ..Faults::default() });
        let jobs = [job(1, 2, 12.0, 0.0)];
        let outcome = grid.run_live(&jobs, Config::new(span(400)), &mut Limit::none().meter()).unwrap();
        assert_eq!(outcome.records[0].ending, Ending::Done);
        outcome.records[0].start
    };
    assert_eq!(start(6.0), Some(Time::ZERO));
    assert!(start(5.0) >= Some(Time::must(30.0)));
}

/// A job that has lost its CPU, or was stopped for another, waits again, and a run that is stopped then says so.
#[test]
fn who_has_run_in_vain_waits_when_the_run_is_stopped() {
    let outage =
        Outage { machine: 0, cpu: 0, from: Time::must(5.0), until: Time::must(1e4), announced: true };
    let faults = |outages| Faults { outages, ..Faults::default() };
    let mut urgent = job(2, 1, 1e3, 5.0);
    urgent.job.priority = Priority::must(9.0);
    let rule = live_broker::Preemption { least_run: Span::ZERO, delay: Span::ZERO };
    let config = Config::new(span(100_000)).with_preemption(rule);
    // At 2 one comes that is refused.
    let two = vec![job(1, 1, 10.0, 0.0), job(3, 2, 10.0, 2.0)];
    let three = [two.clone(), vec![urgent]].concat();
    for (jobs, faults) in [(two, faults(vec![outage])), (three, faults(vec![]))] {
        let grid = Grid::new(vec![resource(0, 1, 1, 1)]).with_faults(faults);
        let runs = (1..100).map(|work| {
            let mut meter = Limit::none().with_work(work).meter();
            grid.run_live(&jobs, config.clone(), &mut meter).unwrap()
        });
        let five = Some(Time::must(5.0));
        let stopped: Vec<LiveOutcome> =
            runs.filter(|run| run.stopped.is_some() && run.records[0].end() <= five).collect();
        let seen = |start, end| {
            stopped.iter().any(|run| (run.records[0].start, run.records[0].end()) == (start, end))
        };
        // Not begun, running, and in vain.
        let start = Some(Time::ZERO);
        assert!(seen(None, None) && seen(start, None) && seen(start, five));
        assert!(stopped.iter().all(|run| run.records[0].ending == Ending::Waiting));
    }
}

/// A signal stops a run within a cycle of the broker; nothing of that cycle is carried out, as under a limit of
/// the work until then.
#[test]
fn a_signal_is_asked_in_the_cycles_of_the_broker() {
    let sites: Vec<_> = (0..40).map(|id| resource(id, 4, 1 + id % 3, 1 + id % 5)).collect();
    let grid = Grid::new(sites);
    let job = |id: u64| job(id, 3 + id as usize % 20, 20.0 + (id % 17) as f64, (id % 9 * 7) as f64);
    let jobs: Vec<GridJob> = (0..120).map(job).collect();
    let mut stopped = Vec::new();
    for questions in [1, 2, 3, 5, 8, 13, 21] {
        let mut run = |limit: &Limit| {
            let mut meter = limit.meter();
            let found = grid.run_live(&jobs, Config::new(span(400)), &mut meter).unwrap();
            let (work, end) = (meter.work(), found.stopped.unwrap_or(End::Done));
            stopped.extend((end == End::Signal).then_some(work));
            let answer = format!("{:?} after {} cycles and {}", found.records, found.cycles, found.work);
            Ok(Stopped { rank: 0.0, value: None, bound: None, work, end, answer })
        };
        let whole = Stops { questions, ..Stops::default() }.check(u64::MAX, &mut run).unwrap();
        assert!(whole.end == End::Done && whole.work > 10_000, "{}", whole.work);
        stopped.retain(|work| *work < whole.work / 2);
    }
    assert!(stopped.len() >= 4, "{stopped:?}");
}

/// A CPU that is down already does not fail again: it is back when its first outage ends.
#[test]
fn outages_that_overlap_are_those_that_begin_while_the_cpu_is_up() {
    for (later, earlier) in [((5.0, 8.0), 20.0), ((5.0, 30.0), 10.0)] {
        let down = |(from, until): (f64, f64)| Outage {
            machine: 0,
            cpu: 0,
            from: Time::must(from),
            until: Time::must(until),
            announced: false,
        };
        let outages = vec![down(later), down((0.0, earlier))];
        let jobs = [job(1, 1, 3.0, 1.0)];
        let grid = || {
            let faults = Faults { outages: outages.clone(), ..Faults::default() };
            Grid::new(vec![resource(0, 1, 1, 1)]).with_faults(faults)
        };
        let config = || Config::new(span(400));
        let live = grid().run_live(&jobs, config(), &mut Limit::none().meter()).unwrap();
        assert_eq!(live.records[0].start, Some(Time::must(earlier)));
        let mut broker = TwoPhaseBroker::new(config());
        let cycles = grid().with_interval(span(1)).with_patience(60);
        let cycles = cycles.run(&jobs, &mut broker, &mut Limit::none().meter()).unwrap();
        assert_eq!(cycles.records[0].start, Some(Time::must(earlier)));
    }
}
