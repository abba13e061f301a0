//! Cases by hand: jobs left out, ties, penalties, users, and an earlier choice.

use crate::asked::{paid, select, within};
use batch_dp::*;
use econsched::testkit::Draw;
use sched_model::{End, Limit, Progress};
use std::sync::mpsc;

/// If cost and time differ by a constant, the cheapest jobs are the shortest, and hundreds of jobs tie. Thousands of
/// equal tenths tie, too, though their sums are rounded.
#[test]
fn jobs_that_tie_are_not_searched() {
    let draw = &mut Draw::new(7, 0);
    let mut pair = |_| draw.between(50, 53) as f64;
    let rows: Vec<Vec<(f64, f64)>> =
        (0..400).map(|_| (0..3).map(&mut pair).map(|time| (time + 10.0, time)).collect()).collect();
    let batch = Alternatives::new(&rows).unwrap();
    let (problem, limit) = (Goal::MinTime { budget: Some(0.6 * 400.0 * 60.0) }, Limit::default());
    let found = select(&batch, problem, &Coverage::MostJobs, &mut limit.meter()).unwrap();
    assert_eq!(found.end, End::Done);
    assert!(found.work <= 20 * 1_200, "{}", found.work);
    let batch = Alternatives::new(&vec![vec![(0.1, 0.1)]; 2_000]).unwrap();
    let problem = Goal::MinTime { budget: Some(0.06 * 2_000.0) };
    let found = select(&batch, problem, &Coverage::MostJobs, &mut limit.meter()).unwrap();
    assert_eq!(found.end, End::Done);
    assert!(found.work <= 20 * 2_000, "{}", found.work);
}

/// The budget is that of two jobs. The quickest choice is not the lightest of those whose sums round to the same time.
#[test]
fn of_equal_rounded_times_the_cheapest_is_searched_for() {
    let rows = [vec![(1.0, 1e16)], vec![(2.0, 0.25), (1.0, 0.5)], vec![(5.0, 0.0)]];
    let (batch, goal) = (Alternatives::new(&rows).unwrap(), Goal::MinTime { budget: Some(4.0) });
    let found = select(&batch, goal, &Coverage::MostJobs, &mut Limit::default().meter()).unwrap();
    assert_eq!(found.best.unwrap().picks, [Some(0), Some(1), None]);
}

/// A gap concerns only the criterion: at any gap the service stays the largest, and the bound holds for the
/// choices of that service.
#[test]
fn a_gap_does_not_lessen_the_service() {
    let draw = &mut Draw::new(5, 0);
    let mut gaps = 0;
    for _ in 0..150 {
        let jobs = draw.between(6, 17);
        let mut pair = |_| (draw.between(1, 40) as f64, draw.below(60) as f64);
        let rows: Vec<Vec<(f64, f64)>> = (0..jobs).map(|_| (0..3).map(&mut pair).collect()).collect();
        let batch = Alternatives::new(&rows).unwrap();
        let weights = (0..jobs).map(|_| draw.between(1, 30) as f64).collect();
        let users = ((0..jobs).map(|job| job % 2).collect(), vec![3.0 * jobs as f64; 2]);
        let problem = Goal::MinTime { budget: Some(5.0 * jobs as f64) };
        for service in [Coverage::MostJobs, Coverage::MostWeight(weights)] {
            for users in [(vec![], vec![]), users.clone()] {
                let best = within(&batch, problem, &service, &users, &Limit::default()).unwrap();
                let (least, left_out) = (best.value.unwrap(), best.best.unwrap().left_out);
                let limits =
                    [Limit::default().with_relative_gap(0.5), Limit::default().with_absolute_gap(9.0)];
                for limit in limits {
                    let (tell, told) = mpsc::channel();
                    let tell = move |progress: Progress| tell.send(progress.bound).unwrap();
                    let mut meter = limit.meter().with_observer(tell);
                    let asked = ChoiceProblem::new(&batch, problem).with_coverage(service.clone());
                    let found = ExpandingCore.solve(&paid(asked, &users), &mut meter).unwrap();
                    assert_eq!(found.best.as_ref().unwrap().left_out, left_out);
                    let bound = found.bound.unwrap();
                    assert!(bound <= least && limit.gap_closed(found.value.unwrap(), bound), "{found:?}");
                    // The bounds reported to an observer hold for the same choices.
                    assert!(told.try_iter().flatten().all(|bound| bound <= least), "{least}");
                    gaps += usize::from(found.end == End::Gap);
                }
            }
        }
    }
    assert!(gaps > 100, "{gaps}");
}

/// Numbers over 60 decades have many limbs; a few such numbers must need only the memory of a few.
#[test]
fn few_jobs_with_numbers_of_sixty_decades_need_little_memory() {
    let batch = Alternatives::new(&[vec![(0.0, 1.0)], vec![(2.0, 5e59)], vec![(1.0, 1e-60)]]).unwrap();
    let users = (vec![0, 0, 1], vec![0.0, 0.5]);
    let limit = Limit::default().with_memory(1_000_000);
    for problem in [Goal::MaxTime { budget: Some(9.0) }, Goal::MaxIncome { time_limit: Some(1e60) }] {
        for service in [
            Coverage::MostJobs,
            Coverage::MostWeight(vec![1.0, 1e-30, 1e30]),
            Coverage::Penalties(vec![1.0; 3]),
        ] {
            let found = within(&batch, problem, &service, &users, &limit).unwrap();
            assert_eq!((found.end, found.best.unwrap().picks), (End::Done, vec![Some(0), None, None]));
        }
        let rich = (vec![0, 0, 1], vec![2.0, 1.5]);
        let found = within(&batch, problem, &Coverage::EveryJob, &rich, &limit).unwrap();
        assert_eq!(found.best.as_ref().map(|choice| choice.cost), Some(3.0));
    }
}

/// Sums too wide for lists are searched by the recurrence: as the lists, it keeps the first choice of a service.
#[test]
fn of_wide_numbers_too_more_work_is_never_worse() {
    let (small, large) = (1e60, 1e60_f64.next_up());
    let jobs = [
        vec![(1.0, large)],
        vec![(small, 1.0), (large, 1.0)],
        vec![(large, large), (small, 1.0)],
        vec![(large, small), (small, large)],
    ];
    let batch = Alternatives::new(&jobs).unwrap();
    let goal = Goal::MinTime { budget: Some(2.0 * small) };
    let weights = Coverage::MostWeight(vec![2.0, 2.0, 4.0, 2.0]);
    let mut least = f64::INFINITY;
    for work in 0..300 {
        let limit = Limit::default().with_work(work);
        let found = within(&batch, goal, &weights, &(vec![], vec![]), &limit).unwrap();
        let value = found.value.unwrap_or(f64::INFINITY);
        assert!(value <= least, "{work}: {value} after {least}");
        least = value;
    }
    assert!(least < f64::INFINITY);
}
