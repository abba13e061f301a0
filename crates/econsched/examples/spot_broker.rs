//! A spot broker: free time is sold in rounds, prices follow demand, and a job whose bid is too low is
//! interrupted.
//!
//! Money is counted in whole cents and billed by the minute; budgets hold to the cent.

use econsched::prelude::*;
use econsched::sched_model::{Rounding, Tariff};
use std::collections::BTreeMap;

/// How long a round takes.
const ROUND: f64 = 20.0;

struct Market {
    nodes: Vec<Node>,
    free: SlotList,
    /// Jobs, each with the maximum price per node and minute that its user pays.
    waiting: Vec<Job>,
    running: BTreeMap<JobId, (Job, Window)>,
    income: Money,
}

type Done = Result<(), Box<dyn std::error::Error>>;

fn main() -> Done {
    let nodes: Vec<Node> = (1..=4).map(|id| Node::must(id, 1.0, 10.0)).collect();
    // The unit of time is a minute and that of money a cent: each charge is a whole number, and every five minutes
    // that have begun are charged in full.
    let tariff = Tariff::default().with_digits(2, Rounding::Up).with_increment(Span::must(5.0))?;
    let free = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(240.0))?.with_tariff(tariff);
    let (waiting, running) = (Vec::new(), BTreeMap::new());
    let mut market = Market { nodes, free, waiting, running, income: Money::ZERO };

    for round in 0..6_u32 {
        let now = Time::must(f64::from(round) * ROUND);
        let next = now + Span::must(ROUND);
        market.free.advance(now);
        if round < 4 {
            market.come(3 * u64::from(round), now)?;
        }
        market.sell(now, next)?;
        market.reprice(next);
        let interrupted = market.interrupt(next)?;
        let prices: Vec<f64> = market.nodes.iter().map(|node| node.price.get()).collect();
        println!(
            "minute {:>3}: {} run, {} wait, {interrupted} interrupted, prices {prices:?}, income {:.2}",
            now,
            market.running.len(),
            market.waiting.len(),
            market.income.get() / 100.0
        );
    }
    assert!(market.income > Money::ZERO && market.income.get().fract() == 0.0);
    Ok(())
}

impl Market {
    /// Three jobs come in each of the first rounds; their bids differ.
    fn come(&mut self, before: u64, now: Time) -> Done {
        for (id, (width, minutes, most)) in
            (before + 1..).zip([(1, 33.0, 14.0), (2, 25.0, 12.0), (3, 12.0, 30.0)])
        {
            let request = ResourceRequest::must(width, minutes).with_price_limit(Price::must(most));
            self.waiting.push(Job::new(JobId(id), request).with_submit(now));
        }
        Ok(())
    }

    /// The two phases: the possible windows of each job, then the choice with the maximum income within the
    /// derived time limit. Only windows that start in this round are sold now; the other jobs bid again.
    fn sell(&mut self, now: Time, next: Time) -> Done {
        let batch = Batch::new(self.waiting.clone())?;
        let search = AlternativesSearch::new(Alp).with_max_per_job(3);
        let found = search.find(&self.free, &batch, now)?;
        let goal = Goal::MaxIncome { time_limit: None };
        let plan = batch_dp::Planner::new(goal).with_derived_limit().plan(&found.jobs)?;
        assert!(Checker::new(&self.free, Alp.rules()).schedule(&plan.schedule, &batch).is_empty());
        for (job, window) in plan.schedule.placed().filter(|(_, window)| window.start() < next) {
            self.free.cut(window)?;
            self.income += window.cost();
            if let Some(at) = self.waiting.iter().position(|waiting| waiting.id == job) {
                self.running.insert(job, (self.waiting.remove(at), window.clone()));
            }
        }
        self.running.retain(|_, (_, window)| window.finish() > now);
        Ok(())
    }

    /// Prices follow use: 20% up if a node is held at the end of the round, otherwise 10% down.
    fn reprice(&mut self, next: Time) {
        for node in &mut self.nodes {
            let is_held = |window: &Window| window.takes(node.id, next, next + Span::must(1.0));
            let sold = self.running.values().any(|(_, window)| is_held(window));
            let cents = (node.price.get() * if sold { 1.2 } else { 0.9 }).round().max(5.0);
            node.price = Price::must(cents);
            self.free.reprice(node.id, node.price, next);
        }
    }

    /// Interrupts jobs on nodes whose price is now above their bids; they bid again for the whole job. Returns how
    /// many there are.
    fn interrupt(&mut self, next: Time) -> Result<usize, Box<dyn std::error::Error>> {
        let too_expensive = |job: &Job, window: &Window| {
            let mut held = self.nodes.iter().filter(|node| window.takes(node.id, next, window.finish()));
            held.any(|node| job.request.price_limit.is_some_and(|most| node.price > most))
        };
        let hit: Vec<JobId> = self
            .running
            .iter()
            .filter(|(_, (job, window))| window.finish() > next && too_expensive(job, window))
            .map(|(&id, _)| id)
            .collect();
        for id in &hit {
            if let Some((job, window)) = self.running.remove(id) {
                // No money is returned. The returned time keeps the price at which it was sold, until it is
                // repriced below.
                self.free.give_back(&window, next)?;
                self.waiting.push(job);
            }
        }
        for node in &self.nodes {
            self.free.reprice(node.id, node.price, next);
        }
        Ok(hit.len())
    }
}
