//! One cluster under a stream of jobs, which need not fit into memory. A run can be stopped between any two
//! events, saved, and resumed.

use crate::SimError;
use crate::cluster::{Cluster, ClusterState, LocalJob, LocalPolicy, Overrun, sum, terms};
use crate::engine::{EventQueue, QueueState};
use crate::job_store::Recorded;
use crate::log::EventLog;
use crate::report::JobRecord;
use crate::station::{SITE, Station, StationEvent, class};
use sched_model::internal::IdSet;
use sched_model::{End, JobId, Machine, Meter, Time};

/// The result of a [`replay_stream`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Streamed {
    /// Events served.
    pub events: u64,
    /// What stopped it before all jobs had left, if anything did.
    pub stopped: Option<End>,
}

/// Same as [`replay_within`](crate::replay_within), for logs too long for memory: takes the jobs one by one,
/// in order of submission, and hands over each record when its job leaves, with the first start that the job
/// was promised.
///
/// Only the jobs in the system are in memory, at some 300 bytes each. Of the others only the identifiers are
/// kept. Consecutive identifiers take one entry, so a log with consecutive numbers takes a few bytes. Records
/// come in the order in which jobs leave, and those of jobs in the system when a limit stops the run at its
/// end, by their identifiers; then those of jobs that were still to come. They are the records of
/// [`replay_within`](crate::replay_within).
///
/// # Errors
/// [`SimError::Past`] if a job is submitted before the one that came before it; [`SimError::RepeatedJob`] for
/// an identifier that a job before it had; those of the policy.
///
/// ```
/// use grid_sim::{Easy, LocalJob, Overrun, replay_stream};
/// use sched_model::*;
/// let machine = Machine::new(MachineId(0), 2, Speed::ETALON, Price::ZERO)?;
/// let five = Span::must(5.0);
/// // A job of one CPU for 5 seconds every 2 seconds: two run at once, and the third waits for a second.
/// let jobs = (0..1000u32).map(|id| {
///     LocalJob::new(JobId(id.into()), Time::must(f64::from(id) * 2.0), 1, five, five).expect("a job")
/// });
/// let (mut left, mut last) = (0, Time::ZERO);
/// let run = replay_stream(
///     &machine,
///     Box::new(Easy),
///     Overrun::Kill,
///     jobs,
///     &mut Limit::none().meter(),
///     |record, _| {
///         left += 1;
///         last = last.max(record.end().unwrap_or(last));
///     },
/// )?;
/// assert_eq!((left, run.stopped, last), (1000, None, Time::must(2502.0)));
/// # Ok::<(), grid_sim::SimError>(())
/// ```
pub fn replay_stream(
    machine: &Machine,
    policy: Box<dyn LocalPolicy>,
    overrun: Overrun,
    jobs: impl IntoIterator<Item = LocalJob>,
    meter: &mut Meter,
    mut handed: impl FnMut(JobRecord, Option<Time>),
) -> Result<Streamed, SimError> {
    let mut jobs = jobs.into_iter().peekable();
    let start = jobs.peek().map_or(Time::ZERO, LocalJob::submit);
    let run = ReplayRun::new(machine, policy, overrun, start);
    Ok(run.run_to_end(&mut jobs, meter, &mut handed)?.0)
}

/// A [`replay_stream`] in steps: it can be stopped between any two events, and its [state](Self::state) can
/// be saved and resumed, with the same results.
///
/// The caller keeps the jobs and the records: a resumed run takes the jobs from number
/// [`taken`](ReplayState::taken) on, and hands over the records that had not been handed over before. The
/// policy must be given again, so a policy with state cannot be resumed. The policies of this crate have
/// none.
///
/// ```
/// use grid_sim::{Easy, Fcfs, LocalJob, Overrun, ReplayRun};
/// use sched_model::*;
/// let machine = Machine::new(MachineId(0), 2, Speed::ETALON, Price::ZERO)?;
/// let five = Span::must(5.0);
/// let jobs: Vec<LocalJob> = (0..100u32)
///     .map(|id| LocalJob::new(JobId(id.into()), Time::must(f64::from(id) * 2.0), 1, five, five))
///     .collect::<Result<_, _>>()?;
/// let (mut ends, limit) = (Vec::new(), Limit::none());
/// let mut hand = |record: grid_sim::JobRecord, _| ends.extend(record.end());
///
/// let mut run = ReplayRun::new(&machine, Box::new(Easy), Overrun::Kill, Time::ZERO);
/// let mut stream = jobs.iter().copied();
/// assert_eq!(run.advance(50, &mut stream, &mut limit.meter(), &mut hand)?, None); // more is to come
/// let state = run.state().expect("it has not failed");
/// drop(run);
///
/// let mut run = ReplayRun::resume(&state, Box::new(Easy))?;
/// let mut stream = jobs.iter().copied().skip(state.taken() as usize);
/// assert_eq!(run.advance(u64::MAX, &mut stream, &mut limit.meter(), &mut hand)?, Some(End::Done));
/// assert_eq!((ends.len(), ends[99]), (100, Time::must(252.0)));
/// # Ok::<(), grid_sim::SimError>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct ReplayRun {
    station: Station,
    queue: EventQueue<StationEvent>,
    log: EventLog,
    /// The job that arrives next.
    next: Option<LocalJob>,
    /// How many jobs were taken from the stream, including the next one.
    taken: u64,
    /// The identifiers of all jobs that have come.
    come: IdSet,
    /// After an error, with which a run ends.
    failed: bool,
}

/// A [`ReplayRun`] between two events, as a value.
///
/// Its size is that of the jobs in the system, some 400 bytes each where it is written as JSON. What is read
/// is checked when it is [taken up](ReplayRun::resume).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ReplayState {
    cluster: ClusterState,
    pass_at: Option<Time>,
    earned: Vec<f64>,
    kept: Kept,
    queue: QueueState<StationEvent>,
}

/// What a run keeps of its stream: the fields of the same names of [`ReplayRun`], and the jobs in the system.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct Kept {
    next: Option<LocalJob>,
    taken: u64,
    inside: Vec<Recorded>,
    come: IdSet,
}

impl ReplayState {
    /// How many jobs have been taken from the stream.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.kept.taken
    }

    /// Events served.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.queue.served
    }
}

impl ReplayRun {
    /// A run that has not begun. No job comes before `start`.
    pub fn new(machine: &Machine, policy: Box<dyn LocalPolicy>, overrun: Overrun, start: Time) -> Self {
        let cluster = Cluster::new(machine, policy, start).with_overrun(overrun);
        Self {
            station: Station::new(SITE, cluster, true),
            queue: EventQueue::new(),
            log: EventLog::new(false),
            next: None,
            taken: 0,
            come: IdSet::default(),
            failed: false,
        }
    }

    /// The same run, keeping an event log or not.
    pub(crate) fn with_log(self, log: bool) -> Self {
        Self { log: EventLog::new(log), ..self }
    }

    /// The run with this state, under this policy.
    ///
    /// # Errors
    /// [`SimError`] for a state that no run can have, for example because the saved file was changed.
    pub fn resume(state: &ReplayState, policy: Box<dyn LocalPolicy>) -> Result<Self, SimError> {
        let mut station = Station::new(SITE, Cluster::of_state(&state.cluster, policy)?, true);
        station.pass_at = state.pass_at;
        station.earned = sum(&state.earned);
        let Kept { next, taken, inside, come } = state.kept.clone();
        station.inside = inside.into_iter().map(|job| (job.0.id, job)).collect();
        let (queue, log) = (EventQueue::of_state(&state.queue), EventLog::new(false));
        Ok(Self { station, queue, log, next, taken, come, failed: false })
    }

    /// The state between two events; `None` after [`advance`](Self::advance) has returned an error. O(n log
    /// n) for n jobs in the system.
    pub fn state(&self) -> Option<ReplayState> {
        let station = &self.station;
        let inside = station.inside.values().cloned().collect();
        (!self.failed).then(|| ReplayState {
            cluster: station.cluster.state(),
            pass_at: station.pass_at,
            earned: terms(&station.earned),
            kept: Kept { next: self.next, taken: self.taken, inside, come: self.come.clone() },
            queue: self.queue.state(),
        })
    }

    /// Events served.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.queue.served()
    }

    /// Serves up to this number of events, and hands over the records of the jobs that leave. `None` if more
    /// is to come, else why it ended: [`End::Done`] if all jobs have left, or what the meter says.
    ///
    /// # Errors
    /// As for [`replay_stream`]; the run has ended then.
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
            self.take(0, jobs)?;
        }
        let mut ended = None;
        for _ in 0..events {
            let Some((_, event)) = self.queue.peek() else { break };
            if let Err(end) = meter.spend(self.station.work(event)) {
                ended = Some(end);
                break;
            }
            let Some((now, event)) = self.queue.pop() else { break };
            let arriving = match event {
                StationEvent::Arrival(number) => Some(self.arriving(number, jobs)?),
                _ => None,
            };
            self.station.serve(now, event, arriving, &mut self.log)?;
            for (at, class, event) in self.station.agenda.drain(..) {
                self.queue.schedule(at, class, event)?;
            }
            self.station.left.drain(..).for_each(|(record, promise)| handed(record, promise));
        }
        self.failed = false;
        Ok(ended.or(self.queue.is_empty().then_some(End::Done)))
    }

    /// Takes a job from the stream, and schedules its arrival.
    fn take(&mut self, number: usize, jobs: &mut dyn Iterator<Item = LocalJob>) -> Result<(), SimError> {
        self.next = jobs.next();
        let Some(job) = self.next else { return Ok(()) };
        self.taken += 1;
        self.queue.schedule(job.submit(), class::ARRIVAL, StationEvent::Arrival(number))
    }

    /// The job of this number, which arrives; the arrival of the one after it is scheduled.
    fn arriving(
        &mut self,
        number: usize,
        jobs: &mut dyn Iterator<Item = LocalJob>,
    ) -> Result<LocalJob, SimError> {
        let unasked = || SimError::UnknownJob { who: "a stream of jobs".into(), job: JobId(0) };
        let job = self.next.ok_or_else(unasked)?;
        if !self.come.insert(job.id()) {
            return Err(SimError::RepeatedJob { job: job.id() });
        }
        self.take(number.saturating_add(1), jobs)?;
        Ok(job)
    }

    /// Runs until all jobs have left, or the meter ends, and hands over all records.
    pub(crate) fn run_to_end(
        mut self,
        jobs: &mut dyn Iterator<Item = LocalJob>,
        meter: &mut Meter,
        handed: &mut dyn FnMut(JobRecord, Option<Time>),
    ) -> Result<(Streamed, EventLog), SimError> {
        let end = self.advance(u64::MAX, jobs, meter, handed)?;
        let (events, stopped) = (self.events(), end.filter(|&end| end != End::Done));
        let log = std::mem::take(&mut self.log);
        self.finish(jobs, handed);
        Ok((Streamed { events, stopped }, log))
    }

    /// Hands over the records of the jobs that are still in the system, by their identifiers, and of those
    /// that were to come: after all jobs have left there are none.
    pub fn finish(
        self,
        jobs: impl IntoIterator<Item = LocalJob>,
        mut handed: impl FnMut(JobRecord, Option<Time>),
    ) {
        if !self.failed {
            let inside = self.station.inside.into_values();
            inside.for_each(|(record, promise)| handed(record, promise));
            let to_come = self.next.into_iter().chain(jobs);
            to_come.for_each(|job| handed(JobRecord::of_local(&job), None));
        }
    }
}
