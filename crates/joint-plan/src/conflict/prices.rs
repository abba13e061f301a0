//! Dual values (the multipliers of the limit and of the accounts, and the prices of the cliques), and the subgradient
//! steps that raise their bound.

use super::cliques::{Clique, Conflicts};
use super::node::Lists;
use super::{Candidate, ConflictProblem, StartPrices};
use crate::pace::Pace;
use sched_model::internal::{plain_sum_error, sort};
use sched_model::{End, Meter};

/// The minimum ratio between the sum of the prices and their unit. Prices are whole multiples of the unit, so that sums
/// of prices and differences of sums are exact.
const UNITS: f64 = (1_u64 << 40) as f64;

/// The weight of the last direction in the next one.
const MOMENTUM: f64 = 0.4;

/// Dual values. The sum over the jobs of the minimum reduced objective, minus the constant, is a lower bound of
/// every choice that places all jobs.
#[derive(Debug, Clone)]
pub(super) struct Prices {
    multiplier: f64,
    accounts: Vec<f64>,
    /// The price of each clique.
    prices: Vec<f64>,
    /// For each clique the sum of the prices of the cliques before it, then the sum of all prices.
    before: Vec<f64>,
    /// The amount that is subtracted from the sum of reduced objectives.
    pub(super) constant: f64,
    /// A bound on the rounding error of any sum of reduced objectives minus the constant.
    pub(super) margin: f64,
}

impl Prices {
    /// The start prices of the problem, or prices of 0.
    pub(super) fn start(problem: &ConflictProblem, conflicts: &Conflicts, magnitudes: &Magnitudes) -> Self {
        let budgets = &problem.accounts.budgets;
        let mut start = Self {
            multiplier: 0.0,
            accounts: vec![0.0; budgets.len()],
            prices: vec![0.0; conflicts.cliques.len()],
            before: Vec::new(),
            constant: 0.0,
            margin: 0.0,
        };
        if let Some(given) = &problem.start {
            start.take_start(problem, conflicts, given);
        }
        start.round_and_sum(problem, magnitudes);
        start
    }

    /// Takes over given dual values. The price of an instant without a clique goes to the clique before.
    fn take_start(&mut self, problem: &ConflictProblem, conflicts: &Conflicts, given: &StartPrices) {
        let finite = |value: f64| if value.is_finite() && value > 0.0 { value } else { 0.0 };
        if problem.limit.is_finite() {
            self.multiplier = finite(given.multiplier);
        }
        let budgets = &problem.accounts.budgets;
        for ((value, &given), budget) in self.accounts.iter_mut().zip(&given.accounts).zip(budgets) {
            *value = if budget.is_finite() { finite(given) } else { 0.0 };
        }
        for &(resource, instant, price) in &given.prices {
            // If no clique has this instant, every candidate that holds the resource just before it is in the clique
            // before, because no candidate has begun since.
            let is_before = |at: &Clique| (at.resource, at.instant) <= (resource, instant);
            let at = conflicts.cliques.partition_point(is_before).checked_sub(1);
            if let Some(at) = at.filter(|&at| conflicts.cliques[at].resource == resource) {
                self.prices[at] += finite(price);
            }
        }
    }

    /// Rounds the prices down to their unit, and computes the other fields from the dual values.
    fn round_and_sum(&mut self, problem: &ConflictProblem, magnitudes: &Magnitudes) {
        let sum: f64 = self.prices.iter().sum();
        let power = f64::from_bits(sum.to_bits() & f64::INFINITY.to_bits());
        let unit = (power / UNITS).max(f64::MIN_POSITIVE);
        self.before.clear();
        let mut before = 0.0;
        for price in &mut self.prices {
            self.before.push(before);
            // The quotient is at least 0 and below 2^53, so converting to an integer and back rounds down, without a
            // function call.
            *price = (*price / unit) as u64 as f64 * unit;
            before += *price;
        }
        self.before.push(before);
        let limit = if self.multiplier > 0.0 { self.multiplier * problem.limit } else { 0.0 };
        let budgets = self.accounts.iter().zip(&problem.accounts.budgets);
        let of_accounts =
            budgets.filter(|account| *account.0 > 0.0).map(|(multiplier, budget)| multiplier * budget);
        let (accounts, size_of_accounts) =
            of_accounts.fold((0.0, 0.0), |sums, part: f64| (sums.0 + part, sums.1 + part.abs()));
        self.constant = before + limit + accounts;
        // The terms of the sums may be much larger than the sums.
        let tax = self.accounts.iter().copied().fold(0.0, f64::max) * magnitudes.cost;
        let own = magnitudes.objective + self.multiplier * magnitudes.weight + tax;
        let added = (2.0 * own + before) * problem.jobs() as f64;
        let magnitude = before + limit.abs() + size_of_accounts + added;
        let operations = self.accounts.len() + (magnitudes.runs + 6) * problem.jobs() + 16;
        // Products below the smallest normal double are rounded to a multiple of the smallest double.
        self.margin = plain_sum_error(operations, magnitude) + f64::MIN_POSITIVE;
    }

    /// The reduced objective of a candidate.
    #[inline]
    pub(super) fn reduced(&self, problem: &ConflictProblem, conflicts: &Conflicts, index: u32) -> f64 {
        let candidate = &problem.candidates[index as usize];
        let tax = problem.cost(index).map_or(0.0, |(account, cost)| self.accounts[account] * cost);
        let prices = conflicts.runs(index).iter();
        let prices: f64 = prices.map(|run| self.before[run.1 as usize] - self.before[run.0 as usize]).sum();
        candidate.objective + self.multiplier * candidate.weight + tax + prices
    }

    /// Converts the dual values to start prices for a problem of fewer candidates.
    pub(super) fn to_start(&self, conflicts: &Conflicts) -> StartPrices {
        let rows = conflicts.cliques.iter().zip(&self.prices).filter(|row| *row.1 > 0.0);
        StartPrices {
            multiplier: self.multiplier,
            accounts: self.accounts.clone(),
            prices: rows.map(|(clique, &price)| (clique.resource, clique.instant, price)).collect(),
        }
    }

    /// Takes a step in the direction in which `picks` violate the rows. The length is such that the bound would rise by
    /// `rise` if it were linear. Returns `false` if no row is violated, so that no dual values give a better bound.
    pub(super) fn step(
        &mut self,
        problem: &ConflictProblem,
        conflicts: &Conflicts,
        magnitudes: &Magnitudes,
        picks: &[u32],
        rise: f64,
        violation: &mut Violation,
    ) -> bool {
        violation.compute(problem, conflicts, picks);
        // Rows without a positive violation and without a price do not change.
        for (violation, &price) in violation.rows.iter_mut().zip(&self.prices) {
            if *violation < 0.0 && price == 0.0 {
                *violation = 0.0;
            }
        }
        let moves = |excess: f64, multiplier: f64| excess > 0.0 || excess < 0.0 && multiplier > 0.0;
        let limits = [problem.limit].into_iter().chain(problem.accounts.budgets.iter().copied());
        let multipliers = [self.multiplier].into_iter().chain(self.accounts.iter().copied());
        // Rows differ in unit; the violations of limits are scaled such that the share of one job is about 1.
        let scale = |((&excess, limit), multiplier): ((&f64, f64), f64)| {
            let size = if moves(excess, multiplier) {
                limit.abs().max((excess + limit).abs())
            } else {
                f64::INFINITY
            };
            picks.len() as f64 / size.max(1e-300)
        };
        let scales: Vec<f64> = violation.excess.iter().zip(limits).zip(multipliers).map(scale).collect();
        let square: f64 = violation.rows.iter().map(|violation| violation * violation).sum();
        let scaled = violation.excess.iter().zip(&scales).filter(|of| *of.1 > 0.0);
        let square = square + scaled.map(|(excess, scale)| (excess * scale).powi(2)).sum::<f64>();
        if !(square > 0.0) {
            return false;
        }
        let step = rise / square.max(1e-300);
        for (price, violation) in self.prices.iter_mut().zip(&violation.rows) {
            *price = (*price + step * violation).max(0.0);
        }
        let multipliers = std::iter::once(&mut self.multiplier).chain(&mut self.accounts);
        for (multiplier, (excess, scale)) in multipliers.zip(violation.excess.iter().zip(&scales)) {
            if *scale > 0.0 {
                *multiplier = (*multiplier + step * excess * scale * scale).max(0.0);
            }
        }
        self.round_and_sum(problem, magnitudes);
        true
    }
}

/// The violation of each row by the picks: for a clique the number of its picks minus 1, for the limit and the budgets
/// the excess; plus a fraction of the violation at the step before.
#[derive(Debug, Default)]
pub(super) struct Violation {
    rows: Vec<f64>,
    /// The amounts by which the picks exceed the limit, then each budget; 0 for an infinite one.
    excess: Vec<f64>,
    last_rows: Vec<f64>,
    last_excess: Vec<f64>,
}

impl Violation {
    /// Removes the violation of the last step.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.excess.clear();
    }

    /// Computes the violation by the picks, and adds a fraction of the last one.
    fn compute(&mut self, problem: &ConflictProblem, conflicts: &Conflicts, picks: &[u32]) {
        std::mem::swap(&mut self.rows, &mut self.last_rows);
        std::mem::swap(&mut self.excess, &mut self.last_excess);
        self.rows.clear();
        self.rows.resize(conflicts.cliques.len() + 1, 0.0);
        let limits = [problem.limit].into_iter().chain(problem.accounts.budgets.iter().copied());
        self.excess.clear();
        self.excess.extend(limits.map(|limit| -limit));
        for &pick in picks {
            for run in conflicts.runs(pick) {
                self.rows[run.0 as usize] += 1.0;
                self.rows[run.1 as usize] -= 1.0;
            }
            self.excess[0] += problem.candidates[pick as usize].weight;
            if let Some((account, cost)) = problem.cost(pick) {
                self.excess[1 + account] += cost;
            }
        }
        self.rows.pop();
        let mut count = 0.0;
        for row in &mut self.rows {
            count += *row;
            *row = count - 1.0;
        }
        for excess in self.excess.iter_mut().filter(|excess| !excess.is_finite()) {
            *excess = 0.0;
        }
        let rows = self.rows.iter_mut().zip(&self.last_rows);
        for (now, last) in rows.chain(self.excess.iter_mut().zip(&self.last_excess)) {
            *now += MOMENTUM * last;
        }
    }
}

/// The largest magnitudes of the numbers of any candidate, and the largest number of its runs.
pub(super) struct Magnitudes {
    objective: f64,
    weight: f64,
    cost: f64,
    runs: usize,
}

impl Magnitudes {
    pub(super) fn of(problem: &ConflictProblem, conflicts: &Conflicts) -> Self {
        let of = |number: fn(&Candidate) -> f64| {
            problem.candidates.iter().map(|candidate| number(candidate).abs()).fold(0.0, f64::max)
        };
        let indices = || 0..problem.candidates.len() as u32;
        let runs = indices().map(|index| conflicts.runs(index).len());
        let costs = indices().filter_map(|index| Some(problem.cost(index)?.1));
        Self {
            objective: of(|candidate| candidate.objective),
            weight: of(|candidate| candidate.weight),
            cost: costs.fold(0.0, f64::max),
            runs: runs.max().unwrap_or(0),
        }
    }

    pub(super) fn objective(&self) -> f64 {
        self.objective
    }
}

/// Number of steps without a better bound after which steps are shortened.
const PATIENCE: usize = 3;
/// The minimum step length, relative to the first; shorter steps change little.
const MIN_LENGTH: f64 = 0.005;
/// The maximum distance of the target of a step from the best bound, as a fraction of the bound.
const MAX_TARGET_DISTANCE: f64 = 0.03;

/// Subgradient steps of the prices: the price of a row that the picks violate rises.
///
/// For any dual values of at least 0, the sum over the jobs of the minimum reduced objective, minus the constant, is a
/// lower bound of every choice from the lists. A step moves the prices in the direction in which the candidates of
/// minimum reduced objective violate the rows; the best values found are kept. Candidates with which the bound reaches
/// the ceiling are dropped in the process.
///
/// Sources: M. Held, P. Wolfe, H. Crowder: *Validation of subgradient optimization*, 1974; directions that include a
/// part of the last one: P. Camerini, L. Fratta, F. Maffioli: *On improving relaxation methods by modified gradient
/// techniques*, 1975.
pub(super) struct Ascent<'a> {
    problem: &'a ConflictProblem,
    conflicts: &'a Conflicts,
    magnitudes: Magnitudes,
    violation: Violation,
}

/// The result of the steps.
pub(super) struct Climbed {
    /// The best prices, with their bound, if they are better than the initial ones.
    pub(super) best: Option<(Prices, f64)>,
    /// Whether it is proven that no prices give a better bound.
    pub(super) is_optimal: bool,
    /// The limit that ended the steps, if any.
    pub(super) end: Option<End>,
}

/// The relaxed choice from lists: the candidate of minimum reduced objective of each job, and the lower bound that
/// follows.
pub(super) struct Relaxed {
    pub(super) bound: f64,
    pub(super) picks: Vec<u32>,
    /// The minimum reduced objective of each job.
    leasts: Vec<f64>,
}

impl Relaxed {
    /// Computes the relaxed choice; its bound holds if at most `spare` of the jobs are left out.
    pub(super) fn of(lists: &Lists, spare: usize, prices: &Prices) -> Self {
        let mut picks = Vec::with_capacity(lists.jobs());
        let mut leasts = Vec::with_capacity(lists.jobs());
        for job in 0..lists.jobs() {
            let least = lists.least(job);
            picks.extend(least.map(|least| least.index));
            leasts.push(least.map_or(0.0, |least| least.reduced));
        }
        let bound = leasts.iter().sum::<f64>() - prices.constant - prices.margin;
        let bound = bound - most_saved(leasts.iter().copied(), spare);
        Self { bound, picks, leasts }
    }
}

/// The maximum amount that leaving out `spare` jobs can save: the sum of the largest of `leasts`, the minimum reduced
/// objectives of the jobs.
pub(super) fn most_saved(leasts: impl Iterator<Item = f64>, spare: usize) -> f64 {
    if spare == 0 {
        return 0.0;
    }
    let mut saved: Vec<f64> = leasts.map(|least| least.max(0.0)).collect();
    sort(&mut saved, &|a, b| b.total_cmp(a));
    saved.iter().take(spare).sum()
}

impl<'a> Ascent<'a> {
    pub(super) fn new(
        problem: &'a ConflictProblem,
        conflicts: &'a Conflicts,
        magnitudes: Magnitudes,
    ) -> Self {
        Self { problem, conflicts, magnitudes, violation: Violation::default() }
    }

    /// Takes at most `steps` steps from the given prices, until the bound reaches the ceiling. Removes from the lists
    /// the candidates that cannot be in a choice below the ceiling, and leaves reduced objectives at the best prices.
    pub(super) fn climb(
        &mut self,
        lists: &mut Lists,
        spare: usize,
        from: &Prices,
        steps: usize,
        ceiling: f64,
        meter: &mut Meter,
    ) -> Climbed {
        let Self { problem, conflicts, magnitudes, violation } = self;
        let mut climbed = Climbed { best: None, is_optimal: false, end: None };
        let mut at = from.clone();
        let mut relaxed = Relaxed::of(lists, spare, &at);
        let mut best = relaxed.bound;
        let mut pace = Pace::new(PATIENCE);
        violation.clear();
        let work = (lists.len() + conflicts.cliques.len() / 4) as u64;
        for _ in 0..steps {
            if best >= ceiling || pace.length < MIN_LENGTH {
                break;
            }
            if let Err(end) = meter.spend(work) {
                climbed.end = Some(end);
                break;
            }
            let target = ceiling.min(best + MAX_TARGET_DISTANCE * best.abs().max(magnitudes.objective()));
            let rise = pace.length * (target - relaxed.bound);
            if !at.step(problem, conflicts, magnitudes, &relaxed.picks, rise, violation) {
                climbed.is_optimal = true;
                break;
            }
            lists.reprice(|index| at.reduced(problem, conflicts, index));
            relaxed = Relaxed::of(lists, spare, &at);
            let has_risen = relaxed.bound > best;
            pace.after(has_risen);
            if has_risen {
                best = relaxed.bound;
                climbed.best = Some((at.clone(), best));
                drop_useless(lists, &relaxed, ceiling);
            }
        }
        let prices = climbed.best.as_ref().map_or(from, |best| &best.0);
        lists.reprice(|index| prices.reduced(problem, conflicts, index));
        climbed
    }
}

/// Drops the candidates with which the bound reaches the ceiling; the best of each job always stays.
fn drop_useless(lists: &mut Lists, relaxed: &Relaxed, ceiling: f64) {
    if ceiling < f64::INFINITY && relaxed.bound < ceiling {
        // The bound already subtracts the maximum saving from leaving out jobs, so leaving out others saves no more.
        lists.retain(|job, entry| relaxed.bound + (entry.reduced - relaxed.leasts[job]) < ceiling);
    }
}
