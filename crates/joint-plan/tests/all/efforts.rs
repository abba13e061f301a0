//! A greater effort never ends with a worse plan than the quick one.

use crate::drawn::{Instance, crowded, instance, measure, planned};
use joint_plan::Effort;
use sched_model::*;

/// A limit that reaches all parts of the search.
fn usual() -> Limit {
    Limit::default().with_work(300_000).with_relative_gap(1e-3)
}

/// Checks the plans of the other efforts against the quick one, under one limit. Returns how many are better.
fn never_worse(instance: &Instance, limit: &Limit, makespan_first: bool, what: &str) -> usize {
    let problem = instance.problem();
    let problem = if makespan_first { problem.with_makespan_first() } else { problem };
    let plan = |effort| {
        let plan = planned(&problem, effort, limit);
        let (placed, objective) = measure(&plan);
        (placed, plan.schedule.makespan().filter(|_| makespan_first), objective)
    };
    let quick = plan(Effort::Quick);
    let others = [Effort::Normal, Effort::Hard].map(plan);
    for other in &others {
        assert!(*other <= quick, "{what}, {limit:?}: {other:?} after {quick:?} of quick");
    }
    others.iter().filter(|other| **other < quick).count()
}

#[test]
fn more_effort_never_ends_with_a_worse_plan_than_the_quick_one() {
    // The same if a limit of work ends the search at any stage, and if a plan far from its bound is accepted.
    let works = [0, 200, 2_000, 20_000].map(|work| Limit::default().with_work(work));
    let limits = [&works[..], &[0.02, 0.5].map(|gap| usual().with_relative_gap(gap))].concat();
    for (makespan_first, seeds, limits, least) in [(false, 45, &limits[..], 15), (true, 24, &works, 4)] {
        let mut better = 0;
        for seed in 0..seeds {
            let instance = if seed % 3 == 0 { instance(seed) } else { crowded(seed) };
            let what = format!("seed {seed}, {:?}, {makespan_first}", instance.goal);
            better += never_worse(&instance, &usual(), makespan_first, &what);
            for limit in limits {
                never_worse(&instance, limit, makespan_first, &what);
            }
        }
        assert!(better > least, "{better}");
    }
}
