//! One cluster under a list or a stream of jobs, for example a log under EASY. A replay can be stopped between
//! any two events, saved, and resumed.

use crate::SimError;
use crate::cluster::{Cluster, LocalJob, LocalPolicy, Overrun, PolicyKind};
use crate::engine::EventQueue;
use crate::error::{check_count, require};
use crate::job_store::{JobList, JobPlaces};
use crate::log::{EventLog, LogEntry};
use crate::report::{JobRecord, Report, SiteInfo};
use crate::station::{SITE, Station, StationEvent, class};
use sched_model::internal::IdSet;
use sched_model::{End, Limit, Machine, Meter, Time};

/// The result of a [`Replay`] of a list of jobs.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ReplayOutcome {
    /// Job by job, in the order given.
    pub records: Vec<JobRecord>,
    /// The first start that each job was promised while it waited; `None` if it was promised none.
    pub promises: Vec<Option<Time>>,
    /// The figures.
    pub report: Report,
    /// What happened; empty unless asked for.
    pub log: Vec<LogEntry>,
    /// Events served.
    pub events: u64,
    /// What stopped it before all jobs had left, if anything did.
    pub stopped: Option<End>,
}

/// A [`Replay`] under EASY backfilling, without limit. Jobs that exceed their requested time are killed.
///
/// # Errors
/// As for [`Replay::run`].
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
pub fn easy(machine: &Machine, jobs: &[LocalJob]) -> Result<ReplayOutcome, SimError> {
    Replay::new(machine, PolicyKind::Easy.build()).run(jobs, &mut Limit::none().meter())
}

/// A machine that serves a list of jobs ([`run`](Self::run)), or a stream of them that need not fit into
/// memory ([`advance`](Self::advance)), under a local policy.
///
/// Jobs wider than the machine are refused, and so are jobs for which start plus requested time rounds to the
/// start (a job of one second at 10^17). Each is charged the machine's price for the CPU time it held.
///
/// A replay can be stopped between any two events, and its [state](Self::state) can be saved and
/// [resumed](Self::resume), with the same results.
///
/// Work is one unit for each event, and one for each waiting job whenever the queue is served. With n jobs and
/// q of them waiting at once: O(n log n) first come first served; the same under EASY if the front of the
/// waiting jobs is small (see [`Pass::next_that_fits`](crate::Pass::next_that_fits)).
///
/// ```
/// use grid_sim::{LocalJob, PolicyKind, Replay};
/// use sched_model::*;
/// let machine = Machine::new(MachineId(0), 2, Speed::ETALON, Price::must(0.0))?;
/// let five = Span::must(5.0);
/// // A job of one CPU for 5 seconds every 2 seconds: two run at once, and the third waits for a second.
/// let job = |id: u32| LocalJob::new(JobId(id.into()), Time::must(f64::from(id) * 2.0), 1, five, five);
/// let jobs: Vec<LocalJob> = (0..100).map(job).collect::<Result<_, _>>()?;
/// let (mut ends, limit) = (Vec::new(), Limit::none());
/// let mut hand = |record: grid_sim::JobRecord, _| ends.extend(record.end());
///
/// let mut run = Replay::new(&machine, PolicyKind::Easy.build());
/// let mut stream = jobs.iter().copied();
/// assert_eq!(run.advance(50, &mut stream, &mut limit.meter(), &mut hand)?, None); // more is to come
/// let state = run.state().expect("it has not failed");
/// drop(run);
///
/// let mut run = Replay::resume(&state, PolicyKind::Easy.build())?;
/// let mut stream = jobs.iter().copied().skip(state.taken as usize);
/// assert_eq!(run.advance(u64::MAX, &mut stream, &mut limit.meter(), &mut hand)?, Some(End::Done));
/// assert_eq!((ends.len(), ends[99]), (100, Time::must(252.0)));
/// # Ok::<(), grid_sim::SimError>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct Replay {
    station: Station,
    queue: EventQueue<StationEvent>,
    log: EventLog,
    /// How many jobs were taken from the stream; the last of them is to arrive next.
    taken: u64,
    /// The identifiers of all jobs that have come.
    come: IdSet,
    /// After an error, with which a run ends.
    failed: bool,
}

/// A [`Replay`] between two events, as a value.
///
/// Its size is that of the jobs in the system, some 400 bytes each where it is written as JSON. What is read
/// is checked when it is [taken up](Replay::resume).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ReplayState {
    cluster: Cluster,
    pass_at: Option<Time>,
    queue: EventQueue<StationEvent>,
    /// How many jobs have been taken from the stream: a resumed run takes those after them.
    pub taken: u64,
    come: IdSet,
}

impl Replay {
    /// A replay that has not begun, of a machine that stops jobs whose time is up.
    pub fn new(machine: &Machine, policy: Box<dyn LocalPolicy>) -> Self {
        Self::of(Cluster::new(machine, Overrun::default(), Time::ZERO), policy)
    }

    fn of(cluster: Cluster, policy: Box<dyn LocalPolicy>) -> Self {
        Self {
            station: Station::new(SITE, cluster, policy, true),
            queue: EventQueue::default(),
            log: EventLog::default(),
            taken: 0,
            come: IdSet::default(),
            failed: false,
        }
    }

    /// The same with this rule for jobs whose time is up.
    pub fn with_overrun(mut self, overrun: Overrun) -> Self {
        self.station.cluster.overrun = overrun;
        self
    }

    /// The same with an event log, for the outcome of [`run`](Self::run).
    pub fn with_log(self) -> Self {
        Self { log: EventLog::new(true), ..self }
    }

    /// Runs a list of jobs through the machine until all have left, or the meter ends. Jobs come at their
    /// submission times, those of one instant in the order given. Jobs that have not ended by then are
    /// [`Waiting`](crate::Ending::Waiting); the figures are of what has happened. The one site of the report
    /// has id 0. Memory: some 200 bytes a job beside the list.
    ///
    /// # Errors
    /// [`SimError::RepeatedJob`] if two jobs carry one id; [`SimError::TooMany`] for more than 20
    /// million; those of the policy.
    ///
    /// ```
    /// use grid_sim::{Ending, LocalJob, PolicyKind, Replay};
    /// use sched_model::*;
    /// let machine = Machine::new(MachineId(0), 1, Speed::ETALON, Price::must(0.0))?;
    /// let second = Span::must(1.0);
    /// let job = |id| LocalJob::new(JobId(id), Time::ZERO, 1, second, second);
    /// let jobs: Vec<_> = (0..100).map(job).collect::<Result<_, _>>()?;
    /// let mut meter = Limit::default().with_work(1000).meter();
    /// let run = Replay::new(&machine, PolicyKind::Fcfs.build()).run(&jobs, &mut meter)?;
    /// assert_eq!(run.stopped, Some(End::Work));
    /// let done = run.records.iter().filter(|record| record.ending == Ending::Done).count();
    /// assert!(0 < done && done < 100);
    /// # Ok::<(), grid_sim::SimError>(())
    /// ```
    pub fn run(mut self, jobs: &[LocalJob], meter: &mut Meter) -> Result<ReplayOutcome, SimError> {
        check_count("jobs", jobs.len())?;
        let (mut list, mut in_turn) = (JobList::new(jobs)?, JobPlaces::in_turn(jobs));
        let mut put = |record, promise| list.put((record, promise));
        let end = self.advance(u64::MAX, &mut in_turn, meter, &mut put)?;
        let (events, log) = (self.events(), std::mem::take(&mut self.log).into_entries());
        let cpus = u64::from(self.station.cluster.machine.cpus());
        self.finish(in_turn, put);
        let JobList { records, promises, .. } = list;
        let site = SiteInfo { id: SITE, name: "machine".into(), cpus };
        let report = Report::of(&records, &[site]);
        let stopped = end.filter(|&end| end != End::Done);
        Ok(ReplayOutcome { report, records, promises, log, events, stopped })
    }

    /// The run with this state, under this policy, which must be given again: a policy with state cannot be
    /// resumed. The policies of this crate have none. The caller keeps the jobs and the records: the run takes
    /// the jobs from number [`taken`](ReplayState#structfield.taken) on, and hands over the records that had not been
    /// handed over before.
    ///
    /// # Errors
    /// [`SimError`] for a state that no run can have, for example because the saved file was changed.
    pub fn resume(state: &ReplayState, policy: Box<dyn LocalPolicy>) -> Result<Self, SimError> {
        let ReplayState { cluster, pass_at, queue, taken, come } = state.clone();
        let (what, expected) = ("the number of events scheduled", "of those served and those to come");
        require(queue.is_sound(), what, expected, queue.served as f64)?;
        let mut run = Self::of(cluster.checked()?, policy);
        run.station.pass_at = pass_at;
        Ok(Self { queue, taken, come, ..run })
    }

    /// The state between two events; `None` after [`advance`](Self::advance) has returned an error. O(n) for
    /// n jobs in the system.
    pub fn state(&self) -> Option<ReplayState> {
        (!self.failed).then(|| ReplayState {
            cluster: self.station.cluster.clone(),
            pass_at: self.station.pass_at,
            queue: self.queue.clone(),
            taken: self.taken,
            come: self.come.clone(),
        })
    }

    /// Events served.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.queue.served
    }

    /// Serves up to this number of events of a stream of jobs, which come in order of submission, and hands
    /// over the record of each job that leaves, with the first start that it was promised. `None` if more is
    /// to come, else why it ended: [`End::Done`] if all jobs have left, or what the meter says.
    ///
    /// Only the jobs in the system are in memory, at some 300 bytes each. Of the others only the identifiers
    /// are kept. Consecutive identifiers take one entry, so a log with consecutive numbers takes a few bytes.
    ///
    /// # Errors
    /// [`SimError::Past`] if a job is submitted before the one that came before it; [`SimError::RepeatedJob`]
    /// for an identifier that a job before it had; those of the policy. The run has ended then.
    pub fn advance(
        &mut self,
        events: u64,
        jobs: &mut dyn Iterator<Item = LocalJob>,
        meter: &mut Meter,
        handed: &mut dyn FnMut(JobRecord, Option<Time>),
    ) -> Result<Option<End>, SimError> {
        if self.failed {
            return Ok(Some(End::Done));
        }
        // An error leaves it so.
        self.failed = true;
        if self.taken == 0 {
            self.take(jobs)?;
            if let Some((first, _)) = self.queue.peek() {
                let Cluster { machine, overrun, .. } = self.station.cluster;
                self.station.cluster = Cluster::new(&machine, overrun, first);
            }
        }
        let mut ended = None;
        for _ in 0..events {
            let Some((_, event)) = self.queue.peek() else { break };
            if let Err(end) = meter.spend(self.station.work(event)) {
                ended = Some(end);
                break;
            }
            let Some((now, event)) = self.queue.pop() else { break };
            if let StationEvent::Arrival(job) = event {
                if !self.come.insert(job.id) {
                    return Err(SimError::RepeatedJob { job: job.id });
                }
                self.take(jobs)?;
            }
            self.station.serve(now, event, &mut self.log)?;
            for (at, class, event) in self.station.agenda.drain(..) {
                self.queue.schedule(at, class, event)?;
            }
            self.station.left.drain(..).for_each(|(record, promise)| handed(record, promise));
        }
        self.failed = false;
        Ok(ended.or(self.queue.is_empty().then_some(End::Done)))
    }

    /// Takes a job from the stream, and schedules its arrival.
    fn take(&mut self, jobs: &mut dyn Iterator<Item = LocalJob>) -> Result<(), SimError> {
        let Some(job) = jobs.next() else { return Ok(()) };
        self.taken += 1;
        self.queue.schedule(job.submit, class::ARRIVAL, StationEvent::Arrival(job))
    }

    /// Hands over the records of the jobs that are still in the system, by their identifiers, and of those
    /// that were to come: after all jobs have left there are none.
    pub fn finish(
        self,
        jobs: impl IntoIterator<Item = LocalJob>,
        mut handed: impl FnMut(JobRecord, Option<Time>),
    ) {
        if !self.failed {
            self.station.inside().into_iter().for_each(|(record, promise)| handed(record, promise));
            let mut queue = self.queue;
            let events = std::iter::from_fn(|| queue.pop()).map(|(_, event)| event);
            let next = events.filter_map(|event| match event {
                StationEvent::Arrival(job) => Some(job),
                _ => None,
            });
            let to_come = next.chain(jobs);
            to_come.for_each(|job| handed(JobRecord::from(&job), None));
        }
    }
}
