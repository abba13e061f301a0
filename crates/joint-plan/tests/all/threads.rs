//! The plan is the same on any number of threads.

#![cfg(feature = "rayon")]

use crate::drawn::planned;
use joint_plan::{Effort, Goal, JointPlan, PlanProblem};
use sched_model::*;

/// Forty jobs of one or two nodes on twelve nodes with gaps: enough jobs for their searches to run in parallel.
fn plan(threads: usize, effort: Effort, goal: Goal) -> JointPlan {
    let nodes: Vec<Node> = (0..12_u32)
        .map(|id| {
            let (speed, price) = (1.0 + f64::from(id % 4), 1.0 + f64::from(id * 7 % 5));
            Node::must(id, speed, price)
        })
        .collect();
    let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(400.0)).unwrap();
    let jobs = (0..40_u32).map(|id| {
        let request = ResourceRequest::new(1 + id as usize % 2, Work::must(20.0 + f64::from(id * 13 % 50)));
        Job::new(JobId(u64::from(id)), request.unwrap())
    });
    let batch = Batch::new(jobs.collect()).unwrap();
    let limit = Limit::default().with_work(300_000).with_relative_gap(1e-3);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| planned(&PlanProblem::new(&slots, &batch, goal), effort, &limit))
}

#[test]
fn one_thread_and_four_give_the_same_plan() {
    for effort in [Effort::Quick, Effort::Normal, Effort::Hard] {
        for goal in [Goal::MinFinish { budget: None }, Goal::MinCost { time_limit: None }] {
            assert_eq!(plan(1, effort, goal), plan(4, effort, goal), "{effort:?} {goal:?}");
        }
    }
}
