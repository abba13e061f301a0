//! How long inputs and cycles take: with 100,000 nodes, a million free slots and 1,000 waiting jobs, say.
//!
//! `cargo run --release -p live-broker --example at_scale -- 100000 1000`

#![allow(clippy::disallowed_types)] // it reports how long it takes

use live_broker::{Act, Broker, Config, Input};
use sched_model::*;
use std::time::{Duration, Instant};

/// Milliseconds.
fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<u32>());
    let nodes = numbers.next().unwrap_or(Ok(1000))?;
    let jobs = u64::from(numbers.next().unwrap_or(Ok(100))?);
    let mut random = 1_u64;
    let mut dice = move |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    let mut broker = Broker::new(Config::new(Span::must(1000.0)).with_work(2_000_000_000))?;
    let begun = Instant::now();
    let node = |id: u32| {
        let (speed, price) = (1.0 + f64::from(id % 4) / 4.0, 1.0 + f64::from(id % 7));
        Node::new(NodeId(id), Speed::must(speed), Price::must(price))
    };
    for id in 0..nodes {
        broker.handle(Time::ZERO, Input::NodeAdded(node(id)))?;
    }
    broker.handle(Time::ZERO, Input::Wake)?;
    // Nine reservations on each node leave ten free slots; each takes a hundred nodes.
    let mut id = 1_000_000;
    for block in (0..nodes).step_by(100) {
        for round in 0..9 {
            let (start, span) = (20.0 + 100.0 * f64::from(round) + dice(30) as f64, Span::must(40.0));
            let block = block..(block + 100).min(nodes);
            let place = |id: u32| -> Result<Placement, ModelError> {
                let slot = Slot::new(node(id), Time::ZERO, Time::must(1e4))?;
                // Held as long as its work takes there.
                Ok(Placement::on(&slot, Time::must(start), Work::must(span.get()) / slot.speed()))
            };
            let placements = block.map(place).collect::<Result<Vec<_>, _>>()?;
            let request = ResourceRequest::new(placements.len(), Work::must(span.get()))?;
            let window = Window::new(Time::must(start), placements)?;
            let version = broker.version();
            id += 1;
            broker.handle(
                Time::ZERO,
                Input::Accept { job: Job::new(JobId(id), request), window, version, victims: Vec::new() },
            )?;
        }
    }
    while broker.poll().is_some() {}
    println!("made in {:.0} ms: {nodes} nodes, {} free slots", ms(begun.elapsed()), broker.free().len());

    // Inputs, one by one.
    let mut worst = Duration::ZERO;
    let mut sum = Duration::ZERO;
    let mut count = 0;
    let mut timed = |broker: &mut Broker, now: f64, input: Input| {
        let begun = Instant::now();
        let taken = broker.handle(Time::must(now), input);
        let time = begun.elapsed();
        (worst, sum, count) = (worst.max(time), sum + time, count + 1);
        taken
    };
    for id in 0..jobs {
        let request = ResourceRequest::new(1 + dice(64) as usize, Work::must(1.0 + dice(200) as f64))?;
        timed(&mut broker, 1.0, Input::Submit(Job::new(JobId(id), request)))?;
    }
    let begun = Instant::now();
    broker.handle(Time::must(1.0), Input::Wake)?;
    let first = begun.elapsed();
    let work = broker.last_cycle().map_or(0, |note| note.work);
    let mut started = Vec::new();
    let mut reserved = 0;
    while let Some(decision) = broker.poll() {
        match decision.act {
            Act::Start { job, .. } => started.push(job),
            Act::Reserve { .. } => reserved += 1,
            _ => {}
        }
    }
    for &job in &started {
        timed(&mut broker, 1.0, Input::Started(job))?;
    }
    for (at, &job) in (0..).zip(&started) {
        timed(&mut broker, 2.0 + f64::from(at) / 1e3, Input::Ended(job))?;
    }
    for id in 0..1000 {
        let node = NodeId(dice(u64::from(nodes)) as u32);
        let price = Price::must(f64::from(id % 9));
        timed(&mut broker, 5.0, Input::PriceChanged { node, price })?;
    }
    println!(
        "{count} inputs without a cycle: {:.4} ms each, {:.2} ms at most",
        ms(sum) / f64::from(count),
        ms(worst)
    );
    println!(
        "a cycle with {jobs} waiting jobs: {:.0} ms, {work} units of work, {reserved} reserved, {} started",
        ms(first),
        started.len()
    );
    for id in 0..10 {
        let request = ResourceRequest::new(1 + dice(64) as usize, Work::must(1.0 + dice(200) as f64))?;
        broker.handle(Time::must(6.0), Input::Submit(Job::new(JobId(100_000 + id), request)))?;
    }
    let begun = Instant::now();
    broker.handle(Time::must(6.0), Input::Wake)?;
    println!("a cycle with 10 waiting jobs: {:.0} ms", ms(begun.elapsed()));
    let begun = Instant::now();
    let request = ResourceRequest::new(32, Work::must(100.0))?;
    let quotes = broker.quote(&Job::new(JobId(u64::MAX), request), 5, &Limit::default())?;
    println!("a quote of {} windows: {:.0} ms", quotes.windows.len(), ms(begun.elapsed()));
    Ok(())
}
