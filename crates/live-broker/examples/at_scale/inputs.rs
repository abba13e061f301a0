//! Each kind of input without a cycle.

use super::Failure;
use super::grid::{Dice, demands, draw_job, features, node};
use live_broker::{Act, Broker, Input, SpeedOn};
use sched_model::*;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A broker, and the times of its inputs.
pub(crate) struct Clocked<'a> {
    pub(crate) broker: &'a mut Broker,
    pub(crate) times: Vec<(&'static str, Duration)>,
}

impl<'a> Clocked<'a> {
    pub(crate) fn new(broker: &'a mut Broker) -> Self {
        Self { broker, times: Vec::new() }
    }

    /// An input and asking for the next wake; not counted if it has a cycle.
    pub(crate) fn tell(&mut self, kind: &'static str, now: f64, input: Input) -> Result<(), Failure> {
        let begun = Instant::now();
        self.broker.handle(Time::must(now), input)?;
        let _ = self.broker.next_wakeup();
        let took = begun.elapsed();
        if self.broker.last_cycle().is_none() {
            self.times.push((kind, took));
        }
        Ok(())
    }

    /// Wakes the broker, which is not counted, and confirms nothing. Returns the jobs that it starts, with
    /// their windows.
    fn starts(&mut self, now: f64) -> Result<Vec<(JobId, Window)>, Failure> {
        self.broker.handle(Time::must(now), Input::Wake)?;
        let mut started = Vec::new();
        while let Some(decision) = self.broker.poll() {
            if let Act::Start { job, window } = decision.act {
                started.push((job, window));
            }
        }
        Ok(started)
    }
}

/// How many inputs of each kind, where nothing else determines the number.
const EACH: u32 = 200;

pub(crate) fn measure(
    mut broker: Broker,
    nodes: u32,
    jobs: u64,
    dice: &mut Dice,
) -> Result<Vec<(&'static str, Duration)>, Failure> {
    let mut clocked = Clocked::new(&mut broker);
    of_jobs(&mut clocked, nodes, jobs, dice)?;
    of_nodes(&mut clocked, nodes, dice)?;
    Ok(clocked.times)
}

fn of_jobs(clocked: &mut Clocked<'_>, nodes: u32, jobs: u64, dice: &mut Dice) -> Result<(), Failure> {
    let all = SpeedOn { first: NodeId(0), last: NodeId(nodes - 1), speed: Speed::must(1.5) };
    for id in 0..u64::from(EACH) {
        let (one, other) = (draw_job(1000 + id, dice)?, draw_job(2000 + id, dice)?);
        clocked.tell("submit with speeds", 1.0, Input::SubmitWithSpeeds { job: one, speeds: vec![all] })?;
        let demanding = Input::SubmitWithDemands { job: other, demands: demands(id)?, speeds: Vec::new() };
        clocked.tell("submit with demands", 1.0, demanding)?;
    }
    for id in (1000..1000 + u64::from(EACH)).chain(2000..2000 + u64::from(EACH)) {
        clocked.tell("cancel a waiting job", 1.0, Input::Cancel(JobId(id)))?;
    }
    for id in 10_000..10_000 + jobs {
        clocked.tell("submit", 1.0, Input::Submit(draw_job(id, dice)?))?;
    }
    // In turn: what happens to a job that is started.
    let started = clocked.starts(1.0)?;
    for (at, &(job, ref window)) in started.iter().enumerate() {
        let node = window.nodes().next();
        match at % 8 {
            0 => clocked.tell("start failed", 1.0, Input::StartFailed { job, node })?,
            1 => {
                let Some(node) = node else { continue };
                clocked.tell("refused by a node", 1.0, Input::Refused { job, node })?;
            }
            _ => clocked.tell("started", 1.0, Input::Started(job))?,
        }
    }
    let now = 1.5;
    for (at, &(job, ref window)) in started.iter().enumerate() {
        let node = window.nodes().next();
        match at % 8 {
            2 => clocked.tell("ended", now, Input::Ended(job))?,
            3 => clocked.tell("failed by a node", now, Input::Failed { job, node })?,
            4 => clocked.tell("failed by itself", now, Input::Failed { job, node: None })?,
            5 => clocked.tell("evicted", now, Input::Evicted { job, done: Work::must(0.25) })?,
            6 => {
                clocked.tell("cancel a running job", now, Input::Cancel(job))?;
                clocked.tell("failed by itself", now, Input::Failed { job, node: None })?;
            }
            7 => {
                let Some(node) = node.filter(|_| window.placements().len() > 1) else { continue };
                clocked.tell("released", now, Input::Released { job, node })?;
            }
            _ => {}
        }
    }
    for id in 0..u64::from(EACH / 10) {
        let job = draw_job(20_000 + id, dice)?;
        let quotes = clocked.broker.quote(&job, 1, &Limit::default())?;
        let Some(window) = quotes.windows.into_iter().next() else { continue };
        let (version, demands, victims) = (quotes.version, Demands::new(), Vec::new());
        clocked.tell("accept", now, Input::Accept { job, window, version, victims, demands })?;
    }
    // Reservations of a hundred nodes each.
    for id in 0..u64::from(EACH).min(u64::from(nodes / 100)) {
        clocked.tell("cancel a promised job", now, Input::Cancel(JobId(1_000_001 + 9 * id)))?;
    }
    Ok(())
}

fn of_nodes(clocked: &mut Clocked<'_>, nodes: u32, dice: &mut Dice) -> Result<(), Failure> {
    let now = 2.0;
    clocked.starts(now)?;
    for at in 0..EACH {
        clocked.tell("wake without a cycle", now + 1e-4 * f64::from(at), Input::Wake)?;
    }
    let now = 2.5;
    for id in nodes..nodes + EACH {
        clocked.tell("node added", now, Input::NodeAdded(node(id)))?;
        let (node, features) = (node(id + EACH), features(id + EACH)?);
        clocked.tell("node added with features", now, Input::NodeAddedWithFeatures { node, features })?;
    }
    let mut any = || NodeId(dice.below(u64::from(nodes)) as u32);
    for id in 0..EACH {
        let price = Price::must(f64::from(id % 9));
        clocked.tell("price changed", now, Input::PriceChanged { node: any(), price })?;
    }
    // None twice: each input takes a node from its own part of the nodes.
    let part = nodes / (3 * EACH).min(nodes).max(1);
    let of = |at: u32| NodeId(at * part % nodes);
    for at in 0..EACH {
        let (node, from, until) = (of(3 * at), Time::must(100.0), Time::must(400.0));
        clocked.tell("blocked", now, Input::Blocked { node, from, until })?;
        clocked.tell("unblocked", now, Input::Unblocked { node, from, until })?;
        let down = Input::NodeDown { node: of(3 * at + 1), until: None };
        clocked.tell("node down", now, down)?;
        clocked.tell("node up", now, Input::NodeUp(of(3 * at + 1)))?;
        clocked.tell("node removed", now, Input::NodeRemoved(of(3 * at + 2)))?;
    }
    Ok(())
}

/// A line for each kind, and one for all.
pub(crate) fn print(times: &[(&'static str, Duration)]) {
    let mut kinds: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (kind, took) in times {
        kinds.entry(kind).or_default().push(took.as_secs_f64() * 1e3);
    }
    let all = kinds.values().flatten().copied().collect();
    for (kind, times) in kinds.into_iter().chain([("all inputs without a cycle", all)]) {
        let most = times.iter().copied().fold(0.0, f64::max);
        let mean = times.iter().sum::<f64>() / times.len().max(1) as f64;
        println!("{kind}: {} times, {mean:.4} ms each, {most:.3} ms at most", times.len());
    }
}
