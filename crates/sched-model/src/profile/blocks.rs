//! The steps of a profile, stored in blocks.
//!
//! Each block has at most [`BLOCK`] steps, and a head with their minimum and maximum value. A query skips a block by
//! its head alone, and the heads are adjacent in memory: 10^5 steps have about two thousand blocks.

use std::ops::Range;

use crate::Time;

/// The maximum number of steps in a block.
const BLOCK: usize = 64;

/// A step function that begins with its first step. It has at least one step; each step lasts to the next, and
/// adjacent steps differ in value.
#[derive(Clone, Default)]
pub(super) struct Steps {
    // One head per block. No block is empty.
    heads: Vec<Head>,
    blocks: Vec<Block>,
}

/// The start of a block, and its minimum and maximum value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    start: Time,
    pub(super) low: u32,
    pub(super) high: u32,
}

impl Head {
    fn of(block: &Block) -> Self {
        let extremes = |(low, high): (u32, u32), &value: &u32| (low.min(value), high.max(value));
        let (low, high) = block.free.iter().fold((u32::MAX, 0), extremes);
        Self { start: block.starts[0], low, high }
    }
}

#[derive(Debug, Clone, Default)]
struct Block {
    starts: Vec<Time>,
    free: Vec<u32>,
}

/// A step: its block and its position in the block. Ordered in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) block: usize,
    pub(super) at: usize,
}

impl Steps {
    /// Stores `steps`, which must be in order of time; adjacent values must differ.
    pub(super) fn new(steps: &[(Time, u32)]) -> Self {
        let mut all = Self::default();
        // Half full, to leave room for insertions.
        for (at, chunk) in steps.chunks(BLOCK / 2).enumerate() {
            let (starts, free) = chunk.iter().copied().unzip();
            all.insert(at, Block { starts, free });
        }
        all
    }

    /// The instant at which the first step starts.
    pub(super) fn start(&self) -> Time {
        self.heads[0].start
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Time, u32)> {
        let steps = self.blocks.iter().flat_map(|block| block.starts.iter().zip(&block.free));
        steps.map(|(&start, &free)| (start, free))
    }

    /// The minimum value of the steps from `first` to `last`, both included.
    pub(super) fn minimum(&self, first: Place, last: Place) -> u32 {
        let minimum_of = |block: usize| {
            let range = self.within(block, first, Place { at: last.at + 1, ..last });
            let free = &self.blocks[block].free;
            if range.len() == free.len() {
                return self.heads[block].low;
            }
            free[range].iter().copied().min().unwrap_or(u32::MAX)
        };
        (first.block..=last.block).map(minimum_of).min().unwrap_or(u32::MAX)
    }

    /// The positions in `block` of those of its steps that are from `first` on and before `behind`.
    fn within(&self, block: usize, first: Place, behind: Place) -> Range<usize> {
        let from = if block == first.block { first.at } else { 0 };
        from..if block == behind.block { behind.at } else { self.blocks[block].free.len() }
    }

    /// Removes everything before `to`, so that the first step starts there. Does nothing if the first step starts at
    /// `to` or later.
    pub(super) fn advance(&mut self, to: Time) {
        let Some(Place { block, at }) = self.covering(to).filter(|_| to > self.start()) else { return };
        self.heads.drain(..block);
        self.blocks.drain(..block);
        self.blocks[0].starts.drain(..at);
        self.blocks[0].free.drain(..at);
        self.blocks[0].starts[0] = to;
        self.heads[0] = Head::of(&self.blocks[0]);
    }

    // ---- finding steps ----

    pub(super) fn value(&self, place: Place) -> u32 {
        self.blocks[place.block].free[place.at]
    }

    pub(super) fn instant(&self, place: Place) -> Time {
        self.blocks[place.block].starts[place.at]
    }

    /// The step that covers `instant`; `None` before the first step.
    pub(super) fn covering(&self, instant: Time) -> Option<Place> {
        if instant == self.heads[0].start {
            return Some(Place { block: 0, at: 0 }); // where most searches begin
        }
        let block = self.heads.partition_point(|head| head.start <= instant).checked_sub(1)?;
        // The first step of the block starts at its head, so at least one step does not start after the instant.
        let at = self.blocks[block].starts.partition_point(|start| *start <= instant) - 1;
        Some(Place { block, at })
    }

    /// The last step that starts before `instant`; the first step of all if none does.
    pub(super) fn last_before(&self, instant: Time) -> Place {
        let block = self.heads.partition_point(|head| head.start < instant).saturating_sub(1);
        let at = self.blocks[block].starts.partition_point(|start| *start < instant).saturating_sub(1);
        Place { block, at }
    }

    /// The step before a step.
    pub(super) fn before(&self, Place { block, at }: Place) -> Option<Place> {
        if at > 0 {
            Some(Place { block, at: at - 1 })
        } else {
            block.checked_sub(1).map(|block| Place { block, at: self.blocks[block].free.len() - 1 })
        }
    }

    /// The start of the first run of steps, from `from` on, whose values are all at least `needed` and for which
    /// `lasts` holds, given its start and end. A run without end always qualifies.
    pub(super) fn first_run(
        &self,
        from: Place,
        needed: u32,
        lasts: impl Fn(Time, Time) -> bool,
    ) -> Option<Time> {
        let (mut at, mut begun) = (from.at, None);
        for (head, Block { starts, free }) in self.heads.iter().zip(&self.blocks).skip(from.block) {
            loop {
                let found = match begun {
                    None if head.high >= needed => free[at..].iter().position(|&value| value >= needed),
                    Some(_) if head.low < needed => free[at..].iter().position(|&value| value < needed),
                    _ => None,
                };
                let Some(further) = found else { break };
                at += further;
                begun = match begun {
                    None => Some(starts[at]),
                    Some(begin) if lasts(begin, starts[at]) => return begun,
                    _ => None,
                };
            }
            at = 0;
        }
        begun
    }

    /// The first step, from `from` on, with a value below `needed`.
    pub(super) fn next_below(&self, from: Place, needed: u32) -> Option<Place> {
        self.next_where(from, |head| head.low, |value| value < needed)
    }

    /// The first step, from `from` on, whose value passes the test. `extreme` is the value of a block that passes if
    /// any of its steps does.
    pub(super) fn next_where(
        &self,
        from: Place,
        extreme: impl Fn(&Head) -> u32,
        passes: impl Fn(u32) -> bool,
    ) -> Option<Place> {
        let within = |block: usize, from: usize| {
            let at = self.blocks[block].free[from..].iter().position(|&value| passes(value))?;
            Some(Place { block, at: from + at })
        };
        within(from.block, from.at).or_else(|| {
            let next = from.block + 1;
            let skipped = self.heads[next..].iter().position(|head| passes(extreme(head)))?;
            within(next + skipped, 0)
        })
    }

    // ---- changing steps ----

    /// Replaces the values during `[start, end)` by `to`, a strictly increasing function. The interval must begin
    /// within the profile, and the new values must lie within `[0, cpus]`.
    pub(super) fn change(&mut self, start: Time, end: Time, to: impl Fn(u32) -> u32) {
        let (Some(first), Some(behind)) = (self.split_at(start), self.split_at(end)) else { return };
        for block in first.block..=behind.block {
            let range = self.within(block, first, behind);
            self.blocks[block].free[range].iter_mut().for_each(|value| *value = to(*value));
            if first.block < block && block < behind.block {
                let head = &mut self.heads[block];
                (head.low, head.high) = (to(head.low), to(head.high));
            }
        }
        // Adjacent steps within the interval still differ; only at its ends may they have become equal. The end is
        // treated before the start, because a change moves only the steps behind it.
        self.join_at(behind);
        self.join_at(first);
        self.settle(behind.block);
        if first.block < behind.block {
            self.settle(first.block);
        }
    }

    /// Makes a step start at `instant`, and returns it; `None` before the first step. Its block may become too long.
    fn split_at(&mut self, instant: Time) -> Option<Place> {
        let Place { block, mut at } = self.covering(instant)?;
        let steps = &mut self.blocks[block];
        if steps.starts[at] < instant {
            at += 1;
            steps.starts.insert(at, instant);
            steps.free.insert(at, steps.free[at - 1]);
        }
        Some(Place { block, at })
    }

    /// Removes a step if it has the same value as the step before it. Its block may become empty.
    fn join_at(&mut self, place: Place) {
        if self.before(place).is_some_and(|before| self.value(before) == self.value(place)) {
            let steps = &mut self.blocks[place.block];
            steps.starts.remove(place.at);
            steps.free.remove(place.at);
        }
    }

    /// Updates the head of a block whose steps have changed. An empty block is removed, a block that is too long is
    /// split, and short neighbours are joined, so that two neighbours together always have more than half the maximum
    /// number of steps.
    fn settle(&mut self, block: usize) {
        let steps = &mut self.blocks[block];
        match steps.free.len() {
            0 => drop(self.remove(block)),
            len if len > BLOCK => {
                let starts = steps.starts.split_off(BLOCK / 2);
                let upper = Block { starts, free: steps.free.split_off(BLOCK / 2) };
                self.heads[block] = Head::of(steps);
                self.insert(block + 1, upper);
            }
            _ => {
                self.heads[block] = Head::of(steps);
                self.join_next(block);
            }
        }
        if let Some(before) = block.checked_sub(1) {
            self.join_next(before);
        }
    }

    /// Joins a block with the next if together they fill at most half a block.
    fn join_next(&mut self, block: usize) {
        let next = self.blocks.get(block + 1).map_or(BLOCK, |next| next.free.len());
        if self.blocks[block].free.len() + next <= BLOCK / 2 {
            let upper = self.remove(block + 1);
            self.blocks[block].starts.extend(upper.starts);
            self.blocks[block].free.extend(upper.free);
            self.heads[block] = Head::of(&self.blocks[block]);
        }
    }

    fn remove(&mut self, block: usize) -> Block {
        self.heads.remove(block);
        self.blocks.remove(block)
    }

    fn insert(&mut self, at: usize, block: Block) {
        self.heads.insert(at, Head::of(&block));
        self.blocks.insert(at, block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two of every 32 steps stay, in whichever order the others are removed.
    #[test]
    fn neighbours_have_more_than_half_a_block_together() {
        for backwards in [false, true] {
            let steps: Vec<(Time, u32)> =
                (0..6_400).map(|at| (Time::must(f64::from(at)), 1 + at % 2)).collect();
            let mut all = Steps::new(&steps);
            let mut odd: Vec<u32> = (0..6_400).filter(|at| at % 2 == 1 && at % 32 != 31).collect();
            if backwards {
                odd.reverse();
            }
            for at in odd {
                let [start, end] = [at, at + 1].map(|at| Time::must(f64::from(at)));
                all.change(start, end, |free| free - 1);
                let lens: Vec<usize> = all.blocks.iter().map(|block| block.free.len()).collect();
                assert!(
                    lens.windows(2).all(|pair| pair[0] + pair[1] > BLOCK / 2),
                    "{backwards} {at} {lens:?}"
                );
            }
            assert_eq!(all.iter().count(), 400);
        }
    }
}
