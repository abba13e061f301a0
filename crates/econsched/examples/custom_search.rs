//! A search of your own, used by the search for all alternatives.
//!
//! All nodes of a window must be in one rack: ten consecutive node numbers. The search runs AMP on each rack and
//! takes the window that finishes first.

use econsched::prelude::*;
use econsched::sched_model::{End, Meter, Outcome};
use econsched::slot_window::WindowError;
use econsched::testkit;

#[derive(Debug)]
struct OneRack;

impl WindowSearch for OneRack {
    fn name(&self) -> &str {
        "one-rack"
    }

    // Its windows keep AMP's promises, so they are checked as AMP's are.
    fn rules(&self) -> Rules {
        Amp::new().rules()
    }

    fn solve(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Outcome<Window>, WindowError> {
        let before = meter.work();
        meter.spend(query.slots.len() as u64)?; // a unit for each slot read; limit and signal are asked here
        let rack = |slot: &Slot| slot.node.0 / 10;
        let racks: std::collections::BTreeSet<u32> = query.slots.iter().map(rack).collect();
        let (mut best, mut end): (Option<Window>, _) = (None, End::Done);
        for number in racks {
            // A part of the list, with its tariff and features.
            let own = query.slots.filtered(|slot| rack(slot) == number);
            let found = Amp::new().solve(&query.with_slots(&own), meter)?;
            if found.end != End::Done {
                end = found.end; // stopped: that no window was found then proves nothing
            }
            if let Some(window) = found.best
                && best.as_ref().is_none_or(|best| window.finish() < best.finish())
            {
                best = Some(window);
            }
        }
        let best = best.map(|window| (window.clone(), window.finish().get()));
        Ok(Outcome::stopped(best, None, meter.work() - before, end))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Every window keeps the rules, whatever the tariff, the demands and the limit.
    let seen = testkit::search(&OneRack).run(200)?;
    println!("{} windows in {} cases, all within the rules", seen.solved, seen.cases);

    // Two racks: a slow one that is free, a fast one that is free later.
    let slow = (10..14).map(|id| Node::must(id, 1.0, 1.0));
    let fast = (20..24).map(|id| Node::must(id, 3.0, 2.0));
    let nodes: Vec<Node> = slow.chain(fast).collect();
    let busy: Vec<Occupied> = (20..24).map(|id| Occupied::must(id, 0.0, 20.0)).collect();
    let slots = SlotList::from_nodes(&nodes, &busy, Time::ZERO, Time::must(120.0))?;
    let request = ResourceRequest::must(3, 60.0);
    let batch = Batch::new((1..=4).map(|id| Job::new(JobId(id), request.clone())).collect())?;

    let found = AlternativesSearch::new(OneRack).find(&slots, &batch, Time::ZERO)?;
    for JobWindows { job, windows, .. } in &found.jobs {
        for window in windows {
            let nodes: Vec<_> = window.placements().iter().map(|placement| placement.node.0).collect();
            println!("job {job}: nodes {nodes:?} from {} to {}", window.start(), window.finish());
            assert!(nodes.iter().all(|node| node / 10 == nodes[0] / 10));
        }
    }

    let plan = batch_dp::Planner::new(Goal::MinCost { time_limit: None }).plan(&found.jobs)?;
    let violations = Checker::new(&slots, OneRack.rules()).schedule(&plan.schedule, &batch);
    let placed = plan.schedule.placed().count();
    println!("{placed} of {} jobs placed, {} violations", batch.len(), violations.len());
    Ok(())
}
