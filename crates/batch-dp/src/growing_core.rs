//! The fast exact choice: bound, reduction, and a recurrence over a growing core.
//!
//! Sources: the recurrence is equation 1 of V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov: Resource Selection
//! Algorithms for Economic Scheduling in Distributed Systems, 2011. The order in which jobs enter it, and the bounds by
//! efficiency, follow D. Pisinger: A minimal algorithm for the multiple-choice knapsack problem, 1995.
//!
//! Deviations from Pisinger: values are real, so there is no table and no rounding; the multiplier comes from secants
//! instead of sorted hulls; the bound is applied while states are generated.

use crate::multiplier::{Search, Start};
use crate::problem::View;
use crate::states::{Product, ROOT, State, Trail};
use crate::{Alternatives, BatchError, Chooser, Decision, Problem, Scratch};
use sched_model::{Outcome, Proof};

/// Exact choice by a Lagrangian bound, reduction, and a list recurrence over the few jobs that matter.
///
/// 1. The multiplier of the limit (`multiplier.rs`) gives each job a base alternative and a lower bound.
/// 2. An alternative whose loss against the base exceeds the gap between bound and incumbent is out.
/// 3. The jobs that still have a choice enter a list of undominated states one by one, alternately the one that sheds
///    weight most cheaply and the one that gains most for weight. All others stay at their base, so every state is a
///    complete choice and may improve the incumbent. A state whose bound cannot beat the incumbent is not stored.
///
/// With m alternatives in all: O(m) for steps 1 and 2 in each of some ten passes, most of them over survivors. Step 3 is
/// exponential at worst; on economic instances it sees a handful of jobs.
///
/// Guarantee: no choice is better by more than the rounding of sums, n * 2^-48 times the greatest total of absolute
/// values. Where sums are exact (integers, say), that is exact. A choice always fits the limit in the sum that counts, in
/// the order of the jobs. If [`state_limit`](Self::with_state_limit) stops it, the proof is
/// [`Proof::WithinEpsilon`] with the gap to the bound. Ties: one of the best choices, the same at every call.
///
/// ```
/// use batch_dp::{Alternatives, Chooser, GrowingCore, Problem, Scratch};
/// let batch = Alternatives::new(&[vec![(10.0, 4.0), (6.0, 7.0)], vec![(5.0, 2.0), (3.0, 3.0)]])?;
/// let decision = GrowingCore::default().choose(&batch, Problem::MinTime { budget: 13.0 }, &mut Scratch::default())?;
/// // 4 + 2 = 6 would cost 15; 4 + 3 = 7 costs 13; 7 + 2 = 9 costs 11.
/// let choice = decision.choice().unwrap();
/// assert_eq!((choice.picks.as_slice(), choice.time, choice.cost), ([0, 1].as_slice(), 7.0, 13.0));
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct GrowingCore {
    /// Undominated states that may be kept in all; at most 2^31.
    pub state_limit: usize,
}

impl Default for GrowingCore {
    /// A limit of 50 million states, which take about 1.5 GB at the very worst.
    fn default() -> Self {
        Self { state_limit: 50_000_000 }
    }
}

impl GrowingCore {
    /// The same algorithm, giving up its proof when it would keep more states than this.
    #[must_use]
    pub fn with_state_limit(self, state_limit: usize) -> Self {
        Self { state_limit: state_limit.min(1 << 31) }
    }
}

/// An alternative that survived the reduction, relative to its job's base.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    objective: f64,
    weight: f64,
    /// What it loses against the best of its job under the multiplier.
    loss: f64,
    at: u32,
}

/// A job with a choice left; its first candidate is its base.
#[derive(Debug, Clone, Copy)]
struct CoreJob {
    job: u32,
    from: u32,
    to: u32,
    /// Least loss of objective per unit of weight shed; infinite if it can shed none.
    shed: f64,
    /// Greatest gain of objective per unit of weight taken on; zero if it can take on none.
    take: f64,
}

impl CoreJob {
    fn candidates(self, all: &[Candidate]) -> &[Candidate] {
        &all[self.from as usize..self.to as usize]
    }
}

/// Buffers of [`GrowingCore`].
#[derive(Debug, Default)]
pub(crate) struct CoreScratch {
    search: Search,
    minima: Vec<f64>,
    candidates: Vec<Candidate>,
    core: Vec<CoreJob>,
    sorted: Vec<CoreJob>,
    behind: Vec<(f64, f64)>,
    states: Vec<State>,
    trail: Trail,
    product: Product,
    picks: Vec<usize>,
    base: Vec<usize>,
    best: Vec<usize>,
}

/// The best choice known: its objective in the sum that counts.
struct Incumbent<'a> {
    objective: f64,
    picks: &'a mut Vec<usize>,
}

impl Incumbent<'_> {
    /// Takes over `picks` if they fit and are better. Says whether they fit.
    fn offer(&mut self, view: &View<'_>, picks: &[usize]) -> bool {
        let (objective, weight) = view.totals(picks);
        let fits = weight <= view.limit;
        if fits && objective < self.objective {
            self.objective = objective;
            self.picks.clear();
            self.picks.extend_from_slice(picks);
        }
        fits
    }
}

impl Chooser for GrowingCore {
    fn choose(
        &self,
        batch: &Alternatives,
        problem: Problem,
        scratch: &mut Scratch,
    ) -> Result<Decision, BatchError> {
        let view = match problem.view(batch)? {
            Ok(view) => view,
            Err(decision) => return Ok(decision),
        };
        let scratch = &mut scratch.core;
        let start = scratch.search.start(&view);
        scratch.base.clear();
        scratch.base.extend(scratch.search.light.iter().map(|&at| at as usize));
        let proof = match start {
            Start::OutOfReach => {
                return Ok(Decision::OutOfReach { least: view.totals(&scratch.base).1, limit: view.limit });
            }
            Start::Unlimited => {
                scratch.best.clone_from(&scratch.base);
                Proof::Exact
            }
            Start::Bracketed => solve(&view, scratch, self.state_limit),
        };
        Ok(Decision::Chosen(Outcome { solution: batch.choice(scratch.best.clone()), proof }))
    }
}

/// Leaves the best choice in `scratch.best`; `scratch.base` holds the lightest one.
fn solve(view: &View<'_>, scratch: &mut CoreScratch, state_limit: usize) -> Proof {
    let CoreScratch { search, minima, candidates, core, sorted, behind, .. } = scratch;
    let CoreScratch { states, trail, product, picks, base, best, .. } = scratch;
    let mut incumbent = Incumbent { objective: f64::INFINITY, picks: best };
    let _ = incumbent.offer(view, base);
    let multiplier = search.run(view);
    let light = search.light.iter().map(|&at| at as usize);
    picks.clear();
    picks.extend(light);
    if incumbent.offer(view, picks) {
        std::mem::swap(base, picks);
    }

    // L(x) = sum of the least objective + x * weight of each job - x * limit.
    minima.clear();
    minima.extend((0..view.jobs()).map(|job| {
        view.job(job)
            .fold(f64::INFINITY, |least, (objective, weight)| least.min(objective + multiplier * weight))
    }));
    let bound = minima.iter().sum::<f64>() - multiplier * view.limit;
    let rounding = Rounding::of(view, base, multiplier);
    let gap = |incumbent: &Incumbent<'_>| incumbent.objective - bound + rounding.objective;
    if gap(&incumbent) <= 2.0 * rounding.objective {
        return Proof::Exact;
    }
    reduce(view, multiplier, gap(&incumbent), base, minima, candidates, core);
    swap_one(view, search, base, candidates, core, picks, &mut incumbent);
    shrink(gap(&incumbent), candidates, core);
    order(core, sorted);

    // What the jobs behind each position can still do.
    behind.clear();
    behind.resize(core.len() + 1, (f64::INFINITY, 0.0));
    for at in (0..core.len()).rev() {
        let (shed, take) = behind[at + 1];
        behind[at] = (shed.min(core[at].shed), take.max(core[at].take));
    }

    let (base_objective, base_weight) = view.totals(base);
    let slack = view.limit - base_weight;
    trail.clear();
    states.clear();
    states.push(State { weight: 0.0, objective: 0.0, parent: ROOT, pick: 0 });
    // Invariant: `states` are the undominated choices for the jobs before `position`, all other jobs at their base, as
    // far as they might still become better than the incumbent.
    for (position, job) in core.iter().enumerate() {
        let own = job.candidates(candidates);
        for candidate in own {
            // The best state that fits with this candidate: the last, for objectives descend. Near the limit only the
            // sum that counts can tell whether it fits.
            let most = slack - candidate.weight;
            let end = states.partition_point(|state| state.weight <= most + rounding.weight);
            for state in states[..end].iter().rev() {
                if base_objective + state.objective + candidate.objective >= incumbent.objective {
                    break;
                }
                picks.clone_from(base);
                picks[job.job as usize] = candidate.at as usize;
                for (earlier, pick) in core[..position].iter().rev().zip(trail.back(state.parent)) {
                    picks[earlier.job as usize] = candidates[pick as usize].at as usize;
                }
                if incumbent.offer(view, picks) || state.weight <= most - rounding.weight {
                    break;
                }
            }
        }
        if states.len().saturating_mul(own.len()) > state_limit.saturating_mul(8) {
            return Proof::WithinEpsilon(incumbent.objective - bound);
        }
        let (shed, take) = behind[position + 1];
        let to_beat = incumbent.objective - base_objective - rounding.objective;
        let loss_limit = gap(&incumbent);
        let chosen = (job.from..job.to).zip(own).filter(|(_, candidate)| candidate.loss <= loss_limit);
        product.multiply(
            states,
            chosen.map(|(number, candidate)| (candidate.objective, candidate.weight, number)),
            |state| {
                let left = slack - state.weight;
                let least = if left >= 0.0 {
                    state.objective - left * take
                } else if -left <= rounding.weight {
                    state.objective
                } else {
                    state.objective - left * shed
                };
                least < to_beat
            },
        );
        if states.is_empty() {
            break;
        }
        if trail.len() + states.len() > state_limit {
            return Proof::WithinEpsilon(incumbent.objective - bound);
        }
        trail.enter(states);
    }
    Proof::Exact
}

/// By how much sums of the same values in different orders may differ.
struct Rounding {
    objective: f64,
    weight: f64,
}

impl Rounding {
    fn of(view: &View<'_>, base: &[usize], multiplier: f64) -> Self {
        let unit = base.len() as f64 * f64::EPSILON;
        let (objective, weight) =
            base.iter().enumerate().fold((0.0, 0.0), |(objective, weight), (job, &at)| {
                let index = view.offsets[job] + at;
                (objective + view.objective[index].abs(), weight + view.weight[index].abs())
            });
        let weight = unit * weight.max(view.limit.abs());
        Self { objective: unit * objective + multiplier * weight, weight }
    }
}

/// Collects the alternatives whose loss is within the gap, and the jobs that keep a choice.
fn reduce(
    view: &View<'_>,
    multiplier: f64,
    gap: f64,
    base: &[usize],
    minima: &[f64],
    candidates: &mut Vec<Candidate>,
    core: &mut Vec<CoreJob>,
) {
    candidates.clear();
    core.clear();
    for (job, (&base, &least)) in base.iter().zip(minima).enumerate() {
        let from = candidates.len();
        let index = view.offsets[job] + base;
        let (base_objective, base_weight) = (view.sign * view.objective[index], view.weight[index]);
        candidates.push(Candidate { objective: 0.0, weight: 0.0, loss: 0.0, at: base as u32 });
        for (at, (objective, weight)) in view.job(job).enumerate() {
            let loss = objective + multiplier * weight - least;
            if loss <= gap && at != base {
                candidates.push(Candidate {
                    objective: objective - base_objective,
                    weight: weight - base_weight,
                    loss,
                    at: at as u32,
                });
            }
        }
        close_job(job as u32, from, candidates, core);
    }
}

/// Drops what the better incumbent excludes.
fn shrink(gap: f64, candidates: &mut Vec<Candidate>, core: &mut Vec<CoreJob>) {
    let mut kept = 0;
    let old = std::mem::take(core);
    for job in &old {
        let from = kept;
        for at in job.from as usize..job.to as usize {
            if at == job.from as usize || candidates[at].loss <= gap {
                candidates[kept] = candidates[at];
                kept += 1;
            }
        }
        if kept - from == 1 {
            kept = from;
        } else {
            core.push(efficiencies(job.job, from, &candidates[..kept]));
        }
    }
    candidates.truncate(kept);
}

/// Ends the list of a job's candidates; a job without a choice leaves no trace.
fn close_job(job: u32, from: usize, candidates: &mut Vec<Candidate>, core: &mut Vec<CoreJob>) {
    if candidates.len() - from == 1 {
        candidates.truncate(from);
    } else {
        core.push(efficiencies(job, from, candidates));
    }
}

fn efficiencies(job: u32, from: usize, candidates: &[Candidate]) -> CoreJob {
    let (mut shed, mut take) = (f64::INFINITY, 0.0_f64);
    for candidate in &candidates[from + 1..] {
        let ratio = -candidate.objective / candidate.weight;
        if candidate.weight < 0.0 {
            shed = shed.min(ratio);
        } else if candidate.weight > 0.0 {
            take = take.max(ratio);
        } else if candidate.objective < 0.0 {
            // Better at the same weight: no bound by weight holds.
            (shed, take) = (0.0, f64::INFINITY);
        }
    }
    CoreJob { job, from: from as u32, to: candidates.len() as u32, shed: shed.max(0.0), take }
}

/// Alternately the job that sheds weight most cheaply and the one that gains most for weight; ties by position.
fn order(core: &mut [CoreJob], sorted: &mut Vec<CoreJob>) {
    sorted.clear();
    core.sort_unstable_by(|a, b| a.shed.total_cmp(&b.shed).then(a.job.cmp(&b.job)));
    sorted.extend_from_slice(core);
    sorted.sort_unstable_by(|a, b| b.take.total_cmp(&a.take).then(a.job.cmp(&b.job)));
    // Two orders of the same jobs are merged; each job is taken where it comes first. Ranks by take, then positions.
    let count = core.len();
    let mut rank = vec![(0, 0); count];
    let mut by_job: Vec<(u32, usize)> = core.iter().enumerate().map(|(at, job)| (job.job, at)).collect();
    by_job.sort_unstable();
    for (at, job) in sorted.iter().enumerate() {
        if let Ok(found) = by_job.binary_search_by_key(&job.job, |&(job, _)| job) {
            let shed_rank = by_job[found].1;
            rank[shed_rank] = (2 * shed_rank.min(at) + usize::from(at < shed_rank), shed_rank);
        }
    }
    rank.sort_unstable();
    for (place, &(_, shed_rank)) in sorted.iter_mut().zip(&rank) {
        *place = core[shed_rank];
    }
    core.copy_from_slice(sorted);
}

/// Tries every change of one job: of the base, which fits, and of the picks at the other end of the bracket, which do
/// not.
fn swap_one(
    view: &View<'_>,
    search: &Search,
    base: &[usize],
    candidates: &[Candidate],
    core: &[CoreJob],
    picks: &mut Vec<usize>,
    incumbent: &mut Incumbent<'_>,
) {
    let best_change = |picks: &mut Vec<usize>, incumbent: &mut Incumbent<'_>| {
        let left = view.limit - view.totals(picks).1;
        let mut best: Option<(f64, usize, usize)> = None;
        for job in core {
            let number = job.job as usize;
            let own = job.candidates(candidates);
            let index = view.offsets[number] + picks[number];
            let base_index = view.offsets[number] + base[number];
            let objective = view.sign * (view.objective[index] - view.objective[base_index]);
            let weight = view.weight[index] - view.weight[base_index];
            for candidate in own {
                let gain = objective - candidate.objective;
                let better = best.is_none_or(|(most, ..)| gain > most);
                if candidate.weight - weight <= left && better {
                    best = Some((gain, number, candidate.at as usize));
                }
            }
        }
        if let Some((_, number, at)) = best {
            picks[number] = at;
            let _ = incumbent.offer(view, picks);
        }
    };
    picks.clear();
    picks.extend_from_slice(base);
    best_change(picks, incumbent);
    picks.clear();
    picks.extend(search.heavy.iter().map(|&at| at as usize));
    best_change(picks, incumbent);
}
