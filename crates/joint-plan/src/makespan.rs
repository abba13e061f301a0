//! The minimum makespan before the goal: plans under a series of ever earlier deadlines.

use crate::cycles::searches;
use crate::instance::Instance;
use crate::plan::{Plan, Planned};
use crate::problem::PlanProblem;
use crate::run::Depth;
use crate::{Goal, JointError, JointPlanner};
use sched_model::internal::sort;
use sched_model::{End, Job, Limit, Meter, Refusal, Schedule, Time, Window};
use slot_window::priced::{NodeTimePrices, PricedQuery};

/// The maximum number of deadlines tried.
const DEADLINES: u64 = 8;
/// The number of parts of the work: one for a first plan, one for the deadlines, the rest for the goal.
const PARTS: u64 = 3;
/// The goal of the trials: plans with early finishes usually end early.
const EARLY: Goal = Goal::MinFinish { budget: None };

/// Plans by the most jobs first, then by the minimum makespan that plans under ever earlier deadlines reach, then by
/// the goal among the plans that end no later.
///
/// # Errors
/// [`JointError`] for malformed input.
pub(crate) fn least_makespan(
    planner: &JointPlanner,
    problem: &PlanProblem<'_>,
    instance: &Instance<'_>,
    meter: &mut Meter,
) -> Result<Planned, JointError> {
    let (goal, known) = (problem.goal, problem.start.as_ref());
    // The bounds of the trials are not used.
    let (trial, last) = (Depth::NoBranches, Depth::Full);
    // If two plans end at the same instant, the known one may be better by the goal.
    let all_known = |best: Option<&Schedule>| best.into_iter().chain(known).cloned().collect::<Vec<_>>();
    // Each part needs a finite limit, even if only a signal ends the search.
    let part_of_work = (meter.work_left() / PARTS).min(Limit::default().work);
    let early = Instance { terms: instance.terms.early(), ..instance.clone() };
    let first = planner.attempt(early.clone(), EARLY, &all_known(None), trial, part_of_work, meter)?;
    let Some(mut latest) = first.plan.schedule.makespan() else { return Ok(first) };
    let (unplaceable, left_out) = (first.plan.unplaceable, first.plan.left_out);
    let placed = instance.jobs.len() - unplaceable - left_out;
    let bound = bound_of_jobs_alone(instance, left_out, meter.limit())?.min(latest);
    let (mut earliest, mut best) = (bound, first.plan.schedule.clone());
    if let Some(known) = known
        && let Some(makespan) = known.makespan().filter(|&makespan| makespan < latest)
        && known.placed().count() >= placed
        && planner.accepts(early.clone(), EARLY, known, meter)
    {
        (latest, best) = (makespan, known.clone());
        earliest = earliest.min(latest);
    }
    let mut left = meter.work_left().min(part_of_work);
    for number in 0..DEADLINES {
        // The first deadline is the bound itself: if a plan meets it, no other is tried.
        let until =
            if number == 0 { earliest } else { Time::try_from(earliest.get().midpoint(latest.get()))? };
        if until >= latest || number > 0 && until <= earliest {
            break;
        }
        let jobs = with_deadline(&instance.jobs, until);
        let part = Instance { jobs: jobs.iter().collect(), ..early.clone() };
        // Each trial gets an equal share of the work that is left.
        let found = planner.attempt(part, EARLY, &[], trial, left / (DEADLINES - number), meter)?;
        left -= found.work;
        let schedule = found.plan.schedule;
        match schedule.makespan() {
            Some(makespan) if schedule.placed().count() >= placed => {
                (latest, best) = (makespan, schedule);
            }
            _ => earliest = until,
        }
    }
    let jobs = with_deadline(&instance.jobs, latest);
    let part = Instance { jobs: jobs.iter().collect(), ..instance.clone() };
    let work = meter.work_left();
    let mut found = planner.attempt(part, goal, &all_known(Some(&best)), last, work, meter)?;
    let schedule = with_reasons_of(&first.plan.schedule, &found.plan.schedule, instance)?;
    // This plan may place more jobs than the first one, which its share of the work may have stopped.
    let left_out = instance.jobs.len() - unplaceable - schedule.placed().count();
    found.plan = Plan { schedule, makespan_bound: Some(bound), unplaceable, left_out, ..found.plan };
    Ok(found)
}

/// Computes a lower bound of the end of every plan that leaves out `left_out` of the jobs that have windows, from the
/// earliest finish of each job alone.
fn bound_of_jobs_alone(instance: &Instance<'_>, left_out: usize, limit: &Limit) -> Result<Time, JointError> {
    let mut finishes = Vec::new();
    let searches = searches(instance.rules, EARLY);
    for job in &instance.jobs {
        let from = instance.earliest(job);
        let query = instance.query(instance.slots, job, &job.request);
        if instance.rules.slot_price {
            // No search for the earliest finish applies a price limit to each slot.
            let (query, none) = (PricedQuery::new(instance.rules, &query)?, NodeTimePrices::default());
            let limit = Limit::default().with_signal_of(limit);
            let answer = query.best([0.0, 1.0, 1.0], &none, f64::INFINITY, &mut limit.meter())?;
            if answer.best.is_some() {
                finishes.push(Time::try_from(from.get() + answer.bound)?);
            }
        } else if let Some(search) = searches.first() {
            let limit = Limit::default().with_signal_of(limit);
            let found = search.solve(&query, &mut limit.meter())?;
            // A stopped search gives no bound, so the earliest start of the job takes its place.
            let least = |window: &Window| if found.end == End::Done { window.finish() } else { from };
            finishes.extend(found.best.as_ref().map(least));
        }
    }
    sort(&mut finishes, &|a, b| a.cmp(b));
    let at = finishes.len().saturating_sub(1 + left_out);
    Ok(finishes.get(at).copied().unwrap_or(instance.from))
}

/// Copies of the jobs with the deadline `until`, unless their own is earlier.
fn with_deadline(jobs: &[&Job], until: Time) -> Vec<Job> {
    let limited = |job: &&Job| {
        let deadline = job.request.deadline.map_or(until, |own| own.min(until));
        Job { request: job.request.clone().with_deadline(deadline), ..**job }
    };
    jobs.iter().map(limited).collect()
}

/// Creates the schedule with the reasons of the first one, which do not depend on the deadlines of trials.
fn with_reasons_of(
    first: &Schedule,
    schedule: &Schedule,
    instance: &Instance<'_>,
) -> Result<Schedule, JointError> {
    let fate = |job: &&Job| match (schedule.place_of(job.id), first.get(&job.id)) {
        (Some(window), _) => Ok(window.clone()),
        (None, Some(Err(reason))) => Err(reason.clone()),
        (None, _) => Err(Refusal::NoCapacity),
    };
    let fates = instance.jobs.iter().map(fate).collect();
    Ok(Schedule::of_batch(&instance.batch()?, fates)?)
}
