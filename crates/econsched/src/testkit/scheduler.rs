//! Schedulers of a broker, checked by what a simulated grid makes of their places.

use super::{Check, Draw, Family, Fault, SchedulerCase, Seen, ensure};
use grid_sim::{BatchScheduler, Ending, Grid, GridJob, JobRecord, Resource};
use sched_model::{Limit, SiteId};

/// A function that makes a scheduler, with the promises of that scheduler: see [`scheduler`].
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct BatchSchedulers<M> {
    make: M,
    limits: bool,
}

/// Checks a [`BatchScheduler`] by simulating a grid; `make` returns a new scheduler for each run. Kinds of faults:
/// `no name`; `error`, also where the grid refuses a place, such as one whose CPUs are not free; `span` (a job has
/// its CPUs for less time than it needs); `left over` (a job neither ran nor was refused); `unsteady`; and `limits`,
/// if it promises to keep budgets and deadlines.
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
        ensure(!(self.make)().name().is_empty(), "no name", || "the name is empty")?;
        let run = || case.grid().run(&case.jobs, &mut *(self.make)(), &mut Limit::none().meter());
        let first = run()?;
        for (job, record) in case.jobs.iter().zip(&first.records) {
            self.judge_record(case, job, record)?;
        }
        ensure(run()? == first, "unsteady", || "two runs of the same jobs differ")?;
        let ran = first.records.iter().any(|record| record.start.is_some());
        Ok(if ran { Seen::solved() } else { Seen::unsolved(false) })
    }
}

impl<M> BatchSchedulers<M> {
    fn judge_record(&self, case: &SchedulerCase, job: &GridJob, record: &JobRecord) -> Result<(), Fault> {
        let (id, request) = (record.id, &job.job.request);
        ensure(record.ending != Ending::Waiting, "left over", || format!("job {id}"))?;
        let Some(start) = record.start else { return Ok(()) };
        for part in &record.parts {
            let on = part.site.0 as usize;
            let (needed, end) = (job.time_on(on, &case.machines[on].0), part.end);
            // At late instants only the rounded end of a place is known.
            let short = || format!("job {id} needs {needed} on resource {on}, runs from {start} to {end}");
            ensure(end >= start + needed, "span", short)?;
        }
        let in_time = request.deadline.is_none_or(|deadline| record.end() <= Some(deadline));
        let keeps = in_time && request.budget.is_none_or(|budget| record.cost() <= budget);
        ensure(keeps || !self.limits, "limits", || format!("job {id} breaks its budget or its deadline"))
    }
}
