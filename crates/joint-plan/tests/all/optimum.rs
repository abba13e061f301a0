//! Plans and choices compared with the optima of drawn instances.

use crate::conflicts::Conflicts;
use crate::drawn::{instance, near, plan, planned};
use crate::joint::JointPlans;
use econsched::testkit::Check;
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
