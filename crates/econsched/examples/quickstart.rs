//! Nodes, busy times, jobs: a checked plan. The README of the repository shows this program and its output.

use econsched::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Nodes: id, speed, price per unit of time. Node 2 is busy until 30; we plan up to 200.
    let nodes = [Node::must(1, 1.0, 1.0), Node::must(2, 2.0, 3.0), Node::must(3, 2.0, 4.0)];
    let busy = [Occupied::must(2, 0.0, 30.0)];
    let slots = SlotList::from_nodes(&nodes, &busy, Time::ZERO, Time::must(200.0))?;
    // Jobs: how many nodes at once, and the work on each of them.
    let batch = Batch::new(vec![
        Job::new(JobId(1), ResourceRequest::must(2, 60.0).with_budget(Money::must(220.0))),
        Job::new(JobId(2), ResourceRequest::must(1, 30.0).with_deadline(Time::must(50.0))),
        Job::new(JobId(3), ResourceRequest::must(3, 40.0).with_budget(Money::must(50.0))),
    ])?;
    let problem = PlanProblem::new(&slots, &batch, Goal::MinFinish { budget: None });
    let outcome = plan(&problem)?;
    println!("{outcome}"); // value, gap to the bound, why it ended
    let plan = outcome.solution()?;
    assert!(plan.violations(&problem).is_empty()); // by the independent checker
    println!("{plan}"); // a line for each job: its window, or why it has none
    Ok(())
}
