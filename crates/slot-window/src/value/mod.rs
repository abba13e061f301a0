//! The engine behind [`MaxValue`](crate::MaxValue).
//!
//! | word | meaning |
//! |---|---|
//! | pool | candidates that go together: all, or those of one value of the label to pack by |
//! | level | one span: windows of nodes on which the task takes no longer, all held for it |
//! | class | slots of one node with the same span of the task, price and value |
//! | piece | one slot of a class, where it is long enough |
//! | multiplier, reduced value, bound | as in [`subset`](crate::subset): value less l times cost |
//! | arrival | a slot that becomes usable at the instant of a pass |
//! | members | the classes that can be in a better window at that instant |
//! | target | while no window is found, windows of at most this value are left for later |
//!
//! `search` bounds each level of a pool and takes them best first; `pass` lists the slots by class, reads them in time
//! order and finds the instants that may improve the best window, where `search` makes the exact choice.

mod pass;
mod search;

pub(crate) use search::{Search, ValueScratch};

use crate::sweep::Choice;
use sched_model::{End, Limit, Meter};

/// The result of a search beside the choice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    /// The value of the window found.
    pub(crate) value: Option<f64>,
    pub(crate) bound: Option<f64>,
    pub(crate) end: End,
}

/// The best window so far, and a bound of all others: each of them was not searched (`open`), skipped (`left`), or is
/// not worth looking for (`value + slack`; while there is none, `target`).
#[derive(Debug, Clone, Copy)]
pub(super) struct Best {
    /// Minus infinity while there is none.
    pub(super) value: f64,
    /// Its start and the number of its pool: the first of equal windows counts.
    place: (f64, usize),
    /// While no window is found: windows of at most this value are left for later.
    pub(super) target: f64,
    /// Windows whose value exceeds the best by at most this are ignored.
    pub(super) slack: f64,
    /// A bound of the windows not yet searched.
    open: f64,
    /// A bound of the windows that were skipped for lack of memory.
    left: f64,
    /// The minimum bound so far, of what is ignored too: a later bound may be above it by its rounding, but both hold.
    proven: f64,
}

impl Best {
    pub(super) const NONE: Self = Self {
        value: f64::NEG_INFINITY,
        place: (f64::INFINITY, usize::MAX),
        target: f64::NEG_INFINITY,
        slack: 0.0,
        open: f64::INFINITY,
        left: f64::NEG_INFINITY,
        proven: f64::INFINITY,
    };

    pub(super) fn is_found(self) -> bool {
        self.value > f64::NEG_INFINITY
    }

    /// The minimum value of a window that can improve the best.
    pub(super) fn needed(self) -> f64 {
        if self.is_found() { self.value + self.slack } else { self.target }
    }

    /// The value that a window with this start in this pool must exceed. One of equal value counts if it starts earlier
    /// than the best so far, or at the same time in an earlier pool.
    pub(super) fn floor(self, place: (f64, usize)) -> f64 {
        match (self.is_found(), place < self.place) {
            (false, _) => self.target,
            (true, true) if self.slack == 0.0 => self.value.next_down(),
            (true, _) => self.value + self.slack,
        }
    }

    pub(super) fn set(&mut self, value: f64, place: (f64, usize), limit: &Limit) {
        let slack = limit.absolute_gap.max(limit.relative_gap * value.abs());
        *self = Self { value, place, slack, ..*self };
        self.prove();
    }

    /// Sets the bound of the windows not yet searched.
    pub(super) fn open(&mut self, bound: f64) {
        self.open = bound;
        self.prove();
    }

    /// Notes that windows of at most this value were skipped.
    pub(super) fn leave(&mut self, bound: f64) {
        self.left = self.left.max(bound.min(self.open));
        self.prove();
    }

    fn prove(&mut self) {
        self.proven = self.proven.min(self.left.max(self.value + self.slack).max(self.open));
    }

    /// The result at the end of the search, or where it was stopped.
    pub(super) fn result(mut self, ended: Option<End>, sign: f64) -> Known {
        if ended.is_none() {
            self.open(f64::NEG_INFINITY);
        }
        let (value, bound) = (self.is_found().then_some(self.value), self.proven.max(self.value));
        let end = ended.unwrap_or(match value {
            Some(value) if bound <= value => End::Done,
            Some(value) if bound <= value + self.slack => End::Gap,
            None if self.left == f64::NEG_INFINITY => End::Done,
            _ => End::Memory,
        });
        let bound = bound.is_finite().then_some(sign * bound);
        Known { value: value.map(|value| sign * value), bound, end }
    }
}

/// The best window so far and its choice, and the meter.
pub(super) struct Notes<'a> {
    pub(super) best: Best,
    pub(super) choice: &'a mut Choice,
    pub(super) meter: &'a mut Meter,
}
