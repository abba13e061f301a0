//! Replays a list or a stream of jobs on one cluster, for example a log under EASY. A replay can be stopped between
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
    /// The record of each job, in the order given.
    pub records: Vec<JobRecord>,
    /// The first start that each job was promised while it waited; `None` if it was promised none.
    pub promises: Vec<Option<Time>>,
    /// The statistics of the records.
    pub report: Report,
    /// The event log; empty unless it was [asked for](Replay::with_log).
    pub log: Vec<LogEntry>,
    /// Number of events served.
    pub events: u64,
    /// Why the run stopped before all jobs had left; `None` if they all left.
    pub stopped: Option<End>,
}

/// Runs a [`Replay`] under EASY backfilling, without a limit. Jobs that exceed their requested time are killed.
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
/// let told = "14 events\n3 jobs: 3 done\nmakespan 15, cost 92, utilisation 0.767\n";
/// assert!(run.to_string().starts_with(told));
/// # Ok::<(), grid_sim::SimError>(())
/// ```
pub fn easy(machine: &Machine, jobs: &[LocalJob]) -> Result<ReplayOutcome, SimError> {
    Replay::new(machine, PolicyKind::Easy.build()).run(jobs, &mut Limit::none().meter())
}

/// One machine that serves a list of jobs ([`run`](Self::run)), or a stream of them that need not fit into memory
/// ([`advance`](Self::advance)), under a local policy.
///
/// Jobs wider than the machine are refused, and so are jobs for which start plus requested time rounds to the start
/// (such as a job of one second at 10^17). Each job is charged the machine's price for the CPU time it held.
///
/// A replay can be stopped between any two events, and its [state](Self::state) can be saved and
/// [resumed](Self::resume), with the same results.
///
/// Work is one unit for each event, and one for each waiting job whenever the queue is served. With n jobs: O(n log
/// n) under first come, first served; the same under EASY if the fronts of the waiting jobs are small (see
/// [`Pass::next_that_fits`](crate::Pass::next_that_fits)).
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
    /// Number of jobs taken from the stream; the last of them is the next to arrive.
    taken: u64,
    /// The identifiers of all jobs that have arrived.
    come: IdSet,
    /// Whether a call has returned an error: the run has then ended.
    failed: bool,
}

/// The state of a [`Replay`] between two events, as a value.
///
/// Its size is proportional to the number of jobs in the system, with some 400 bytes each as JSON. A deserialised
/// state is checked when it is [resumed](Replay::resume).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ReplayState {
    cluster: Cluster,
    pass_at: Option<Time>,
    queue: EventQueue<StationEvent>,
    /// Number of jobs taken from the stream: a resumed run continues with the jobs after them.
    pub taken: u64,
    come: IdSet,
}

impl Replay {
    /// Creates a replay on `machine` that has not begun; jobs whose requested time is over are killed.
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

    /// Sets what happens to jobs whose requested time is over.
    pub fn with_overrun(mut self, overrun: Overrun) -> Self {
        self.station.cluster.overrun = overrun;
        self
    }

    /// Keeps an event log, which [`run`](Self::run) returns with its outcome.
    pub fn with_log(self) -> Self {
        Self { log: EventLog::new(true), ..self }
    }

    /// Runs a list of jobs on the machine until all have left, or the meter ends. Jobs arrive at their submission
    /// times, those of one instant in the order given. Jobs that have not ended when the meter does are
    /// [`Waiting`](crate::Ending::Waiting); the report counts what has happened until then. Its only site has id 0.
    /// Memory: some 200 bytes per job beside the list.
    ///
    /// # Errors
    /// [`SimError::RepeatedJob`] if two jobs have the same id; [`SimError::TooMany`] for more than 20 million jobs;
    /// the errors of the policy.
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

    /// Restores the run with this state under `policy`, which has to be supplied again: the state of a policy is not
    /// saved. The policies of this crate have none. The jobs and records stay with the caller: the run takes the jobs
    /// from number [`taken`](ReplayState#structfield.taken) on, and hands over the records that were not handed over
    /// before.
    ///
    /// # Errors
    /// [`SimError`] for a state that no run can have, for example because the saved file was altered.
    pub fn resume(state: &ReplayState, policy: Box<dyn LocalPolicy>) -> Result<Self, SimError> {
        let ReplayState { cluster, pass_at, queue, taken, come } = state.clone();
        let (what, expected) = ("the number of events scheduled", "of those served and those to come");
        require(queue.is_sound(), what, expected, queue.served as f64)?;
        let mut run = Self::of(cluster.checked()?, policy);
        run.station.pass_at = pass_at;
        Ok(Self { queue, taken, come, ..run })
    }

    /// Returns the state between two events; `None` after [`advance`](Self::advance) has returned an error. O(n) for
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

    /// Returns the number of events served.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.queue.served
    }

    /// Serves up to `events` events of a stream of jobs, which must come in order of submission. Passes the record of
    /// each job that leaves to `deliver`, with the first start that the job was promised. Returns `None` if there is
    /// more to do, else why the run ended: [`End::Done`] if all jobs have left, or the reason of the meter.
    ///
    /// Only the jobs in the system are held in memory, at some 300 bytes each. Of the others only the identifiers are
    /// kept, as ranges: consecutive identifiers take one entry, so a log numbered consecutively takes a few bytes.
    ///
    /// # Errors
    /// [`SimError::Past`] if a job is submitted before the job that precedes it; [`SimError::RepeatedJob`] if its
    /// identifier has occurred before; the errors of the policy. After an error the run has ended.
    pub fn advance(
        &mut self,
        events: u64,
        jobs: &mut dyn Iterator<Item = LocalJob>,
        meter: &mut Meter,
        deliver: &mut dyn FnMut(JobRecord, Option<Time>),
    ) -> Result<Option<End>, SimError> {
        if self.failed {
            return Ok(Some(End::Done));
        }
        // Stays set if the loop below returns an error.
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
            self.station.departed.drain(..).for_each(|(record, promise)| deliver(record, promise));
        }
        self.failed = false;
        Ok(ended.or(self.queue.is_empty().then_some(End::Done)))
    }

    /// Takes a job from the stream and schedules its arrival.
    fn take(&mut self, jobs: &mut dyn Iterator<Item = LocalJob>) -> Result<(), SimError> {
        let Some(job) = jobs.next() else { return Ok(()) };
        self.taken += 1;
        self.queue.schedule(job.submit, class::ARRIVAL, StationEvent::Arrival(job))
    }

    /// Ends the run. Passes the records of the jobs still in the system to `deliver`, in order of their identifiers,
    /// and then those of the jobs still to arrive; there are none if all jobs have left.
    pub fn finish(
        self,
        jobs: impl IntoIterator<Item = LocalJob>,
        mut deliver: impl FnMut(JobRecord, Option<Time>),
    ) {
        if !self.failed {
            self.station.in_system().into_iter().for_each(|(record, promise)| deliver(record, promise));
            let mut queue = self.queue;
            let events = std::iter::from_fn(|| queue.pop()).map(|(_, event)| event);
            let next = events.filter_map(|event| match event {
                StationEvent::Arrival(job) => Some(job),
                _ => None,
            });
            next.chain(jobs).for_each(|job| deliver(JobRecord::from(&job), None));
        }
    }
}
