//! Cycles and plans of whole batches: alternatives, values, proofs and schedules.

use super::compare;
use super::draw::{Case, NUMBERS, case};
use econsched::batch_dp::{Goal, Planner};
use econsched::joint_plan::{JointPlanner, PlanProblem, Planner as _};
use econsched::sched_model::{Outcome, Schedule, Span, Time};
use econsched::slot_window::{AlternativesSearch, Amp};

/// Start, end and cost of each window in a schedule.
fn places(schedule: &Schedule) -> String {
    let place = |(job, window): (_, &econsched::sched_model::Window)| {
        format!("{job}: {:?} {:?} {:?}", window.start().get(), window.finish().get(), window.cost().get())
    };
    schedule.placed().map(place).collect::<Vec<_>>().join(", ")
}

fn cycle(name: &str, case: &Case, goal: Goal) -> (String, Schedule) {
    let found = AlternativesSearch::new(Amp::new()).with_max_per_job(20);
    let found = found.find(&case.slots, &case.batch, Time::ZERO).unwrap();
    let counts: Vec<usize> = found.jobs.iter().map(|of| of.windows.len()).collect();
    let plan = Planner::new(goal).with_derived_limit().plan(&found.jobs).unwrap();
    (format!("{name}; cycle {goal:?}; alternatives {counts:?}; {}", places(&plan.schedule)), plan.schedule)
}

#[test]
fn plans_are_frozen() {
    let mut rows = Vec::new();
    for (size, (nodes, jobs)) in [(4, 3), (10, 6), (24, 10)].into_iter().enumerate() {
        for (structure, numbers) in NUMBERS.into_iter().enumerate() {
            let case = case(1000 + 10 * size as u64 + structure as u64, numbers, nodes, jobs);
            let name = format!("{nodes} x {jobs}; {numbers:?}");
            let (row, by_time) = cycle(&name, &case, Goal::MinTime { budget: None });
            rows.push(row);
            let (row, by_cost) = cycle(&name, &case, Goal::MinCost { time_limit: None });
            rows.push(row);
            let time: Span = by_cost.placed().map(|(_, window)| window.runtime()).sum();
            let (budget, time_limit) = (by_time.cost().get(), time.get());
            for goal in [
                Goal::MinTime { budget: Some(budget) },
                Goal::MinFinish { budget: Some(budget) },
                Goal::MinFinish { budget: Some(f64::INFINITY) },
                Goal::MinCost { time_limit: Some(time_limit) },
                Goal::MaxIncome { time_limit: Some(time_limit) },
            ] {
                let problem = PlanProblem::new(&case.slots, &case.batch, goal).with_from(Time::ZERO);
                let goal = format!("{goal:?}").replace("Some(", "").replace(')', "");
                let mut planner = JointPlanner::new();
                planner.shuffled = 0;
                let Outcome { best, value, bound, end, .. } = planner.plan(&problem).unwrap();
                let plan = best.unwrap();
                let worth = (value.unwrap(), bound, plan.left_out, plan.unplaceable, end);
                rows.push(format!("{name}; {goal}; {worth:?}; {}", places(&plan.schedule)));
            }
        }
    }
    compare("plans.csv", &rows);
}
