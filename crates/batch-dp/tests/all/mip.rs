//! Choices with maximum service and with budgets of users, compared with optima of an integer solver:
//! `benches/peers/service_mip.py` solves the cases and writes `data/service_mip.json`.

use crate::asked::select;
use batch_dp::{Alternatives, Choice, ChoiceProblem, Chooser, Coverage, ExpandingCore, Goal};
use sched_model::{End, Limit, Sense};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

struct Case {
    batch: Alternatives,
    problem: Goal,
    value: Value,
}

fn cases() -> Vec<Case> {
    let all: Vec<Value> = serde_json::from_str(include_str!("../data/service_mip.json")).unwrap();
    let case = |value: Value| {
        let rows: Vec<Vec<(f64, f64)>> = (value["jobs"].as_array().unwrap().iter())
            .map(|row| row.as_array().unwrap().iter().map(numbers).map(|pair| (pair[0], pair[1])).collect())
            .collect();
        let limit = value["limit"].as_f64().unwrap();
        let problem = match value["problem"].as_str().unwrap() {
            "min_time" => Goal::MinTime { budget: Some(limit) },
            "max_time" => Goal::MaxTime { budget: Some(limit) },
            "min_cost" => Goal::MinCost { time_limit: Some(limit) },
            _ => Goal::MaxIncome { time_limit: Some(limit) },
        };
        Case { batch: Alternatives::new(&rows).unwrap(), problem, value }
    };
    all.into_iter().map(case).collect()
}

/// The criterion with its sign, and the use of the limit.
fn sides(problem: Goal, choice: &Choice) -> [f64; 2] {
    let sign = if problem.sense() == Sense::Maximise { -1.0 } else { 1.0 };
    if problem.limits_cost() { [sign * choice.time, choice.cost] } else { [sign * choice.cost, choice.time] }
}

#[test]
fn services_are_as_good_as_the_integer_solver_says() {
    let mut compared = 0;
    for (number, Case { batch, problem, value }) in cases().into_iter().enumerate() {
        for (name, service) in [
            ("most_jobs", Coverage::MostJobs),
            ("greatest_weight", Coverage::MostWeight(numbers(&value["weights"]))),
            ("penalties", Coverage::Penalties(numbers(&value["penalties"]))),
        ] {
            let outcome = select(&batch, problem, &service, &mut Limit::default().meter()).unwrap();
            assert_eq!(outcome.end, End::Done, "case {number}, {name}");
            let choice = outcome.best.unwrap();
            let [criterion, used] = sides(problem, &choice);
            let found = match service {
                Coverage::Penalties(_) => vec![criterion + choice.left_out, used],
                _ => vec![choice.left_out, criterion, used],
            };
            assert_eq!(found, numbers(&value["optima"][name]), "case {number}, {name}");
            compared += 1;
        }
    }
    assert_eq!(compared, 240);
}

#[test]
fn budgets_of_users_are_as_good_as_the_integer_solver_says() {
    let mut chosen = 0;
    for (number, Case { batch, problem, value }) in cases().into_iter().enumerate() {
        let (user_of, budgets) = (numbers(&value["user_of"]), numbers(&value["budgets"]));
        let paid =
            budgets.iter().enumerate().fold(ChoiceProblem::new(&batch, problem), |paid, (user, &budget)| {
                let own: Vec<usize> = (0..user_of.len()).filter(|&job| user_of[job] == user as f64).collect();
                paid.with_account(&own, budget)
            });
        let outcome = ExpandingCore.choose(&paid).unwrap();
        let optimum = &value["optima"]["purses"];
        assert_eq!(outcome.refusal.is_some(), optimum.is_null(), "case {number}: {outcome:?}");
        if let Some(choice) = &outcome.best {
            assert_eq!(outcome.end, End::Done, "case {number}");
            assert_eq!(sides(problem, choice)[..], numbers(optimum), "case {number}");
            chosen += 1;
        }
    }
    assert!((16..65).contains(&chosen), "{chosen} of 80");
}
