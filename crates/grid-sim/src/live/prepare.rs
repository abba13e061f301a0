//! The events that are known before a simulation begins: arrivals, nodes, outages, cancellations.

use super::world::{Event, World};
use crate::SimError;
use crate::fault_load::schedule_faults;
use live_broker::Input;
use sched_model::{Node, NodeId, Time};

impl World<'_> {
    pub(super) fn prepare(&mut self) -> Result<(), SimError> {
        let (grid, jobs) = (self.grid, self.jobs);
        for (at, job) in jobs.iter().enumerate() {
            self.schedule(job.job.submit, Event::Submit(at))?;
        }
        self.add_nodes()?;
        let places = std::mem::take(&mut self.index);
        let machine = |at: usize| grid.machines.get(at).map(|(_, _, machine)| machine);
        let given = (&*grid.outages, &*grid.cancellations);
        schedule_faults(given, machine, &places, |at, fault| self.schedule(at, Event::Fault(fault)))?;
        self.index = places;
        Ok(())
    }

    /// Tells the broker its nodes, before anything else happens.
    fn add_nodes(&mut self) -> Result<(), SimError> {
        let first = self.jobs.iter().map(|job| job.job.submit).min().unwrap_or(Time::ZERO);
        let outages = self.grid.outages.iter().map(|outage| outage.from);
        let cancellations = self.grid.cancellations.iter().map(|(at, _)| *at);
        let first = outages.chain(cancellations).fold(first, Time::min);
        if let Some((&last, _)) = self.grid.features.last_key_value()
            && last >= self.grid.machines.len()
        {
            let (what, expected) = ("the machines with features".to_owned(), self.grid.machines.len());
            return Err(SimError::Length { what, expected, got: last.saturating_add(1) });
        }
        let mut next = 0_u32;
        for (at, (_, _, machine)) in self.grid.machines.iter().enumerate() {
            let features = self.grid.features.get(&at).cloned().unwrap_or_default();
            self.firsts.push(next);
            for cpu in 0..machine.cpus() {
                let node = Node::new(NodeId(next.saturating_add(cpu)), machine.speed, machine.price);
                self.tell(first, Input::NodeAdded { node, features: features.clone() })?;
            }
            next = next.saturating_add(machine.cpus());
        }
        Ok(())
    }
}
