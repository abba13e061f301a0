//! The reasons why jobs that have windows are left out of a plan; and jobs so short that one of their tasks would end
//! at the instant at which it starts.

use crate::JointError;
use crate::instance::{ByJob, by_job, of_job};
use crate::plan::{Plan, Planned};
use crate::problem::PlanProblem;
use crate::terms::Terms;
use sched_model::internal::exact_sum;
use sched_model::{Batch, End, Job, JobId, Limit, ModelError, Money, Refusal, Schedule, Time, Window};
use slot_window::{Objective, Optimal, WindowQuery, WindowSearch as _};

/// Replaces [`Refusal::NoCapacity`] by the first of these reasons that applies: the cheapest window of the job would
/// exceed the budget of its user; its cheapest or shortest window would exceed the limit of the batch; a limit stopped
/// the search. The first two reasons state the excess.
pub(crate) fn with_reasons(
    problem: &PlanProblem<'_>,
    schedule: Schedule,
    end: End,
) -> Result<Schedule, JointError> {
    let is_left_out = |fate: &Result<Window, Refusal>| *fate == Err(Refusal::NoCapacity);
    if !schedule.refused().any(|(_, reason)| *reason == Refusal::NoCapacity) {
        return Ok(schedule);
    }
    let terms = Terms::of(problem.goal);
    let of_batch = exact_sum(schedule.placed().map(|(_, window)| terms.weight(window)));
    let used = Used { schedule: &schedule, terms, of_batch };
    let fate = |job: &Job| match schedule.get(&job.id) {
        Some(fate) if !is_left_out(fate) => Ok(fate.clone()),
        _ => used.reason(problem, job, end).map(Err),
    };
    let fates = problem.batch.iter().map(fate).collect::<Result<Vec<_>, JointError>>()?;
    Ok(Schedule::of_batch(problem.batch, fates)?)
}

/// A plan, with the amount of the limited quantity that its windows use.
struct Used<'a> {
    schedule: &'a Schedule,
    terms: Terms,
    of_batch: f64,
}

impl Used<'_> {
    /// Finds the reason why a job is left out.
    fn reason(&self, problem: &PlanProblem<'_>, job: &Job, end: End) -> Result<Refusal, JointError> {
        if let Some(short_by) = self.user_lacks(problem, job)? {
            return Ok(Refusal::Budget { short_by });
        }
        if let Some(short_by) = self.batch_lacks(problem, job)? {
            return Ok(Refusal::BatchLimit { short_by });
        }
        Ok(if matches!(end, End::Work | End::Memory | End::Signal) {
            Refusal::Stopped
        } else {
            Refusal::NoCapacity
        })
    }

    /// The amount by which the cheapest window of a job would exceed the budget of its user, if it would.
    fn user_lacks(&self, problem: &PlanProblem<'_>, job: &Job) -> Result<Option<Money>, JointError> {
        let Some(&budget) = problem.budgets.get(&job.user) else { return Ok(None) };
        let of_user = problem.batch.iter().filter(|other| other.user == job.user);
        let spent = exact_sum(of_user.filter_map(|other| self.schedule.place_of(other.id)).map(cost));
        let cheapest = best_alone(problem, job, Objective::Cost)?;
        let short_by = cheapest.and_then(|window| above(spent, cost(&window), budget));
        Ok(short_by.and_then(|short_by| Money::try_from(short_by).ok()))
    }

    /// The amount by which the window of a job with the minimum limited quantity would exceed the limit of the batch,
    /// if it would.
    fn batch_lacks(&self, problem: &PlanProblem<'_>, job: &Job) -> Result<Option<f64>, JointError> {
        let Self { terms, of_batch, .. } = self;
        let lightest = if terms.limits_cost { Objective::Cost } else { Objective::Runtime };
        let window = best_alone(problem, job, lightest)?;
        let limit = problem.goal.limit().unwrap_or(f64::INFINITY);
        Ok(window.and_then(|window| above(*of_batch, terms.weight(&window), limit)))
    }
}

/// The amount by which the sum of `used` and `more` exceeds a limit, if it does.
fn above(used: f64, more: f64, limit: f64) -> Option<f64> {
    let excess = exact_sum([used, more, -limit]);
    (excess > 0.0).then_some(excess)
}

fn cost(window: &Window) -> f64 {
    window.cost().get()
}

/// Finds the best window of a job without other jobs; none if a task of it would end at its start.
fn best_alone(
    problem: &PlanProblem<'_>,
    job: &Job,
    objective: Objective,
) -> Result<Option<Window>, JointError> {
    let search = Optimal::new(objective).with_rules(problem.rules);
    let query = WindowQuery::new(problem.slots, &job.request).with_from(problem.from.max(job.submit));
    match search.solve(&query, &mut Limit::default().meter()).map_err(JointError::from) {
        Err(error) if error.is_of_time() => Ok(None),
        found => Ok(found?.best),
    }
}

impl<'a> PlanProblem<'a> {
    /// Finds the jobs with a task that may take at most half a unit in the last place of the instants at which windows
    /// of this batch may start. Such a task may end at its start, so that there is no window. The flag of each job says
    /// whether all of its tasks are that short even on the slowest node, and so on every node.
    ///
    /// Every window starts at an instant of the input or at the end of another window. So no window starts later than
    /// the last instant of the input plus the spans of all jobs on the slowest node.
    pub(crate) fn too_short(&self) -> ByJob<bool> {
        let Self { slots, batch, from, .. } = *self;
        let speeds = || slots.iter().map(|slot| slot.speed);
        let (Some(slowest), Some(fastest)) = (speeds().min(), speeds().max()) else {
            return Vec::new();
        };
        let given = |job: &'a Job| job.request.demands().spans.iter().map(|(_, span)| span);
        let spans = |job: &'a Job, speed| std::iter::once(job.request.work() / speed).chain(given(job));
        let longest = |job: &'a Job| spans(job, slowest).max().map_or(0.0, |span| span.get());
        let shortest = |job: &'a Job| spans(job, fastest).min().map_or(0.0, |span| span.get());
        let of_job = |job: &Job| [Some(job.submit), job.request.demands().not_before].into_iter().flatten();
        let starts =
            || slots.iter().map(|slot| slot.start).chain(batch.iter().flat_map(of_job)).chain([from]);
        let ends = slots.iter().map(|slot| slot.end.get()).fold(f64::NEG_INFINITY, f64::max);
        let last = starts().map(Time::get).fold(f64::NEG_INFINITY, f64::max);
        let last = (last + batch.iter().map(longest).sum::<f64>()).min(ends);
        let first = starts().map(Time::get).fold(f64::INFINITY, f64::min);
        let greatest = first.abs().max(last.abs());
        let unit = f64::from_bits(greatest.to_bits() + 1) - greatest;
        let is_short = |span: f64| span <= unit / 2.0;
        let short = batch.iter().filter(|job| is_short(shortest(job)));
        by_job(short.map(|job| (job.id, is_short(longest(job)))))
    }

    /// The batch without `jobs`.
    pub(crate) fn others(&self, jobs: &[(JobId, bool)]) -> Result<Batch, ModelError> {
        Batch::new(self.batch.iter().filter(|job| of_job(jobs, job.id).is_none()).cloned().collect())
    }

    /// The problem of planning only `others`, a part of the batch.
    pub(crate) fn of_others<'b>(&self, others: &'b Batch) -> PlanProblem<'b>
    where
        'a: 'b,
    {
        let start = self.start.as_ref().and_then(|known| {
            let fates = others.iter().map(|job| known.get(&job.id).cloned()).collect::<Option<Vec<_>>>()?;
            Schedule::of_batch(others, fates).ok()
        });
        PlanProblem { batch: others, start, ..self.clone() }
    }
}

/// Adds the refusals of `jobs` to the plan of the other jobs. A job that may have windows on slower nodes counts as
/// left out, and then nothing is proven.
pub(crate) fn refuse(jobs: &[(JobId, bool)], batch: &Batch, found: Planned) -> Result<Planned, JointError> {
    let plan = found.plan;
    let fate = |job: &Job| match plan.schedule.get(&job.id) {
        Some(fate) => fate.clone(),
        None => Err(Refusal::Horizon { needed: job.request.nodes(), most: 0 }),
    };
    let schedule = Schedule::of_batch(batch, batch.iter().map(fate).collect())?;
    let nowhere = jobs.iter().filter(|(_, everywhere)| *everywhere).count();
    let left_out = plan.left_out + jobs.len() - nowhere;
    let proven = nowhere == jobs.len();
    let plan = Plan {
        schedule,
        unplaceable: plan.unplaceable + nowhere,
        left_out,
        makespan_bound: plan.makespan_bound.filter(|_| proven),
        ..plan
    };
    Ok(Planned { plan, bound: found.bound.filter(|_| proven), ..found })
}
