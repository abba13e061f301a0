//! The system as it runs: job pool, schedulers, failures, report.

use super::failure::Failing;
use super::gis::{Assignment, Gis};
use super::{Config, GlobalScheduler, LocalScheduler, Schedulers, SliceRecord, SystemOutcome};
use crate::SimError;
use crate::engine::EventQueue;
use crate::log::{EventLog, Happening};
use crate::report::{Ending, JobRecord, Part, Report, SiteInfo, check_count};
use auction_assign::strategy::{LocalRule, Strategy};
use sched_model::{Job, JobId, Limit, Meter, Refusal, Site, Span, Time, UserId};
use std::collections::BTreeMap;
use workload_gen::multi_s_grid::GridUser;

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
/// let jobs = JobProperties::default().with_jobs(200).generate(&users, &mut rng)?;
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
    run_within(sites, users, jobs, config, (seed, replicate), &mut Limit::without_limit().meter())
}

/// As [`run`], but no further than the meter allows: one unit of work for each event, and [`Meter::POLL`] and one for each
/// waiting job and site in each slice. `draw` is the seed and the replicate. What waits or runs by then is so in the records.
///
/// # Errors
/// As for [`run`].
pub fn run_within(
    sites: &[Site],
    users: &[GridUser],
    jobs: &[Job],
    config: &Config,
    draw: (u64, u64),
    meter: &mut Meter<'_>,
) -> Result<SystemOutcome, SimError> {
    let balanced = if config.strategy.balancing { LocalRule::Balanced } else { LocalRule::ShortestFirst };
    let mut strategy: Strategy = config.strategy;
    let mut local = config.local.unwrap_or(balanced);
    let schedulers = Schedulers { global: &mut strategy, local: &mut local };
    check_slice(config)?;
    System::new(sites, users, jobs, config, schedulers)?.run(sites, draw, meter)
}

fn check_slice(config: &Config) -> Result<(), SimError> {
    if config.strategy.slice <= Span::ZERO {
        return Err(SimError::OutOfRange { what: "the time slice", expected: "positive", value: 0.0 });
    }
    Ok(())
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
    check_slice(config)?;
    let unlimited = Limit::without_limit();
    System::new(sites, users, jobs, config, schedulers)?.run(sites, (seed, replicate), &mut unlimited.meter())
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Event {
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

pub(super) const END: u8 = 0;
pub(super) const FAILURE: u8 = 1;
pub(super) const SLICE: u8 = 2;

pub(super) struct UserState<'a> {
    pub(super) user: &'a GridUser,
    pub(super) link_up: bool,
    pub(super) gone: bool,
}

pub(super) struct System<'a> {
    pub(super) jobs: &'a [Job],
    /// Owner of each job, by place.
    pub(super) owners: Vec<usize>,
    pub(super) config: &'a Config,
    pub(super) global: &'a mut dyn GlobalScheduler,
    pub(super) local: &'a mut dyn LocalScheduler,
    pub(super) gis: Gis,
    pub(super) users: Vec<UserState<'a>>,
    pub(super) failing: Vec<Failing>,
    pub(super) queue: EventQueue<Event>,
    /// Jobs by submission; those before `arrived` have come.
    pub(super) order: Vec<usize>,
    pub(super) arrived: usize,
    /// Jobs that wait, in order of submission.
    pub(super) pool: Vec<usize>,
    /// The present assignment of each job, with its number and its machine.
    pub(super) running: BTreeMap<usize, (usize, usize, Assignment)>,
    pub(super) attempts: Vec<u32>,
    pub(super) starved: Vec<bool>,
    pub(super) records: Vec<JobRecord>,
    pub(super) left: usize,
    pub(super) done: usize,
    pub(super) lost: usize,
    pub(super) lost_time: Span,
    pub(super) assigned: usize,
    pub(super) cost_sum: f64,
    pub(super) slices: Vec<SliceRecord>,
    pub(super) assignments: Vec<Assignment>,
    pub(super) log: EventLog,
    pub(super) end: Time,
}

impl<'a> System<'a> {
    fn new(
        sites: &[Site],
        users: &'a [GridUser],
        jobs: &'a [Job],
        config: &'a Config,
        Schedulers { global, local }: Schedulers<'a>,
    ) -> Result<Self, SimError> {
        check_count("jobs", jobs.len())?;
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

    fn run(
        mut self,
        sites: &[Site],
        draw: (u64, u64),
        meter: &mut Meter<'_>,
    ) -> Result<SystemOutcome, SimError> {
        self.begin(draw.0, draw.1)?;
        // Failures never cease, so the run is bounded in time.
        let horizon = Time::new(self.config.strategy.slice.get() * f64::from(self.config.slices))?;
        let mut stopped = None;
        while self.left < self.jobs.len() {
            let slice = matches!(self.queue.peek(), Some((_, Event::Slice(_))));
            // The schedulers may take long: the signal is asked before each call.
            let waiting = if slice { Meter::POLL + self.pool.len() as u64 * sites.len() as u64 } else { 0 };
            stopped = meter.spend(1 + waiting).err();
            if stopped.is_some() {
                break;
            }
            let Some((now, event)) = self.queue.pop_until(horizon) else { break };
            self.end = now;
            self.serve(now, event)?;
        }
        Ok(SystemOutcome { stopped, ..self.outcome(sites) })
    }

    /// Schedules the first failures, departures and the first slice.
    fn begin(&mut self, seed: u64, replicate: u64) -> Result<(), SimError> {
        self.first_failures(seed, replicate)?;
        self.next_slice(0)
    }

    /// The slice of this number, or a later one if nothing can happen before.
    pub(super) fn next_slice(&mut self, number: u32) -> Result<(), SimError> {
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

    /// A job leaves its processor, if it has one, and the system, unless it is to be tried again.
    pub(super) fn leave(&mut self, now: Time, job: usize, ending: Ending) {
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
        let what = match ending {
            Ending::Done => Happening::Ended(id),
            Ending::Refused(_) => Happening::Refused(id),
            _ => Happening::Lost(id),
        };
        self.log.note(now, None, what);
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
    pub(super) fn note_wait(&mut self, now: Time, job: usize) {
        self.starved[job] |= now - self.jobs[job].submit > self.config.starving_after;
    }

    pub(super) fn arrive(&mut self, now: Time) {
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

    pub(super) fn mean_cost(&self) -> f64 {
        if self.assigned > 0 { self.cost_sum / self.assigned as f64 } else { 0.0 }
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
            stopped: None,
        }
    }
}

fn record(job: &Job) -> JobRecord {
    let cpus = u32::try_from(job.request.nodes()).unwrap_or(u32::MAX);
    JobRecord::waiting(job.id, job.user, job.submit, cpus)
}
