//! The grid information system: what is up, what is free, and who runs where.

use auction_assign::strategy::{FreeMachine, LocalMachine, SiteState};
use sched_model::{JobId, Machine, MachineId, Site, SiteId, Span, Time, UserId};
use std::collections::BTreeSet;

/// A job on a processor, as the information system records it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Assignment {
    /// The job.
    pub job: JobId,
    /// Its owner.
    pub user: UserId,
    /// Its site.
    pub site: SiteId,
    /// Its machine.
    pub machine: MachineId,
    /// When the job came to the grid.
    pub arrival: Time,
    /// When it was assigned: its processor is taken from here on.
    pub assigned: Time,
    /// How long its input takes.
    pub transfer: Span,
    /// How long it then runs, if nothing fails.
    pub processing: Span,
    /// When the processor was free again: at its end or at a failure; `None` while it is not.
    pub left: Option<Time>,
}

impl Assignment {
    /// When the input has come.
    #[must_use]
    pub fn transferred(&self) -> Time {
        self.assigned + self.transfer
    }

    /// When it ends, if nothing fails.
    #[must_use]
    pub fn end(&self) -> Time {
        self.transferred() + self.processing
    }
}

/// A machine and the jobs on it.
#[derive(Debug)]
pub(super) struct MachineState {
    pub(super) machine: Machine,
    pub(super) site: usize,
    pub(super) up: bool,
    /// By place in the list of jobs.
    pub(super) jobs: BTreeSet<usize>,
}

impl MachineState {
    /// Free processors, eq. 4. Never negative: a job gets on a machine only where one is free.
    fn free(&self) -> u32 {
        // No more jobs than CPUs.
        if self.up { self.machine.cpus().saturating_sub(self.jobs.len() as u32) } else { 0 }
    }

    fn live(&self) -> u32 {
        if self.up { self.machine.cpus() } else { 0 }
    }
}

#[derive(Debug)]
pub(super) struct SiteEntry {
    pub(super) site: Site,
    pub(super) link_up: bool,
    /// Its machines, by place in [`Gis::machines`].
    pub(super) machines: std::ops::Range<usize>,
}

/// What is known of the grid at an instant.
#[derive(Debug)]
pub(super) struct Gis {
    pub(super) sites: Vec<SiteEntry>,
    pub(super) machines: Vec<MachineState>,
}

impl Gis {
    pub(super) fn new(sites: &[Site]) -> Self {
        let mut gis = Self { sites: Vec::new(), machines: Vec::new() };
        for (at, site) in sites.iter().enumerate() {
            let first = gis.machines.len();
            let state = |machine: &Machine| MachineState {
                machine: *machine,
                site: at,
                up: true,
                jobs: BTreeSet::new(),
            };
            gis.machines.extend(site.machines().iter().map(state));
            let machines = first..gis.machines.len();
            gis.sites.push(SiteEntry { site: site.clone(), link_up: true, machines });
        }
        gis
    }

    /// The machines of a site that can be reached.
    fn reachable(&self, site: usize) -> impl Iterator<Item = &MachineState> {
        let entry = &self.sites[site];
        self.machines[entry.machines.clone()].iter().filter(move |_| entry.link_up)
    }

    /// A site as the global scheduler sees it: eq. 2, 3 and 12.
    pub(super) fn site_state(&self, site: usize) -> SiteState {
        let machines: Vec<FreeMachine> = self
            .reachable(site)
            .map(|state| {
                let free = FreeMachine::new(state.free(), state.live(), state.machine.speed());
                match state.machine.mean_time_to_failure() {
                    Some(mean) => free.with_mean_time_to_failure(mean),
                    None => free,
                }
            })
            .collect();
        let state = SiteState::new(&machines);
        let entry = &self.sites[site].site;
        let state = match entry.bandwidth() {
            Some(bandwidth) => state.with_bandwidth(bandwidth),
            None => state,
        };
        match entry.link_mean_time_to_failure() {
            Some(mean) => state.with_link_mean_time_to_failure(mean),
            None => state,
        }
    }

    /// The machines of a site as its local scheduler sees them: eq. 4 and 5.
    pub(super) fn local_machines(&self, site: usize) -> Vec<LocalMachine> {
        self.reachable(site)
            .map(|state| LocalMachine {
                free: state.free(),
                live: state.live(),
                speed: state.machine.speed(),
            })
            .collect()
    }

    /// Busy and live processors of a site; of an unreachable one none is live.
    pub(super) fn load(&self, site: usize) -> (u32, u32) {
        self.reachable(site)
            .fold((0, 0), |(busy, live), state| (busy + (state.live() - state.free()), live + state.live()))
    }
}
