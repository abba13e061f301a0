//! One window for each job: by the criterion, by the vector <C, D, T, I>, by the makespan first, within the budgets of users,
//! and where jobs may be left out.

use super::Offer;
use super::goal::GoalName;
use super::warm::Warm;
use econsched::batch_dp::{
    Alternatives, BatchError, Decision, ExpandingCore, FRONT_CAP, Front, Goal, Plan, Planner, Preference,
    Problem, Scratch, Service, UserBudgets, choose_with_user_budgets, select,
};
use econsched::sched_model::{
    End, JobId, Meter, Money, Outcome, Refusal, Schedule, Time, UserId, Window, exact_sum,
};
use std::collections::BTreeMap;

/// What is asked of the choice beside the criterion.
pub(super) struct Asked<'a> {
    pub(super) goal: Option<&'a GoalName>,
    /// What serving the jobs is worth, in the order of the offers; `None` where all are to be served.
    pub(super) service: Option<Service>,
    /// What each user spends at most; the others have no budget.
    pub(super) budgets: &'a BTreeMap<UserId, f64>,
    /// An earlier plan from which the choice starts where users have no budgets.
    pub(super) warm: Option<&'a Warm>,
    /// Whose job it is.
    pub(super) user_of: BTreeMap<JobId, UserId>,
}

impl Asked<'_> {
    /// Chooses one window for each job that has any.
    ///
    /// # Errors
    /// Those of the choice.
    pub(super) fn choose(
        &self,
        offers: Vec<Offer<'_>>,
        goal: Goal,
        meter: &mut Meter<'_>,
    ) -> Result<Plan, BatchError> {
        if let Some(GoalName::Vector(preference)) = self.goal {
            return self.by_preference(&offers, goal, preference, meter);
        }
        if self.goal.is_none() {
            return self.within_budgets(&offers, goal, meter);
        }
        let before = meter.work();
        let (goal, until, doubt) = match &self.service {
            None if !self.budgets.is_empty() => self.least_makespan_within_budgets(&offers, goal, meter)?,
            None => {
                let (goal, until) = least_makespan(&offers, goal, meter)?;
                (goal, until, None)
            }
            Some(service) => least_makespan_of(&offers, service, goal, meter)?,
        };
        let kept = kept_by(&offers, until);
        // What a job lacks whose windows all end too late.
        let late = offers.iter().map(|(_, windows, _)| {
            let first = windows.iter().map(Window::finish).min()?;
            (first > until).then(|| Refusal::Deadline { late_by: first - until })
        });
        let late: Vec<Option<Refusal>> = late.collect();
        let offers = offers.iter().zip(kept.iter().zip(&late));
        let offers =
            offers.map(|(&(job, _, reason), (kept, late))| (job, kept.as_slice(), reason.or(late.as_ref())));
        let mut plan = self.within_budgets(&offers.collect::<Vec<_>>(), goal, meter)?;
        if let (Some(end), Decision::Chosen(outcome)) = (doubt, &mut plan.decision) {
            // The best by an instant that need not be the least is not proven to be the best.
            (outcome.end, outcome.bound) = (end, None);
        }
        Ok(Plan { work: meter.work() - before, ..plan })
    }

    /// The least instant by which as many jobs can be done within the budgets of users and the limit of the goal as can be
    /// done at all; that limit; and what ended the search for it, if anything did.
    fn least_makespan_within_budgets(
        &self,
        offers: &[Offer<'_>],
        goal: Goal,
        meter: &mut Meter<'_>,
    ) -> Result<(Goal, Time, Option<End>), BatchError> {
        let whole = self.within_budgets(offers, goal, meter)?;
        let goal = fixed(goal, whole.problem).0;
        let mut finishes: Vec<Time> =
            offers.iter().flat_map(|(_, windows, _)| windows.iter().map(Window::finish)).collect();
        finishes.sort_unstable();
        finishes.dedup();
        let most = whole.schedule.placed().count();
        let Some(makespan) = whole.schedule.makespan() else {
            return Ok((goal, finishes.last().copied().unwrap_or(Time::ZERO), None));
        };
        // Who cannot pay with all windows cannot pay with fewer: as many jobs are the same jobs, and more windows never
        // make fewer of them.
        let (mut low, mut high) = (0, finishes.partition_point(|finish| *finish < makespan));
        while low < high {
            let middle = low.midpoint(high);
            let kept = kept_by(offers, finishes[middle]);
            let some =
                offers.iter().zip(&kept).map(|(&(job, _, reason), kept)| (job, kept.as_slice(), reason));
            match self.within_budgets(&some.collect::<Vec<_>>(), goal, meter) {
                Ok(plan) if plan.schedule.placed().count() >= most => high = middle,
                Ok(_) => low = middle + 1,
                Err(BatchError::Stopped { end, .. }) => return Ok((goal, finishes[high], Some(end))),
                Err(error) => return Err(error),
            }
        }
        Ok((goal, finishes[high], None))
    }

    /// The choice within the budgets of users, if there are any.
    fn within_budgets(
        &self,
        offers: &[Offer<'_>],
        goal: Goal,
        meter: &mut Meter<'_>,
    ) -> Result<Plan, BatchError> {
        if self.budgets.is_empty() {
            let planner = Planner::new(goal);
            let planner = match &self.service {
                Some(service) => planner.with_service(service.clone()),
                None => planner,
            };
            let planner = match self.warm {
                Some(warm) => planner.with_known(warm.schedule(offers)),
                None => planner,
            };
            return planner.plan_within(offers.iter().copied(), meter);
        }
        let before = meter.work();
        let (mut schedule, mut open) = refused(offers)?;
        let mut scratch = Scratch::default();
        let problem = goal.problem(&alternatives(&open)?, &ExpandingCore, &mut scratch, meter)?;
        self.refuse_the_poor(&mut schedule, &mut open)?;
        let batch = alternatives(&open)?;
        let decision = choose_with_user_budgets(&batch, problem, &self.users(&open), &mut scratch, meter)?;
        place(schedule, &open, problem, decision, meter.work() - before)
    }

    /// The user of each job, and what users spend at most. Position 0 is of those without a budget.
    fn users(&self, open: &[(JobId, &[Window])]) -> UserBudgets {
        let users: Vec<UserId> = self.budgets.keys().copied().collect();
        let position = |(job, _): &(JobId, &[Window])| {
            let user = self.user_of.get(job).and_then(|user| users.binary_search(user).ok());
            user.map_or(0, |at| at + 1)
        };
        let budgets = [f64::INFINITY].into_iter().chain(self.budgets.values().copied());
        UserBudgets::new(open.iter().map(position).collect(), budgets.collect())
    }

    /// The jobs of users who cannot pay for even the cheapest windows are refused, and do not hinder the others.
    fn refuse_the_poor(&self, schedule: &mut Schedule, open: &mut Open<'_>) -> Result<(), BatchError> {
        for (user, &budget) in self.budgets {
            let is_own = |job: &JobId| self.user_of.get(job) == Some(user);
            let own: Vec<_> = open.iter().copied().filter(|(job, _)| is_own(job)).collect();
            let costs = |windows: &[Window]| {
                windows.iter().map(|window| window.cost().get()).fold(f64::INFINITY, f64::min)
            };
            let least = exact_sum(own.iter().map(|(_, windows)| costs(windows)));
            if !own.is_empty() && least > budget {
                let short_by = Money::new(least - budget).unwrap_or(Money::ZERO);
                refuse(schedule, &own, &Refusal::Budget { short_by })?;
                open.retain(|(job, _)| !is_own(job));
            }
        }
        Ok(())
    }

    /// The whole front of the jobs that have windows and users who can pay for them.
    ///
    /// # Errors
    /// Those of the front.
    pub(super) fn front(
        &self,
        offers: &[Offer<'_>],
        meter: &mut Meter<'_>,
    ) -> Result<Option<Front>, BatchError> {
        let (mut schedule, mut open) = refused(offers)?;
        self.refuse_the_poor(&mut schedule, &mut open)?;
        self.front_of(&open, meter)
    }

    fn front_of(
        &self,
        open: &[(JobId, &[Window])],
        meter: &mut Meter<'_>,
    ) -> Result<Option<Front>, BatchError> {
        let batch = alternatives(open)?;
        if self.budgets.is_empty() {
            return Front::within(&batch, FRONT_CAP, meter);
        }
        Front::within_user_budgets(&batch, &self.users(open), FRONT_CAP, meter)
    }

    /// The best of the front within the limit of the goal.
    fn by_preference(
        &self,
        offers: &[Offer<'_>],
        goal: Goal,
        preference: &Preference,
        meter: &mut Meter<'_>,
    ) -> Result<Plan, BatchError> {
        let before = meter.work();
        let (mut schedule, mut open) = refused(offers)?;
        let mut scratch = Scratch::default();
        let problem = goal.problem(&alternatives(&open)?, &ExpandingCore, &mut scratch, meter)?;
        self.refuse_the_poor(&mut schedule, &mut open)?;
        let (budget, time_limit) = match problem {
            Problem::MinCost { time_limit } | Problem::MaxIncome { time_limit } => {
                (f64::INFINITY, time_limit)
            }
            Problem::MinTime { budget } | Problem::MaxTime { budget } => (budget, f64::INFINITY),
            _ => (f64::INFINITY, f64::INFINITY),
        };
        let front = self.front_of(&open, meter)?;
        let best = front.map(|front| front.best(budget, time_limit, preference)).transpose()?.flatten();
        let work = meter.work() - before;
        let decision = match best {
            Some(choice) => {
                let value = choice.cost;
                Decision::Chosen(Outcome::solved(choice, value, work))
            }
            // Nothing keeps the limit: how much it falls short is told as for the criterion.
            None => {
                let batch = alternatives(&open)?;
                choose_with_user_budgets(&batch, problem, &self.users(&open), &mut scratch, meter)?
            }
        };
        place(schedule, &open, problem, decision, work)
    }
}

/// The windows of each offer that end by an instant.
fn kept_by(offers: &[Offer<'_>], until: Time) -> Vec<Vec<Window>> {
    let by = |windows: &[Window]| windows.iter().filter(|window| window.finish() <= until).cloned().collect();
    offers.iter().map(|(_, windows, _)| by(windows)).collect()
}

/// Jobs that have windows.
type Open<'a> = Vec<(JobId, &'a [Window])>;

/// Refuses the jobs without windows; gives the others.
fn refused<'a>(offers: &[Offer<'a>]) -> Result<(Schedule, Open<'a>), BatchError> {
    let mut schedule = Schedule::default();
    let mut open = Vec::new();
    for &(job, windows, reason) in offers {
        if windows.is_empty() {
            refuse(&mut schedule, &[(job, windows)], reason.unwrap_or(&Refusal::NoCapacity))?;
        } else {
            open.push((job, windows));
        }
    }
    Ok((schedule, open))
}

fn refuse(schedule: &mut Schedule, jobs: &[(JobId, &[Window])], reason: &Refusal) -> Result<(), BatchError> {
    for &(job, _) in jobs {
        schedule.refuse(job, reason.clone()).map_err(|_| BatchError::RepeatedJob { job })?;
    }
    Ok(())
}

fn alternatives(open: &[(JobId, &[Window])]) -> Result<Alternatives, BatchError> {
    Alternatives::from_windows(&open.iter().map(|(_, windows)| *windows).collect::<Vec<_>>())
}

/// The schedule of a decision.
fn place(
    mut schedule: Schedule,
    open: &[(JobId, &[Window])],
    problem: Problem,
    decision: Decision,
    work: u64,
) -> Result<Plan, BatchError> {
    match (decision.choice(), &decision) {
        (Some(choice), _) => {
            for (&(job, windows), &pick) in open.iter().zip(&choice.picks) {
                schedule.place(job, windows[pick].clone()).map_err(|_| BatchError::RepeatedJob { job })?;
            }
        }
        (None, Decision::Chosen(outcome)) => return Err(BatchError::Stopped { end: outcome.end, work }),
        (None, _) => refuse(&mut schedule, open, &Refusal::BatchLimit { short_by: decision.short_by() })?,
    }
    Ok(Plan { schedule, problem, decision, work })
}

/// The goal with the limit of a problem, and that limit.
pub(super) fn fixed(goal: Goal, problem: Problem) -> (Goal, f64) {
    match problem {
        Problem::MinTime { budget } => (Goal::MinTime { budget: Some(budget) }, budget),
        Problem::MaxTime { budget } => (Goal::MaxTime { budget: Some(budget) }, budget),
        Problem::MinCost { time_limit } => (Goal::MinCost { time_limit: Some(time_limit) }, time_limit),
        Problem::MaxIncome { time_limit } => (Goal::MaxIncome { time_limit: Some(time_limit) }, time_limit),
        _ => (goal, f64::INFINITY),
    }
}

/// The least instant by which jobs of the greatest service can be done within the limit of the goal; that limit; and what
/// ended the search for it, if anything did.
fn least_makespan_of(
    offers: &[Offer<'_>],
    service: &Service,
    goal: Goal,
    meter: &mut Meter<'_>,
) -> Result<(Goal, Time, Option<End>), BatchError> {
    let (_, open) = refused(offers)?;
    let mut scratch = Scratch::default();
    let problem = goal.problem(&alternatives(&open)?, &ExpandingCore, &mut scratch, meter)?;
    let mut finishes: Vec<Time> =
        open.iter().flat_map(|(_, windows)| windows.iter().map(Window::finish)).collect();
    finishes.sort_unstable();
    finishes.dedup();
    let mut service_by = |until: Time| -> Result<(f64, End), BatchError> {
        let kept = kept_by(offers, until);
        let of = |job: usize| match service {
            Service::GreatestWeight(weights) => weights[job],
            _ => 1.0,
        };
        let with: Vec<usize> = (0..kept.len()).filter(|&job| !kept[job].is_empty()).collect();
        let of_those = match service {
            Service::GreatestWeight(weights) => {
                Service::GreatestWeight(with.iter().map(|&job| weights[job]).collect())
            }
            other => other.clone(),
        };
        let windows: Vec<&[Window]> = with.iter().map(|&job| kept[job].as_slice()).collect();
        let batch = Alternatives::from_windows(&windows)?;
        let outcome = select(&batch, problem, &of_those, &mut scratch, meter)?;
        let served = outcome.incumbent.map_or(0.0, |selection| {
            let served = with.iter().zip(&selection.picks).filter(|(_, pick)| pick.is_some());
            exact_sum(served.map(|(&job, _)| of(job)))
        });
        Ok((served, outcome.end))
    };
    let Some(&last) = finishes.last() else { return Ok((fixed(goal, problem).0, Time::ZERO, None)) };
    let (most, mut end) = service_by(last)?;
    // The more time, the more windows: the service by an instant never falls.
    let (mut low, mut high) = (0, finishes.len() - 1);
    while low < high && matches!(end, End::Done | End::Gap) {
        let middle = low.midpoint(high);
        let (served, ended) = service_by(finishes[middle])?;
        end = ended;
        if served >= most {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok((fixed(goal, problem).0, finishes[high], (!matches!(end, End::Done | End::Gap)).then_some(end)))
}

/// The least instant by which all jobs that have windows can be done within the limit of the goal; that limit. Without such
/// an instant, the last of all.
fn least_makespan(
    offers: &[Offer<'_>],
    goal: Goal,
    meter: &mut Meter<'_>,
) -> Result<(Goal, Time), BatchError> {
    let (_, open) = refused(offers)?;
    let problem = goal.problem(&alternatives(&open)?, &ExpandingCore, &mut Scratch::default(), meter)?;
    let (goal, limit) = fixed(goal, problem);
    let limited = |window: &Window| match problem {
        Problem::MinTime { .. } | Problem::MaxTime { .. } => window.cost().get(),
        _ => window.runtime().get(),
    };
    let mut finishes: Vec<Time> =
        open.iter().flat_map(|(_, windows)| windows.iter().map(Window::finish)).collect();
    finishes.sort_unstable();
    finishes.dedup();
    // The more time, the more windows: what can be done by an instant can be done by every later one.
    let possible = |until: &Time| {
        let least = |windows: &[Window]| {
            let kept = windows.iter().filter(|window| window.finish() <= *until).map(limited);
            kept.fold(f64::INFINITY, f64::min)
        };
        let leasts: Vec<f64> = open.iter().map(|(_, windows)| least(windows)).collect();
        leasts.iter().all(|least| least.is_finite()) && exact_sum(leasts) <= limit
    };
    let at = finishes.partition_point(|until| !possible(until));
    let until = finishes.get(at).or(finishes.last()).copied().unwrap_or(Time::ZERO);
    Ok((goal, until))
}
