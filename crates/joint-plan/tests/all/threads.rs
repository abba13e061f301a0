//! The plan is the same on any number of threads.

#![cfg(feature = "rayon")]

use crate::drawn::planned;
use joint_plan::{Goal, Plan, PlanProblem};
use sched_model::*;

/// Forty jobs of one or two nodes on twelve nodes with gaps: enough jobs for their searches to run in parallel.
fn plan(threads: usize, goal: Goal) -> Outcome<Plan> {
    let node = |id: u32| Node::must(id, 1.0 + f64::from(id % 4), 1.0 + f64::from(id * 7 % 5));
    let nodes: Vec<Node> = (0..12).map(node).collect();
    let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(400.0)).unwrap();
    let job = |id| {
        let request = ResourceRequest::must(1 + id as usize % 2, 20.0 + (id * 13 % 50) as f64);
        Job::new(JobId(id), request)
    };
    let batch = Batch::new((0..40).map(job).collect()).unwrap();
    let limit = Limit::default().with_work(300_000).with_relative_gap(1e-3);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| planned(&PlanProblem::new(&slots, &batch, goal), &limit))
}

#[test]
fn one_thread_and_four_give_the_same_plan() {
    for goal in [Goal::MinFinish { budget: None }, Goal::MinCost { time_limit: None }] {
        assert_eq!(plan(1, goal), plan(4, goal), "{goal:?}");
    }
}
