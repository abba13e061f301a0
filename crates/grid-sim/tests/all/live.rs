//! The live broker under random jobs, early ends, overruns, outages and cancellations.

use crate::common::{jobs_with_times, machine, most_busy, outages_on, runs, span};
use batch_dp::Goal;
use grid_sim::*;
use live_broker::{Config, MovePolicy, Stability};
use proptest::prelude::*;
use sched_model::*;
use slot_window::SearchKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn station(id: u32, cpus: u32, speed: u32, price: u32) -> (SiteId, String, Machine) {
    (SiteId(id), format!("m{id}"), machine(id, cpus, speed, price))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_cpu_is_used_twice_and_nobody_is_forgotten(
        machines in prop::collection::vec((1u32..4, 1u32..4, 0u32..4), 1..4),
        jobs in prop::collection::vec((0u32..150, 1usize..6, 1u32..60, 0u32..9, 0u32..3), 1..25),
        outages in prop::collection::vec((0usize..3, 0u32..3, 0u32..200, 1u32..60, any::<bool>()), 0..6),
        cancelled in prop::collection::vec((0u32..200, 0usize..25), 0..5),
        kind in prop::sample::select(SearchKind::ALL.to_vec()),
        (policy, goes_on) in (prop::sample::select(vec![MovePolicy::Never, MovePolicy::NotLater, MovePolicy::Anywhere]), any::<bool>()),
        preempts: bool,
        goal in prop::option::of(prop::sample::select(vec![Goal::MinCost { time_limit: None }, Goal::MinTime { budget: None }])),
    ) {
        let sites: Vec<_> = (0..).zip(&machines).map(|(id, &(cpus, speed, price))| station(id, cpus, speed, price)).collect();
        let made: Vec<GridJob> = (0..)
            .zip(&jobs)
            .map(|(id, &(submit, nodes, work, share, budget))| {
                let mut request = ResourceRequest::new(nodes, Work::must(f64::from(work))).unwrap();
                if budget > 0 {
                    request = request.with_budget(Money::must(f64::from(work * budget)));
                }
                let job = Job::new(JobId(id), request).with_submit(Time::must(f64::from(submit)));
                let job = job.with_priority(Priority::must(f64::from(1 + submit % 3)));
                GridJob::new(job).with_actual_share(f64::from(share) / 4.0).unwrap()
            })
            .collect();
        let cpus: Vec<u32> = machines.iter().map(|&(cpus, ..)| cpus).collect();
        let outages = outages_on(&cpus, &outages);
        let cancelled = cancelled.iter().filter(|(_, job)| *job < jobs.len());
        let cancelled = cancelled.map(|&(at, job)| (Time::must(f64::from(at)), JobId(job as u64))).collect();
        let grid = LiveGrid::new(sites)
            .with_outages(outages)
            .with_cancellations(cancelled)
            .with_time_up(if goes_on { TimeUp::GoOn } else { TimeUp::Kill });
        let mut config = Config::new(span(400)).with_search(kind).with_stability(Stability::new(policy));
        if preempts {
            config = config.with_preemption(live_broker::Preemption::new(span(5)));
        }
        if let Some(goal) = goal {
            config = config.with_goal(goal, 4);
        }
        let outcome = grid.run(&made, config.clone()).unwrap();
        prop_assert_eq!(&outcome, &grid.run(&made, config).unwrap());
        let total: usize = machines.iter().map(|&(cpus, ..)| cpus as usize).sum();
        for (record, job) in outcome.records.iter().zip(&made) {
            match &record.ending {
                Ending::Done | Ending::Killed => {
                    prop_assert_eq!(record.parts.iter().map(|part| part.cpus as usize).sum::<usize>(), job.job.request.nodes());
                    prop_assert!(record.start.unwrap() >= record.submit);
                    if let Some(budget) = job.job.request.budget() {
                        prop_assert!(record.cost() <= budget);
                    }
                }
                Ending::Refused(Refusal::TooFewNodes { needed, .. }) => prop_assert!(*needed > total),
                _ => {}
            }
        }
        // CPUs in use, over the last run of each job, never exceed those of the site.
        for (id, &(cpus, ..)) in (0..).zip(&machines) {
            let busy = most_busy(SiteId(id), outcome.records.iter(), std::iter::empty());
            prop_assert!(busy <= i64::from(cpus));
        }
    }
}

/// A job that knows its time on each machine runs for that time: 30 on the slow one, 5 on the fast one.
#[test]
fn expected_times_by_machine_are_kept() {
    let grid = LiveGrid::new(vec![station(0, 1, 1, 1), station(1, 1, 9, 1)]);
    let config = Config::new(span(400)).with_search(SearchKind::MinFinish);
    let outcome = grid.run(&jobs_with_times(), config).unwrap();
    assert_eq!(runs(&outcome.records), [(5.0, 0), (8.0, 1)]);
}

/// Jobs with demands run on machines that meet them, all their CPUs together where they ask for that; beside
/// expected times too. A grid of clusters says that it knows no demands.
#[test]
fn jobs_get_what_they_demand() {
    let named = |name: &str| Features::new().with_label(format!("site={name}"));
    let sites = vec![station(0, 3, 1, 1), station(1, 2, 1, 2), station(2, 4, 1, 9)];
    let grid = LiveGrid::new(sites)
        .with_features(0, named("a"))
        .with_features(1, named("b").with_label("gpu"))
        .with_features(2, named("c").with_label("gpu"));
    let job = |id: u64, cpus: usize| {
        GridJob::new(Job::new(JobId(id), ResourceRequest::new(cpus, Work::must(10.0)).unwrap()))
    };
    let times = vec![span(10), span(20), span(5)];
    let jobs = [
        job(1, 2),
        // One CPU is left at a, two at b: not on both.
        job(2, 3).with_demands(Demands::new().with_pack("site")),
        job(3, 1).with_demands(Demands::new().with_label("gpu")).with_times(times).unwrap(),
        job(4, 5).with_demands(Demands::new().with_pack("site")),
        job(5, 7).with_demands(Demands::new().with_label("gpu")),
    ];
    let config = || Config::new(span(1000));
    let outcome = grid.run(&jobs, config()).unwrap();
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
    #[cfg(feature = "serde")]
    {
        let text = serde_json::to_string(&jobs[2]).unwrap();
        assert_eq!(serde_json::from_str::<GridJob>(&text).unwrap(), jobs[2]);
        assert!(!serde_json::to_string(&jobs[0]).unwrap().contains("demands"));
    }
    let wrong = grid.clone().with_features(3, named("d")).run(&jobs, config());
    assert!(matches!(wrong, Err(SimError::Length { expected: 3, got: 4, .. })), "{wrong:?}");
    let resources = vec![Resource::new(SiteId(0), "a", machine(0, 3, 1, 1))];
    let mut broker = TwoPhaseBroker::new(Box::new(slot_window::Amp::new()), span(1000));
    let refused = Grid::new(resources).run(&jobs[..2], &mut broker);
    assert!(matches!(refused, Err(SimError::Demands { job: JobId(2) })), "{refused:?}");
}

/// A signal stops a run within a cycle of the broker; nothing of that cycle is carried out, as under a limit of
/// the work until then.
#[test]
fn a_signal_is_asked_in_the_cycles_of_the_broker() {
    let sites: Vec<_> = (0..40).map(|id| station(id, 4, 1 + id % 3, 1 + id % 5)).collect();
    let grid = LiveGrid::new(sites);
    let job = |id: u64| {
        let request =
            ResourceRequest::new(3 + id as usize % 20, Work::must(20.0 + (id % 17) as f64)).unwrap();
        GridJob::new(Job::new(JobId(id), request).with_submit(Time::must((id % 9 * 7) as f64)))
    };
    let jobs: Vec<GridJob> = (0..120).map(job).collect();
    let run = |limit: Limit| grid.run_within(&jobs, Config::new(span(400)), &mut limit.meter()).unwrap();
    let whole = run(Limit::without_limit());
    assert!(whole.stopped.is_none() && whole.work > 10_000, "{}", whole.work);
    let mut stopped = 0;
    for questions in [1, 2, 3, 5, 8, 13, 21] {
        let asked = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&asked);
        let signal = StopSignal::when(move || count.fetch_add(1, Ordering::Relaxed) >= questions);
        let limit = Limit::without_limit().with_signal(signal);
        let mut meter = limit.meter();
        let by_signal = grid.run_within(&jobs, Config::new(span(400)), &mut meter).unwrap();
        assert_eq!(by_signal.stopped, Some(End::Signal), "{questions}");
        let by_work = run(Limit::without_limit().with_work(meter.work()));
        assert_eq!(by_work.stopped, Some(End::Work), "{questions}");
        assert_eq!(by_work.records, by_signal.records, "{questions}");
        assert_eq!((by_work.cycles, by_work.work), (by_signal.cycles, by_signal.work), "{questions}");
        stopped += usize::from(meter.work() < whole.work / 2);
    }
    assert!(stopped >= 4, "{stopped}");
}
