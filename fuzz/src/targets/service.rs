//! Batches that need not be served whole, and budgets of users: against all choices.

use super::selection::{Goal, Jobs, Purses, Rank, ServiceCase, best, choices, goals, sums};
use crate::rng::Rng;
use crate::target::{Target, Verdict, ensure, part};
use crate::targets::choice;
use econsched::batch_dp::{
    Alternatives, BatchDecision, Scratch, Service, UserBudgets, choose_with_user_budgets, select,
    select_with_user_budgets,
};
use econsched::sched_model::{End, Limit};
use serde::{Deserialize, Serialize};

pub(crate) struct Services;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    batch: choice::Case,
    #[serde(flatten)]
    asked: ServiceCase,
    /// Work of a search that is stopped.
    work: u64,
}

impl Target for Services {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let jobs = rng.size(5);
        let mut batch = choice::draw(rng, jobs, if jobs > 3 { 3 } else { 5 });
        // Limits that are too small for all jobs.
        if rng.percent(60) {
            let some = |limit: f64, rng: &mut Rng| limit * rng.unit();
            batch.budget = batch.budget.map(|limit| if rng.percent(50) { some(limit, rng) } else { limit });
            batch.time_limit =
                batch.time_limit.map(|limit| if rng.percent(50) { some(limit, rng) } else { limit });
        }
        let mut asked = ServiceCase::draw(rng, batch.jobs.len());
        asked.forbid_some(rng);
        Case { batch, asked, work: rng.below(2000) as u64 }
    }

    fn judge(case: &Case) -> Verdict {
        let (jobs, asked) = (&case.batch.jobs, &case.asked);
        let batch = part(Alternatives::new(jobs))?;
        if asked.numbers.len() != jobs.len() {
            return Ok(());
        }
        let service = asked.service();
        let all = choices(jobs, true);
        for goal in goals(&case.batch) {
            let rank = |picks: &[Option<usize>]| asked.rank(&goal, jobs, picks);
            let best = best(all.iter().map(|picks| rank(picks)).filter(|rank| goal.holds(rank)));
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
                let mine = rank(&selection.picks);
                ensure!(goal.holds(&mine), "above the limit: {:?} > {:?}", mine.limited, goal.limit);
                ensure!(
                    (selection.cost, selection.time) == sums(jobs, &selection.picks),
                    "sums are not exact: {:?}",
                    (selection.cost, selection.time)
                );
                let lost = asked.lost_of(&selection.picks);
                ensure!(selection.left_out == lost, "left out {:?}, is {lost:?}", selection.left_out);
                let Some(best) = best else {
                    ensure!(false, "a choice where there is none: {:?}", selection.picks);
                    continue;
                };
                let value = goal.sign * outcome.value.unwrap_or(f64::NAN);
                ensure!(value == mine.criterion, "the value {value:?} is {:?}", mine.criterion);
                if outcome.end == End::Done {
                    ensure!(mine == best, "kind {}: not the best: {mine:?}, best {best:?}", asked.kind);
                }
                if let Some(bound) = outcome.bound {
                    // Among choices of the greatest service.
                    ensure!(
                        goal.sign * bound <= best.criterion,
                        "kind {}: the bound {bound:?} passes {:?}",
                        asked.kind,
                        best.criterion
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
    #[serde(flatten)]
    purses: Purses,
}

impl Target for Budgets {
    type Case = UserCase;

    fn generate(rng: &mut Rng) -> UserCase {
        let jobs = rng.size(5);
        let batch = choice::draw(rng, jobs, if jobs > 3 { 4 } else { 6 });
        let mut purses = Purses::draw_users(rng, batch.jobs.len());
        let picked: Vec<Option<usize>> =
            batch.jobs.iter().map(|job| (!job.is_empty()).then(|| rng.below(job.len()))).collect();
        purses.draw_budgets(rng, 75, &batch.jobs, &picked);
        UserCase { batch, purses }
    }

    fn judge(case: &UserCase) -> Verdict {
        let (jobs, purses) = (&case.batch.jobs, &case.purses);
        let batch = part(Alternatives::new(jobs))?;
        if !purses.is_sound(jobs) {
            return Ok(());
        }
        let user_budgets = purses.user_budgets();
        let pays = |picks: &Vec<Option<usize>>| purses.pay(jobs, picks);
        let payable: Vec<Vec<Option<usize>>> = choices(jobs, false).into_iter().filter(pays).collect();
        let served: Vec<Vec<Option<usize>>> = choices(jobs, true).into_iter().filter(pays).collect();
        purses.judge_front(jobs, &batch, &payable)?;
        for goal in goals(&case.batch) {
            let rank = |picks: &Vec<Option<usize>>| goal.rank(jobs, picks);
            let best = best(payable.iter().map(rank).filter(|rank| goal.holds(rank)));
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
                    ensure!(least > limit && limit == purses.budget(user), "budget {limit:?} for {least:?}");
                }
                BatchDecision::OutOfReach { least, .. } => {
                    ensure!(best.is_none(), "out of reach by {least:?}, best {best:?}");
                    let is = payable.iter().map(|picks| rank(picks).limited).fold(f64::INFINITY, f64::min);
                    ensure!(least == is, "the least {least:?}, is {is:?}");
                }
                BatchDecision::Chosen(outcome) => {
                    let Some(choice) = &outcome.incumbent else {
                        ensure!(false, "few choices, and none found");
                        continue;
                    };
                    let picks: Vec<Option<usize>> = choice.picks.iter().copied().map(Some).collect();
                    ensure!(pays(&picks), "a user spends too much: {picks:?}");
                    ensure!(
                        (choice.cost, choice.time) == sums(jobs, &picks),
                        "sums are not exact: {:?}",
                        (choice.cost, choice.time)
                    );
                    ensure!(outcome.end == End::Done, "few choices, and {}", outcome.end);
                    ensure!(best == Some(rank(&picks)), "not the best: {:?}, best {best:?}", rank(&picks));
                }
                _ => {}
            }
            judge_most(jobs, &batch, &goal, &user_budgets, &served)?;
        }
        Ok(())
    }
}

/// The most jobs that users can pay for, then the best criterion: no selection within the budgets is better.
fn judge_most(
    jobs: &Jobs,
    batch: &Alternatives,
    goal: &Goal,
    purses: &UserBudgets,
    served: &[Vec<Option<usize>>],
) -> Verdict {
    let rank = |picks: &Vec<Option<usize>>| {
        let left = picks.iter().filter(|pick| pick.is_none()).count();
        Rank { lost: left as f64, ..goal.rank(jobs, picks) }
    };
    let best = best(served.iter().map(rank).filter(|rank| goal.holds(rank)));
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
    let mine = most.incumbent.as_ref().map(|selection| rank(&selection.picks));
    ensure!(mine == best, "most jobs: {mine:?}, best {best:?}");
    let paid = most.incumbent.is_none_or(|found| served.contains(&found.picks));
    ensure!(paid, "a user spends too much");
    Ok(())
}
