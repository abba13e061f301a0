//! Cases by hand: jobs left out, ties, penalties, users, and an earlier choice.

use crate::asked::{Users, select, within};
use batch_dp::*;
use sched_model::{End, Limit, Meter};
use std::sync::mpsc;

/// A penalty of 10^44 makes the multiplier so great at first that the objectives of the others are lost
/// beside it.
#[test]
fn a_great_penalty_hides_no_better_alternative() {
    let batch = Alternatives::new(&[vec![(1.0, 0.0), (2.0, 8.5), (1.0, 4.0)], vec![(1.0, 4.8)]]).unwrap();
    let service = Coverage::Penalties(vec![1e44, 0.0]);
    let problem = Goal::MaxTime { budget: Some(2.0) };
    let answer = select(&batch, problem, &service, &mut Limit::default().meter()).unwrap();
    assert_eq!(answer.best.unwrap().picks, [Some(2), Some(0)]);
}

/// At the first multipliers, some 10^20 and more, a loss of a few units is lost in rounding: an alternative
/// that is best at the last one must not be taken for worse, nor the reduction exclude what goes with it.
#[test]
fn what_was_lost_at_a_great_multiplier_is_found_again() {
    let four: Vec<Vec<(f64, f64)>> = vec![
        vec![(2.0, 2e30), (0.5, -6.9), (1.0, -9.0)],
        vec![(1.0, -2.3), (1.0, -7.0)],
        vec![(1.0, -1.7), (2.0, -8.7), (1.0, -7.4), (0.0, 5e29)],
        vec![(0.5, -1.7), (1.0, -4.7), (2.0, -9.3)],
        vec![(3.0, -2.6)],
    ];
    let two: Vec<Vec<(f64, f64)>> = vec![
        vec![(1.0, -6.5)],
        vec![(2.0, 1e20), (2.0, -0.3), (0.0, -9.3), (3.0, -1.8)],
        vec![(3.0, -0.3)],
        vec![(0.5, 1e20), (1.0, -2.6), (2.0, -7.7), (1.0, -6.6)],
    ];
    for (jobs, budget, weights, expected) in [
        (four, 4.0, vec![1.0, 3.0, 1.0, 2.0, 3.0], vec![Some(2), Some(1), Some(2), Some(1), None]),
        (two, 1.0, vec![1.0, 2.0, 1.0, 1.0], vec![None, Some(2), None, Some(3)]),
    ] {
        let batch = Alternatives::new(&jobs).unwrap();
        let (problem, service) = (Goal::MinTime { budget: Some(budget) }, Coverage::MostWeight(weights));
        let limit = Limit::default();
        let found = select(&batch, problem, &service, &mut limit.meter()).unwrap();
        assert_eq!(found.end, End::Done);
        assert_eq!(found.best.unwrap().picks, expected);
    }
}

/// Where cost and time differ by a constant, the cheapest jobs are the shortest, and hundreds of them tie.
#[test]
fn jobs_that_tie_are_not_searched() {
    let mut seed = 7_u32;
    let rows: Vec<Vec<(f64, f64)>> = (0..400)
        .map(|_| {
            let pair = |_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let time = f64::from(50 + (seed >> 16) % 4);
                (time + 10.0, time)
            };
            (0..3).map(pair).collect()
        })
        .collect();
    let batch = Alternatives::new(&rows).unwrap();
    let (problem, limit) = (Goal::MinTime { budget: Some(0.6 * 400.0 * 60.0) }, Limit::default());
    let found = select(&batch, problem, &Coverage::MostJobs, &mut limit.meter()).unwrap();
    assert_eq!(found.end, End::Done);
    assert!(found.work <= 20 * 1_200, "{}", found.work);
}

/// A gap is one of the criterion: however wide, the service stays the greatest, and the bound holds among the
/// choices of that service.
#[test]
fn a_gap_does_not_lessen_the_service() {
    let mut seed = 5_u64;
    let mut below = |most: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % most
    };
    let mut gaps = 0;
    for _ in 0..150 {
        let jobs = 6 + below(12) as usize;
        let rows: Vec<Vec<(f64, f64)>> =
            (0..jobs).map(|_| (0..3).map(|_| (1.0 + below(40) as f64, below(60) as f64)).collect()).collect();
        let batch = Alternatives::new(&rows).unwrap();
        let weights: Vec<f64> = (0..jobs).map(|_| (1 + below(30)) as f64).collect();
        let users = Users::new((0..jobs).map(|job| job % 2).collect(), vec![3.0 * jobs as f64; 2]);
        let problem = Goal::MinTime { budget: Some(5.0 * jobs as f64) };
        for service in [Coverage::MostJobs, Coverage::MostWeight(weights)] {
            for with_users in [false, true] {
                let find = |meter: &mut Meter| {
                    let problem = ChoiceProblem::new(&batch, problem).with_coverage(service.clone());
                    let problem = if with_users { users.pay(problem) } else { problem };
                    ExpandingCore.solve(&problem, meter)
                };
                let best = find(&mut Limit::default().meter()).unwrap();
                let (least, left_out) = (best.value.unwrap(), best.best.unwrap().left_out);
                for limit in
                    [Limit::default().with_relative_gap(0.5), Limit::default().with_absolute_gap(9.0)]
                {
                    let (tell, told) = mpsc::channel();
                    let mut meter =
                        limit.meter().with_observer(move |progress| tell.send(progress.bound).unwrap());
                    let found = find(&mut meter).unwrap();
                    let told: Vec<f64> = told.try_iter().flatten().collect();
                    assert_eq!(found.best.as_ref().unwrap().left_out, left_out);
                    let bound = found.bound.unwrap();
                    assert!(bound <= least && limit.gap_closed(found.value.unwrap(), bound), "{found:?}");
                    // Nor is an observer told of the service.
                    assert!(told.iter().all(|&bound| bound <= least), "{told:?}, {least}");
                    gaps += usize::from(found.end == End::Gap);
                }
            }
        }
    }
    assert!(gaps > 100, "{gaps}");
}

/// Numbers of 60 decades are held in many limbs: the memory of a few of them is that of a few.
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
            let found = within(&batch, problem, &service, &users, &limit);
            let found = found.unwrap();
            assert_eq!((found.end, found.best.unwrap().picks), (End::Done, vec![Some(0), None, None]));
        }
        let rich = Users::new(vec![0, 0, 1], vec![2.0, 1.5]);
        let found = within(&batch, problem, &Coverage::EveryJob, &rich, &limit).unwrap();
        assert_eq!(found.best.as_ref().map(|choice| choice.cost), Some(3.0));
    }
}

/// Numbers of a few of the least doubles, of which products with others are lost.
#[test]
fn the_greatest_income_of_the_least_doubles_is_found() {
    let least = |units: u64| f64::from_bits(units);
    let of = |pairs: &[(u64, u64)]| pairs.iter().map(|&(c, t)| (least(c), least(t))).collect::<Vec<_>>();
    let batch = Alternatives::new(&[of(&[(8, 8), (0, 3)]), of(&[(6, 6), (0, 2)]), of(&[(0, 5)])]).unwrap();
    let problem = Goal::MaxIncome { time_limit: Some(least(14)) };
    let users = Users::new(vec![1, 0, 1], vec![f64::INFINITY; 2]);
    let limit = Limit::default();
    let found = within(&batch, problem, &Coverage::MostJobs, &users, &limit);
    let found = found.unwrap();
    assert_eq!((found.end, found.best.unwrap().cost), (End::Done, least(6)));
}
