//! The settings of a planner, in cases computed by hand. [`plans`](crate::plans) compares plans with all choices.

use batch_dp::*;
use sched_model::*;

/// A window on a node that no other window uses.
fn window(node: u32, start: f64, span: f64, price: f64) -> Window {
    let node = Node::must(node, 1.0, price);
    let slot = Slot::new(node, Time::ZERO, Time::must(1e6)).unwrap();
    let start = Time::must(start);
    Window::new(start, vec![Placement::on(&slot, start, Span::must(span), &Tariff::default())]).unwrap()
}

fn offers(jobs: &[Vec<Window>]) -> Vec<JobWindows> {
    let of = |(job, own): (JobId, &Vec<Window>)| JobWindows { job, windows: own.clone(), refusal: None };
    (0..).map(JobId).zip(jobs).map(of).collect()
}

fn plan(planner: &Planner, jobs: &[Vec<Window>]) -> Schedule {
    planner.plan(&offers(jobs)).unwrap().schedule
}

fn placed(schedule: &Schedule) -> Vec<u64> {
    schedule.placed().map(|(job, _)| job.0).collect()
}

/// Where the makespan comes first: a job whose windows all end later is refused with the time by which they do, unless
/// it was refused before.
#[test]
fn a_makespan_first_leaves_out_what_ends_later_and_keeps_reasons() {
    let planner = |goal| Planner::new(goal).with_makespan_first();
    let refusals = |schedule: &Schedule| {
        schedule.refused().map(|(job, refusal)| (job.0, refusal.clone())).collect::<Vec<_>>()
    };
    // The budget is that of one job. Job 0 takes the least time, and job 1 ends first.
    let mut jobs = offers(&[vec![window(1, 50.0, 1.0, 10.0)], vec![window(2, 0.0, 10.0, 1.0)], Vec::new()]);
    let given = Refusal::TooFewNodes { needed: 3, fast_enough: 1 };
    jobs[2].refusal = Some(given.clone());
    let planner_of_one = planner(Goal::MinTime { budget: Some(10.0) }).with_coverage(Coverage::MostJobs);
    let schedule = planner_of_one.plan(&jobs).unwrap().schedule;
    assert_eq!(placed(&schedule), [1]);
    let late = Refusal::Deadline { late_by: Span::must(41.0) };
    assert_eq!(refusals(&schedule), [(0, late), (2, given)]);
    // User 7 can pay for job 0, which ends first, but not for both jobs: the plan is that of job 2.
    let jobs = [(1, 0.0, 5.0), (2, 30.0, 10.0), (3, 0.0, 20.0)];
    let jobs = jobs.map(|(node, start, span)| vec![window(node, start, span, 1.0)]);
    let users = [(JobId(0), UserId(7)), (JobId(1), UserId(7))];
    let planner = planner(Goal::MinTime { budget: None }).with_user_budgets([(UserId(7), 12.0)], users);
    let schedule = plan(&planner, &jobs);
    assert_eq!(placed(&schedule), [2]);
    let poor = Refusal::Budget { short_by: Money::must(3.0) };
    assert_eq!(refusals(&schedule), [(0, poor.clone()), (1, poor)]);
}

#[test]
fn what_is_not_looked_at_together_is_refused() {
    let planner = || Planner::new(Goal::MinTime { budget: None });
    let paid = || planner().with_user_budgets([(UserId(1), 1.0)], []);
    let order = || Preference::Lexicographic(vec![VectorCriterion::Cost]);
    for (planner, part) in [
        (planner().with_preference(order()).with_makespan_first(), "the least makespan"),
        (planner().with_preference(order()).with_coverage(Coverage::MostJobs), "a service"),
        (paid().with_coverage(Coverage::MostJobs).with_makespan_first(), "budgets of users with a service"),
        (planner().with_coverage(Coverage::Penalties(Vec::new())).with_makespan_first(), "penalties"),
    ] {
        let error = planner.plan(&[]).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
    // There is a number for each job, also for those without windows.
    for given in [0, 1, 3] {
        let planner = planner().with_coverage(Coverage::MostWeight(vec![1.0; given]));
        let refused = planner.plan(&offers(&[vec![window(1, 0.0, 1.0, 1.0)], vec![]]));
        assert_eq!(refused, Err(BatchError::Count { jobs: 2, given }));
    }
}

/// Windows of two jobs on one node at the same time are refused, with both named; those of one job may
/// overlap.
#[test]
fn conflicting_windows_are_refused() {
    let window = |node, start, span| window(node, start, span, 1.0);
    let plan = |jobs: &[Vec<Window>]| {
        let planner = Planner::new(Goal::MinCost { time_limit: Some(1e9) });
        planner.plan(&offers(jobs)).map(|plan| plan.schedule.len())
    };
    let (long, inside) = (window(7, 0.0, 50.0), window(7, 20.0, 5.0));
    assert_eq!(plan(&[vec![long.clone(), inside.clone()], vec![window(7, 50.0, 5.0)]]), Ok(2));
    let conflict = |first, second| {
        Err(BatchError::Conflict { first: JobId(first), second: JobId(second), node: NodeId(7) })
    };
    assert_eq!(plan(&[vec![long.clone()], vec![inside.clone()]]), conflict(0, 1));
    // The first window of job 0 is still running when job 2 starts; between them in the order is another window of
    // job 0.
    let jobs = [vec![long.clone(), window(7, 1.0, 2.0)], vec![], vec![window(7, 49.0, 5.0)]];
    assert_eq!(plan(&jobs), conflict(0, 2));
    let jobs = [vec![long, window(7, 52.0, 20.0)], vec![window(7, 50.0, 1.0)], vec![window(7, 71.0, 5.0)]];
    assert_eq!(plan(&jobs), conflict(0, 2));
}

/// Three jobs of a user who can pay for two, and under a budget for two: the refusal of one states the amount that
/// the user, or the batch, lacks.
#[test]
fn a_plan_serves_what_can_be_paid_for() {
    let windows =
        [(1, 5.0), (2, 2.0), (3, 3.0), (4, 6.0)].map(|(node, price)| vec![window(node, 0.0, 2.0, price)]);
    let users = (0..3).map(|job| (JobId(job), UserId(7)));
    let planner = Planner::new(Goal::MinCost { time_limit: Some(6.0) });
    let planner = planner.with_user_budgets([(UserId(7), 11.0), (UserId(8), -1.0)], users);
    // All jobs of a user or none.
    assert_eq!(placed(&plan(&planner, &windows)), [3]);
    let planner = planner.with_coverage(Coverage::MostJobs);
    let most = plan(&planner, &windows);
    assert_eq!(placed(&most), [1, 2, 3]);
    // The front ignores the coverage, so it has none of the jobs of user 7.
    let front = planner.front(&offers(&windows), &mut Limit::default().meter()).unwrap().unwrap();
    assert_eq!(front.points(), [Point { cost: 12.0, time: 2.0 }]);
    assert_eq!(most.refused().next(), Some((JobId(0), &Refusal::Budget { short_by: Money::must(9.0) })));
    // The user of the first job owes money: it is refused, the others are served, and their weights remain their own.
    let users = (0..4).map(|job| (JobId(job), UserId(if job == 0 { 8 } else { 7 })));
    let planner = Planner::new(Goal::MinCost { time_limit: Some(6.0) });
    let planner = planner.with_user_budgets([(UserId(7), 12.0), (UserId(8), -1.0)], users);
    let weighted = Coverage::MostWeight(vec![9.0, 1.0, 1.0, 3.0]);
    let weighted = plan(&planner.with_coverage(weighted), &windows);
    assert_eq!(placed(&weighted), [3]);
    assert_eq!(weighted.refused().next(), Some((JobId(0), &Refusal::Budget { short_by: Money::must(11.0) })));
    let planner = Planner::new(Goal::MinTime { budget: Some(11.0) });
    assert_eq!(placed(&plan(&planner, &windows[..3])), [0; 0]);
    let most = plan(&planner.with_coverage(Coverage::MostJobs), &windows[..3]);
    assert_eq!(placed(&most), [1, 2]);
    assert_eq!(most.refused().next(), Some((JobId(0), &Refusal::BatchLimit { short_by: 9.0 })));
}

/// The cheaper of two windows is preferred; its value is what the goal counts.
#[test]
fn the_value_of_a_preferred_plan_is_that_of_its_goal() {
    let jobs = offers(&[vec![window(1, 0.0, 2.0, 5.0), window(2, 0.0, 4.0, 1.5)]]);
    let cheapest = Preference::Lexicographic(vec![VectorCriterion::Cost]);
    for (goal, value) in [(Goal::MinTime { budget: None }, 4.0), (Goal::MinCost { time_limit: None }, 6.0)] {
        let outcome = Planner::new(goal).with_preference(cheapest.clone()).plan(&jobs).unwrap().outcome;
        assert_eq!(outcome.value, Some(value), "{goal:?}");
    }
}
