//! Cases by hand: where doubles round, where magnitudes differ, and what is malformed.

use crate::oracle::{Chosen, Users, choose, select, solve};
use batch_dp::*;
use sched_model::{End, Limit, Progress, Proof};

fn within(
    batch: &Alternatives,
    goal: Goal,
    coverage: &Coverage,
    users: &Users,
    limit: &Limit,
) -> Result<Chosen, BatchError> {
    let problem = ChoiceProblem::new(batch, goal).with_coverage(coverage.clone());
    ExpandingCore.solve(&users.pay(problem), &mut limit.meter())
}

fn front(batch: &Alternatives, cap: usize) -> Result<Option<Front>, BatchError> {
    let problem = ChoiceProblem::new(batch, Goal::MinTime { budget: None });
    Front::of(&problem, cap, &mut Limit::default().meter())
}

/// Decimals whose sums round one way in one order of the jobs and another way in another: the order decides
/// nothing.
#[test]
fn the_order_of_the_jobs_decides_nothing() {
    let mut jobs = vec![
        vec![(1.1, 0.0), (0.0, 0.8)],
        vec![(0.7, 2.0), (0.0, 1.1), (0.0, 2.8)],
        vec![(2.9, 0.1), (0.0, 1.0), (0.0, 1.0), (0.0, 1.8), (0.0, 1.0)],
        vec![(0.0, 2.0), (0.0, 2.0), (0.0, 2.0), (0.0, 0.0), (0.0, 0.2)],
        vec![(2.6, 0.0), (0.0, 1.7), (0.0, 1.7), (0.0, 0.9), (0.0, 1.5)],
    ];
    let problem = Goal::MinCost { time_limit: Some(2.9) };
    for _ in 0..jobs.len() {
        jobs.rotate_left(1);
        let batch = Alternatives::new(&jobs).unwrap();
        for &kind in ChooserKind::ALL {
            let found = solve(kind, &batch, problem);
            assert_eq!(
                found.incumbent.as_ref().map(|choice| (choice.cost, choice.time)),
                Some((3.7, 2.1)),
                "{kind}"
            );
        }
    }
}

/// 0.4 + 0.2 + 0.3 + 0.1 + 0.2 is 1.2, although five additions in this order give 1.2000000000000002.
#[test]
fn a_budget_met_exactly_is_kept() {
    let jobs: Vec<Vec<(f64, f64)>> =
        [0.4, 0.2, 0.3, 0.1, 0.2].iter().map(|&cost| vec![(cost, 1.0), (cost - 0.05, 2.0)]).collect();
    let batch = Alternatives::new(&jobs).unwrap();
    for &kind in ChooserKind::ALL {
        let problem = Goal::MinTime { budget: Some(1.2) };
        let found = solve(kind, &batch, problem);
        assert_eq!(
            found.incumbent.as_ref().map(|choice| (choice.cost, choice.time)),
            Some((1.2, 5.0)),
            "{kind}"
        );
        let below = Goal::MinTime { budget: Some(1.2_f64.next_down()) };
        let found = solve(kind, &batch, below);
        assert_eq!(found.incumbent.as_ref().map(|choice| choice.time), Some(6.0), "{kind}");
    }
}

/// 2^53 + 1 lies in the middle of two doubles and goes to the even one: within a limit of 2^53, not below it;
/// 2^53 + 3 goes up to 2^53 + 4.
#[test]
fn a_sum_in_the_middle_of_two_doubles_goes_to_the_even_one() {
    let large = 9_007_199_254_740_992.0;
    for (extra, limit, within) in
        [(1.0, large, true), (1.0, large - 1.0, false), (3.0, large + 2.0, false), (3.0, large + 4.0, true)]
    {
        let batch = Alternatives::new(&[vec![(large, 0.0), (0.0, 9.0)], vec![(extra, 0.0)]]).unwrap();
        for &kind in ChooserKind::ALL {
            let problem = Goal::MinTime { budget: Some(limit) };
            let found = solve(kind, &batch, problem);
            assert_eq!(
                found.incumbent.as_ref().map(|choice| choice.time == 0.0),
                Some(within),
                "{kind} {limit}"
            );
        }
    }
}

/// Magnitudes from the smallest doubles to 10^60 in one batch.
#[test]
fn all_magnitudes_together() {
    let jobs = [
        vec![(1e60, 0.0), (1e60, -1.0), (0.0, 1.0)],
        vec![(1e-300, 0.0), (0.0, 5e-324)],
        vec![(-1e60, 3.0), (-1e60, 2.0)],
        vec![(1.0, 8.0), (2.0, 0.0)],
    ];
    let batch = Alternatives::new(&jobs).unwrap();
    for &kind in ChooserKind::ALL {
        let best = |budget: f64| {
            let problem = Goal::MinTime { budget: Some(budget) };
            let found = solve(kind, &batch, problem);
            found.incumbent.as_ref().map(|choice| (choice.cost, choice.time))
        };
        assert_eq!(best(2.0), Some((2.0, 1.0)), "{kind}");
        assert_eq!(best(2.0_f64.next_down()), Some((-1e60, 3.0)), "{kind}");
    }
}

/// Weights below the smallest normal double leave no multiplier: nothing may be excluded by one.
#[test]
fn subnormal_weights_exclude_nothing() {
    let tiny = f64::from_bits(1);
    let jobs: Vec<Vec<(f64, f64)>> = (0..6_u32)
        .map(|job| {
            (0..4_u32)
                .map(|at| (tiny * f64::from((job * 7 + at * 5) % 9), f64::from((job * 11 + at * 13) % 17)))
                .collect()
        })
        .collect();
    let batch = Alternatives::new(&jobs).unwrap();
    for budget in 0..40 {
        let problem = Goal::MinTime { budget: Some(tiny * f64::from(budget)) };
        let best = |kind| {
            let found = solve(kind, &batch, problem);
            found.incumbent.as_ref().map(|choice| (choice.time, choice.cost))
        };
        assert_eq!(best(ChooserKind::ExpandingCore), best(ChooserKind::BackwardRun), "{budget}");
    }
}

/// Beside a time of 10^44 one unit is nothing, so the cheaper alternative is as good.
#[test]
fn what_rounding_makes_equally_good_leaves_the_lighter() {
    let batch = Alternatives::new(&[vec![(0.0, 1.0), (1.0, 0.0)], vec![(0.0, 1e44)]]).unwrap();
    for &kind in ChooserKind::ALL {
        let problem = Goal::MinTime { budget: Some(f64::INFINITY) };
        let found = solve(kind, &batch, problem);
        assert_eq!(
            found.incumbent.as_ref().map(|choice| (choice.time, choice.cost)),
            Some((1e44, 0.0)),
            "{kind}"
        );
    }
}

/// The numbers of such a front are long: it must not ask for a whole block of them.
#[test]
fn a_small_front_of_all_magnitudes_fits_into_memory() {
    let batch = Alternatives::new(&[vec![(0.0, 1e60), (0.0, 1.0)], vec![(1e-60, 1.0)]]).unwrap();
    assert_eq!(front(&batch, FRONT_CAP).unwrap().unwrap().points(), [Point { cost: 1e-60, time: 2.0 }]);
}

/// Two costs that differ before the last job is added and are equal when rounded: the faster one is the
/// point.
#[test]
fn points_that_rounding_makes_equally_dear_leave_the_fastest() {
    let jobs =
        [vec![(3.5, 0.0), (2.8, 0.6)], vec![(0.8, 0.5), (0.1, 0.6)], vec![(1.4, 0.0)], vec![(0.0, 0.0)]];
    let batch = Alternatives::new(&jobs).unwrap();
    let front = front(&batch, FRONT_CAP).unwrap().unwrap();
    let points: Vec<_> = front.points().iter().map(|point| (point.cost, point.time)).collect();
    assert_eq!(points, crate::oracle::front(&batch, f64::INFINITY, f64::INFINITY));
    assert_eq!(points, [(4.3, 1.2), (5.0, 0.6), (5.7, 0.5)]);
}

/// The limit is 2, and 1 + 2^-52 + 1 lies half way to the next double: rounded once, it is 2.
#[test]
fn a_sum_half_way_above_the_limit_is_within_it() {
    let up = 1.0_f64.next_up();
    let down = 1.0_f64.next_down();
    let batch =
        Alternatives::new(&[vec![(up, 2.0), (1.0, 13.0)], vec![(down, 9.0), (1.0, 6.0), (up, 2.0)]]).unwrap();
    for kind in ChooserKind::ALL {
        let limit = Limit::default();
        let problem = Goal::MinTime { budget: Some(2.0) };
        let found = kind.build().solve(&ChoiceProblem::new(&batch, problem), &mut limit.meter()).unwrap();
        let choice = found.incumbent.as_ref().unwrap();
        assert_eq!((choice.cost, choice.time), (2.0, 8.0), "{kind}");
    }
}

/// Weights that differ in their last bits make the multiplier so great that the base is least by rounding
/// alone: a downgrade then pays for an upgrade, which no bound by the best upgrade rate may exclude. Job 2
/// takes its greater weight, the others their lesser: 3 + 2^-52 rounds to the limit of 3, and 0.9 - 0.1 + 1
/// is the greatest income.
#[test]
fn a_downgrade_may_pay_for_an_upgrade() {
    let (less, more) = (1.0 - f64::EPSILON / 2.0, 1.0 + f64::EPSILON);
    let batch = Alternatives::new(&[
        vec![(1.0, more), (0.9, less)],
        vec![(0.8, more), (-0.1, less)],
        vec![(1.0, 1.0 + 2.0 * f64::EPSILON), (-0.1, less)],
    ])
    .unwrap();
    let problem = Goal::MaxIncome { time_limit: Some(3.0) };
    let limit = Limit::default();
    let found = ExpandingCore.solve(&ChoiceProblem::new(&batch, problem), &mut limit.meter()).unwrap();
    let choice = found.incumbent.as_ref().unwrap();
    assert_eq!(
        (choice.picks.as_slice(), choice.cost, choice.time),
        ([Some(1), Some(1), Some(0)].as_slice(), 1.8, 3.0)
    );
}

#[test]
fn degenerate_batches() {
    let same = vec![vec![(2.0, 3.0); 9]; 50];
    let huge: Vec<Vec<(f64, f64)>> = (0..20)
        .map(|job| (1..5).map(|at| (1e12 * f64::from(at), 1e12 / f64::from(at + job))).collect())
        .collect();
    let negative = vec![vec![(-5.0, 1.0), (3.0, -2.0)], vec![(0.0, 0.0), (-1.0, -1.0)]];
    for jobs in [vec![], same, huge, negative] {
        let batch = Alternatives::new(&jobs).unwrap();
        for &kind in ChooserKind::ALL {
            for limit in [f64::NEG_INFINITY, -1.0, 0.0, 100.0, 3e13, f64::INFINITY] {
                let limit = Some(limit);
                for problem in [
                    Goal::MinTime { budget: limit },
                    Goal::MinCost { time_limit: limit },
                    Goal::MaxIncome { time_limit: limit },
                ] {
                    let found = solve(kind, &batch, problem);
                    if limit == Some(f64::INFINITY) {
                        assert!(found.incumbent.is_some());
                    }
                    if limit == Some(f64::NEG_INFINITY) {
                        assert!(found.incumbent.is_none());
                    }
                }
            }
        }
    }
}

/// On equal ratios every combination meets the bound: the search must stop at the first that fills the limit
/// instead of walking through all of them.
#[test]
fn combinations_on_one_line_do_not_explode() {
    let jobs: Vec<Vec<(f64, f64)>> = (0..60)
        .map(|job| {
            (0..40)
                .map(|at| f64::from(1 + (job * 31 + at * 17) % 997))
                .map(|time| (-2.0 * time, time))
                .collect()
        })
        .collect();
    let batch = Alternatives::new(&jobs).unwrap();
    let found = choose(&batch, Goal::MinCost { time_limit: Some(20_000.0) }).unwrap();
    assert_eq!(found.incumbent.as_ref().unwrap().cost, -40_000.0);
}

#[test]
fn malformed_input_is_named() {
    let error = Alternatives::new(&[vec![(1.0, 1.0)], vec![(1.0, 2.0), (1.0, f64::NAN)]]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the time of alternative 1 of job 1 must be a finite number up to 1e120, got NaN"
    );
    let batch = Alternatives::new(&[vec![(1.0, 1.0)]]).unwrap();
    assert!(choose(&batch, Goal::MinTime { budget: Some(f64::NAN) }).is_err());
    assert!(
        "no-such".parse::<ChooserKind>().unwrap_err().to_string().contains("expanding-core, backward-run")
    );
    let points = front(&batch, FRONT_CAP).unwrap().unwrap();
    let none = Preference::Lexicographic(vec![]);
    assert_eq!(points.best(1.0, 1.0, &none), Err(BatchError::NoCriterion));
    let negative = Preference::Weighted(Weights { time: -1.0, ..Weights::default() });
    assert!(points.best(1.0, 1.0, &negative).is_err());
    assert_eq!(
        front(&Alternatives::new(&vec![vec![(1.0, 2.0), (2.0, 1.0)]; 8]).unwrap(), 5).unwrap_err(),
        BatchError::FrontTooLarge { cap: 5, jobs: 5, of: 8 }
    );
}

#[test]
fn a_malformed_problem_is_named() {
    let batch = Alternatives::new(&[vec![(1.0, 1.0)], vec![(2.0, 1.0)]]).unwrap();
    let problem = || ChoiceProblem::new(&batch, Goal::MinTime { budget: Some(9.0) });
    for kind in ChooserKind::ALL {
        let ask = |problem: ChoiceProblem<'_>| kind.build().choose(&problem);
        assert_eq!(ask(problem().with_start(&[None])), Err(BatchError::Count { jobs: 2, given: 1 }));
        let none = BatchError::NoSuchAlternative { job: 1, alternative: 1 };
        assert_eq!(ask(problem().with_start(&[None, Some(1)])), Err(none));
        assert!(ask(problem().with_start(&[None, Some(0)])).is_ok());
        assert!(ask(ChoiceProblem::new(&batch, Goal::MinTime { budget: Some(f64::NAN) })).is_err());
        let one = Coverage::Penalties(vec![1.0]);
        assert_eq!(ask(problem().with_coverage(one)), Err(BatchError::Count { jobs: 2, given: 1 }));
        for coverage in [
            Coverage::MostWeight(vec![1.0, -1.0]),
            Coverage::MostWeight(vec![1.0, f64::INFINITY]),
            Coverage::Penalties(vec![1.0, f64::NAN]),
            Coverage::Penalties(vec![1.0, 2e120]),
            Coverage::Penalties(vec![1.0, f64::NEG_INFINITY]),
        ] {
            let error = ask(problem().with_coverage(coverage));
            assert!(matches!(error, Err(BatchError::Service { job: 1, .. })), "{error:?}");
        }
        let twice = problem().with_account(&[0, 1], 9.0).with_account(&[1], 9.0);
        assert_eq!(ask(twice), Err(BatchError::Account { account: 1, job: 1 }));
        assert_eq!(ask(problem().with_account(&[2], 9.0)), Err(BatchError::Account { account: 0, job: 2 }));
        assert!(ask(problem().with_account(&[0], f64::NAN)).is_err());
    }
    let poor = ExpandingCore.choose(&problem().with_account(&[0, 1], 2.5)).unwrap().refusal.unwrap();
    assert_eq!(poor, ChoiceRefusal::AccountTooSmall { account: 0, least: 3.0, limit: 2.5 });
    assert_eq!(poor.short_by(), 0.5);
    let coverage = problem().with_coverage(Coverage::MostJobs);
    assert!(matches!(BackwardRun.choose(&coverage), Err(BatchError::Together { .. })));
    assert!(matches!(
        BackwardRun.choose(&problem().with_account(&[0], 1.0)),
        Err(BatchError::Together { .. })
    ));
}

#[test]
fn the_income_within_a_derived_limit_is_a_budget_that_can_be_kept() {
    let batch = Alternatives::new(&[vec![(9.0, 1.0), (3.0, 6.0)], vec![(8.0, 2.5), (2.0, 4.0)]]).unwrap();
    for (floor, time_limit, income) in [(Floor::Sum, 6.0, 17.0), (Floor::Term, 6.0, 17.0)] {
        assert_eq!(derived_time_limit(&batch, floor), time_limit);
        let limit = Limit::default();
        let most = derived_budget(&batch, time_limit, &ExpandingCore, &mut limit.meter()).unwrap();
        assert_eq!(most.incumbent.unwrap().cost, income);
        let goal = Goal::MinTime { budget: None }.or_derived(&batch, &ExpandingCore, &mut limit.meter());
        assert_eq!(goal.unwrap().limit(), Some(17.0));
    }
}

#[test]
fn a_limit_of_work_gives_up_the_proof_and_says_so() {
    let jobs: Vec<Vec<(f64, f64)>> = (0..12u32)
        .map(|job| {
            (0..12u32)
                .map(|at| {
                    let time = f64::from(1_000 + (job * 7_919 + at * 104_729) % 9_973);
                    (2.0 * time + f64::from((job * 31 + at * 57) % 97), time)
                })
                .collect()
        })
        .collect();
    let batch = Alternatives::new(&jobs).unwrap();
    let problem = Goal::MaxIncome { time_limit: Some(70_001.0) };
    let exact = choose(&batch, problem).unwrap();
    let limit = Limit::default().with_work(3_000);
    let stopped = ExpandingCore.solve(&ChoiceProblem::new(&batch, problem), &mut limit.meter()).unwrap();
    assert_eq!((exact.end, exact.gap()), (End::Done, Some(0.0)));
    assert_eq!((stopped.end, stopped.proof()), (End::Work, Proof::LimitReached));
    let gap = stopped.gap().unwrap();
    let lost = exact.value.unwrap() - stopped.value.unwrap();
    assert!((0.0..=gap).contains(&lost), "{lost} of {gap}");
}

/// A unit of time costs 10^-250: no multiplier is a double. One job can be sped up, the second gains more.
#[test]
fn values_too_far_apart_for_a_multiplier_are_chosen_by() {
    let least = 1e-200;
    let rows = [1e50, 3e50, 1e49].map(|time| vec![(0.0, time), (least, 0.0)]);
    let batch = Alternatives::new(&rows).unwrap();
    for &kind in ChooserKind::ALL {
        let found = solve(kind, &batch, Goal::MinTime { budget: Some(least) });
        assert_eq!(found.incumbent.as_ref().unwrap().picks, [Some(0), Some(1), Some(0)], "{kind}");
    }
    // The bound holds wherever the search is stopped.
    for work in 0..500 {
        let limit = Limit::default().with_work(work);
        let problem = Goal::MinTime { budget: Some(least) };
        let found = ExpandingCore.solve(&ChoiceProblem::new(&batch, problem), &mut limit.meter()).unwrap();
        assert!(found.bound.is_none_or(|bound| bound <= 1e50 + 1e49), "{work}: {found:?}");
    }
}

/// Times below the normal doubles beside costs of 10^60: one of two jobs can be served, the second faster.
#[test]
fn the_least_numbers_decide_beside_the_greatest() {
    let batch =
        Alternatives::new(&[vec![(1e59, 4e-323)], vec![], vec![(1e60, 0.0), (3e59, 1.5e-323)], vec![]])
            .unwrap();
    let problem = Goal::MinTime { budget: Some(3.2905345711725457e+59) };
    let ask = |service: &Coverage| select(&batch, problem, service, &mut Limit::default().meter()).unwrap();
    let most = ask(&Coverage::MostJobs).incumbent.unwrap();
    assert_eq!((most.picks.as_slice(), most.time), ([None, None, Some(1), None].as_slice(), 1.5e-323));
}

/// A penalty of 10^44 makes the multiplier so great at first that the objectives of the others are lost
/// beside it.
#[test]
fn a_great_penalty_hides_no_better_alternative() {
    let batch = Alternatives::new(&[vec![(1.0, 0.0), (2.0, 8.5), (1.0, 4.0)], vec![(1.0, 4.8)]]).unwrap();
    let service = Coverage::Penalties(vec![1e44, 0.0]);
    let problem = Goal::MaxTime { budget: Some(2.0) };
    let answer = select(&batch, problem, &service, &mut Limit::default().meter()).unwrap();
    assert_eq!(answer.incumbent.unwrap().picks, [Some(2), Some(0)]);
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
        assert_eq!(found.incumbent.unwrap().picks, expected);
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
        let found = ask(-1.0).incumbent.unwrap();
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
                let find = |limit: &Limit, observer: &mut (dyn FnMut(Progress) + Send)| {
                    let problem = ChoiceProblem::new(&batch, problem).with_coverage(service.clone());
                    let problem = if with_users { users.pay(problem) } else { problem };
                    ExpandingCore.solve(&problem, &mut limit.meter().with_observer(observer))
                };
                let best = find(&Limit::default(), &mut |_| {}).unwrap();
                let (least, left_out) = (best.value.unwrap(), best.incumbent.unwrap().left_out);
                for limit in
                    [Limit::default().with_relative_gap(0.5), Limit::default().with_absolute_gap(9.0)]
                {
                    let mut told = Vec::new();
                    let found = find(&limit, &mut |progress| told.extend(progress.bound)).unwrap();
                    assert_eq!(found.incumbent.as_ref().unwrap().left_out, left_out);
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
        assert_eq!(found.incumbent.map(|found| found.picks), picks.map(Vec::from), "{budget}");
        assert_eq!(found.value.unwrap_or_default(), value, "{budget}");
    }
    // In a batch of which every criterion is 0, or 10^60, nothing else decides.
    for scale in [0.0, 1e60, 5e-324] {
        let scaled = vec![vec![(1.0, scale)]; 3];
        let service = Coverage::Penalties(vec![0.0, f64::INFINITY, 0.0]);
        let found = ask(&scaled, &service, Goal::MinTime { budget: Some(1.0) });
        assert_eq!(found.incumbent.unwrap().picks[1], Some(0), "{scale}");
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
            assert_eq!((found.end, found.incumbent.unwrap().picks), (End::Done, vec![Some(0), None, None]));
        }
        let rich = Users::new(vec![0, 0, 1], vec![2.0, 1.5]);
        let found = within(&batch, problem, &Coverage::EveryJob, &rich, &limit).unwrap();
        assert_eq!(found.incumbent.as_ref().map(|choice| choice.cost), Some(3.0));
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
    assert_eq!((found.end, found.incumbent.unwrap().cost), (End::Done, least(6)));
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
        let time = cold.incumbent.map_or(0.0, |found| found.time);
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
                    let now = found.incumbent.map(|found| (found.left_out, sign * problem.value(&found)));
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
