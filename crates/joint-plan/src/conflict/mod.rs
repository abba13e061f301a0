//! The choice among alternatives that conflict: one for each job, such that no two hold a resource at the same instant.
//!
//! Source: the problem is a set packing problem with one row per job (L. Wolsey: *Integer Programming*, 1998). The
//! bound is its Lagrangian relaxation, improved by subgradient steps at the root and at each node of the tree.
//! Candidates whose reduced objective raises the bound to the incumbent are dropped. If the incumbent is far above the
//! bound, few are dropped; the search then runs below a series of rising ceilings, and a ceiling below which there is
//! no choice is a bound. The search branches on the job with the fewest candidates that could still be in a better
//! choice.
//!
//! Terms. *Candidate*: an alternative of a job. *Clique*: candidates that hold one resource just before one instant; at
//! most one of them can be chosen. *Account*: a budget that several jobs share. *Price*: the dual value of a clique.
//! *Multiplier*: the dual value of the limit or of an account. *Reduced objective*: objective + multiplier * weight +
//! multiplier of the account * cost + the prices of the candidate's cliques. *Incumbent*: the best choice so far.

mod branch;
mod cliques;
mod node;
mod prices;
mod survey;
use crate::accounts::Accounts;
use batch_dp::BatchError;
use branch::{Search, good_enough};
use cliques::Conflicts;
use sched_model::internal::{affordable, exact_sum};
use sched_model::{End, Meter, Window};

/// A resource that a candidate holds during `[start, end)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResourceUse {
    /// The resource, for example a node.
    pub resource: u32,
    /// The first instant at which the resource is held.
    pub start: f64,
    /// The first instant at which it is no longer held.
    pub end: f64,
}

/// An alternative of a job, with the resources that it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The objective: its sum over all jobs is minimised.
    pub objective: f64,
    /// The amount of the limited quantity: its sum over all jobs is limited.
    pub weight: f64,
    /// The cost to the account of the job, if the job has one; at least 0.
    pub cost: f64,
    /// The resources that the candidate holds.
    pub uses: Vec<ResourceUse>,
}

impl Candidate {
    /// Creates the candidate of a window, which holds the node of each placement until the placement ends.
    pub fn of_window(window: &Window, objective: f64, weight: f64) -> Self {
        let start = window.start().get();
        let uses = window.placements().iter();
        let uses = uses.map(|p| ResourceUse { resource: p.node.0, start, end: p.end.get() }).collect();
        Self { objective, weight, cost: window.cost().get(), uses }
    }
}

/// The problem of choosing at most one candidate of each job, such that no two chosen candidates conflict, the sum of
/// the weights is at most a limit, and the budgets of accounts are kept. The number of placed jobs is maximised first,
/// then the sum of objectives is minimised.
///
/// * **Guarantee**: exact if [`ConflictChoice::end`] is [`End::Done`]; within the gap of the limit if it is
///   [`End::Gap`]; otherwise the best choice found, with a bound. If [`ConflictChoice::most_jobs`] is true, as
///   many jobs as possible are placed. Sums of objectives and weights are exact sums, rounded once. Decimal
///   objectives such as tenths have sums that differ only by rounding, so there are many near-optimal choices; a
///   gap of 10^-9 avoids the search among them.
/// * **Complexity**: the problem is NP-hard. With `a` candidates and `c` pairs of a candidate and one of its
///   cliques: conflicts take `a^2 / 8` bytes, a subgradient step O(a + c) time, a branch O(a) time.
/// * **Ties**: among choices with equal sums the one found first; the order of the search depends only on the
///   input.
/// * **Errors**: [`BatchError::Value`] for a number that is not finite or above 10^120 in magnitude,
///   [`BatchError::Limit`] for a limit that is NaN, [`BatchError::TooManyAlternatives`] for more than 2^32 - 2
///   candidates.
///
/// ```
/// use joint_plan::internal::{Candidate, ResourceUse, ConflictProblem};
/// use sched_model::{End, Limit};
/// let on = |resource, start, end, objective| {
///     Candidate { objective, weight: 0.0, cost: 0.0, uses: vec![ResourceUse { resource, start, end }] }
/// };
/// // Both jobs prefer resource 1, at overlapping times; the second job loses less on resource 2.
/// let jobs = vec![
///     vec![on(1, 0.0, 10.0, 5.0), on(2, 0.0, 10.0, 9.0)],
///     vec![on(1, 5.0, 12.0, 4.0), on(2, 0.0, 7.0, 6.0)],
/// ];
/// let choice = ConflictProblem::new(jobs, f64::INFINITY)?.solve(&mut Limit::default().meter());
/// assert_eq!(choice.picks, [Some(0), Some(1)]);
/// assert_eq!((choice.objective, choice.end), (11.0, End::Done));
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct ConflictProblem {
    /// The index of the first candidate of each job, then the number of all candidates.
    offsets: Vec<usize>,
    candidates: Vec<Candidate>,
    /// The job of each candidate.
    job_of: Vec<u32>,
    limit: f64,
    accounts: Accounts,
    start: Option<StartPrices>,
    incumbent: Option<Vec<Option<usize>>>,
    /// If finite, only choices that place all jobs with candidates at an objective below this one are searched.
    below: f64,
}

/// Dual values to start from. They change the number of steps, not the quality of the answer. A value that is not
/// positive and finite counts as 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StartPrices {
    /// The multiplier of the limit.
    pub multiplier: f64,
    /// The multiplier of each account; missing ones are 0.
    pub accounts: Vec<f64>,
    /// The prices of cliques as (resource, instant, price): a candidate that holds the resource just before the instant
    /// pays the price.
    pub prices: Vec<(u32, f64, f64)>,
}

/// The work of a pass below a ceiling, per pair of a candidate and a job. It does not depend on the limit, so a search
/// under a smaller limit takes the first steps of the same search.
const WORK_OF_A_PASS: u64 = 50;

/// A choice, and what the search has proven about it.
#[derive(Debug, Clone, PartialEq)]
pub struct ConflictChoice {
    /// The candidate of each job, by position; `None` for a job that is left out.
    pub picks: Vec<Option<usize>>,
    /// The sum of the objectives.
    pub objective: f64,
    /// The sum of the weights.
    pub weight: f64,
    /// Whether the number of placed jobs is proven to be the maximum.
    pub most_jobs: bool,
    /// A lower bound of the objective of every choice of as many jobs; `None` if there is none.
    pub bound: Option<f64>,
    /// The reason why the search ended.
    pub end: End,
    /// The work spent; one unit is about one step over a candidate.
    pub work: u64,
}

impl ConflictChoice {
    /// Number of jobs placed.
    pub fn placed(&self) -> usize {
        self.picks.iter().flatten().count()
    }
}

impl ConflictProblem {
    /// Creates a problem with the candidates of each job, and a limit on the sum of their weights, which may be
    /// infinite.
    ///
    /// # Errors
    /// [`BatchError`], as listed at [`ConflictProblem`].
    pub fn new(jobs: Vec<Vec<Candidate>>, limit: f64) -> Result<Self, BatchError> {
        if limit.is_nan() {
            return Err(BatchError::Limit { what: "limit of weights" });
        }
        let mut offsets = vec![0];
        let (mut candidates, mut job_of) = (Vec::new(), Vec::new());
        for (job, list) in jobs.into_iter().enumerate() {
            for (alternative, candidate) in list.iter().enumerate() {
                let uses = candidate.uses.iter().flat_map(|held| [held.start, held.end]);
                let mut numbers =
                    [candidate.objective, candidate.weight, candidate.cost].into_iter().chain(uses);
                if let Some(value) = numbers.find(|value| !(value.abs() <= 1e120)) {
                    let what = "number of a candidate";
                    return Err(BatchError::Value { what, job, alternative, value });
                }
            }
            candidates.extend(list);
            job_of.resize(candidates.len(), job as u32);
            offsets.push(candidates.len());
        }
        let most = u32::MAX as usize - 1;
        if candidates.len() > most {
            return Err(BatchError::TooManyAlternatives { most });
        }
        Ok(Self {
            offsets,
            candidates,
            job_of,
            limit,
            accounts: Accounts::default(),
            start: None,
            incumbent: None,
            below: f64::INFINITY,
        })
    }

    /// Sets accounts that jobs share: the chosen candidates of the jobs of an account cost at most its budget together.
    /// `of_job` has, for each job, the position of the budget from which it pays, if any; it may be empty if no job
    /// pays.
    pub fn with_accounts(self, of_job: &[Option<usize>], budgets: &[f64]) -> Self {
        Self { accounts: Accounts { of_job: of_job.to_vec(), budgets: budgets.to_vec() }, ..self }
    }

    /// Sets dual values to start from.
    pub fn with_start_prices(self, start: StartPrices) -> Self {
        Self { start: Some(start), ..self }
    }

    /// Sets a choice to start from: the position of the candidate of each job, `None` for a job that is left out. A
    /// choice that has conflicts, breaks a limit or names a candidate that does not exist is ignored.
    pub fn with_incumbent(self, picks: Vec<Option<usize>>) -> Self {
        Self { incumbent: Some(picks), ..self }
    }

    /// Number of jobs.
    pub fn jobs(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Finds the best choice within the limit of a meter. A search that is stopped returns the best choice found, with
    /// a bound. On return, the memory reserved at the meter is released.
    pub fn solve(&self, meter: &mut Meter) -> ConflictChoice {
        let before = meter.work();
        let found = meter.scratch(|meter| self.search(meter));
        // Candidates were dropped only if they cannot be in a choice below this objective, so the bound is at most
        // that.
        let highest = good_enough(meter.limit(), found.objective);
        let bound = found.bound.map(|bound| bound.min(highest)).filter(|bound| bound.is_finite());
        let near = found.end == End::Done && highest < found.objective;
        let end = if near { End::Gap } else { found.end };
        ConflictChoice { bound, end, work: meter.work() - before, ..found }
    }

    /// Searches for the best choice; its `work` is not yet set.
    fn search(&self, meter: &mut Meter) -> ConflictChoice {
        let conflicts = match Conflicts::of(self, meter) {
            Ok(conflicts) => conflicts,
            Err(end) => return self.choice(vec![None; self.jobs()], None, false, end),
        };
        let mut search = Search::new(self, &conflicts, meter.limit().clone());
        let ended = search.begin(meter).and_then(|()| {
            if self.below == f64::INFINITY && self.passes(&mut search, meter)? {
                Ok(())
            } else {
                search.run(meter)
            }
        });
        let picks = search.picks();
        let bound = search.bound(ended.is_ok(), &picks);
        let most_jobs = ended.is_ok() || search.most_jobs(&picks);
        self.choice(picks, bound, most_jobs, ended.err().unwrap_or(End::Done))
    }

    /// Searches below rising ceilings, from a little above the bound up to the incumbent: the lower the ceiling, the
    /// fewer candidates remain. A ceiling below which there is no choice is a bound. Returns whether the incumbent is
    /// proven optimal; `false` if a pass needs too much work or keeps too many candidates.
    ///
    /// # Errors
    /// The reason why the search stopped before the proof.
    fn passes(&self, search: &mut Search<'_>, meter: &mut Meter) -> Result<bool, End> {
        let Some(mut height) = search.first_height() else { return Ok(false) };
        loop {
            let ceiling = search.ceiling();
            if search.root >= ceiling {
                return Ok(true);
            }
            let below = (search.root + height).min(ceiling);
            let useful = search.useful(below);
            if useful.len() > self.candidates.len() * 2 / 3 {
                return Ok(false);
            }
            let part = Self { below, ..self.of_some(&useful, search.to_start()) };
            let share = WORK_OF_A_PASS * (self.candidates.len() * self.jobs()) as u64;
            let found = meter.within(share, |meter| part.solve(meter));
            let picks = found.picks.iter().zip(&part.offsets);
            search.offer(picks.map(|(pick, first)| Some(useful[first + (*pick)?])).collect());
            if !matches!(found.end, End::Done | End::Gap) {
                return meter.ended().map_or(Ok(false), Err);
            }
            if search.ceiling() < below {
                return Ok(true);
            }
            search.raise(below);
            height *= 2.0;
        }
    }

    /// The problem with only the candidates of these indices, which are ascending.
    fn of_some(&self, kept: &[u32], start: StartPrices) -> Self {
        let position = |index: usize| kept.partition_point(|&other| (other as usize) < index);
        Self {
            candidates: kept.iter().map(|&index| self.candidates[index as usize].clone()).collect(),
            offsets: self.offsets.iter().map(|&offset| position(offset)).collect(),
            job_of: kept.iter().map(|&index| self.job_of[index as usize]).collect(),
            limit: self.limit,
            accounts: self.accounts.clone(),
            start: Some(start),
            incumbent: None,
            below: f64::INFINITY,
        }
    }

    /// Creates the result of a search that ended with these picks.
    fn choice(
        &self,
        picks: Vec<Option<usize>>,
        bound: Option<f64>,
        most_jobs: bool,
        end: End,
    ) -> ConflictChoice {
        let chosen: Vec<&Candidate> = self.chosen(&picks).collect();
        let objective = exact_sum(chosen.iter().map(|candidate| candidate.objective));
        let weight = exact_sum(chosen.iter().map(|candidate| candidate.weight));
        ConflictChoice { picks, objective, weight, most_jobs, bound, end, work: 0 }
    }

    /// The picked candidates.
    fn chosen<'a>(&'a self, picks: &'a [Option<usize>]) -> impl Iterator<Item = &'a Candidate> + Clone {
        let at = picks.iter().zip(&self.offsets);
        at.filter_map(|(pick, first)| pick.map(|pick| &self.candidates[first + pick]))
    }

    /// Whether the candidates of these indices together keep the limit and the budgets.
    fn keeps_to_limit(&self, indices: impl Iterator<Item = u32> + Clone) -> bool {
        let weights = indices.clone().map(|index| self.candidates[index as usize].weight);
        affordable(weights, self.limit) && self.keeps_budgets(indices)
    }

    /// Whether the candidates of these indices together keep the budgets.
    fn keeps_budgets(&self, indices: impl Iterator<Item = u32> + Clone) -> bool {
        self.accounts.allow(indices.filter_map(|index| self.cost(index)))
    }

    /// The account of a candidate, and its cost to the account.
    fn cost(&self, index: u32) -> Option<(usize, f64)> {
        let account = self.accounts.of(self.job_of[index as usize] as usize)?;
        Some((account, self.candidates[index as usize].cost))
    }
}
