//! Bounds on the first rank: which states can still reach the loss of the incumbent, where there are two
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

use super::completion::Rounding;
use super::order::{CoreJob, Order, Side};
use crate::list::Step;
use crate::number::{Amount, Number};

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
