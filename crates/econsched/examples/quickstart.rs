//! From slots to a schedule.

use econsched::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Three nodes, one of them busy until 30, and two jobs that want two nodes at once.
    let node = |id, speed, price| Node::new(NodeId(id), Speed::must(speed), Price::must(price));
    let nodes = [node(1, 1.0, 1.0), node(2, 2.0, 3.0), node(3, 2.0, 4.0)];
    let busy = [Occupied::new(NodeId(2), Time::ZERO, Time::must(30.0))?];
    let slots = SlotList::from_nodes(&nodes, &busy, Time::ZERO, Time::must(200.0))?;
    let request = ResourceRequest::new(2, Work::must(60.0))?.with_budget(Money::must(220.0));
    let batch = Batch::new(vec![Job::new(JobId(1), request), Job::new(JobId(2), request)])?;

    // The cycle: windows of each job, then one window for each job, so that the sum of run times is least
    // within the derived budget.
    let found = AlternativesSearch::new(Amp::new()).find(&slots, &batch, Time::ZERO)?;
    let plan = batch_dp::plan(found.offers(), Goal::MinTime { budget: None })?;

    for (job, window) in plan.schedule.placed() {
        let nodes: Vec<_> = window.placements().iter().map(|placement| placement.node.0).collect();
        println!(
            "job {job}: nodes {nodes:?} from {} to {}, cost {}",
            window.start(),
            window.finish(),
            window.cost()
        );
    }
    for (job, reason) in plan.schedule.refused() {
        println!("job {job}: {reason}");
    }
    println!("{} alternatives, {:?}, proof: {}", found.total(), plan.problem, plan.proof());
    Ok(())
}
