//! One cluster under a list of jobs: EASY alone, driven by a log.

use crate::SimError;
use crate::cluster::{Cluster, Easy, Holder, LocalJob, LocalPolicy, Overrun, Settled, Started};
use crate::engine::{EventQueue, Model, run};
use crate::log::{EventLog, Happening};
use crate::report::{Ending, JobRecord, Part, Report, SiteInfo, default_threshold, times};
use sched_model::{JobId, Machine, Refusal, SiteId, Span, Time};
use std::collections::BTreeMap;

/// How a [`replay`] goes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ReplayOptions {
    /// What happens to jobs that outlive their request; killed by default.
    pub overrun: Overrun,
    /// The bound of the bounded slowdown; 10 by default.
    pub threshold: Span,
    /// Whether to keep an event log; not by default.
    pub log: bool,
}

impl Default for ReplayOptions {
    fn default() -> Self {
        Self { overrun: Overrun::default(), threshold: default_threshold(), log: false }
    }
}

impl ReplayOptions {
    /// The same with this rule for jobs that outlive their request.
    #[must_use]
    pub fn overrun(self, overrun: Overrun) -> Self {
        Self { overrun, ..self }
    }

    /// The same with this bound of the bounded slowdown.
    #[must_use]
    pub fn threshold(self, threshold: Span) -> Self {
        Self { threshold, ..self }
    }

    /// The same, keeping an event log or not.
    #[must_use]
    pub fn log(self, log: bool) -> Self {
        Self { log, ..self }
    }
}

/// What came of a [`replay`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Replay {
    /// Job by job, in the order given.
    pub records: Vec<JobRecord>,
    /// The first start that each job was promised while it waited; `None` if it was promised none.
    pub promises: Vec<Option<Time>>,
    /// The figures.
    pub report: Report,
    /// What happened; empty unless asked for.
    pub log: EventLog,
    /// Events served.
    pub events: u64,
}

/// [`replay`] under EASY backfilling, killing jobs that outlive their request.
///
/// # Errors
/// As for [`replay`].
///
/// ```
/// use grid_sim::{LocalJob, easy};
/// use sched_model::*;
/// let machine = Machine::new(MachineId(0), 4, Speed::ETALON, Price::must(2.0))?;
/// let job = |id, submit, cpus, requested, actual| {
///     LocalJob::new(JobId(id), Time::must(submit), cpus, Span::must(requested), Span::must(actual))
/// };
/// let run = easy(&machine, &[
///     job(1, 0.0, 3, 10.0, 6.0)?, // asks for 10, is done after 6
///     job(2, 1.0, 4, 5.0, 5.0)?,  // must wait: promised 10
///     job(3, 2.0, 1, 8.0, 8.0)?,  // fits now, and would end by 10: backfilled at 2
/// ])?;
/// let starts: Vec<_> = run.records.iter().filter_map(|record| record.start).map(Time::get).collect();
/// assert_eq!(starts, [0.0, 10.0, 2.0]); // job 3 holds its CPU until 10, as the promise allowed
/// assert_eq!(run.promises[1], Some(Time::must(10.0)));
/// assert_eq!(run.report.cost, Money::must(92.0)); // 2 * (3 * 6 + 4 * 5 + 1 * 8)
/// # Ok::<(), grid_sim::SimError>(())
/// ```
pub fn easy(machine: &Machine, jobs: &[LocalJob]) -> Result<Replay, SimError> {
    replay(machine, Box::new(Easy), jobs, &ReplayOptions::default())
}

/// Runs a list of jobs through a cluster under a local policy until all have left.
///
/// Jobs come at their submission times, those of one instant in the order given. Jobs wider than the machine are
/// refused. Each is charged the machine's price for the CPU time it held. The one site of the report has id 0.
///
/// With n jobs and q of them waiting at once: O(n (log n + q)) under EASY.
///
/// # Errors
/// [`SimError::RepeatedJob`] if two jobs carry one id; those of the policy.
pub fn replay(
    machine: &Machine,
    policy: Box<dyn LocalPolicy>,
    jobs: &[LocalJob],
    options: &ReplayOptions,
) -> Result<Replay, SimError> {
    let start = jobs.iter().map(LocalJob::submit).min().unwrap_or(Time::ZERO);
    let mut queue = EventQueue::new();
    let mut model = Replaying {
        cluster: Cluster::new(machine, policy, start).with_overrun(options.overrun),
        jobs,
        index: BTreeMap::new(),
        records: jobs.iter().map(record).collect(),
        promises: vec![None; jobs.len()],
        log: EventLog::new(options.log),
        pass_at: None,
    };
    for (index, job) in jobs.iter().enumerate() {
        if model.index.insert(job.id(), index).is_some() {
            return Err(SimError::RepeatedJob { job: job.id() });
        }
        queue.schedule(job.submit(), ARRIVAL, Event::Arrival(index))?;
    }
    run(&mut model, &mut queue)?;
    let site = SiteInfo { id: SITE, name: "machine".into(), cpus: u64::from(machine.cpus()) };
    Ok(Replay {
        report: Report::new(&model.records, &[site], options.threshold),
        records: model.records,
        promises: model.promises,
        log: model.log,
        events: queue.served(),
    })
}

const SITE: SiteId = SiteId(0);
/// Ends come before limits, so that nothing is refused an extension for want of CPUs that become free at that
/// instant; arrivals come next, and the pass sees them all.
const END: u8 = 0;
const LIMIT: u8 = 1;
const ARRIVAL: u8 = 2;
const PASS: u8 = 3;

enum Event {
    Due(JobId),
    Arrival(usize),
    Pass,
}

struct Replaying<'a> {
    cluster: Cluster,
    jobs: &'a [LocalJob],
    index: BTreeMap<JobId, usize>,
    records: Vec<JobRecord>,
    promises: Vec<Option<Time>>,
    log: EventLog,
    /// The next pass that is scheduled.
    pass_at: Option<Time>,
}

/// A job that has not run yet.
fn record(job: &LocalJob) -> JobRecord {
    JobRecord {
        id: job.id(),
        user: job.user(),
        submit: job.submit(),
        cpus: job.cpus(),
        requested: job.requested(),
        start: None,
        parts: Vec::new(),
        ending: Ending::Waiting,
    }
}

impl Replaying<'_> {
    /// One pass at each instant at which something may start.
    fn ask_pass(&mut self, at: Time, queue: &mut EventQueue<Event>) -> Result<(), SimError> {
        if self.pass_at.is_none_or(|scheduled| at < scheduled) {
            self.pass_at = Some(at);
            queue.schedule(at, PASS, Event::Pass)?;
        }
        Ok(())
    }

    fn watch(&self, job: JobId, queue: &mut EventQueue<Event>) -> Result<(), SimError> {
        match self.cluster.due(Holder::Local(job)) {
            Some((at, true)) => queue.schedule(at, END, Event::Due(job)),
            Some((at, false)) => queue.schedule(at, LIMIT, Event::Due(job)),
            None => Ok(()),
        }
    }

    fn arrive(&mut self, now: Time, index: usize) -> Result<(), SimError> {
        let job = self.jobs[index];
        let largest = self.cluster.machine().cpus();
        self.log.note(now, None, Happening::Submitted(job.id()));
        if job.cpus() > largest {
            let (needed, largest) = (job.cpus() as usize, largest as usize);
            self.records[index].ending = Ending::Refused(Refusal::TooWide { needed, largest });
            self.log.note(now, None, Happening::Refused(job.id()));
            return Ok(());
        }
        self.cluster.submit(job)
    }

    fn settle(&mut self, now: Time, job: JobId, queue: &mut EventQueue<Event>) -> Result<(), SimError> {
        let ending = match self.cluster.settle(now, Holder::Local(job))? {
            Settled::Extended(until) => {
                self.log.note(now, Some(SITE), Happening::Extended { job, until });
                return self.watch(job, queue);
            }
            Settled::Done => Ending::Done,
            Settled::Killed => Ending::Killed,
        };
        let what = if ending == Ending::Done { Happening::Ended(job) } else { Happening::Killed(job) };
        self.log.note(now, Some(SITE), what);
        let record = &mut self.records[self.index[&job]];
        let held = record.start.map_or(Span::ZERO, |start| times(now - start, f64::from(record.cpus)));
        let cost = self.cluster.machine().price() * held;
        record.parts.push(Part { site: SITE, cpus: record.cpus, end: now, cost });
        record.ending = ending;
        Ok(())
    }
}

impl Model<Event> for Replaying<'_> {
    fn serve(&mut self, now: Time, event: Event, queue: &mut EventQueue<Event>) -> Result<(), SimError> {
        match event {
            Event::Arrival(index) => {
                self.arrive(now, index)?;
                self.ask_pass(now, queue)
            }
            Event::Due(job) => {
                self.settle(now, job, queue)?;
                self.ask_pass(now, queue)
            }
            Event::Pass => {
                // One that an earlier pass has replaced is stale: that pass has asked anew where need be.
                if self.pass_at != Some(now) {
                    return Ok(());
                }
                self.pass_at = None;
                for Started { job, promise } in self.cluster.pass(now)? {
                    let index = self.index[&job.id()];
                    self.records[index].start = Some(now);
                    self.promises[index] = promise;
                    self.log.note(now, Some(SITE), Happening::Started { job: job.id(), cpus: job.cpus() });
                    self.watch(job.id(), queue)?;
                }
                match self.cluster.next_promise() {
                    Some(at) => self.ask_pass(at, queue),
                    None => Ok(()),
                }
            }
        }
    }
}
