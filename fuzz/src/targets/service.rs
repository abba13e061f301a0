//! Batches that need not be served whole, and budgets of users: against all choices.

use crate::exact::Exact;
use crate::number::{Family, limit_near};
use crate::rng::Rng;
use crate::target::{Target, Verdict, ensure, part};
use crate::targets::choice;
use econsched::batch_dp::{
    Alternatives, BatchDecision, FRONT_CAP, Front, Problem, Scratch, Service, UserBudgets,
    choose_with_user_budgets, select, select_with_user_budgets,
};
use econsched::sched_model::{End, Limit};
use serde::{Deserialize, Serialize};

/// What a case asks for, as minimised and limited numbers of a pair of sums.
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
    /// (what is optimised, what is limited).
    pub(super) fn view(&self, (cost, time): (f64, f64)) -> (f64, f64) {
        if self.time { (time, cost) } else { (cost, time) }
    }
}

/// Every choice of one alternative of each job, or of none where that is allowed.
pub(super) fn choices(jobs: &[Vec<(f64, f64)>], leaving_out: bool) -> Vec<Vec<Option<usize>>> {
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

pub(super) fn chosen<'a>(
    jobs: &'a [Vec<(f64, f64)>],
    picks: &'a [Option<usize>],
) -> impl Iterator<Item = (usize, (f64, f64))> + Clone + 'a {
    jobs.iter().zip(picks).enumerate().filter_map(|(at, (job, pick))| Some((at, *job.get((*pick)?)?)))
}

pub(super) fn sums(jobs: &[Vec<(f64, f64)>], picks: &[Option<usize>]) -> (f64, f64) {
    let cost = Exact::of(chosen(jobs, picks).map(|(_, pair)| pair.0)).rounded();
    (cost, Exact::of(chosen(jobs, picks).map(|(_, pair)| pair.1)).rounded())
}

pub(crate) struct Services;

#[derive(Serialize, Deserialize)]
pub(crate) struct ServiceCase {
    batch: choice::Case,
    /// 0: penalties, 1: the most jobs, 2: the greatest weight.
    kind: usize,
    /// A penalty or weight for each job; weights are whole, so that no sum of them is rounded.
    numbers: Vec<f64>,
    /// Work of a search that is stopped.
    work: u64,
}

impl Target for Services {
    type Case = ServiceCase;

    fn generate(rng: &mut Rng) -> ServiceCase {
        let jobs = rng.size(5);
        let mut batch = choice::draw(rng, jobs, if jobs > 3 { 3 } else { 5 });
        // Limits that not all jobs can keep to.
        if rng.percent(60) {
            let some = |limit: f64, rng: &mut Rng| limit * rng.unit();
            batch.budget = batch.budget.map(|limit| if rng.percent(50) { some(limit, rng) } else { limit });
            batch.time_limit =
                batch.time_limit.map(|limit| if rng.percent(50) { some(limit, rng) } else { limit });
        }
        let kind = rng.below(3);
        let family = if kind == 2 { Family::exact(rng) } else { Family::any(rng) };
        let numbers = (0..batch.jobs.len()).map(|_| family.draw(rng)).collect();
        ServiceCase { batch, kind, numbers, work: rng.below(2000) as u64 }
    }

    fn judge(case: &ServiceCase) -> Verdict {
        let jobs = &case.batch.jobs;
        let batch = part(Alternatives::new(jobs))?;
        if case.numbers.len() != jobs.len() {
            return Ok(());
        }
        let service = match case.kind {
            0 => Service::Penalties(case.numbers.clone()),
            1 => Service::MostJobs,
            _ => Service::GreatestWeight(case.numbers.clone()),
        };
        let lost_of = |picks: &[Option<usize>]| {
            let left = picks.iter().zip(&case.numbers).filter(|(pick, _)| pick.is_none());
            Exact::of(left.map(|(_, number)| if case.kind == 1 { 1.0 } else { *number })).rounded()
        };
        let all = choices(jobs, true);
        for goal in goals(&case.batch) {
            // Rank of the service, signed criterion with its penalties, what is limited.
            let key = |picks: &[Option<usize>]| {
                let (_, limited) = goal.view(sums(jobs, picks));
                let own = chosen(jobs, picks).map(|(_, pair)| goal.sign * goal.view(pair).0);
                let left = picks.iter().zip(&case.numbers).filter(|(pick, _)| pick.is_none());
                let penalties = left.map(|(_, number)| if case.kind == 0 { *number } else { 0.0 });
                let criterion = Exact::of(own.chain(penalties)).rounded();
                (if case.kind == 0 { 0.0 } else { lost_of(picks) }, criterion, limited)
            };
            let best = all
                .iter()
                .map(|picks| key(picks))
                .filter(|key| key.2 <= goal.limit)
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2)));
            for work in [Limit::DEFAULT_WORK, case.work] {
                let limit = Limit::default().with_work(work);
                let mut scratch = Scratch::default();
                let outcome = select(&batch, goal.problem, &service, &mut scratch, &mut limit.meter())?;
                let whole = work == Limit::DEFAULT_WORK;
                ensure!(!whole || outcome.end == End::Done, "few choices, and {}", outcome.end);
                ensure!(outcome.work <= work, "{} units of work, allowed {work}", outcome.work);
                let Some(selection) = &outcome.incumbent else {
                    ensure!(!whole || best.is_none(), "nothing within {:?}, best {best:?}", goal.limit);
                    continue;
                };
                let mine = key(&selection.picks);
                ensure!(mine.2 <= goal.limit, "above the limit: {:?} > {:?}", mine.2, goal.limit);
                ensure!(
                    (selection.cost, selection.time) == sums(jobs, &selection.picks),
                    "sums are not exact: {:?}",
                    (selection.cost, selection.time)
                );
                ensure!(
                    selection.left_out == lost_of(&selection.picks),
                    "left out {:?}, is {:?}",
                    selection.left_out,
                    lost_of(&selection.picks)
                );
                let Some(best) = best else {
                    ensure!(false, "a choice where there is none: {:?}", selection.picks);
                    continue;
                };
                let value = goal.sign * outcome.value.unwrap_or(f64::NAN);
                ensure!(value == mine.1, "the value {value:?} is {:?}", mine.1);
                if outcome.end == End::Done {
                    ensure!(mine == best, "kind {}: not the best: {mine:?}, best {best:?}", case.kind);
                }
                if let Some(bound) = outcome.bound {
                    // Among choices of the greatest service.
                    ensure!(
                        goal.sign * bound <= best.1,
                        "kind {}: the bound {bound:?} passes {:?}",
                        case.kind,
                        best.1
                    );
                }
            }
        }
        Ok(())
    }
}

pub(crate) struct Budgets;

#[derive(Serialize, Deserialize)]
pub(crate) struct UserCase {
    batch: choice::Case,
    user_of: Vec<usize>,
    /// None: no limit.
    budgets: Vec<Option<f64>>,
}

impl Target for Budgets {
    type Case = UserCase;

    fn generate(rng: &mut Rng) -> UserCase {
        let jobs = rng.size(5);
        let batch = choice::draw(rng, jobs, if jobs > 3 { 4 } else { 6 });
        let users = rng.range(1, 3);
        let user_of: Vec<usize> = (0..batch.jobs.len()).map(|_| rng.below(users)).collect();
        let picked: Vec<f64> =
            batch.jobs.iter().map(|job| if job.is_empty() { 0.0 } else { rng.pick(job).0 }).collect();
        let budgets = (0..users)
            .map(|user| {
                let own = user_of.iter().zip(&picked).filter(|(of, _)| **of == user).map(|(_, cost)| *cost);
                let sum = Exact::of(own).rounded();
                rng.percent(75).then(|| limit_near(rng, sum))
            })
            .collect();
        UserCase { batch, user_of, budgets }
    }

    fn judge(case: &UserCase) -> Verdict {
        let jobs = &case.batch.jobs;
        let batch = part(Alternatives::new(jobs))?;
        let budgets: Vec<f64> = case.budgets.iter().map(|budget| budget.unwrap_or(f64::INFINITY)).collect();
        if case.user_of.len() != jobs.len() || case.user_of.iter().any(|&user| user >= budgets.len()) {
            return Ok(());
        }
        let user_budgets = UserBudgets::new(case.user_of.clone(), budgets.clone());
        let spent = |picks: &[Option<usize>], user: usize| {
            let own = chosen(jobs, picks).filter(|(at, _)| case.user_of[*at] == user);
            Exact::of(own.map(|(_, pair)| pair.0)).rounded()
        };
        // Who has no jobs cannot spend too much.
        let payers: Vec<usize> = (0..budgets.len()).filter(|user| case.user_of.contains(user)).collect();
        let pays =
            |picks: &Vec<Option<usize>>| payers.iter().all(|&user| spent(picks, user) <= budgets[user]);
        let payable: Vec<Vec<Option<usize>>> = choices(jobs, false).into_iter().filter(pays).collect();
        let served: Vec<Vec<Option<usize>>> = choices(jobs, true).into_iter().filter(pays).collect();
        judge_front(jobs, &batch, &user_budgets, &payable)?;
        for goal in goals(&case.batch) {
            let key = |picks: &[Option<usize>]| {
                let (criterion, limited) = goal.view(sums(jobs, picks));
                (goal.sign * criterion, limited)
            };
            let best = payable
                .iter()
                .map(|picks| key(picks))
                .filter(|key| key.1 <= goal.limit)
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            let limit = Limit::default();
            let decision = choose_with_user_budgets(
                &batch,
                goal.problem,
                &user_budgets,
                &mut Scratch::default(),
                &mut limit.meter(),
            )?;
            match decision {
                BatchDecision::NoAlternative { jobs: without } => {
                    ensure!(without.iter().all(|&job| jobs[job].is_empty()), "not without: {without:?}");
                }
                BatchDecision::UserBudgetTooSmall { user, least, limit } => {
                    ensure!(payable.is_empty(), "user {user} can pay, least {least:?} of {limit:?}");
                    ensure!(least > limit && limit == budgets[user], "budget {limit:?} for {least:?}");
                }
                BatchDecision::OutOfReach { least, .. } => {
                    ensure!(best.is_none(), "out of reach by {least:?}, best {best:?}");
                    let is = payable.iter().map(|picks| key(picks).1).fold(f64::INFINITY, f64::min);
                    ensure!(least == is, "the least {least:?}, is {is:?}");
                }
                BatchDecision::Chosen(outcome) => {
                    let Some(choice) = &outcome.incumbent else {
                        ensure!(false, "few choices, and none found");
                        continue;
                    };
                    let picks: Vec<Option<usize>> = choice.picks.iter().copied().map(Some).collect();
                    for &user in &payers {
                        let (cost, budget) = (spent(&picks, user), budgets[user]);
                        ensure!(cost <= budget, "user {user} spends {cost:?} of {budget:?}");
                    }
                    ensure!(
                        (choice.cost, choice.time) == sums(jobs, &picks),
                        "sums are not exact: {:?}",
                        (choice.cost, choice.time)
                    );
                    ensure!(outcome.end == End::Done, "few choices, and {}", outcome.end);
                    ensure!(best == Some(key(&picks)), "not the best: {:?}, best {best:?}", key(&picks));
                }
                _ => {}
            }
            judge_most(jobs, &batch, &goal, &user_budgets, &served)?;
        }
        Ok(())
    }
}

/// The most jobs that users can pay for, then the best: none of all selections within the budgets is better.
fn judge_most(
    jobs: &[Vec<(f64, f64)>],
    batch: &Alternatives,
    goal: &Goal,
    purses: &UserBudgets,
    served: &[Vec<Option<usize>>],
) -> Verdict {
    let key = |picks: &[Option<usize>]| {
        let left = picks.iter().filter(|pick| pick.is_none()).count();
        let (criterion, limited) = goal.view(sums(jobs, picks));
        (left, goal.sign * criterion, limited)
    };
    let best = served.iter().map(|picks| key(picks)).filter(|key| key.2 <= goal.limit);
    let best = best.min_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2)));
    let (mut scratch, service) = (Scratch::default(), Service::MostJobs);
    let most = select_with_user_budgets(
        batch,
        goal.problem,
        &service,
        purses,
        &mut scratch,
        &mut Limit::default().meter(),
    )?;
    ensure!(most.end == End::Done, "few selections, and {}", most.end);
    let mine = most.incumbent.as_ref().map(|selection| key(&selection.picks));
    ensure!(mine == best, "most jobs: {mine:?}, best {best:?}");
    let paid = most.incumbent.is_none_or(|found| served.contains(&found.picks));
    ensure!(paid, "a user spends too much");
    Ok(())
}

/// The front of what users can pay is that of all choices that they can pay.
fn judge_front(
    jobs: &[Vec<(f64, f64)>],
    batch: &Alternatives,
    purses: &UserBudgets,
    payable: &[Vec<Option<usize>>],
) -> Verdict {
    let limit = Limit::default();
    let front = Front::within_user_budgets(batch, purses, FRONT_CAP, &mut limit.meter())?;
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
    ensure!(points == expected, "the front {points:?}, is {expected:?}");
    for (at, point) in points.iter().enumerate() {
        let picks: Vec<Option<usize>> = front.choice(at).picks.into_iter().map(Some).collect();
        ensure!(sums(jobs, &picks) == *point, "point {at} is not its choice");
        ensure!(payable.contains(&picks), "point {at} is not paid for");
    }
    Ok(())
}
