//! Plans and choices compared with the optima of drawn instances.

use crate::conflicts::Conflicts;
use crate::drawn::{instance, near, plan, planned};
use crate::joint::JointPlans;
use econsched::testkit::Check;
use joint_plan::{Goal, PlanProblem};
use sched_model::check::{Holding, Rules};
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

/// The number of placed jobs, the sum of makespans and that of objectives. Seeds are fixed: the numbers are measured.
#[test]
fn plans_with_the_least_makespan_are_as_good_as_measured() {
    let (mut placed, mut ends, mut objectives) = (0, 0.0, 0.0);
    for seed in 0..60 {
        let instance = instance(seed);
        for rules in [Rules::per_window(1.0), Rules::per_slot().with_holding(Holding::SlowestSpan)] {
            let problem = instance.problem().with_rules(rules).with_makespan_first();
            let found = planned(&problem, &near().with_work(300_000));
            placed += plan(&found).schedule.placed().count();
            ends += plan(&found).schedule.makespan().map_or(0.0, Time::get);
            objectives += found.value.unwrap();
        }
    }
    assert_eq!((placed, ends, (objectives * 1e6).round()), (359, 1301.8333333333335, 1_836_466_667.0));
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
