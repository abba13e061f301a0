//! The search for the earliest fit over the steps of a profile.

use super::blocks::Steps;
use super::runs::may_hold;
use crate::{Span, Time};

/// The interval that is searched for.
#[derive(Clone, Copy)]
struct Wanted {
    needed: i64,
    span: Span,
    /// No start before this.
    from: Time,
    /// The time from then on is not restricted.
    until: Option<Time>,
}

/// A start from which on enough is free in all steps read so far, and the instant up to which it must be
/// free.
type Open = Option<(Time, Time)>;

impl Wanted {
    fn open(&self, start: Time) -> (Time, Time) {
        let end = start + self.span;
        (start, self.until.map_or(end, |until| until.min(end)))
    }

    fn is_over(&self, at: Time) -> bool {
        self.until.is_some_and(|until| at >= until)
    }
}

impl Steps {
    /// The earliest instant from `from` on, which is within the profile, from which on `needed` are free for
    /// `span`, where the time from `until` on is not restricted; an instant not before `until` if there is
    /// none before.
    ///
    /// One pass over the steps. A block is skipped where its runs show that none is long enough, and read
    /// otherwise.
    pub(super) fn earliest(&self, needed: i64, span: Span, from: Time, until: Option<Time>) -> Option<Time> {
        let wanted = Wanted { needed, span, from, until };
        let place = self.covering(from)?;
        let mut open: Open = None;
        if let Some(start) = self.read(place.block, place.at, &wanted, &mut open) {
            return Some(start);
        }
        let level = self.levels.below(needed).filter(|_| !self.runs.is_empty());
        // All before `unread` has been read or excluded, and `open` is the open start there. `maybe` is the
        // start of the run of the level that is open before `block`, where blocks between have not been read.
        let mut unread = place.block + 1;
        let mut block = unread;
        let mut maybe = open.map(|(start, _)| start.get());
        while block < self.heads.len() {
            if let Some(level) = level
                && let Some(next) = self.heads.get(block + 1)
                && !wanted.is_over(*next)
            {
                let run = &self.runs[block][level];
                let begun = maybe.unwrap_or(self.heads[block].get());
                if run.is_whole() {
                    if !may_hold(begun, next.get(), span) {
                        maybe = Some(begun);
                        block += 1;
                        continue;
                    }
                } else if !run.may_hold(span) && !may_hold(begun, run.broken, span) {
                    // A run that begins in this block is read from it on.
                    maybe = Some(run.resumed).filter(|resumed| *resumed < f64::INFINITY);
                    (unread, open) = (if maybe.is_some() { block } else { block + 1 }, None);
                    block += 1;
                    continue;
                }
            }
            for block in unread..=block {
                if let Some(start) = self.read(block, 0, &wanted, &mut open) {
                    return Some(start);
                }
            }
            block += 1;
            unread = block;
            maybe = open.map(|(start, _)| start.get());
        }
        // Nothing changes after the last step, and the last block is always read.
        open.map(|(start, _)| start)
    }

    /// Reads a block from one of its steps on; returns the start if the end of the interval, or `until`, is
    /// reached within the block.
    fn read(&self, block: usize, from: usize, wanted: &Wanted, open: &mut Open) -> Option<Time> {
        let (starts, free) = self.block(block);
        let bound = wanted.needed - self.add[block];
        let mut at = from;
        loop {
            let Some((start, end)) = *open else {
                let ahead = free[at..].iter().position(|&value| value >= bound);
                let reached = starts[ahead.map_or(free.len() - 1, |ahead| at + ahead)].max(wanted.from);
                if wanted.is_over(reached) {
                    return Some(reached);
                }
                at += ahead?;
                *open = Some(wanted.open(reached));
                continue;
            };
            let ahead = free[at..].iter().position(|&value| value < bound);
            let reached = starts[ahead.map_or(free.len() - 1, |ahead| at + ahead)];
            if reached >= end {
                return Some(start);
            }
            at += ahead?;
            *open = None;
        }
    }
}
