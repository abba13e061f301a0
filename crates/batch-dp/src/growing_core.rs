//! The exact solver to use by default: linear relaxation, reduction, and a recurrence over a growing core.

use sched_model::{Proof, Proven as Outcome};

use crate::core_order::{self, CoreJob, Rest};
use crate::exactness::{Exactness, Margin};
use crate::forward::{self, Bound, Suffix};
use crate::incumbent::Incumbent;
use crate::multiplier::{GREATEST, Hulls, Relaxation, relax};
use crate::problem::View;
use crate::states::{History, NONE, Runs, State, Step, product};
use crate::{Alternatives, BatchError, Chooser, Decision, Problem, Scratch};

/// One alternative per job, exactly, through a core of jobs that grows only as far as the proof needs.
///
/// After David Pisinger, *A minimal algorithm for the multiple-choice knapsack problem* (1995), with these deviations:
/// real values in place of integers; the multiplier of the linear relaxation by secants instead of partitioning; every
/// alternative tested by its reduced cost before the core is ordered; completion bounds applied while states are
/// generated; histories kept instead of solved again.
///
/// 1. The linear relaxation gives a multiplier `m`, a bound, and a *base*: for each job an alternative of least
///    `p + m w`. Here `p` is the objective and `w` the limited quantity.
/// 2. The first incumbent is the base with each unsettled job upgraded where it fits.
/// 3. An alternative whose reduced cost, its loss of `p + m w` against the base, lifts the bound above the incumbent
///    is in no better choice: it goes. The best exchange of one or two of the others improves the incumbent.
/// 4. The jobs that still have a choice form the core, taken in by turns: the one with the best upgrade, the one with
///    the best downgrade. The list of undominated sums grows job by job. A state stays only while the best completion
///    by the jobs to come could beat the incumbent; when no state stays, the incumbent is proven.
///
/// # Which to pick
/// This one. [`BackwardRun`](crate::BackwardRun) is the textbook recurrence: a few lines to read, and slower by orders
/// of magnitude as soon as jobs or alternatives are many.
///
/// # Complexity
/// With `N` alternatives of `n` jobs: O(N) for each pass of the relaxation, O(N) for the reduction; the core costs
/// O(S K log K) for each of its jobs with `K` alternatives left and `S` states. Typically a few dozen alternatives of
/// any batch are left; in the worst case `S` is exponential in `n`, as the problem is NP-hard.
///
/// # Guarantee
/// Exact ([`Proof::Exact`]): the chosen sums, added from the first job to the last, keep the limit to the bit, and no
/// choice that keeps it has a better objective, apart from what rounding does to a sum of doubles: `4 n 2^-53` of the
/// largest sum of magnitudes. Where all sums are free of rounding (all values multiples of one power of two, and sums
/// below 2^52 of it: whole numbers, quarters) this is nothing: the answer is the optimum to the bit. When
/// [`state_limit`](Self::with_state_limit) stops it, the incumbent, and [`Proof::WithinEpsilon`] of the gap to the bound.
///
/// # Ties
/// Of choices with equal objective, one that uses least of the limit (to the bit where sums are free of rounding). Of
/// equal alternatives of a job, the first. Of different choices equal in both sums, which one is returned is not
/// specified, but it is always the same.
///
/// # Example
/// Two jobs; the pairs are (cost, time). Within a budget of 13, two choices take 13 in all, 8 + 5 and 5 + 8. They cost
/// 12 and 11: the tie goes to the cheaper.
///
/// ```
/// use batch_dp::{Alternatives, Chooser, GrowingCore, Problem, Scratch};
/// let batch = Alternatives::new(&[
///     vec![(4.0, 10.0), (6.0, 8.0), (9.0, 5.0)],
///     vec![(2.0, 8.0), (6.0, 5.0), (10.0, 1.0)],
/// ])?;
/// let decision = GrowingCore::default().choose(&batch, Problem::MinTime { budget: 13.0 }, &mut Scratch::default())?;
/// let choice = decision.choice().unwrap();
/// assert_eq!((choice.cost, choice.time), (11.0, 13.0));
/// assert_eq!(choice.picks, [2, 0]);
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct GrowingCore {
    /// Undominated states that may be kept in all; at most 2^31.
    pub state_limit: usize,
}

impl Default for GrowingCore {
    /// A limit of 50 million states, which take about 2 GB at the very worst.
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

/// Buffers of [`GrowingCore`] and of the recurrences.
#[derive(Debug, Default)]
pub(crate) struct CoreScratch {
    pub(crate) hulls: Hulls,
    pub(crate) incumbent: Incumbent,
    /// Jobs with a choice left, and their steps away from the base.
    pub(crate) core: Vec<CoreJob>,
    pub(crate) steps: Vec<Step>,
    /// The order in which the core grows, and what comes after each turn.
    pub(crate) order: Vec<u32>,
    pub(crate) by_up: Vec<u32>,
    pub(crate) by_down: Vec<u32>,
    pub(crate) taken: Vec<bool>,
    pub(crate) rests: Vec<Rest>,
    /// The recurrences: the current list, the steps of the current job, merges, histories.
    pub(crate) states: Vec<State>,
    pub(crate) turn_steps: Vec<Step>,
    pub(crate) runs: Runs,
    pub(crate) history: History,
    pub(crate) suffixes: Vec<Suffix>,
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
        Ok(match self.solve(&view, scratch) {
            Ok(proof) => {
                let solution = batch.choice_of(&scratch.incumbent.picks);
                Decision::Chosen(Outcome { solution, proof })
            }
            Err(least) => Decision::OutOfReach { least, limit: view.limit },
        })
    }
}

impl GrowingCore {
    /// Leaves the best choice in `scratch.incumbent`; `Err` holds the least sum when the limit is out of reach.
    fn solve(&self, view: &View<'_>, scratch: &mut CoreScratch) -> Result<Proof, f64> {
        scratch.incumbent.reset();
        match relax(view, &mut scratch.hulls) {
            Relaxation::OutOfReach(least) => Err(least),
            Relaxation::Unlimited => {
                scratch.incumbent.offer(view, scratch.hulls.base.iter().map(|step| step.alt));
                Ok(Proof::Exact)
            }
            Relaxation::Unusable => Ok(forward::solve(view, Bound::NONE, self.state_limit, scratch)),
            Relaxation::Multiplier(multiplier) => Ok(self.search(view, multiplier, scratch)),
        }
    }

    /// From the relaxation to the proof.
    fn search(&self, view: &View<'_>, multiplier: f64, scratch: &mut CoreScratch) -> Proof {
        round_up(view, scratch);
        reduce(view, multiplier, scratch);
        if scratch.core.is_empty() {
            return Proof::Exact;
        }
        let mut core = Core::new(view, multiplier, scratch);
        core.exchange(scratch);
        let finished = core.grow(self.state_limit, scratch);
        if core.refused < core.gap(scratch) - core.exactness.p {
            // A sum beyond the limit by nothing but rounding may have displaced the true optimum. The recurrence in the
            // defined order of summation decides.
            return forward::solve(view, Bound { multiplier }, self.state_limit, scratch);
        }
        if finished {
            return Proof::Exact;
        }
        Proof::WithinEpsilon(
            core.gap(scratch) + multiplier * core.slack + core.exactness.reduction(multiplier, core.slack),
        )
    }
}

/// The first incumbent: the base, each unsettled job upgraded in turn where it fits; failing that (rounding), the base;
/// failing that, the lightest choice, which fits or the limit is out of reach.
fn round_up(view: &View<'_>, scratch: &mut CoreScratch) {
    let CoreScratch { hulls, incumbent, .. } = scratch;
    let weight: f64 = hulls.base.iter().map(|step| step.w).sum();
    let mut slack = view.limit - weight;
    let upgrades = hulls.brackets.iter().filter_map(|bracket| {
        let more = bracket.heavy.w - bracket.light.w;
        (more <= slack).then(|| {
            slack -= more;
            (bracket.job as usize, bracket.heavy.alt)
        })
    });
    incumbent.offer_changes(view, &hulls.base, upgrades);
    if incumbent.is_none() && !incumbent.offer(view, hulls.base.iter().map(|step| step.alt)) {
        incumbent.offer_lightest(view);
    }
}

/// Fills the core with the alternatives that the bound does not exclude, as steps away from the base.
fn reduce(view: &View<'_>, multiplier: f64, scratch: &mut CoreScratch) {
    let CoreScratch { hulls, incumbent, core, steps, .. } = scratch;
    core.clear();
    steps.clear();
    let (mut base_p, mut base_w, mut magnitude) = (0.0, 0.0, 0.0);
    for step in &hulls.base {
        base_p += step.p;
        base_w += step.w;
        magnitude += step.p.abs() + multiplier * step.w.abs();
    }
    // Rounding of the sums over all jobs, and of one product.
    let doubt = f64::EPSILON
        * (4.0 * (hulls.base.len() as f64 + 8.0))
        * (magnitude + multiplier * view.limit.abs() + incumbent.p.abs() + multiplier * incumbent.w.abs())
        + f64::MIN_POSITIVE;
    let gap = incumbent.p - base_p + multiplier * (view.limit - base_w) + doubt;
    for (job, row) in view.offsets.windows(2).enumerate() {
        let base = hulls.base[job];
        let value = base.p + multiplier * base.w;
        // The product of a large magnitude rounds in its last place.
        let most = value + gap + 4.0 * f64::EPSILON * value.abs();
        let start = steps.len();
        for alt in row[0]..row[1] {
            let (p, w) = view.at(alt);
            if p + multiplier * w <= most {
                steps.push(Step { p, w, alt: alt as u32 });
            }
        }
        if steps.len() - start <= 1 {
            steps.truncate(start);
        } else {
            settle(job, start, steps, &mut hulls.base[job], core);
        }
    }
}

/// Makes a core job of the alternatives from `start` on, as differences from the base; or none if only one of them
/// counts.
fn settle(job: usize, start: usize, steps: &mut Vec<Step>, base: &mut Step, core: &mut Vec<CoreJob>) {
    crate::states::undominated(steps, start);
    // A base that rounding of a product has let through although another dominates it gives way.
    if let Some(better) = steps[start..].iter().find(|step| step.p <= base.p && step.w <= base.w) {
        *base = *better;
    }
    let mut end = start;
    for i in start..steps.len() {
        let Step { p, w, alt } = steps[i];
        if alt != base.alt {
            steps[end] = Step { p: p - base.p, w: w - base.w, alt };
            end += 1;
        }
    }
    steps.truncate(end);
    if end > start {
        core.push(CoreJob::new(job, start, &steps[start..]));
    }
}

/// The search over the core. Sums of states are differences from the base.
struct Core<'a> {
    view: &'a View<'a>,
    multiplier: f64,
    base_p: f64,
    slack: f64,
    exactness: Exactness,
    /// The best objective of a state that looked within the limit and was not.
    refused: f64,
}

impl<'a> Core<'a> {
    fn new(view: &'a View<'a>, multiplier: f64, scratch: &mut CoreScratch) -> Self {
        let exactness = Exactness::of(view, scratch);
        let CoreScratch { hulls, .. } = scratch;
        let (mut base_p, mut base_w) = (0.0, 0.0);
        for step in &hulls.base {
            base_p += step.p;
            base_w += step.w;
        }
        let slack = exactness.floor(view.limit) - base_w;
        Self { view, multiplier, base_p, slack, exactness, refused: f64::INFINITY }
    }

    /// The objective of the incumbent as a difference from the base.
    fn gap(&self, scratch: &CoreScratch) -> f64 {
        scratch.incumbent.p - self.base_p
    }

    /// The best exchange of one job's alternative, and of one more with an unsettled job upgraded.
    fn exchange(&mut self, scratch: &mut CoreScratch) {
        let CoreScratch { hulls, incumbent, core, steps, .. } = scratch;
        let upgrade = hulls.brackets.first().map(|bracket| {
            let base = &hulls.base[bracket.job as usize];
            let step =
                Step { p: bracket.heavy.p - base.p, w: bracket.heavy.w - base.w, alt: bracket.heavy.alt };
            (bracket.job as usize, step)
        });
        let mut best = incumbent.p - self.base_p;
        let mut found = None;
        for job in core.iter() {
            for step in &steps[job.range()] {
                if step.w <= self.slack && step.p < best {
                    best = step.p;
                    found = Some(((job.job, step.alt), None));
                }
                if let Some((other, up)) = upgrade
                    && other != job.job
                    && step.w + up.w <= self.slack
                    && step.p + up.p < best
                {
                    best = step.p + up.p;
                    found = Some(((job.job, step.alt), Some((other, up.alt))));
                }
            }
        }
        if let Some((change, second)) = found {
            incumbent.offer_changes(self.view, &hulls.base, std::iter::once(change).chain(second));
        }
    }

    /// Takes job after job into the core until no state can beat the incumbent. False when `max_states` stops it.
    fn grow(&mut self, state_limit: usize, scratch: &mut CoreScratch) -> bool {
        core_order::arrange(scratch);
        scratch.history.clear();
        scratch.states.clear();
        scratch.states.push(State::ORIGIN);
        let mut kept = 0;
        for turn in 0..scratch.core.len() {
            let job = scratch.core[scratch.order[turn] as usize];
            self.choices_of(&job, scratch);
            self.improve(&job, scratch);
            let rest = scratch.rests[turn + 1];
            if turn + 1 == scratch.core.len() {
                break;
            }
            let margin = self.exactness.margin(&rest, self.multiplier, self.slack);
            let keep = Completion::new(self, &rest, &margin, self.gap(scratch));
            let CoreScratch { states, runs, turn_steps, .. } = scratch;
            if turn_steps.is_empty() {
                states.retain(|state| keep.holds(state.p, state.w));
            } else {
                turn_steps.push(Step { p: 0.0, w: 0.0, alt: NONE });
                product(states, turn_steps, runs, |p, w| keep.holds(p, w));
                std::mem::swap(states, &mut runs.states);
            }
            scratch.history.commit(&mut scratch.states, job.job as u32);
            kept += scratch.states.len();
            if scratch.states.is_empty() {
                break;
            }
            if kept > state_limit {
                return false;
            }
        }
        true
    }

    /// The alternatives of a job that the incumbent, which may have improved, still does not exclude.
    fn choices_of(&self, job: &CoreJob, scratch: &mut CoreScratch) {
        let gap = self.gap(scratch);
        let CoreScratch { steps, turn_steps, .. } = scratch;
        let most = gap + self.multiplier * self.slack + self.exactness.reduction(self.multiplier, self.slack);
        turn_steps.clear();
        turn_steps.extend(steps[job.range()].iter().filter(|step| step.p + self.multiplier * step.w <= most));
    }

    /// Offers for each alternative of the job the best state it fits to.
    fn improve(&mut self, job: &CoreJob, scratch: &mut CoreScratch) {
        let CoreScratch { hulls, incumbent, history, states, turn_steps, .. } = scratch;
        for step in turn_steps.iter() {
            let most = self.slack + self.exactness.w - step.w;
            let fitting = states.partition_point(|state| state.w <= most);
            for state in states[..fitting].iter().rev() {
                let (p, w) = (state.p + step.p, state.w + step.w);
                let best = incumbent.p - self.base_p;
                let tie = p == best && self.exactness.is_exact() && w + self.slack_used() >= incumbent.w;
                if p > best + self.exactness.p || tie {
                    break;
                }
                let changes = history.steps(state.link).chain([(job.job, step.alt)]);
                if incumbent.offer_changes(self.view, &hulls.base, changes) {
                    break;
                }
                self.refused = self.refused.min(p);
            }
        }
    }

    /// The constraint sum of the base.
    fn slack_used(&self) -> f64 {
        self.exactness.floor(self.view.limit) - self.slack
    }
}

/// Whether the best completion of a state could beat the incumbent.
///
/// A state with room left can at best fill it at the best upgrade rate of the jobs to come; a state beyond the limit
/// must at least pay their best downgrade rate. Neither can gain or shed more than those jobs offer.
struct Completion {
    slack: f64,
    up: f64,
    down: f64,
    gain: f64,
    /// Beyond this weight not even all downgrades to come reach the limit.
    heaviest: f64,
    most_within: f64,
    most_beyond: f64,
    most_gain: f64,
}

impl Completion {
    fn new(core: &Core<'_>, rest: &Rest, margin: &Margin, gap: f64) -> Self {
        // On a grid, a better objective is better by a whole step; an equal one with less weight lies a step below the
        // limit, which costs at least the upgrade rate.
        let step = core.exactness.step_p.min(rest.up * core.exactness.step_w);
        // A rate that a product could carry beyond all doubles bounds nothing; the gain still does.
        let bounded = rest.up <= GREATEST;
        Self {
            slack: core.slack,
            up: if bounded { rest.up } else { 0.0 },
            // Without downgrades `heaviest` excludes every state beyond the limit, but for rounding.
            down: if rest.down <= GREATEST { rest.down } else { 0.0 },
            gain: rest.gain,
            heaviest: core.slack + rest.shed + margin.w,
            most_within: if bounded { gap - step + margin.within } else { f64::INFINITY },
            most_beyond: gap - step + margin.beyond,
            most_gain: gap + margin.gain,
        }
    }

    #[inline(always)]
    fn holds(&self, p: f64, w: f64) -> bool {
        let room = self.slack - w;
        if room >= 0.0 {
            (p - self.up * room <= self.most_within) & (p - self.gain <= self.most_gain)
        } else {
            (p - self.down * room <= self.most_beyond) & (w <= self.heaviest)
        }
    }
}
