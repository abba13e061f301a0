//! Cost and time together: the whole front, and the best of it by a preference.

use super::offers::{Offer, alternatives, refuse_conflicts, refused};
use super::settings::Planner;
use crate::{Alternatives, BatchError, ChoiceProblem, Chooser, ExpandingCore, Front, Plan, Preference};
use sched_model::{JobId, Meter, Outcome, Refusal, Window};

impl Planner<'_> {
    /// The front of all undominated (cost, time) pairs of the choices of one window for each job that has
    /// any, within the budgets of users: the jobs of users who cannot pay for the cheapest windows are left
    /// out. Goal and service are ignored.
    ///
    /// # Errors
    /// As for [`Front::of`]; [`BatchError::RepeatedJob`],
    /// [`BatchError::Conflict`].
    ///
    /// ```
    /// use batch_dp::{Goal, Planner};
    /// use sched_model::*;
    /// let window = |id, price, span| {
    ///     let node = Node::new(NodeId(id), Speed::ETALON, Price::must(price));
    ///     let slot = Slot::new(node, Time::ZERO, Time::must(99.0))?;
    ///     Window::new(Time::ZERO, vec![Placement::on(&slot, Time::ZERO, Span::must(span))])
    /// };
    /// let windows = [window(1, 1.0, 10.0)?, window(2, 5.0, 4.0)?]; // cost 10 or 20
    /// let offers = [(JobId(1), &windows[..], None)];
    /// let planner = Planner::new(Goal::MinTime { budget: None });
    /// let limit = Limit::default();
    /// let meter = &mut limit.meter();
    /// assert_eq!(planner.front(offers, meter)?.map(|front| front.points().len()), Some(2));
    /// let planner = planner.with_user_budgets([(UserId(7), 15.0)], [(JobId(1), UserId(7))]);
    /// assert_eq!(planner.front(offers, meter)?.map(|front| front.points().len()), Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn front<'o>(
        &self,
        offers: impl IntoIterator<Item = (JobId, &'o [Window], Option<&'o Refusal>)>,
        meter: &mut Meter,
    ) -> Result<Option<Front>, BatchError> {
        let offers: Vec<Offer<'o>> = offers.into_iter().collect();
        refuse_conflicts(&offers)?;
        let (mut schedule, mut open, _) = refused(&offers)?;
        self.refuse_the_poor(&mut schedule, &mut open)?;
        self.front_of(&alternatives(&open)?, &open, meter)
    }

    fn front_of(
        &self,
        batch: &Alternatives,
        open: &[(JobId, &[Window])],
        meter: &mut Meter,
    ) -> Result<Option<Front>, BatchError> {
        let problem = self.with_accounts(ChoiceProblem::new(batch, self.goal), open);
        Front::of(&problem, meter)
    }

    /// The best of the front within the limit of the goal.
    pub(super) fn by_preference(
        &self,
        offers: &[Offer<'_>],
        preference: &Preference,
        meter: &mut Meter,
    ) -> Result<Plan, BatchError> {
        let posed = self.pose(offers, meter)?;
        let limit = posed.goal.limit().unwrap_or(f64::INFINITY);
        let (budget, time_limit) =
            if posed.goal.limits_cost() { (limit, f64::INFINITY) } else { (f64::INFINITY, limit) };
        let front = self.front_of(&posed.batch, &posed.open, meter)?;
        let best = front.map(|front| front.best(budget, time_limit, preference)).transpose()?.flatten();
        let outcome = match best {
            Some(choice) => {
                let value = choice.cost;
                Outcome::solved(choice, value, posed.work(meter)).with_refusal(None)
            }
            // No choice keeps the limit: the outcome states by how much it falls short, as for the goal.
            None => {
                let problem = ChoiceProblem::new(&posed.batch, posed.goal);
                ExpandingCore.solve(&self.with_accounts(problem, &posed.open), meter)?
            }
        };
        posed.place(outcome, &[], meter)
    }
}
