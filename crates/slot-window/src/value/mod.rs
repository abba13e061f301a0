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
//! | start | the earliest window, with which the search begins |
//! | target | until a better window than the start is found, the value that it must exceed; others are left for later |
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
    pub(super) value: f64,
    place: Place,
    /// Until a better window than the start is found, the value that it must exceed; others are left for later.
    pub(super) target: f64,
    /// The gap: windows whose value exceeds the best by at most this are ignored; 0 for a start that is not
    /// [accepted](Self::accept).
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
    /// Begins with the start, whose place comes after all others: any window of equal value replaces it, so that ties
    /// are broken as if there were no start.
    pub(super) fn of_start(value: f64) -> Self {
        Self {
            value,
            place: Place { start: f64::INFINITY, pool: usize::MAX },
            target: f64::NEG_INFINITY,
            slack: 0.0,
            open: f64::INFINITY,
            skipped: f64::NEG_INFINITY,
            proven: f64::INFINITY,
        }
    }

    /// The value that a window must reach to improve the best.
    pub(super) fn needed(self) -> f64 {
        self.target.max(self.value + self.slack)
    }

    /// The value that a window at `place` must exceed. A window of equal value counts if it starts earlier than the
    /// best so far, or at the same time in an earlier pool.
    pub(super) fn floor(self, place: Place) -> f64 {
        let may_be_equal = place < self.place && self.slack == 0.0;
        self.target.max(if may_be_equal { self.value.next_down() } else { self.value + self.slack })
    }

    /// Sets the best window.
    pub(super) fn set(&mut self, value: f64, place: Place, limit: &Limit) {
        *self = Self { value, place, slack: slack(value, limit), ..*self };
        self.prove();
    }

    /// Accepts the start as the answer if it is within a gap of a bound on all windows, and returns whether it is.
    pub(super) fn accept(&mut self, bound: f64, limit: &Limit) -> bool {
        let slack = slack(self.value, limit);
        let accepts = slack > 0.0 && bound <= self.value + slack;
        if accepts {
            self.slack = slack;
        }
        accepts
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
        let (value, bound) = (self.value, self.proven.max(self.value));
        let end = ended.unwrap_or(if bound <= value {
            End::Done
        } else if bound <= value + self.slack {
            End::Gap
        } else {
            End::Memory
        });
        Conclusion { value: Some(sign * value), bound: bound.is_finite().then_some(sign * bound), end }
    }
}

/// The amount by which a window may exceed `value` and still be within the gap of the limit.
fn slack(value: f64, limit: &Limit) -> f64 {
    limit.absolute_gap.max(limit.relative_gap * value.abs())
}

/// What a running search updates: the best window so far, its slots, and the meter.
pub(super) struct SearchState<'a> {
    pub(super) best: BestValue,
    pub(super) choice: &'a mut Choice,
    pub(super) meter: &'a mut Meter,
}
