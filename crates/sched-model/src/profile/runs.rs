//! The runs of each block of a long profile: stretches on which at least an amount is free.
//!
//! Runs are stored for some amounts, the *levels*: the machine's total, half of it, a quarter, and so on. A
//! search for at least a level can find room only within a run of that level.

use crate::{Span, Time, span_bound};

/// Amounts for which runs are known.
pub(super) const LEVELS: usize = 8;

/// The runs of one level in one block. Instants are numbers; infinity means never.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    /// The first instant at which less than the level is free; never, if the whole block is one run.
    pub(super) broken: f64,
    /// The instant from which on at least the level is free to the end of the block; never, if less is free
    /// at its end.
    pub(super) resumed: f64,
    /// The length of the longest run that ends within the block; below zero if there is none.
    room: f64,
}

impl Default for Run {
    fn default() -> Self {
        Self { broken: f64::INFINITY, resumed: f64::INFINITY, room: -1.0 }
    }
}

impl Run {
    pub(super) fn is_whole(&self) -> bool {
        self.broken == f64::INFINITY
    }

    /// Whether a run that ends within the block may be at least as long as this.
    pub(super) fn may_hold(&self, span: Span) -> bool {
        span.get() <= self.room
    }
}

/// Whether a run may be at least as long as this, with any rounding of sums.
pub(super) fn may_hold(start: f64, end: f64, span: Span) -> bool {
    span.get() <= span_bound(start, end)
}

/// The levels of a machine with this total, in ascending order.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Levels([i64; LEVELS]);

impl Levels {
    pub(super) fn of(total: u32) -> Self {
        let mut level = i64::from(total);
        let mut levels = [0; LEVELS];
        for place in levels.iter_mut().rev() {
            *place = level;
            level /= 2;
        }
        Self(levels)
    }

    /// The greatest level that is at most this; `None` below all levels.
    pub(super) fn below(&self, needed: i64) -> Option<usize> {
        self.count(needed).checked_sub(1)
    }

    /// The number of levels up to this value.
    fn count(&self, value: i64) -> usize {
        self.0.iter().map(|&level| usize::from(level <= value)).sum()
    }

    /// The runs of a block with these steps, each by its start and what is free. O(steps + changes of level).
    pub(super) fn runs(&self, steps: impl Iterator<Item = (Time, i64)>) -> [Run; LEVELS] {
        let mut runs = [Run::default(); LEVELS];
        // At least the first `held` levels are free, each since its `resumed`; for values from `low` to below
        // `high` the same levels are held.
        let (mut held, mut low, mut high) = (LEVELS, 0, 0);
        let mut first = true;
        for (start, free) in steps {
            if low <= free && free < high {
                continue; // the common case
            }
            let (at, now) = (start.get(), self.count(free));
            low = now.checked_sub(1).map_or(0, |level| self.0[level]);
            high = self.0.get(now).copied().unwrap_or(i64::MAX);
            if std::mem::take(&mut first) {
                runs[..now].iter_mut().for_each(|run| run.resumed = at);
                runs[now..].iter_mut().for_each(|run| run.broken = at);
            } else if now < held {
                for run in &mut runs[now..held] {
                    run.room = run.room.max(span_bound(run.resumed, at));
                    run.resumed = f64::INFINITY;
                    run.broken = run.broken.min(at);
                }
            } else {
                runs[held..now].iter_mut().for_each(|run| run.resumed = at);
            }
            held = now;
        }
        runs
    }
}
