//! What fails, when, and who is lost with it.

use super::gis::Assignment;
use super::system::{Event, FAILURE, System};
use crate::SimError;
use crate::log::Happening;
use crate::report::Ending;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use sched_model::{Span, Time};
use workload_gen::sample::{Distribution, Exponential, stream};

/// What can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Component {
    Machine(usize),
    Link(usize),
    UserLink(usize),
}

/// A failing component with its own stream of intervals.
pub(super) struct Failing {
    component: Component,
    interval: Exponential,
    rng: ChaCha8Rng,
}

impl System<'_> {
    /// Schedules the first failure of each component and the departures of users.
    pub(super) fn first_failures(&mut self, seed: u64, replicate: u64) -> Result<(), SimError> {
        // Not the stream from which a workload of the same seed and replicate is drawn.
        let mut seeds = stream(seed ^ 0x4d75_6c74_6953_4772, replicate);
        let machines = self.gis.machines.iter().map(|state| state.machine.mean_time_to_failure()).enumerate();
        let mut components: Vec<(Component, Option<Span>)> =
            machines.map(|(at, mean)| (Component::Machine(at), mean)).collect();
        let links = self.gis.sites.iter().map(|entry| entry.site.link_mean_time_to_failure()).enumerate();
        components.extend(links.map(|(at, mean)| (Component::Link(at), mean)));
        let users = self.users.iter().map(|state| state.user.link_mean_time_to_failure).enumerate();
        components.extend(users.map(|(at, mean)| (Component::UserLink(at), Some(mean))));
        for (component, mean) in components {
            let rng = stream(seeds.next_u64(), 0);
            if let Some(mean) = mean.filter(|_| self.config.failures) {
                self.failing.push(Failing { component, interval: Exponential::new(mean.get())?, rng });
                self.next_failure(Time::ZERO, self.failing.len() - 1)?;
            }
        }
        if let Some(mean) = self.config.owner_lifetime {
            let lifetime = Exponential::new(mean.get())?;
            for user in 0..self.users.len() {
                let at = Time::ZERO + Span::new(lifetime.sample(&mut seeds))?;
                self.queue.schedule(at, FAILURE, Event::Leave(user))?;
            }
        }
        Ok(())
    }

    fn next_failure(&mut self, now: Time, at: usize) -> Result<(), SimError> {
        let Failing { interval, rng, .. } = &mut self.failing[at];
        let failure = now + Span::new(interval.sample(rng))?;
        self.queue.schedule(failure, FAILURE, Event::Fail(at))
    }

    pub(super) fn fail(&mut self, now: Time, at: usize) -> Result<(), SimError> {
        let component = self.failing[at].component;
        match component {
            Component::Machine(machine) => {
                let state = &mut self.gis.machines[machine];
                state.up = false;
                let jobs: Vec<usize> = state.jobs.iter().copied().collect();
                let (id, site) = (state.machine.id(), self.gis.sites[state.site].site.id());
                self.log.note(now, Some(site), Happening::MachineFailed(id));
                jobs.into_iter().for_each(|job| self.leave(now, job, Ending::MachineFailed));
            }
            Component::Link(site) => {
                let entry = &mut self.gis.sites[site];
                entry.link_up = false;
                self.log.note(now, Some(entry.site.id()), Happening::LinkFailed);
                let machines = &self.gis.machines[self.gis.sites[site].machines.clone()];
                let jobs: Vec<usize> = machines.iter().flat_map(|state| state.jobs.iter().copied()).collect();
                jobs.into_iter().for_each(|job| self.leave(now, job, Ending::LinkFailed));
            }
            Component::UserLink(user) => {
                self.users[user].link_up = false;
                self.log.note(now, None, Happening::UserLinkFailed(self.users[user].user.user.id));
                let moving = |(job, (_, _, assignment)): (&usize, &(usize, usize, Assignment))| {
                    (self.owners[*job] == user && now < assignment.transferred()).then_some(*job)
                };
                let jobs: Vec<usize> = self.running.iter().filter_map(moving).collect();
                jobs.into_iter().for_each(|job| self.leave(now, job, Ending::LinkFailed));
            }
        }
        match self.config.repair {
            Some(span) => self.queue.schedule(now + span, FAILURE, Event::Repair(at)),
            None => Ok(()),
        }
    }

    pub(super) fn repair(&mut self, now: Time, at: usize) -> Result<(), SimError> {
        match self.failing[at].component {
            Component::Machine(machine) => {
                let state = &mut self.gis.machines[machine];
                state.up = true;
                let (id, site) = (state.machine.id(), self.gis.sites[state.site].site.id());
                self.log.note(now, Some(site), Happening::MachineRepaired(id));
            }
            Component::Link(site) => {
                self.gis.sites[site].link_up = true;
                self.log.note(now, Some(self.gis.sites[site].site.id()), Happening::LinkRepaired);
            }
            Component::UserLink(user) => {
                self.users[user].link_up = true;
                self.log.note(now, None, Happening::UserLinkRepaired(self.users[user].user.user.id));
            }
        }
        self.next_failure(now, at)
    }
}
