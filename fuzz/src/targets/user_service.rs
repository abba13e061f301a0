//! Batches that need not be served whole, within budgets of users, from earlier choices right and wrong, whole
//! and stopped: against all choices.

use super::service::{Goal, choices, chosen, goals, sums};
use crate::exact::Exact;
use crate::number::{Family, limit_near};
use crate::rng::Rng;
use crate::target::{Target, Verdict, ensure, part};
use crate::targets::choice;
use econsched::batch_dp::{
    Alternatives, BatchDecision, FRONT_CAP, Front, Scratch, Selection, Service, UserBudgets,
    choose_with_user_budgets_from, select_from, select_with_user_budgets, select_with_user_budgets_from,
};
use econsched::sched_model::{End, Limit, Outcome};
use serde::{Deserialize, Serialize};

pub(crate) struct UserServices;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    batch: choice::Case,
    user_of: Vec<usize>,
    /// None: no limit.
    budgets: Vec<Option<f64>>,
    /// 0: penalties, 1: the most jobs, 2: the greatest weight.
    kind: usize,
    numbers: Vec<f64>,
    /// What is known at first.
    known: Vec<Option<usize>>,
    work: u64,
}

impl Case {
    fn service(&self) -> Service {
        match self.kind {
            0 => Service::Penalties(self.numbers.clone()),
            1 => Service::MostJobs,
            _ => Service::GreatestWeight(self.numbers.clone()),
        }
    }

    fn lost_of(&self, picks: &[Option<usize>]) -> f64 {
        let left = picks.iter().zip(&self.numbers).filter(|(pick, _)| pick.is_none());
        Exact::of(left.map(|(_, number)| if self.kind == 1 { 1.0 } else { *number })).rounded()
    }

    fn spent(&self, picks: &[Option<usize>], user: usize) -> f64 {
        let own = chosen(&self.batch.jobs, picks).filter(|(at, _)| self.user_of[*at] == user);
        Exact::of(own.map(|(_, pair)| pair.0)).rounded()
    }

    fn is_sound(&self) -> bool {
        let jobs = &self.batch.jobs;
        self.user_of.len() == jobs.len()
            && self.numbers.len() == jobs.len()
            && self.known.len() == jobs.len()
            && self.user_of.iter().all(|&user| user < self.budgets.len())
            && self.known.iter().zip(jobs).all(|(pick, job)| pick.is_none_or(|pick| pick < job.len()))
    }
}

impl Target for UserServices {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let jobs = rng.size(5);
        let mut batch = choice::draw(rng, jobs, if jobs > 3 { 3 } else { 5 });
        if rng.percent(50) {
            batch.budget = batch.budget.map(|limit| limit * rng.unit());
            batch.time_limit = batch.time_limit.map(|limit| limit * rng.unit());
        }
        let kind = rng.below(3);
        let family = if kind == 2 { Family::exact(rng) } else { Family::any(rng) };
        let numbers = (0..batch.jobs.len()).map(|_| family.draw(rng)).collect();
        let users = rng.range(1, 3);
        let user_of: Vec<usize> = (0..batch.jobs.len()).map(|_| rng.below(users)).collect();
        let known: Vec<Option<usize>> = batch
            .jobs
            .iter()
            .map(|job| (!job.is_empty() && rng.percent(70)).then(|| rng.below(job.len())))
            .collect();
        let budgets = (0..users)
            .map(|user| {
                let own = chosen(&batch.jobs, &known).filter(|(at, _)| user_of[*at] == user);
                let sum = Exact::of(own.map(|(_, pair)| pair.0)).rounded();
                rng.percent(80).then(|| limit_near(rng, sum))
            })
            .collect();
        Case { batch, user_of, budgets, kind, numbers, known, work: rng.below(1500) as u64 }
    }

    fn judge(case: &Case) -> Verdict {
        if !case.is_sound() {
            return Ok(());
        }
        let jobs = &case.batch.jobs;
        let batch = part(Alternatives::new(jobs))?;
        let budgets: Vec<f64> = case.budgets.iter().map(|budget| budget.unwrap_or(f64::INFINITY)).collect();
        let users = UserBudgets::new(case.user_of.clone(), budgets.clone());
        let service = case.service();
        let all = choices(jobs, true);
        let payers: Vec<usize> = (0..budgets.len()).filter(|user| case.user_of.contains(user)).collect();
        let payable =
            |picks: &[Option<usize>]| payers.iter().all(|&user| case.spent(picks, user) <= budgets[user]);
        for goal in goals(&case.batch) {
            let key = |picks: &[Option<usize>]| {
                let (_, limited) = goal.view(sums(jobs, picks));
                let own = chosen(jobs, picks).map(|(_, pair)| goal.sign * goal.view(pair).0);
                let left = picks.iter().zip(&case.numbers).filter(|(pick, _)| pick.is_none());
                let penalties = left.map(|(_, number)| if case.kind == 0 { *number } else { 0.0 });
                let criterion = Exact::of(own.chain(penalties)).rounded();
                (if case.kind == 0 { 0.0 } else { case.lost_of(picks) }, criterion, limited)
            };
            let order = |a: &(f64, f64, f64), b: &(f64, f64, f64)| {
                a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2))
            };
            for with_budgets in [true, false] {
                let allowed =
                    |picks: &[Option<usize>]| key(picks).2 <= goal.limit && (!with_budgets || payable(picks));
                let best = all.iter().filter(|picks| allowed(picks)).map(|picks| key(picks)).min_by(order);
                let known_key = allowed(&case.known).then(|| key(&case.known));
                for (work, warm) in
                    [(Limit::DEFAULT_WORK, false), (Limit::DEFAULT_WORK, true), (case.work, true), (0, true)]
                {
                    if !with_budgets && !warm {
                        continue; // the target `service`
                    }
                    let limit = Limit::default().with_work(work);
                    let mut scratch = Scratch::default();
                    let meter = &mut limit.meter();
                    let outcome: Outcome<Selection> = match (with_budgets, warm) {
                        (true, false) => select_with_user_budgets(
                            &batch,
                            goal.problem,
                            &service,
                            &users,
                            &mut scratch,
                            meter,
                        )?,
                        (true, true) => select_with_user_budgets_from(
                            &batch,
                            goal.problem,
                            &service,
                            &users,
                            &case.known,
                            &mut scratch,
                            meter,
                        )?,
                        _ => select_from(&batch, goal.problem, &service, &case.known, &mut scratch, meter)?,
                    };
                    let truth = Truth { key: &key, allowed: &allowed, best, known: known_key };
                    judge_outcome(case, &outcome, goal, &truth, (with_budgets, warm, work))?;
                }
            }
        }
        judge_choices(case, &batch, &users, &payable)
    }
}

/// What the service loses, the signed criterion with its penalties, what is limited.
type Rank = (f64, f64, f64);

/// What is true of a case and a goal: the rank of a selection, whether it keeps to all limits, the best rank, and
/// that of what is known, where that keeps to the limits.
struct Truth<'a> {
    key: &'a dyn Fn(&[Option<usize>]) -> Rank,
    allowed: &'a dyn Fn(&[Option<usize>]) -> bool,
    best: Option<Rank>,
    known: Option<Rank>,
}

fn judge_outcome(
    case: &Case,
    outcome: &Outcome<Selection>,
    goal: Goal,
    truth: &Truth<'_>,
    (with_budgets, warm, work): (bool, bool, u64),
) -> Verdict {
    let (jobs, best, known) = (&case.batch.jobs, truth.best, truth.known);
    let how = format!("kind {} budgets {with_budgets} warm {warm} work {work}", case.kind);
    let whole = work == Limit::DEFAULT_WORK;
    ensure!(!whole || outcome.end == End::Done, "{how}: few choices, and {}", outcome.end);
    ensure!(outcome.work <= work, "{how}: takes {} units", outcome.work);
    let Some(selection) = &outcome.incumbent else {
        ensure!(!whole || best.is_none(), "{how}: nothing, best {best:?}");
        ensure!(!warm || known.is_none(), "{how}: nothing, though {known:?} is known");
        return Ok(());
    };
    let mine = (truth.key)(&selection.picks);
    ensure!((truth.allowed)(&selection.picks), "{how}: breaks a limit: {:?}", selection.picks);
    ensure!(
        (selection.cost, selection.time) == sums(jobs, &selection.picks),
        "{how}: sums are not exact: {:?}",
        (selection.cost, selection.time)
    );
    ensure!(selection.left_out == case.lost_of(&selection.picks), "{how}: left out {:?}", selection.left_out);
    let Some(best) = best else {
        ensure!(false, "{how}: a choice where there is none: {:?}", selection.picks);
        return Ok(());
    };
    let value = goal.sign * outcome.value.unwrap_or(f64::NAN);
    ensure!(value == mine.1, "{how}: the value {value:?} is {:?}", mine.1);
    if outcome.end == End::Done {
        ensure!((mine.0, mine.1) == (best.0, best.1), "{how}: not the best: {mine:?}, best {best:?}");
    }
    if let (true, Some(known)) = (warm, known) {
        ensure!(
            (mine.0, mine.1) <= (known.0, known.1),
            "{how}: worse than what was known: {mine:?}, known {known:?}"
        );
    }
    if let Some(bound) = outcome.bound {
        ensure!(goal.sign * bound <= best.1, "{how}: the bound {bound:?} passes {:?}", best.1);
    }
    Ok(())
}

/// Choices of one alternative of each job from one that is known; and fronts within budgets.
fn judge_choices(
    case: &Case,
    batch: &Alternatives,
    users: &UserBudgets,
    payable: &dyn Fn(&[Option<usize>]) -> bool,
) -> Verdict {
    let jobs = &case.batch.jobs;
    let Some(known) = case.known.iter().copied().collect::<Option<Vec<usize>>>() else { return Ok(()) };
    let all: Vec<Vec<Option<usize>>> =
        choices(jobs, false).into_iter().filter(|picks| payable(picks)).collect();
    for goal in goals(&case.batch) {
        let key = |picks: &[Option<usize>]| {
            let (criterion, limited) = goal.view(sums(jobs, picks));
            (goal.sign * criterion, limited)
        };
        let best = all
            .iter()
            .map(|picks| key(picks))
            .filter(|key| key.1 <= goal.limit)
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let is_known = payable(&case.known) && key(&case.known).1 <= goal.limit;
        for work in [Limit::DEFAULT_WORK, case.work, 0] {
            let limit = Limit::default().with_work(work);
            let decision = choose_with_user_budgets_from(
                batch,
                goal.problem,
                users,
                &known,
                &mut Scratch::default(),
                &mut limit.meter(),
            )?;
            let BatchDecision::Chosen(outcome) = decision else {
                ensure!(best.is_none(), "a refusal, best {best:?}");
                continue;
            };
            let Some(choice) = &outcome.incumbent else {
                ensure!(!is_known, "no choice at work {work}, though one is known");
                continue;
            };
            let picks: Vec<Option<usize>> = choice.picks.iter().copied().map(Some).collect();
            ensure!(payable(&picks) && key(&picks).1 <= goal.limit, "breaks a limit: {picks:?}");
            let mine = key(&picks);
            ensure!(!is_known || mine.0 <= key(&case.known).0, "worse than what is known at work {work}");
            ensure!(outcome.work <= work, "takes {} units of {work}", outcome.work);
            if outcome.end == End::Done {
                ensure!(best.is_some_and(|best| best.0 == mine.0), "not the best: {mine:?}, {best:?}");
            }
            if let (Some(bound), Some(best)) = (outcome.bound, best) {
                ensure!(goal.sign * bound <= best.0, "the bound {bound:?} passes {best:?} at work {work}");
            }
        }
    }
    let front = Front::within_user_budgets(batch, users, FRONT_CAP, &mut Limit::default().meter())?;
    let mut expected: Vec<(f64, f64)> = all.iter().map(|picks| sums(jobs, picks)).collect();
    expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut least = f64::INFINITY;
    expected.retain(|&(_, time)| {
        let better = time < least;
        least = least.min(time);
        better
    });
    let points: Vec<(f64, f64)> =
        front.iter().flat_map(Front::points).map(|point| (point.cost, point.time)).collect();
    ensure!(points == expected, "front within budgets: {points:?}, is {expected:?}");
    Ok(())
}
