//! Which of two schedules is better by the settings of a planner.

use super::Planner;
use crate::{Coverage, Goal, Preference, VectorCriterion};
use sched_model::{Fate, JobId, Schedule, Time, UserId, Window, affordable, exact_sum};
use std::cmp::Ordering;

impl Planner<'_> {
    /// Whether a schedule is better than another by the settings of this planner: the service (the most jobs,
    /// where none is given), then the minimum makespan where it comes first, then the goal's criterion, or the
    /// preference in its place. Both schedules are of these jobs, in the order in which they would be
    /// offered; limits are not checked (see [`allows`](Self::allows)).
    ///
    /// It compares plans from several searches:
    ///
    /// ```
    /// use batch_dp::{Goal, Planner};
    /// use sched_model::*;
    /// let slot =
    ///     Slot::new(Node::new(NodeId(1), Speed::ETALON, Price::must(2.0)), Time::ZERO, Time::must(99.0))?;
    /// let schedule = |job, start: f64, span| -> Result<Schedule, ModelError> {
    ///     let start = Time::must(start);
    ///     let window = Window::new(start, vec![Placement::on(&slot, start, Span::must(span))])?;
    ///     let mut schedule = Schedule::default();
    ///     schedule.place(JobId(job), window)?;
    ///     Ok(schedule)
    /// };
    /// let (short, early) = (schedule(1, 20.0, 5.0)?, schedule(1, 0.0, 6.0)?);
    /// let planner = Planner::new(Goal::MinTime { budget: None });
    /// assert!(planner.prefers(&[JobId(1)], &short, &early));
    /// assert!(planner.with_makespan_first().prefers(&[JobId(1)], &early, &short));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn prefers(&self, jobs: &[JobId], schedule: &Schedule, other: &Schedule) -> bool {
        let (first, second) = (self.rank(jobs, schedule), self.rank(jobs, other));
        let pairs = first.iter().zip(&second);
        pairs.map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()) == Some(Ordering::Less)
    }

    /// Whether a schedule keeps to the limit of the goal, if it has one, and to the budgets of users with windows.
    #[must_use]
    pub fn allows(&self, schedule: &Schedule) -> bool {
        let windows = || schedule.placed().map(|(_, window)| window);
        let used = |window: &Window| {
            if self.goal.limits_cost() { window.cost().get() } else { window.runtime().get() }
        };
        let within = self.goal.limit().is_none_or(|limit| affordable(windows().map(used), limit));
        let costs = |user: UserId| {
            let own = schedule.placed().filter(move |(job, _)| self.user_of.get(job) == Some(&user));
            own.map(|(_, window)| window.cost().get())
        };
        // Whether windows that earn could keep a budget below 0, a schedule without them does not tell.
        let pays = |user, budget| costs(user).next().is_none() || affordable(costs(user), budget);
        within && self.budgets.iter().all(|(&user, &budget)| pays(user, budget))
    }

    /// How much a schedule serves: the number of jobs placed, or the sum of their weights; where jobs have
    /// penalties, how many it leaves out that must not be, negated.
    pub(super) fn service(&self, jobs: &[JobId], schedule: &Schedule) -> f64 {
        match &self.coverage {
            Coverage::EveryJob | Coverage::MostJobs => schedule.placed().count() as f64,
            Coverage::MostWeight(weights) => sum_over(jobs, weights, schedule, true),
            Coverage::Penalties(penalties) => {
                let forbidden: Vec<f64> =
                    penalties.iter().map(|penalty| f64::from(*penalty == f64::INFINITY)).collect();
                -sum_over(jobs, &forbidden, schedule, false)
            }
        }
    }

    /// Numbers in order of rank: the first that differ decide; less is better.
    fn rank(&self, jobs: &[JobId], schedule: &Schedule) -> Vec<f64> {
        let sum = |of: fn(&Window) -> f64| exact_sum(schedule.placed().map(|(_, window)| of(window)));
        let (cost, time) = (sum(|window| window.cost().get()), sum(|window| window.runtime().get()));
        let mut rank = vec![-self.service(jobs, schedule)];
        let penalties = match &self.coverage {
            Coverage::Penalties(penalties) => {
                let finite: Vec<f64> =
                    penalties.iter().map(|&own| if own < f64::INFINITY { own } else { 0.0 }).collect();
                sum_over(jobs, &finite, schedule, false)
            }
            _ => 0.0,
        };
        let by = |criterion: &VectorCriterion| match criterion {
            VectorCriterion::Cost | VectorCriterion::BudgetLeft => cost,
            VectorCriterion::Time | VectorCriterion::TimeLeft => time,
        };
        match &self.preference {
            Some(Preference::Lexicographic(order)) => rank.extend(order.iter().map(by)),
            Some(Preference::Weighted(weights)) => {
                let (by_cost, by_time) = weights.of_cost_and_time();
                rank.push(by_cost * cost + by_time * time);
            }
            None => {
                if self.makespan_first {
                    rank.push(schedule.makespan().map_or(0.0, Time::get));
                }
                let score = match self.goal {
                    Goal::MinTime { .. } if self.by_finish => sum(|window| window.finish().get()),
                    Goal::MinTime { .. } => time,
                    Goal::MaxTime { .. } => -time,
                    Goal::MinCost { .. } => cost,
                    Goal::MaxIncome { .. } => -cost,
                };
                rank.push(score + penalties);
            }
        }
        rank
    }
}

/// The sum of these numbers over the jobs that are placed, or over the others.
fn sum_over(jobs: &[JobId], numbers: &[f64], schedule: &Schedule, placed: bool) -> f64 {
    let is_placed = |job: &JobId| matches!(schedule.fate(*job), Some(Fate::Placed(_)));
    let own = jobs.iter().zip(numbers).filter(|(job, _)| is_placed(job) == placed);
    exact_sum(own.map(|(_, &number)| number))
}
