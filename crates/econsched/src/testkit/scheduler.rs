//! Schedulers of a broker, checked by what a simulated grid makes of their places.

use super::policy::{local, machine};
use super::{Check, Draw, Family, Fault, Numbers, Seen, ensure};
use grid_sim::{BatchScheduler, Ending, Grid, GridJob, JobRecord, LocalJob, Resource};
use sched_model::{Job, JobId, Limit, Machine, Money, ResourceRequest, SiteId, Speed, Time};
use serde::{Deserialize, Serialize};

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

/// A case for a scheduler: jobs for a broker, and the machines that it may use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SchedulerCase {
    /// The machines, each with the jobs of its own users.
    pub machines: Vec<(Machine, Vec<LocalJob>)>,
    /// The jobs of the broker, in the given order.
    pub jobs: Vec<GridJob>,
}

impl SchedulerCase {
    /// Draws a case of up to four machines and up to eight jobs, some with budgets and deadlines.
    pub fn draw(draw: &mut Draw) -> Self {
        let numbers =
            draw.of([Numbers::Whole, Numbers::Tenths, Numbers::Cents, Numbers::Ties, Numbers::Thirds]);
        let mut machines = Vec::new();
        for id in 0..draw.between(1, 4) as u32 {
            let cpus = draw.between(1, 6);
            let own = (0..draw.below(4) as u64).map(|at| {
                let span = numbers.positive(draw);
                let submit = draw.below(60) as f64;
                local(1000 + 100 * u64::from(id) + at, submit, draw.between(1, cpus), (span, span))
            });
            let own = own.collect();
            let speed = draw.of([1.0, 0.5, 2.0, 4.0]);
            machines.push((machine(id, cpus, speed, numbers.draw(draw)), own));
        }
        let count = draw.below(9) as u64;
        let job = |id| {
            let (submit, cpus) = (draw.below(90) as f64, draw.between(1, 6));
            let work = numbers.positive(draw) * draw.of([1.0, 4.0, 10.0]);
            let mut request = ResourceRequest::must(cpus, work);
            if draw.chance(20) {
                request = request.with_min_speed(Speed::must(1.0));
            }
            request.budget = draw.chance(30).then(|| Money::must(numbers.draw(draw) * 20.0));
            request.deadline = draw.chance(30).then(|| Time::must(50.0 + numbers.draw(draw) * 10.0));
            GridJob::from(Job::new(JobId(id), request).with_submit(Time::must(submit)))
        };
        let jobs = (0..count).map(job).collect();
        Self { machines, jobs }
    }

    fn grid(&self) -> Grid {
        let resources = self.machines.iter().enumerate().map(|(at, (machine, local))| {
            Resource::new(SiteId(at as u32), format!("resource {at}"), *machine)
                .with_local_jobs(local.clone())
        });
        // With limited patience, a job that is always left waiting is refused in the end.
        Grid::new(resources.collect()).with_patience(20)
    }

    /// Whether a job without limits could run on some machine, once that is idle.
    fn can_run(&self, job: &GridJob) -> bool {
        let request = &job.job.request;
        let fits = |machine: &Machine| job.cpus() <= machine.cpus() && request.min_speed <= machine.speed;
        let limited = request.budget.is_some() || request.deadline.is_some();
        !limited && self.machines.iter().any(|(machine, _)| fits(machine))
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
        Ok(if ran { Seen::solved() } else { Seen::unsolved(case.jobs.iter().any(|job| case.can_run(job))) })
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
        // The end of a place is rounded, and with it the time that is paid.
        let most = |budget: Money| budget.get() * (1.0 + 1e-9);
        let keeps = in_time && request.budget.is_none_or(|budget| record.cost().get() <= most(budget));
        ensure(keeps || !self.limits, "limits", || format!("job {id} breaks its budget or its deadline"))
    }
}
