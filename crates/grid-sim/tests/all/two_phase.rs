//! The two-phase cycle as a broker: every search and both goals on random grids under local load.

use crate::common::{jobs_with_times, machine, most_busy, outages_on, runs, span};
use batch_dp::{Goal, Preference, VectorCriterion, Weights};
use grid_sim::*;
use live_broker::Prefer;
use proptest::prelude::*;
use sched_model::*;
use slot_window::SearchKind;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// CPUs in use and CPUs that are down are never more than there are, what users pay is what sites earn, and a job
    /// that loses its CPU is tried again.
    #[test]
    fn money_and_time_add_up_under_every_search(
        machines in prop::collection::vec((1u32..5, 1u32..4, 0u32..5), 1..4),
        local in prop::collection::vec((0usize..3, 0u32..100, 1u32..5, 1u32..30), 0..15),
        jobs in prop::collection::vec((0u32..150, 1usize..6, 1u32..60, 0u32..3, 1u32..4, 1u32..5), 1..15),
        outages in prop::collection::vec((0usize..3, 0u32..4, 0u32..150, 1u32..60, any::<bool>()), 0..8),
        cancelled in prop::collection::vec((0u32..200, 0usize..15), 0..4),
        kind in prop::sample::select(SearchKind::ALL.to_vec()),
        (min_time, prefer, extends) in (any::<bool>(), 0usize..4, any::<bool>()),
        interval in prop::sample::select(vec![0u32, 20]),
    ) {
        let cpus: Vec<u32> = machines.iter().map(|&(cpus, ..)| cpus).collect();
        let resources = (0..).zip(&machines).map(|(id, &(cpus, speed, price))| {
            let of = local.iter().filter(|(site, _, wide, _)| site % machines.len() == id as usize && *wide <= cpus);
            let local = (0..).zip(of).map(|(job, &(_, submit, wide, time))| {
                LocalJob::new(JobId(job), Time::must(f64::from(submit)), wide, span(2 * time), span(time)).unwrap()
            });
            Resource::new(SiteId(id), "", machine(id, cpus, speed, price)).with_local_jobs(local.collect())
        });
        let made = (0..).zip(&jobs).map(|(id, &(submit, nodes, work, user, priority, quarters))| {
            let request = ResourceRequest::new(nodes, Work::must(f64::from(work))).unwrap();
            let job = Job::new(JobId(id), request.with_price_limit(Price::must(f64::from(2 + user))))
                .with_submit(Time::must(f64::from(submit)))
                .with_user(UserId(user))
                .with_priority(Priority::must(f64::from(priority)));
            GridJob::new(job).with_actual_share(f64::from(quarters) / 4.0).unwrap()
        });
        let made: Vec<GridJob> = made.collect();
        // Of each CPU in order, none beginning before the one before has ended.
        let mut outages = outages_on(&cpus, &outages);
        outages.sort_by_key(|outage| (outage.machine, outage.cpu, outage.from));
        outages.dedup_by(|later, before| {
            (later.machine, later.cpu) == (before.machine, before.cpu) && later.from < before.until
        });
        let cancelled = cancelled.iter().filter(|(_, job)| *job < jobs.len());
        let cancelled: Vec<(Time, JobId)> =
            cancelled.map(|&(at, job)| (Time::must(f64::from(at)), JobId(job as u64))).collect();
        let goal = if min_time { Goal::MinTime { budget: None } } else { Goal::MinCost { time_limit: None } };
        let mut broker = TwoPhaseBroker::new(kind.build(), span(500)).with_goal(goal).with_max_alternatives(8);
        let order = Preference::Lexicographic(vec![VectorCriterion::TimeLeft, VectorCriterion::Cost]);
        broker = match prefer {
            1 => broker.with_preference(Prefer::Makespan),
            2 if min_time => broker.with_preference(Prefer::MeanFinish),
            3 => broker.with_preference(Prefer::Vector(order)),
            _ => broker,
        };
        let grid = Grid::new(resources.collect())
            .with_interval(span(interval))
            .with_patience(60)
            .with_outages(outages.clone())
            .with_cancellations(cancelled.clone())
            .with_overrun(if extends { Overrun::Extend(span(3)) } else { Overrun::Kill });
        let outcome = grid.run(&made, &mut broker).unwrap();
        let paid: f64 = outcome.report.users.iter().map(|user| user.paid.get()).sum();
        let earned: f64 = outcome.resources.iter().map(|resource| resource.earned.get()).sum();
        prop_assert!((paid - earned).abs() <= 1e-9 * earned.max(1.0), "{} paid, {} earned", paid, earned);
        for (at, resource) in outcome.resources.iter().enumerate() {
            let records = || outcome.records.iter().chain(&resource.local);
            let down = outages.iter().filter(|outage| outage.machine == at);
            let busy = most_busy(resource.site, records(), down.map(|outage| (outage.from, outage.until)));
            prop_assert!(busy <= i64::from(cpus[at]), "{} of {} CPUs of {}", busy, cpus[at], resource.site);
            let parts = records().flat_map(|record| record.parts.iter().map(move |part| (record, part)));
            let held = parts.filter(|(_, part)| part.site == resource.site);
            let held: f64 =
                held.map(|(record, part)| (part.end - record.start.unwrap()).get() * f64::from(part.cpus)).sum();
            // A run that an outage ended is in no record.
            prop_assert!(resource.used.get() - held >= -1e-6 * held.max(1.0));
            prop_assert!(!outages.is_empty() || resource.used.get() - held <= 1e-6 * held.max(1.0));
        }
        for (record, job) in outcome.records.iter().zip(&made) {
            let given_up = cancelled.iter().any(|(_, id)| *id == record.id);
            match &record.ending {
                Ending::Done => {
                    let used: usize = record.parts.iter().map(|part| part.cpus as usize).sum();
                    prop_assert_eq!(used, job.job.request.nodes());
                    prop_assert!(record.start.unwrap() >= record.submit);
                }
                Ending::Cancelled => prop_assert!(given_up && record.cost() == Money::ZERO),
                Ending::Refused(Refusal::TooFewNodes { needed, .. }) => {
                    prop_assert!(*needed > cpus.iter().sum::<u32>() as usize);
                }
                Ending::Refused(_) => {}
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}

/// A job that knows its time on each machine runs for that time: 5 on the slow one, 8 on the fast one.
#[test]
fn expected_times_by_resource_are_kept() {
    let resource = |id: u32, speed: u32| Resource::new(SiteId(id), "", machine(id, 1, speed, 1));
    let mut broker = TwoPhaseBroker::new(SearchKind::MinFinish.build(), Span::must(100.0));
    let grid = Grid::new(vec![resource(0, 1), resource(1, 9)]);
    let outcome = grid.run(&jobs_with_times(), &mut broker).unwrap();
    assert_eq!(runs(&outcome.records), [(5.0, 0), (8.0, 1)]);
}

/// Four slow cheap CPUs (60 s for 60) and a fast dear one (20 s for 120), up to 60. The jobs have 4 and 3
/// alternatives, two of each slow: T* is 40 + 46, rounded down, which allows one of them.
#[test]
fn the_goals_choose_apart() {
    let resource = |id, cpus, speed, price| Resource::new(SiteId(id), "", machine(id, cpus, speed, price));
    let run = |goal, prefer: Option<Prefer>| {
        let request = ResourceRequest::new(1, Work::must(60.0)).unwrap().with_budget(Money::must(500.0));
        let search = SearchKind::MinStart.build();
        let mut broker = TwoPhaseBroker::new(search, span(60)).with_goal(goal);
        if let Some(prefer) = prefer {
            broker = broker.with_preference(prefer);
        }
        let jobs = [1, 2].map(|id| GridJob::new(Job::new(JobId(id), request)));
        let resources = vec![resource(0, 4, 1, 1), resource(1, 1, 3, 6)];
        let outcome = Grid::new(resources).run(&jobs, &mut broker).unwrap();
        let runtime: f64 = outcome.records.iter().map(|record| record.runtime().unwrap().get()).sum();
        (outcome.report.cost.get(), runtime)
    };
    let (cost, time) = (Goal::MinCost { time_limit: None }, Goal::MinTime { budget: None });
    assert_eq!((run(cost, None), run(time, None)), ((180.0, 80.0), (240.0, 40.0)));
    // <C, D, T, I>: first the time, although the goal is the cost; first the cost, within B* = 240; and both
    // with equal weights, where 120 + 120 is less than 180 + 80 and 240 + 40.
    let order = |order: &[VectorCriterion]| Some(Prefer::Vector(Preference::Lexicographic(order.to_vec())));
    assert_eq!(run(cost, order(&[VectorCriterion::Time, VectorCriterion::Cost])), (240.0, 40.0));
    assert_eq!(run(time, order(&[VectorCriterion::Cost])), (120.0, 120.0));
    assert_eq!(run(cost, order(&[VectorCriterion::BudgetLeft])), (180.0, 80.0));
    let equal = Weights { cost: 1.0, time: 1.0, ..Weights::default() };
    assert_eq!(run(time, Some(Prefer::Vector(Preference::Weighted(equal)))), (120.0, 120.0));
    // Both on the fast CPU end at 40 at the latest, and on average before any other two.
    assert_eq!(run(cost, Some(Prefer::Makespan)), (240.0, 40.0));
    assert_eq!(run(time, Some(Prefer::MeanFinish)), (240.0, 40.0));
}

/// Job 1 runs on the slow CPU and on the fast one, which is done with its part at 6; the slow one fails at 8.
/// What was paid is returned, and both parts run again when the CPU is back. Job 2 is given up at 10.
#[test]
fn a_job_that_loses_a_cpu_is_tried_again() {
    let job =
        |id, nodes| GridJob::new(Job::new(JobId(id), ResourceRequest::new(nodes, Work::must(12.0)).unwrap()));
    let search = || SearchKind::Amp.build();
    for announced in [true, false] {
        let (from, until) = (Time::must(8.0), Time::must(30.0));
        let resources =
            [(0, 1), (1, 2)].map(|(id, speed)| Resource::new(SiteId(id), "", machine(id, 1, speed, 1)));
        let grid = Grid::new(resources.into())
            .with_interval(span(5))
            .with_outages(vec![Outage { machine: 0, cpu: 0, from, until, announced }])
            .with_cancellations(vec![(Time::must(10.0), JobId(2))]);
        let mut broker = TwoPhaseBroker::new(search(), span(500));
        let outcome = grid.run(&[job(1, 2), job(2, 1)], &mut broker).unwrap();
        let [one, two] = outcome.records.as_slice() else { panic!("two jobs") };
        assert_eq!((one.start, &one.ending), (Some(until), &Ending::Done));
        assert_eq!((one.cost(), two.cost()), (Money::must(18.0), Money::ZERO));
        assert_eq!(two.ending, Ending::Cancelled);
        assert_eq!(outcome.resources.iter().map(|resource| resource.earned.get()).sum::<f64>(), 18.0);
    }
}

/// A reservation of the grid is of some CPUs of a machine, and each cycle lays what is free of them out anew,
/// in pieces as long as they can be. A broker with nodes for life keeps each promise on its node, and what is
/// free lies around it: hence one cycle of a broker for each interval here.
#[test]
fn what_is_free_is_laid_out_anew_in_each_cycle() {
    let job = |id, submit: f64, work| {
        let request = ResourceRequest::new(1, Work::must(work)).unwrap();
        GridJob::new(Job::new(JobId(id), request).with_submit(Time::must(submit)))
    };
    // Jobs 1 and 2 run from 0 to 100, jobs 3 and 4 follow them; 1 and 4 are given up. On nodes with names the
    // first is free up to 100, the second from 100 on; one of two CPUs is free all the time.
    let jobs =
        [job(1, 0.0, 100.0), job(2, 0.0, 100.0), job(3, 0.0, 100.0), job(4, 0.0, 100.0), job(5, 2.0, 150.0)];
    let cancelled = vec![(Time::must(1.0), JobId(1)), (Time::must(1.0), JobId(4))];
    let search = SearchKind::Amp.build();
    let mut broker = TwoPhaseBroker::new(search, span(1000)).with_max_alternatives(1);
    let grid = Grid::new(vec![Resource::new(SiteId(0), "", machine(0, 2, 1, 1))]);
    let grid = grid.with_interval(span(5)).with_cancellations(cancelled.clone());
    let anew = grid.run(&jobs, &mut broker).unwrap();
    let for_life = LiveGrid::new(vec![(SiteId(0), String::new(), machine(0, 2, 1, 1))]);
    let config = live_broker::Config::new(span(1000)).with_interval(span(5));
    let for_life = for_life.with_cancellations(cancelled).run(&jobs, config).unwrap();
    let starts = |records: &[JobRecord]| records.iter().map(|record| record.start).collect::<Vec<_>>();
    let at = |time: f64| Some(Time::must(time));
    assert_eq!(starts(&anew.records)[1..3], [at(0.0), at(100.0)]);
    assert_eq!(starts(&for_life.records)[1..3], [at(0.0), at(100.0)]);
    assert_eq!((anew.records[4].start, for_life.records[4].start), (at(5.0), at(100.0)));
}
