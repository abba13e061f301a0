//! The second phase of the scheduling cycle in one call: from the windows of each job to a schedule.

mod choice;
mod earliest;

#[cfg(feature = "tracing")]
use crate::expanding_core;
use crate::{BatchError, Choice, ChoiceRefusal, Coverage, Goal, Preference};
use sched_model::internal::{map_of, sort};
use sched_model::{JobId, JobWindows, Limit, Meter, NodeId, Outcome, Refusal, Schedule, Time, UserId};
use std::collections::BTreeMap;

/// A schedule of a batch, with the choice behind it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Plan {
    /// A window for each job that is served, and a refusal for each other job.
    pub schedule: Schedule,
    /// The goal, with the given or derived limit.
    pub goal: Goal,
    /// The choice for the jobs that have any window and that a user's budget does not exclude.
    pub outcome: Outcome<Choice, ChoiceRefusal>,
    /// Units of work spent, including those for a derived budget.
    pub work: u64,
}

impl std::fmt::Display for Plan {
    /// The outcome on the first line, then the schedule: one line for each job.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n{}", self.outcome, self.schedule)
    }
}

/// Chooses one window for each job of a batch by a goal, and makes a schedule of them. Optional settings: a coverage;
/// budgets of users; the minimum makespan before the goal, or a preference among <C, D, T, I> in place of the goal.
///
/// For [`Goal::MinFinish`], the value of the outcome and the time of its choice are sums of finishes; but a derived
/// budget is derived from runtimes.
///
/// ```
/// use batch_dp::{Goal, Planner};
/// use sched_model::*;
/// let node = |id, price| Node::must(id, 1.0, price);
/// let window = |node, start: f64, span| {
///     let slot = Slot::new(node, Time::ZERO, Time::must(99.0))?;
///     let start = Time::must(start);
///     Window::new(start, vec![Placement::on(&slot, start, Span::must(span), &Tariff::default())])
/// };
/// // Job 1: cost 10 and time 5, or cost 20 and time 4. Job 2 has found nothing.
/// let windows = vec![window(node(1, 2.0), 0.0, 5.0)?, window(node(2, 5.0), 0.0, 4.0)?];
/// let none = Refusal::TooFewNodes { needed: 3, fast_enough: 2 };
/// let jobs = [
///     JobWindows { job: JobId(1), windows: windows.clone(), refusal: None },
///     JobWindows { job: JobId(2), windows: Vec::new(), refusal: Some(none.clone()) },
/// ];
///
/// let plan = Planner::new(Goal::MinTime { budget: Some(15.0) }).plan(&jobs)?;
/// assert_eq!(plan.schedule.place_of(JobId(1)), Some(&windows[0]));
/// assert_eq!(plan.schedule.refused().next(), Some((JobId(2), &none)));
/// assert_eq!(plan.goal, Goal::MinTime { budget: Some(15.0) });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Planner {
    goal: Goal,
    coverage: Coverage,
    derived: bool,
    budgets: BTreeMap<UserId, f64>,
    user_of: BTreeMap<JobId, UserId>,
    makespan_first: bool,
    preference: Option<Preference>,
    known: Option<Schedule>,
}

impl Planner {
    /// Creates a planner that serves every job by this goal.
    pub fn new(goal: Goal) -> Self {
        Self {
            goal,
            coverage: Coverage::EveryJob,
            derived: false,
            budgets: BTreeMap::new(),
            user_of: BTreeMap::new(),
            makespan_first: false,
            preference: None,
            known: None,
        }
    }

    /// If the goal has no limit, derives one from the windows of each batch: see
    /// [`with_derived_limit`](crate::with_derived_limit).
    pub fn with_derived_limit(self) -> Self {
        Self { derived: true, ..self }
    }

    /// Sets budgets of users: the windows of all jobs of a user cost at most the user's budget together. Users that are
    /// not named, and jobs without a user, have no such limit. If a budget does not suffice for the cheapest window of
    /// each of the user's jobs, all these jobs are refused, with the amount that is missing; with a [`Coverage`], only
    /// as many as necessary. A user without any window pays 0, so only windows of negative cost can keep a budget below
    /// 0; if these do not suffice, all jobs of the user are refused.
    ///
    /// ```
    /// use batch_dp::{Goal, Planner};
    /// use sched_model::*;
    /// // A node of price 2 and speed 1, and one of price 9 and speed 2.
    /// let slot = |id, speed, price| {
    ///     let node = Node::must(id, speed, price);
    ///     Slot::new(node, Time::ZERO, Time::must(99.0))
    /// };
    /// let window = |slot: &Slot, start: f64, span: f64| {
    ///     let start = Time::must(start);
    ///     Window::new(start, vec![Placement::on(slot, start, Span::must(span), &Tariff::default())])
    /// };
    /// let (slow, fast) = (slot(1, 1.0, 2.0)?, slot(2, 2.0, 9.0)?);
    /// let first = vec![window(&slow, 0.0, 10.0)?, window(&fast, 0.0, 5.0)?]; // cost 20 or 45
    /// let second = vec![window(&slow, 10.0, 10.0)?, window(&fast, 5.0, 5.0)?];
    /// let of = |id, windows| JobWindows { job: JobId(id), windows, refusal: None };
    /// let jobs = [of(1, first), of(2, second.clone())];
    /// let planner = Planner::new(Goal::MinTime { budget: Some(100.0) });
    /// let quickest = planner.plan(&jobs)?;
    /// assert_eq!(quickest.schedule.place_of(JobId(2)), Some(&second[1]));
    /// // User 7, whose job 2 is, pays 30 at most.
    /// let planner = planner.with_user_budgets([(UserId(7), 30.0)], [(JobId(2), UserId(7))]);
    /// let within = planner.plan(&jobs)?;
    /// assert_eq!(within.schedule.place_of(JobId(2)), Some(&second[0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_user_budgets(
        self,
        budgets: impl IntoIterator<Item = (UserId, f64)>,
        user_of: impl IntoIterator<Item = (JobId, UserId)>,
    ) -> Self {
        Self { budgets: map_of(budgets), user_of: map_of(user_of), ..self }
    }

    /// Puts the minimum makespan before the goal: among the choices that serve as many jobs as the limits allow
    /// (or the maximum weight, with [`Coverage::MostWeight`]), those whose last window ends first; among these
    /// the best by the goal.
    ///
    /// A binary search over the ends of windows tests whether as much can be served by an instant: O(log w) choices for
    /// w windows. Without coverage and budgets the search takes O(w log w) time, plus the last choice.
    ///
    /// ```
    /// use batch_dp::{Goal, Planner};
    /// use sched_model::*;
    /// let slot = |id, price| {
    ///     Slot::new(Node::must(id, 1.0, price), Time::ZERO, Time::must(99.0))
    /// };
    /// let window = |slot: &Slot, start: f64| {
    ///     let start = Time::must(start);
    ///     Window::new(start, vec![Placement::on(slot, start, Span::must(10.0), &Tariff::default())])
    /// };
    /// let (cheap, expensive) = (slot(1, 1.0)?, slot(2, 3.0)?);
    /// let first = vec![window(&cheap, 0.0)?];
    /// let second = vec![window(&cheap, 10.0)?, window(&expensive, 0.0)?];
    /// let of = |id, windows| JobWindows { job: JobId(id), windows, refusal: None };
    /// let jobs = [of(1, first), of(2, second)];
    /// let planner = Planner::new(Goal::MinCost { time_limit: Some(50.0) });
    /// assert_eq!(planner.plan(&jobs)?.schedule.cost(), Money::must(20.0)); // ends at 20
    /// let early = planner.with_makespan_first().plan(&jobs)?.schedule;
    /// assert_eq!((early.makespan(), early.cost()), (Some(Time::must(10.0)), Money::must(40.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_makespan_first(self) -> Self {
        Self { makespan_first: true, ..self }
    }

    /// Chooses one window for each job that has any, the best for the batch as a whole, and makes a schedule of
    /// these windows, within the default [`Limit`].
    ///
    /// A job without a window is refused for its given reason ([`Refusal::NoCapacity`] if there is none) and does not
    /// affect the others. If the limit of the goal is out of reach, all other jobs are refused with
    /// [`Refusal::BatchLimit`], which states by how much the limit falls short. With a [`Coverage`](crate::Coverage),
    /// only as many jobs are refused as necessary, each with the amount, at least 0, by which the limit is too small
    /// for its lightest window together with the windows of the others. The windows of different jobs must not overlap;
    /// those found by a search for alternatives never do.
    ///
    /// # Errors
    /// [`BatchError::RepeatedJob`] if a job is given twice, [`BatchError::Limit`] if the limit of the goal or a
    /// budget is NaN, [`BatchError::Conflict`] if windows of two jobs overlap, [`BatchError::Together`] for
    /// settings that cannot be combined, [`BatchError::Stopped`] if the search was stopped before it had any
    /// choice; with a coverage also [`BatchError::Count`] and [`BatchError::Service`], with a preference also those
    /// of [`Front::of`](crate::Front::of), [`BatchError::Weight`] for a weight that is negative or not finite, and
    /// [`BatchError::NoCriterion`] for an order without a criterion.
    pub fn plan(&self, jobs: &[JobWindows]) -> Result<Plan, BatchError> {
        self.plan_within(jobs, &mut Limit::default().meter())
    }

    /// As [`plan`](Self::plan), within the limit of a meter, which may have an observer.
    ///
    /// # Errors
    /// As for [`plan`](Self::plan).
    pub fn plan_within(&self, jobs: &[JobWindows], meter: &mut Meter) -> Result<Plan, BatchError> {
        self.check()?;
        self.coverage.check(jobs.iter().map(|of| of.job))?;
        refuse_conflicts(jobs)?;
        let plan = match &self.preference {
            Some(preference) => self.by_preference(jobs, preference, meter)?,
            None if self.makespan_first => self.earliest(jobs, meter)?,
            None => self.by_goal(jobs, meter)?,
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
            expanding_core::NAME,
            plan.outcome
        );
        Ok(plan)
    }

    /// Returns an error for settings that cannot be combined.
    fn check(&self) -> Result<(), BatchError> {
        let (prefers, early) = (self.preference.is_some(), self.makespan_first);
        let (serves, pays) = (self.coverage != Coverage::EveryJob, !self.budgets.is_empty());
        let with_penalties = matches!(self.coverage, Coverage::Penalties(_));
        let of_finishes = matches!(self.goal, Goal::MinFinish { .. });
        let (preference, makespan) = ("a preference", "the least makespan");
        let asked = [
            (prefers && early, preference, makespan),
            (prefers && serves, preference, "a service"),
            (prefers && of_finishes, preference, "the mean finish"),
            (early && serves && pays, "budgets of users with a service", makespan),
            (early && with_penalties, makespan, "penalties: the plan of no job ends first"),
        ];
        match asked.into_iter().find(|asked| asked.0) {
            Some((_, first, second)) => Err(BatchError::Together { first, second }),
            None => Ok(()),
        }
    }
}

sched_model::setters!(Planner {
    /// Sets the goal.
    with_goal: goal: Goal,
    /// Sets which jobs may be left out. A coverage with numbers has one for each job, in order.
    with_coverage: coverage: Coverage,
    /// Starts from an earlier schedule of these jobs. If its windows are among those offered and together keep the
    /// limit, the plan is never worse than that schedule; a better schedule saves more work. Otherwise it has no
    /// effect. If several plans have equal sums, the answer may differ from the answer without an earlier schedule.
    /// Fronts for budgets that bind, and the whole front for a preference, are computed again in any case.
    with_known: known: Schedule => Some,
    /// Replaces the goal's criterion by a preference: among all undominated choices within the limit of the goal, the
    /// plan is the best by the preference. Forms the whole [`Front`](crate::Front).
    with_preference: preference: Preference => Some,
});

/// Jobs that have windows.
pub(super) type Open<'o> = Vec<&'o JobWindows>;

/// Refuses the jobs without windows. Returns the schedule of refusals, and the other jobs.
pub(super) fn refused(jobs: &[JobWindows]) -> Result<(Schedule, Open<'_>), BatchError> {
    let (mut schedule, mut open) = (Schedule::default(), Vec::new());
    for of in jobs {
        if of.windows.is_empty() {
            refuse(&mut schedule, &[of], of.refusal.as_ref().unwrap_or(&Refusal::NoCapacity))?;
        } else {
            open.push(of);
        }
    }
    Ok((schedule, open))
}

/// Refuses jobs for one reason.
pub(super) fn refuse(
    schedule: &mut Schedule,
    jobs: &[&JobWindows],
    reason: &Refusal,
) -> Result<(), BatchError> {
    for &&JobWindows { job, .. } in jobs {
        schedule.decide(job, Err(reason.clone())).map_err(|_| BatchError::RepeatedJob { job })?;
    }
    Ok(())
}

/// Copies of the jobs with only the windows that end by `until`.
pub(super) fn kept_by(jobs: &[JobWindows], until: Time) -> Vec<JobWindows> {
    let kept = |of: &JobWindows| {
        let windows = of.windows.iter().filter(|window| window.finish() <= until).cloned().collect();
        JobWindows { windows, refusal: of.refusal.clone(), ..*of }
    };
    jobs.iter().map(kept).collect()
}

/// Returns an error if windows of different jobs need the same node at the same time, since a choice of both would
/// not be a schedule. Time: O(p log p) for p placements.
pub(super) fn refuse_conflicts(jobs: &[JobWindows]) -> Result<(), BatchError> {
    let mut taken: Vec<(NodeId, Time, Time, JobId)> = Vec::new();
    for &JobWindows { job, ref windows, .. } in jobs {
        for window in windows {
            taken
                .extend(window.placements().iter().map(|place| (place.node, window.start(), place.end, job)));
        }
    }
    sort(&mut taken, &|a, b| a.cmp(b));
    // The last job on a node, and the instant until which it holds the node. Earlier windows of other jobs have ended,
    // or a conflict would have been found before.
    let mut held: Option<(NodeId, Time, JobId)> = None;
    for (node, start, end, job) in taken {
        held = match held {
            Some((same, until, other)) if same == node && until > start => {
                if other != job {
                    return Err(BatchError::Conflict { first: other, second: job, node });
                }
                Some((node, until.max(end), job))
            }
            _ => Some((node, end, job)),
        };
    }
    Ok(())
}
