//! Schedulers of a broker, checked by a separate profile for each resource.

use super::former::Draw;
use super::{Broken, Cases, Passed, guarded, run_cases};
use grid_sim::{
    BatchScheduler, Ending, Grid, GridJob, GridPlace, LocalJob, Offer, PlacePart, Resource, SimError,
};
use sched_model::{
    Fate, Job, JobId, Machine, MachineId, Money, Price, Profile, ResourceRequest, Schedule, SiteId, Span,
    Speed, Time, Work,
};
use std::collections::{BTreeMap, BTreeSet};

/// Jobs for a broker, and the resources that it may use.
#[derive(Debug, Clone, PartialEq)]
pub struct SchedulerCase {
    /// The machines of the resources.
    pub machines: Vec<Machine>,
    /// Their local jobs.
    pub local: Vec<Vec<LocalJob>>,
    /// The jobs of the broker; they have no expected times of their own.
    pub jobs: Vec<GridJob>,
}

impl SchedulerCase {
    /// A random case of up to four resources with local jobs, and up to eight jobs, some with budgets and
    /// deadlines.
    pub(super) fn draw(draw: &mut Draw) -> Self {
        let numbers = draw.numbers();
        let (mut machines, mut local) = (Vec::new(), Vec::new());
        for id in 0..draw.between(1, 4) {
            let speed = Speed::new([0.5, 1.0, 2.0, 4.0][draw.below(4) as usize]).unwrap_or(Speed::ETALON);
            let price = Price::new(draw.amount(numbers, 5).min(1e3)).unwrap_or(Price::ZERO);
            let cpus = draw.between(1, 6);
            machines.extend(Machine::new(MachineId(id as u32), cpus as u32, speed, price));
            let jobs = (0..draw.below(4)).filter_map(|job| {
                let submit = Time::new(draw.below(60) as f64).ok()?;
                let span = Span::new(draw.amount(numbers, 40)).ok()?;
                let cpus = draw.between(1, cpus) as u32;
                LocalJob::new(JobId(1000 + 10 * id + job), submit, cpus, span, span).ok()
            });
            local.push(jobs.collect());
        }
        let mut jobs = Vec::new();
        for id in 0..draw.below(9) {
            let work = Work::new(draw.amount(numbers, 60)).unwrap_or(Work::ZERO);
            let Ok(mut request) = ResourceRequest::new(draw.between(1, 6) as usize, work) else { continue };
            if draw.chance(20) {
                request = request.with_min_speed(Speed::ETALON);
            }
            if draw.chance(30) {
                let budget = draw.amount(numbers, 400);
                request = request.with_budget(Money::new(budget).unwrap_or(Money::ZERO));
            }
            if draw.chance(30) {
                let deadline = 50.0 + draw.amount(numbers, 300);
                request = request.with_deadline(Time::new(deadline).unwrap_or(Time::ZERO));
            }
            let submit = Time::new(draw.below(90) as f64).unwrap_or(Time::ZERO);
            jobs.push(GridJob::new(Job::new(JobId(id), request).with_submit(submit)));
        }
        Self { machines, local, jobs }
    }

    fn grid(&self) -> Grid {
        let resources = self.machines.iter().zip(&self.local).zip(0..);
        let resources = resources.map(|((machine, local), id)| {
            Resource::new(SiteId(id), format!("resource {id}"), *machine).with_local_jobs(local.clone())
        });
        // With a patience, a job that is always left waiting is refused in the end.
        Grid::new(resources.collect()).with_patience(20)
    }
}

/// What is wrong with a scheduler of a broker.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SchedulerFault {
    /// It panicked, with this message.
    #[error("panics: {0}")]
    Panic(String),
    /// It has no name.
    #[error("has no name")]
    NoName,
    /// It, or the simulation, stopped with an error.
    #[error("stops the simulation: {0}")]
    Error(SimError),
    /// It decided about a job that was not given to it.
    #[error("decides about job {0}, which it was not asked about")]
    Unasked(JobId),
    /// A job starts in the past.
    #[error("job {job} is to start at {start}, and it is {now}")]
    Past {
        /// The job.
        job: JobId,
        /// Its start.
        start: Time,
        /// The present.
        now: Time,
    },
    /// The parts of a place name a resource that does not exist, or one resource twice.
    #[error("the place of job {job} names resource {resource}, which does not exist or is named twice")]
    Resource {
        /// The job.
        job: JobId,
        /// The resource, from 0.
        resource: usize,
    },
    /// A job has another number of CPUs than it needs.
    #[error("job {job} needs {needed} CPUs and gets {given}")]
    Cpus {
        /// The job.
        job: JobId,
        /// CPUs it needs.
        needed: u32,
        /// CPUs of its place.
        given: u64,
    },
    /// A job has less time than it needs.
    #[error("job {job} needs {needed} on resource {resource} and gets {given}")]
    Span {
        /// The job.
        job: JobId,
        /// The resource, from 0.
        resource: usize,
        /// Time it needs there.
        needed: Span,
        /// Time of its place.
        given: Span,
    },
    /// The CPUs of a place are not free: they are held already, or by the places of other jobs.
    #[error("the CPUs of job {job} on resource {resource} are not free")]
    NotFree {
        /// The job.
        job: JobId,
        /// The resource, from 0.
        resource: usize,
    },
    /// A place costs more than the budget of its job, or ends after its deadline, and the check requires that
    /// limits are kept.
    #[error("job {0} breaks its budget or its deadline")]
    Limits(JobId),
    /// A job neither ran nor was refused.
    #[error("job {job} is left over ({ending})")]
    LeftOver {
        /// The job.
        job: JobId,
        /// Its ending.
        ending: Ending,
    },
    /// A second run, with a new scheduler, had another result.
    #[error("two runs of the same jobs differ")]
    Unsteady,
}

/// Checks a [`BatchScheduler`] by a simulation of a grid: every place that it gives is checked at once, the
/// simulation runs to its end, every job runs or is refused, and two runs are the same; if required, places
/// keep budgets and deadlines.
///
/// It takes a function that makes the scheduler, since each run needs a new one.
///
/// ```
/// use econsched::grid_heuristics::{TradeOffKind, TradeOffMetric};
/// use econsched::grid_sim::TradeOffBroker;
/// use econsched::testkit::{Cases, SchedulerCheck};
/// let make = || Box::new(TradeOffBroker::of_kind(TradeOffKind::MinCtt, TradeOffMetric::default())) as _;
/// SchedulerCheck::new(&make).run(&Cases::new(50))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
#[must_use]
pub struct SchedulerCheck<'a> {
    make: &'a dyn Fn() -> Box<dyn BatchScheduler>,
    limits: bool,
}

impl std::fmt::Debug for SchedulerCheck<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SchedulerCheck").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl<'a> SchedulerCheck<'a> {
    /// The check that every scheduler must pass.
    pub fn new(make: &'a dyn Fn() -> Box<dyn BatchScheduler>) -> Self {
        Self { make, limits: false }
    }

    /// Checks also that places keep the budget and the deadline of their jobs.
    pub fn with_limits_kept(self) -> Self {
        Self { limits: true, ..self }
    }

    /// Runs all cases, up to the first fault.
    ///
    /// # Errors
    /// The first fault, with its case.
    pub fn run(&self, cases: &Cases) -> Result<Passed, Box<Broken<SchedulerCase, SchedulerFault>>> {
        run_cases(cases, SchedulerCase::draw, |case| self.check(case).map(|()| true))
    }

    /// Checks one case, of any size.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self, case: &SchedulerCase) -> Result<(), SchedulerFault> {
        guarded(|| self.answers(case)).map_err(SchedulerFault::Panic)?
    }

    fn answers(&self, case: &SchedulerCase) -> Result<(), SchedulerFault> {
        let run = || {
            let mut watched = Watched { inner: (self.make)(), limits: self.limits, fault: None };
            if watched.inner.name().is_empty() {
                return Err(SchedulerFault::NoName);
            }
            let outcome = case.grid().run(&case.jobs, &mut watched);
            // A fault that the watcher found explains the error that followed.
            match (watched.fault, outcome) {
                (Some(fault), _) => Err(fault),
                (None, outcome) => outcome.map_err(SchedulerFault::Error),
            }
        };
        let first = run()?;
        let over = |ending: &Ending| matches!(ending, Ending::Waiting);
        if let Some(record) = first.records.iter().find(|record| over(&record.ending)) {
            return Err(SchedulerFault::LeftOver { job: record.id, ending: record.ending.clone() });
        }
        if run()? == first { Ok(()) } else { Err(SchedulerFault::Unsteady) }
    }
}

/// The scheduler under test, with a check of each of its answers.
#[derive(Debug)]
struct Watched {
    inner: Box<dyn BatchScheduler>,
    limits: bool,
    fault: Option<SchedulerFault>,
}

impl BatchScheduler for Watched {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn schedule(
        &mut self,
        now: Time,
        jobs: &[&GridJob],
        offers: &[Offer<'_>],
    ) -> Result<Schedule<GridPlace>, SimError> {
        let schedule = self.inner.schedule(now, jobs, offers)?;
        if self.fault.is_none() {
            self.fault = judge(&schedule, now, jobs, offers, self.limits).err();
        }
        Ok(schedule)
    }
}

fn judge(
    schedule: &Schedule<GridPlace>,
    now: Time,
    jobs: &[&GridJob],
    offers: &[Offer<'_>],
    limits: bool,
) -> Result<(), SchedulerFault> {
    let asked: BTreeMap<JobId, &GridJob> = jobs.iter().map(|job| (job.job.id, *job)).collect();
    let mut books: Vec<Profile> = offers.iter().map(|offer| offer.free.clone()).collect();
    for (id, fate) in schedule.fates() {
        let Some(job) = asked.get(&id) else { return Err(SchedulerFault::Unasked(id)) };
        let Fate::Placed(place) = fate else { continue };
        if place.start < now {
            return Err(SchedulerFault::Past { job: id, start: place.start, now });
        }
        let given: u64 = place.parts.iter().map(|part| u64::from(part.cpus)).sum();
        if given != u64::from(job.cpus()) {
            return Err(SchedulerFault::Cpus { job: id, needed: job.cpus(), given });
        }
        let mut seen = BTreeSet::new();
        for &PlacePart { resource, cpus, span } in &place.parts {
            let (true, Some(offer)) = (seen.insert(resource), offers.get(resource)) else {
                return Err(SchedulerFault::Resource { job: id, resource });
            };
            let needed = job.time_on(resource, offer.machine);
            // At late instants only the rounded end of a place is known.
            if place.start + span < place.start + needed {
                return Err(SchedulerFault::Span { job: id, resource, needed, given: span });
            }
            books[resource]
                .reserve(place.start, place.start + span, cpus)
                .map_err(|_| SchedulerFault::NotFree { job: id, resource })?;
        }
        if limits && !keeps_limits(job, place, offers) {
            return Err(SchedulerFault::Limits(id));
        }
    }
    Ok(())
}

fn keeps_limits(job: &GridJob, place: &GridPlace, offers: &[Offer<'_>]) -> bool {
    let request = &job.job.request;
    // One charge for each CPU.
    let charges = place.parts.iter().flat_map(|part| {
        let charge = offers[part.resource].machine.price() * part.span;
        std::iter::repeat_n(charge, part.cpus as usize)
    });
    let finish = place.parts.iter().map(|part| place.start + part.span).max();
    request.budget().is_none_or(|budget| Money::total(charges) <= budget)
        && request.deadline().is_none_or(|deadline| finish.is_none_or(|finish| finish <= deadline))
}
