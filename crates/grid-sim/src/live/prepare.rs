//! The events that are known before a simulation begins: arrivals, nodes, outages, cancellations.

use super::world::{Event, World};
use crate::SimError;
use live_broker::Input;
use sched_model::{Node, NodeId, Time};

impl World<'_> {
    pub(super) fn prepare(&mut self) -> Result<(), SimError> {
        self.schedule_jobs()?;
        self.add_nodes()?;
        self.schedule_outages()?;
        self.schedule_cancellations()
    }

    fn schedule_jobs(&mut self) -> Result<(), SimError> {
        for (at, job) in self.jobs.iter().enumerate() {
            if self.index.insert(job.job.id, at).is_some() {
                return Err(SimError::RepeatedJob { job: job.job.id });
            }
            if let Some(given) = job.times().filter(|given| given.len() != self.grid.machines.len()) {
                let what = format!("the expected times of job {}", job.job.id);
                return Err(SimError::Length { what, expected: self.grid.machines.len(), got: given.len() });
            }
            self.schedule(job.job.submit, Event::Submit(at))?;
        }
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
            let features = self.grid.features.get(&at).filter(|features| !features.is_empty());
            self.firsts.push(next);
            for cpu in 0..machine.cpus() {
                let node = Node::new(NodeId(next.saturating_add(cpu)), machine.speed(), machine.price());
                let input = match features {
                    Some(features) => Input::NodeAddedWithFeatures { node, features: features.clone() },
                    None => Input::NodeAdded(node),
                };
                self.tell(first, input)?;
            }
            next = next.saturating_add(machine.cpus());
        }
        Ok(())
    }

    fn schedule_outages(&mut self) -> Result<(), SimError> {
        for outage in &self.grid.outages {
            outage.check(self.grid.machines.get(outage.machine).map(|(_, _, machine)| machine))?;
            let node = NodeId(self.firsts[outage.machine] + outage.cpu);
            let until = outage.announced.then_some(outage.until);
            self.schedule(outage.from, Event::Fails { node, until })?;
            self.schedule(outage.until, Event::Back(node))?;
        }
        Ok(())
    }

    fn schedule_cancellations(&mut self) -> Result<(), SimError> {
        for (at, job) in &self.grid.cancellations {
            let job = *self
                .index
                .get(job)
                .ok_or(SimError::UnknownJob { who: "a cancellation".to_owned(), job: *job })?;
            self.schedule(*at, Event::Cancel(job))?;
        }
        Ok(())
    }
}
