//! Cases by hand: jobs left out, ties, penalties, users, and an earlier choice.

use crate::asked::{Users, select, within};
use batch_dp::*;
use econsched::testkit::Draw;
use sched_model::{End, Limit, Progress};
use std::sync::mpsc;

/// The picks of the default algorithm if jobs may be left out and numbers differ by many magnitudes.
#[test]
fn what_is_lost_beside_great_numbers_is_found_again() {
    type Jobs<'a> = &'a [&'a [(f64, f64)]];
    let some = |picks: &[usize]| picks.iter().map(|&pick| (pick < 9).then_some(pick)).collect::<Vec<_>>();
    let (time, longest) =
        (|budget| Goal::MinTime { budget: Some(budget) }, Goal::MaxTime { budget: Some(2.0) });
    let cases: [(Jobs<'_>, Goal, Coverage, &[usize]); 4] = [
        // A penalty of 10^44 makes the first multiplier so great that the objectives of the others are rounded
        // away.
        (
            &[&[(1.0, 0.0), (2.0, 8.5), (1.0, 4.0)], &[(1.0, 4.8)]],
            longest,
            Coverage::Penalties(vec![1e44, 0.0]),
            &[2, 0],
        ),
        // At the first multipliers, 10^20 and more, a loss of a few units is rounded away. The search must not
        // drop an alternative that is best at the last multiplier, and the reduction must not exclude its
        // companions.
        (
            &[
                &[(2.0, 2e30), (0.5, -6.9), (1.0, -9.0)],
                &[(1.0, -2.3), (1.0, -7.0)],
                &[(1.0, -1.7), (2.0, -8.7), (1.0, -7.4), (0.0, 5e29)],
                &[(0.5, -1.7), (1.0, -4.7), (2.0, -9.3)],
                &[(3.0, -2.6)],
            ],
            time(4.0),
            Coverage::MostWeight(vec![1.0, 3.0, 1.0, 2.0, 3.0]),
            &[2, 1, 2, 1, 9],
        ),
        (
            &[
                &[(1.0, -6.5)],
                &[(2.0, 1e20), (2.0, -0.3), (0.0, -9.3), (3.0, -1.8)],
                &[(3.0, -0.3)],
                &[(0.5, 1e20), (1.0, -2.6), (2.0, -7.7), (1.0, -6.6)],
            ],
            time(1.0),
            Coverage::MostWeight(vec![1.0, 2.0, 1.0, 1.0]),
            &[9, 2, 9, 3],
        ),
        // Times below the normal doubles together with costs of 10^60: only one of two jobs can be served, and the
        // second one is faster.
        (
            &[&[(1e59, 4e-323)], &[], &[(1e60, 0.0), (3e59, 1.5e-323)], &[]],
            time(3.2905345711725457e59),
            Coverage::MostJobs,
            &[9, 9, 1, 9],
        ),
    ];
    for (jobs, goal, coverage, picks) in cases {
        let batch = Alternatives::new(jobs).unwrap();
        let found = select(&batch, goal, &coverage, &mut Limit::default().meter()).unwrap();
        assert_eq!((found.end, found.best.unwrap().picks), (End::Done, some(picks)));
    }
}

/// If cost and time differ by a constant, the cheapest jobs are the shortest, and hundreds of jobs tie.
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
}

/// A gap concerns only the criterion: at any gap the service stays the greatest, and the bound holds for the
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
        let users = Users::new((0..jobs).map(|job| job % 2).collect(), vec![3.0 * jobs as f64; 2]);
        let problem = Goal::MinTime { budget: Some(5.0 * jobs as f64) };
        for service in [Coverage::MostJobs, Coverage::MostWeight(weights)] {
            for users in [Users::new(vec![], vec![]), users.clone()] {
                let best = within(&batch, problem, &service, &users, &Limit::default()).unwrap();
                let (least, left_out) = (best.value.unwrap(), best.best.unwrap().left_out);
                let limits =
                    [Limit::default().with_relative_gap(0.5), Limit::default().with_absolute_gap(9.0)];
                for limit in limits {
                    let (tell, told) = mpsc::channel();
                    let tell = move |progress: Progress| tell.send(progress.bound).unwrap();
                    let mut meter = limit.meter().with_observer(tell);
                    let asked = ChoiceProblem::new(&batch, problem).with_coverage(service.clone());
                    let found = ExpandingCore.solve(&users.pay(asked), &mut meter).unwrap();
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
    let users = Users::new(vec![0, 0, 1], vec![0.0, 0.5]);
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
        let rich = Users::new(vec![0, 0, 1], vec![2.0, 1.5]);
        let found = within(&batch, problem, &Coverage::EveryJob, &rich, &limit).unwrap();
        assert_eq!(found.best.as_ref().map(|choice| choice.cost), Some(3.0));
    }
}

/// Numbers of a few times the least double; their products with other numbers underflow.
#[test]
fn the_greatest_income_of_the_least_doubles_is_found() {
    let least = |units: u64| f64::from_bits(units);
    let of = |pairs: &[(u64, u64)]| pairs.iter().map(|&(c, t)| (least(c), least(t))).collect::<Vec<_>>();
    let batch = Alternatives::new(&[of(&[(8, 8), (0, 3)]), of(&[(6, 6), (0, 2)]), of(&[(0, 5)])]).unwrap();
    let problem = Goal::MaxIncome { time_limit: Some(least(14)) };
    let users = Users::new(vec![1, 0, 1], vec![f64::INFINITY; 2]);
    let found = within(&batch, problem, &Coverage::MostJobs, &users, &Limit::default()).unwrap();
    assert_eq!((found.end, found.best.unwrap().cost), (End::Done, least(6)));
}

/// Whatever stops the search, its answer is as good as the choice that it starts from.
#[test]
fn a_start_of_the_greatest_income_is_kept() {
    let draw = &mut Draw::new(11, 0);
    let mut early = 0;
    for _ in 0..40 {
        let mut pair = |_| (draw.between(1, 900) as f64, draw.between(1, 900) as f64);
        let rows: Vec<Vec<(f64, f64)>> = (0..30).map(|_| (0..4).map(&mut pair).collect()).collect();
        let batch = Alternatives::new(&rows).unwrap();
        let goal = Goal::MaxIncome { time_limit: Some(4000.0) };
        let asked = ChoiceProblem::new(&batch, goal).with_coverage(Coverage::MostJobs);
        let best = ExpandingCore.choose(&asked).unwrap().best.unwrap();
        let asked = asked.with_start(&best.picks);
        for work in [200, 500, 1_000, 2_000, 5_000, 20_000] {
            let found = ExpandingCore.solve(&asked, &mut Limit::default().with_work(work).meter()).unwrap();
            early += usize::from(found.end == End::Work);
            let found = found.best.unwrap();
            assert_eq!((found.left_out, found.cost), (best.left_out, best.cost), "{work}");
        }
    }
    assert!(early > 40, "{early}");
}
