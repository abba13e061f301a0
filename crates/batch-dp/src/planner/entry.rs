//! The planning calls.

use super::offers::{Offer, refuse_conflicts};
use super::settings::Planner;
use crate::{BatchError, Goal, Plan};
use sched_model::{JobId, Meter, Refusal, Window};

/// Chooses one window for each job that has any, best for the batch as a whole, and makes a schedule of them.
/// The same as a [`Planner`] with only a goal.
///
/// # Errors
/// As for [`Planner::plan`].
///
/// ```
/// use batch_dp::{Goal, plan};
/// use sched_model::*;
/// let node = |id, price| Node::new(NodeId(id), Speed::ETALON, Price::must(price));
/// let window = |node, start: f64, span| {
///     let slot = Slot::new(node, Time::ZERO, Time::must(99.0))?;
///     let start = Time::must(start);
///     Window::new(start, vec![Placement::on(&slot, start, Span::must(span))])
/// };
/// // Job 1: cost 10 and time 5, or cost 20 and time 4. Job 2 has found nothing.
/// let windows = [window(node(1, 2.0), 0.0, 5.0)?, window(node(2, 5.0), 0.0, 4.0)?];
/// let none = Refusal::TooFewNodes { needed: 3, fast_enough: 2 };
/// let offers = [(JobId(1), &windows[..], None), (JobId(2), &[][..], Some(&none))];
///
/// let plan = plan(offers, Goal::MinTime { budget: Some(15.0) })?;
/// assert_eq!(plan.schedule.place_of(JobId(1)), Some(&windows[0]));
/// assert_eq!(plan.schedule.refused().next(), Some((JobId(2), &none)));
/// assert_eq!(plan.goal, Goal::MinTime { budget: Some(15.0) });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plan<'a>(
    offers: impl IntoIterator<Item = (JobId, &'a [Window], Option<&'a Refusal>)>,
    goal: Goal,
) -> Result<Plan, BatchError> {
    Planner::new(goal).plan(offers)
}

impl Planner<'_> {
    /// Chooses one window for each job that has any, best for the batch as a whole, and makes a schedule of
    /// them.
    ///
    /// Each offer is a job with its windows and, where it has none, the reason. Jobs without a window are
    /// refused for that reason ([`Refusal::NoCapacity`] where none is given) and do not hinder the others.
    /// Where the limit of the goal is out of reach, all others are refused with [`Refusal::BatchLimit`],
    /// which states by how much it falls short. With a [`Coverage`](crate::Coverage), only as many jobs are
    /// refused as must be, each with the amount, at least 0, that its lightest window lacks beside the
    /// windows of the others. The windows of one batch must not overlap, as those of the alternatives search
    /// do not.
    ///
    /// # Errors
    /// [`BatchError::RepeatedJob`] if a job is offered twice, [`BatchError::Limit`] if the limit of the goal
    /// or a budget is NaN, [`BatchError::Conflict`] if windows of two jobs overlap, [`BatchError::Together`]
    /// for settings that cannot be combined, [`BatchError::Stopped`] if the search was stopped before
    /// it had any choice; with a coverage, what a [`Chooser`](crate::Chooser) refuses; with a preference, what
    /// [`Front`](crate::Front) refuses.
    pub fn plan<'o>(
        &self,
        offers: impl IntoIterator<Item = (JobId, &'o [Window], Option<&'o Refusal>)>,
    ) -> Result<Plan, BatchError> {
        self.plan_within(offers, &mut self.limit.meter())
    }

    /// As [`plan`](Self::plan), within the limit of a meter, which may have an observer.
    ///
    /// # Errors
    /// As for [`plan`](Self::plan).
    pub fn plan_within<'o>(
        &self,
        offers: impl IntoIterator<Item = (JobId, &'o [Window], Option<&'o Refusal>)>,
        meter: &mut Meter,
    ) -> Result<Plan, BatchError> {
        self.check()?;
        let offers: Vec<Offer<'o>> = offers.into_iter().collect();
        refuse_conflicts(&offers)?;
        let plan = match &self.preference {
            Some(preference) => self.by_preference(&offers, preference, meter)?,
            None if self.makespan_first => self.earliest(&offers, meter)?,
            None => self.by_goal(&offers, meter)?,
        };
        #[cfg(feature = "tracing")]
        for (job, refusal) in plan.schedule.refused() {
            tracing::debug!(job = job.0, %refusal, "refused");
        }
        #[cfg(feature = "tracing")]
        tracing::info!(
            placed = plan.schedule.placed().count(),
            refused = plan.schedule.refused().count(),
            goal = ?plan.goal,
            work = plan.work,
            "{} has decided: {}",
            self.chooser.name(),
            plan.outcome
        );
        Ok(plan)
    }
}
