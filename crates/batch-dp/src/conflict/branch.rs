//! Branch and bound over the jobs.
//!
//! Levels: first all jobs are to be placed, then all but one, and so on, so that the first level with a
//! choice places the most jobs. Within a level, the job with the fewest candidates of use is branched on, its
//! candidates in order of reduced objective. A candidate is of use while the bound with it stays below the
//! incumbent. `survey` says which are.
//!
//! | word | meaning |
//! |---|---|
//! | level, allowance | how many jobs may be left out in the present search |
//! | node, depth | a set of decisions on some jobs, and their number |
//! | stuck | an undecided job of which no candidate is allowed any more: it must be left out |
//! | spare | how many more jobs may be left out below a node |
//! | ceiling | the objective below which a choice must be to replace the incumbent |
//! | root | the bound before any decision: the constant of the prices, less what rounding can change |

use super::node::{Open, Partial, Survey, clear, is_set};
use super::{ConflictProblem, cliques::Conflicts, prices::Prices};
use sched_model::{End, Meter, SumFilter, exact_sum, plain_sum_error};

pub(super) struct Search<'a> {
    pub(super) problem: &'a ConflictProblem,
    pub(super) conflicts: &'a Conflicts,
    pub(super) prices: &'a Prices,
    /// Candidates of each job, by reduced objective.
    pub(super) order: Vec<Vec<u32>>,
    /// Jobs without candidates.
    empty: usize,
    /// Jobs that can be left out at the present level. No choice leaves out fewer: the levels below were
    /// searched.
    pub(super) allowance: usize,
    /// The most by which a plain sum of weights can be off.
    pub(super) weight_error: f64,
    incumbent: Option<Incumbent>,
    /// Bits of candidates that nothing chosen excludes, for each depth.
    pub(super) allowed: Vec<Vec<u64>>,
}

/// Why a search does not go on.
pub(super) enum Stop {
    Limit(End),
    /// Candidates with which a choice can be better than the incumbent, and those of the incumbent.
    Smaller(Vec<u32>),
}

impl From<End> for Stop {
    fn from(end: End) -> Self {
        Self::Limit(end)
    }
}

struct Incumbent {
    picks: Vec<Option<u32>>,
    left_out: usize,
    objective: f64,
}

impl<'a> Search<'a> {
    pub(super) fn new(problem: &'a ConflictProblem, conflicts: &'a Conflicts, prices: &'a Prices) -> Self {
        let order: Vec<Vec<u32>> = (problem.offsets.windows(2))
            .map(|range| {
                let mut list: Vec<u32> = (range[0] as u32..range[1] as u32).collect();
                let reduced = |index: &u32| prices.reduced[*index as usize];
                list.sort_by(|a, b| reduced(a).total_cmp(&reduced(b)).then(a.cmp(b)));
                list
            })
            .collect();
        let empty = order.iter().filter(|list| list.is_empty()).count();
        let words = problem.candidates.len().div_ceil(64);
        let mut search = Self {
            problem,
            conflicts,
            prices,
            order,
            empty,
            allowance: empty,
            weight_error: weight_error(problem),
            incumbent: None,
            allowed: vec![vec![u64::MAX; words]],
        };
        search.take_given();
        search.greedy();
        search
    }

    /// The incumbent that the problem brings along, if it is a choice.
    fn take_given(&mut self) {
        let Some(given) = &self.problem.incumbent else { return };
        if given.len() != self.order.len() {
            return;
        }
        let mut allowed = self.allowed[0].clone();
        let mut picks = Vec::with_capacity(given.len());
        for (pick, range) in given.iter().zip(self.problem.offsets.windows(2)) {
            let Some(pick) = pick else {
                picks.push(None);
                continue;
            };
            let index = range[0].saturating_add(*pick);
            if index >= range[1] || !is_set(&allowed, index as u32) {
                return;
            }
            clear(&mut allowed, self.conflicts.row(index as u32));
            picks.push(Some(index as u32));
        }
        if self.problem.keeps_to_limit(picks.iter().flatten().copied()) {
            self.offer(picks);
        }
    }

    /// Where all jobs with candidates are to be placed: drops the candidates with which no choice falls below
    /// the incumbent.
    fn drop_useless(&mut self, root: f64) {
        let ceiling = self.ceiling();
        if self.allowance > self.empty || ceiling == f64::INFINITY {
            return;
        }
        let prices = self.prices;
        let reduced = |index: u32| prices.reduced[index as usize];
        let leasts: Vec<f64> =
            self.order.iter().filter_map(|list| list.first()).map(|&index| reduced(index)).collect();
        let bound = root + leasts.iter().sum::<f64>() - prices.margin;
        for list in &mut self.order {
            let Some(&first) = list.first() else { continue };
            let kept = list.partition_point(|&index| bound + (reduced(index) - reduced(first)) < ceiling);
            list.truncate(kept.max(1));
        }
    }

    /// Stops where a search among fewer candidates takes much less work.
    fn few_enough(&self) -> Result<(), Stop> {
        let (ceiling, count) = (self.ceiling(), self.problem.candidates.len());
        if self.allowance > self.empty || ceiling == f64::INFINITY || count < WORTH_ANEW {
            return Ok(());
        }
        let reduced = |index: u32| self.prices.reduced[index as usize];
        let lists = || self.order.iter().filter_map(|list| Some((list, reduced(*list.first()?))));
        let root = lists().map(|list| list.1).sum::<f64>() - self.prices.constant - self.prices.margin;
        let of_use = lists().flat_map(|(list, first)| {
            list.iter().copied().take_while(move |&index| root + (reduced(index) - first) < ceiling)
        });
        let mut of_use: Vec<u32> = of_use.collect();
        let chosen = self.incumbent.iter().flat_map(|incumbent| incumbent.picks.iter().flatten());
        of_use.extend(chosen);
        of_use.sort_unstable();
        of_use.dedup();
        if of_use.len() > count * 2 / 3 { Ok(()) } else { Err(Stop::Smaller(of_use)) }
    }

    /// A first incumbent: jobs in order of how few candidates they have, each at its best that still fits.
    fn greedy(&mut self) {
        let mut jobs: Vec<usize> = (0..self.order.len()).collect();
        jobs.sort_by_key(|&job| (self.order[job].len(), job));
        let mut picks: Vec<Option<u32>> = vec![None; self.order.len()];
        let mut allowed = self.allowed[0].clone();
        let filter = SumFilter::new(self.problem.limit, self.weight_error);
        let mut weight = 0.0;
        for job in jobs {
            for &candidate in &self.order[job] {
                if !is_set(&allowed, candidate) {
                    continue;
                }
                let chosen = picks.iter().flatten().copied().chain([candidate]);
                let with_it = weight + self.problem.candidates[candidate as usize].weight;
                let affords = filter.decide_or(with_it, || self.problem.keeps_to_limit(chosen.clone()))
                    && (self.problem.accounts.is_empty() || self.problem.accounts.are_kept_by(chosen));
                if affords {
                    weight = with_it;
                    picks[job] = Some(candidate);
                    clear(&mut allowed, self.conflicts.row(candidate));
                    break;
                }
            }
        }
        // Weights may be negative: a greedy choice can still break the limit only where it holds nothing at
        // all.
        if self.problem.keeps_to_limit(picks.iter().flatten().copied()) {
            self.offer(picks);
        }
    }

    /// Searches level by level.
    ///
    /// # Errors
    /// Why it stopped before the proof.
    pub(super) fn run(&mut self, meter: &mut Meter<'_>) -> Result<(), Stop> {
        let jobs = self.order.len();
        let (depths, words) = (jobs.min(DEEPEST) + 2, self.allowed[0].len());
        meter.reserve_items::<u64>(depths.saturating_mul(words))?;
        self.allowed.resize(depths, vec![0; words]);
        loop {
            if self.allowance > jobs {
                return Ok(());
            }
            let mut partial = Partial {
                picks: vec![None; jobs],
                decided: self.order.iter().map(Vec::is_empty).collect(),
                left_out: self.empty,
                reduced: -self.prices.constant,
                weight: 0.0,
                spent: vec![0.0; self.problem.accounts.budgets.len()],
            };
            self.few_enough()?;
            self.drop_useless(partial.reduced);
            self.descend(0, &mut partial, meter)?;
            if self.incumbent.as_ref().is_some_and(|incumbent| incumbent.left_out <= self.allowance) {
                return Ok(());
            }
            self.allowance += 1;
        }
    }

    /// The objective that a choice at this level must fall below.
    pub(super) fn ceiling(&self) -> f64 {
        match &self.incumbent {
            Some(incumbent) if incumbent.left_out <= self.allowance => incumbent.objective,
            _ => f64::INFINITY,
        }
    }

    // As deep as jobs are decided on: bounded by `DEEPEST`.
    fn descend(&mut self, depth: usize, partial: &mut Partial, meter: &mut Meter<'_>) -> Result<(), Stop> {
        // Bits of all candidates, and bounds of all jobs.
        let (candidates, jobs) = (self.problem.candidates.len() as u64, self.order.len() as u64);
        meter.spend(1 + candidates / 16 + 4 * jobs)?;
        if depth > DEEPEST {
            return Err(Stop::Limit(End::Memory));
        }
        let Open { job, of_use, leave_out } = match self.survey(depth, partial) {
            Survey::Useless => return Ok(()),
            Survey::Decided => {
                let kept = self.problem.keeps_to_limit(partial.picks.iter().flatten().copied());
                let better = kept && self.offer(partial.picks.clone());
                return if better { self.few_enough() } else { Ok(()) };
            }
            Survey::Branch(open) => open,
        };
        partial.decided[job] = true;
        for candidate in of_use {
            let reduced = self.prices.reduced[candidate as usize];
            let weight = self.problem.candidates[candidate as usize].weight;
            let (head, tail) = self.allowed.split_at_mut(depth + 1);
            tail[0].copy_from_slice(&head[depth]);
            clear(&mut tail[0], self.conflicts.row(candidate));
            partial.picks[job] = Some(candidate);
            let before = (partial.reduced, partial.weight);
            partial.reduced += reduced;
            partial.weight += weight;
            let paid = self.problem.accounts.of_candidate(candidate).map(|(account, cost)| {
                let spent = partial.spent[account];
                partial.spent[account] = spent + cost;
                (account, spent)
            });
            let result = self.descend(depth + 1, partial, meter);
            (partial.reduced, partial.weight) = before;
            if let Some((account, spent)) = paid {
                partial.spent[account] = spent;
            }
            partial.picks[job] = None;
            result?;
        }
        if leave_out {
            let (head, tail) = self.allowed.split_at_mut(depth + 1);
            tail[0].copy_from_slice(&head[depth]);
            partial.left_out += 1;
            let result = self.descend(depth + 1, partial, meter);
            partial.left_out -= 1;
            result?;
        }
        partial.decided[job] = false;
        Ok(())
    }

    /// Takes a choice if it leaves out fewer jobs than the incumbent, or as many at a lesser objective. Says
    /// whether it did.
    fn offer(&mut self, picks: Vec<Option<u32>>) -> bool {
        let left_out = picks.iter().filter(|pick| pick.is_none()).count();
        let chosen = picks.iter().flatten().map(|&index| self.problem.candidates[index as usize].objective);
        let objective = exact_sum(chosen);
        let better = self.incumbent.as_ref().is_none_or(|incumbent| {
            left_out < incumbent.left_out || left_out == incumbent.left_out && objective < incumbent.objective
        });
        if better {
            self.incumbent = Some(Incumbent { picks, left_out, objective });
        }
        better
    }

    /// The incumbent by positions among the candidates of each job.
    pub(super) fn picks(&self) -> Vec<Option<usize>> {
        match &self.incumbent {
            None => vec![None; self.order.len()],
            Some(incumbent) => {
                let at = incumbent.picks.iter().zip(&self.problem.offsets);
                at.map(|(pick, first)| pick.map(|pick| pick as usize - first)).collect()
            }
        }
    }

    /// Whether no choice places more jobs than these picks.
    pub(super) fn most_jobs(&self, picks: &[Option<usize>]) -> bool {
        picks.iter().filter(|pick| pick.is_none()).count() <= self.allowance
    }

    /// A lower bound of the objective of any choice that places as many jobs as these picks.
    pub(super) fn bound(&self, proven: bool, picks: &[Option<usize>]) -> Option<f64> {
        let incumbent = self.incumbent.as_ref()?;
        if proven {
            return Some(incumbent.objective);
        }
        let left_out = picks.iter().filter(|pick| pick.is_none()).count();
        let mut leasts: Vec<f64> = self
            .order
            .iter()
            .filter_map(|list| list.first())
            .map(|&i| self.prices.reduced[i as usize])
            .collect();
        leasts.sort_unstable_by(|a, b| b.total_cmp(a));
        let kept: f64 = leasts.iter().sum();
        let saved: f64 =
            leasts.iter().take(left_out - self.empty.min(left_out)).map(|least| least.max(0.0)).sum();
        Some((kept - saved - self.prices.constant - self.prices.margin).min(incumbent.objective))
    }
}

/// The most by which a sum of one weight of each job, in any order and with sums taken back, can be off.
fn weight_error(problem: &ConflictProblem) -> f64 {
    let weights = problem.offsets.windows(2).map(|range| &problem.candidates[range[0]..range[1]]);
    let greatest = weights.map(|job| job.iter().map(|candidate| candidate.weight.abs()).fold(0.0, f64::max));
    plain_sum_error(2 * problem.jobs() + 2, greatest.sum())
}

/// Fewer candidates are not worth a new beginning; in tests against enumeration they are few.
const WORTH_ANEW: usize = if cfg!(test) { 4 } else { 96 };

/// Jobs that the search may be deep in: some hundreds of bytes of stack each.
const DEEPEST: usize = 500;
