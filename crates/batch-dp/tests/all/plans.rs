//! Plans of a batch with several settings of the planner at once, complete and stopped, compared with all choices.

use super::selections::{Case, Picks, front_of};
use crate::judge::{Verdict, ensure, part};
use econsched::batch_dp::{BatchError, Goal, Plan, Planner, Preference, VectorCriterion};
use econsched::sched_model::{
    JobId, JobWindows, Limit, Money, NodeId, Placement, Price, Proof, Refusal, Schedule, Sense, Span, Speed,
    Time, UserId, Window,
};
use econsched::testkit::{Fault, rounded_sum};

/// The loss of service, the last finish if it is minimised first, and the criterion.
type Rank = (f64, f64, f64);

struct Posed {
    /// With the costs and the runtimes of the windows.
    case: Case,
    windows: Vec<Vec<Window>>,
}

/// Judges the plans of a case against all its selections.
pub(super) fn judge(case: &Case, all: &[Picks]) -> Verdict {
    let Some(posed) = Posed::new(case) else { return Ok(()) };
    // If all jobs must be served, those that cannot be served are left out.
    let with_none = (case.kind == 3).then(|| Case { kind: 1, ..case.clone() });
    let with_none = with_none.and_then(|case| case.choices(usize::MAX));
    let all = with_none.as_deref().unwrap_or(all);
    let works = case.batch.stops.works.iter().copied().chain([Limit::default().work, 0]);
    for work in works {
        let (mut planner, limit) = (posed.planner(), Limit::default().with_work(work));
        if let Some(known) = &case.known {
            planner = planner.with_known(posed.schedule(known)?);
        }
        let whole = work == Limit::default().work;
        let plan = match planner.plan_within(&posed.offers(), &mut limit.meter()) {
            Ok(plan) => plan,
            // Settings that cannot be combined, or too little work for a plan.
            Err(BatchError::Together { .. }) => return Ok(()),
            Err(BatchError::Stopped(_)) if work < Limit::default().work => continue,
            Err(error) => return Err(error.into()),
        };
        ensure!(plan.work <= work, "a plan takes {} of {work} units", plan.work);
        posed.judge(&plan, whole, all)?;
        let again = planner.plan_within(&posed.offers(), &mut limit.meter())?;
        ensure!(again == plan, "planned again, another plan");
    }
    posed.front(all)
}

impl Posed {
    /// `None` if a window cannot be made.
    fn new(case: &Case) -> Option<Self> {
        let mut node = 0;
        let mut window = |(&(cost, time), &start): (&(f64, f64), &u32)| {
            node += 1;
            let (start, span, cost) = (
                Time::try_from(f64::from(start)).ok()?,
                Span::try_from(time).ok()?,
                Money::try_from(cost).ok()?,
            );
            let (speed, price) = (Speed::ETALON, Price::try_from(1.0).ok()?);
            let placement = Placement { node: NodeId(node), speed, price, end: start + span, cost };
            Window::new(start, vec![placement]).ok()
        };
        let jobs = case.batch.jobs.iter().zip(&case.starts);
        let windows = jobs.map(|(job, starts)| job.iter().zip(starts).map(&mut window).collect());
        let windows: Vec<Vec<Window>> = windows.collect::<Option<_>>()?;
        let mut case = case.clone();
        let pair = |window: &Window| (window.cost().get(), window.runtime().get());
        case.batch.jobs = windows.iter().map(|job| job.iter().map(pair).collect()).collect();
        Some(Self { case, windows })
    }

    fn offers(&self) -> Vec<JobWindows> {
        let of = |(job, own): (JobId, &Vec<Window>)| JobWindows { job, windows: own.clone(), refusal: None };
        (0..).map(JobId).zip(&self.windows).map(of).collect()
    }

    /// Compares the front within the budgets of users, and the fastest point that a preference chooses within the
    /// budget.
    fn front(&self, all: &[Picks]) -> Verdict {
        let (Some(budget), 3) = (self.case.batch.budget, self.case.kind) else { return Ok(()) };
        let planner = self.with_budgets(Planner::new(Goal::MinTime { budget: Some(budget) }));
        let served = all.iter().filter(|picks| self.serves(picks) && self.pays(picks));
        let front = front_of(served.map(|picks| self.case.sums(picks)));
        let found = planner.front(&self.offers(), &mut Limit::default().meter())?;
        let points: Vec<(f64, f64)> =
            found.iter().flat_map(|front| front.points()).map(|point| (point.cost, point.time)).collect();
        ensure!(points == front, "the front {points:?} is {front:?}");
        let order = Preference::Lexicographic(vec![VectorCriterion::Time, VectorCriterion::Cost]);
        let schedule = planner.with_preference(order).plan(&self.offers())?.schedule;
        let own = |of: fn(&Window) -> f64| rounded_sum(schedule.placed().map(|(_, window)| of(window)));
        let preferred = (own(|window| window.cost().get()), own(|window| window.runtime().get()));
        let fastest = front.into_iter().rfind(|point| point.0 <= budget).unwrap_or((0.0, 0.0));
        ensure!(preferred == fastest, "preferred is {preferred:?}, the fastest is {fastest:?}");
        Ok(())
    }

    fn with_budgets(&self, planner: Planner) -> Planner {
        if self.case.user_of.is_empty() {
            return planner;
        }
        let id = |user: usize| UserId(user as u32);
        let budgets = (0..self.case.budgets.len()).map(|user| (id(user), self.case.budget(user)));
        let user_of = (0..).map(JobId).zip(self.case.user_of.iter().map(|&user| id(user)));
        planner.with_user_budgets(budgets, user_of)
    }

    fn planner(&self) -> Planner {
        let (budget, time_limit) = (self.case.batch.budget, self.case.batch.time_limit);
        let planner = self.with_budgets(Planner::new(match self.case.batch.stops.questions % 4 {
            0 if self.case.finish.1 => Goal::MinFinish { budget },
            0 => Goal::MinTime { budget },
            1 => Goal::MaxTime { budget },
            2 => Goal::MinCost { time_limit },
            _ => Goal::MaxIncome { time_limit },
        }));
        let planner = planner.with_derived_limit().with_coverage(self.case.coverage());
        if self.case.finish.0 { planner.with_makespan_first() } else { planner }
    }

    fn schedule(&self, picks: &Picks) -> Verdict<Schedule> {
        let mut schedule = Schedule::default();
        for ((job, windows), pick) in (0..).map(JobId).zip(&self.windows).zip(picks) {
            part(match pick {
                Some(pick) => schedule.decide(job, Ok(windows[*pick].clone())),
                None => schedule.decide(job, Err(Refusal::NoCapacity)),
            })?;
        }
        Ok(schedule)
    }

    fn chosen<'p>(&'p self, picks: &'p Picks) -> impl Iterator<Item = &'p Window> + Clone {
        self.windows.iter().zip(picks).filter_map(|(windows, pick)| windows.get((*pick)?))
    }

    /// Whether the jobs that must be served are served, but for those whose users cannot pay for the cheapest windows.
    fn serves(&self, picks: &Picks) -> bool {
        let poor = |at: usize| self.case.user_of.get(at).is_some_and(|&user| self.owes(user));
        let served = |at: usize| picks[at].is_some() != poor(at) || self.windows[at].is_empty();
        self.case.kind != 3 || (0..picks.len()).all(served)
    }

    fn rank(&self, picks: &Picks, goal: Goal) -> Rank {
        let of = |window: &Window| match goal {
            Goal::MinFinish { .. } => window.finish().get(),
            Goal::MinTime { .. } => window.runtime().get(),
            Goal::MaxTime { .. } => -window.runtime().get(),
            Goal::MinCost { .. } => window.cost().get(),
            _ => -window.cost().get(),
        };
        let penalties = self.case.left_out(picks).filter(|_| self.case.kind == 0);
        let criterion = rounded_sum(self.chosen(picks).map(of).chain(penalties));
        let lost = if matches!(self.case.kind, 1 | 2) { self.case.lost(picks) } else { 0.0 };
        let end = self.chosen(picks).map(|window| window.finish().get()).fold(0.0, f64::max);
        (lost, if self.case.finish.0 { end } else { 0.0 }, criterion)
    }

    fn judge(&self, plan: &Plan, whole: bool, all: &[Picks]) -> Verdict {
        let case = &self.case;
        let by_time = !plan.goal.limits_cost();
        let limit = plan.goal.limit().unwrap_or(f64::NAN);
        let asked = if by_time { case.batch.time_limit } else { case.batch.budget };
        ensure!(asked.is_none_or(|asked| asked == limit), "the limit {limit:?} is not {asked:?}");
        let place = |(job, windows): (JobId, &Vec<Window>)| match plan.schedule.place_of(job) {
            None => Some(None),
            Some(window) => windows.iter().position(|own| own == window).map(Some),
        };
        let picks: Option<Picks> = (0..).map(JobId).zip(&self.windows).map(place).collect();
        let Some(picks) = picks.filter(|_| plan.schedule.len() == self.windows.len()) else {
            return Err(Fault::new("plan", "a job is forgotten, or has a window that was not offered"));
        };
        let used = |(cost, time): (f64, f64)| if by_time { time } else { cost };
        // Jobs without a window, and those of users whose budgets no choice keeps, are refused before the choice,
        // whatever their penalties.
        let refused = |at: usize| {
            self.windows[at].is_empty() || case.user_of.get(at).is_some_and(|&user| self.owes(user))
        };
        let forbidden = |picks: &Picks| {
            let must = |at: usize| case.kind == 0 && case.numbers.get(at) == Some(&f64::MAX);
            (0..picks.len()).any(|at| picks[at].is_none() && must(at) && !refused(at))
        };
        let keeps = |picks: &Picks| used(case.sums(picks)) <= limit && self.pays(picks) && !forbidden(picks);
        let empty = picks.iter().all(Option::is_none);
        ensure!(empty || keeps(&picks), "a plan breaks a limit: {picks:?} within {limit:?}");
        let ranks = all.iter().filter(|picks| self.serves(picks) && keeps(picks));
        let ranks: Vec<Rank> = ranks.map(|picks| self.rank(picks, plan.goal)).collect();
        let order = |a: &&Rank, b: &&Rank| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1));
        let mine = self.rank(&picks, plan.goal);
        let Some(&(lost, end, _)) = ranks.iter().min_by(order) else {
            ensure!(empty, "a plan where nothing is within {limit:?}: {picks:?}");
            return Ok(());
        };
        let early = ranks.iter().filter(|rank| rank.0 <= lost && rank.1 <= end).map(|rank| rank.2);
        let best = early.fold(f64::INFINITY, f64::min);
        ensure!(empty || self.serves(&picks), "a plan leaves out what can be served: {picks:?}");
        let proof = plan.outcome.proof();
        ensure!(!whole || proof == Proof::Exact, "few choices, and {proof}");
        let right = proof != Proof::Exact || (mine.0 == lost && mine.1 <= end && mine.2 == best);
        ensure!(right, "not the best plan: {mine:?}, and {:?} is possible", (lost, end, best));
        if let (Some(bound), 0 | 3, false) = (plan.outcome.bound, case.kind, case.finish.0) {
            let sign = if plan.goal.sense() == Sense::Maximise { -1.0 } else { 1.0 };
            ensure!(sign * bound <= best, "the bound {bound:?} of a plan passes {best:?}");
        }
        Ok(())
    }

    /// Whether no choice keeps the budget of a user.
    fn owes(&self, user: usize) -> bool {
        let left_out = (self.case.kind != 3).then_some(0.0);
        let own = self
            .case
            .batch
            .jobs
            .iter()
            .zip(&self.case.user_of)
            .filter(|(job, of)| **of == user && !job.is_empty());
        let least =
            own.filter_map(|(job, _)| job.iter().map(|pair| pair.0).chain(left_out).min_by(f64::total_cmp));
        rounded_sum(least) > self.case.budget(user)
    }

    /// Whether each user can pay for the windows; a user whose budget no choice keeps has no windows.
    fn pays(&self, picks: &Picks) -> bool {
        (0..self.case.budgets.len()).all(|user| {
            let mut own =
                picks.iter().zip(&self.case.user_of).filter(|(pick, of)| pick.is_some() && **of == user);
            (own.next().is_none() && self.owes(user))
                || self.case.spent(picks, user) <= self.case.budget(user)
        })
    }
}
