//! Plans by hand, from `tests/data/plans.txt`.
//!
//! A case is a planner (`$`), `joint` or `cycle=SEARCH,COVERAGE`, with settings: `user=ID:BUDGET`, `work=LIMIT`,
//! `makespan`, or `square` (the price limit holds for each slot, and all nodes are held for the slowest span). Below it
//! stand the slots, jobs and goal (`<`), if they are not those of the case before; then the value, the bound, the end,
//! and how many jobs are placed, left out, and without a window (`>`), each refused job or the error (`!`), and what is
//! known of each job alone (`=`): how many have no window, and the bound. `ECONSCHED_FREEZE=write cargo test -p
//! joint-plan --all-features --test all plans` writes the answers again.

use crate::drawn::{near, planner};
use crate::session::played;
use joint_plan::internal::AloneBound;
use joint_plan::{CyclePlanner, Goal, PlanProblem, Planner};
use sched_model::check::{Holding, Rules};
use sched_model::*;
use serde::Deserialize;
use slot_window::SearchKind;
use std::fmt::Write as _;

#[derive(Deserialize)]
struct Asked {
    slots: SlotList,
    jobs: Batch,
    goal: Goal,
    /// A known plan.
    start: Option<Schedule>,
}

#[test]
fn plans_are_as_they_were_computed() {
    let place = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/plans.txt");
    let mut text = String::new();
    played(place, &['>', '=', '!'], |line, input| {
        if !input.is_empty() {
            input.clone_into(&mut text);
        }
        let Asked { slots, jobs, goal, start } = serde_json::from_str(&text).unwrap();
        let (mut problem, mut limit) = (PlanProblem::new(&slots, &jobs, goal), near());
        problem = start.into_iter().fold(problem, PlanProblem::with_start);
        let (mut by, mut rules): (Box<dyn Planner>, _) = (Box::new(planner()), Rules::per_window(1.0));
        for word in line.split(' ').skip(1) {
            match word.split_once('=').unwrap_or((word, "")) {
                ("joint", _) => {}
                ("cycle", search) => {
                    let (search, coverage) = search.split_once(',').unwrap_or((search, r#""most_jobs""#));
                    let search = search.parse::<SearchKind>().unwrap().build();
                    let coverage = serde_json::from_str(coverage).unwrap();
                    rules = search.rules();
                    by = Box::new(CyclePlanner::new(search).with_coverage(coverage));
                }
                ("user", budget) => {
                    let (user, budget) = budget.split_once(':').unwrap();
                    let user = UserId(user.parse().unwrap());
                    problem = problem.with_user_budgets([(user, budget.parse().unwrap())]);
                }
                ("work", most) => limit = limit.with_work(most.parse().unwrap()),
                ("makespan", _) => problem = problem.with_makespan_first(),
                ("square", _) => {
                    rules = Rules::per_slot().with_holding(Holding::SlowestSpan);
                    problem = problem.with_rules(rules);
                }
                other => panic!("{other:?}"),
            }
        }
        let solve = |problem: &PlanProblem<'_>| by.solve(problem, &mut limit.meter());
        let found = match solve(&problem) {
            Ok(found) => found,
            Err(error) => return format!("! {error}\n"),
        };
        let plan = found.best.as_ref().unwrap();
        assert_eq!((plan.rules, plan.violations(&problem).len()), (rules, 0), "{line}");
        let placed = plan.schedule.placed().count();
        let bound = found.bound.map_or("no bound".to_owned(), |bound| format!("bound {bound:.2}"));
        let value = found.value.unwrap();
        assert!(found.bound.is_none_or(|bound| bound <= value), "{line}: {found}");
        let (left_out, without) = (plan.left_out, plan.unplaceable);
        let mut told = format!("> {value}, {bound}, {:?}; {placed} placed, ", found.end);
        let _ = writeln!(told, "{left_out} left out, {without} without a window");
        for (job, refusal) in plan.schedule.refused() {
            let _ = writeln!(told, "! job {job}: {refusal:?}");
        }
        if let Ok(alone) = AloneBound::of(&problem.clone().with_rules(rules)) {
            let _ = writeln!(told, "= {} without, {:.2}", alone.unplaceable(), alone.leaving_out(0));
        }
        // A known plan is kept.
        let again = solve(&problem.clone().with_start(plan.schedule.clone())).unwrap();
        let again = again.best.map(|plan| plan.schedule.placed().count());
        assert_eq!(again, Some(placed), "{line}");
        told
    });
}
