//! The system as it runs: job pool, schedulers, failures, report.

use super::gis::{Assignment, Gis};
use super::{Config, GlobalScheduler, LocalScheduler, Schedulers};
use crate::SimError;
use crate::engine::EventQueue;
use crate::log::{EventLog, Happening};
use crate::report::{Ending, JobRecord, Part, Report, SiteInfo};
use auction_assign::strategy::{Demand, LocalRule, SiteState, Strategy};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use sched_model::{Job, JobId, Refusal, Site, Span, Time, UserId, Work};
use std::collections::BTreeMap;
use workload_gen::multi_s_grid::GridUser;
use workload_gen::sample::{Distribution, Exponential, stream};

/// What happened in one time slice.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SliceRecord {
    /// Its beginning.
    pub at: Time,
    /// Jobs in the pool before the schedulers.
    pub waiting: usize,
    /// Jobs assigned.
    pub assigned: usize,
    /// Jobs done so far.
    pub done: usize,
    /// Jobs lost to failures so far.
    pub lost: usize,
    /// Mean cost (transfer and processing time) of the jobs assigned so far.
    pub mean_cost: f64,
    /// Busy share of the processors of each site after the schedulers; `None` where none is live.
    pub loads: Vec<Option<f64>>,
    /// Variance of these loads over the sites that have one.
    pub load_variance: f64,
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SystemOutcome {
    /// Job by job, in the order given. A job that was retried is shown as it ran last.
    pub records: Vec<JobRecord>,
    /// The figures.
    pub report: Report,
    /// Jobs that waited longer than allowed, whether they were assigned in the end or not.
    pub starved: usize,
    /// Mean cost (transfer and processing time) of all assignments.
    pub mean_cost: f64,
    /// Processor time of jobs that were lost.
    pub lost_time: Span,
    /// Slice by slice; empty unless asked for.
    pub slices: Vec<SliceRecord>,
    /// Every assignment; empty unless asked for.
    pub assignments: Vec<Assignment>,
    /// What happened; empty unless asked for.
    pub log: EventLog,
    /// Events served.
    pub events: u64,
    /// When the last event was served.
    pub end: Time,
}

/// Runs under the strategy and the local rule of the configuration. Failures are those of this seed and replicate.
///
/// With s slices in which jobs wait, w of them on average, and r sites: the assignment of w jobs to r sites in each.
///
/// # Errors
/// [`SimError::RepeatedJob`] and [`SimError::UnknownUser`] for the jobs, [`SimError::OutOfRange`] for a slice of zero,
/// [`SimError::Workload`] for a mean time to failure of zero, [`SimError::Scheduler`] for a strategy out of range.
///
/// ```
/// use grid_sim::multi_s_grid::{Config, run};
/// use workload_gen::multi_s_grid::{GridName, JobProperties, UserGroup};
/// use workload_gen::sample::stream;
/// let mut rng = stream(1, 0);
/// let sites = GridName::G3.properties().generate(&mut rng)?;
/// let users = UserGroup::Users1.properties().generate(&mut rng)?;
/// let jobs = JobProperties::default().jobs(200).generate(&users, &mut rng)?;
/// let outcome = run(&sites, &users, &jobs, &Config::default(), 1, 0)?;
/// assert_eq!(outcome.report.endings.values().sum::<usize>(), 200); // each job ends in one way
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run(
    sites: &[Site],
    users: &[GridUser],
    jobs: &[Job],
    config: &Config,
    seed: u64,
    replicate: u64,
) -> Result<SystemOutcome, SimError> {
    let balanced = if config.strategy.balancing { LocalRule::Balanced } else { LocalRule::ShortestFirst };
    let mut strategy: Strategy = config.strategy;
    let mut local = config.local.unwrap_or(balanced);
    run_with(
        sites,
        users,
        jobs,
        config,
        seed,
        replicate,
        Schedulers { global: &mut strategy, local: &mut local },
    )
}

/// As [`run`], with schedulers of one's own. Of the strategy of the configuration only the slice is used.
///
/// # Errors
/// As for [`run`], and [`SimError::Scheduler`] for a bad answer of a scheduler.
pub fn run_with<'a>(
    sites: &[Site],
    users: &'a [GridUser],
    jobs: &'a [Job],
    config: &'a Config,
    seed: u64,
    replicate: u64,
    schedulers: Schedulers<'a>,
) -> Result<SystemOutcome, SimError> {
    if config.strategy.slice <= Span::ZERO {
        return Err(SimError::OutOfRange { what: "the time slice", expected: "positive", value: 0.0 });
    }
    let mut system = System::new(sites, users, jobs, config, schedulers)?;
    system.begin(seed, replicate)?;
    // Failures never cease, so the run is bounded in time.
    let horizon = Time::new(config.strategy.slice.get() * f64::from(config.slices))?;
    while system.left < jobs.len() {
        let Some((now, event)) = system.queue.pop_until(horizon) else { break };
        system.end = now;
        system.serve(now, event)?;
    }
    Ok(system.outcome(sites))
}

/// What can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Component {
    Machine(usize),
    Link(usize),
    UserLink(usize),
}

#[derive(Debug, Clone, Copy)]
enum Event {
    /// A job ends on the assignment of this number.
    End {
        job: usize,
        assignment: usize,
    },
    /// By place in the list of failing components.
    Fail(usize),
    Repair(usize),
    Leave(usize),
    Slice(u32),
}

const END: u8 = 0;
const FAILURE: u8 = 1;
const SLICE: u8 = 2;

/// A failing component with its own stream of intervals.
struct Failing {
    component: Component,
    interval: Exponential,
    rng: ChaCha8Rng,
}

struct UserState<'a> {
    user: &'a GridUser,
    link_up: bool,
    gone: bool,
}

struct System<'a> {
    jobs: &'a [Job],
    /// Owner of each job, by place.
    owners: Vec<usize>,
    config: &'a Config,
    global: &'a mut dyn GlobalScheduler,
    local: &'a mut dyn LocalScheduler,
    gis: Gis,
    users: Vec<UserState<'a>>,
    failing: Vec<Failing>,
    queue: EventQueue<Event>,
    /// Jobs by submission; those before `arrived` have come.
    order: Vec<usize>,
    arrived: usize,
    /// Jobs that wait, in order of submission.
    pool: Vec<usize>,
    /// The present assignment of each job, with its number and its machine.
    running: BTreeMap<usize, (usize, usize, Assignment)>,
    attempts: Vec<u32>,
    starved: Vec<bool>,
    records: Vec<JobRecord>,
    left: usize,
    done: usize,
    lost: usize,
    lost_time: Span,
    assigned: usize,
    cost_sum: f64,
    slices: Vec<SliceRecord>,
    assignments: Vec<Assignment>,
    log: EventLog,
    end: Time,
}

impl<'a> System<'a> {
    fn new(
        sites: &[Site],
        users: &'a [GridUser],
        jobs: &'a [Job],
        config: &'a Config,
        Schedulers { global, local }: Schedulers<'a>,
    ) -> Result<Self, SimError> {
        let by_id: BTreeMap<UserId, usize> =
            users.iter().enumerate().map(|(at, user)| (user.user.id, at)).collect();
        let mut owners = Vec::with_capacity(jobs.len());
        let mut seen: BTreeMap<JobId, ()> = BTreeMap::new();
        for job in jobs {
            if seen.insert(job.id, ()).is_some() {
                return Err(SimError::RepeatedJob { job: job.id });
            }
            let owner = by_id.get(&job.user).copied();
            owners.push(owner.ok_or(SimError::UnknownUser { job: job.id, user: job.user })?);
        }
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        order.sort_by_key(|&at| (jobs[at].submit, at));
        Ok(Self {
            jobs,
            owners,
            config,
            global,
            local,
            gis: Gis::new(sites),
            users: users.iter().map(|user| UserState { user, link_up: true, gone: false }).collect(),
            failing: Vec::new(),
            queue: EventQueue::new(),
            order,
            arrived: 0,
            pool: Vec::new(),
            running: BTreeMap::new(),
            attempts: vec![0; jobs.len()],
            starved: vec![false; jobs.len()],
            records: jobs.iter().map(record).collect(),
            left: 0,
            done: 0,
            lost: 0,
            lost_time: Span::ZERO,
            assigned: 0,
            cost_sum: 0.0,
            slices: Vec::new(),
            assignments: Vec::new(),
            log: EventLog::new(config.log),
            end: Time::ZERO,
        })
    }

    /// Schedules the first failures, departures and the first slice.
    fn begin(&mut self, seed: u64, replicate: u64) -> Result<(), SimError> {
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
        self.next_slice(0)
    }

    fn next_failure(&mut self, now: Time, at: usize) -> Result<(), SimError> {
        let Failing { interval, rng, .. } = &mut self.failing[at];
        let failure = now + Span::new(interval.sample(rng))?;
        self.queue.schedule(failure, FAILURE, Event::Fail(at))
    }

    /// The slice of this number, or a later one if nothing can happen before.
    fn next_slice(&mut self, number: u32) -> Result<(), SimError> {
        let slice = self.config.strategy.slice.get();
        let mut number = number;
        // Only an arrival can fill the pool again, or a running job that is lost and retried.
        let idle = self.pool.is_empty() && (self.config.retries == 0 || self.running.is_empty());
        if idle && !self.config.trace {
            let Some(&next) = self.order.get(self.arrived) else { return Ok(()) };
            // Rounded up: a job that comes at the beginning of a slice is in it. Casts saturate.
            number = number.max((self.jobs[next].submit.get() / slice).ceil() as u32);
        }
        if number >= self.config.slices {
            return Ok(());
        }
        let at = Time::new(f64::from(number) * slice)?.max(self.end);
        self.queue.schedule(at, SLICE, Event::Slice(number))
    }

    fn serve(&mut self, now: Time, event: Event) -> Result<(), SimError> {
        match event {
            Event::End { job, assignment } => {
                if self.running.get(&job).is_some_and(|&(number, ..)| number == assignment) {
                    self.leave(now, job, Ending::Done);
                }
                Ok(())
            }
            Event::Fail(at) => self.fail(now, at),
            Event::Repair(at) => self.repair(now, at),
            Event::Leave(user) => {
                self.users[user].gone = true;
                self.log.note(now, None, Happening::UserLeft(self.users[user].user.user.id));
                let owned = |job: &usize| self.owners[*job] == user;
                let gone: Vec<usize> =
                    self.running.keys().copied().chain(self.pool.iter().copied()).filter(owned).collect();
                for job in gone {
                    self.leave(now, job, Ending::OwnerGone);
                }
                let owners = &self.owners;
                self.pool.retain(|&job| owners[job] != user);
                Ok(())
            }
            Event::Slice(number) => self.slice(now, number),
        }
    }

    fn fail(&mut self, now: Time, at: usize) -> Result<(), SimError> {
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

    fn repair(&mut self, now: Time, at: usize) -> Result<(), SimError> {
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

    /// A job leaves its processor, if it has one, and the system, unless it is to be tried again.
    fn leave(&mut self, now: Time, job: usize, ending: Ending) {
        let id = self.jobs[job].id;
        let lost = matches!(ending, Ending::MachineFailed | Ending::LinkFailed);
        if let Some((number, machine, mut assignment)) = self.running.remove(&job) {
            self.gis.machines[machine].jobs.remove(&job);
            assignment.left = Some(now);
            if let Some(kept) = self.assignments.get_mut(number) {
                *kept = assignment;
            }
            let held = now - assignment.assigned;
            if ending != Ending::Done {
                self.lost_time += held;
            }
            let cost = self.gis.machines[machine].machine.price() * held;
            let part = Part { site: assignment.site, cpus: 1, end: now, cost };
            let record = &mut self.records[job];
            record.start = Some(assignment.assigned);
            record.parts = vec![part];
        } else {
            self.note_wait(now, job);
        }
        self.lost += usize::from(lost);
        self.done += usize::from(ending == Ending::Done);
        self.log.note(
            now,
            None,
            if ending == Ending::Done { Happening::Ended(id) } else { Happening::Lost(id) },
        );
        self.records[job].ending = ending;
        if lost && self.attempts[job] <= self.config.retries {
            let record = &mut self.records[job];
            (record.start, record.ending) = (None, Ending::Waiting);
            record.parts.clear();
            let order = |&at: &usize| (self.jobs[at].submit, at);
            let place = self.pool.partition_point(|at| order(at) < order(&job));
            self.pool.insert(place, job);
        } else {
            self.left += 1;
        }
    }

    /// A job that waits has waited until now.
    fn note_wait(&mut self, now: Time, job: usize) {
        self.starved[job] |= now - self.jobs[job].submit > self.config.starving_after;
    }

    fn arrive(&mut self, now: Time) {
        while let Some(&job) = self.order.get(self.arrived).filter(|&&job| self.jobs[job].submit <= now) {
            self.arrived += 1;
            let id = self.jobs[job].id;
            self.log.note(now, None, Happening::Submitted(id));
            let needed = self.jobs[job].request.nodes();
            if self.users[self.owners[job]].gone {
                self.leave(now, job, Ending::OwnerGone);
            } else if needed > 1 {
                self.leave(now, job, Ending::Refused(Refusal::TooWide { needed, largest: 1 }));
            } else {
                self.pool.push(job);
            }
        }
    }

    fn slice(&mut self, now: Time, number: u32) -> Result<(), SimError> {
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

    fn mean_cost(&self) -> f64 {
        if self.assigned > 0 { self.cost_sum / self.assigned as f64 } else { 0.0 }
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

    fn outcome(mut self, sites: &[Site]) -> SystemOutcome {
        for (job, (_, _, assignment)) in &self.running {
            self.records[*job].start = Some(assignment.assigned);
        }
        for job in std::mem::take(&mut self.pool) {
            self.note_wait(self.end, job);
        }
        let info = |site: &Site| SiteInfo { id: site.id(), name: site.name().to_owned(), cpus: site.cpus() };
        let sites: Vec<SiteInfo> = sites.iter().map(info).collect();
        SystemOutcome {
            report: Report::new(&self.records, &sites, self.config.threshold),
            starved: self.starved.iter().filter(|&&starved| starved).count(),
            mean_cost: self.mean_cost(),
            records: self.records,
            lost_time: self.lost_time,
            slices: self.slices,
            assignments: self.assignments,
            log: self.log,
            events: self.queue.served(),
            end: self.end,
        }
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

fn record(job: &Job) -> JobRecord {
    let cpus = u32::try_from(job.request.nodes()).unwrap_or(u32::MAX);
    JobRecord::waiting(job.id, job.user, job.submit, cpus)
}
