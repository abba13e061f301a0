//! Budgets of users: the jobs of users who cannot pay for all of them are refused, the others are chosen
//! together.

use super::offers::{Open, refuse};
use super::settings::Planner;
use crate::{BatchError, ChoiceProblem, Coverage};
use sched_model::{JobId, Money, Refusal, Schedule, Window, exact_sum};

impl Planner<'_> {
    /// With an account for each user whose budget is given.
    pub(super) fn with_accounts<'p>(
        &self,
        problem: ChoiceProblem<'p>,
        open: &[(JobId, &[Window])],
    ) -> ChoiceProblem<'p> {
        self.budgets.iter().fold(problem, |problem, (user, &budget)| {
            let own = open.iter().enumerate().filter(|(_, (job, _))| self.user_of.get(job) == Some(user));
            problem.with_account(&own.map(|(at, _)| at).collect::<Vec<_>>(), budget)
        })
    }

    /// The jobs of users who cannot pay for even the cheapest windows, or who owe money where jobs may be
    /// left out, are refused, and do not hinder the others.
    pub(super) fn refuse_the_poor(
        &self,
        schedule: &mut Schedule,
        open: &mut Open<'_>,
    ) -> Result<(), BatchError> {
        for (user, &budget) in &self.budgets {
            let is_own = |job: &JobId| self.user_of.get(job) == Some(user);
            let own: Vec<_> = open.iter().copied().filter(|(job, _)| is_own(job)).collect();
            let least = |windows: &[Window]| {
                windows.iter().map(|window| window.cost().get()).fold(f64::INFINITY, f64::min)
            };
            let least = match self.coverage {
                Coverage::EveryJob => exact_sum(own.iter().map(|(_, windows)| least(windows))),
                _ => 0.0,
            };
            if !own.is_empty() && least > budget {
                let short_by = Money::new(least - budget).unwrap_or(Money::ZERO);
                refuse(schedule, &own, &Refusal::Budget { short_by })?;
                open.retain(|(job, _)| !is_own(job));
            }
        }
        Ok(())
    }
}
