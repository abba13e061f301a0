//! Alternatives that conflict, whole and stopped, against all choices.

use crate::family::{Verdict, ensure, family, part};
use econsched::joint_plan::conflict::{
    Account, Candidate, ConflictChoice, ConflictProblem, ResourceUse, StartPrices,
};
use econsched::sched_model::{End, Limit};
use econsched::testkit::{Draw, Numbers, limit_near, rounded_sum};
use serde::{Deserialize, Serialize};

family!(Conflicts: Case, Case::draw, judge);

type Picks = Vec<Option<usize>>;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    jobs: Vec<Vec<CandidateCase>>,
    limit: Option<f64>,
    /// A choice to start from, right or wrong.
    incumbent: Option<Picks>,
    multiplier: f64,
    /// (resource, instant, price).
    prices: Vec<(u32, f64, f64)>,
    /// Work of a search that is stopped.
    work: u64,
    /// Budgets that jobs share, each with the multiplier to start from.
    #[serde(default)]
    purses: Vec<(f64, f64)>,
    /// The purse from which each job pays.
    #[serde(default)]
    purse_of: Vec<Option<usize>>,
}

#[derive(Serialize, Deserialize)]
struct CandidateCase {
    objective: f64,
    weight: f64,
    /// (resource, start, end).
    claims: Vec<(u32, f64, f64)>,
    /// The amount that it takes from the purse of its job.
    #[serde(default)]
    cost: f64,
}

impl CandidateCase {
    fn excludes(&self, other: &Self) -> bool {
        self.claims.iter().filter(|one| one.1 < one.2).any(|one| {
            other.claims.iter().any(|two| one.0 == two.0 && one.1 < two.2 && two.1 < one.2 && two.1 < two.2)
        })
    }
}

impl Case {
    fn chosen<'a>(&'a self, picks: &'a Picks) -> impl Iterator<Item = (usize, &'a CandidateCase)> + Clone {
        let pairs = self.jobs.iter().zip(picks).enumerate();
        pairs.filter_map(|(at, (job, pick))| Some((at, job.get((*pick)?)?)))
    }

    fn sum(&self, picks: &Picks, number: fn(&CandidateCase) -> f64) -> f64 {
        rounded_sum(self.chosen(picks).map(|(_, candidate)| number(candidate)))
    }

    /// All choices of one candidate of each job, or none, without conflict.
    fn choices(&self) -> Vec<Picks> {
        let mut all: Vec<Picks> = vec![Vec::new()];
        for job in &self.jobs {
            let with = |picks: &Picks| {
                let free = |at: &usize| self.chosen(picks).all(|(_, other)| !other.excludes(&job[*at]));
                let options = (0..job.len()).filter(free).map(Some).chain([None]);
                options.map(|option| [&picks[..], &[option]].concat()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(with).collect();
        }
        all
    }

    /// Whether a choice keeps the limit and the purses.
    fn keeps(&self, picks: &Picks) -> bool {
        let paid = |purse: usize| {
            let own = self.chosen(picks).filter(move |(at, _)| self.purse_of.get(*at) == Some(&Some(purse)));
            rounded_sum(own.map(|(_, candidate)| candidate.cost))
        };
        self.sum(picks, |candidate| candidate.weight) <= self.limit.unwrap_or(f64::INFINITY)
            && self.purses.iter().enumerate().all(|(purse, &(budget, _))| paid(purse) <= budget)
    }

    fn problem(&self) -> Verdict<ConflictProblem> {
        let uses = |case: &CandidateCase| {
            let claims = case.claims.iter();
            claims.map(|&(resource, start, end)| ResourceUse { resource, start, end }).collect()
        };
        let candidate = |case: &CandidateCase| Candidate {
            objective: case.objective,
            weight: case.weight,
            uses: uses(case),
        };
        let jobs = self.jobs.iter().map(|job| job.iter().map(candidate).collect()).collect();
        let problem = part(ConflictProblem::new(jobs, self.limit.unwrap_or(f64::INFINITY)))?;
        let account = |(purse, &(budget, _)): (usize, &(f64, f64))| {
            let own =
                self.jobs.iter().enumerate().filter(|(at, _)| self.purse_of.get(*at) == Some(&Some(purse)));
            let costs = own.map(|(at, job)| (at, job.iter().map(|candidate| candidate.cost).collect()));
            Account { budget, costs: costs.collect() }
        };
        let accounts: Vec<Account> = self.purses.iter().enumerate().map(account).collect();
        let start = StartPrices {
            multiplier: self.multiplier,
            accounts: self.purses.iter().map(|purse| purse.1).collect(),
            prices: self.prices.clone(),
        };
        let problem = part(problem.with_accounts(&accounts))?.with_start_prices(start);
        Ok(match &self.incumbent {
            Some(picks) => problem.with_incumbent(picks.clone()),
            None => problem,
        })
    }

    /// Checks what must hold for every answer.
    fn valid(&self, choice: &ConflictChoice) -> Verdict {
        let picks = &choice.picks;
        let chosen: Vec<&CandidateCase> = self.chosen(picks).map(|(_, candidate)| candidate).collect();
        let whole = picks.len() == self.jobs.len() && chosen.len() == choice.placed();
        ensure!(whole, "picks {picks:?}");
        let apart =
            |(at, one): (usize, &&CandidateCase)| chosen[..at].iter().all(|other| !other.excludes(one));
        ensure!(chosen.iter().enumerate().all(apart), "conflict: {picks:?}");
        let sums = (self.sum(picks, |of| of.objective), self.sum(picks, |of| of.weight));
        let stated = (choice.objective, choice.weight);
        ensure!(stated == sums, "states the sums {stated:?}, they are {sums:?}");
        ensure!(choice.placed() == 0 || self.keeps(picks), "breaks a limit: {picks:?}");
        Ok(())
    }
}

impl Case {
    fn draw(draw: &mut Draw) -> Self {
        let (objective, weight, cost) = (Numbers::any(draw), Numbers::any(draw), Numbers::any(draw));
        let (own_cost, signed, unit) = (draw.chance(50), draw.chance(15), draw.of([1.0, 0.1]));
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
                cost: if own_cost { cost.draw(draw) } else { 0.0 },
            }
        };
        let job = |_| {
            let candidates = draw.below(if count > 4 { 4 } else { 5 });
            (0..candidates).map(|_| candidate(draw)).collect::<Vec<_>>()
        };
        let jobs: Vec<Vec<CandidateCase>> = (0..count).map(job).collect();
        let pick = |job: &Vec<_>| (!job.is_empty() && draw.chance(80)).then(|| draw.below(job.len()));
        let some: Picks = jobs.iter().map(pick).collect();
        let users = if own_cost { draw.between(1, 2) } else { 0 };
        let mut case = Self {
            purse_of: jobs
                .iter()
                .map(|_| (users > 0 && draw.chance(85)).then(|| draw.below(users)))
                .collect(),
            limit: None,
            incumbent: None,
            multiplier: if draw.chance(20) { weight.draw(draw) } else { 0.0 },
            prices: (0..draw.below(4))
                .map(|_| (draw.below(resources + 1) as u32, draw.below(9) as f64, objective.draw(draw)))
                .collect(),
            work: draw.below(400) as u64,
            purses: Vec::new(),
            jobs,
        };
        for user in 0..users {
            let own = case.chosen(&some).filter(|(at, _)| case.purse_of[*at] == Some(user));
            let spent = rounded_sum(own.map(|(_, candidate)| candidate.cost));
            let multiplier = if draw.chance(30) { objective.draw(draw) } else { 0.0 };
            case.purses.push((limit_near(draw, spent), multiplier));
        }
        let sum = case.sum(&some, |candidate| candidate.weight);
        case.limit = draw.chance(70).then(|| limit_near(draw, sum));
        case.incumbent = draw.chance(30).then_some(some);
        case
    }
}

fn judge(case: &Case) -> Verdict {
    let problem = case.problem()?;
    let mut least = vec![f64::INFINITY; case.jobs.len() + 1];
    for picks in case.choices().iter().filter(|picks| case.keeps(picks)) {
        let left_out = picks.iter().filter(|pick| pick.is_none()).count();
        least[left_out] = least[left_out].min(case.sum(picks, |candidate| candidate.objective));
    }
    let fewest = least.iter().position(|&least| least < f64::INFINITY);
    for work in [u64::MAX, case.work] {
        let choice = problem.solve(&mut Limit::default().with_work(work).meter());
        case.valid(&choice)?;
        ensure!(choice.work <= work, "{} units of work, allowed {work}", choice.work);
        ensure!(work != u64::MAX || choice.end == End::Done, "few choices, and {}", choice.end);
        let Some(fewest) = fewest else { continue };
        let left_out = case.jobs.len() - choice.placed();
        let best = (fewest, least[fewest]);
        let right = choice.end != End::Done || (left_out, choice.objective) == best;
        ensure!(right, "not the best: {left_out} left out at {:?}, best {best:?}", choice.objective);
        if case.keeps(&choice.picks) {
            ensure!(!choice.most_jobs || left_out == fewest, "most jobs: {left_out} left out of {best:?}");
            let right = choice.bound.is_none_or(|bound| bound <= least[left_out]);
            ensure!(right, "the bound {:?} passes {:?}, {left_out} left out", choice.bound, least[left_out]);
        }
    }
    Ok(())
}
