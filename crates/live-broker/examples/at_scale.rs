//! How long inputs and cycles take: with 100,000 nodes, a million free slots and 1,000 waiting jobs, say;
//! with preemption if that is asked for.
//!
//! `cargo run --release -p live-broker --example at_scale -- 100000 1000 [ROUNDS [preempt]]`
//!
//! All is done ROUNDS times over. Of each input the least time of the rounds counts, so that what other
//! processes do in one of them is left out. Cycles are measured in processor time where the system tells it
//! (Linux).

#![allow(clippy::disallowed_types)] // it reports how long it takes

use live_broker::{Act, Broker, Config, Input, Preemption};
use sched_model::*;
use std::time::{Duration, Instant};

/// Milliseconds.
fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// What this thread has had of a processor, in milliseconds; the time of the wall where that is not told. To
/// 4 ms or so.
fn processor_ms(begun: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or(ms(begun.elapsed()), |nanoseconds| nanoseconds / 1e6)
}

/// The figures of one round.
struct Figures {
    /// Of each input without a cycle, with asking for the next wake.
    inputs: Vec<Duration>,
    cycle: f64,
    small_cycle: f64,
    quote: f64,
    what: String,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).take(3).map(|text| text.parse::<u32>());
    let nodes = numbers.next().unwrap_or(Ok(1000))?;
    let jobs = u64::from(numbers.next().unwrap_or(Ok(100))?);
    let rounds = numbers.next().unwrap_or(Ok(1))?;
    let preempts = std::env::args().nth(4).is_some_and(|what| what == "preempt");
    let mut best: Option<Figures> = None;
    for _ in 0..rounds.max(1) {
        let figures = round(nodes, jobs, preempts)?;
        best = Some(match best {
            None => figures,
            Some(best) => Figures {
                inputs: best.inputs.iter().zip(&figures.inputs).map(|(a, b)| *a.min(b)).collect(),
                cycle: best.cycle.min(figures.cycle),
                small_cycle: best.small_cycle.min(figures.small_cycle),
                quote: best.quote.min(figures.quote),
                what: figures.what,
            },
        });
    }
    let Some(figures) = best else { return Ok(()) };
    let (count, sum) = (figures.inputs.len(), figures.inputs.iter().sum::<Duration>());
    let most = figures.inputs.iter().max().copied().unwrap_or_default();
    println!("{}", figures.what);
    println!(
        "{count} inputs without a cycle: {:.4} ms each, {:.3} ms at most",
        ms(sum) / count as f64,
        ms(most)
    );
    println!("a cycle with {jobs} waiting jobs: {:.0} ms", figures.cycle);
    println!(
        "a cycle with 10 waiting jobs: {:.0} ms; a quote of 5 windows: {:.0} ms",
        figures.small_cycle, figures.quote
    );
    Ok(())
}

fn round(nodes: u32, jobs: u64, preempts: bool) -> Result<Figures, Box<dyn std::error::Error>> {
    let clock = Instant::now();
    let mut random = 1_u64;
    let mut dice = move |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    let mut config = Config::new(Span::must(1000.0)).with_work(2_000_000_000);
    if preempts {
        config = config.with_preemption(Preemption::new(Span::ZERO));
    }
    let mut broker = Broker::new(config)?;
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
                Input::Accept {
                    job: Job::new(JobId(id), request),
                    window,
                    version,
                    victims: Vec::new(),
                    demands: Demands::new(),
                },
            )?;
        }
    }
    while broker.poll().is_some() {}
    measure(broker, clock, (nodes, jobs), &mut dice)
}

/// Inputs one by one, then two cycles and a quote.
fn measure(
    mut broker: Broker,
    clock: Instant,
    (nodes, jobs): (u32, u64),
    dice: &mut dyn FnMut(u64) -> u64,
) -> Result<Figures, Box<dyn std::error::Error>> {
    let slots = broker.free().len();
    let mut inputs = Vec::new();
    let mut timed = |broker: &mut Broker, now: f64, input: Input| {
        let begun = Instant::now();
        let taken = broker.handle(Time::must(now), input);
        let _ = broker.next_wakeup();
        inputs.push(begun.elapsed());
        taken
    };
    for id in 0..jobs {
        let request = ResourceRequest::new(1 + dice(64) as usize, Work::must(1.0 + dice(200) as f64))?;
        let job = Job::new(JobId(id), request).with_priority(Priority::must(1.0 + (id % 3) as f64));
        timed(&mut broker, 1.0, Input::Submit(job))?;
    }
    let begun = processor_ms(clock);
    broker.handle(Time::must(1.0), Input::Wake)?;
    let cycle = processor_ms(clock) - begun;
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
    for id in 0..10 {
        let request = ResourceRequest::new(1 + dice(64) as usize, Work::must(1.0 + dice(200) as f64))?;
        broker.handle(Time::must(6.0), Input::Submit(Job::new(JobId(100_000 + id), request)))?;
    }
    let begun = processor_ms(clock);
    broker.handle(Time::must(6.0), Input::Wake)?;
    let small_cycle = processor_ms(clock) - begun;
    let begun = processor_ms(clock);
    let request = ResourceRequest::new(32, Work::must(100.0))?;
    broker.quote(&Job::new(JobId(u64::MAX), request), 5, &Limit::default())?;
    let quote = processor_ms(clock) - begun;
    let what = format!(
        "{nodes} nodes, {slots} free slots; {work} units of work, {reserved} reserved, {} started",
        started.len()
    );
    Ok(Figures { inputs, cycle, small_cycle, quote, what })
}
