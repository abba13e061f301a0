//! Cases computed by hand: rounding of doubles, numbers of different magnitudes, and malformed input.

use crate::asked::solve;
use batch_dp::*;
use sched_model::{JobId, JobWindows, Limit};

fn front(batch: &Alternatives) -> Result<Option<Front>, BatchError> {
    let problem = ChoiceProblem::new(batch, Goal::MinTime { budget: None });
    Front::of(&problem, &mut Limit::default().meter())
}

type Jobs<'a> = &'a [&'a [(f64, f64)]];

/// All algorithms make the choice of this cost and time.
#[test]
fn every_algorithm_chooses_what_is_found_by_hand() {
    let time = |budget: f64| Goal::MinTime { budget: Some(budget) };
    let (large, up, down) = (9_007_199_254_740_992.0, 1f64.next_up(), 1f64.next_down());
    let (one, three): (Jobs<'_>, Jobs<'_>) =
        (&[&[(large, 0.0), (0.0, 9.0)], &[(1.0, 0.0)]], &[&[(large, 0.0), (0.0, 9.0)], &[(3.0, 0.0)]]);
    let magnitudes: Jobs<'_> = &[
        &[(1e60, 0.0), (1e60, -1.0), (0.0, 1.0)],
        &[(1e-300, 0.0), (0.0, 5e-324)],
        &[(-1e60, 3.0), (-1e60, 2.0)],
        &[(1.0, 8.0), (2.0, 0.0)],
    ];
    let income: Jobs<'_> = &[
        &[(1.0, 1.0 + f64::EPSILON), (0.9, down)],
        &[(0.8, 1.0 + f64::EPSILON), (-0.1, down)],
        &[(1.0, 1.0 + 2.0 * f64::EPSILON), (-0.1, down)],
    ];
    let cases: [(Jobs<'_>, Goal, (f64, f64)); 9] = [
        // 2^53 + 1 lies midway between two doubles and rounds to the even one, 2^53: it keeps a limit of 2^53, and
        // no lower one. 2^53 + 3 rounds up to 2^53 + 4.
        (one, time(large), (large, 0.0)),
        (one, time(large - 1.0), (1.0, 9.0)),
        (three, time(large + 2.0), (3.0, 9.0)),
        (three, time(large + 4.0), (large + 4.0, 0.0)),
        // Numbers from the smallest doubles to 10^60 in one batch.
        (magnitudes, time(2.0), (2.0, 1.0)),
        (magnitudes, time(2f64.next_down()), (-1e60, 3.0)),
        // Added to a time of 10^44 one unit is rounded away, so the cheaper alternative is as good.
        (&[&[(0.0, 1.0), (1.0, 0.0)], &[(0.0, 1e44)]], time(f64::INFINITY), (0.0, 1e44)),
        // 1 + 2^-52 + 1 lies half way from 2 to the next double: rounded once, it is 2.
        (&[&[(up, 2.0), (1.0, 13.0)], &[(down, 9.0), (1.0, 6.0), (up, 2.0)]], time(2.0), (2.0, 8.0)),
        // Weights that differ in their last bits make the multiplier so great that the base is smallest by rounding
        // alone: a downgrade then pays for an upgrade, which no bound by the best upgrade rate may exclude. Job 2 takes
        // its greater weight, the others their lower: 3 + 2^-52 rounds to 3, and 0.9 - 0.1 + 1 is the maximum income.
        (income, Goal::MaxIncome { time_limit: Some(3.0) }, (1.8, 3.0)),
    ];
    for (jobs, goal, sums) in cases {
        for &kind in ChooserKind::ALL {
            let found = solve(kind, &Alternatives::new(jobs).unwrap(), goal);
            let choice = found.best.as_ref().unwrap();
            assert_eq!((choice.cost, choice.time), sums, "{kind} {jobs:?} {goal:?}");
        }
    }
}

/// Two costs differ before the last job is added and are equal when rounded; only the faster choice is a point of
/// the front.
#[test]
fn points_that_rounding_makes_equally_dear_leave_the_fastest() {
    let jobs =
        [vec![(3.5, 0.0), (2.8, 0.6)], vec![(0.8, 0.5), (0.1, 0.6)], vec![(1.4, 0.0)], vec![(0.0, 0.0)]];
    let batch = Alternatives::new(&jobs).unwrap();
    let front = front(&batch).unwrap().unwrap();
    let points: Vec<_> = front.points().iter().map(|point| (point.cost, point.time)).collect();
    assert_eq!(points, [(4.3, 1.2), (5.0, 0.6), (5.7, 0.5)]);
}

#[test]
fn malformed_input_is_named() {
    let error = Alternatives::new(&[vec![(1.0, 1.0)], vec![(1.0, 2.0), (1.0, f64::NAN)]]).unwrap_err();
    let told = "the time of alternative 1 of job 1 must be a finite number up to 1e120, got NaN";
    assert_eq!(error.to_string(), told);
    let unknown = "no-such".parse::<ChooserKind>().unwrap_err();
    assert!(unknown.to_string().contains("expanding-core, backward-run"));
    let preferred = |preference| {
        let planner = Planner::new(Goal::MinTime { budget: None }).with_preference(preference);
        planner.plan(&[]).map(|plan| plan.schedule.len())
    };
    assert_eq!(preferred(Preference::Lexicographic(vec![])), Err(BatchError::NoCriterion));
    assert!(preferred(Preference::Weighted(Weights { time: -1.0, ..Weights::default() })).is_err());
    assert_eq!(preferred(Preference::Weighted(Weights::default())), Ok(0));
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
            assert!(matches!(error, Err(BatchError::Service { job: JobId(1), .. })), "{error:?}");
        }
        let twice = problem().with_account(&[0, 1], 9.0).with_account(&[1], 9.0);
        assert_eq!(ask(twice), Err(BatchError::Account { account: 1, job: 1 }));
        assert_eq!(ask(problem().with_account(&[2], 9.0)), Err(BatchError::Account { account: 0, job: 2 }));
        assert!(ask(problem().with_account(&[0], f64::NAN)).is_err());
    }
    // Where jobs have identifiers, the job is named by its own.
    let planner = Planner::new(Goal::MinTime { budget: None });
    let planner = planner.with_coverage(Coverage::Penalties(vec![1.0, f64::NAN]));
    let of = |job| JobWindows { job: JobId(job), windows: Vec::new(), refusal: None };
    assert!(planner.plan(&[of(7), of(5)]).unwrap_err().to_string().contains(" of job 5 must"));
    let poor = ExpandingCore.choose(&problem().with_account(&[0, 1], 2.5)).unwrap().refusal.unwrap();
    assert_eq!(poor, ChoiceRefusal::AccountTooSmall { account: 0, least: 3.0, limit: 2.5 });
    assert_eq!(poor.short_by(), 0.5);
    // As much is missing if an infinite penalty asks for the jobs.
    let asked = Coverage::Penalties(vec![f64::INFINITY; 2]);
    let least = |problem: ChoiceProblem<'_>| {
        let outcome = ExpandingCore.choose(&problem).unwrap();
        assert!(outcome.is_infeasible() && outcome.bound.is_none(), "{outcome}");
        outcome.refusal
    };
    let poor = problem().with_account(&[0, 1], -1.0);
    assert_eq!(least(poor.clone().with_coverage(asked)), least(poor));
    // No budget is too small for the jobs of an account that has none.
    let one = Alternatives::new(&[vec![(1.0, 5.0), (5.0, 1.0)]]).unwrap();
    let both = ChoiceProblem::new(&one, Goal::MinCost { time_limit: Some(3.0) }).with_account(&[], -1.0);
    let both = both.with_account(&[0], 2.0).with_coverage(Coverage::Penalties(vec![f64::INFINITY]));
    assert_eq!(least(both), Some(ChoiceRefusal::OutOfReach { least: 5.0, limit: 3.0 }));
    let coverage = problem().with_coverage(Coverage::MostJobs);
    for problem in [coverage, problem().with_account(&[0], 1.0)] {
        let refused = ChooserKind::BackwardRun.build().choose(&problem);
        assert!(matches!(refused, Err(BatchError::Together { .. })));
    }
}

#[test]
fn the_income_within_a_derived_limit_is_a_budget_that_can_be_kept() {
    let batch = Alternatives::new(&[vec![(9.0, 1.0), (3.0, 6.0)], vec![(8.0, 2.5), (2.0, 4.0)]]).unwrap();
    assert_eq!([Floor::Sum, Floor::Term].map(|floor| derived_time_limit(&batch, floor)), [6.0; 2]);
    let limit = Limit::default();
    let goal = with_derived_limit(Goal::MinTime { budget: None }, &batch, &mut limit.meter());
    assert_eq!(goal.unwrap().limit(), Some(17.0));
    // Rounded down, 0.5 would be out of reach.
    let short = Alternatives::new(&[vec![(1.0, 0.5)]]).unwrap();
    let goal = with_derived_limit(Goal::MinCost { time_limit: None }, &short, &mut limit.meter());
    assert_eq!(goal.unwrap().limit(), Some(0.5));
}

/// A unit of time costs 10^-250, so no double is a multiplier. The budget allows one job to be sped up; the second
/// one gains most.
#[test]
fn values_too_far_apart_for_a_multiplier_are_chosen_by() {
    let least = 1e-200;
    let rows = [1e50, 3e50, 1e49].map(|time| vec![(0.0, time), (least, 0.0)]);
    let batch = Alternatives::new(&rows).unwrap();
    for &kind in ChooserKind::ALL {
        let found = solve(kind, &batch, Goal::MinTime { budget: Some(least) });
        assert_eq!(found.best.as_ref().unwrap().picks, [Some(0), Some(1), Some(0)], "{kind}");
    }
    // The bound holds at any stop.
    for work in 0..500 {
        let limit = Limit::default().with_work(work);
        let problem = Goal::MinTime { budget: Some(least) };
        let found = ExpandingCore.solve(&ChoiceProblem::new(&batch, problem), &mut limit.meter()).unwrap();
        assert!(found.bound.is_none_or(|bound| bound <= 1e50 + 1e49), "{work}: {found:?}");
    }
}

#[test]
fn fronts_are_equal_by_points_and_choices() {
    let front = |rows: [[(f64, f64); 2]; 2]| front(&Alternatives::new(&rows).unwrap()).unwrap().unwrap();
    let one = front([[(4.0, 6.0), (8.0, 3.0)], [(5.0, 4.0), (7.0, 3.0)]]);
    assert_eq!(one, one.clone());
    // The front of the same points from alternatives in another order is different, and so is a front of other
    // points.
    assert_ne!(one, front([[(8.0, 3.0), (4.0, 6.0)], [(5.0, 4.0), (7.0, 3.0)]]));
    assert_ne!(one, front([[(4.0, 6.0), (8.0, 2.0)], [(5.0, 4.0), (7.0, 3.0)]]));
}

#[test]
fn of_equal_alternatives_the_first_is_taken() {
    let twice = |pairs: [(f64, f64); 2]| pairs.into_iter().flat_map(|pair| [pair; 2]).collect::<Vec<_>>();
    let one = twice([(1.0, 3.0), (3.0, 1.0)]);
    let batch = Alternatives::new(&[one.clone(), one, twice([(2.0, 5.0), (4.0, 2.0)])]).unwrap();
    for &kind in ChooserKind::ALL {
        for (budget, taken) in [(4.0, Some(0)), (10.0, Some(2))] {
            let found = solve(kind, &batch, Goal::MinTime { budget: Some(budget) });
            assert_eq!(found.best.unwrap().picks, [taken; 3], "{kind}");
        }
    }
}
