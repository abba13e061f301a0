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
use std::ops::Range;
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, usual: u32| arguments.get(at).map_or(Ok(usual), |text| text.parse::<u32>());
    let (nodes, jobs) = (number(0, 1000)?, u64::from(number(1, 100)?));
    let case = arguments.get(2).map_or("plain", String::as_str);
    let (moving, demanding, draw) = (case == "moves", case == "demands", &mut Draw::new(1, 0));
    let mut broker = filled(nodes, config(case, usize::try_from(jobs)?)?, demanding, draw)?;
    // A job that is to be moved must not start at once.
    let submit = Time::must(if moving { 10.0 } else { 0.0 });
    tell(&mut broker, "submits", 1.0, submits(0..jobs, submit, demanding, draw)?)?;
    let started = cycle(&mut broker, 1.0, &format!("{jobs} waiting jobs"))?;
    tell(&mut broker, "starts", 1.0, started.iter().copied().map(Input::Started).collect())?;
    tell(&mut broker, "ends", 2.0, started.into_iter().map(Input::Ended).collect())?;
    let price = |id: u32| Input::PriceChanged {
        node: NodeId(draw.below(nodes as usize) as u32),
        price: Price::must(f64::from(id % 9)),
    };
    tell(&mut broker, "changes of prices", 5.0, (0..1000).map(price).collect())?;
    if moving {
        cycle(&mut broker, 6.0, &format!("{jobs} promises that may move"))?;
        return Ok(());
    }
    tell(&mut broker, "submits", 6.0, submits(100_000..100_010, submit, demanding, draw)?)?;
    cycle(&mut broker, 6.0, "10 waiting jobs")?;
    let job = Job::new(JobId(u64::MAX), ResourceRequest::new(32, Work::must(100.0))?);
    let (quotes, took) = timed(|| broker.quote(&job, 5, &Limit::default()));
    println!("a quote of {} windows: {took:.0} ms", quotes?.windows.len());
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

/// An answer, and the processor time of this thread until then in milliseconds, to about 4 ms; the elapsed time where
/// the system does not give it.
fn timed<T>(answer: impl FnOnce() -> T) -> (T, f64) {
    let begun = Instant::now();
    let now = || {
        let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
        let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
        nanoseconds.map_or(begun.elapsed().as_secs_f64() * 1e3, |nanoseconds| nanoseconds / 1e6)
    };
    let before = now();
    (answer(), now() - before)
}

/// Tells the broker inputs that run no cycle, and asks after each for the next wake.
fn tell(broker: &mut Broker, about: &str, now: f64, inputs: Vec<Input>) -> Result<(), Failure> {
    let (begun, count) = (Instant::now(), inputs.len());
    for input in inputs {
        broker.handle(Time::must(now), input)?;
        broker.next_wakeup();
    }
    println!("{count} {about}: {:.4} ms each", begun.elapsed().as_secs_f64() * 1e3 / count.max(1) as f64);
    Ok(())
}

/// Wakes the broker, which has a cycle; returns the jobs that it starts.
fn cycle(broker: &mut Broker, now: f64, about: &str) -> Result<Vec<JobId>, Failure> {
    let slots = broker.free().len();
    let (entry, took) = timed(|| broker.handle(Time::must(now), Input::Wake));
    let CycleNote { work, end, .. } = entry?.cycle.ok_or("no cycle was due")?;
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

fn job(id: u64, demanding: bool, draw: &mut Draw) -> Result<Job, ModelError> {
    let none = Demands::default();
    let demands = match id % 5 {
        _ if !demanding => none,
        0 => none.with_label("gpu"),
        1 => none.with_at_least("memory", 64.0)?,
        2 => none.with_pack("zone"),
        3 => none.with_spread("rack", 2)?,
        _ => none.with_not_before(Time::must(50.0)),
    };
    let request = ResourceRequest::new(draw.between(1, 64), Work::must(draw.between(1, 200) as f64))?;
    // Before the reservations, whose priority is 1, where promises are looked at again.
    let priority = Priority::must(2.0 + (id % 3) as f64);
    Ok(Job::new(JobId(id), request.with_demands(demands)).with_priority(priority))
}

fn submits(
    ids: Range<u64>,
    submit: Time,
    demanding: bool,
    draw: &mut Draw,
) -> Result<Vec<Input>, ModelError> {
    ids.map(|id| Ok(job(id, demanding, draw)?.with_submit(submit).into())).collect()
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
