//! Local policies, checked by a sweep over starts and ends.

use super::former::Draw;
use super::{Broken, Cases, Passed, guarded, run_cases};
use grid_sim::{Ending, JobRecord, LocalJob, LocalPolicy, Replay, ReplayOptions, SimError, replay};
use sched_model::{JobId, Machine, MachineId, Price, Span, Speed, Time};

/// Jobs for one machine.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyCase {
    /// The machine.
    pub machine: Machine,
    /// Its jobs.
    pub jobs: Vec<LocalJob>,
}

impl PolicyCase {
    /// A random case of up to 25 jobs on up to 9 CPUs: jobs that come together or one by one, ask for too
    /// much time, take no time, exceed their requested time, or are wider than the machine.
    pub(super) fn draw(draw: &mut Draw) -> Self {
        let numbers = draw.numbers();
        let cpus = draw.between(1, 9);
        let machine = loop {
            // At least one CPU: never refused.
            if let Ok(machine) = Machine::new(MachineId(0), cpus as u32, Speed::ETALON, Price::ZERO) {
                break machine;
            }
        };
        let (together, honest) = (draw.chance(30), draw.chance(50));
        let mut submit = 0.0;
        let count = draw.below(26);
        let mut jobs = Vec::new();
        for id in 0..count {
            if !together && draw.chance(70) {
                submit += draw.amount(numbers, 6);
            }
            let wide = if draw.chance(4) { cpus + 1 } else { draw.between(1, cpus) };
            let requested = draw.amount(numbers, 30);
            let actual = match draw.below(8) {
                0 => requested * 0.25,
                1 => 0.0,
                2 if !honest => requested * 1.5,
                _ => requested,
            };
            let spans = (Span::new(requested).unwrap_or(Span::ZERO), Span::new(actual).unwrap_or(Span::ZERO));
            let at = Time::new(submit).unwrap_or(Time::ZERO);
            jobs.extend(LocalJob::new(JobId(id), at, wide as u32, spans.0, spans.1));
        }
        // Logs are not always in order.
        if count > 1 && draw.chance(20) {
            let at = draw.below(count - 1) as usize;
            jobs.swap(at, at + 1);
        }
        Self { machine, jobs }
    }

    /// A case of jobs that all come at 0, `(CPUs, time)`, for small examples.
    ///
    /// # Errors
    /// [`SimError::Model`] for no CPU, and for a time that is not positive.
    pub fn at_once(machine: Machine, jobs: &[(u32, f64)]) -> Result<Self, SimError> {
        let job = |(id, &(cpus, span)): (usize, &(u32, f64))| {
            let span = Span::new(span)?;
            LocalJob::new(JobId(id as u64), Time::ZERO, cpus, span, span)
        };
        Ok(Self { machine, jobs: jobs.iter().enumerate().map(job).collect::<Result<_, _>>()? })
    }
}

/// What is wrong with a local policy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyFault {
    /// It panicked, with this message.
    #[error("panics: {0}")]
    Panic(String),
    /// It has no name.
    #[error("has no name")]
    NoName,
    /// The simulation stopped with an error.
    #[error("stops the simulation: {0}")]
    Error(SimError),
    /// A job that fits the machine never ran.
    #[error("job {job} never runs ({ending})")]
    Starved {
        /// The job.
        job: JobId,
        /// Its ending.
        ending: Ending,
    },
    /// A job started before it was submitted.
    #[error("job {job} starts at {start}, before {submit}")]
    Early {
        /// The job.
        job: JobId,
        /// When it came.
        submit: Time,
        /// When it started.
        start: Time,
    },
    /// More CPUs were used than there are.
    #[error("{used} CPUs are used at {at}, of {cpus}")]
    Overfull {
        /// When.
        at: Time,
        /// CPUs used.
        used: u64,
        /// CPUs of the machine.
        cpus: u32,
    },
    /// A job held its CPUs for a wrong time.
    #[error("job {job} holds its CPUs until {end} instead of {expected}")]
    End {
        /// The job.
        job: JobId,
        /// When it should end.
        expected: Time,
        /// When it ended.
        end: Time,
    },
    /// A job started after the first start that it was promised, though no job exceeded its requested time.
    #[error("job {job} was promised {promised} and starts at {start}")]
    Promise {
        /// The job.
        job: JobId,
        /// The first promise.
        promised: Time,
        /// When it started.
        start: Time,
    },
    /// A job overtook another that came before it, though the order of arrival was to be kept.
    #[error("job {later} starts before job {earlier}, which came first")]
    Overtaken {
        /// The job that came first.
        earlier: JobId,
        /// The job that overtook.
        later: JobId,
    },
    /// A second run, with a new policy, had another result.
    #[error("two runs of the same jobs differ")]
    Unsteady,
}

/// Checks a [`LocalPolicy`] by replaying jobs through it: that every job that fits the machine runs, once,
/// not before it came, for as long as it takes; that CPUs are never used twice; that two runs are the same;
/// and, if required, that promises or the order of arrival are kept.
///
/// It takes a function that makes the policy, since each run needs a new one.
///
/// ```
/// use econsched::grid_sim::{Easy, Fcfs};
/// use econsched::testkit::{Cases, PolicyCheck, PolicyFault};
/// PolicyCheck::new(&|| Box::new(Easy)).with_promises_kept().run(&Cases::new(50))?;
/// PolicyCheck::new(&|| Box::new(Fcfs)).with_arrival_order().run(&Cases::new(50))?;
/// let broken = PolicyCheck::new(&|| Box::new(Easy)).with_arrival_order().run(&Cases::new(50));
/// assert!(matches!(broken.map_err(|broken| broken.fault), Err(PolicyFault::Overtaken { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
#[must_use]
pub struct PolicyCheck<'a> {
    make: &'a dyn Fn() -> Box<dyn LocalPolicy>,
    promises: bool,
    order: bool,
}

impl std::fmt::Debug for PolicyCheck<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("PolicyCheck");
        debug.field("promises", &self.promises).field("order", &self.order).finish_non_exhaustive()
    }
}

impl<'a> PolicyCheck<'a> {
    /// The check that every policy must pass.
    pub fn new(make: &'a dyn Fn() -> Box<dyn LocalPolicy>) -> Self {
        Self { make, promises: false, order: false }
    }

    /// Checks also that no job starts after the first start that it was promised, as long as all keep within
    /// their requests.
    pub fn with_promises_kept(self) -> Self {
        Self { promises: true, ..self }
    }

    /// Checks also that jobs start in the order in which they come.
    pub fn with_arrival_order(self) -> Self {
        Self { order: true, ..self }
    }

    /// Runs all cases, up to the first fault.
    ///
    /// # Errors
    /// The first fault, with its case.
    pub fn run(&self, cases: &Cases) -> Result<Passed, Box<Broken<PolicyCase, PolicyFault>>> {
        run_cases(cases, PolicyCase::draw, |case| self.check(case).map(|()| true))
    }

    /// Checks one case, of any size.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self, case: &PolicyCase) -> Result<(), PolicyFault> {
        guarded(|| self.answers(case)).map_err(PolicyFault::Panic)?
    }

    fn answers(&self, case: &PolicyCase) -> Result<(), PolicyFault> {
        if (self.make)().name().is_empty() {
            return Err(PolicyFault::NoName);
        }
        let run = || replay(&case.machine, (self.make)(), &case.jobs, &ReplayOptions::default());
        let first = run().map_err(PolicyFault::Error)?;
        for (job, record) in case.jobs.iter().zip(&first.records) {
            judge(&case.machine, job, record)?;
        }
        never_overfull(&case.machine, &first.records)?;
        if run().map_err(PolicyFault::Error)? != first {
            return Err(PolicyFault::Unsteady);
        }
        if self.promises && case.jobs.iter().all(|job| job.actual() <= job.requested()) {
            promises_kept(&first)?;
        }
        if self.order { order_kept(&first.records) } else { Ok(()) }
    }
}

fn judge(machine: &Machine, job: &LocalJob, record: &JobRecord) -> Result<(), PolicyFault> {
    let id = job.id();
    let Some(start) = record.start else {
        // Too wide, or so short that start plus time rounds to the start.
        let refused = matches!(record.ending, Ending::Refused(_));
        let rightly = job.cpus() > machine.cpus() || job.submit() + job.requested() <= job.submit();
        if refused && rightly {
            return Ok(());
        }
        return Err(PolicyFault::Starved { job: id, ending: record.ending.clone() });
    };
    if start < job.submit() {
        return Err(PolicyFault::Early { job: id, submit: job.submit(), start });
    }
    let expected = start + job.actual().min(job.requested());
    match record.end() {
        Some(end) if end == expected => Ok(()),
        Some(end) => Err(PolicyFault::End { job: id, expected, end }),
        None => Err(PolicyFault::Starved { job: id, ending: record.ending.clone() }),
    }
}

/// At each instant, ends first, since intervals are half-open.
fn never_overfull(machine: &Machine, records: &[JobRecord]) -> Result<(), PolicyFault> {
    let mut steps: Vec<(Time, bool, u64)> = Vec::new();
    for record in records {
        for part in &record.parts {
            let cpus = u64::from(part.cpus);
            let start = record.start.filter(|&start| start < part.end);
            steps.extend(start.map(|start| (start, true, cpus)));
            steps.extend(start.map(|_| (part.end, false, cpus)));
        }
    }
    steps.sort_unstable();
    let mut used = 0;
    for (at, begins, cpus) in steps {
        if begins {
            used += cpus;
        } else {
            used -= cpus;
        }
        if used > u64::from(machine.cpus()) {
            return Err(PolicyFault::Overfull { at, used, cpus: machine.cpus() });
        }
    }
    Ok(())
}

fn promises_kept(run: &Replay) -> Result<(), PolicyFault> {
    for (record, promise) in run.records.iter().zip(&run.promises) {
        if let (Some(start), Some(promised)) = (record.start, *promise)
            && start > promised
        {
            return Err(PolicyFault::Promise { job: record.id, promised, start });
        }
    }
    Ok(())
}

fn order_kept(records: &[JobRecord]) -> Result<(), PolicyFault> {
    let mut started: Vec<&JobRecord> = records.iter().filter(|record| record.start.is_some()).collect();
    // Jobs of one instant arrive in the order given.
    started.sort_by_key(|record| record.submit);
    match started.windows(2).find(|pair| pair[1].start < pair[0].start) {
        Some(pair) => Err(PolicyFault::Overtaken { earlier: pair[0].id, later: pair[1].id }),
        None => Ok(()),
    }
}
