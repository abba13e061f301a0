//! A time slice: arrivals, the global scheduler, the local ones.

use super::super::inputs::GridUser;
use super::gis::Running;
use super::system::{END, Event, System};
use econsched::auction_assign::strategy::{Demand, SiteState};
use econsched::grid_sim::SimError;
use econsched::sched_model::{Time, Work};
use std::collections::BTreeMap;

impl System<'_, '_> {
    /// Serves the slice of this number and schedules the next one.
    pub(super) fn slice(&mut self, now: Time, number: u32) -> Result<(), SimError> {
        self.arrive(now);
        let waiting = self.pool.waiting.len();
        let before = self.ledger.assigned;
        let free = if self.config.trace { self.gis.free() } else { 0 };
        if waiting > 0 {
            self.schedule(now)?;
        }
        if self.config.trace {
            let loads = (0..self.gis.sites.len()).map(|site| self.gis.load(site)).collect();
            self.ledger.slice(now, (waiting, free), before, loads);
        }
        self.next_slice(number.saturating_add(1))
    }

    /// The global scheduler, then the local one of each site that got jobs.
    fn schedule(&mut self, now: Time) -> Result<(), SimError> {
        let waiting = self.pool.waiting.iter().copied();
        let jobs: Vec<usize> = waiting.filter(|&job| self.gis.users[self.pool.owners[job]].link_up).collect();
        let sites: Vec<SiteState> = (0..self.gis.sites.len()).map(|site| self.gis.site_state(site)).collect();
        if jobs.is_empty() || sites.iter().all(|site| site.speed.is_none()) {
            return Ok(());
        }
        let mut assigned = Vec::new();
        for (site, jobs) in self.sites_of(now, &jobs, &sites)? {
            self.place(now, site, &jobs, &mut assigned)?;
        }
        assigned.sort_unstable();
        self.pool.remove(&assigned);
        Ok(())
    }

    /// The jobs that the global scheduler sends to each site.
    fn sites_of(
        &mut self,
        now: Time,
        jobs: &[usize],
        sites: &[SiteState],
    ) -> Result<BTreeMap<usize, Vec<usize>>, SimError> {
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
        for (&site, jobs) in &by_site {
            let free = sites.get(site).map_or(0, |state| state.processors.free);
            if jobs.len() > free as usize {
                let jobs = jobs.len();
                return Err(bad(format!("{jobs} jobs for the {free} free processors of site {site}")));
            }
        }
        Ok(by_site)
    }

    /// The local scheduler of a site puts these jobs on its machines. Those that get one are added to
    /// `assigned`.
    fn place(
        &mut self,
        now: Time,
        site: usize,
        jobs: &[usize],
        assigned: &mut Vec<usize>,
    ) -> Result<(), SimError> {
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
            assigned.push(job);
        }
        Ok(())
    }

    fn demand(&self, now: Time, job: usize) -> Demand {
        let user: &GridUser = self.gis.users[self.pool.owners[job]].user;
        let job = self.pool.jobs[job].clone();
        Demand::new(job.request.work())
            .with_input(job.request.input, user.bandwidth)
            .with_link_mean_time_to_failure(user.link_mean_time_to_failure)
            .with_qos(user.qos)
            .with_priority(job.priority)
            .with_waited(now - job.submit)
    }

    fn assign(&mut self, now: Time, job: usize, machine: usize) -> Result<(), SimError> {
        let owner = self.pool.owners[job];
        let assignment = self.gis.assignment(now, &self.pool.jobs[job], owner, machine);
        let number = self.ledger.assigned;
        self.gis.take(job, Running { number, owner, machine, assignment });
        self.ledger.assign(now, job, assignment);
        self.queue.schedule(assignment.end(), END, Event::End { job, assignment: number })
    }
}
