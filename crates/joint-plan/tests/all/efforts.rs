//! A greater effort never ends with a worse plan than the quick one.

use crate::drawn::{Instance, crowded, instance, measure, planned};
use joint_plan::{Effort, Goal, PlanProblem};
use sched_model::check::{Holding, Rules};
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

/// Every search of the portfolio keeps the price limit of a slot, First Fit too: on node 1, which is above it, one of
/// the two jobs would end earlier.
#[test]
fn windows_of_all_searches_keep_the_rules_of_the_problem() {
    let nodes = [Node::must(1, 1.0, 9.0), Node::must(2, 1.0, 1.0)];
    let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(40.0)).unwrap();
    let request = ResourceRequest::must(1, 10.0).with_price_limit(Price::must(2.0));
    let job = |id| Job::new(JobId(id), request.clone().with_budget(Money::must(100.0)));
    let batch = Batch::new(vec![job(1), job(2)]).unwrap();
    let rules = Rules::per_slot().with_holding(Holding::SlowestSpan);
    let problem = PlanProblem::new(&slots, &batch, Goal::MinFinish { budget: None }).with_rules(rules);
    for effort in [Effort::Normal, Effort::Hard] {
        assert_eq!(planned(&problem, effort, &usual()).objective, 10.0 + 20.0);
    }
}
