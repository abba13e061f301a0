//! The engine behind [`MaxValue`](crate::MaxValue).
//!
//! | word | meaning |
//! |---|---|
//! | pool | candidates that may be combined: all, or those of one value of the label to pack by |
//! | level | one span, for which all nodes of a window are held, and which no task exceeds |
//! | class | slots of one node with the same span of the task, price and value |
//! | piece | one slot of a class that is long enough |
//! | multiplier, reduced value, bound | as in [`subset`](crate::subset): value less l times cost |
//! | arrival | a slot that becomes usable at the present instant of a pass |
//! | members | the classes that may be in a better window at that instant |
//! | target | while no window is found, the value that a window must exceed; others are left for later |
//!
//! `search` computes a bound for each level of each pool, and takes the levels in order of their bounds, the best
//! first. `pass` lists the slots by class, reads them in order of time and finds the instants at which the best
//! window may be improved; there, `search` makes the exact choice.

mod pass;
mod search;

pub(crate) use search::{ValueScratch, ValueSearch};

use crate::sweep::Choice;
use sched_model::{End, Limit, Meter};

/// The value and bound that a search states, and why it ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Conclusion {
    /// The value of the window found.
    pub(crate) value: Option<f64>,
    pub(crate) bound: Option<f64>,
    pub(crate) end: End,
}

/// The place of a window: its start, and the position of its pool. Of windows of equal value, the first counts.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(super) struct Place {
    start: f64,
    pool: usize,
}

/// The value of the best window so far, and an upper bound on those of all others: each of them is not searched yet
/// (`open`), was skipped (`skipped`), or is not worth searching for (it is at most `value + slack`).
#[derive(Debug, Clone, Copy)]
pub(super) struct BestValue {
    /// Minus infinity while there is none.
    pub(super) value: f64,
    place: Place,
    /// While no window is found, the value that a window must exceed; others are left for later.
    pub(super) target: f64,
    /// The gap: windows whose value exceeds the best by at most this are ignored.
    pub(super) slack: f64,
    /// A bound on the windows that are not searched yet.
    open: f64,
    /// A bound on the windows that were skipped, for lack of memory or within the gap.
    skipped: f64,
    /// The minimum of all bounds so far, ignored windows included. A later bound may be higher because of rounding,
    /// but both hold.
    proven: f64,
}

impl BestValue {
    pub(super) const NONE: Self = Self {
        value: f64::NEG_INFINITY,
        place: Place { start: f64::INFINITY, pool: usize::MAX },
        target: f64::NEG_INFINITY,
        slack: 0.0,
        open: f64::INFINITY,
        skipped: f64::NEG_INFINITY,
        proven: f64::INFINITY,
    };

    pub(super) fn is_found(self) -> bool {
        self.value > f64::NEG_INFINITY
    }

    /// The value that a window must reach to improve the best.
    pub(super) fn needed(self) -> f64 {
        if self.is_found() { self.value + self.slack } else { self.target }
    }

    /// The value that a window at `place` must exceed. A window of equal value counts if it starts earlier than the
    /// best so far, or at the same time in an earlier pool.
    pub(super) fn floor(self, place: Place) -> f64 {
        match (self.is_found(), place < self.place) {
            (false, _) => self.target,
            (true, true) if self.slack == 0.0 => self.value.next_down(),
            (true, _) => self.value + self.slack,
        }
    }

    /// Sets the best window.
    pub(super) fn set(&mut self, value: f64, place: Place, limit: &Limit) {
        let slack = limit.absolute_gap.max(limit.relative_gap * value.abs());
        *self = Self { value, place, slack, ..*self };
        self.prove();
    }

    /// Sets the bound on the windows that are not searched yet.
    pub(super) fn open(&mut self, bound: f64) {
        self.open = bound;
        self.prove();
    }

    /// Records that windows of at most the value `bound` were skipped.
    pub(super) fn skip(&mut self, bound: f64) {
        self.skipped = self.skipped.max(bound.min(self.open));
        self.prove();
    }

    /// Updates the minimum bound.
    fn prove(&mut self) {
        self.proven = self.proven.min(self.skipped.max(self.value + self.slack).max(self.open));
    }

    /// Returns the result: of the complete search, or of one that `ended` stopped.
    pub(super) fn result(mut self, ended: Option<End>, sign: f64) -> Conclusion {
        if ended.is_none() {
            self.open(f64::NEG_INFINITY);
        }
        let (value, bound) = (self.is_found().then_some(self.value), self.proven.max(self.value));
        let end = ended.unwrap_or(match value {
            Some(value) if bound <= value => End::Done,
            Some(value) if bound <= value + self.slack => End::Gap,
            None if self.skipped == f64::NEG_INFINITY => End::Done,
            _ => End::Memory,
        });
        let bound = bound.is_finite().then_some(sign * bound);
        Conclusion { value: value.map(|value| sign * value), bound, end }
    }
}

/// What a running search updates: the best window so far, its slots, and the meter.
pub(super) struct SearchState<'a> {
    pub(super) best: BestValue,
    pub(super) choice: &'a mut Choice,
    pub(super) meter: &'a mut Meter,
}
