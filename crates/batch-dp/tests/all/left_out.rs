//! Cases computed by hand: jobs left out, ties, penalties, and budgets of users.

use crate::asked::select;
use batch_dp::*;
use econsched::testkit::Draw;
use sched_model::{End, Limit};

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

/// Numbers over 60 decades have many limbs; a few such numbers must need only the memory of a few.
#[test]
fn few_jobs_with_numbers_of_sixty_decades_need_little_memory() {
    let batch = Alternatives::new(&[vec![(0.0, 1.0)], vec![(2.0, 5e59)], vec![(1.0, 1e-60)]]).unwrap();
    let limit = Limit::default().with_memory(1_000_000);
    for goal in [Goal::MaxTime { budget: Some(9.0) }, Goal::MaxIncome { time_limit: Some(1e60) }] {
        let found = |budgets: [f64; 2], coverage: Coverage| {
            let problem = ChoiceProblem::new(&batch, goal).with_coverage(coverage);
            let problem = problem.with_account(&[0, 1], budgets[0]).with_account(&[2], budgets[1]);
            ExpandingCore.solve(&problem, &mut limit.meter()).unwrap()
        };
        for service in [
            Coverage::MostJobs,
            Coverage::MostWeight(vec![1.0, 1e-30, 1e30]),
            Coverage::Penalties(vec![1.0; 3]),
        ] {
            let found = found([0.0, 0.5], service);
            assert_eq!((found.end, found.best.unwrap().picks), (End::Done, vec![Some(0), None, None]));
        }
        assert_eq!(found([2.0, 1.5], Coverage::EveryJob).best.map(|choice| choice.cost), Some(3.0));
    }
}
