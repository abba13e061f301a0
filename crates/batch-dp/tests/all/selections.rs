//! Choices with jobs that may be left out, budgets of users and earlier choices, complete and stopped, and the plans
//! made from them, compared with all choices.

use crate::judge::{Verdict, ensure, family, part};
use econsched::batch_dp::{
    Alternatives, BatchError, Choice, ChoiceProblem, ChoiceRefusal, Chooser, Coverage, ExpandingCore, Front,
    Goal,
};
use econsched::sched_model::{End, Limit, Meter, Outcome};
use econsched::testkit::{ChoiceCase, Draw, Numbers, Seen, Stopped, limit_near, oracle, rounded_sum};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::sync::mpsc;

family!(Selections: Case, Case::draw, Case::judge);

/// The alternative of each job; `None` if the job is left out.
pub(super) type Picks = Vec<Option<usize>>;

#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Case {
    pub(super) batch: ChoiceCase,
    /// The coverage, 0: penalties, 1: most jobs first, 2: largest weight first, 3: no job may be left out.
    pub(super) kind: usize,
    /// A penalty or weight for each job. Weights are whole, so that no sum of them is rounded.
    #[serde(default)]
    pub(super) numbers: Vec<f64>,
    /// The user of each job; empty where users have no budgets.
    #[serde(default)]
    pub(super) user_of: Vec<usize>,
    /// The budget of each user; `None` is no limit.
    #[serde(default)]
    pub(super) budgets: Vec<Option<f64>>,
    /// A known choice, which may break the limits.
    #[serde(default)]
    pub(super) known: Option<Picks>,
    /// The start of each window; empty if no plan is made.
    #[serde(default)]
    pub(super) starts: Vec<Vec<u32>>,
    /// Whether the last finish is minimised first, and whether the sum of finishes is minimised instead of that of
    /// runtimes.
    #[serde(default)]
    pub(super) finish: (bool, bool),
}

/// The penalty of a job that must not be left out; JSON has no infinity.
const FORBIDDEN: f64 = f64::MAX;

/// More work than any whole search does, and the maximum number of choices for which all are tried.
const MOST: u64 = 300_000;
const FEW: usize = 1300;

/// The loss of service, the objective with its sign, and the use of the limit; less is better, in this order.
type Rank = (f64, f64, f64);

impl Case {
    fn draw(draw: &mut Draw) -> Self {
        let mut batch = ChoiceCase::draw(draw);
        if batch.jobs.len() < 6 {
            batch.jobs.iter_mut().for_each(|job| job.truncate(4));
        }
        let jobs = batch.jobs.len();
        let kind = draw.below(4);
        let numbers = match kind {
            2 => draw.of([Numbers::Whole, Numbers::Ties, Numbers::Dyadic]),
            _ => Numbers::any(draw),
        };
        let forbids = kind == 0 && draw.chance(30);
        let number = |_| if forbids && draw.chance(30) { FORBIDDEN } else { numbers.draw(draw) };
        let numbers = (0..jobs).map(number).collect();
        // Some limits are too small for all jobs together.
        for limit in [&mut batch.budget, &mut batch.time_limit].into_iter().flatten() {
            *limit *= if draw.chance(40) { draw.unit() } else { 1.0 };
        }
        let pick = |job: &Vec<(f64, f64)>, draw: &mut Draw| {
            (!job.is_empty() && (kind == 3 || draw.chance(80))).then(|| draw.below(job.len()))
        };
        let known: Picks = batch.jobs.iter().map(|job| pick(job, draw)).collect();
        let users = if draw.chance(60) { draw.between(1, 3) } else { 0 };
        let user_of = (0..if users > 0 { jobs } else { 0 }).map(|_| draw.below(users)).collect();
        let start = |job: &Vec<_>| job.iter().map(|_| draw.below(7) as u32).collect();
        let starts: Vec<Vec<u32>> = batch.jobs.iter().map(start).collect();
        let mut case = Self {
            batch,
            kind,
            numbers,
            user_of,
            budgets: vec![None; users],
            known: None,
            starts: if draw.chance(30) && jobs < 6 { starts } else { Vec::new() },
            finish: (draw.chance(30), draw.chance(40)),
        };
        for user in 0..users {
            let spent = case.spent(&known, user);
            case.budgets[user] = draw.chance(80).then(|| limit_near(draw, spent));
        }
        case.known = draw.chance(60).then_some(known);
        case
    }

    fn judge(&self) -> Verdict<Seen> {
        let batch = part(Alternatives::new(&self.batch.jobs))?;
        let mut seen = Seen::default();
        let all = self.choices(FEW);
        for users in [false, true].into_iter().take(1 + usize::from(!self.user_of.is_empty())) {
            for which in 0..4 {
                let posed = Posed::new(self, which, users, all.as_deref());
                for warm in [false, true].into_iter().take(1 + usize::from(self.known.is_some())) {
                    let whole = self.batch.stops.check(MOST, |limit| posed.run(&batch, warm, limit))?;
                    let few = all.is_some() && whole.end != End::Done;
                    ensure!(!few, "few choices, and {}", whole.end);
                    let solvable = posed.best.is_some();
                    seen += if whole.value.is_some() { Seen::solved() } else { Seen::unsolved(solvable) };
                }
            }
        }
        self.front(&batch, all.as_deref())?;
        if let (false, Some(all)) = (self.starts.is_empty(), &all) {
            super::plans::judge(self, all)?;
        }
        Ok(seen)
    }

    fn chosen<'a>(&'a self, picks: &'a [Option<usize>]) -> impl Iterator<Item = (usize, (f64, f64))> + 'a {
        let pairs = self.batch.jobs.iter().zip(picks).enumerate();
        pairs.filter_map(|(at, (job, pick))| Some((at, *job.get((*pick)?)?)))
    }

    pub(super) fn sums(&self, picks: &[Option<usize>]) -> (f64, f64) {
        let cost = rounded_sum(self.chosen(picks).map(|(_, pair)| pair.0));
        (cost, rounded_sum(self.chosen(picks).map(|(_, pair)| pair.1)))
    }

    pub(super) fn spent(&self, picks: &[Option<usize>], user: usize) -> f64 {
        let own = self.chosen(picks).filter(|(at, _)| self.user_of[*at] == user);
        rounded_sum(own.map(|(_, pair)| pair.0))
    }

    pub(super) fn budget(&self, user: usize) -> f64 {
        self.budgets.get(user).copied().flatten().unwrap_or(f64::INFINITY)
    }

    /// Whether each user can pay. A user without a job spends nothing, and so keeps even a negative budget.
    pub(super) fn pays(&self, picks: &[Option<usize>]) -> bool {
        (0..self.budgets.len())
            .filter(|user| self.user_of.contains(user))
            .all(|user| self.spent(picks, user) <= self.budget(user))
    }

    /// The problem with an account for each user.
    fn with_accounts<'a>(&self, problem: ChoiceProblem<'a>) -> ChoiceProblem<'a> {
        (0..self.budgets.len()).fold(problem, |problem, user| {
            let own: Vec<usize> = (0..self.user_of.len()).filter(|&job| self.user_of[job] == user).collect();
            problem.with_account(&own, self.budget(user))
        })
    }

    pub(super) fn coverage(&self) -> Coverage {
        let penalty = |&number: &f64| if number == FORBIDDEN { f64::INFINITY } else { number };
        match self.kind {
            0 => Coverage::Penalties(self.numbers.iter().map(penalty).collect()),
            1 => Coverage::MostJobs,
            2 => Coverage::MostWeight(self.numbers.clone()),
            _ => Coverage::EveryJob,
        }
    }

    pub(super) fn left_out<'a>(
        &'a self,
        picks: &'a [Option<usize>],
    ) -> impl Iterator<Item = f64> + Clone + 'a {
        picks.iter().zip(&self.numbers).filter(|(pick, _)| pick.is_none()).map(|(_, number)| *number)
    }

    /// The loss of service: the sum of penalties or weights, or the number, of the jobs left out.
    pub(super) fn lost(&self, picks: &[Option<usize>]) -> f64 {
        rounded_sum(self.left_out(picks).map(|number| if self.kind == 1 { 1.0 } else { number }))
    }

    /// All choices, if there are not more than so many; none if all jobs must be served and one has no alternative.
    pub(super) fn choices(&self, most: usize) -> Option<Vec<Picks>> {
        let with = |job: &Vec<_>| (0..job.len()).map(Some).chain((self.kind != 3).then_some(None)).collect();
        let options: Vec<Picks> = self.batch.jobs.iter().map(with).collect();
        let count = options.iter().try_fold(1, |count: usize, of| count.checked_mul(of.len().max(1)));
        count.filter(|count| *count <= most).map(|_| oracle::product(options))
    }

    /// The front within budgets consists of the choices of all jobs that users can pay for.
    fn front(&self, batch: &Alternatives, all: Option<&[Picks]>) -> Verdict {
        let problem = self.with_accounts(ChoiceProblem::new(batch, Goal::MinTime { budget: None }));
        let whole = self.batch.stops.check(MOST, |limit| {
            let mut meter = limit.meter();
            let (end, answer) = match Front::of(&problem, &mut meter) {
                Err(BatchError::Stopped(end)) => (end, None),
                front => (End::Done, front?),
            };
            Ok(Stopped { rank: 0.0, value: None, bound: None, work: meter.work(), end, answer })
        })?;
        let Some(all) = all.filter(|_| whole.end == End::Done) else { return Ok(()) };
        let found = whole.answer;
        let payable = all.iter().filter(|picks| !picks.contains(&None) && self.pays(picks));
        let sums = front_of(payable.map(|picks| self.sums(picks)));
        let points = found.iter().flat_map(Front::points).map(|point| (point.cost, point.time));
        let points: Vec<(f64, f64)> = points.collect();
        ensure!(points == sums, "the front {points:?} is {sums:?}");
        for (at, point) in points.iter().enumerate() {
            let picks = found.as_ref().map(|front| front.choice(at).picks).unwrap_or_default();
            ensure!(self.sums(&picks) == *point && self.pays(&picks), "{picks:?} is not the point {point:?}");
        }
        Ok(())
    }
}

/// The sums of cost and time of which no other is as cheap and faster, or as fast and cheaper.
pub(super) fn front_of(sums: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut sums: Vec<(f64, f64)> = sums.collect();
    sums.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut least = f64::INFINITY;
    sums.retain(|&(_, time)| {
        let is_faster = time < least;
        least = least.min(time);
        is_faster
    });
    sums
}

/// A goal of a case, with or without budgets of users, and the best of all choices.
struct Posed<'a> {
    case: &'a Case,
    goal: Goal,
    sign: f64,
    time: bool,
    limit: f64,
    users: bool,
    best: Option<Rank>,
    least: f64,
}

impl<'a> Posed<'a> {
    fn new(case: &'a Case, which: usize, users: bool, all: Option<&[Picks]>) -> Self {
        let ChoiceCase { budget, time_limit, .. } = case.batch;
        let (goal, sign) = match which {
            0 => (Goal::MinTime { budget }, 1.0),
            1 => (Goal::MaxTime { budget }, -1.0),
            2 => (Goal::MinCost { time_limit }, 1.0),
            _ => (Goal::MaxIncome { time_limit }, -1.0),
        };
        let (time, limit) = (goal.limits_cost(), goal.limit().unwrap_or(f64::INFINITY));
        let mut posed = Self { case, goal, sign, time, limit, users, best: None, least: f64::INFINITY };
        let payable = all.into_iter().flatten().filter(|picks| posed.pays(picks));
        let ranks: Vec<Rank> = payable.map(|picks| posed.rank(picks)).collect();
        posed.least = ranks.iter().map(|rank| rank.2).fold(f64::INFINITY, f64::min);
        // No part that is compared is NaN, and none is -0.
        let within = ranks.into_iter().filter(|rank| rank.2 <= limit);
        posed.best = within.min_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
        posed
    }

    fn pays(&self, picks: &[Option<usize>]) -> bool {
        !self.users || self.case.pays(picks)
    }

    /// The rank of a choice; its last part is NaN, which keeps no limit, if a job is left out that must not be.
    fn rank(&self, picks: &[Option<usize>]) -> Rank {
        let (case, sums) = (self.case, self.case.sums(picks));
        let (value, limited) = if self.time { (sums.1, sums.0) } else { sums };
        match case.kind {
            0 if case.left_out(picks).any(|number| number == FORBIDDEN) => (0.0, self.sign * value, f64::NAN),
            // Criterion and penalties are one sum, rounded once.
            0 => {
                let own =
                    |(_, pair): (usize, (f64, f64))| self.sign * if self.time { pair.1 } else { pair.0 };
                (0.0, rounded_sum(case.chosen(picks).map(own).chain(case.left_out(picks))), limited)
            }
            3 => (0.0, self.sign * value, limited),
            _ => (case.lost(picks), self.sign * value, limited),
        }
    }

    /// Runs one search, and judges its answer alone.
    fn run(&self, batch: &Alternatives, warm: bool, limit: &Limit) -> Verdict<Stopped> {
        let case = self.case;
        let known = case.known.as_ref().filter(|_| warm);
        let (tell, told) = mpsc::channel();
        let mut meter = limit.meter().with_observer(move |now| tell.send(now.bound).unwrap_or(()));
        let outcome = self.search(batch, known, &mut meter)?;
        if let Some(refusal) = &outcome.refusal {
            let right = match refusal {
                ChoiceRefusal::NoAlternative { jobs } => {
                    jobs.iter().all(|&job| case.batch.jobs[job].is_empty())
                }
                ChoiceRefusal::OutOfReach { least, limit } => {
                    least > limit && [*least, f64::INFINITY].contains(&self.least)
                }
                ChoiceRefusal::AccountTooSmall { account, least, limit } => {
                    least > limit && *limit == case.budget(*account)
                }
                _ => false,
            };
            ensure!(self.best.is_none() && right, "refused: {refusal:?}, and {:?} is possible", self.best);
        }
        let allowed = |picks: &Picks| self.pays(picks) && self.rank(picks).2 <= self.limit;
        let is_choice = |picks: &Picks| case.kind != 3 || !picks.contains(&None);
        let before = known.filter(|known| allowed(known) && is_choice(known)).map(|known| self.rank(known));
        // A known choice that breaks a limit must have no effect.
        if known.is_some() && before.is_none() && !limit.has_signal() {
            let cold = self.search(batch, None, &mut limit.meter())?;
            ensure!(cold == outcome, "a known choice that breaks a limit has an effect");
        }
        let mine = match &outcome.best {
            None => None,
            Some(selection) => {
                let picks = &selection.picks;
                let (rank, sums) = (self.rank(picks), case.sums(picks));
                ensure!(allowed(picks), "breaks a limit: {picks:?}");
                let stated = (selection.cost, selection.time);
                ensure!(stated == sums, "states {stated:?}, and sums to {sums:?}");
                let lost = if case.kind == 3 { 0.0 } else { case.lost(picks) };
                ensure!(selection.left_out == lost, "left out {:?}, is {lost:?}", selection.left_out);
                let value = outcome.value.map(|value| self.sign * value);
                ensure!(value == Some(rank.1), "the value {value:?} is {:?}", rank.1);
                // Of equal selections, the one that uses least of the limit is chosen.
                let best = self.best.filter(|_| outcome.end == End::Done).unwrap_or(rank);
                ensure!(
                    best == rank,
                    "not the best, or not the lightest: {rank:?}, and {best:?} is possible"
                );
                Some(rank)
            }
        };
        let missed = mine.is_none() && outcome.end == End::Done && self.best.is_some();
        ensure!(!missed, "nothing, and {:?} is possible", self.best);
        let worse = before.is_some_and(|known| mine.is_none_or(|mine| (known.0, known.1) < (mine.0, mine.1)));
        ensure!(!worse, "{mine:?} is worse than {before:?}, which was known");
        let bound = outcome.bound.map(|bound| self.sign * bound);
        let told: Vec<f64> = told.try_iter().flatten().map(|bound| self.sign * bound).chain(bound).collect();
        let passes = self.best.is_some_and(|best| told.iter().any(|&bound| bound > best.1));
        ensure!(!passes, "one of the bounds {told:?} passes {:?}", self.best);
        let ranked = matches!(case.kind, 1 | 2);
        Ok(Stopped {
            rank: mine.map_or(0.0, |rank| rank.0),
            value: mine.map(|rank| rank.1),
            // The bound holds among the selections of the maximum service, and more work may find a greater
            // service.
            bound: bound.filter(|_| !ranked),
            work: meter.work(),
            end: outcome.end,
            answer: format!("{:?} {:?}", outcome.best, outcome.refusal),
        })
    }

    fn search(
        &self,
        batch: &Alternatives,
        known: Option<&Picks>,
        meter: &mut Meter,
    ) -> Verdict<Outcome<Choice, ChoiceRefusal>> {
        let problem = ChoiceProblem::new(batch, self.goal).with_coverage(self.case.coverage());
        let problem = if self.users { self.case.with_accounts(problem) } else { problem };
        let problem = known.map_or(problem.clone(), |known| problem.with_start(known));
        Ok(ExpandingCore.solve(&problem, meter)?)
    }
}
