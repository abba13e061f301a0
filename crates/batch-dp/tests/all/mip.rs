//! Choices with maximum service and with budgets of users, compared with optima of an integer solver:
//! `benches/peers/service_mip.py` solves the cases and writes `data/service_mip.json`.

use crate::asked::select;
use batch_dp::{Alternatives, Choice, ChoiceProblem, Chooser, Coverage, ExpandingCore, Goal};
use sched_model::{End, Limit};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    jobs: Vec<Vec<(f64, f64)>>,
    problem: String,
    limit: f64,
    weights: Vec<f64>,
    penalties: Vec<f64>,
    user_of: Vec<usize>,
    budgets: Vec<f64>,
    optima: Optima,
}

/// The number or weight of the jobs left out if it counts first, the criterion with its sign, and the use of the limit.
#[derive(Deserialize)]
struct Optima {
    most_jobs: Vec<f64>,
    greatest_weight: Vec<f64>,
    penalties: Vec<f64>,
    /// `None` if there is no choice.
    purses: Option<Vec<f64>>,
}

impl Case {
    fn all() -> impl Iterator<Item = (Self, Alternatives, Goal)> {
        let all: Vec<Self> = serde_json::from_str(include_str!("../data/service_mip.json")).unwrap();
        all.into_iter().map(|case| {
            let limit = Some(case.limit);
            let goal = match case.problem.as_str() {
                "min_time" => Goal::MinTime { budget: limit },
                "max_time" => Goal::MaxTime { budget: limit },
                "min_cost" => Goal::MinCost { time_limit: limit },
                _ => Goal::MaxIncome { time_limit: limit },
            };
            let batch = Alternatives::new(&case.jobs).unwrap();
            (case, batch, goal)
        })
    }
}

/// The criterion with its sign, and the use of the limit.
fn sides(goal: Goal, choice: &Choice) -> [f64; 2] {
    let used = if goal.limits_cost() { choice.cost } else { choice.time };
    [-goal.sense().sign() * choice.value(goal), used]
}

#[test]
fn services_are_as_good_as_the_integer_solver_says() {
    for (case, batch, goal) in Case::all() {
        for (service, optimum) in [
            (Coverage::MostJobs, &case.optima.most_jobs),
            (Coverage::MostWeight(case.weights.clone()), &case.optima.greatest_weight),
            (Coverage::Penalties(case.penalties.clone()), &case.optima.penalties),
        ] {
            let outcome = select(&batch, goal, &service, &mut Limit::default().meter()).unwrap();
            let choice = outcome.best.unwrap();
            let [criterion, used] = sides(goal, &choice);
            let found = match service {
                Coverage::Penalties(_) => vec![criterion + choice.left_out, used],
                _ => vec![choice.left_out, criterion, used],
            };
            assert_eq!((outcome.end, &found), (End::Done, optimum), "{goal:?}, {service:?}");
        }
    }
}

#[test]
fn budgets_of_users_are_as_good_as_the_integer_solver_says() {
    let mut chosen = 0;
    for (case, batch, goal) in Case::all() {
        let mut paid = ChoiceProblem::new(&batch, goal);
        for (user, &budget) in case.budgets.iter().enumerate() {
            let own: Vec<usize> = (0..batch.jobs()).filter(|&job| case.user_of[job] == user).collect();
            paid = paid.with_account(&own, budget);
        }
        let outcome = ExpandingCore.choose(&paid).unwrap();
        let found = outcome.best.as_ref().map(|choice| sides(goal, choice).to_vec());
        assert_eq!((outcome.end, &found), (End::Done, &case.optima.purses), "{goal:?}");
        assert_eq!(outcome.refusal.is_some(), found.is_none());
        chosen += usize::from(found.is_some());
    }
    assert!((16..65).contains(&chosen), "{chosen} of 80");
}
