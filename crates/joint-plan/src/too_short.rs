//! Jobs so short that a task of them would end at the instant at which it starts.

use crate::JointError;
use crate::instance::{ByJob, of_job};
use crate::plan::JointPlan;
use crate::problem::PlanProblem;
use sched_model::order::sort;
use sched_model::{Batch, Demands, Fate, Job, JobId, ModelError, Refusal, Schedule, Time};

impl<'a> PlanProblem<'a> {
    /// The jobs with a task of at most half a unit in the last place of the instants at which windows of this
    /// batch may start: it may end at its start, so that there is no window. With each, whether that is so on
    /// the slowest node, too, hence on every node.
    ///
    /// Every window starts at an instant of the input or at the end of another window, hence no later than
    /// the last of those instants and the spans of all jobs on the slowest node after it.
    pub(crate) fn too_short(&self) -> ByJob<bool> {
        let Self { slots, batch, from, .. } = *self;
        let speeds = || slots.iter().map(|slot| slot.speed());
        let (Some(slowest), Some(fastest)) = (speeds().min(), speeds().max()) else {
            return Vec::new();
        };
        let given =
            |job: &Job| self.demands.get(&job.id).into_iter().flat_map(|demands| demands.spans().iter());
        let spans = |job: &Job, speed| {
            std::iter::once(job.request.span_on(speed)).chain(given(job).map(|(_, span)| span))
        };
        let longest = |job: &Job| spans(job, slowest).max().map_or(0.0, |span| span.get());
        let shortest = |job: &Job| spans(job, fastest).min().map_or(0.0, |span| span.get());
        let of_job = |job: &Job| {
            let not_before = self.demands.get(&job.id).and_then(Demands::not_before);
            [Some(job.submit), not_before].into_iter().flatten()
        };
        let starts =
            || slots.iter().map(|slot| slot.start()).chain(batch.iter().flat_map(of_job)).chain([from]);
        let ends = slots.iter().map(|slot| slot.end().get()).fold(f64::NEG_INFINITY, f64::max);
        let last = starts().map(Time::get).fold(f64::NEG_INFINITY, f64::max);
        let last = (last + batch.iter().map(longest).sum::<f64>()).min(ends);
        let first = starts().map(Time::get).fold(f64::INFINITY, f64::min);
        let greatest = first.abs().max(last.abs());
        let unit = f64::from_bits(greatest.to_bits() + 1) - greatest;
        let is_short = |span: f64| span <= unit / 2.0;
        let short = batch.iter().filter(|job| is_short(shortest(job)));
        let mut short: Vec<_> = short.map(|job| (job.id, is_short(longest(job)))).collect();
        sort(&mut short, &|a, b| a.0.cmp(&b.0));
        short
    }

    /// The jobs that are not among these.
    pub(crate) fn others(&self, jobs: &[(JobId, bool)]) -> Result<Batch, ModelError> {
        Batch::new(self.batch.iter().filter(|job| of_job(jobs, job.id).is_none()).copied().collect())
    }

    /// The same problem of these of its jobs.
    pub(crate) fn of_others<'b>(&self, others: &'b Batch) -> PlanProblem<'b>
    where
        'a: 'b,
    {
        let start = self.start.as_ref().and_then(|known| {
            let fates =
                others.iter().map(|job| known.fate(job.id).cloned()).collect::<Option<Vec<Fate>>>()?;
            Schedule::of_batch(others, fates).ok()
        });
        PlanProblem { batch: others, start, ..self.clone() }
    }
}

/// The plan of the other jobs with these refused. Where a slow node might time one of them, it is left out, and
/// nothing is proven.
pub(crate) fn refuse(
    jobs: &[(JobId, bool)],
    batch: &Batch,
    plan: JointPlan,
) -> Result<JointPlan, JointError> {
    let fate = |job: &Job| match plan.schedule.fate(job.id) {
        Some(fate) => fate.clone(),
        None => Fate::Refused(Refusal::Horizon { needed: job.request.nodes(), most: 0 }),
    };
    let schedule = Schedule::of_batch(batch, batch.iter().map(fate).collect())?;
    let nowhere = jobs.iter().filter(|(_, everywhere)| *everywhere).count();
    let left_out = plan.left_out + jobs.len() - nowhere;
    let proven = nowhere == jobs.len();
    Ok(JointPlan {
        schedule,
        unplaceable: plan.unplaceable + nowhere,
        left_out,
        bound: plan.bound.filter(|_| proven),
        makespan_bound: plan.makespan_bound.filter(|_| proven),
        ..plan
    })
}
