//! The relaxation of the budget at one start: each unit of money costs a multiplier, and any set of nodes is
//! allowed. It bounds the sums of values of affordable sets from below, and gives some that are affordable.

use super::Sweep;
use sched_model::order::sort_keys;
use sched_model::{Span, plain_sum_error};

/// The sets of least value under a multiplier of the budget, for the bound of those that hold a given slot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) multiplier: f64,
    /// The least sum of n keys, less the multiplier's share of the budget and the rounding error.
    pub(super) least: f64,
    /// The greatest of those n keys.
    last: f64,
}

impl Edge {
    /// No affordable set that holds a slot of this value and charge has a lesser sum of values.
    pub(super) fn with(&self, value: f64, charge: f64) -> f64 {
        let key = value + self.multiplier * charge;
        if key <= self.last { self.least } else { self.least + (key - self.last) }
    }
}

/// The least multiplier tried first, and how often it is multiplied by 4.
const LEAST_MULTIPLIER: f64 = 1e-12;
const STEPS_UP: usize = 60;
/// Up to which multiplier the next search for one begins at the last: less than 4^60 times the least.
const MOST_MULTIPLIER: f64 = 1e24;

impl Sweep<'_> {
    /// A lower bound on the sums of values of the affordable sets that contain this slot, or of all, by the
    /// relaxation.
    pub(super) fn known_least(&mut self, given: Option<usize>, cap: Span) -> f64 {
        // Without a best window, the multiplier may be that of a start that has nothing in common with this.
        if self.multiplier == 0.0 || self.below == f64::INFINITY {
            self.raise_multiplier(cap);
        }
        let edge = self.edge(self.multiplier, cap);
        match given {
            Some(at) => edge.with(self.live[at].value, self.live[at].charge),
            None => {
                self.least_sum = self.least_sum.max(edge.least);
                self.least_sum
            }
        }
    }

    /// A set of least `value + multiplier * charge` that is affordable at some multiplier, as `members`: its
    /// sum of values.
    pub(super) fn near_the_budget(&mut self, given: Option<usize>, cap: Span) -> Option<f64> {
        let mut keyed: Vec<(f64, u32)> = Vec::with_capacity(self.live.len());
        let others = self.nodes - usize::from(given.is_some());
        for factor in [1.0, 1.25, 2.0, 8.0] {
            let multiplier = self.multiplier * factor;
            let capped =
                self.live.iter().enumerate().filter(|&(at, live)| live.span <= cap && Some(at) != given);
            keyed.clear();
            keyed.extend(capped.map(|(at, live)| (live.value + multiplier * live.charge, at as u32)));
            sort_keys(&mut keyed);
            self.members.clear();
            self.members.extend(given.map(|at| at as u32));
            self.room.clear();
            let (live, room) = (&self.live, &mut self.room);
            let fitting = keyed.iter().filter(|keyed| room.take(live[keyed.1 as usize].group));
            self.members.extend(fitting.take(others).map(|keyed| keyed.1));
            let charges = self.members.iter().map(|&at| self.live[at as usize].charge);
            if self.members.len() == self.nodes && sched_model::affordable(charges, self.budget) {
                return Some(self.sum_of_members());
            }
        }
        None
    }

    /// The number below which sums of values are, with `rest`, below the best. It includes the rounding error
    /// of this difference.
    pub(super) fn needed(&self, rest: f64) -> f64 {
        if self.below == f64::INFINITY {
            return f64::INFINITY;
        }
        self.below - rest + plain_sum_error(4, self.below.abs() + rest.abs())
    }

    /// Whether the relaxation of the budget leaves room for a sum below this.
    pub(super) fn may_fall_below(&mut self, needed: f64, cap: Span) -> bool {
        if needed == f64::INFINITY {
            return true;
        }
        if self.relaxed(self.multiplier, cap) >= needed {
            return false;
        }
        self.raise_multiplier(cap);
        self.relaxed(self.multiplier, cap) < needed
    }

    /// The least sum of `value + multiplier * charge` over n live slots of spans up to `cap`, less the
    /// multiplier's share of the budget: no affordable set has a lesser sum of values. There are n such
    /// slots.
    fn relaxed(&mut self, multiplier: f64, cap: Span) -> f64 {
        self.edge(multiplier, cap).least
    }

    pub(super) fn edge(&mut self, multiplier: f64, cap: Span) -> Edge {
        let Self { keys, live, nodes, budget, .. } = self;
        keys.clear();
        // A key may be far smaller than its terms.
        let mut greatest = 0.0_f64;
        for live in live.iter().filter(|live| live.span <= cap) {
            let tax = multiplier * live.charge;
            greatest = greatest.max(live.value.abs() + tax);
            keys.push(live.value + tax);
        }
        if *nodes < keys.len() {
            keys.select_nth_unstable_by(*nodes - 1, f64::total_cmp);
        }
        let sum: f64 = keys[..*nodes].iter().sum();
        let last = keys[..*nodes].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let size = (*nodes + 2) as f64 * greatest + multiplier * budget.abs();
        // The last term is for products too small for a double.
        let error = plain_sum_error(*nodes + 4, size) + f64::MIN_POSITIVE;
        let least = sum - multiplier * *budget - error;
        Edge { multiplier, least, last }
    }

    /// A multiplier of the budget that fits the live slots: halving between one that is too small and one
    /// that is large enough for the set it selects to be affordable.
    fn raise_multiplier(&mut self, cap: Span) {
        // Where no set is affordable, the bound rises without end, and so does its multiplier.
        let last = if self.multiplier < MOST_MULTIPLIER { self.multiplier } else { 0.0 };
        let (mut low, mut high) = (0.0_f64, last.max(LEAST_MULTIPLIER));
        // That of another start may be far too great.
        while high > LEAST_MULTIPLIER && self.relaxed(high / 4.0, cap) > self.relaxed(high, cap) {
            high /= 4.0;
        }
        let mut bound = f64::NEG_INFINITY;
        let mut best = self.multiplier;
        for _ in 0..STEPS_UP {
            let now = self.relaxed(high, cap);
            if now <= bound {
                break;
            }
            (bound, best, low) = (now, high, low.max(high / 4.0));
            high *= 4.0;
        }
        // The bound is concave in the multiplier: its greatest value lies within the last two steps.
        let mut top = high;
        for _ in 0..24 {
            let (left, right) = (low + (top - low) / 3.0, top - (top - low) / 3.0);
            let (at_left, at_right) = (self.relaxed(left, cap), self.relaxed(right, cap));
            if at_left < at_right {
                low = left
            } else {
                top = right
            }
            for (multiplier, value) in [(left, at_left), (right, at_right)] {
                if value > bound {
                    (bound, best) = (value, multiplier);
                }
            }
        }
        self.multiplier = best;
    }
}
