//! Choices among conflicting candidates, complete, stopped, and within a gap, compared with all choices.

use crate::judge::{Verdict, ensure, family, part};
use econsched::joint_plan::internal::{Candidate, ConflictProblem, ResourceUse, StartPrices};
use econsched::sched_model::{End, Limit};
use econsched::testkit::{Draw, Numbers, limit_near, oracle, rounded_sum};
use serde::{Deserialize, Serialize};

family!(Conflicts: Case, Case::draw, judge);

type Picks = Vec<Option<usize>>;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    jobs: Vec<Vec<CandidateCase>>,
    limit: Option<f64>,
    /// A choice to start from; it may be infeasible.
    incumbent: Option<Picks>,
    multiplier: f64,
    /// (resource, instant, price).
    prices: Vec<(u32, f64, f64)>,
    /// The limit of work of a stopped search.
    work: u64,
    /// The account of each job, and budget and first multiplier of each account.
    #[serde(default)]
    account_of: Vec<usize>,
    #[serde(default)]
    accounts: Vec<(f64, f64)>,
    /// The accepted gap, absolute and relative.
    #[serde(default)]
    gap: (f64, f64),
}

#[derive(Serialize, Deserialize)]
struct CandidateCase {
    objective: f64,
    weight: f64,
    /// (resource, start, end).
    claims: Vec<(u32, f64, f64)>,
}

impl CandidateCase {
    fn excludes(&self, other: &Self) -> bool {
        let meets = |one: &(u32, f64, f64), two: &(u32, f64, f64)| {
            one.0 == two.0 && one.1 < two.2 && two.1 < one.2 && one.1 < one.2 && two.1 < two.2
        };
        self.claims.iter().any(|one| other.claims.iter().any(|two| meets(one, two)))
    }
}

impl Case {
    fn draw(draw: &mut Draw) -> Self {
        let (objective, weight) = (Numbers::any(draw), Numbers::any(draw));
        let (signed, unit) = (draw.chance(15), draw.of([1.0, 0.1]));
        let (resources, count) = (draw.between(1, 3), draw.between(1, 5));
        let claim = |draw: &mut Draw| {
            let start = draw.below(8) as f64;
            let length = draw.below(5) as f64 + f64::from(!draw.chance(3));
            (draw.below(resources) as u32, start * unit, (start + length) * unit)
        };
        let candidate = |draw: &mut Draw| {
            let sign = |draw: &mut Draw, chance| if signed && draw.chance(chance) { -1.0 } else { 1.0 };
            CandidateCase {
                objective: sign(draw, 40) * objective.draw(draw),
                weight: sign(draw, 20) * weight.draw(draw),
                claims: (0..draw.below(3)).map(|_| claim(draw)).collect(),
            }
        };
        let jobs = (0..count)
            .map(|_| (0..draw.below(if count > 4 { 4 } else { 5 })).map(|_| candidate(draw)).collect());
        let jobs: Vec<Vec<CandidateCase>> = jobs.collect();
        let pick = |job: &Vec<_>| (!job.is_empty() && draw.chance(80)).then(|| draw.below(job.len()));
        let some: Picks = jobs.iter().map(pick).collect();
        let price = |_| (draw.below(resources + 1) as u32, draw.below(9) as f64, objective.draw(draw));
        let prices = [0; 3].map(price)[..draw.below(4)].to_vec();
        let multiplier = if draw.chance(20) { weight.draw(draw) } else { 0.0 };
        let work = draw.below(400) as u64;
        let accounts = if signed { 0 } else { draw.below(4) };
        let account_of = jobs.iter().map(|_| draw.below(accounts)).collect();
        let gap = (draw.unit(), draw.unit() / 2.0);
        let (limit, incumbent, none) = (None, None, Vec::new());
        let mut case =
            Self { jobs, limit, incumbent, multiplier, prices, work, account_of, accounts: none, gap };
        for account in 0..accounts {
            let (spent, multiplier) = (case.spent(&some, account), draw.below(20) as f64 / 10.0);
            let budget = if draw.chance(70) { limit_near(draw, spent).max(0.0) } else { 1e60 };
            case.accounts.push((budget, multiplier));
        }
        let sum = case.sum(&some, |candidate| candidate.weight);
        case.limit = draw.chance(70).then(|| limit_near(draw, sum));
        case.incumbent = draw.chance(30).then_some(some);
        case
    }

    fn chosen<'a>(&'a self, picks: &'a Picks) -> impl Iterator<Item = &'a CandidateCase> {
        self.jobs.iter().zip(picks).filter_map(|(job, pick)| job.get((*pick)?))
    }

    fn sum(&self, picks: &Picks, number: fn(&CandidateCase) -> f64) -> f64 {
        rounded_sum(self.chosen(picks).map(number))
    }

    fn spent(&self, picks: &Picks, account: usize) -> f64 {
        let jobs = self.jobs.iter().zip(picks).zip(&self.account_of).filter(|(_, of)| **of == account);
        rounded_sum(jobs.filter_map(|((job, pick), _)| Some(job.get((*pick)?)?.weight)))
    }

    /// Whether a choice keeps the limit and the budgets.
    fn keeps(&self, picks: &Picks) -> bool {
        let pays = |(account, (budget, _)): (usize, &(f64, f64))| self.spent(picks, account) <= *budget;
        self.sum(picks, |candidate| candidate.weight) <= self.limit.unwrap_or(f64::INFINITY)
            && self.accounts.iter().enumerate().all(pays)
    }

    fn is_apart(&self, picks: &Picks) -> bool {
        let chosen: Vec<&CandidateCase> = self.chosen(picks).collect();
        chosen.iter().enumerate().all(|(at, one)| chosen[..at].iter().all(|other| !other.excludes(one)))
    }
}

fn judge(case: &Case) -> Verdict {
    let candidate = |case: &CandidateCase| {
        let uses = case.claims.iter().map(|&(resource, start, end)| ResourceUse { resource, start, end });
        Candidate { objective: case.objective, weight: case.weight, cost: case.weight, uses: uses.collect() }
    };
    let jobs = case.jobs.iter().map(|job| job.iter().map(candidate).collect()).collect();
    let multipliers = case.accounts.iter().map(|account| account.1).collect();
    let start =
        StartPrices { multiplier: case.multiplier, prices: case.prices.clone(), accounts: multipliers };
    let has_account = |account: usize| (account < case.accounts.len()).then_some(account);
    let of_job: Vec<Option<usize>> = case.account_of.iter().copied().map(has_account).collect();
    let budgets: Vec<f64> = case.accounts.iter().map(|account| account.0).collect();
    let problem = part(ConflictProblem::new(jobs, case.limit.unwrap_or(f64::INFINITY)))?;
    let problem = problem.with_accounts(&of_job, &budgets).with_start_prices(start);
    let problem = match &case.incumbent {
        Some(picks) => problem.with_incumbent(picks.clone()),
        None => problem,
    };
    let mut least = vec![f64::INFINITY; case.jobs.len() + 1];
    // One candidate of each job, or none.
    let options = case.jobs.iter().map(|job| (0..job.len()).map(Some).chain([None]).collect());
    for picks in oracle::product(options).iter().filter(|picks| case.is_apart(picks) && case.keeps(picks)) {
        let left_out = picks.iter().filter(|pick| pick.is_none()).count();
        least[left_out] = least[left_out].min(case.sum(picks, |candidate| candidate.objective));
    }
    let fewest = least.iter().position(|&least| least < f64::INFINITY);
    let mut before = (0, f64::INFINITY);
    for work in [case.work, u64::MAX] {
        let choice = problem.solve(&mut Limit::default().with_work(work).meter());
        let picks = &choice.picks;
        let whole = picks.len() == case.jobs.len() && case.chosen(picks).count() == choice.placed();
        ensure!(whole && case.is_apart(picks), "not apart: {picks:?}");
        let sums = (case.sum(picks, |of| of.objective), case.sum(picks, |of| of.weight));
        let stated = (choice.objective, choice.weight);
        ensure!(stated == sums, "states the sums {stated:?}, they are {sums:?}");
        ensure!(choice.placed() == 0 || case.keeps(picks), "breaks a limit: {picks:?}");
        ensure!(choice.work <= work, "{} units of work, allowed {work}", choice.work);
        let now = (choice.placed(), choice.objective);
        let worse = now.0 < before.0 || now.0 == before.0 && now.1 > before.1;
        ensure!(!worse, "worse with more work: {now:?} after {before:?}");
        before = now;
        ensure!(work != u64::MAX || choice.end == End::Done, "few choices, and {}", choice.end);
        let Some(fewest) = fewest else { continue };
        let left_out = case.jobs.len() - choice.placed();
        let best = (fewest, least[fewest]);
        let right = choice.end != End::Done || (left_out, choice.objective) == best;
        ensure!(right, "not the best: {left_out} left out at {:?}, best {best:?}", choice.objective);
        if case.keeps(picks) {
            ensure!(!choice.most_jobs || left_out == fewest, "most jobs: {left_out} left out of {best:?}");
            let right = choice.bound.is_none_or(|bound| bound <= least[left_out]);
            ensure!(right, "the bound {:?} passes {:?}, {left_out} left out", choice.bound, least[left_out]);
        }
    }
    let Some(fewest) = fewest else { return Ok(()) };
    let near = Limit::default().with_absolute_gap(case.gap.0).with_relative_gap(case.gap.1);
    let near = problem.solve(&mut near.meter());
    let (placed, best) = (case.jobs.len() - fewest, least[fewest]);
    let bound = near.bound.unwrap_or(f64::NEG_INFINITY);
    let right = near.placed() == placed && bound <= best && best <= near.objective;
    ensure!(right, "near: {} placed, {bound:?} to {:?}, best {best:?}", near.placed(), near.objective);
    // The bound is a rounded difference.
    let rounding = 1e-9 * near.objective.abs().max(bound.abs());
    let allowed = case.gap.0.max(case.gap.1 * near.objective.abs()) + rounding;
    let closed = near.objective - bound <= allowed;
    ensure!(closed || near.end != End::Gap, "ends {:?} above {bound:?}", near.objective);
    Ok(())
}

/// Of each three jobs any two compete for a resource, and each may take a second candidate alone: the relaxation leaves
/// a gap, so that the search decides job after job, deeper than it may recurse.
#[test]
fn the_search_for_many_jobs_ends_before_the_stack_does() {
    let jobs = (0..600).map(|job: u32| {
        let on = |number: u32| ResourceUse { resource: job / 3 * 3 + number % 3, start: 0.0, end: 1.0 };
        let candidate = |objective, uses| Candidate { objective, weight: 0.0, cost: 0.0, uses };
        let alone = 2.0 + f64::from(job * 7 % 100) / 64.0;
        vec![candidate(1.0, vec![on(job % 3), on(job % 3 + 1)]), candidate(alone, vec![])]
    });
    let choice = ConflictProblem::new(jobs.collect(), f64::INFINITY).unwrap();
    let choice = choice.solve(&mut Limit::default().with_work(100_000_000).meter());
    assert_eq!((choice.end, choice.picks.iter().flatten().count()), (End::Memory, 600));
    assert!(choice.bound.is_some_and(|bound| bound < choice.objective));
}
