//! Alternatives that conflict, against all choices.

use crate::exact::Exact;
use crate::number::{Family, limit_near};
use crate::rng::Rng;
use crate::target::{Target, Verdict, ensure, part};
use econsched::joint_plan::conflict::{
    Account, Candidate, ConflictChoice, ConflictProblem, ResourceUse, StartPrices,
};
use econsched::sched_model::{End, Limit};
use serde::{Deserialize, Serialize};

pub(crate) struct Conflicts;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    jobs: Vec<Vec<CandidateCase>>,
    limit: Option<f64>,
    /// A choice to start from, right or wrong.
    incumbent: Option<Vec<Option<usize>>>,
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
pub(crate) struct CandidateCase {
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

/// All choices of one candidate of each job, or none, without conflict.
fn all_choices(jobs: &[Vec<CandidateCase>]) -> Vec<Vec<Option<usize>>> {
    let mut all: Vec<Vec<Option<usize>>> = vec![Vec::new()];
    for job in jobs {
        let mut next = Vec::new();
        for picks in &all {
            let mut without = picks.clone();
            without.push(None);
            next.push(without);
            for (at, candidate) in job.iter().enumerate() {
                let chosen = jobs
                    .iter()
                    .zip(picks)
                    .filter_map(|(job, pick): (&Vec<CandidateCase>, _)| job.get((*pick)?));
                if chosen.into_iter().all(|other| !other.excludes(candidate)) {
                    let mut with = picks.clone();
                    with.push(Some(at));
                    next.push(with);
                }
            }
        }
        all = next;
    }
    all
}

impl Case {
    fn sum(&self, picks: &[Option<usize>], number: fn(&CandidateCase) -> f64) -> f64 {
        let chosen = self.jobs.iter().zip(picks).filter_map(|(job, pick)| job.get((*pick)?));
        Exact::of(chosen.map(number)).rounded()
    }

    fn jobs_of(&self, purse: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        (0..self.jobs.len()).filter(move |&job| self.purse_of.get(job) == Some(&Some(purse)))
    }

    fn keeps_purses(&self, picks: &[Option<usize>]) -> bool {
        self.purses.iter().enumerate().all(|(purse, &(budget, _))| {
            let own = self.jobs_of(purse).filter_map(|job| self.jobs[job].get((*picks.get(job)?)?));
            Exact::of(own.map(|candidate| candidate.cost)).rounded() <= budget
        })
    }

    fn purses(&self) -> Vec<Account> {
        let of = |purse: usize| {
            self.jobs_of(purse)
                .map(|job| (job, self.jobs[job].iter().map(|candidate| candidate.cost).collect()))
                .collect()
        };
        let budgets = self.purses.iter().enumerate();
        budgets.map(|(purse, &(budget, _))| Account { budget, costs: of(purse) }).collect()
    }

    fn problem(&self) -> Result<ConflictProblem, crate::target::Fault> {
        let jobs = self.jobs.iter().map(|job| {
            let of = |case: &CandidateCase| Candidate {
                objective: case.objective,
                weight: case.weight,
                uses: case
                    .claims
                    .iter()
                    .map(|&(resource, start, end)| ResourceUse { resource, start, end })
                    .collect(),
            };
            job.iter().map(of).collect()
        });
        let problem = part(ConflictProblem::new(jobs.collect(), self.limit.unwrap_or(f64::INFINITY)))?;
        let start = StartPrices {
            multiplier: self.multiplier,
            accounts: self.purses.iter().map(|purse| purse.1).collect(),
            prices: self.prices.clone(),
        };
        let problem = part(problem.with_accounts(&self.purses()))?.with_start_prices(start);
        Ok(match &self.incumbent {
            Some(picks) => problem.with_incumbent(picks.clone()),
            None => problem,
        })
    }

    /// Checks what must hold for every answer.
    fn valid(&self, choice: &ConflictChoice) -> Verdict {
        ensure!(choice.picks.len() == self.jobs.len(), "{} picks", choice.picks.len());
        let mut chosen: Vec<&CandidateCase> = Vec::new();
        for (job, pick) in self.jobs.iter().zip(&choice.picks) {
            let Some(pick) = *pick else { continue };
            let Some(candidate) = job.get(pick) else {
                ensure!(false, "picks {:?}", choice.picks);
                continue;
            };
            ensure!(chosen.iter().all(|other| !other.excludes(candidate)), "conflict: {:?}", choice.picks);
            chosen.push(candidate);
        }
        let (objective, weight) = (
            self.sum(&choice.picks, |candidate| candidate.objective),
            self.sum(&choice.picks, |candidate| candidate.weight),
        );
        ensure!(
            (choice.objective, choice.weight) == (objective, weight),
            "sums are not exact: {:?}, are {:?}",
            (choice.objective, choice.weight),
            (objective, weight)
        );
        let limit = self.limit.unwrap_or(f64::INFINITY);
        ensure!(weight <= limit || choice.placed() == 0, "above the limit: {weight:?} > {limit:?}");
        ensure!(self.keeps_purses(&choice.picks) || choice.placed() == 0, "a purse: {:?}", choice.picks);
        Ok(())
    }
}

impl Target for Conflicts {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let (objective, weight, cost) = (Family::any(rng), Family::any(rng), Family::any(rng));
        let own_cost = rng.percent(50);
        let signed = rng.percent(15);
        let resources = rng.range(1, 3);
        let decimal = rng.percent(40);
        let count = rng.range(1, 5);
        let jobs: Vec<Vec<CandidateCase>> = (0..count)
            .map(|_| {
                let candidates = rng.below(if count > 4 { 4 } else { 5 });
                (0..candidates)
                    .map(|_| {
                        let claims = (0..rng.range(0, 2))
                            .map(|_| {
                                let start = rng.below(8) as f64;
                                let length = rng.below(5) as f64 + f64::from(!rng.percent(3));
                                let unit = if decimal { 0.1 } else { 1.0 };
                                (rng.below(resources) as u32, start * unit, (start + length) * unit)
                            })
                            .collect();
                        let sign = if signed && rng.percent(40) { -1.0 } else { 1.0 };
                        CandidateCase {
                            objective: sign * objective.draw(rng),
                            weight: if signed && rng.percent(20) { -1.0 } else { 1.0 } * weight.draw(rng),
                            claims,
                            cost: if own_cost { cost.draw(rng) } else { 0.0 },
                        }
                    })
                    .collect()
            })
            .collect();
        let some: Vec<Option<usize>> = jobs
            .iter()
            .map(|job| (!job.is_empty() && rng.percent(80)).then(|| rng.below(job.len())))
            .collect();
        let sum = Exact::of(jobs.iter().zip(&some).filter_map(|(job, pick)| Some(job[(*pick)?].weight)));
        let mut prices = Vec::new();
        for _ in 0..rng.below(4) {
            prices.push((rng.below(resources + 1) as u32, rng.below(9) as f64, objective.draw(rng)));
        }
        let users = if own_cost { rng.range(1, 2) } else { 0 };
        let purse_of: Vec<Option<usize>> =
            jobs.iter().map(|_| (users > 0 && rng.percent(85)).then(|| rng.below(users))).collect();
        let purses = (0..users)
            .map(|user| {
                let own = jobs.iter().zip(&some).zip(&purse_of).filter(|(_, purse)| **purse == Some(user));
                let spent = Exact::of(own.filter_map(|((job, pick), _)| Some(job[(*pick)?].cost))).rounded();
                (limit_near(rng, spent), if rng.percent(70) { 0.0 } else { objective.draw(rng) })
            })
            .collect();
        Case {
            purses,
            purse_of,
            limit: rng.percent(70).then(|| limit_near(rng, sum.rounded())),
            incumbent: rng.percent(30).then_some(some),
            multiplier: if rng.percent(80) { 0.0 } else { weight.draw(rng) },
            prices,
            work: rng.below(400) as u64,
            jobs,
        }
    }

    fn judge(case: &Case) -> Verdict {
        let problem = case.problem()?;
        let limit = case.limit.unwrap_or(f64::INFINITY);
        let mut best: Option<(usize, f64)> = None;
        let mut least = vec![f64::INFINITY; case.jobs.len() + 1];
        for picks in all_choices(&case.jobs) {
            if case.sum(&picks, |candidate| candidate.weight) > limit || !case.keeps_purses(&picks) {
                continue;
            }
            let left_out = picks.iter().filter(|pick| pick.is_none()).count();
            let objective = case.sum(&picks, |candidate| candidate.objective);
            least[left_out] = least[left_out].min(objective);
            if best.is_none_or(|best| left_out < best.0 || left_out == best.0 && objective < best.1) {
                best = Some((left_out, objective));
            }
        }
        for work in [u64::MAX, case.work] {
            let within = Limit::default().with_work(work);
            let choice = problem.solve(&mut within.meter());
            case.valid(&choice)?;
            let left_out = case.jobs.len() - choice.placed();
            let Some(best) = best else { continue };
            let limited = choice.weight > limit || !case.keeps_purses(&choice.picks);
            if choice.end == End::Done {
                ensure!(
                    (left_out, choice.objective) == best,
                    "not the best: {left_out} left out at {:?}, best {best:?}",
                    choice.objective
                );
            }
            if choice.most_jobs && !limited {
                ensure!(left_out == best.0, "most jobs: {left_out} left out, best {}", best.0);
            }
            if let (Some(bound), false) = (choice.bound, limited) {
                ensure!(
                    bound <= least[left_out],
                    "the bound {bound:?} is above {:?} with {left_out} left out",
                    least[left_out]
                );
            }
            ensure!(work != u64::MAX || choice.end == End::Done, "few choices, and {}", choice.end);
            ensure!(choice.work <= work, "{} units of work, allowed {work}", choice.work);
        }
        Ok(())
    }
}
