//! One cluster under a list of jobs, for example a log under EASY.

use crate::SimError;
use crate::cluster::{Easy, LocalJob, LocalPolicy, Overrun};
use crate::job_store::{JobList, JobPlaces};
use crate::log::EventLog;
use crate::report::{JobRecord, Report, SiteInfo, check_count, default_threshold};
use crate::station::SITE;
use crate::stream::ReplayRun;
use sched_model::{End, Limit, Machine, Meter, Span, Time};

sched_model::settings! {
    /// Options of a [`replay`].
    #[derive(Copy)]
    pub struct ReplayOptions {
        /// What happens to jobs that exceed their requested time; killed by default.
        with_overrun: overrun: Overrun = Overrun::default(),
        /// The bound of the bounded slowdown; 10 by default.
        with_threshold: threshold: Span = default_threshold(),
        /// Whether to keep an event log; not by default.
        with_log: log: bool = false,
    }
}

/// The result of a [`replay`].
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
    /// What stopped it before all jobs had left, if anything did.
    pub stopped: Option<End>,
}

/// [`replay`] under EASY backfilling. Jobs that exceed their requested time are killed.
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
/// Jobs come at their submission times, those of one instant in the order given. Jobs wider than the machine
/// are refused, and so are jobs for which start plus requested time rounds to the start (a job of one second
/// at 10^17). Each is charged the machine's price for the CPU time it held. The one site of the report has id
/// 0.
///
/// With n jobs and q of them waiting at once: O(n log n) first come first served; the same under EASY if the
/// front of the waiting jobs is small (see [`Pass::next_that_fits`](crate::Pass::next_that_fits)). Memory:
/// some 200 bytes a job beside the list.
///
/// # Errors
/// [`SimError::RepeatedJob`] if two jobs carry one id; [`SimError::TooMany`] for more than
/// [`MOST_JOBS`](crate::MOST_JOBS); those of the policy.
pub fn replay(
    machine: &Machine,
    policy: Box<dyn LocalPolicy>,
    jobs: &[LocalJob],
    options: &ReplayOptions,
) -> Result<Replay, SimError> {
    replay_within(machine, policy, jobs, options, &mut Limit::none().meter())
}

/// As [`replay`], within the limit of the meter. Work is one unit for each event, and one for each waiting
/// job whenever the queue is served. Jobs that have not ended by then are
/// [`Waiting`](crate::Ending::Waiting); the figures are of what has happened.
///
/// # Errors
/// As for [`replay`].
///
/// ```
/// use grid_sim::{Ending, Fcfs, LocalJob, ReplayOptions, replay_within};
/// use sched_model::*;
/// let machine = Machine::new(MachineId(0), 1, Speed::ETALON, Price::ZERO)?;
/// let second = Span::must(1.0);
/// let jobs: Vec<_> =
///     (0..100).map(|id| LocalJob::new(JobId(id), Time::ZERO, 1, second, second)).collect::<Result<_, _>>()?;
/// let limit = Limit::default().with_work(1000);
/// let run = replay_within(&machine, Box::new(Fcfs), &jobs, &ReplayOptions::default(), &mut limit.meter())?;
/// assert_eq!(run.stopped, Some(End::Work));
/// let done = run.records.iter().filter(|record| record.ending == Ending::Done).count();
/// assert!(0 < done && done < 100);
/// # Ok::<(), grid_sim::SimError>(())
/// ```
pub fn replay_within(
    machine: &Machine,
    policy: Box<dyn LocalPolicy>,
    jobs: &[LocalJob],
    options: &ReplayOptions,
    meter: &mut Meter,
) -> Result<Replay, SimError> {
    check_count("jobs", jobs.len())?;
    let start = jobs.iter().map(LocalJob::submit).min().unwrap_or(Time::ZERO);
    let mut list = JobList::new(jobs)?;
    let mut in_turn = JobPlaces::in_turn(jobs);
    let run = ReplayRun::new(machine, policy, options.overrun, start).with_log(options.log);
    let (run, log) =
        run.run_to_end(&mut in_turn, meter, &mut |record, promise| list.put((record, promise)))?;
    let JobList { records, promises, .. } = list;
    let site = SiteInfo { id: SITE, name: "machine".into(), cpus: u64::from(machine.cpus()) };
    Ok(Replay {
        report: Report::new(&records, &[site], options.threshold),
        records,
        promises,
        log,
        events: run.events,
        stopped: run.stopped,
    })
}
