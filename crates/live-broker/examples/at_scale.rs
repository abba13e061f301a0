//! How long inputs and cycles take: with 100,000 nodes, a million free slots and 1,000 waiting jobs, say.
//!
//! `cargo run --release -p live-broker --features serde --example at_scale -- 100000 1000 [CASE]`
//!
//! CASE is `plain`, `preempt`, `demands` (one in five jobs each asks for a label, an amount, one zone, at
//! most two nodes of a rack, and an earliest start), `moves` (a second cycle looks at all promises of the
//! first again, to move them), or a goal (`min-time`, `min-cost`, `max-time`, `max-income`) with the number of
//! windows of each job behind it (`min-cost=2`; 5 by default).
//!
//! Cycles are measured in processor time where the system gives it (Linux).

#![allow(clippy::disallowed_types)] // it reports how long it takes

#[path = "at_scale/case.rs"]
mod case;
#[path = "at_scale/grid.rs"]
mod grid;

use case::Case;
use grid::{Dice, draw_job, filled};
use live_broker::{Act, Broker, Input};
use sched_model::*;
use std::collections::BTreeMap;
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

/// The processor time of this thread in milliseconds, to about 4 ms; the elapsed time where the system does
/// not give it.
fn processor_ms(begun: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or(begun.elapsed().as_secs_f64() * 1e3, |nanoseconds| nanoseconds / 1e6)
}

/// A broker, and the milliseconds of each input without a cycle by its kind, including the question for the next wake.
struct Clocked {
    broker: Broker,
    times: BTreeMap<&'static str, Vec<f64>>,
}

impl Clocked {
    fn tell(&mut self, kind: &'static str, now: f64, input: Input) -> Result<(), Failure> {
        let begun = Instant::now();
        self.broker.handle(Time::must(now), input)?;
        let _ = self.broker.next_wakeup();
        let took = begun.elapsed();
        if self.broker.last_cycle().is_none() {
            self.times.entry(kind).or_default().push(took.as_secs_f64() * 1e3);
        }
        Ok(())
    }
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, usual: u32| arguments.get(at).map_or(Ok(usual), |text| text.parse::<u32>());
    let (nodes, jobs) = (number(0, 1000)?, u64::from(number(1, 100)?));
    let case: Case = arguments.get(2).map_or(Ok(Case::Plain), |text| text.parse())?;
    let mut dice = Dice::new();
    let broker = filled(nodes, case.config(jobs)?, case == Case::Demands, &mut dice)?;
    let mut clocked = Clocked { broker, times: BTreeMap::new() };
    for id in 0..jobs {
        // A job that is to be moved must not start at once.
        let submit = Time::must(if case == Case::Moves { 10.0 } else { 0.0 });
        let job = draw_job(id, &mut dice)?.with_submit(submit);
        clocked.tell("submit", 1.0, grid::submitted(job, case == Case::Demands)?)?;
    }
    let started = cycle(&mut clocked.broker, 1.0, &format!("{jobs} waiting jobs"))?;
    for &job in &started {
        clocked.tell("started", 1.0, Input::Started(job))?;
    }
    for (at, &job) in (0..).zip(&started) {
        clocked.tell("ended", 2.0 + f64::from(at) / 1e3, Input::Ended(job))?;
    }
    for id in 0..1000 {
        let node = NodeId(dice.below(u64::from(nodes)) as u32);
        let price = Price::must(f64::from(id % 9));
        clocked.tell("price changed", 5.0, Input::PriceChanged { node, price })?;
    }
    if case == Case::Moves {
        cycle(&mut clocked.broker, 6.0, &format!("{jobs} promises that may move"))?;
    } else {
        for id in 0..10 {
            let job = draw_job(100_000 + id, &mut dice)?;
            clocked.broker.handle(Time::must(6.0), grid::submitted(job, case == Case::Demands)?)?;
        }
        cycle(&mut clocked.broker, 6.0, "10 waiting jobs")?;
        let clock = Instant::now();
        let begun = processor_ms(clock);
        let request = ResourceRequest::new(32, Work::must(100.0))?;
        clocked.broker.quote(&Job::new(JobId(u64::MAX), request), 5, &Limit::default())?;
        println!("a quote of 5 windows: {:.0} ms", processor_ms(clock) - begun);
    }
    for (kind, times) in &clocked.times {
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let most = times.iter().copied().fold(0.0, f64::max);
        println!("{kind}: {} times, {mean:.4} ms each, {most:.3} ms at most", times.len());
    }
    Ok(())
}

/// Wakes the broker, which has a cycle; returns the jobs that it starts.
fn cycle(broker: &mut Broker, now: f64, about: &str) -> Result<Vec<JobId>, Failure> {
    let slots = broker.free().len();
    let clock = Instant::now();
    let begun = processor_ms(clock);
    broker.handle(Time::must(now), Input::Wake)?;
    let took = processor_ms(clock) - begun;
    let note = broker.last_cycle().ok_or("no cycle was due")?;
    let (work, end) = (note.work, note.end);
    let mut started = Vec::new();
    let (mut reserved, mut moved) = (0, 0);
    while let Some(decision) = broker.poll() {
        match decision.act {
            Act::Start { job, .. } => started.push(job),
            Act::Reserve { .. } => reserved += 1,
            Act::Move { .. } => moved += 1,
            _ => {}
        }
    }
    println!(
        "a cycle with {about} on {slots} free slots ({work} units of work, {end}; {reserved} reserved, {moved} moved, {} started): \
         {took:.0} ms",
        started.len()
    );
    Ok(started)
}
