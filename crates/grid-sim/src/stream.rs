//! One cluster under a stream of jobs, which need not fit into memory. A run can be stopped between any two
//! events, saved, and resumed.

use crate::SimError;
use crate::cluster::{Cluster, ClusterState, LocalJob, LocalPolicy, Overrun, sum, terms};
use crate::engine::{EventQueue, Model, QueueState};
use crate::job_store::{InSystem, JobStore, JobStream};
use crate::log::EventLog;
use crate::replay::{Replaying, SITE};
use crate::report::JobRecord;
use crate::station::{Station, StationEvent, class};
use sched_model::{End, Machine, Meter, Time};

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
    handed: impl FnMut(JobRecord, Option<Time>),
) -> Result<Streamed, SimError> {
    let mut jobs = jobs.into_iter().peekable();
    let mut handed = handed;
    let start = jobs.peek().map_or(Time::ZERO, LocalJob::submit);
    let mut run = ReplayRun::new(machine, policy, overrun, start);
    loop {
        if let Some(end) = run.advance(u64::MAX, &mut jobs, meter, &mut handed)? {
            let events = run.events();
            run.finish(jobs, handed);
            return Ok(Streamed { events, stopped: (end != End::Done).then_some(end) });
        }
    }
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
    /// `None` only after an error, with which a run ends.
    model: Option<Replaying<InSystem>>,
    queue: EventQueue<StationEvent>,
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
    kept: InSystem,
    queue: QueueState<StationEvent>,
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
        let station = Station::alone(SITE, cluster, InSystem::default());
        Self { model: Some(Replaying { station, log: EventLog::new(false) }), queue: EventQueue::new() }
    }

    /// The run with this state, under this policy.
    ///
    /// # Errors
    /// [`SimError`] for a state that no run can have, for example because the saved file was changed.
    pub fn resume(state: &ReplayState, policy: Box<dyn LocalPolicy>) -> Result<Self, SimError> {
        let cluster = Cluster::of_state(&state.cluster, policy)?;
        let mut station = Station::alone(SITE, cluster, state.kept.clone());
        station.pass_at = state.pass_at;
        station.earned = sum(&state.earned);
        let model = Some(Replaying { station, log: EventLog::new(false) });
        Ok(Self { model, queue: EventQueue::of_state(&state.queue) })
    }

    /// The state between two events; `None` after [`advance`](Self::advance) has returned an error. O(n log
    /// n) for n jobs in the system.
    pub fn state(&self) -> Option<ReplayState> {
        let station = &self.model.as_ref()?.station;
        Some(ReplayState {
            cluster: station.cluster.state(),
            pass_at: station.pass_at,
            earned: terms(&station.earned),
            kept: station.store.clone(),
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
        jobs: &mut impl Iterator<Item = LocalJob>,
        meter: &mut Meter,
        handed: &mut impl FnMut(JobRecord, Option<Time>),
    ) -> Result<Option<End>, SimError> {
        let Some(Replaying { station, log }) = self.model.take() else { return Ok(Some(End::Done)) };
        let (station, kept) = station.with_store(());
        let (mut station, ()) = station.with_store(JobStream { jobs, kept, handed });
        if station.store.kept.taken == 0
            && let Some(first) = station.store.next_arrival(0)
        {
            self.queue.schedule(first, class::ARRIVAL, StationEvent::Arrival(0))?;
        }
        let mut model = Replaying { station, log };
        let mut end = None;
        for _ in 0..events {
            let Some((_, event)) = self.queue.peek() else { break };
            if let Err(reason) = meter.spend(model.work(event)) {
                end = Some(reason);
                break;
            }
            if let Some((now, event)) = self.queue.pop() {
                model.serve(now, event, &mut self.queue)?;
            }
        }
        let Replaying { station, log } = model;
        let (station, store) = station.with_store(());
        let (station, ()) = station.with_store(store.kept);
        self.model = Some(Replaying { station, log });
        Ok(end.or(self.queue.is_empty().then_some(End::Done)))
    }

    /// Hands over the records of the jobs that are still in the system, by their identifiers, and of those
    /// that were to come: after all jobs have left there are none.
    pub fn finish(
        self,
        jobs: impl IntoIterator<Item = LocalJob>,
        handed: impl FnMut(JobRecord, Option<Time>),
    ) {
        if let Some(model) = self.model {
            model.station.store.finish(jobs.into_iter(), handed);
        }
    }
}
