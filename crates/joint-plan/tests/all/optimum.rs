//! Plans compared with the optimum.

use crate::conflicts::Conflicts;
use crate::drawn::{instance, near, plan, planned};
use crate::joint::JointPlans;
use econsched::testkit::{Check, Draw};
use joint_plan::{Goal, PlanProblem};
use sched_model::check::{Checker, Holding, Rules};
use sched_model::*;

#[test]
fn plans_are_feasible_bounds_hold_and_nearly_all_plans_are_best() {
    let seen = Check::new(JointPlans).run(600).unwrap();
    // Seeds are fixed: the numbers are measured, and no promise for all instances.
    assert_eq!((seen.solvable, seen.solved), (600, 600));
}

#[test]
fn choices_among_candidates_that_conflict_are_the_best_of_all() {
    let seen = Check::new(Conflicts).run(3_000).unwrap();
    assert_eq!(seen.solved, 3_000);
}

/// The number of placed jobs, the sum of makespans and the sum of objectives if the makespan is minimised first,
/// and if a price limit applies to each slot. Seeds are fixed: the numbers are measured.
#[test]
fn plans_under_each_rule_are_as_good_as_measured() {
    let mut derived = Rules::per_slot();
    derived.budget_factor = Some(0.75);
    let square = |rules: Rules| rules.with_holding(Holding::SlowestSpan);
    let slots = [Rules::per_slot(), square(Rules::per_slot()), derived, square(derived)];
    let (mut placed, mut ends, mut objectives) = (0, 0.0, 0.0);
    for (of, rules) in [Rules::per_window(1.0)].into_iter().chain(slots).enumerate() {
        for seed in 0..150 {
            let mut instance = instance(seed);
            if of > 0 {
                let mut draw = Draw::new(seed, 3);
                let limited = |job: &Job| {
                    let limit = Price::must(draw.between(3, 10) as f64 / 10.0);
                    Job { request: job.request.clone().with_price_limit(limit), ..*job }
                };
                instance.batch = Batch::new(instance.batch.iter().map(limited).collect()).unwrap();
            }
            let problem = instance.problem().with_rules(rules);
            let makespan_first = of == 0 || seed % 3 == 0;
            let problem = if makespan_first { problem.with_makespan_first() } else { problem };
            let found = planned(&problem, &near());
            let schedule = &plan(&found).schedule;
            let wrong = Checker::new(&instance.slots, rules).schedule(schedule, &instance.batch);
            assert!(wrong.is_empty(), "seed {seed}, {rules:?}: {wrong:?}");
            placed += schedule.placed().count();
            ends += schedule.makespan().map_or(0.0, Time::get);
            objectives += found.value.unwrap();
        }
    }
    assert_eq!((placed, ends, (objectives * 1e6).round()), (1174, 3320.0, 1_764_900_000.0));
}

/// A known plan that does not meet the demands is not used as a start.
#[test]
fn a_known_plan_that_does_not_meet_the_demands_is_ignored() {
    let node = |id, price| Node::must(id, 1.0, price);
    let slots =
        SlotList::from_nodes(&[node(1, 1.0), node(2, 3.0)], &[], Time::ZERO, Time::must(40.0)).unwrap();
    let slots = slots.with_features([(NodeId(2), Features::default().with_label("gpu"))]).unwrap();
    let request = ResourceRequest::must(1, 10.0);
    let batch = |request| Batch::new(vec![Job::new(JobId(1), request)]).unwrap();
    let goal = Goal::MinCost { time_limit: None };
    let known = planned(&PlanProblem::new(&slots, &batch(request.clone()), goal), &near());
    let batch = batch(request.with_demands(Demands::default().with_label("gpu")));
    let problem = PlanProblem::new(&slots, &batch, goal);
    let found = planned(&problem.with_start(plan(&known).schedule.clone()), &near());
    assert_eq!(plan(&found).schedule.place_of(JobId(1)).unwrap().nodes().collect::<Vec<_>>(), [NodeId(2)]);
}

/// Every search of the cycles keeps the price limit of a slot, First Fit too: on node 1, which is above it, one of the
/// two jobs would end earlier.
#[test]
fn windows_of_all_searches_keep_the_rules_of_the_problem() {
    let nodes = [Node::must(1, 1.0, 9.0), Node::must(2, 1.0, 1.0)];
    let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(40.0)).unwrap();
    let request = ResourceRequest::must(1, 10.0).with_price_limit(Price::must(2.0));
    let job = |id| Job::new(JobId(id), request.clone().with_budget(Money::must(100.0)));
    let batch = Batch::new(vec![job(1), job(2)]).unwrap();
    let rules = Rules::per_slot().with_holding(Holding::SlowestSpan);
    let problem = PlanProblem::new(&slots, &batch, Goal::MinFinish { budget: None }).with_rules(rules);
    assert_eq!(planned(&problem, &near()).value, Some(10.0 + 20.0));
}
