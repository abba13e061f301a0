//! Cases by hand: jobs left out, ties, penalties, users, and an earlier choice.

use crate::oracle::{Users, select, within};
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

#[test]
fn below_a_limit_of_zero_a_negative_cost_may_be_chosen() {
    let batch = Alternatives::new(&[vec![(-5.0, 1.0)], vec![(2.0, 1.0)]]).unwrap();
    let least = Coverage::Penalties(vec![1.0, 1.0]);
    for service in [Coverage::MostJobs, Coverage::MostWeight(vec![1.0, 1.0]), least] {
        let ask = |budget: f64| {
            let problem = Goal::MinTime { budget: Some(budget) };
            let limit = Limit::default();
            select(&batch, problem, &service, &mut limit.meter()).unwrap()
        };
        // Leaving both out costs 0, above -1; the first job costs less.
        let found = ask(-1.0).best.unwrap();
        assert_eq!((found.picks[0], found.cost <= -1.0), (Some(0), true), "{service:?}");
        assert!(ask(-6.0).is_infeasible(), "{service:?}");
    }
    let nothing = Alternatives::new(&[] as &[Vec<(f64, f64)>]).unwrap();
    for (budget, is_infeasible) in [(-0.0, false), (0.0, false), (-5e-324, true)] {
        let problem = Goal::MinTime { budget: Some(budget) };
        let limit = Limit::default();
        let outcome = select(&nothing, problem, &Coverage::MostJobs, &mut limit.meter());
        assert_eq!(outcome.unwrap().is_infeasible(), is_infeasible, "{budget}");
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

/// Two jobs that must be placed and one that may be left out for 4.
#[test]
fn a_penalty_of_infinity_forbids_leaving_out() {
    let jobs = [vec![(10.0, 1.0), (4.0, 5.0)], vec![(10.0, 1.0), (4.0, 5.0)], vec![(9.0, 2.0), (6.0, 3.0)]];
    let service = Coverage::Penalties(vec![f64::INFINITY, f64::INFINITY, 4.0]);
    let limit = Limit::default();
    let ask = |jobs: &[Vec<(f64, f64)>], service: &Coverage, problem| {
        let batch = Alternatives::new(jobs).unwrap();
        select(&batch, problem, service, &mut limit.meter()).unwrap()
    };
    // The first two in times of 1 or 5 each, and 4 for the third that is left out.
    for (budget, value, picks) in [
        (20.0, 6.0, Some([Some(0), Some(0), None])),
        (19.0, 10.0, Some([Some(0), Some(1), None])),
        (8.0, 14.0, Some([Some(1), Some(1), None])),
        (8f64.next_down(), 0.0, None),
    ] {
        let found = ask(&jobs, &service, Goal::MinTime { budget: Some(budget) });
        assert_eq!(found.is_infeasible(), picks.is_none(), "{budget}");
        assert_eq!(found.best.map(|found| found.picks), picks.map(Vec::from), "{budget}");
        assert_eq!(found.value.unwrap_or_default(), value, "{budget}");
    }
    // In a batch of which every criterion is 0, or 10^60, nothing else decides.
    for scale in [0.0, 1e60, 5e-324] {
        let scaled = vec![vec![(1.0, scale)]; 3];
        let service = Coverage::Penalties(vec![0.0, f64::INFINITY, 0.0]);
        let found = ask(&scaled, &service, Goal::MinTime { budget: Some(1.0) });
        assert_eq!(found.best.unwrap().picks[1], Some(0), "{scale}");
        let none = ask(&scaled, &service, Goal::MinTime { budget: Some(0.5) });
        assert!(none.is_infeasible());
    }
    // A job without alternatives cannot be placed.
    let without = vec![vec![(1.0, 1.0)], vec![]];
    let service = Coverage::Penalties(vec![1.0, f64::INFINITY]);
    assert!(ask(&without, &service, Goal::MinTime { budget: Some(9.0) }).is_infeasible());
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

/// The known selection costs 29.75, and the budget is 16.25.
#[test]
fn a_known_selection_that_breaks_the_limit_has_no_effect() {
    let batch = Alternatives::new(&[
        vec![(6.25, 9.75)],
        vec![(18.5, 11.75)],
        vec![(10.0, 16.25), (3.75, 17.0), (13.75, 6.75), (17.75, 15.25)],
        vec![(19.75, 12.5), (6.5, 12.25)],
    ])
    .unwrap();
    let (problem, service) =
        (Goal::MaxTime { budget: Some(16.25) }, Coverage::MostWeight(vec![1.0, 3.0, 3.0, 1.0]));
    let users = Users::new(vec![0, 0, 0, 1], vec![f64::INFINITY, 29.0]);
    let known = [None, None, Some(0), Some(0)];
    let mut last = 0.0;
    for work in 0..600 {
        let limit = Limit::default().with_work(work);
        let cold = users.pay(ChoiceProblem::new(&batch, problem).with_coverage(service.clone()));
        let warm = ExpandingCore.solve(&cold.clone().with_start(&known), &mut limit.meter());
        let cold = ExpandingCore.solve(&cold, &mut limit.meter()).unwrap();
        assert_eq!(warm.unwrap(), cold, "{work}");
        let time = cold.best.map_or(0.0, |found| found.time);
        assert!(time >= last, "{time} at {work}, {last} before");
        last = time;
    }
    assert_eq!(last, 29.25);
}

/// One job of one user and two of another, who can pay for one: two selections serve as many jobs, and the
/// lighter one takes longer.
#[test]
fn a_selection_of_as_great_a_service_is_never_replaced_by_a_worse_one() {
    let least = |units: u64| f64::from_bits(units);
    let batch =
        Alternatives::new(&[vec![(least(3), 0.0)], vec![(least(7), 1.0)], vec![(least(3), 0.0)]]).unwrap();
    for (budget, own) in
        [6, 7, 10, 12, 13].into_iter().flat_map(|budget| [2, 3, 7].map(|own| (least(budget), least(own))))
    {
        let users = Users::new(vec![1, 0, 0], vec![own, f64::INFINITY]);
        for problem in [
            Goal::MinTime { budget: Some(budget) },
            Goal::MaxTime { budget: Some(budget) },
            Goal::MinCost { time_limit: Some(1.0) },
            Goal::MaxIncome { time_limit: Some(1.0) },
        ] {
            for service in [Coverage::MostJobs, Coverage::MostWeight(vec![1.0, 2.0, 1.0])] {
                let sign = if problem.sense() == sched_model::Sense::Maximise { -1.0 } else { 1.0 };
                let mut last = None;
                for work in 0..300 {
                    let limit = Limit::default().with_work(work);
                    let found = within(&batch, problem, &service, &users, &limit).unwrap();
                    let now = found.best.map(|found| (found.left_out, sign * problem.value(&found)));
                    assert!(
                        last.is_none_or(|last| now.is_some_and(|now| now <= last)),
                        "{problem:?} {users:?} {service:?}: {now:?} at {work}, {last:?} before"
                    );
                    last = now;
                }
            }
        }
    }
}
