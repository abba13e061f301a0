//! The jobs of the core, the order in which they enter it, and the best steps of the remaining jobs.
//!
//! Cuts are bounds on the first rank: which states can still reach the loss of the incumbent, where there are two
//! ranks.
//!
//! | word | meaning |
//! |---|---|
//! | loss | the first rank: what jobs left out lose of the service |
//! | cut | a price `c` of a unit of the limit, with the incumbent's bound on `loss + c w` |
//!
//! No choice as good in the first rank has a greater `loss + c w` than the incumbent's loss with the weight
//! of the whole limit. The completion bound prices loss and limit together, for the best objective; it may
//! accept a state that can no longer reach the loss of the incumbent, or only beyond the limit. A cut at a
//! price of 0 tests whether the remaining jobs can reach that loss; a cut at the price at which the greatest
//! service just fits tests whether they can do so within the limit.

use super::completion::{Rest, Rounding};
use crate::list::Step;
use crate::number::{Amount, Number};
use sched_model::order::sort_keys;
use std::ops::Range;

/// A job with a choice left: steps away from its base alternative, by rising weight. The base itself is the
/// step of nothing.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct CoreJob {
    pub(crate) job: usize,
    start: usize,
    end: usize,
    /// Objective gained per unit of weight by its best upgrade; 0 without one.
    up: f64,
    /// Objective lost per unit of weight by its best downgrade; infinite without one.
    down: f64,
    /// The most objective it can gain.
    gain: f64,
    /// The most weight by which it can become lighter.
    shed: f64,
    /// Whether its steps differ in the first rank.
    is_open: bool,
    /// The largest magnitudes of its steps.
    pub(crate) largest_p: f64,
    pub(crate) largest_w: f64,
}

impl CoreJob {
    /// The job that has these steps, none of which it has seen.
    pub(crate) fn new(job: usize, steps: Range<usize>) -> Self {
        Self { job, start: steps.start, end: steps.end, down: f64::INFINITY, ..Self::default() }
    }

    /// Takes some of its steps into account.
    pub(crate) fn see<P: Number, W: Number>(&mut self, steps: &[Step<P, W>], scales: (&P::Scale, &W::Scale)) {
        let core = self;
        core.is_open |= steps.iter().any(|step| step.p.loss(scales.0) != 0.0);
        for step in steps {
            let (p, w) = (step.p.near(scales.0), step.w.near(scales.1));
            // A rate of 0 / 0, possible where a difference is below the smallest double, is NaN, which `max`
            // and `min` ignore.
            if step.w > W::ZERO {
                core.up = core.up.max(-p / w);
            } else if step.w < W::ZERO {
                core.down = core.down.min(p / -w);
            }
            core.gain = core.gain.max(-p);
            core.shed = core.shed.max(-w);
            core.largest_p = core.largest_p.max(step.p.size(scales.0));
            core.largest_w = core.largest_w.max(w.abs());
        }
    }

    /// The positions of its steps.
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// Which list a job enters.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Side {
    /// The list of the first jobs in the order of the core.
    Front,
    /// The list of the last ones.
    Back,
}

impl Rest {
    const NOTHING: Self = Self { up: 0.0, down: f64::INFINITY, gain: 0.0, shed: 0.0 };

    fn and(self, job: &CoreJob) -> Self {
        Self {
            up: self.up.max(job.up),
            down: self.down.min(job.down),
            gain: self.gain + job.gain,
            shed: self.shed + job.shed,
        }
    }
}

/// The order in which jobs enter the core.
#[derive(Debug, Default, Clone)]
pub(crate) struct Order {
    /// Positions among the jobs of the core.
    pub(crate) turns: Vec<u32>,
    by_up: Vec<(f64, u32)>,
    by_down: Vec<(f64, u32)>,
    taken: Vec<bool>,
    /// For each turn, and after the last: the jobs from it on.
    pub(crate) after: Vec<Rest>,
    /// For each turn, and after the last: the jobs before it.
    pub(crate) before: Vec<Rest>,
}

impl Order {
    /// In turn the job with the best upgrade and the one with the best downgrade among those left. Where
    /// there are two ranks, the jobs whose steps differ in the first rank come first: the bound is good once
    /// these are decided.
    pub(crate) fn arrange(&mut self, core: &[CoreJob]) {
        let Self { turns, by_up, by_down, taken, after, before } = self;
        let at = |index: u32| &core[index as usize];
        by_down.clear();
        by_down.extend(core.iter().map(|job| job.down).zip(0..));
        sort_keys(by_down);
        by_up.clear();
        by_up.extend(core.iter().map(|job| -job.up).zip(0..));
        sort_keys(by_up);

        taken.clear();
        taken.resize(core.len(), false);
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

        let (open, settled): (Vec<u32>, Vec<u32>) = turns.iter().partition(|&&index| at(index).is_open);
        turns.clear();
        turns.extend(open.into_iter().chain(settled));

        after.clear();
        after.resize(core.len() + 1, Rest::NOTHING);
        before.clear();
        before.push(Rest::NOTHING);
        for turn in 0..core.len() {
            before.push(before[turn].and(at(turns[turn])));
        }
        for turn in (0..core.len()).rev() {
            after[turn] = after[turn + 1].and(at(turns[turn]));
        }
    }
}

/// One price, and for each turn the least `loss + c w` of the jobs from it on, and of those before it.
#[derive(Debug, Default)]
pub(crate) struct Cut {
    price: f64,
    after: Vec<f64>,
    before: Vec<f64>,
    /// The greatest magnitudes of the loss, summed over the core.
    core: f64,
}

/// The test of a cut for the states of one turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kept {
    price: f64,
    most: f64,
}

impl Kept {
    #[inline(always)]
    pub(crate) fn holds(&self, loss: f64, w: f64) -> bool {
        loss + self.price * w <= self.most
    }
}

impl Cut {
    /// For the steps of a core in its order.
    pub(super) fn fill<P: Number, W: Amount>(
        &mut self,
        price: f64,
        (jobs, order, steps): (&[CoreJob], &Order, &[Step<P, W>]),
        scales: (&P::Scale, &W::Scale),
    ) {
        let Self { after, before, core, .. } = self;
        self.price = price;
        *core = 0.0;
        before.clear();
        before.push(0.0);
        after.clear();
        after.resize(jobs.len() + 1, 0.0);
        for (turn, &at) in order.turns.iter().enumerate() {
            let (mut least, mut largest) = (f64::INFINITY, 0.0_f64);
            for step in &steps[jobs[at as usize].range()] {
                let (loss, w) = (step.p.loss(scales.0), step.w.near(scales.1));
                least = least.min(loss + price * w);
                largest = largest.max(loss.abs());
            }
            *core += largest;
            before.push(before[turn] + least);
            after[turn] = least;
        }
        for turn in (0..jobs.len()).rev() {
            after[turn] += after[turn + 1];
        }
    }

    /// The test for the states of a side at a turn, where the incumbent's loss and the limit exceed those of
    /// the base by the given amounts.
    pub(super) fn kept(
        &self,
        (side, turn): (Side, usize),
        (loss, slack): (f64, f64),
        fuzz: f64,
        rounding: &Rounding,
    ) -> Kept {
        let rest = if side == Side::Front { self.after[turn] } else { self.before[turn] };
        let doubt = rounding.loss_margin((self.core, loss), (self.price, slack), fuzz);
        Kept { price: self.price, most: loss + self.price * slack - rest + doubt }
    }
}
