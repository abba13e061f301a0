//! The grid information system: which components are up, which processors are free, and which job runs where.

use super::super::inputs::GridUser;
use super::super::site::Site;
use econsched::auction_assign::strategy::{FreeMachine, SiteState};
use econsched::grid_sim::{Ending, LogEvent};
use econsched::sched_model::{Job, JobId, Machine, MachineId, Money, SiteId, Span, Time, UserId};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

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
    /// When the job arrived in the grid.
    pub arrival: Time,
    /// When it was assigned; it holds its processor from then on.
    pub assigned: Time,
    /// How long the transfer of its input takes.
    pub transfer: Span,
    /// How long it runs after that, if nothing fails.
    pub processing: Span,
    /// When the processor was free again, at its end or at a failure; `None` while it holds it.
    pub left: Option<Time>,
}

impl AssignedJob {
    /// Returns when the transfer of its input ends.
    pub fn transferred(&self) -> Time {
        self.assigned + self.transfer
    }

    /// Returns when it ends, if nothing fails.
    pub fn end(&self) -> Time {
        self.transferred() + self.processing
    }
}

/// A component that can fail, by its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Component {
    Machine(usize),
    /// The link of a site.
    Link(usize),
    /// The link of a user.
    UserLink(usize),
}

impl Component {
    /// Returns the ending of the jobs that are lost if it fails.
    pub(super) fn ending(self) -> Ending {
        match self {
            Self::Machine(_) => Ending::MachineFailed,
            Self::Link(_) => Ending::LinkFailed,
            Self::UserLink(_) => Ending::UserLinkFailed,
        }
    }
}

/// A job that holds a processor.
#[derive(Debug)]
pub(super) struct Running {
    /// The number of its assignment in the run, from 0.
    pub(super) number: usize,
    /// The indices of its owner and of its machine.
    pub(super) owner: usize,
    pub(super) machine: usize,
    pub(super) assignment: AssignedJob,
}

/// The state of the grid and its users at an instant.
#[derive(Debug)]
pub(super) struct Gis<'a> {
    pub(super) sites: &'a [Site],
    pub(super) users: &'a [GridUser],
    /// All machines, site by site, each with the index of its site.
    machines: Vec<(usize, &'a Machine)>,
    /// For each site the indices of its machines among all.
    places: Vec<Range<usize>>,
    /// The number of jobs on each machine.
    busy: Vec<u32>,
    down: BTreeSet<Component>,
    /// The running jobs, by their index in the list of jobs.
    pub(super) running: BTreeMap<usize, Running>,
}

impl<'a> Gis<'a> {
    pub(super) fn new(sites: &'a [Site], users: &'a [GridUser]) -> Self {
        let (mut machines, mut places) = (Vec::new(), Vec::new());
        for (at, site) in sites.iter().enumerate() {
            let first = machines.len();
            machines.extend(site.machines.iter().map(|machine| (at, machine)));
            places.push(first..machines.len());
        }
        let busy = vec![0; machines.len()];
        Self { sites, users, machines, places, busy, down: BTreeSet::new(), running: BTreeMap::new() }
    }

    /// Returns all components with their mean times to failure: machines, links of sites, links of users.
    pub(super) fn components(&self) -> impl Iterator<Item = (Component, Option<Span>)> {
        let machines = self.machines.iter().map(|(_, machine)| machine.mean_time_to_failure);
        let links = self.sites.iter().map(|site| site.link_mean_time_to_failure);
        let users = self.users.iter().map(|user| Some(user.link_mean_time_to_failure));
        let machines = (0..).map(Component::Machine).zip(machines);
        let links = (0..).map(Component::Link).zip(links);
        machines.chain(links).chain((0..).map(Component::UserLink).zip(users))
    }

    pub(super) fn is_up(&self, component: Component) -> bool {
        !self.down.contains(&component)
    }

    /// Records that the component was repaired (`up`) or has failed.
    pub(super) fn set_up(&mut self, component: Component, up: bool) {
        if up {
            self.down.remove(&component)
        } else {
            self.down.insert(component)
        };
    }

    /// Returns the site of the component (`None` for the link of a user), and the log event of its failure or repair.
    pub(super) fn log_event(&self, component: Component, up: bool) -> (Option<SiteId>, LogEvent) {
        match component {
            Component::Machine(at) => {
                let (site, machine) = self.machines[at];
                let event = if up { LogEvent::MachineRepaired } else { LogEvent::MachineFailed };
                (Some(self.sites[site].id), event(machine.id))
            }
            Component::Link(site) => {
                (Some(self.sites[site].id), if up { LogEvent::LinkRepaired } else { LogEvent::LinkFailed })
            }
            Component::UserLink(user) => {
                let event = if up { LogEvent::UserLinkRepaired } else { LogEvent::UserLinkFailed };
                (None, event(self.users[user].id))
            }
        }
    }

    /// Returns the jobs that are lost if the component fails now; for the link of a site, machine by machine.
    pub(super) fn depending(&self, now: Time, component: Component) -> Vec<usize> {
        match component {
            Component::Machine(machine) => self.jobs(|running| running.machine == machine),
            Component::Link(site) => {
                let mut jobs = self.jobs(|running| self.places[site].contains(&running.machine));
                jobs.sort_by_key(|job| self.running.get(job).map(|running| running.machine));
                jobs
            }
            Component::UserLink(user) => {
                self.jobs(|running| running.owner == user && now < running.assignment.transferred())
            }
        }
    }

    /// Returns the running jobs for which `are_so` is true.
    pub(super) fn jobs(&self, are_so: impl Fn(&Running) -> bool) -> Vec<usize> {
        self.running.iter().filter(|(_, running)| are_so(running)).map(|(&job, _)| job).collect()
    }

    /// Returns the assignment of a job of this owner to this machine from now on.
    pub(super) fn assignment(&self, now: Time, job: &Job, owner: usize, machine: usize) -> AssignedJob {
        let (site, machine) = self.machines[machine];
        let site = &self.sites[site];
        let link = self.users[owner].bandwidth;
        let bandwidth = site.bandwidth.map_or(link, |bandwidth| bandwidth.min(link));
        AssignedJob {
            job: job.id,
            user: job.user,
            site: site.id,
            machine: machine.id,
            arrival: job.submit,
            assigned: now,
            transfer: job.request.input / bandwidth,
            processing: job.request.work() / machine.speed,
            left: None,
        }
    }

    /// Returns the index of a machine among all, from its index within a site.
    pub(super) fn machine_at(&self, site: usize, machine: usize) -> usize {
        self.places[site].start + machine
    }

    /// Gives the job a processor.
    pub(super) fn take(&mut self, job: usize, running: Running) {
        self.busy[running.machine] += 1;
        self.running.insert(job, running);
    }

    /// Takes the processor of the job back, if it holds one. Returns the assignment and its cost until now.
    pub(super) fn release(&mut self, now: Time, job: usize) -> Option<(Running, Money)> {
        let running = self.running.remove(&job)?;
        self.busy[running.machine] -= 1;
        let cost = self.machines[running.machine].1.price * (now - running.assignment.assigned);
        Some((running, cost))
    }

    /// Returns a site as the global scheduler sees it: eq. 2, 3 and 12.
    pub(super) fn site_state(&self, at: usize) -> SiteState {
        let Site { bandwidth, link_mean_time_to_failure, .. } = self.sites[at];
        SiteState { bandwidth, link_mean_time_to_failure, ..SiteState::new(&self.machines(at)) }
    }

    /// Returns the machines of a site as its local scheduler sees them (eq. 4 and 5); none if its link is down. A
    /// machine never has more jobs than processors, and none while it is down.
    pub(super) fn machines(&self, site: usize) -> Vec<FreeMachine> {
        let state = |at: usize| {
            let (_, machine) = self.machines[at];
            let live = if self.is_up(Component::Machine(at)) { machine.cpus() } else { 0 };
            let mean_time_to_failure = machine.mean_time_to_failure;
            let free = live.saturating_sub(self.busy[at]);
            FreeMachine { free, live, speed: machine.speed, mean_time_to_failure }
        };
        if self.is_up(Component::Link(site)) {
            self.places[site].clone().map(state).collect()
        } else {
            Vec::new()
        }
    }
}
