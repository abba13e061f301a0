//! The grid information system: which components are up, which processors are free, and which job runs where.

use super::super::inputs::GridUser;
use econsched::auction_assign::strategy::{FreeMachine, SiteState};
use econsched::grid_sim::Ending;
use econsched::grid_sim::LogEvent;
use econsched::sched_model::{Job, JobId, Machine, MachineId, Money, Site, SiteId, Span, Time, UserId};
use std::collections::{BTreeMap, BTreeSet};

/// A job on a processor, as the information system records it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct AssignedJob {
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
    /// How long it runs after that, if nothing fails.
    pub processing: Span,
    /// When the processor was free again: at its end or at a failure; `None` while it is not.
    pub left: Option<Time>,
}

impl AssignedJob {
    /// When the input has arrived.
    pub fn transferred(&self) -> Time {
        self.assigned + self.transfer
    }

    /// When it ends, if nothing fails.
    pub fn end(&self) -> Time {
        self.transferred() + self.processing
    }
}

/// A component that can fail, by its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Component {
    Machine(usize),
    /// The link of a site.
    Link(usize),
    /// The link of a user.
    UserLink(usize),
}

impl Component {
    /// The ending of the jobs that are lost with it.
    pub(super) fn ending(self) -> Ending {
        match self {
            Self::Machine(_) => Ending::MachineFailed,
            Self::Link(_) => Ending::LinkFailed,
            Self::UserLink(_) => Ending::UserLinkFailed,
        }
    }
}

/// A job on a processor.
#[derive(Debug)]
pub(super) struct Running {
    /// Which assignment of the run it is, from 0.
    pub(super) number: usize,
    /// Its owner and its machine, by place.
    pub(super) owner: usize,
    pub(super) machine: usize,
    pub(super) assignment: AssignedJob,
}

/// A machine and the jobs on it.
#[derive(Debug)]
struct MachineState {
    machine: Machine,
    site: usize,
    up: bool,
    /// By place in the list of jobs.
    jobs: BTreeSet<usize>,
}

impl MachineState {
    /// Free processors, eq. 4. Never negative: a job is placed on a machine only where a processor is free.
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
    site: Site,
    link_up: bool,
    /// Its machines, by place in [`Gis::machines`].
    machines: std::ops::Range<usize>,
}

#[derive(Debug)]
pub(super) struct UserState<'a> {
    pub(super) user: &'a GridUser,
    pub(super) link_up: bool,
    /// The user has left for ever.
    pub(super) gone: bool,
}

/// The state of the grid and its users at an instant.
#[derive(Debug)]
pub(super) struct Gis<'a> {
    pub(super) sites: Vec<SiteEntry>,
    machines: Vec<MachineState>,
    pub(super) users: Vec<UserState<'a>>,
    /// By place in the list of jobs.
    pub(super) running: BTreeMap<usize, Running>,
}

impl<'a> Gis<'a> {
    pub(super) fn new(sites: &[Site], users: &'a [GridUser]) -> Self {
        let users = users.iter().map(|user| UserState { user, link_up: true, gone: false }).collect();
        let mut gis = Self { sites: Vec::new(), machines: Vec::new(), users, running: BTreeMap::new() };
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

    /// Every component with its mean time to failure: machines, links of sites, links of users.
    pub(super) fn components(&self) -> impl Iterator<Item = (Component, Option<Span>)> {
        let machines = self.machines.iter().map(|state| state.machine.mean_time_to_failure).enumerate();
        let links = self.sites.iter().map(|entry| entry.site.link_mean_time_to_failure).enumerate();
        let users = self.users.iter().map(|state| state.user.link_mean_time_to_failure).enumerate();
        let machines = machines.map(|(at, mean)| (Component::Machine(at), mean));
        let links = links.map(|(at, mean)| (Component::Link(at), mean));
        machines.chain(links).chain(users.map(|(at, mean)| (Component::UserLink(at), Some(mean))))
    }

    /// The component fails, or is repaired.
    pub(super) fn set_up(&mut self, component: Component, up: bool) {
        match component {
            Component::Machine(machine) => self.machines[machine].up = up,
            Component::Link(site) => self.sites[site].link_up = up,
            Component::UserLink(user) => self.users[user].link_up = up,
        }
    }

    /// The site of the component (none for the link of a user), and the log entry for its failure or repair.
    pub(super) fn log_event(&self, component: Component, up: bool) -> (Option<SiteId>, LogEvent) {
        match component {
            Component::Machine(machine) => {
                let state = &self.machines[machine];
                let id = state.machine.id;
                let what = if up { LogEvent::MachineRepaired(id) } else { LogEvent::MachineFailed(id) };
                (Some(self.sites[state.site].site.id), what)
            }
            Component::Link(site) => (
                Some(self.sites[site].site.id),
                if up { LogEvent::LinkRepaired } else { LogEvent::LinkFailed },
            ),
            Component::UserLink(user) => {
                let id = self.users[user].user.id;
                (None, if up { LogEvent::UserLinkRepaired(id) } else { LogEvent::UserLinkFailed(id) })
            }
        }
    }

    /// The jobs that are lost if the component fails now.
    pub(super) fn depending(&self, now: Time, component: Component) -> Vec<usize> {
        match component {
            Component::Machine(machine) => self.machines[machine].jobs.iter().copied().collect(),
            Component::Link(site) => {
                let machines = &self.machines[self.sites[site].machines.clone()];
                machines.iter().flat_map(|state| state.jobs.iter().copied()).collect()
            }
            Component::UserLink(user) => {
                let moving =
                    |running: &Running| running.owner == user && now < running.assignment.transferred();
                self.running.iter().filter(|(_, running)| moving(running)).map(|(&job, _)| job).collect()
            }
        }
    }

    /// The user leaves for ever. Returns the running jobs of the user.
    pub(super) fn user_leaves(&mut self, user: usize) -> Vec<usize> {
        self.users[user].gone = true;
        self.running.iter().filter(|(_, running)| running.owner == user).map(|(&job, _)| job).collect()
    }

    /// A job, by its place and owner, as it would run on the machine at this place of a site from now on.
    pub(super) fn assignment(&self, now: Time, job: &Job, owner: usize, machine: usize) -> AssignedJob {
        let state = &self.machines[machine];
        let site = &self.sites[state.site].site;
        let link = self.users[owner].user.bandwidth;
        let bandwidth = site.bandwidth.map_or(link, |bandwidth| bandwidth.min(link));
        AssignedJob {
            job: job.id,
            user: job.user,
            site: site.id,
            machine: state.machine.id,
            arrival: job.submit,
            assigned: now,
            transfer: job.request.input / bandwidth,
            processing: job.request.span_on(state.machine.speed),
            left: None,
        }
    }

    /// The place of a machine among all, from its place at a site.
    pub(super) fn machine_at(&self, site: usize, machine: usize) -> usize {
        self.sites[site].machines.start + machine
    }

    /// The job takes a processor.
    pub(super) fn take(&mut self, job: usize, running: Running) {
        self.machines[running.machine].jobs.insert(job);
        self.running.insert(job, running);
    }

    /// The job gives its processor back, if it has one. Returns the assignment and its cost until now.
    pub(super) fn release(&mut self, now: Time, job: usize) -> Option<(Running, Money)> {
        let running = self.running.remove(&job)?;
        let state = &mut self.machines[running.machine];
        state.jobs.remove(&job);
        let cost = state.machine.price * (now - running.assignment.assigned);
        Some((running, cost))
    }

    /// The machines of a site that can be reached.
    fn reachable(&self, site: usize) -> impl Iterator<Item = &MachineState> {
        let entry = &self.sites[site];
        self.machines[entry.machines.clone()].iter().filter(move |_| entry.link_up)
    }

    /// A site as the global scheduler sees it: eq. 2, 3 and 12.
    pub(super) fn site_state(&self, site: usize) -> SiteState {
        let entry = &self.sites[site].site;
        let mut state = SiteState::new(&self.machines(site));
        if let Some(bandwidth) = entry.bandwidth {
            state = state.with_bandwidth(bandwidth);
        }
        if let Some(mean) = entry.link_mean_time_to_failure {
            state = state.with_link_mean_time_to_failure(mean);
        }
        state
    }

    /// The machines of a site as its local scheduler sees them: eq. 4 and 5.
    pub(super) fn machines(&self, site: usize) -> Vec<FreeMachine> {
        let machine = |state: &MachineState| {
            let free = FreeMachine::new(state.free(), state.live(), state.machine.speed);
            match state.machine.mean_time_to_failure {
                Some(mean) => free.with_mean_time_to_failure(mean),
                None => free,
            }
        };
        self.reachable(site).map(machine).collect()
    }

    /// Free processors of all sites that can be reached.
    pub(super) fn free(&self) -> u64 {
        let sites = 0..self.sites.len();
        sites.flat_map(|site| self.reachable(site)).map(|state| u64::from(state.free())).sum()
    }

    /// Busy share of the processors of a site; `None` if no processor can be reached.
    pub(super) fn load(&self, site: usize) -> Option<f64> {
        let (busy, live) = self
            .reachable(site)
            .fold((0, 0), |(busy, live), state| (busy + (state.live() - state.free()), live + state.live()));
        (live > 0).then(|| f64::from(busy) / f64::from(live))
    }
}
