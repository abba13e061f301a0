//! Batches of which jobs may be left out, within budgets of users, from valid and invalid earlier choices,
//! complete and stopped: against all choices.

use super::selection::{Goal, Picks, Purses, Rank, ServiceCase, best, choices, goals, sums};
use crate::rng::Rng;
use crate::target::{Target, Verdict, ensure, part};
use crate::targets::choice;
use econsched::batch_dp::{
    Alternatives, BatchDecision, Scratch, Selection, choose_with_user_budgets_from, select_from,
    select_with_user_budgets, select_with_user_budgets_from,
};
use econsched::sched_model::{End, Limit, Outcome};
use serde::{Deserialize, Serialize};

pub(crate) struct UserServices;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    batch: choice::Case,
    #[serde(flatten)]
    purses: Purses,
    #[serde(flatten)]
    asked: ServiceCase,
    /// The earlier choice.
    known: Vec<Option<usize>>,
    work: u64,
}

impl Case {
    fn is_sound(&self) -> bool {
        let jobs = &self.batch.jobs;
        self.purses.is_sound(jobs)
            && self.asked.numbers.len() == jobs.len()
            && self.known.len() == jobs.len()
            && self.known.iter().zip(jobs).all(|(pick, job)| pick.is_none_or(|pick| pick < job.len()))
    }

    fn pays(&self, picks: &Picks) -> bool {
        self.purses.pay(&self.batch.jobs, picks)
    }

    /// One search: within the budgets of users or without them, from the earlier choice or without one.
    fn search(
        &self,
        batch: &Alternatives,
        goal: &Goal,
        (with_budgets, warm, work): (bool, bool, u64),
    ) -> Result<Outcome<Selection>, econsched::batch_dp::BatchError> {
        let (users, service) = (self.purses.user_budgets(), self.asked.service());
        let limit = Limit::default().with_work(work);
        let (scratch, meter) = (&mut Scratch::default(), &mut limit.meter());
        match (with_budgets, warm) {
            (true, false) => select_with_user_budgets(batch, goal.problem, &service, &users, scratch, meter),
            (true, true) => select_with_user_budgets_from(
                batch,
                goal.problem,
                &service,
                &users,
                &self.known,
                scratch,
                meter,
            ),
            _ => select_from(batch, goal.problem, &service, &self.known, scratch, meter),
        }
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
        let mut asked = ServiceCase::draw(rng, batch.jobs.len());
        asked.forbid_some(rng);
        let mut purses = Purses::draw_users(rng, batch.jobs.len());
        let known: Vec<Option<usize>> = batch
            .jobs
            .iter()
            .map(|job| (!job.is_empty() && rng.percent(70)).then(|| rng.below(job.len())))
            .collect();
        purses.draw_budgets(rng, 80, &batch.jobs, &known);
        Case { batch, purses, asked, known, work: rng.below(1500) as u64 }
    }

    fn judge(case: &Case) -> Verdict {
        if !case.is_sound() {
            return Ok(());
        }
        let jobs = &case.batch.jobs;
        let batch = part(Alternatives::new(jobs))?;
        let all = choices(jobs, true);
        for goal in goals(&case.batch) {
            let rank = |picks: &Picks| case.asked.rank(&goal, jobs, picks);
            for with_budgets in [true, false] {
                let allowed = |picks: &Picks| goal.holds(&rank(picks)) && (!with_budgets || case.pays(picks));
                let best = best(all.iter().filter(|picks| allowed(picks)).map(|picks| rank(picks)));
                let known = allowed(&case.known).then(|| rank(&case.known));
                let truth = Truth { rank: &rank, allowed: &allowed, best, known };
                for (work, warm) in
                    [(Limit::DEFAULT_WORK, false), (Limit::DEFAULT_WORK, true), (case.work, true), (0, true)]
                {
                    if !with_budgets && !warm {
                        continue; // the target `service`
                    }
                    let how = (with_budgets, warm, work);
                    judge_outcome(case, &case.search(&batch, &goal, how)?, goal, &truth, how)?;
                }
                judge_more_work(case, &batch, goal, &truth, with_budgets)?;
            }
        }
        judge_choices(case, &batch)
    }
}

/// The truth about a case and a goal: the rank of a selection, whether it keeps all limits, the best rank,
/// and the rank of the earlier choice if it keeps the limits.
struct Truth<'a> {
    rank: &'a dyn Fn(&Picks) -> Rank,
    allowed: &'a dyn Fn(&Picks) -> bool,
    best: Option<Rank>,
    known: Option<Rank>,
}

/// More work gives nothing worse, and an earlier choice that breaks a limit has no effect.
fn judge_more_work(
    case: &Case,
    batch: &Alternatives,
    goal: Goal,
    truth: &Truth<'_>,
    with_budgets: bool,
) -> Verdict {
    let (mut last, mut last_cold) = (None, None);
    for work in
        [0, 1, 2, 4, 6, 8].map(|eighths| case.work * eighths / 8).into_iter().chain([Limit::DEFAULT_WORK])
    {
        let found = case.search(batch, &goal, (with_budgets, true, work))?;
        if with_budgets {
            let cold = case.search(batch, &goal, (with_budgets, false, work))?;
            ensure!(
                truth.known.is_some() || found == cold,
                "an earlier choice that breaks a limit has an effect at work {work}"
            );
            is_no_worse(truth, &cold, &mut last_cold, (with_budgets, work))?;
        }
        is_no_worse(truth, &found, &mut last, (with_budgets, work))?;
    }
    Ok(())
}

fn is_no_worse(
    truth: &Truth<'_>,
    found: &Outcome<Selection>,
    last: &mut Option<(f64, f64)>,
    (with_budgets, work): (bool, u64),
) -> Verdict {
    let value = found.incumbent.as_ref().map(|found| (truth.rank)(&found.picks).value());
    ensure!(
        last.is_none_or(|last| value.is_some_and(|value| value <= last)),
        "budgets {with_budgets}: {value:?} at work {work}, {last:?} before"
    );
    *last = value;
    Ok(())
}

fn judge_outcome(
    case: &Case,
    outcome: &Outcome<Selection>,
    goal: Goal,
    truth: &Truth<'_>,
    (with_budgets, warm, work): (bool, bool, u64),
) -> Verdict {
    let (jobs, best, known) = (&case.batch.jobs, truth.best, truth.known);
    let how = format!("kind {} budgets {with_budgets} warm {warm} work {work}", case.asked.kind);
    let whole = work == Limit::DEFAULT_WORK;
    ensure!(!whole || outcome.end == End::Done, "{how}: few choices, and {}", outcome.end);
    ensure!(outcome.work <= work, "{how}: takes {} units", outcome.work);
    let Some(selection) = &outcome.incumbent else {
        ensure!(!whole || best.is_none(), "{how}: nothing, best {best:?}");
        ensure!(!warm || known.is_none(), "{how}: nothing, though {known:?} is known");
        return Ok(());
    };
    let mine = (truth.rank)(&selection.picks);
    ensure!((truth.allowed)(&selection.picks), "{how}: breaks a limit: {:?}", selection.picks);
    ensure!(
        (selection.cost, selection.time) == sums(jobs, &selection.picks),
        "{how}: sums are not exact: {:?}",
        (selection.cost, selection.time)
    );
    let lost = case.asked.lost_of(&selection.picks);
    ensure!(selection.left_out == lost, "{how}: left out {:?}, is {lost:?}", selection.left_out);
    let Some(best) = best else {
        ensure!(false, "{how}: a choice where there is none: {:?}", selection.picks);
        return Ok(());
    };
    let value = goal.sign * outcome.value.unwrap_or(f64::NAN);
    ensure!(value == mine.criterion, "{how}: the value {value:?} is {:?}", mine.criterion);
    if outcome.end == End::Done {
        ensure!(mine.value() == best.value(), "{how}: not the best: {mine:?}, best {best:?}");
    }
    if let (true, Some(known)) = (warm, known) {
        ensure!(mine.value() <= known.value(), "{how}: worse than what was known: {mine:?}, known {known:?}");
    }
    if let Some(bound) = outcome.bound {
        let least = best.criterion;
        ensure!(goal.sign * bound <= least, "{how}: the bound {bound:?} passes {least:?}");
    }
    Ok(())
}

/// Choices of one alternative of each job from an earlier choice; and fronts within budgets.
fn judge_choices(case: &Case, batch: &Alternatives) -> Verdict {
    let jobs = &case.batch.jobs;
    let Some(known) = case.known.iter().copied().collect::<Option<Vec<usize>>>() else { return Ok(()) };
    let users = case.purses.user_budgets();
    let all: Vec<Vec<Option<usize>>> =
        choices(jobs, false).into_iter().filter(|picks| case.pays(picks)).collect();
    for goal in goals(&case.batch) {
        let rank = |picks: &Vec<Option<usize>>| goal.rank(jobs, picks);
        let best = best(all.iter().map(rank).filter(|rank| goal.holds(rank)));
        let is_known = case.pays(&case.known) && goal.holds(&rank(&case.known));
        for work in [Limit::DEFAULT_WORK, case.work, 0] {
            let limit = Limit::default().with_work(work);
            let decision = choose_with_user_budgets_from(
                batch,
                goal.problem,
                &users,
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
            let mine = rank(&picks);
            ensure!(case.pays(&picks) && goal.holds(&mine), "breaks a limit: {picks:?}");
            ensure!(
                !is_known || mine.criterion <= rank(&case.known).criterion,
                "worse than what is known at work {work}"
            );
            ensure!(outcome.work <= work, "takes {} units of {work}", outcome.work);
            if outcome.end == End::Done {
                ensure!(
                    best.is_some_and(|best| best.criterion == mine.criterion),
                    "not the best: {mine:?}, {best:?}"
                );
            }
            if let (Some(bound), Some(best)) = (outcome.bound, best) {
                let least = best.criterion;
                ensure!(goal.sign * bound <= least, "the bound {bound:?} passes {least:?} at work {work}");
            }
        }
    }
    case.purses.judge_front(jobs, batch, &all)
}
