//! A spot broker: free time is sold in rounds, prices follow demand, and a job whose bid is too low is interrupted.
//!
//! Money is counted in whole cents and billed by the minute; budgets hold to the cent.

use econsched::prelude::*;
use econsched::sched_model::{Rounding, Tariff};
use std::collections::BTreeMap;

/// A job, and the greatest price per node and minute that its user pays.
#[derive(Clone, Copy)]
struct Bid {
    job: Job,
    most: Price,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let at = Time::must;
    let mut nodes: Vec<Node> =
        (1..=4).map(|id| Node::new(NodeId(id), Speed::ETALON, Price::must(10.0))).collect();
    // Minutes are the unit of time, cents that of money: each charge a whole number, begun five minutes in full.
    let tariff = Tariff::default().with_digits(2, Rounding::Up).with_increment(Span::must(5.0))?;
    let mut free = SlotList::from_nodes(&nodes, &[], at(0.0), at(240.0))?.with_tariff(tariff);

    let mut waiting: Vec<Bid> = Vec::new();
    let mut running: BTreeMap<JobId, (Bid, Window)> = BTreeMap::new();
    let (mut income, mut next_id) = (Money::ZERO, 1);

    for round in 0..6 {
        let now = at(f64::from(round) * 20.0);
        free.advance(now);

        // Three jobs come in each of the first rounds; their bids differ.
        for (width, minutes, most) in [(1, 33.0, 14.0), (2, 25.0, 12.0), (3, 12.0, 30.0)] {
            if round < 4 {
                let most = Price::must(most);
                let request = ResourceRequest::new(width, Work::must(minutes))?.with_price_limit(most);
                waiting.push(Bid { job: Job::new(JobId(next_id), request).with_submit(now), most });
                next_id += 1;
            }
        }

        // The two phases: the windows that each job can have, then the choice with the greatest income within the derived
        // time limit.
        let batch = Batch::new(waiting.iter().map(|bid| bid.job).collect())?;
        let search = AlternativesSearch::new(Alp::new()).with_max_per_job(3);
        let found = search.find(&free, &batch, now)?;
        let plan = batch_dp::plan(found.offers(), Goal::MaxIncome { time_limit: None })?;
        assert!(Checker::new(&free, Alp::new().rules()).schedule(&plan.schedule, &batch).is_empty());
        for (job, window) in plan.schedule.placed() {
            // Only windows that start in this round are sold now; the other jobs bid again.
            if window.start() < now + Span::must(20.0) {
                free.cut(window)?;
                income = Money::total([income, window.cost()]);
                if let Some(bid) = waiting.iter().position(|bid| bid.job.id == job) {
                    running.insert(job, (waiting.remove(bid), window.clone()));
                }
            }
        }
        running.retain(|_, (_, window)| window.finish() > now);

        // Prices follow use: 20% up where a node is held at the end of the round, 10% down where it is not.
        let next = now + Span::must(20.0);
        for node in &mut nodes {
            let sold =
                running.values().any(|(_, window)| window.takes(node.id, next, next + Span::must(1.0)));
            let cents = (node.price.get() * if sold { 1.2 } else { 0.9 }).round().max(5.0);
            node.price = Price::must(cents);
            free.reprice(node.id, node.price, next);
        }

        // A job on a node whose price is now above its bid is interrupted, and bids again for the whole job.
        let too_dear = |bid: &Bid, window: &Window| {
            nodes.iter().any(|node| node.price > bid.most && window.takes(node.id, next, window.finish()))
        };
        let hit: Vec<JobId> = running
            .iter()
            .filter(|(_, (bid, window))| window.finish() > next && too_dear(bid, window))
            .map(|(&job, _)| job)
            .collect();
        for job in &hit {
            if let Some((bid, window)) = running.remove(job) {
                // No money is returned. The time that comes back has the price at which it was sold, until it is repriced below.
                free.give_back_rest(&window, next)?;
                waiting.push(bid);
            }
        }
        for node in &nodes {
            free.reprice(node.id, node.price, next);
        }
        let prices: Vec<f64> = nodes.iter().map(|node| node.price.get()).collect();
        println!(
            "minute {:>3}: {} run, {} wait, {} interrupted, prices {prices:?}, income {:.2}",
            now,
            running.len(),
            waiting.len(),
            hit.len(),
            income.get() / 100.0
        );
    }
    assert!(income > Money::ZERO && income.get().fract() == 0.0);
    Ok(())
}
