//! Plans by the goal, for all jobs or with a coverage, and by a preference, from the whole front.

use super::{Open, Plan, Planner, refuse, refuse_conflicts, refused};
use crate::{
    Alternatives, BatchError, ChoiceProblem, Chooser, Chosen, Coverage, ExpandingCore, Front, Goal,
    Preference, goal, with_derived_limit,
};
use sched_model::internal::{MAX_QUANTITY, exact_sum};
use sched_model::{JobWindows, Meter, Money, Outcome, Refusal, Schedule};

/// The choice problem of a batch, and the jobs that take part in it.
pub(super) struct Posed<'o> {
    /// The schedule so far: refusals only.
    pub(super) schedule: Schedule,
    /// The jobs that are not refused.
    pub(super) open: Open<'o>,
    /// Their alternatives.
    pub(super) batch: Alternatives,
    pub(super) goal: Goal,
    /// The work that the meter had counted at the beginning.
    before: u64,
}

impl Planner {
    /// Refuses jobs without windows, derives the limit from all others, and then refuses the jobs of users who cannot
    /// pay for the cheapest windows.
    pub(super) fn pose<'o>(
        &self,
        jobs: &'o [JobWindows],
        meter: &mut Meter,
    ) -> Result<Posed<'o>, BatchError> {
        let before = meter.work();
        let (mut schedule, mut open) = refused(jobs)?;
        let mut batch = Alternatives::from_windows(&open)?;
        let goal = self.limited_goal(&batch, meter)?;
        self.refuse_unaffordable(self.coverage == Coverage::EveryJob, &mut schedule, &mut open)?;
        if open.len() < batch.jobs() {
            batch = Alternatives::from_windows(&open)?;
        }
        Ok(Posed { schedule, open, batch, goal, before })
    }

    /// The goal with its limit, given or derived.
    pub(super) fn limited_goal(&self, batch: &Alternatives, meter: &mut Meter) -> Result<Goal, BatchError> {
        if self.derived { with_derived_limit(self.goal, batch, meter) } else { Ok(self.goal) }
    }

    /// Adds an account for each user whose budget is given.
    pub(super) fn with_accounts<'p>(
        &self,
        problem: ChoiceProblem<'p>,
        open: &[&JobWindows],
    ) -> ChoiceProblem<'p> {
        self.budgets.iter().fold(problem, |problem, (user, &budget)| {
            let own = open.iter().enumerate().filter(|(_, of)| self.user_of.get(&of.job) == Some(user));
            problem.with_account(&own.map(|(at, _)| at).collect::<Vec<_>>(), budget)
        })
    }

    /// Refuses the jobs of users whose budgets are below the minimum total cost of their jobs, so that these do not
    /// affect the others. If not all jobs must be served, only windows of negative cost count towards that minimum.
    pub(super) fn refuse_unaffordable(
        &self,
        serves_all: bool,
        schedule: &mut Schedule,
        open: &mut Open<'_>,
    ) -> Result<(), BatchError> {
        for (user, &budget) in &self.budgets {
            let is_own = |of: &&JobWindows| self.user_of.get(&of.job) == Some(user);
            let own: Vec<_> = open.iter().copied().filter(is_own).collect();
            let least = |of: &JobWindows| {
                of.windows.iter().map(|window| window.cost().get()).fold(f64::INFINITY, f64::min)
            };
            let counted = |of: &JobWindows| least(of).min(if serves_all { f64::INFINITY } else { 0.0 });
            let total = exact_sum(own.iter().map(|of| counted(of)));
            if !own.is_empty() && total > budget {
                for of in own {
                    // What is missing if this job has its cheapest window, and the others spend as little as they may.
                    let short_by = exact_sum([total, -counted(of), least(of), -budget]);
                    let short_by = Money::try_from(short_by.min(MAX_QUANTITY)).unwrap_or(Money::ZERO);
                    refuse(schedule, &[of], &Refusal::Budget { short_by })?;
                }
                open.retain(|of| !is_own(of));
            }
        }
        Ok(())
    }

    /// The alternatives for the choice by the goal: those of `batch`, by cost and runtime, or by cost and finish for
    /// [`Goal::MinFinish`].
    fn counted(&self, batch: Alternatives, open: &[&JobWindows]) -> Result<Alternatives, BatchError> {
        if !matches!(self.goal, Goal::MinFinish { .. }) {
            return Ok(batch);
        }
        Alternatives::from_windows_by(open, |window| (window.cost().get(), window.finish().get()))
    }

    /// Plans by the goal.
    pub(super) fn by_goal(&self, jobs: &[JobWindows], meter: &mut Meter) -> Result<Plan, BatchError> {
        let mut posed = self.pose(jobs, meter)?;
        posed.batch = self.counted(posed.batch, &posed.open)?;
        let problem = self.choice_problem(&posed, jobs);
        let outcome = ExpandingCore.solve(&problem, meter)?;
        let refusals = self.refusals(&problem, &outcome)?;
        posed.place(outcome, refusals, meter)
    }

    /// Creates the problem with coverage, accounts and the earlier schedule.
    pub(super) fn choice_problem<'p>(&self, posed: &'p Posed<'_>, jobs: &[JobWindows]) -> ChoiceProblem<'p> {
        // The jobs that are not refused are in the order of all jobs.
        let mut left = posed.open.iter().peekable();
        let is_left = |at: &usize| left.next_if(|of| of.job == jobs[*at].job).is_some();
        let coverage = self.coverage.of_jobs((0..jobs.len()).filter(is_left));
        let problem = ChoiceProblem::new(&posed.batch, posed.goal).with_coverage(coverage);
        let problem = self.with_accounts(problem, &posed.open);
        match self.known_picks(&posed.open) {
            Some(known) => problem.with_start(&known),
            None => problem,
        }
    }

    /// The positions of the windows of an earlier schedule, for each job with windows.
    fn known_picks(&self, open: &[&JobWindows]) -> Option<Vec<Option<usize>>> {
        let known = self.known.as_ref()?;
        let position = |of: &&JobWindows| {
            known.place_of(of.job).and_then(|place| of.windows.iter().position(|window| window == place))
        };
        Some(open.iter().map(position).collect())
    }

    /// The refusals of the jobs left out, in order. Each states the amount by which the user's budget or the limit is
    /// too small for the job's cheapest or lightest window together with the windows of the others.
    fn refusals(&self, problem: &ChoiceProblem<'_>, outcome: &Chosen) -> Result<Vec<Refusal>, BatchError> {
        let Some(choice) = &outcome.best else { return Ok(Vec::new()) };
        let accounts = problem.checked_accounts()?;
        let lacks = |job| {
            let of_account = accounts.short_by(problem.alternatives, &choice.picks, job);
            match of_account.and_then(|short_by| Money::try_from(short_by).ok()) {
                Some(short_by) => Refusal::Budget { short_by },
                None => {
                    Refusal::BatchLimit { short_by: problem.short_by(choice, job).unwrap_or(0.0).max(0.0) }
                }
            }
        };
        Ok((0..choice.picks.len()).filter(|&job| choice.picks[job].is_none()).map(lacks).collect())
    }

    /// Computes the front of all choices of one window for each job that has any, within the budgets of users. Jobs of
    /// users who cannot pay for the cheapest windows are left out. The goal and the coverage are ignored.
    ///
    /// # Errors
    /// As for [`Front::of`]; [`BatchError::RepeatedJob`] if a job is given twice, [`BatchError::Conflict`] if
    /// windows of two jobs overlap.
    ///
    /// ```
    /// use batch_dp::{Goal, Planner};
    /// use sched_model::*;
    /// let window = |id, price, span| {
    ///     let node = Node::must(id, 1.0, price);
    ///     let slot = Slot::new(node, Time::ZERO, Time::must(99.0))?;
    ///     Window::new(Time::ZERO, vec![Placement::on(&slot, Time::ZERO, Span::must(span), &Tariff::default())])
    /// };
    /// // Cost 10 or 20.
    /// let windows = vec![window(1, 1.0, 10.0)?, window(2, 5.0, 4.0)?];
    /// let jobs = [JobWindows { job: JobId(1), windows, refusal: None }];
    /// let planner = Planner::new(Goal::MinTime { budget: None });
    /// let limit = Limit::default();
    /// let meter = &mut limit.meter();
    /// assert_eq!(planner.front(&jobs, meter)?.map(|front| front.points().len()), Some(2));
    /// let planner = planner.with_user_budgets([(UserId(7), 15.0)], [(JobId(1), UserId(7))]);
    /// assert_eq!(planner.front(&jobs, meter)?.map(|front| front.points().len()), Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn front(&self, jobs: &[JobWindows], meter: &mut Meter) -> Result<Option<Front>, BatchError> {
        refuse_conflicts(jobs)?;
        let (mut schedule, mut open) = refused(jobs)?;
        self.refuse_unaffordable(true, &mut schedule, &mut open)?;
        let batch = Alternatives::from_windows(&open)?;
        Front::of(&self.with_accounts(ChoiceProblem::new(&batch, self.goal), &open), meter)
    }

    /// Plans by the best point of the front within the limit of the goal.
    pub(super) fn by_preference(
        &self,
        jobs: &[JobWindows],
        preference: &Preference,
        meter: &mut Meter,
    ) -> Result<Plan, BatchError> {
        let posed = self.pose(jobs, meter)?;
        let problem = self.with_accounts(ChoiceProblem::new(&posed.batch, posed.goal), &posed.open);
        let limit = goal::limit(posed.goal);
        let (budget, time_limit) =
            if posed.goal.limits_cost() { (limit, f64::INFINITY) } else { (f64::INFINITY, limit) };
        let front = Front::of(&problem, meter)?;
        let best = front.map(|front| front.best(budget, time_limit, preference)).transpose()?.flatten();
        let outcome = match best {
            Some(choice) => {
                let value = choice.value(posed.goal);
                Outcome::solved(choice, value, posed.work(meter)).with_refusal(None)
            }
            // No choice keeps the limit: the outcome states by how much it is too small, as without a preference.
            None => ExpandingCore.solve(&problem, meter)?,
        };
        posed.place(outcome, Vec::new(), meter)
    }

    /// The service of a schedule: the number of placed jobs, or the sum of their weights.
    pub(super) fn service(&self, jobs: &[JobWindows], schedule: &Schedule) -> f64 {
        let Coverage::MostWeight(weights) = &self.coverage else { return schedule.placed().count() as f64 };
        let placed = jobs.iter().zip(weights).filter(|(of, _)| schedule.place_of(of.job).is_some());
        exact_sum(placed.map(|(_, &weight)| weight))
    }
}

impl Posed<'_> {
    /// The work spent since the beginning.
    pub(super) fn work(&self, meter: &Meter) -> u64 {
        meter.work() - self.before
    }

    /// Creates the plan of an outcome, with a window or a refusal for each open job. `refusals` has those of the jobs
    /// that a choice leaves out.
    pub(super) fn place(
        self,
        outcome: Chosen,
        refusals: Vec<Refusal>,
        meter: &Meter,
    ) -> Result<Plan, BatchError> {
        let work = self.work(meter);
        let Self { mut schedule, open, goal, .. } = self;
        match (&outcome.best, &outcome.refusal) {
            (Some(choice), _) => {
                let mut refusals = refusals.into_iter();
                for (&of, pick) in open.iter().zip(&choice.picks) {
                    let place = match pick {
                        Some(pick) => Ok(of.windows[*pick].clone()),
                        None => Err(refusals.next().unwrap_or(Refusal::NoCapacity)),
                    };
                    schedule.decide(of.job, place).map_err(|_| BatchError::RepeatedJob { job: of.job })?;
                }
            }
            (None, Some(refusal)) => {
                let short_by = refusal.short_by().max(0.0);
                refuse(&mut schedule, &open, &Refusal::BatchLimit { short_by })?;
            }
            (None, None) => return Err(outcome.end.into()),
        }
        Ok(Plan { schedule, goal, outcome, work })
    }
}
