//! Schedulers of a broker, checked by a separate profile for each resource.

use super::{Check, Draw, Family, Fault, SchedulerCase, Seen, ensure};
use grid_sim::{BatchScheduler, Ending, Grid, GridJob, GridPlace, Offer, PlacePart, Resource, SimError};
use sched_model::{Limit, Money, Profile, Schedule, SiteId, Time};

/// A function that makes a scheduler, with the promises of that scheduler: see [`scheduler`].
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct BatchSchedulers<M> {
    make: M,
    limits: bool,
}

/// Checks a [`BatchScheduler`] by simulating a grid; `make` returns a new scheduler for each run. Every place that
/// the scheduler gives is checked at once. Kinds of faults: `no name`; `error`, also where the grid refuses a place;
/// `span`, `not free`; `left over` (a job neither ran nor was refused); `unsteady`; and `limits`, if it promises to
/// keep budgets and deadlines.
///
/// ```
/// use econsched::grid_heuristics::{TradeOffKind, TradeOffMetric};
/// use econsched::testkit;
/// let make = || Box::new(TradeOffKind::MinCtt.build(TradeOffMetric::default())) as _;
/// testkit::scheduler(make).run(50)?;
/// # Ok::<(), testkit::Fault>(())
/// ```
pub fn scheduler<M: Fn() -> Box<dyn BatchScheduler>>(make: M) -> Check<BatchSchedulers<M>> {
    Check::new(BatchSchedulers { make, limits: false })
}

impl<M> Check<BatchSchedulers<M>> {
    /// Places keep the budgets and deadlines of their jobs.
    pub fn with_limits_kept(mut self) -> Self {
        self.family.limits = true;
        self
    }
}

impl SchedulerCase {
    fn grid(&self) -> Grid {
        let resources = self.machines.iter().enumerate().map(|(at, (machine, local))| {
            Resource::new(SiteId(at as u32), format!("resource {at}"), *machine)
                .with_local_jobs(local.clone())
        });
        // With limited patience, a job that is always left waiting is refused in the end.
        Grid::new(resources.collect()).with_patience(20)
    }
}

impl<M: Fn() -> Box<dyn BatchScheduler>> Family for BatchSchedulers<M> {
    type Case = SchedulerCase;

    fn draw(draw: &mut Draw) -> SchedulerCase {
        SchedulerCase::draw(draw)
    }

    fn judge(&self, case: &SchedulerCase) -> Result<Seen, Fault> {
        let run = || {
            let mut watched = Watched { inner: (self.make)(), limits: self.limits, fault: None };
            ensure(!watched.name().is_empty(), "no name", || "the name is empty")?;
            let outcome = case.grid().run(&case.jobs, &mut watched, &mut Limit::none().meter());
            // A fault that the watcher found explains the error that followed.
            match watched.fault {
                Some(fault) => Err(fault),
                None => Ok(outcome?),
            }
        };
        let first = run()?;
        let left = first.records.iter().find(|record| matches!(record.ending, Ending::Waiting));
        ensure(left.is_none(), "left over", || format!("job {:?}", left.map(|record| record.id)))?;
        ensure(run()? == first, "unsteady", || "two runs of the same jobs differ")?;
        let ran = first.records.iter().any(|record| record.start.is_some());
        Ok(if ran { Seen::solved() } else { Seen::unsolved(false) })
    }
}

/// The scheduler under test, with a check of each of its answers.
#[derive(Debug)]
struct Watched {
    inner: Box<dyn BatchScheduler>,
    limits: bool,
    fault: Option<Fault>,
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
            self.fault = judge(&schedule, jobs, offers, self.limits).err();
        }
        Ok(schedule)
    }
}

/// Judges a schedule by a profile for each resource. The grid itself refuses places that are past, have other CPUs than
/// the job needs, or are for jobs that do not wait.
fn judge(
    schedule: &Schedule<GridPlace>,
    jobs: &[&GridJob],
    offers: &[Offer<'_>],
    limits: bool,
) -> Result<(), Fault> {
    let mut books: Vec<Profile> = offers.iter().map(|offer| offer.free.clone()).collect();
    for (id, place) in schedule.placed() {
        let Some(job) = jobs.iter().find(|job| job.job.id == id) else { continue };
        for &PlacePart { resource, cpus, span } in &place.parts {
            let (Some(offer), Some(book)) = (offers.get(resource), books.get_mut(resource)) else {
                return Ok(());
            };
            let (start, needed) = (place.start, job.time_on(resource, offer.machine));
            // At late instants only the rounded end of a place is known.
            let short = || format!("job {id} needs {needed} on resource {resource}, gets {span}");
            ensure(start + span >= start + needed, "span", short)?;
            book.reserve(start, start + span, cpus)
                .map_err(|_| Fault::new("not free", format!("CPUs of job {id} on resource {resource}")))?;
        }
        let keeps = !limits || keeps_limits(job, place, offers);
        ensure(keeps, "limits", || format!("job {id} breaks its budget or its deadline"))?;
    }
    Ok(())
}

fn keeps_limits(job: &GridJob, place: &GridPlace, offers: &[Offer<'_>]) -> bool {
    let request = &job.job.request;
    // One charge per CPU.
    let charges = place.parts.iter().flat_map(|part| {
        let charge = offers[part.resource].machine.price * part.span;
        std::iter::repeat_n(charge, part.cpus as usize)
    });
    let finish = place.parts.iter().map(|part| place.start + part.span).max();
    request.budget.is_none_or(|budget| charges.sum::<Money>() <= budget)
        && request.deadline.is_none_or(|deadline| finish.is_none_or(|finish| finish <= deadline))
}
