//! The events of a time slice: arrivals, the global scheduler, the local schedulers.

use super::SliceRecord;
use super::gis::{Component, Running};
use super::system::{END, Event, System};
use econsched::auction_assign::strategy::{Demand, SiteState};
use econsched::grid_sim::SimError;
use econsched::sched_model::{Time, Work};
use std::collections::BTreeMap;

impl System<'_, '_> {
    /// Serves the slice of this number and schedules the next one.
    pub(super) fn slice(&mut self, now: Time, number: u32) -> Result<(), SimError> {
        self.arrive(now);
        let waiting = self.pool.waiting().len();
        let is_seen = waiting > 0 || self.config.trace;
        let sites = if is_seen { self.site_states() } else { Vec::new() };
        let before = self.ledger.assigned;
        if waiting > 0 {
            self.schedule(now, &sites)?;
        }
        if self.config.trace {
            let free = sites.iter().map(|site| u64::from(site.free)).sum();
            let load = |SiteState { free, live, .. }: SiteState| {
                (live > 0).then(|| f64::from(live - free) / f64::from(live))
            };
            let loads: Vec<Option<f64>> = self.site_states().into_iter().map(load).collect();
            self.ledger.slices.push(SliceRecord {
                at: now,
                waiting,
                free,
                assigned: self.ledger.assigned - before,
                done: self.ledger.done,
                lost: self.ledger.lost,
                mean_cost: self.ledger.mean_cost(),
                load_variance: variance(loads.iter().flatten().copied()),
                loads,
            });
        }
        self.next_slice(number.saturating_add(1))
    }

    fn site_states(&self) -> Vec<SiteState> {
        (0..self.gis.sites.len()).map(|site| self.gis.site_state(site)).collect()
    }

    /// Runs the global scheduler, then the local scheduler of each site that got jobs.
    fn schedule(&mut self, now: Time, sites: &[SiteState]) -> Result<(), SimError> {
        let is_reached = |job: &usize| self.gis.is_up(Component::UserLink(self.pool.owners[*job]));
        let jobs: Vec<usize> = self.pool.waiting().filter(is_reached).collect();
        if jobs.is_empty() || sites.iter().all(|site| site.speed.is_none()) {
            return Ok(());
        }
        let demands: Vec<Demand> = jobs.iter().map(|&job| self.demand(now, job)).collect();
        let plan = self.schedulers.global.plan(now, &demands, sites)?;
        let bad = |why: String| SimError::Scheduler { who: "the global scheduler".into(), why };
        if plan.len() != jobs.len() {
            return Err(bad(format!("{} answers for {} jobs", plan.len(), jobs.len())));
        }
        let mut by_site: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (&job, site) in jobs.iter().zip(&plan) {
            if let Some(site) = *site {
                by_site.entry(site).or_default().push(job);
            }
        }
        for (site, jobs) in by_site {
            let free = sites.get(site).map_or(0, |state| state.free);
            if jobs.len() > free as usize {
                let jobs = jobs.len();
                return Err(bad(format!("{jobs} jobs for the {free} free processors of site {site}")));
            }
            self.place(now, site, &jobs)?;
        }
        Ok(())
    }

    /// Lets the local scheduler of a site place these jobs on its machines.
    fn place(&mut self, now: Time, site: usize, jobs: &[usize]) -> Result<(), SimError> {
        let works: Vec<Work> = jobs.iter().map(|&job| self.pool.jobs[job].request.work()).collect();
        let mut machines = self.gis.machines(site);
        let local = &mut *self.schedulers.local;
        let placed = local.place(&works, &machines)?;
        for (&job, machine) in jobs.iter().zip(placed) {
            let Some(machine) = machine else { continue };
            match machines.get_mut(machine).filter(|machine| machine.free > 0) {
                Some(taken) => taken.free -= 1,
                None => {
                    let why = format!("no free processor on machine {machine} of site {site}");
                    return Err(SimError::Scheduler { who: "the local scheduler".into(), why });
                }
            }
            self.assign(now, job, self.gis.machine_at(site, machine))?;
        }
        Ok(())
    }

    fn demand(&self, now: Time, job: usize) -> Demand {
        let user = &self.gis.users[self.pool.owners[job]];
        let job = &self.pool.jobs[job];
        Demand {
            input: job.request.input,
            bandwidth: Some(user.bandwidth),
            link_mean_time_to_failure: Some(user.link_mean_time_to_failure),
            qos: user.qos,
            priority: job.priority,
            waited: now - job.submit,
            ..Demand::from(job.request.work())
        }
    }

    fn assign(&mut self, now: Time, job: usize, machine: usize) -> Result<(), SimError> {
        let owner = self.pool.owners[job];
        self.pool.remove(job);
        let assignment = self.gis.assignment(now, &self.pool.jobs[job], owner, machine);
        let number = self.ledger.assigned;
        self.gis.take(job, Running { number, owner, machine, assignment });
        self.ledger.assign(now, job, assignment);
        self.queue.schedule(assignment.end(), END, Event::End(job, number))
    }
}

fn variance(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count() as f64;
    if count == 0.0 {
        return 0.0;
    }
    let mean = values.clone().sum::<f64>() / count;
    values.map(|value| (value - mean) * (value - mean)).sum::<f64>() / count
}
