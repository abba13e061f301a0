//! Nodes, the reservations that they have, and the jobs that come.

use super::Failure;
use live_broker::{Broker, Config, Input};
use sched_model::*;

pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new() -> Self {
        Self(1)
    }

    pub(crate) fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

fn node(id: u32) -> Node {
    let (speed, price) = (1.0 + f64::from(id % 4) / 4.0, 1.0 + f64::from(id % 7));
    Node::new(NodeId(id), Speed::must(speed), Price::must(price))
}

/// Ten zones, racks of forty nodes, a label that half the nodes have, three amounts of memory.
fn features(id: u32) -> Result<Features, ModelError> {
    let rack = id / 40;
    let all = Features::new().with_label(format!("zone={}", rack % 10)).with_label(format!("rack={rack}"));
    let all = all.with_amount("memory", [16.0, 64.0, 256.0][(id % 3) as usize])?;
    Ok(if id.is_multiple_of(2) { all.with_label("gpu") } else { all })
}

pub(crate) fn draw_job(id: u64, dice: &mut Dice) -> Result<Job, ModelError> {
    let request =
        ResourceRequest::new(1 + dice.below(64) as usize, Work::must(1.0 + dice.below(200) as f64))?;
    // Before the reservations, whose priority is 1, where promises are looked at again.
    Ok(Job::new(JobId(id), request).with_priority(Priority::must(2.0 + (id % 3) as f64)))
}

fn demands(id: u64) -> Result<Demands, ModelError> {
    let none = Demands::new();
    Ok(match id % 5 {
        0 => none.with_label("gpu"),
        1 => none.with_at_least("memory", 64.0)?,
        2 => none.with_pack("zone"),
        3 => none.with_spread("rack", 2)?,
        _ => none.with_not_before(Time::must(50.0)),
    })
}

pub(crate) fn submitted(job: Job, demanding: bool) -> Result<Input, ModelError> {
    if demanding {
        let demands = demands(job.id.0)?;
        return Ok(Input::SubmitWithDemands { job, demands, speeds: Vec::new() });
    }
    Ok(Input::Submit(job))
}

/// Nine reservations on each node leave ten free slots; each takes a hundred nodes.
pub(crate) fn filled(nodes: u32, config: Config, featured: bool, dice: &mut Dice) -> Result<Broker, Failure> {
    let mut broker = Broker::new(config)?;
    for id in 0..nodes {
        let features = if featured { features(id)? } else { Features::new() };
        broker.handle(Time::ZERO, Input::NodeAddedWithFeatures { node: node(id), features })?;
    }
    broker.handle(Time::ZERO, Input::Wake)?;
    let mut id = 1_000_000;
    for block in (0..nodes).step_by(100) {
        for round in 0..9 {
            let (start, span) = (20.0 + 100.0 * f64::from(round) + dice.below(30) as f64, Span::must(40.0));
            let block = block..(block + 100).min(nodes);
            let place = |id: u32| -> Result<Placement, ModelError> {
                let slot = Slot::new(node(id), Time::ZERO, Time::must(1e4))?;
                // Held as long as its work takes there.
                Ok(Placement::on(&slot, Time::must(start), Work::must(span.get()) / slot.speed()))
            };
            let placements = block.map(place).collect::<Result<Vec<_>, _>>()?;
            let request = ResourceRequest::new(placements.len(), Work::must(span.get()))?;
            let window = Window::new(Time::must(start), placements)?;
            id += 1;
            accept(&mut broker, Job::new(JobId(id), request), window)?;
        }
    }
    while broker.poll().is_some() {}
    // As after a restart: what is free is listed once, not in the first cycle that is measured.
    Ok(Broker::restore(broker.snapshot())?)
}

fn accept(broker: &mut Broker, job: Job, window: Window) -> Result<(), Failure> {
    let (now, version) = (broker.now(), broker.version());
    let (victims, demands) = (Vec::new(), Demands::new());
    Ok(broker.handle(now, Input::Accept { job, window, version, victims, demands })?)
}
