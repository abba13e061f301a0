//! Shared by the attacks on services and on budgets of users: every selection of a batch, its cost, its loss
//! of service, the spending of each user, and the best selections.

use crate::exact::Exact;
use crate::number::{Family, limit_near};
use crate::rng::Rng;
use crate::target::{Verdict, ensure};
use crate::targets::choice;
use econsched::batch_dp::{Alternatives, FRONT_CAP, Front, Problem, Service, UserBudgets};
use econsched::sched_model::Limit;
use serde::{Deserialize, Serialize};

/// (cost, time) of each alternative of each job.
pub(super) type Jobs = [Vec<(f64, f64)>];

/// The alternative taken of each job; none where it is left out.
pub(super) type Picks = [Option<usize>];

/// The goal of a case: which of the two sums is optimised, and which is limited.
#[derive(Clone, Copy)]
pub(super) struct Goal {
    pub(super) problem: Problem,
    pub(super) sign: f64,
    time: bool,
    pub(super) limit: f64,
}

pub(super) fn goals(case: &choice::Case) -> [Goal; 4] {
    let budget = case.budget.unwrap_or(f64::INFINITY);
    let time_limit = case.time_limit.unwrap_or(f64::INFINITY);
    [
        Goal { problem: Problem::MinTime { budget }, sign: 1.0, time: true, limit: budget },
        Goal { problem: Problem::MaxTime { budget }, sign: -1.0, time: true, limit: budget },
        Goal { problem: Problem::MinCost { time_limit }, sign: 1.0, time: false, limit: time_limit },
        Goal { problem: Problem::MaxIncome { time_limit }, sign: -1.0, time: false, limit: time_limit },
    ]
}

impl Goal {
    /// (the optimised quantity, the limited quantity).
    fn view(&self, (cost, time): (f64, f64)) -> (f64, f64) {
        if self.time { (time, cost) } else { (cost, time) }
    }

    /// The rank of a selection without penalties for the jobs left out.
    pub(super) fn rank(&self, jobs: &Jobs, picks: &Picks) -> Rank {
        let (criterion, limited) = self.view(sums(jobs, picks));
        Rank { lost: 0.0, criterion: self.sign * criterion, limited }
    }

    pub(super) fn holds(&self, rank: &Rank) -> bool {
        rank.limited <= self.limit
    }
}

/// The rank of a selection: less is better, compared in the order of the fields.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rank {
    /// The loss of service.
    pub(super) lost: f64,
    /// The optimised value with penalties, with its sign changed so that less is better.
    pub(super) criterion: f64,
    pub(super) limited: f64,
}

impl Rank {
    /// The rank without the number that only decides between equal ones.
    pub(super) fn value(&self) -> (f64, f64) {
        (self.lost, self.criterion)
    }
}

pub(super) fn best(ranks: impl Iterator<Item = Rank>) -> Option<Rank> {
    ranks.min_by(|a, b| {
        let value = a.lost.total_cmp(&b.lost).then(a.criterion.total_cmp(&b.criterion));
        value.then(a.limited.total_cmp(&b.limited))
    })
}

/// Every choice of one alternative of each job, or of none where that is allowed.
pub(super) fn choices(jobs: &Jobs, leaving_out: bool) -> Vec<Vec<Option<usize>>> {
    let mut all: Vec<Vec<Option<usize>>> = vec![Vec::new()];
    for job in jobs {
        let options: Vec<Option<usize>> =
            (0..job.len()).map(Some).chain(leaving_out.then_some(None)).collect();
        all = all
            .iter()
            .flat_map(|picks| {
                options.iter().map(move |&option| {
                    let mut picks = picks.clone();
                    picks.push(option);
                    picks
                })
            })
            .collect();
    }
    all
}

fn chosen<'a>(
    jobs: &'a Jobs,
    picks: &'a Picks,
) -> impl Iterator<Item = (usize, (f64, f64))> + Clone + use<'a> {
    jobs.iter().zip(picks).enumerate().filter_map(|(at, (job, pick))| Some((at, *job.get((*pick)?)?)))
}

pub(super) fn sums(jobs: &Jobs, picks: &Picks) -> (f64, f64) {
    let cost = Exact::of(chosen(jobs, picks).map(|(_, pair)| pair.0)).rounded();
    (cost, Exact::of(chosen(jobs, picks).map(|(_, pair)| pair.1)).rounded())
}

/// The service of a batch of which jobs may be left out.
#[derive(Serialize, Deserialize)]
pub(super) struct ServiceCase {
    /// 0: penalties, 1: the most jobs, 2: the greatest weight.
    pub(super) kind: usize,
    /// A penalty or weight for each job; weights are whole, so that no sum of them is rounded.
    pub(super) numbers: Vec<f64>,
}

/// The penalty of a job that must not be left out: JSON has no infinity.
const FORBIDDEN: f64 = f64::MAX;

impl ServiceCase {
    pub(super) fn draw(rng: &mut Rng, jobs: usize) -> Self {
        let kind = rng.below(3);
        let family = if kind == 2 { Family::exact(rng) } else { Family::any(rng) };
        Self { kind, numbers: (0..jobs).map(|_| family.draw(rng)).collect() }
    }

    /// Some jobs must not be left out.
    pub(super) fn forbid_some(&mut self, rng: &mut Rng) {
        if self.kind == 0 && rng.percent(30) {
            self.numbers.iter_mut().filter(|_| rng.percent(30)).for_each(|number| *number = FORBIDDEN);
        }
    }

    pub(super) fn service(&self) -> Service {
        let penalty = |&number: &f64| if number == FORBIDDEN { f64::INFINITY } else { number };
        match self.kind {
            0 => Service::Penalties(self.numbers.iter().map(penalty).collect()),
            1 => Service::MostJobs,
            _ => Service::GreatestWeight(self.numbers.clone()),
        }
    }

    fn left_out<'a>(&'a self, picks: &'a Picks) -> impl Iterator<Item = f64> + Clone + use<'a> {
        picks.iter().zip(&self.numbers).filter(|(pick, _)| pick.is_none()).map(|(_, number)| *number)
    }

    /// The loss of a selection: penalties, jobs or weight.
    pub(super) fn lost_of(&self, picks: &Picks) -> f64 {
        Exact::of(self.left_out(picks).map(|number| if self.kind == 1 { 1.0 } else { number })).rounded()
    }

    pub(super) fn rank(&self, goal: &Goal, jobs: &Jobs, picks: &Picks) -> Rank {
        if self.kind != 0 {
            return Rank { lost: self.lost_of(picks), ..goal.rank(jobs, picks) };
        }
        if self.left_out(picks).any(|number| number == FORBIDDEN) {
            // It keeps no limit.
            return Rank { limited: f64::NAN, ..goal.rank(jobs, picks) };
        }
        // Criterion and penalties are one sum, rounded once.
        let own = chosen(jobs, picks).map(|(_, pair)| goal.sign * goal.view(pair).0);
        let criterion = Exact::of(own.chain(self.left_out(picks))).rounded();
        Rank { criterion, ..goal.rank(jobs, picks) }
    }
}

/// The budgets of users.
#[derive(Serialize, Deserialize)]
pub(super) struct Purses {
    pub(super) user_of: Vec<usize>,
    /// None: no limit.
    budgets: Vec<Option<f64>>,
}

impl Purses {
    /// Up to three users without a limit.
    pub(super) fn draw_users(rng: &mut Rng, jobs: usize) -> Self {
        let users = rng.range(1, 3);
        Self { user_of: (0..jobs).map(|_| rng.below(users)).collect(), budgets: vec![None; users] }
    }

    /// Gives `percent` of the users a budget that this selection spends to the last bit, or nearly.
    pub(super) fn draw_budgets(&mut self, rng: &mut Rng, percent: usize, jobs: &Jobs, picks: &Picks) {
        for user in 0..self.budgets.len() {
            let sum = self.spent(jobs, picks, user);
            self.budgets[user] = rng.percent(percent).then(|| limit_near(rng, sum));
        }
    }

    pub(super) fn is_sound(&self, jobs: &Jobs) -> bool {
        self.user_of.len() == jobs.len() && self.user_of.iter().all(|&user| user < self.budgets.len())
    }

    pub(super) fn budget(&self, user: usize) -> f64 {
        self.budgets.get(user).copied().flatten().unwrap_or(f64::INFINITY)
    }

    pub(super) fn user_budgets(&self) -> UserBudgets {
        UserBudgets::new(
            self.user_of.clone(),
            (0..self.budgets.len()).map(|user| self.budget(user)).collect(),
        )
    }

    pub(super) fn spent(&self, jobs: &Jobs, picks: &Picks, user: usize) -> f64 {
        let own = chosen(jobs, picks).filter(|(at, _)| self.user_of[*at] == user);
        Exact::of(own.map(|(_, pair)| pair.0)).rounded()
    }

    /// Whether each user can pay. A user without jobs cannot spend too much.
    pub(super) fn pay(&self, jobs: &Jobs, picks: &Picks) -> bool {
        let mut payers = (0..self.budgets.len()).filter(|user| self.user_of.contains(user));
        payers.all(|user| self.spent(jobs, picks, user) <= self.budget(user))
    }

    /// Checks that the front within budgets is the front of all choices that the users can pay.
    pub(super) fn judge_front(
        &self,
        jobs: &Jobs,
        batch: &Alternatives,
        payable: &[Vec<Option<usize>>],
    ) -> Verdict {
        let limit = Limit::default();
        let front = Front::within_user_budgets(batch, &self.user_budgets(), FRONT_CAP, &mut limit.meter())?;
        let mut all: Vec<(f64, f64)> = payable.iter().map(|picks| sums(jobs, picks)).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut expected: Vec<(f64, f64)> = Vec::new();
        for point in all {
            if expected.last().is_none_or(|last| point.1 < last.1) {
                expected.push(point);
            }
        }
        let Some(front) = front else {
            ensure!(expected.is_empty(), "no front, though one has {} points", expected.len());
            return Ok(());
        };
        let points: Vec<(f64, f64)> = front.points().iter().map(|point| (point.cost, point.time)).collect();
        ensure!(points == expected, "front within budgets: {points:?}, is {expected:?}");
        for (at, point) in points.iter().enumerate() {
            let picks: Vec<Option<usize>> = front.choice(at).picks.into_iter().map(Some).collect();
            ensure!(sums(jobs, &picks) == *point, "point {at} is not its choice");
            ensure!(payable.contains(&picks), "point {at} is not paid for");
        }
        Ok(())
    }
}
