//! The events that are known before a simulation begins: arrivals, nodes, outages, cancellations.

use super::super::machines;
use super::world::{Event, World};
use crate::SimError;
use live_broker::Input;
use sched_model::{Node, NodeId, Time};

impl World<'_> {
    pub(super) fn prepare(&mut self) -> Result<(), SimError> {
        for (at, job) in self.jobs.iter().enumerate() {
            self.schedule(job.job.submit, Event::Submit(at))?;
        }
        self.add_nodes()?;
        for (at, fault) in self.grid.faults.events(&machines(&self.grid.resources), &self.index)? {
            self.schedule(at, Event::Fault(fault))?;
        }
        Ok(())
    }

    /// Tells the broker its nodes, before anything else happens.
    fn add_nodes(&mut self) -> Result<(), SimError> {
        let first = self.jobs.iter().map(|job| job.job.submit).min().unwrap_or(Time::ZERO);
        let faults = &self.grid.faults;
        let cancellations = faults.cancellations.iter().map(|(at, _)| *at);
        let first = faults.first_outage().into_iter().chain(cancellations).fold(first, Time::min);
        let mut next = 0_u32;
        for resource in &self.grid.resources {
            let machine = &resource.machine;
            let nodes = next..next.saturating_add(machine.cpus());
            next = nodes.end;
            for id in nodes.clone() {
                let node = Node::new(NodeId(id), machine.speed, machine.price);
                self.tell(first, Input::NodeAdded { node, features: resource.features.clone() })?;
            }
            self.nodes.push(nodes);
        }
        Ok(())
    }
}
