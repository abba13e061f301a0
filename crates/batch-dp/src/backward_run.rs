//! The backward-run recurrence, as the source writes it.

use sched_model::{Outcome, Proof};

use crate::forward::{self, Bound};
use crate::problem::{View, choice};
use crate::{Alternatives, BatchChoice, BatchError, Decision, Problem, Scratch};

/// The recurrence of the backward run, from the last job to the first, exact on real values.
///
/// Source: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, *Resource Selection Algorithms for Economic
/// Scheduling in Distributed Systems* (2011), eq. (1): `f_i(Z) = extr { g_i(s) + f_(i+1)(Z - z_i(s)) }`, with
/// `f_(n+1) = 0`. The best sum `f_i` of the jobs from `i` on is a step function of the limit `Z` left to them. Its steps
/// are the undominated pairs of sums, and these are kept as a list: no grid of limits, no rounding. Two deviations: a
/// limit that nothing meets stays infeasible (the source sets `f(0)` to infinity or to 0, which is a boundary condition
/// only), and a pair is dropped at once when the jobs before it cannot keep the limit with it.
///
/// # Which to pick
/// [`ExpandingCore`](crate::ExpandingCore) gives the same sums and is faster by orders of magnitude on large batches.
/// This one is the reference: short, without bounds, and the oracle of the other's tests.
///
/// # Complexity
/// O(S K log(S K)) time for each job with `K` alternatives and a list of `S` pairs behind it, and memory for all lists.
/// `S` is at most the product of the numbers of alternatives so far, and about 100 for 7 jobs of 35 random ones.
///
/// # Guarantee
/// As [`ExpandingCore`](crate::ExpandingCore): exact, and to the bit where sums are free of rounding. Otherwise lists
/// hold sums added from the last job, while the limit counts for sums added from the first. Where the two disagree about
/// the limit, a second run from the first job to the last decides.
///
/// # Ties
/// Of choices with equal objective, the one that uses least of the limit; among those, where sums are free of
/// rounding, the least alternative indices, the first job's first.
///
/// # Example
/// Two jobs; the pairs are (cost, time). Within 13 units of time the cheapest choice costs 12; the owners can earn 18.
///
/// ```
/// use batch_dp::{Alternatives, BackwardRun, BatchChoice, Problem, Scratch};
///
/// let batch = Alternatives::from_pairs([
///     vec![(4.0, 10.0), (6.0, 8.0), (9.0, 5.0)],
///     vec![(2.0, 8.0), (6.0, 5.0), (9.0, 6.0)],
/// ])?;
/// let mut scratch = Scratch::new();
/// let mut best = |problem| BackwardRun::new().choose(&batch, &problem, &mut scratch);
/// let cheapest = best(Problem::MinCost { time_limit: 13.0 })?;
/// assert_eq!(cheapest.solution.choice().unwrap().picks, [2, 0]);
/// let dearest = best(Problem::MaxIncome { time_limit: 13.0 })?;
/// assert_eq!(dearest.solution.choice().unwrap().cost, 18.0);
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BackwardRun {
    /// The most pairs all lists together may hold: see [`with_max_states`](Self::with_max_states).
    pub max_states: usize,
}

impl Default for BackwardRun {
    fn default() -> Self {
        Self { max_states: 50_000_000 }
    }
}

impl BackwardRun {
    /// With 50 million pairs at most, somewhat more than a gigabyte.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives up when the lists hold more pairs than this, and answers with the choice that uses least of the limit,
    /// as [`Proof::LimitReached`].
    pub fn with_max_states(mut self, max_states: usize) -> Self {
        self.max_states = max_states;
        self
    }
}

impl BatchChoice for BackwardRun {
    fn choose(
        &self,
        batch: &Alternatives,
        problem: &Problem,
        scratch: &mut Scratch,
    ) -> Result<Outcome<Decision>, BatchError> {
        let view = match View::new(batch, problem)? {
            Ok(view) => view,
            Err(decision) => return Ok(Outcome::exact(decision)),
        };
        scratch.incumbent.reset();
        if !scratch.incumbent.offer_lightest(&view) {
            let least = lightest(&view).iter().sum();
            return Ok(Outcome::exact(view.out_of_reach(least)));
        }
        let proof = match run(&view, self.max_states) {
            Some(lists) if read(&view, &lists, scratch) => Proof::Exact,
            Some(_) => forward::solve(&view, Bound::NONE, self.max_states, scratch),
            None => Proof::LimitReached,
        };
        Ok(Outcome { solution: Decision::Chosen(choice(batch, &scratch.incumbent.picks)), proof })
    }
}

/// Sums of the jobs from one on: a step of `f_i`.
#[derive(Debug, Clone, Copy)]
struct Pair {
    p: f64,
    w: f64,
    /// The alternative of the first of these jobs, and the pair of the jobs behind it.
    alt: u32,
    behind: u32,
}

/// The least constraint value of each job.
fn lightest(view: &View<'_>) -> Vec<f64> {
    let least = |row: &[usize]| view.constraint[row[0]..row[1]].iter().copied().fold(f64::INFINITY, f64::min);
    view.offsets.windows(2).map(least).collect()
}

/// The lists of undominated pairs, that of the last job first; behind it all stands the list of no job: one pair of
/// zeros. `None` when they would hold more than `max_states` pairs.
fn run(view: &View<'_>, max_states: usize) -> Option<Vec<Vec<Pair>>> {
    let lightest = lightest(view);
    let mut before: f64 = lightest.iter().sum();
    let magnitude: f64 = view.offsets.windows(2).map(|row| heaviest(&view.constraint[row[0]..row[1]])).sum();
    // Sums in this order and in the defined one differ by less.
    let doubt = 2.0 * f64::EPSILON * (view.jobs() as f64 + 4.0) * (magnitude + view.limit.abs());
    let mut lists = vec![vec![Pair { p: 0.0, w: 0.0, alt: 0, behind: 0 }]];
    let mut kept = 0;
    for job in (0..view.jobs()).rev() {
        before -= lightest[job];
        let behind = &lists[lists.len() - 1];
        let mut pairs = Vec::with_capacity(behind.len() * (view.offsets[job + 1] - view.offsets[job]));
        for alt in view.offsets[job]..view.offsets[job + 1] {
            let (p, w) = view.at(alt);
            for (index, pair) in behind.iter().enumerate() {
                let pair = Pair { p: p + pair.p, w: w + pair.w, alt: alt as u32, behind: index as u32 };
                if before + pair.w <= view.limit + doubt {
                    pairs.push(pair);
                }
            }
        }
        // Stable: of equal pairs the lowest alternative comes first.
        pairs.sort_by(|a, b| a.w.total_cmp(&b.w).then(a.p.total_cmp(&b.p)));
        let mut least = f64::INFINITY;
        pairs.retain(|pair| {
            let better = pair.p < least;
            least = least.min(pair.p);
            better
        });
        kept += pairs.len();
        if kept > max_states {
            return None;
        }
        lists.push(pairs);
    }
    Some(lists)
}

fn heaviest(column: &[f64]) -> f64 {
    column.iter().fold(0.0, |most, w| w.abs().max(most))
}

/// Offers the best pair of the first job. False when it keeps the limit in this order of summation and not in the
/// defined one: it may have displaced the true optimum.
fn read(view: &View<'_>, lists: &[Vec<Pair>], scratch: &mut Scratch) -> bool {
    let mut lists = lists.iter().rev();
    let Some(mut pair) = lists.next().and_then(|first| first.last()) else { return false };
    let mut picks = Vec::with_capacity(view.jobs());
    for list in lists {
        picks.push(pair.alt);
        pair = &list[pair.behind as usize];
    }
    scratch.incumbent.offer(view, picks)
}
