//! The live broker in a grid that is stopped by limits and signals. Random jobs, faults and settings are in
//! [`grid`](crate::grid).

use crate::common::{job, resource, span};
use econsched::testkit::{Stopped, Stops};
use grid_sim::*;
use live_broker::Config;
use sched_model::*;

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

/// Local jobs exceed their requested time as jobs of the grid do: the first of two requests 10 and takes 25. At 20 the
/// second is promised 30, because the first is expected to take as long again.
#[test]
fn local_jobs_are_killed_or_extended_like_others() {
    let local = |id, actual| LocalJob::new(JobId(id), Time::ZERO, 1, span(10), span(actual)).unwrap();
    for (overrun, ending, end, second) in
        [(Overrun::Kill, Ending::Killed, 10.0, 10.0), (Overrun::Extend(span(1)), Ending::Done, 25.0, 30.0)]
    {
        let one = resource(0, 1, 1, 1).with_local_jobs(vec![local(1, 25), local(2, 5)]);
        let grid = Grid::new(vec![one]).with_overrun(overrun);
        let run = grid.run_live(&[], Config::new(span(100)), &mut Limit::none().meter()).unwrap();
        let [long, short] = &run.local[0][..] else { panic!("{:?}", run.local) };
        assert_eq!((&long.ending, long.end().map(Time::get)), (&ending, Some(end)), "{overrun:?}");
        assert_eq!((&short.ending, short.start.map(Time::get)), (&Ending::Done, Some(second)), "{overrun:?}");
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
