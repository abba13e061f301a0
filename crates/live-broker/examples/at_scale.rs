//! Measures inputs and cycles, for example with 100,000 nodes, a million free slots and 1,000 waiting jobs.
//!
//! `cargo run --release -p live-broker --features serde --example at_scale -- 100000 1000 [CASE]`
//!
//! CASE is `plain`, `demands` (one in five jobs each asks for a label, an amount, one zone, at most two nodes of
//! a rack, and an earliest start), `moves` (a second cycle looks at all promises of the first again, to move
//! them), or `min-cost`, with five windows of each job.
//!
//! Cycles are measured in processor time if the system reports it (Linux).

#![allow(clippy::disallowed_types)] // it reports how long it takes

use batch_dp::Goal;
use econsched::testkit::Draw;
use live_broker::{Act, Broker, Config, CycleNote, Input, MovePolicy, Stability};
use sched_model::*;
use std::collections::BTreeMap;
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, usual: u32| arguments.get(at).map_or(Ok(usual), |text| text.parse::<u32>());
    let (nodes, jobs) = (number(0, 1000)?, u64::from(number(1, 100)?));
    let case = arguments.get(2).map_or("plain", String::as_str);
    let (moving, demanding, draw) = (case == "moves", case == "demands", &mut Draw::new(1, 0));
    let broker = filled(nodes, config(case, usize::try_from(jobs)?)?, demanding, draw)?;
    let mut clocked = Clocked { broker, times: BTreeMap::new() };
    for id in 0..jobs {
        // A job that is to be moved must not start at once.
        let submit = Time::must(if moving { 10.0 } else { 0.0 });
        clocked.tell("submit", 1.0, submitted(job(id, draw)?.with_submit(submit), demanding)?)?;
    }
    let started = cycle(&mut clocked.broker, 1.0, &format!("{jobs} waiting jobs"))?;
    for &job in &started {
        clocked.tell("started", 1.0, Input::Started(job))?;
    }
    for (at, &job) in (0..).zip(&started) {
        clocked.tell("ended", 2.0 + f64::from(at) / 1e3, Input::Ended(job))?;
    }
    for id in 0..1000 {
        let node = NodeId(draw.below(nodes as usize) as u32);
        let price = Price::must(f64::from(id % 9));
        clocked.tell("price changed", 5.0, Input::PriceChanged { node, price })?;
    }
    if moving {
        cycle(&mut clocked.broker, 6.0, &format!("{jobs} promises that may move"))?;
    } else {
        for id in 100_000..100_010 {
            clocked.broker.handle(Time::must(6.0), submitted(job(id, draw)?, demanding)?)?;
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

fn config(case: &str, jobs: usize) -> Result<Config, Failure> {
    let config = Config::new(Span::must(1000.0)).with_work(2_000_000_000);
    match case {
        "plain" | "demands" => Ok(config),
        "moves" => {
            let mut stability = Stability::new(MovePolicy::NotLater);
            stability.max_per_cycle = jobs;
            Ok(config.with_stability(stability))
        }
        "min-cost" => Ok(config.with_goal(Goal::MinCost { time_limit: None }, 5)),
        _ => Err(format!("unknown case `{case}`").into()),
    }
}

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
        let entry = self.broker.handle(Time::must(now), input)?;
        let _ = self.broker.next_wakeup();
        let took = begun.elapsed();
        if entry.cycle.is_none() {
            self.times.entry(kind).or_default().push(took.as_secs_f64() * 1e3);
        }
        Ok(())
    }
}

/// Wakes the broker, which has a cycle; returns the jobs that it starts.
fn cycle(broker: &mut Broker, now: f64, about: &str) -> Result<Vec<JobId>, Failure> {
    let slots = broker.free().len();
    let clock = Instant::now();
    let begun = processor_ms(clock);
    let entry = broker.handle(Time::must(now), Input::Wake)?;
    let took = processor_ms(clock) - begun;
    let CycleNote { work, end, .. } = entry.cycle.ok_or("no cycle was due")?;
    let (mut started, mut reserved, mut moved) = (Vec::new(), 0, 0);
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

/// Ten zones, racks of forty nodes, a label that half the nodes have, three amounts of memory.
fn features(id: u32) -> Result<Features, ModelError> {
    let rack = id / 40;
    let all =
        Features::default().with_label(format!("zone={}", rack % 10)).with_label(format!("rack={rack}"));
    let all = all.with_amount("memory", [16.0, 64.0, 256.0][(id % 3) as usize])?;
    Ok(if id.is_multiple_of(2) { all.with_label("gpu") } else { all })
}

fn job(id: u64, draw: &mut Draw) -> Result<Job, ModelError> {
    let request = ResourceRequest::new(draw.between(1, 64), Work::must(draw.between(1, 200) as f64))?;
    // Before the reservations, whose priority is 1, where promises are looked at again.
    Ok(Job::new(JobId(id), request).with_priority(Priority::must(2.0 + (id % 3) as f64)))
}

fn submitted(mut job: Job, demanding: bool) -> Result<Input, ModelError> {
    if !demanding {
        return Ok(Input::from(job));
    }
    let none = Demands::default();
    let demands = match job.id.0 % 5 {
        0 => none.with_label("gpu"),
        1 => none.with_at_least("memory", 64.0)?,
        2 => none.with_pack("zone"),
        3 => none.with_spread("rack", 2)?,
        _ => none.with_not_before(Time::must(50.0)),
    };
    job.request = job.request.with_demands(demands);
    Ok(Input::from(job))
}

/// Nine reservations on each node leave ten free slots; each takes a hundred nodes.
fn filled(nodes: u32, config: Config, featured: bool, draw: &mut Draw) -> Result<Broker, Failure> {
    let node = |id: u32| Node::must(id, 1.0 + f64::from(id % 4) / 4.0, 1.0 + f64::from(id % 7));
    let mut broker = Broker::new(config)?;
    for id in 0..nodes {
        let features = if featured { features(id)? } else { Features::default() };
        broker.handle(Time::ZERO, Input::NodeAdded { node: node(id), features })?;
    }
    broker.handle(Time::ZERO, Input::Wake)?;
    let (work, mut id) = (Work::must(40.0), 1_000_000);
    for block in (0..nodes).step_by(100) {
        for round in 0..9 {
            let start = Time::must(20.0 + 100.0 * f64::from(round) + draw.below(30) as f64);
            let place = |id: u32| -> Result<Placement, ModelError> {
                let slot = Slot::new(node(id), Time::ZERO, Time::must(1e4))?;
                // Held as long as its work takes there.
                Ok(Placement::on(&slot, start, work / slot.speed, &Tariff::default()))
            };
            let placements = (block..(block + 100).min(nodes)).map(place).collect::<Result<Vec<_>, _>>()?;
            let job = Job::new(JobId(id), ResourceRequest::new(placements.len(), work)?);
            let (window, version) =
                (Window::new(start, placements)?, broker.quote(&job, 0, &Limit::default())?.version);
            let accept = Input::Accept { job, window, version, victims: Vec::new() };
            broker.handle(broker.now(), accept)?;
            id += 1;
        }
    }
    while broker.poll().is_some() {}
    // As after a restart: what is free is listed once, not in the first cycle that is measured.
    Ok(serde_json::from_str(&serde_json::to_string(&broker)?)?)
}
