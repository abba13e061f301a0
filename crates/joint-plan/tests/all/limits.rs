//! Limits of work, signals, limits of batches, extreme numbers, and seeds.

use crate::drawn::{instance, measure, near, plan, planned, planner};
use econsched::testkit::{Stopped, Stops};
use joint_plan::{Goal, Plan, PlanProblem, Planner as _};
use sched_model::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;

/// Nor do an observer and the work that a meter counted before change anything.
#[test]
fn a_signal_stops_as_the_limit_of_work_does_and_more_work_is_never_worse() {
    let parts: Vec<u32> = (1..7).map(|part| part * 1_000_000 / 7).collect();
    for seed in 0..40 {
        let stops = Stops { parts: parts.clone(), works: Vec::new(), questions: seed % 4 };
        let instance = instance(seed);
        let run = |meter: &mut Meter| {
            let Outcome { best, value, work, end, .. } = planner().solve(&instance.problem(), meter)?;
            let schedule = best.unwrap().schedule;
            let (rank, answer) = (-(schedule.placed().count() as f64), format!("{schedule:?}"));
            Ok(Stopped { rank, value, bound: None, work, end, answer })
        };
        let checked = stops.check(Limit::default().work, |limit| Stopped::within(limit, run));
        checked.unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
        for problem in [instance.problem(), instance.problem().with_makespan_first()] {
            let mut used = near().with_work(42_000_000).meter();
            used.spend(40_000_000).unwrap();
            let found = planner().solve(&problem, &mut used).unwrap();
            assert_eq!(found, planned(&problem, &near().with_work(2_000_000)), "seed {seed}");
        }
    }
}

/// A gap only ends the search: with a smaller one the same steps are taken, and then others. One that is not reached
/// changes nothing, and none is reached while a job is left out.
#[test]
fn a_smaller_gap_is_never_worse_and_no_less_work() {
    let (mut better, mut proven, mut left_out) = (0, 0, 0);
    for seed in 0..24 {
        let instance = instance(seed);
        for problem in [instance.problem(), instance.problem().with_makespan_first()] {
            let found = |gap| {
                let (tell, told) = channel();
                let limit = Limit::default().with_work(2_000_000).with_relative_gap(gap);
                let told_of = move |progress: Progress| tell.send(format!("{progress:?}")).unwrap_or(());
                let outcome = planner().solve(&problem, &mut limit.meter().with_observer(told_of)).unwrap();
                (outcome, told.try_iter().collect::<Vec<_>>())
            };
            let all = [0.5, 0.1, 0.01, 0.0].map(found);
            for pair in all.windows(2) {
                let [(less, steps), (more, all_steps)] = pair else { unreachable!() };
                assert!(all_steps.starts_with(steps), "seed {seed}: {less}, then {more}");
                assert!(measure(more) <= measure(less), "seed {seed}: {less}, then {more}");
                assert!(more.work >= less.work, "seed {seed}: {less}, then {more}");
                assert!(less.end == End::Gap || less == more, "seed {seed}: {less}, then {more}");
                let leaves_out = plan(less).left_out > 0 && plan(less).makespan_bound.is_none();
                assert!(!leaves_out || less == more, "seed {seed}: {less}, then {more}");
                left_out += usize::from(leaves_out);
                better += usize::from(measure(more) < measure(less));
                proven += usize::from(more.gap() < less.gap());
            }
        }
    }
    assert!(better > 4 && proven > 20 && left_out > 3, "{better} {proven} {left_out}");
}

/// A list of this many nodes, each free once.
fn many_nodes(count: u32) -> SlotList {
    let slot = |id: u32| {
        let node = Node::must(id, f64::from(1 + id % 3), f64::from(1 + id * 7919 % 1000));
        Slot::new(node, Time::must(f64::from(id % 50)), Time::must(f64::from(60 + id % 7))).unwrap()
    };
    SlotList::new((0..count).map(slot).collect()).unwrap()
}

/// A signal ends a cycle, a search under prices and a choice at once. As under a limit equal to the work until
/// then, nothing of the interrupted part is used.
#[test]
fn a_signal_is_obeyed_within_a_part_of_the_plan() {
    let slots = many_nodes(20_000);
    let job = |id| Job::new(JobId(id), ResourceRequest::must(5, 20.0));
    let batch = Batch::new((0..6).map(job).collect()).unwrap();
    let problem = PlanProblem::new(&slots, &batch, Goal::MinCost { time_limit: None });
    let mut stopped = 0;
    for questions in [0, 1, 2, 4, 8, 16, 40, 100, 200, 300, 500] {
        let found = |limit: Limit| planned(&problem, &limit);
        let asked = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&asked);
        let signal = move || count.fetch_add(1, Ordering::Relaxed) >= questions;
        let by_signal = found(Limit::default().with_signal(signal));
        if by_signal.end != End::Signal {
            continue;
        }
        stopped += 1;
        // The signal is checked at most once more per thread than necessary.
        assert!(asked.load(Ordering::Relaxed) <= questions + 40, "{questions}: {asked:?}");
        // The first cycle counts a unit for each slot and job.
        assert!(questions > 16 || by_signal.work < 6 * 20_000, "{questions}: {}", by_signal.work);
        let by_work = found(Limit::default().with_work(by_signal.work));
        assert_eq!(by_work.work, by_signal.work, "{questions}");
        assert_eq!((by_work.best, by_work.bound), (by_signal.best, by_signal.bound), "{questions}");
    }
    assert!(stopped >= 8, "{stopped}");
}

/// The search for the reasons of jobs without windows has a limit of its own.
#[test]
fn reasons_have_a_limit() {
    let slots = many_nodes(120_000);
    let request = ResourceRequest::must(3, 20.0).with_budget(Money::must(1.0));
    let poor = |id| Job::new(JobId(id), request.clone());
    let found = |jobs: u64, work: u64| {
        let batch = Batch::new((0..jobs).map(poor).collect()).unwrap();
        let problem = PlanProblem::new(&slots, &batch, Goal::MinCost { time_limit: None });
        planned(&problem, &Limit::none().with_work(work)).best.unwrap()
    };
    let told = |plan: &Plan| {
        plan.schedule.refused().filter(|(_, reason)| !matches!(reason, Refusal::Stopped)).count()
    };
    let (few, many) = (found(4, 4_000_000), found(4, 100_000_000));
    assert_eq!((few.unplaceable, told(&many)), (4, 4));
    assert!(told(&few) < 4);
}

/// The task of job 1 would end at the instant at which it starts, so it has no window; that is no error, also where the
/// limit ends the search before that is known.
#[test]
fn a_task_that_is_too_short_is_no_error_at_any_limit() {
    let node = Node::must(1, 1.0, 1.0);
    let slots = SlotList::from_nodes(&[node], &[], Time::must(4.0), Time::must(10.0)).unwrap();
    let job = |id, work| Job::new(JobId(id), ResourceRequest::must(1, work));
    let batch = Batch::new(vec![job(1, 1e-200), job(2, 1.0)]).unwrap();
    let problem = PlanProblem::new(&slots, &batch, Goal::MinCost { time_limit: Some(5.0) })
        .with_user_budgets([(UserId(0), 5.0)]);
    for work in 0..300 {
        let found = planner().solve(&problem, &mut Limit::default().with_work(work).meter());
        assert!(found.is_ok(), "{work}: {found:?}");
    }
    let plan = planned(&problem, &Limit::default()).best.unwrap();
    let nowhere = Refusal::Horizon { needed: 1, most: 0 };
    assert_eq!(plan.schedule.refused().collect::<Vec<_>>(), [(JobId(1), &nowhere)]);
}

#[test]
fn a_limit_that_is_no_number_is_refused() {
    let instance = instance(1);
    let goal = Goal::MinCost { time_limit: Some(f64::NAN) };
    assert!(joint_plan::plan(&PlanProblem::new(&instance.slots, &instance.batch, goal)).is_err());
}

/// Seeds are fixed: the number is measured.
#[test]
fn shuffled_orders_are_the_same_for_the_same_seed_and_place_no_fewer_jobs() {
    let mut worse = 0;
    for seed in 0..40 {
        let instance = instance(seed);
        let found = |shuffled| {
            let mut planner = planner();
            (planner.seed, planner.shuffled) = (6, shuffled);
            planner.solve(&instance.problem(), &mut near().with_work(300_000).meter()).unwrap()
        };
        let (plain, shuffled) = (found(0), found(6));
        assert_eq!(shuffled, found(6));
        assert!(measure(&shuffled).0 <= measure(&plain).0, "seed {seed}");
        worse += usize::from(measure(&shuffled) > measure(&plain));
    }
    assert!(worse < 9, "{worse}");
}

/// If its share of the work stops a plan before it has placed all jobs, that plan does not decide which jobs are
/// left out.
#[test]
fn what_is_left_out_is_counted_in_the_plan_that_is_returned() {
    let node = Node::must(1, 1.0, 1.25);
    let slots = SlotList::from_nodes(&[node], &[], Time::must(2.0), Time::must(16.0)).unwrap();
    let job = |(id, work, deadline)| {
        Job::new(JobId(id), ResourceRequest::must(1, work).with_deadline(Time::must(deadline)))
    };
    let jobs = [(1, 12.0, 99.0), (2, 1.0, 8.0), (3, 7.0, 99.0), (4, 2.0, 15.0)].map(job);
    let batch = Batch::new(jobs.into()).unwrap();
    for work in 0..200 {
        let limit = Limit::default().with_work(work);
        let problem = PlanProblem::new(&slots, &batch, Goal::MaxIncome { time_limit: Some(22.0) });
        let plan = planned(&problem.with_from(Time::ZERO).with_makespan_first(), &limit).best.unwrap();
        let placed = plan.schedule.placed().count();
        assert_eq!(placed + plan.left_out + plan.unplaceable, 4, "work {work}");
    }
}
