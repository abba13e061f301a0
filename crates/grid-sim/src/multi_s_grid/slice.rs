//! A time slice: arrivals, the global scheduler, the local ones.

use super::SliceRecord;
use super::gis::Assignment;
use super::outcome::variance;
use super::system::{END, Event, System};
use crate::SimError;
use crate::log::Happening;
use auction_assign::strategy::{Demand, SiteState};
use sched_model::{Time, Work};
use std::collections::BTreeMap;
use workload_gen::multi_s_grid::GridUser;

impl System<'_> {
    pub(super) fn slice(&mut self, now: Time, number: u32) -> Result<(), SimError> {
        self.arrive(now);
        let waiting = self.pool.len();
        let before = self.assigned;
        if waiting > 0 {
            self.schedule(now)?;
        }
        if self.config.trace {
            let loads: Vec<Option<f64>> = (0..self.gis.sites.len())
                .map(|site| self.gis.load(site))
                .map(|(busy, live)| (live > 0).then(|| f64::from(busy) / f64::from(live)))
                .collect();
            self.slices.push(SliceRecord {
                at: now,
                waiting,
                assigned: self.assigned - before,
                done: self.done,
                lost: self.lost,
                mean_cost: self.mean_cost(),
                load_variance: variance(loads.iter().flatten().copied()),
                loads,
            });
        }
        self.next_slice(number.saturating_add(1))
    }

    /// The global scheduler, then the local one of each site that got jobs.
    fn schedule(&mut self, now: Time) -> Result<(), SimError> {
        let users = &self.users;
        let owners = &self.owners;
        let jobs: Vec<usize> = self.pool.iter().copied().filter(|&job| users[owners[job]].link_up).collect();
        let sites: Vec<SiteState> = (0..self.gis.sites.len()).map(|site| self.gis.site_state(site)).collect();
        if jobs.is_empty() || sites.iter().all(|site| site.speed.is_none()) {
            return Ok(());
        }
        let demands: Vec<Demand> = jobs.iter().map(|&job| self.demand(now, job)).collect();
        let plan = self.global.plan(now, &demands, &sites)?;
        let who = self.global.name().to_owned();
        let bad = |why: String| SimError::Scheduler { who: who.clone(), why };
        if plan.len() != jobs.len() {
            return Err(bad(format!("{} answers for {} jobs", plan.len(), jobs.len())));
        }
        let mut by_site: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (&job, site) in jobs.iter().zip(&plan) {
            if let Some(site) = *site {
                by_site.entry(site).or_default().push(job);
            }
        }
        let mut gone = Vec::new();
        for (site, jobs) in by_site {
            let free = sites.get(site).map_or(0, |state| state.processors.free);
            if jobs.len() > free as usize {
                return Err(bad(format!(
                    "{} jobs for the {free} free processors of site {site}",
                    jobs.len()
                )));
            }
            let works: Vec<Work> = jobs.iter().map(|&job| self.jobs[job].request.work()).collect();
            let mut machines = self.gis.local_machines(site);
            let placed = self.local.place(&works, &machines)?;
            for (&job, machine) in jobs.iter().zip(placed) {
                let Some(machine) = machine else { continue };
                match machines.get_mut(machine).filter(|machine| machine.free > 0) {
                    Some(taken) => taken.free -= 1,
                    None => {
                        let why = format!("no free processor on machine {machine} of site {site}");
                        return Err(SimError::Scheduler { who: "the local scheduler".into(), why });
                    }
                }
                self.assign(now, job, site, self.gis.sites[site].machines.start + machine)?;
                gone.push(job);
            }
        }
        gone.sort_unstable();
        self.pool.retain(|job| gone.binary_search(job).is_err());
        Ok(())
    }

    fn demand(&self, now: Time, job: usize) -> Demand {
        let GridUser { user, bandwidth, link_mean_time_to_failure } = self.users[self.owners[job]].user;
        let job = &self.jobs[job];
        Demand::new(job.request.work())
            .with_input(job.request.input(), *bandwidth)
            .with_link_mean_time_to_failure(*link_mean_time_to_failure)
            .with_qos(user.qos)
            .with_priority(job.priority)
            .with_waited(now - job.submit)
    }

    fn assign(&mut self, now: Time, job: usize, site: usize, machine: usize) -> Result<(), SimError> {
        let entry = &self.gis.sites[site].site;
        let state = &mut self.gis.machines[machine];
        let request = &self.jobs[job].request;
        let owner = self.users[self.owners[job]].user;
        let bandwidth = entry.bandwidth().map_or(owner.bandwidth, |bandwidth| bandwidth.min(owner.bandwidth));
        let assignment = Assignment {
            job: self.jobs[job].id,
            user: self.jobs[job].user,
            site: entry.id(),
            machine: state.machine.id(),
            arrival: self.jobs[job].submit,
            assigned: now,
            transfer: request.input() / bandwidth,
            processing: request.span_on(state.machine.speed()),
            left: None,
        };
        state.jobs.insert(job);
        if self.attempts[job] == 0 {
            self.note_wait(now, job);
        }
        let number = self.assigned;
        self.running.insert(job, (number, machine, assignment));
        if self.config.trace {
            self.assignments.push(assignment);
        }
        self.assigned += 1;
        self.attempts[job] += 1;
        self.cost_sum += (assignment.transfer + assignment.processing).get();
        self.records[job].requested = assignment.transfer + assignment.processing;
        self.log.note(now, Some(assignment.site), Happening::Started { job: assignment.job, cpus: 1 });
        self.queue.schedule(assignment.end(), END, Event::End { job, assignment: number })
    }
}
