//! Subgradient steps of the prices: a row that the picks violate becomes more expensive.
//!
//! For any dual values of at least 0, the sum over the jobs of the least reduced objective, less the
//! constant, is a lower bound of every choice among the lists. A step moves the prices in the direction in
//! which the candidates of least reduced objective violate the rows; the best values met are kept. Candidates
//! with which the bound reaches the ceiling are dropped on the way.
//!
//! Sources: M. Held, P. Wolfe, H. Crowder: *Validation of subgradient optimization*, 1974; directions that
//! include a part of the last one: P. Camerini, L. Fratta, F. Maffioli: *On improving relaxation methods by
//! modified gradient techniques*, 1975.

use super::node::Lists;
use super::prices::{Greatest, Prices, Violation};
use super::{ConflictProblem, cliques::Conflicts};
use sched_model::order::sort;
use sched_model::{End, Meter};

/// Steps without a better bound after which steps are made shorter.
const PATIENCE: usize = 4;
/// How much shorter they are made.
const SHORTENING: f64 = 0.6;
/// Steps shorter than this share of the first change little.
const SHORTEST: f64 = 0.005;
/// The target of a step is at most so far above the best bound, as a share of it.
const FARTHEST: f64 = 0.03;

pub(super) struct Ascent<'a> {
    problem: &'a ConflictProblem,
    conflicts: &'a Conflicts,
    greatest: Greatest,
    violation: Violation,
}

/// The result of the steps.
pub(super) struct Risen {
    /// The best prices, with their bound, if they are better than the first ones.
    pub(super) best: Option<(Prices, f64)>,
    /// Whether it is proven that no prices give a better bound.
    pub(super) met: bool,
    /// The limit that ended it.
    pub(super) end: Option<End>,
}

/// The lower bound of the choices among lists, and the picks that attain it.
pub(super) struct Relaxed {
    pub(super) bound: f64,
    pub(super) picks: Vec<u32>,
    /// The least reduced objective of each job.
    leasts: Vec<f64>,
}

impl Relaxed {
    /// `spare` of the jobs may be left out.
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

/// The most that leaving out so many jobs can save: the greatest of their least reduced objectives.
pub(super) fn most_saved(leasts: impl Iterator<Item = f64>, spare: usize) -> f64 {
    if spare == 0 {
        return 0.0;
    }
    let mut saved: Vec<f64> = leasts.map(|least| least.max(0.0)).collect();
    sort(&mut saved, &|a, b| b.total_cmp(a));
    saved.iter().take(spare).sum()
}

impl<'a> Ascent<'a> {
    pub(super) fn new(problem: &'a ConflictProblem, conflicts: &'a Conflicts, greatest: Greatest) -> Self {
        Self { problem, conflicts, greatest, violation: Violation::default() }
    }

    /// At most so many steps from these prices, until the bound reaches the ceiling. The lists keep the
    /// candidates that are of use below the ceiling, at the best prices.
    pub(super) fn climb(
        &mut self,
        lists: &mut Lists,
        spare: usize,
        from: &Prices,
        (steps, ceiling): (usize, f64),
        meter: &mut Meter,
    ) -> Risen {
        let Self { problem, conflicts, greatest, violation } = self;
        let mut risen = Risen { best: None, met: false, end: None };
        let mut at = from.clone();
        let mut relaxed = Relaxed::of(lists, spare, &at);
        let mut best = relaxed.bound;
        let (mut length, mut waited) = (1.0, 0);
        violation.forget();
        let work = (lists.len() + conflicts.cliques.len() / 4) as u64;
        for _ in 0..steps {
            if best >= ceiling || length < SHORTEST {
                break;
            }
            if let Err(end) = meter.spend(work) {
                risen.end = Some(end);
                break;
            }
            let target = ceiling.min(best + FARTHEST * best.abs().max(greatest.objective()));
            let rise = length * (target - relaxed.bound);
            if !at.step((problem, conflicts, greatest), &relaxed.picks, rise, violation) {
                risen.met = true;
                break;
            }
            lists.reprice(|index| at.reduced(problem, conflicts, index));
            relaxed = Relaxed::of(lists, spare, &at);
            if relaxed.bound > best {
                (best, waited) = (relaxed.bound, 0);
                risen.best = Some((at.clone(), best));
                drop_useless(lists, &relaxed, ceiling);
            } else {
                waited += 1;
                if waited >= PATIENCE {
                    (length, waited) = (length * SHORTENING, 0);
                }
            }
        }
        let prices = risen.best.as_ref().map_or(from, |best| &best.0);
        lists.reprice(|index| prices.reduced(problem, conflicts, index));
        risen
    }
}

/// Drops the candidates with which the bound reaches the ceiling, except for the best of each job.
fn drop_useless(lists: &mut Lists, relaxed: &Relaxed, ceiling: f64) {
    if ceiling < f64::INFINITY && relaxed.bound < ceiling {
        // The bound already counts what leaving out other jobs saves, so that it saves no more.
        lists.retain(|job, entry| relaxed.bound + (entry.reduced - relaxed.leasts[job]) < ceiling);
    }
}
