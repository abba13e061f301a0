//! The two-phase cycle as a broker: every search and both goals on random grids under local load.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test stops at the first surprise

use batch_dp::Goal;
use grid_sim::*;
use proptest::prelude::*;
use sched_model::*;
use slot_window::{SearchKind, SearchOptions};

fn span(seconds: u32) -> Span {
    Span::must(f64::from(seconds))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn money_and_time_add_up_under_every_search(
        machines in prop::collection::vec((1u32..5, 1u32..4, 1u32..5), 1..4),
        local in prop::collection::vec((0usize..3, 0u32..100, 1u32..5, 1u32..30), 0..15),
        jobs in prop::collection::vec((0u32..150, 1usize..6, 1u32..60, 0u32..3, 1u32..4), 1..15),
        kind in prop::sample::select(SearchKind::ALL.to_vec()),
        min_time: bool,
        early in 1u32..4,
    ) {
        let mut resources = Vec::new();
        for (at, &(cpus, speed, price)) in machines.iter().enumerate() {
            let id = at as u32;
            let (speed, price) = (Speed::must(f64::from(speed)), Price::must(f64::from(price)));
            let machine = Machine::new(MachineId(id), cpus, speed, price).unwrap();
            let local: Vec<LocalJob> = (0..)
                .zip(&local)
                .filter(|(_, (site, _, wide, _))| site % machines.len() == at && *wide <= cpus)
                .map(|(job, &(_, submit, wide, time))| {
                    let submit = Time::must(f64::from(submit));
                    LocalJob::new(JobId(job), submit, wide, span(2 * time), span(time)).unwrap()
                })
                .collect();
            resources.push(Resource::new(SiteId(id), "", machine).with_local_jobs(local));
        }
        let total: usize = machines.iter().map(|&(cpus, ..)| cpus as usize).sum();
        let jobs: Vec<GridJob> = (0..)
            .zip(&jobs)
            .map(|(id, &(submit, nodes, work, user, priority))| {
                let work = Work::must(f64::from(work));
                let request =
                    ResourceRequest::new(nodes, work).unwrap().with_price_limit(Price::must(f64::from(2 + user)));
                let job = Job::new(JobId(id), request)
                    .with_submit(Time::must(f64::from(submit)))
                    .with_user(UserId(user))
                    .with_priority(Priority::must(f64::from(priority)));
                GridJob::new(job).with_actual_share(1.0 / f64::from(early)).unwrap()
            })
            .collect();
        let goal = if min_time { Goal::MinTime { budget: None } } else { Goal::MinCost { time_limit: None } };
        let search = kind.build(&SearchOptions::new()).unwrap();
        let mut broker = TwoPhaseBroker::new(search, span(500)).with_goal(goal).with_max_alternatives(8);
        let grid = Grid::new(resources).with_interval(span(20)).with_patience(30);
        let outcome = grid.run(&jobs, &mut broker).unwrap();
        let paid: f64 = outcome.report.users.iter().map(|user| user.paid.get()).sum();
        let earned: f64 = outcome.resources.iter().map(|resource| resource.earned.get()).sum();
        prop_assert!((paid - earned).abs() <= 1e-9 * earned);
        for resource in &outcome.resources {
            let held: f64 = outcome
                .records
                .iter()
                .chain(&resource.local)
                .flat_map(|record| record.parts.iter().map(move |part| (record, part)))
                .filter(|(_, part)| part.site == resource.site)
                .map(|(record, part)| (part.end - record.start.unwrap()).get() * f64::from(part.cpus))
                .sum();
            prop_assert!((held - resource.used.get()).abs() <= 1e-6 * held.max(1.0));
        }
        for (record, job) in outcome.records.iter().zip(&jobs) {
            match &record.ending {
                Ending::Done => {
                    prop_assert_eq!(record.parts.iter().map(|part| part.cpus as usize).sum::<usize>(), job.job.request.nodes());
                    prop_assert!(record.start.unwrap() >= record.submit);
                }
                Ending::Refused(Refusal::TooFewNodes { needed, .. }) => prop_assert!(*needed > total),
                Ending::Refused(_) => {}
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}

/// A job that knows its time on each machine runs for that time: 5 on the slow one, 8 on the fast one.
#[test]
fn expected_times_by_resource_are_kept() {
    let request = ResourceRequest::new(1, Work::must(7.0)).unwrap();
    let job = |id: u64, times: [f64; 2]| {
        let times = times.map(Span::must).to_vec();
        GridJob::new(Job::new(JobId(id), request)).with_times(times).unwrap()
    };
    let machine = |id: u32, speed: f64| {
        let machine = Machine::new(MachineId(id), 1, Speed::must(speed), Price::must(1.0)).unwrap();
        Resource::new(SiteId(id), "", machine)
    };
    let mut broker =
        TwoPhaseBroker::new(SearchKind::MinFinish.build(&SearchOptions::new()).unwrap(), Span::must(100.0));
    let grid = Grid::new(vec![machine(0, 1.0), machine(1, 9.0)]);
    let outcome = grid.run(&[job(1, [5.0, 30.0]), job(2, [30.0, 8.0])], &mut broker).unwrap();
    let runs: Vec<(f64, u32)> = outcome
        .records
        .iter()
        .map(|record| (record.runtime().unwrap().get(), record.parts[0].site.0))
        .collect();
    assert_eq!(runs, [(5.0, 0), (8.0, 1)]);
}

/// Four slow cheap CPUs (60 s for 60) and a fast dear one (20 s for 120), up to 60. The jobs have 4 and 3 alternatives,
/// two of each slow: T* is 40 + 46, rounded down, which allows one of them.
#[test]
fn the_goals_choose_apart() {
    let machine = |id, cpus, speed, price| {
        let machine = Machine::new(MachineId(id), cpus, Speed::must(speed), Price::must(price)).unwrap();
        Resource::new(SiteId(id), "", machine)
    };
    let run = |goal| {
        let request = ResourceRequest::new(1, Work::must(60.0)).unwrap().with_budget(Money::must(500.0));
        let search = SearchKind::MinStart.build(&SearchOptions::new()).unwrap();
        let mut broker = TwoPhaseBroker::new(search, span(60)).with_goal(goal);
        let jobs = [1, 2].map(|id| GridJob::new(Job::new(JobId(id), request)));
        let resources = vec![machine(0, 4, 1.0, 1.0), machine(1, 1, 3.0, 6.0)];
        let outcome = Grid::new(resources).run(&jobs, &mut broker).unwrap();
        let runtime: f64 = outcome.records.iter().map(|record| record.runtime().unwrap().get()).sum();
        (outcome.report.cost.get(), runtime)
    };
    let (cheap, quick) = (run(Goal::MinCost { time_limit: None }), run(Goal::MinTime { budget: None }));
    assert_eq!((cheap, quick), ((180.0, 80.0), (240.0, 40.0)));
}
