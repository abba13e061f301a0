//! A plan on an environment of very many nodes: `million_nodes [NODES [JOBS]]`.
//!
//! Nodes and their local load are drawn as in the environment of `EnvironmentGenerator`, over one horizon;
//! each job asks for 7 nodes, as in that environment. Ten alternatives of each job are searched for, and the
//! plan of least time is chosen. Prints the seconds of each step.
#![allow(clippy::disallowed_types)] // it reports how long it takes

use batch_dp::{Goal, Planner};
use sched_model::{Batch, Job, JobId, Limit, Time};
use slot_window::{AlternativesSearch, Amp};
use std::error::Error;
use std::time::Instant;
use workload_gen::environment::{EnvironmentGenerator, request};
use workload_gen::sample::stream;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let nodes: u32 = arguments.next().map_or(Ok(2000), |count| count.parse())?;
    let jobs: u64 = arguments.next().map_or(Ok(20), |count| count.parse())?;

    let begun = Instant::now();
    let mut generator = EnvironmentGenerator::default().with_nodes(nodes);
    generator.load_span = 1.0;
    let environment = generator.generate(&mut stream(1, 0))?;
    let request = request(7, 800.0, 0.115)?;
    let drawn = begun.elapsed().as_secs_f64();

    let begun = Instant::now();
    let slots = environment.slots()?;
    let listed = begun.elapsed().as_secs_f64();
    let (nodes, count) = (environment.nodes.len(), slots.len());
    drop(environment);

    let begun = Instant::now();
    let batch = Batch::new((1..=jobs).map(|id| Job::new(JobId(id), request)).collect())?;
    let search = AlternativesSearch::new(Amp::new()).with_max_per_job(10).with_limit(Limit::without_limit());
    let found = search.find(&slots, &batch, Time::ZERO)?;
    let searched = begun.elapsed().as_secs_f64();

    let begun = Instant::now();
    let planner = Planner::new(Goal::MinTime { budget: None }).with_derived_limit();
    let schedule = planner.plan(found.offers())?;
    let chosen = begun.elapsed().as_secs_f64();
    let placed = schedule.schedule.placed().count();
    println!("{nodes} nodes, {count} slots: drawn in {drawn:.1} s, listed in {listed:.1} s");
    println!("{jobs} jobs: searched in {searched:.2} s, chosen in {chosen:.3} s, {placed} placed");
    Ok(())
}
