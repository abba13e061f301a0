//! How long inputs and cycles take: with 100,000 nodes, a million free slots and 1,000 waiting jobs, say.
//!
//! `cargo run --release -p live-broker --features serde --example at_scale -- 100000 1000 [ROUNDS [CASE]]`
//!
//! CASE is `plain`, `preempt`, `demands` (one in five jobs each asks for a label, an amount, one zone, at
//! most two nodes of a rack, and an earliest start), `moves` (a second cycle looks at all promises of the
//! first again, to move them), a goal (`min-time`, `min-cost`, `max-time`, `max-income`) with the number of
//! windows of each job behind it (`min-cost=2`; 5 by default), or `inputs` (each kind of input without a
//! cycle).
//!
//! Everything is done ROUNDS times. For each input and each cycle the least time of the rounds counts, so
//! that what other processes do in one round is left out. Cycles are measured in processor time where the
//! system gives it (Linux).

#![allow(clippy::disallowed_types)] // it reports how long it takes

#[path = "at_scale/case.rs"]
mod case;
#[path = "at_scale/grid.rs"]
mod grid;
#[path = "at_scale/inputs.rs"]
mod inputs;

use case::Case;
use grid::{Dice, draw_job, filled};
use inputs::Clocked;
use live_broker::{Act, Broker, Input};
use sched_model::*;
use std::time::{Duration, Instant};

type Failure = Box<dyn std::error::Error>;

/// The processor time of this thread in milliseconds, to about 4 ms; the elapsed time where the system does
/// not give it.
fn processor_ms(begun: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or(begun.elapsed().as_secs_f64() * 1e3, |nanoseconds| nanoseconds / 1e6)
}

/// The figures of one round, in the same order in each.
#[derive(Default)]
struct Figures {
    /// For each input without a cycle its kind and its time, including the question for the next wake.
    inputs: Vec<(&'static str, Duration)>,
    /// What was measured, in milliseconds, with its description.
    cycles: Vec<(String, f64)>,
}

impl Figures {
    /// The lesser of the two, figure by figure.
    fn and(mut self, other: Self) -> Self {
        for (own, (_, other)) in self.inputs.iter_mut().zip(other.inputs) {
            own.1 = own.1.min(other);
        }
        for (own, (_, other)) in self.cycles.iter_mut().zip(other.cycles) {
            own.1 = own.1.min(other);
        }
        self
    }
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, usual: u32| arguments.get(at).map_or(Ok(usual), |text| text.parse::<u32>());
    let (nodes, jobs, rounds) = (number(0, 1000)?, number(1, 100)?, number(2, 1)?);
    let case: Case = arguments.get(3).map_or(Ok(Case::Plain), |text| text.parse())?;
    let mut best = round(nodes, jobs.into(), case)?;
    for _ in 1..rounds {
        best = best.and(round(nodes, jobs.into(), case)?);
    }
    inputs::print(&best.inputs);
    for (what, took) in &best.cycles {
        println!("{what}: {took:.0} ms");
    }
    Ok(())
}

/// All that is measured in a case, on newly filled nodes.
fn round(nodes: u32, jobs: u64, case: Case) -> Result<Figures, Failure> {
    let mut dice = Dice::new();
    let featured = matches!(case, Case::Demands | Case::Inputs);
    let mut broker = filled(nodes, case.config(jobs)?, featured, &mut dice)?;
    if case == Case::Inputs {
        return Ok(Figures { inputs: inputs::measure(broker, nodes, jobs, &mut dice)?, cycles: Vec::new() });
    }
    let mut clocked = Clocked::new(&mut broker);
    for id in 0..jobs {
        // A job that is to be moved must not start at once.
        let submit = Time::must(if case == Case::Moves { 10.0 } else { 0.0 });
        let job = draw_job(id, &mut dice)?.with_submit(submit);
        clocked.tell("submit", 1.0, grid::submitted(job, case == Case::Demands)?)?;
    }
    let mut cycles = Vec::new();
    let started = cycle(&mut clocked, 1.0, &format!("{jobs} waiting jobs"), &mut cycles)?;
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
        cycle(&mut clocked, 6.0, &format!("{jobs} promises that may move"), &mut cycles)?;
        return Ok(Figures { inputs: clocked.times, cycles });
    }
    for id in 0..10 {
        let job = draw_job(100_000 + id, &mut dice)?;
        clocked.broker.handle(Time::must(6.0), grid::submitted(job, case == Case::Demands)?)?;
    }
    cycle(&mut clocked, 6.0, "10 waiting jobs", &mut cycles)?;
    let clock = Instant::now();
    let begun = processor_ms(clock);
    let request = ResourceRequest::new(32, Work::must(100.0))?;
    clocked.broker.quote(&Job::new(JobId(u64::MAX), request), 5, &Limit::default())?;
    cycles.push(("a quote of 5 windows".to_owned(), processor_ms(clock) - begun));
    Ok(Figures { inputs: clocked.times, cycles })
}

/// Wakes the broker, which has a cycle; returns the jobs that it starts.
fn cycle(
    clocked: &mut Clocked<'_>,
    now: f64,
    about: &str,
    cycles: &mut Vec<(String, f64)>,
) -> Result<Vec<JobId>, Failure> {
    let broker: &mut Broker = clocked.broker;
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
    let what = format!(
        "a cycle with {about} on {slots} free slots ({work} units of work, {end}; {reserved} reserved, {moved} moved, {} started)",
        started.len()
    );
    cycles.push((what, took));
    Ok(started)
}
