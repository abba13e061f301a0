//! The jobs of the core, the order in which they enter it, and the completion bound: a lower bound of the
//! objective of a state together with the best choices of the remaining jobs.
//!
//! | word | meaning |
//! |---|---|
//! | state | sums of objective and weight of some jobs of the core, as differences from the base |
//! | completion | a choice for the jobs that are not yet in the state |
//! | slack | the limit minus the weight of the base; negative if the base exceeds the limit |
//! | room | the limit minus the weight of a state with all other jobs at their base |
//! | up | the maximum decrease of the objective per unit of weight by an upgrade of a remaining job |
//! | down | the minimum increase of the objective per unit of weight by a downgrade of a remaining job |
//! | gain, shed | the maximum decrease of the objective, and of the weight, by all remaining jobs together |
//! | margin | the maximum effect of rounding on the comparison of a bound with the incumbent |
//!
//! If there are two ranks, cuts bound the first rank: they exclude the states that can no longer reach the loss of the
//! incumbent.
//!
//! | word | meaning |
//! |---|---|
//! | loss | the first rank: the service that is lost by the jobs left out |
//! | cut | a price `c` of a unit of the limit, with the bound on `loss + c w` that follows from the incumbent |
//!
//! For every choice that is as good in the first rank, `loss + c w` is at most the loss of the incumbent plus `c` times
//! the limit. The completion bound prices loss and limit together, for the best objective; it may accept a state that
//! can no longer reach the loss of the incumbent, or only beyond the limit. A cut at a price of 0 tests whether the
//! remaining jobs can reach that loss; a cut at the price at which the maximum service just fits tests whether they can
//! do so within the limit.

use super::relaxation::MAX_MULTIPLIER;
use crate::list::{Step, StepScales};
use crate::number::{Amount, Number};
use sched_model::internal::{sort, sort_keys};
use std::ops::Range;

/// A job that still has a choice: its steps, by rising weight, as differences from its base alternative. The base
/// itself is the step that changes nothing.
#[derive(Debug, Clone)]
pub(crate) struct CoreJob {
    pub(crate) job: usize,
    /// The positions of its steps.
    pub(crate) steps: Range<usize>,
    best: Rest,
    /// Whether its steps differ in the first rank.
    is_open: bool,
    /// The largest magnitudes of its steps.
    largest_p: f64,
    largest_w: f64,
}

impl CoreJob {
    /// A job with the steps at these positions.
    pub(crate) fn new<P: Number, W: Amount>(
        job: usize,
        positions: Range<usize>,
        all: &[Step<P, W>],
        scales: &StepScales<P::Scale>,
    ) -> Self {
        let steps = &all[positions.clone()];
        let is_open = steps.iter().any(|step| step.p.loss(&scales.p) != 0.0);
        let (mut best, mut largest_p, mut largest_w) = (Rest::NOTHING, 0.0_f64, 0.0_f64);
        for step in steps {
            let Step { p, w, .. } = step.near(scales);
            // A rate of 0 / 0, which is possible if a difference is below the smallest double, is NaN; `max` and
            // `min` ignore NaN.
            if step.w > W::ZERO {
                best.up = best.up.max(-p / w);
            } else if step.w < W::ZERO {
                best.down = best.down.min(p / -w);
            }
            best.gain = best.gain.max(-p);
            best.shed = best.shed.max(-w);
            largest_p = largest_p.max(step.p.size(&scales.p));
            largest_w = largest_w.max(w.abs());
        }
        Self { job, steps: positions, best, is_open, largest_p, largest_w }
    }
}

/// The list that a job enters.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Side {
    /// The list of the first jobs in the order of the core.
    Front,
    /// The list of the last jobs in the order of the core.
    Back,
}

/// The best rates and sums of the steps of some jobs, as defined [above](self).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rest {
    /// Their best upgrade rate; 0 if there are no upgrades.
    pub(crate) up: f64,
    /// Their best downgrade rate; infinite if there are no downgrades.
    pub(crate) down: f64,
    /// The maximum decrease of the objective by all of them.
    pub(crate) gain: f64,
    /// The maximum decrease of the weight by all of them.
    pub(crate) shed: f64,
}

impl Rest {
    const NOTHING: Self = Self { up: 0.0, down: f64::INFINITY, gain: 0.0, shed: 0.0 };

    /// The rates and sums of both sets of jobs together.
    fn and(self, other: Self) -> Self {
        Self {
            up: self.up.max(other.up),
            down: self.down.min(other.down),
            gain: self.gain + other.gain,
            shed: self.shed + other.shed,
        }
    }
}

/// The order in which jobs enter the core.
#[derive(Debug, Default, Clone)]
pub(crate) struct Order {
    /// Positions among the jobs of the core.
    pub(crate) turns: Vec<u32>,
    /// For each [`Side`] and each turn, and for the end: the jobs that complete a state of this side if its next turn
    /// is this one.
    pub(crate) rests: [Vec<Rest>; 2],
}

impl Order {
    /// Alternates between the job with the best upgrade and the one with the best downgrade among those left. If there
    /// are two ranks, the jobs whose steps differ in the first rank come first, because the bound is tight once these
    /// are decided.
    pub(crate) fn arrange(&mut self, core: &[CoreJob]) {
        let Self { turns, rests } = self;
        let at = |index: u32| &core[index as usize];
        let mut by_down: Vec<(f64, u32)> = core.iter().map(|job| job.best.down).zip(0..).collect();
        sort_keys(&mut by_down);
        let mut by_up: Vec<(f64, u32)> = core.iter().map(|job| -job.best.up).zip(0..).collect();
        sort_keys(&mut by_up);
        let mut taken = vec![false; core.len()];
        turns.clear();
        let (mut ups, mut downs) = (by_up.iter(), by_down.iter());
        while turns.len() < core.len() {
            for side in [&mut ups, &mut downs] {
                if let Some(&(_, next)) = side.find(|(_, index)| !taken[*index as usize]) {
                    taken[next as usize] = true;
                    turns.push(next);
                }
            }
        }
        sort(turns, &|&one, &other| at(other).is_open.cmp(&at(one).is_open));
        let parts: Vec<Rest> = turns.iter().map(|&index| at(index).best).collect();
        fill_rests(rests, &parts, Rest::NOTHING, Rest::and);
    }
}

/// Fills `rests`, as [`Order::rests`] says, with what the `parts` of the jobs, in the order of their turns, are
/// together.
fn fill_rests<T: Copy>([after, before]: &mut [Vec<T>; 2], parts: &[T], nothing: T, and: impl Fn(T, T) -> T) {
    after.clear();
    after.resize(parts.len() + 1, nothing);
    before.clear();
    before.push(nothing);
    for (turn, &part) in parts.iter().enumerate() {
        before.push(and(before[turn], part));
    }
    for (turn, &part) in parts.iter().enumerate().rev() {
        after[turn] = and(after[turn + 1], part);
    }
}

/// A price `c`, and the minimum `loss + c w` of the jobs that are left, as in [`Order::rests`].
#[derive(Debug, Default)]
pub(crate) struct Cut {
    price: f64,
    rests: [Vec<f64>; 2],
    /// The sum over the core of the largest magnitude of the loss of each job.
    core: f64,
}

/// The test of a cut for the states of a side at a turn: `loss + price * w` must be at most `most`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CutTest {
    price: f64,
    most: f64,
}

impl CutTest {
    /// Whether a state with these sums passes the test.
    #[inline(always)]
    pub(crate) fn holds(&self, loss: f64, w: f64) -> bool {
        loss + self.price * w <= self.most
    }
}

impl Cut {
    /// Fills the cut for the steps of a core in its order.
    pub(super) fn fill<P: Number, W: Amount>(
        &mut self,
        price: f64,
        jobs: &[CoreJob],
        order: &Order,
        steps: &[Step<P, W>],
        scales: &StepScales<P::Scale>,
    ) {
        (self.price, self.core) = (price, 0.0);
        let mut parts = Vec::with_capacity(jobs.len());
        for &at in &order.turns {
            let (mut least, mut largest) = (f64::INFINITY, 0.0_f64);
            for step in &steps[jobs[at as usize].steps.clone()] {
                let (loss, w) = (step.p.loss(&scales.p), step.w.near(&scales.w));
                least = least.min(loss + price * w);
                largest = largest.max(loss.abs());
            }
            self.core += largest;
            parts.push(least);
        }
        fill_rests(&mut self.rests, &parts, 0.0, |sum, part| sum + part);
    }

    /// The test for the states of a side whose next turn is `turn`. `loss` and `slack` are the amounts by which the
    /// incumbent's loss and the limit exceed those of the base.
    pub(super) fn test(
        &self,
        side: Side,
        turn: usize,
        loss: f64,
        slack: f64,
        rounding: &Rounding,
    ) -> CutTest {
        let Self { price, core, .. } = *self;
        let most = loss + price * slack - self.rests[side as usize][turn];
        CutTest { price, most: most + rounding.loss_margin(core, loss, price, slack) }
    }
}

/// The rounding errors of bounds. The sums themselves are exact; only the doubles near them, and products of these, are
/// rounded.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rounding {
    /// Relative rounding error over the additions of the core.
    unit: f64,
    /// The sums over the core of the largest magnitudes of the steps of each job.
    core_p: f64,
    core_w: f64,
    /// The absolute errors of the doubles near the numbers of the core, all together.
    error_p: f64,
    error_w: f64,
    error_loss: f64,
}

impl Rounding {
    /// The errors for a core.
    pub(crate) fn of<P: Number, W: Amount>(core: &[CoreJob], scales: &StepScales<P::Scale>) -> Self {
        let count = core.len() as f64 + 8.0;
        let all = |error: f64| 2.0 * count * error;
        Self {
            unit: 2.0 * f64::EPSILON * count,
            core_p: core.iter().map(|job| job.largest_p).sum(),
            core_w: core.iter().map(|job| job.largest_w).sum(),
            error_p: all(P::absolute_error(&scales.p)),
            error_w: all(W::absolute_error(&scales.w)),
            error_loss: all(P::loss_absolute_error(&scales.p)),
        }
    }

    /// The margin for comparing `p + rate * w` of any state with the `gap` of the incumbent.
    pub(crate) fn margin(&self, rate: f64, gap: f64, slack: f64) -> f64 {
        self.unit * (self.core_p + gap.abs() + rate * (self.core_w + slack.abs()))
            + self.error_p
            + rate * self.error_w
            + f64::MIN_POSITIVE
    }

    /// The margin for comparing `loss + price * w` of any state with that of the incumbent, if the losses of the core
    /// sum to at most `core` in magnitude.
    pub(crate) fn loss_margin(&self, core: f64, loss: f64, price: f64, slack: f64) -> f64 {
        2.0 * self.unit * (core + loss.abs() + price * (self.core_w + slack.abs()))
            + self.error_loss
            + price * self.error_w
            + f64::MIN_POSITIVE
    }

    /// The margin for comparing sums of weights.
    fn weight_margin(&self, slack: f64) -> f64 {
        self.unit * (self.core_w + slack.abs()) + self.error_w + f64::MIN_POSITIVE
    }
}

/// The thresholds that a better choice must meet, as doubles near their differences from the base.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Thresholds {
    /// The limit minus the weight of the base.
    pub(crate) slack: f64,
    /// A better choice has at most this objective, ...
    pub(crate) better_p: f64,
    /// ... or at most this objective and at most the weight `better_w`.
    pub(crate) tie_p: f64,
    pub(crate) better_w: f64,
}

/// The completion bound at a turn, and the test whether the best completion of a state could beat the incumbent.
///
/// A state with room left can at best fill the room at the best upgrade rate of the remaining jobs; a state beyond the
/// limit must at least pay their best downgrade rate. No completion can decrease the objective or the weight by more
/// than the remaining jobs offer.
///
/// This holds if no upgrade has a better rate than a downgrade, as is the case for a base that is optimal at a
/// multiplier. If the base is optimal only up to rounding, a downgrade may pay for an upgrade; the bound allows for
/// everything that could be gained in this way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Completion {
    slack: f64,
    up: f64,
    down: f64,
    gain: f64,
    /// Above this weight, even all downgrades of the remaining jobs together do not reach the limit.
    heaviest: f64,
    most_within: f64,
    most_beyond: f64,
    most_gain: f64,
    /// The maximum amounts that remaining downgrades could gain at the upgrade rate, and upgrades at the downgrade
    /// rate.
    crossed_up: f64,
    crossed_down: f64,
}

impl Completion {
    /// The bound for states that `rest`, the remaining jobs, complete.
    pub(crate) fn new(thresholds: &Thresholds, rest: &Rest, rounding: &Rounding) -> Self {
        // A rate whose products could overflow gives no bound; the gain still does.
        let bounded = rest.up <= MAX_MULTIPLIER;
        let up = if bounded { rest.up } else { 0.0 };
        // Without downgrades `heaviest` excludes every state beyond the limit.
        let down = if rest.down <= MAX_MULTIPLIER { rest.down.max(0.0) } else { 0.0 };
        let is_crossed = rest.up > rest.down;
        let crossed_up = if is_crossed { rest.shed * (up - rest.down) } else { 0.0 };
        let crossed_down = if is_crossed { rest.gain } else { 0.0 };
        // A lighter choice of equal objective leaves room unused, and each unit of that room costs at least the
        // rate.
        let lighter = thresholds.slack - thresholds.better_w;
        let most = |rate: f64| {
            thresholds.better_p.max(thresholds.tie_p - rate * lighter)
                + rounding.margin(rate, thresholds.tie_p, thresholds.slack)
        };
        Self {
            slack: thresholds.slack,
            up,
            down,
            gain: rest.gain,
            heaviest: thresholds.slack + rest.shed + rounding.weight_margin(thresholds.slack),
            most_within: if bounded { most(up) + crossed_up } else { f64::INFINITY },
            most_beyond: most(down) + crossed_down,
            most_gain: thresholds.tie_p + rounding.margin(0.0, thresholds.tie_p, 0.0),
            crossed_up,
            crossed_down,
        }
    }

    /// Whether the best completion of a state with these sums could beat the incumbent.
    #[inline(always)]
    pub(crate) fn holds(&self, p: f64, w: f64) -> bool {
        let room = self.slack - w;
        if room >= 0.0 {
            (p - self.up * room <= self.most_within) & (p - self.gain <= self.most_gain)
        } else {
            (p - self.down * room <= self.most_beyond) & (w <= self.heaviest)
        }
    }

    /// A lower bound of the objective of every completion, up to a rounding error of [`margin`](Self::margin).
    #[inline(always)]
    pub(crate) fn bound(&self, p: f64, w: f64) -> f64 {
        let room = self.slack - w;
        if room >= 0.0 {
            let is_bounded = self.most_within < f64::INFINITY;
            let filled = if is_bounded { p - self.up * room - self.crossed_up } else { f64::NEG_INFINITY };
            filled.max(p - self.gain)
        } else {
            p - self.down * room - self.crossed_down
        }
    }

    /// The maximum amount by which rounding raises [`bound`](Self::bound).
    pub(crate) fn margin(&self, thresholds: &Thresholds, rounding: &Rounding) -> f64 {
        rounding.margin(self.up.max(self.down), thresholds.tie_p, thresholds.slack)
    }
}
