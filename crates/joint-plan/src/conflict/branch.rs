//! Branch and bound over the jobs.
//!
//! The search proceeds by levels: the first places all jobs, the next all but one, and so on, so the first level with a
//! choice places the most jobs. Within a level, the search branches on the job with the fewest useful candidates, and
//! takes these in order of reduced objective. A candidate is useful while the bound of the choices with it is below the
//! ceiling. `prices` finds the prices of a node, `survey` the useful candidates.
//!
//! | word | meaning |
//! |---|---|
//! | level, allowance | the number of jobs that may be left out in the present search |
//! | node, depth | a set of decisions about some jobs, and the number of these jobs |
//! | stuck | an undecided job that has no candidate left, so that it must be left out |
//! | spare | the number of jobs that may still be left out below a node |
//! | ceiling | the objective below which a choice must be to replace the incumbent |
//! | root | the bound before any decision |
//! | lists | the candidates of each job that are still useful; for a decided job one or none |

use super::cliques::Conflicts;
use super::node::{Branches, Entry, Lists, Node, Survey, clear, is_set};
use super::prices::{Ascent, Magnitudes, Prices, Relaxed};
use super::{ConflictProblem, StartPrices};
use sched_model::internal::{SumFilter, exact_sum, plain_sum_error, sort};
use sched_model::{End, Limit, Meter};

/// The state of a search by branch and bound.
pub(super) struct Search<'a> {
    pub(super) problem: &'a ConflictProblem,
    pub(super) conflicts: &'a Conflicts,
    pub(super) ascent: Ascent<'a>,
    /// Number of jobs without candidates.
    pub(super) empty: usize,
    /// Number of jobs that may be left out at the present level. No choice leaves out fewer, because the levels before
    /// have been searched.
    pub(super) allowance: usize,
    /// The maximum error of a plain sum of weights.
    pub(super) weight_error: f64,
    /// For each account, the maximum error of a plain sum of costs.
    pub(super) cost_errors: Vec<f64>,
    /// The limit whose gap lowers the ceiling: choices that are better by no more than the gap are not searched.
    limit: Limit,
    incumbent: Option<Incumbent>,
    /// The candidates of all jobs and the prices, as found at the root of the level.
    lists: Lists,
    prices: Prices,
    /// A lower bound of the objective of every choice that places all jobs with candidates.
    pub(super) root: f64,
    /// If the search of a level was stopped, a lower bound of the choices of that level that it did not examine.
    unexamined: f64,
    unused: Vec<Lists>,
}

/// Why the search below a node stopped, and a lower bound of the choices there that it did not examine.
struct Unfinished {
    end: End,
    bound: f64,
}

impl From<End> for Unfinished {
    fn from(end: End) -> Self {
        Self { end, bound: f64::NEG_INFINITY }
    }
}

/// The best choice so far, as indices of candidates.
struct Incumbent {
    picks: Vec<Option<u32>>,
    left_out: usize,
    objective: f64,
}

impl<'a> Search<'a> {
    pub(super) fn new(problem: &'a ConflictProblem, conflicts: &'a Conflicts, limit: Limit) -> Self {
        let magnitudes = Magnitudes::of(problem, conflicts);
        let prices = Prices::start(problem, conflicts, &magnitudes);
        let mut lists = Lists::all(&problem.offsets);
        lists.reprice(|index| prices.reduced(problem, conflicts, index));
        let empty = (0..lists.jobs()).filter(|&job| lists.of(job).is_empty()).count();
        let mut search = Self {
            problem,
            conflicts,
            ascent: Ascent::new(problem, conflicts, magnitudes),
            empty,
            allowance: empty,
            weight_error: weight_error(problem),
            cost_errors: cost_errors(problem),
            limit,
            incumbent: None,
            lists,
            prices,
            root: f64::NEG_INFINITY,
            unexamined: f64::NEG_INFINITY,
            unused: Vec::new(),
        };
        search.root = Relaxed::of(&search.lists, 0, &search.prices).bound;
        search.take_given();
        search.greedy();
        search
    }

    pub(super) fn to_start(&self) -> StartPrices {
        self.prices.to_start(self.conflicts)
    }

    /// Takes over the incumbent given with the problem, if it is feasible.
    fn take_given(&mut self) {
        let Some(given) = &self.problem.incumbent else { return };
        if given.len() != self.problem.jobs() {
            return;
        }
        let mut allowed = self.all_allowed();
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

    /// A set of bits with every candidate.
    fn all_allowed(&self) -> Vec<u64> {
        vec![u64::MAX; self.problem.candidates.len().div_ceil(64)]
    }

    /// The candidates that can be in a choice below a ceiling that places all jobs with candidates.
    pub(super) fn useful(&self, ceiling: f64) -> Vec<u32> {
        let root = Relaxed::of(&self.lists, 0, &self.prices).bound;
        let lists = (0..self.lists.jobs()).filter_map(|job| Some((job, self.lists.least(job)?.reduced)));
        let useful = lists.flat_map(|(job, least)| {
            let list = self.lists.of(job).iter();
            list.filter(move |entry| root + (entry.reduced - least) < ceiling).map(|entry| entry.index)
        });
        useful.collect()
    }

    /// The height of the first ceiling above the root bound; `None` if no incumbent places all jobs.
    pub(super) fn first_height(&self) -> Option<f64> {
        Some((self.ceiling() - self.root) * FIRST_HEIGHT).filter(|height| height.is_finite())
    }

    /// Raises the root bound: no choice that places all jobs with candidates has a lower objective.
    pub(super) fn raise(&mut self, bound: f64) {
        self.root = self.root.max(bound);
    }

    /// Offers a greedy choice by the present prices: takes the jobs in ascending order of their number of candidates,
    /// each with its best candidate that still fits.
    fn greedy(&mut self) {
        let mut jobs: Vec<usize> = (0..self.lists.jobs()).collect();
        sort(&mut jobs, &|&a, &b| self.lists.of(a).len().cmp(&self.lists.of(b).len()));
        let mut picks: Vec<Option<u32>> = vec![None; jobs.len()];
        let mut allowed = self.all_allowed();
        let filter = SumFilter::new(self.problem.limit, self.weight_error);
        let mut weight = 0.0;
        for job in jobs {
            for Entry { index: candidate, .. } in by_reduced(self.lists.of(job).to_vec()) {
                if !is_set(&allowed, candidate) {
                    continue;
                }
                let chosen = picks.iter().flatten().copied().chain([candidate]);
                let with_it = weight + self.problem.candidates[candidate as usize].weight;
                let affords = filter.decide_or(with_it, || self.problem.keeps_to_limit(chosen.clone()))
                    && self.problem.keeps_budgets(chosen);
                if affords {
                    weight = with_it;
                    picks[job] = Some(candidate);
                    clear(&mut allowed, self.conflicts.row(candidate));
                    break;
                }
            }
        }
        // This fails only for an empty choice under a negative limit or budget.
        if self.problem.keeps_to_limit(picks.iter().flatten().copied()) {
            self.offer(picks);
        }
    }

    /// Searches level by level.
    ///
    /// # Errors
    /// Why the search stopped before the proof.
    pub(super) fn run(&mut self, meter: &mut Meter) -> Result<(), End> {
        let jobs = self.lists.jobs();
        loop {
            if self.allowance > jobs || self.problem.below < f64::INFINITY && self.allowance > self.empty {
                return Ok(());
            }
            let mut node = Node {
                decided: (0..jobs).map(|job| self.lists.of(job).is_empty()).collect(),
                left_out: self.empty,
                lists: self.lists.clone(),
            };
            let prices = self.prices.clone();
            if let Err(Unfinished { end, bound }) = self.descend(0, &mut node, &prices, meter) {
                self.unexamined = bound;
                return Err(end);
            }
            if self.incumbent.as_ref().is_some_and(|incumbent| incumbent.left_out <= self.allowance) {
                return Ok(());
            }
            self.allowance += 1;
        }
    }

    /// Finds prices of the root, with greedy choices on the way.
    ///
    /// # Errors
    /// The reason why the search stopped.
    pub(super) fn begin(&mut self, meter: &mut Meter) -> Result<(), End> {
        meter.reserve_items::<Entry>(self.lists.len())?;
        for _ in 0..ROUNDS {
            let (before, ceiling) = (self.root, self.ceiling());
            let lists = &mut self.lists;
            let climbed = self.ascent.climb(lists, 0, &self.prices, STEPS_OF_A_ROUND, ceiling, meter);
            if let Some((prices, bound)) = climbed.best {
                (self.prices, self.root) = (prices, bound.max(before));
            }
            if let Some(end) = climbed.end {
                return Err(end);
            }
            self.greedy();
            if self.root >= self.ceiling()
                || climbed.is_optimal
                || self.root - before <= MIN_RISE * before.abs()
            {
                break;
            }
        }
        Ok(())
    }

    /// The objective that a choice at this level must stay below.
    pub(super) fn ceiling(&self) -> f64 {
        match &self.incumbent {
            Some(incumbent) if incumbent.left_out <= self.allowance => {
                good_enough(&self.limit, incumbent.objective).min(self.problem.below)
            }
            _ => self.problem.below,
        }
    }

    /// Searches the choices below a node. The recursion is as deep as the number of decided jobs, at most `MAX_DEPTH`.
    fn descend(
        &mut self,
        depth: usize,
        node: &mut Node,
        prices: &Prices,
        meter: &mut Meter,
    ) -> Result<(), Unfinished> {
        meter.spend(1 + node.lists.len() as u64 / 4 + node.lists.jobs() as u64)?;
        if depth > MAX_DEPTH {
            return Err(End::Memory.into());
        }
        let Some(mut branches) = self.surveyed(node, prices) else { return Ok(()) };
        let mut sharper = None;
        if depth > 0 && node.lists.len() >= MIN_CANDIDATES_FOR_STEPS * node.lists.jobs() {
            let ceiling = self.ceiling();
            let spare = self.allowance.saturating_sub(node.left_out);
            let climbed = self.ascent.climb(&mut node.lists, spare, prices, STEPS, ceiling, meter);
            if let Some(end) = climbed.end {
                return Err(end.into());
            }
            if let Some((prices, _)) = climbed.best {
                let Some(anew) = self.surveyed(node, sharper.insert(prices)) else { return Ok(()) };
                branches = anew;
            }
        }
        self.branch(depth, node, sharper.as_ref().unwrap_or(prices), branches, meter)
    }

    /// Descends to a child of the node for each useful candidate and, if allowed, to one in which the job is left out.
    fn branch(
        &mut self,
        depth: usize,
        node: &mut Node,
        prices: &Prices,
        branches: Branches,
        meter: &mut Meter,
    ) -> Result<(), Unfinished> {
        let Branches { job, useful, leave_out, bound, least } = branches;
        let with = |entry: &Entry| bound + (entry.reduced - least);
        let left_out = if leave_out { bound } else { f64::INFINITY };
        meter.reserve_items::<Entry>(node.lists.len())?;
        let mut lists = self.unused.pop().unwrap_or_default();
        let children = useful.iter().map(Some).chain(leave_out.then_some(None));
        node.decided[job] = true;
        let mut result = Ok(());
        for (number, child) in children.enumerate() {
            let chosen = child.map(|entry| entry.index);
            let row = chosen.map(|index| self.conflicts.row(index));
            lists.take_from(&node.lists, |other, entry| {
                if other == job {
                    chosen == Some(entry.index)
                } else {
                    row.is_none_or(|row| !is_set(row, entry.index))
                }
            });
            let mut below = Node {
                lists: std::mem::take(&mut lists),
                decided: std::mem::take(&mut node.decided),
                left_out: node.left_out + usize::from(chosen.is_none()),
            };
            result = self.descend(depth + 1, &mut below, prices, meter);
            (lists, node.decided) = (below.lists, below.decided);
            if let Err(unfinished) = &mut result {
                let rest = useful.get(number + 1).map_or(f64::INFINITY, with).min(left_out);
                unfinished.bound = unfinished.bound.max(child.map_or(bound, with)).min(rest);
                break;
            }
        }
        node.decided[job] = false;
        self.unused.push(lists);
        meter.release_items::<Entry>(node.lists.len());
        result
    }

    /// The branches at a node; `None` if no choice below it is better, or if all jobs are decided, in which case the
    /// choice is offered.
    fn surveyed(&mut self, node: &Node, prices: &Prices) -> Option<Branches> {
        match self.survey(node, prices) {
            Survey::Useless => {}
            Survey::Branch(branches) => return Some(branches),
            Survey::Decided => {
                let of_job = |job| Some(node.lists.of(job).first()?.index);
                let picks: Vec<Option<u32>> = (0..node.lists.jobs()).map(of_job).collect();
                if self.problem.keeps_to_limit(picks.iter().flatten().copied()) {
                    self.offer(picks);
                }
            }
        }
        None
    }

    /// Makes a choice the incumbent if it leaves out fewer jobs, or as many at a lower objective.
    pub(super) fn offer(&mut self, picks: Vec<Option<u32>>) {
        let left_out = picks.iter().filter(|pick| pick.is_none()).count();
        let chosen = picks.iter().flatten().map(|&index| self.problem.candidates[index as usize].objective);
        let objective = exact_sum(chosen);
        let better = self.incumbent.as_ref().is_none_or(|incumbent| {
            left_out < incumbent.left_out || left_out == incumbent.left_out && objective < incumbent.objective
        });
        if better {
            self.incumbent = Some(Incumbent { picks, left_out, objective });
        }
    }

    /// The incumbent, as positions among the candidates of each job.
    pub(super) fn picks(&self) -> Vec<Option<usize>> {
        match &self.incumbent {
            None => vec![None; self.problem.jobs()],
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

    /// A lower bound of the objective of every choice that places as many jobs as `picks`.
    pub(super) fn bound(&self, proven: bool, picks: &[Option<usize>]) -> Option<f64> {
        let incumbent = self.incumbent.as_ref()?;
        let left_out = picks.iter().filter(|pick| pick.is_none()).count();
        let spare = left_out.saturating_sub(self.empty);
        let mut bound = Relaxed::of(&self.lists, spare, &self.prices).bound;
        if spare == 0 {
            bound = bound.max(self.root);
        }
        if left_out <= self.allowance {
            bound = bound.max(if proven { self.ceiling() } else { self.unexamined });
        }
        Some(bound.min(incumbent.objective))
    }
}

/// The objective below which a choice is better than `objective` by more than the gap of the limit.
pub(super) fn good_enough(limit: &Limit, objective: f64) -> f64 {
    objective - limit.absolute_gap.max(limit.relative_gap * objective.abs()).max(0.0)
}

/// Sorts entries by reduced objective; ties by index.
pub(super) fn by_reduced(mut entries: Vec<Entry>) -> Vec<Entry> {
    sort(&mut entries, &|a, b| a.reduced.total_cmp(&b.reduced).then(a.index.cmp(&b.index)));
    entries
}

/// The maximum rounding error of a sum of one weight per job, in any order, including subtractions.
fn weight_error(problem: &ConflictProblem) -> f64 {
    let weights = problem.offsets.windows(2).map(|range| &problem.candidates[range[0]..range[1]]);
    let magnitudes =
        weights.map(|job| job.iter().map(|candidate| candidate.weight.abs()).fold(0.0, f64::max));
    plain_sum_error(2 * problem.jobs() + 2, magnitudes.sum())
}

/// For each account, the maximum rounding error of a sum of one cost per job, in any order, including subtractions.
fn cost_errors(problem: &ConflictProblem) -> Vec<f64> {
    let mut magnitudes = vec![0.0; problem.accounts.budgets.len()];
    for (job, range) in problem.offsets.windows(2).enumerate() {
        if let Some(account) = problem.accounts.of(job) {
            let costs = problem.candidates[range[0]..range[1]].iter().map(|candidate| candidate.cost);
            magnitudes[account] += costs.fold(0.0, f64::max);
        }
    }
    magnitudes.into_iter().map(|sum| plain_sum_error(2 * problem.jobs() + 2, sum)).collect()
}

/// The maximum number of rounds of steps at the root, each followed by a greedy choice.
const ROUNDS: usize = 10;
/// The maximum number of steps of a round.
const STEPS_OF_A_ROUND: usize = 40;
/// The maximum number of steps at a node below the root.
const STEPS: usize = 12;
/// The average number of candidates per job from which steps at a node are worthwhile; with fewer, the search only
/// branches.
const MIN_CANDIDATES_FOR_STEPS: usize = 3;
/// A round that raises the bound by no more than this fraction is the last one.
const MIN_RISE: f64 = 1e-5;

/// The height of the first ceiling above the root bound, as a fraction of the distance to the incumbent.
const FIRST_HEIGHT: f64 = 1.0 / 32.0;

/// The maximum depth of the search, in jobs; each takes some hundreds of bytes of stack.
const MAX_DEPTH: usize = 500;
