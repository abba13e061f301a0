//! Budgets of users: the jobs of users who cannot pay for all of them are refused, the others are chosen
//! together.

use super::offers::{Offer, Open, refuse};
use super::settings::Planner;
use crate::{BatchError, Plan, UserBudgets, choose_with_user_budgets, choose_with_user_budgets_from};
use sched_model::{JobId, Meter, Money, Refusal, Schedule, UserId, Window, exact_sum};

impl Planner<'_> {
    /// The choice within the budgets of users.
    pub(super) fn within_budgets(
        &self,
        offers: &[Offer<'_>],
        meter: &mut Meter<'_>,
    ) -> Result<Plan, BatchError> {
        let mut posed = self.pose(offers, meter)?;
        let users = self.users(&posed.open);
        posed.batch = self.counted(posed.batch, &posed.open)?;
        let known: Option<Vec<usize>> =
            self.known_picks(&posed.open).and_then(|picks| picks.into_iter().collect());
        let (batch, problem, scratch) = (&posed.batch, posed.problem, &mut posed.scratch);
        let decision = match known {
            Some(known) => choose_with_user_budgets_from(batch, problem, &users, &known, scratch, meter)?,
            None => choose_with_user_budgets(batch, problem, &users, scratch, meter)?,
        };
        posed.place(decision, meter)
    }

    /// The user of each job, and the budgets. Position 0 is for users without a budget.
    pub(super) fn users(&self, open: &[(JobId, &[Window])]) -> UserBudgets {
        let users: Vec<UserId> = self.budgets.keys().copied().collect();
        let position = |(job, _): &(JobId, &[Window])| {
            let user = self.user_of.get(job).and_then(|user| users.binary_search(user).ok());
            user.map_or(0, |at| at + 1)
        };
        let budgets = [f64::INFINITY].into_iter().chain(self.budgets.values().copied());
        UserBudgets::new(open.iter().map(position).collect(), budgets.collect())
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
            let least = match self.service {
                Some(_) => 0.0,
                None => exact_sum(own.iter().map(|(_, windows)| least(windows))),
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
