//! The steps of a profile in blocks.
//!
//! The steps are stored in blocks of at most [`BLOCK`]. For each block, the least and greatest value are
//! stored, and an amount that is still to be added to all its values. A query skips a block by these numbers
//! alone, which are adjacent in memory: at 10^5 steps there are about two thousand blocks.

use crate::Time;

/// Most steps of a block.
const BLOCK: usize = 64;

/// A step function from its first step on: at least one step, each of which lasts to the next, and neighbours
/// differ.
#[derive(Clone, Default)]
pub(super) struct Steps {
    // One of each for a block. No block is empty.
    heads: Vec<Head>,
    blocks: Vec<Block>,
}

/// What is known of a block: where it starts, and its least and greatest value.
#[derive(Debug, Clone, Copy)]
struct Head {
    start: Time,
    low: i64,
    high: i64,
    /// Still to be added to the values that the block has; the extremes include it.
    add: i64,
}

impl Head {
    fn of(block: &Block, add: i64) -> Self {
        let extremes = |(low, high): (i64, i64), &value: &i64| (low.min(value), high.max(value));
        let (low, high) = block.free.iter().fold((i64::MAX, i64::MIN), extremes);
        Self { start: block.starts[0], low: low + add, high: high + add, add }
    }
}

#[derive(Debug, Clone, Default)]
struct Block {
    starts: Vec<Time>,
    free: Vec<i64>,
}

/// A step: its block and its position in the block. Ordered in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) block: usize,
    pub(super) at: usize,
}

impl Steps {
    /// The steps given, which ascend and differ from their neighbours.
    pub(super) fn new(steps: &[(Time, u32)]) -> Self {
        let mut all = Self::default();
        // Half full: room to insert.
        for (at, chunk) in steps.chunks(BLOCK / 2).enumerate() {
            let (starts, free) = chunk.iter().map(|&(start, free)| (start, i64::from(free))).unzip();
            all.insert(at, Block { starts, free });
        }
        all
    }

    /// Where the first step starts.
    pub(super) fn start(&self) -> Time {
        self.heads[0].start
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Time, i64)> {
        self.blocks.iter().zip(&self.heads).flat_map(|(block, head)| {
            block.starts.iter().zip(&block.free).map(|(&start, &free)| (start, free + head.add))
        })
    }

    /// The least value from one step to another, both included.
    pub(super) fn least(&self, first: Place, last: Place) -> i64 {
        let least_of = |block: usize| {
            let (head, free) = (&self.heads[block], &self.blocks[block].free);
            let from = if block == first.block { first.at } else { 0 };
            let to = if block == last.block { last.at + 1 } else { free.len() };
            if to - from == free.len() {
                return head.low;
            }
            free[from..to].iter().min().map_or(i64::MAX, |least| least + head.add)
        };
        (first.block..=last.block).map(least_of).min().unwrap_or(i64::MAX)
    }

    /// Removes all before an instant, so that the first step starts there; does nothing if the first step
    /// does not start before it.
    pub(super) fn advance(&mut self, to: Time) {
        let Some(Place { block, at }) = self.covering(to).filter(|_| to > self.start()) else { return };
        self.heads.drain(..block);
        self.blocks.drain(..block);
        self.blocks[0].starts.drain(..at);
        self.blocks[0].free.drain(..at);
        self.blocks[0].starts[0] = to;
        self.refresh(0);
    }

    // ---- finding steps ----

    pub(super) fn value(&self, place: Place) -> i64 {
        self.blocks[place.block].free[place.at] + self.heads[place.block].add
    }

    pub(super) fn instant(&self, place: Place) -> Time {
        self.blocks[place.block].starts[place.at]
    }

    /// The step that covers an instant.
    pub(super) fn covering(&self, instant: Time) -> Option<Place> {
        if instant == self.heads[0].start {
            return Some(Place { block: 0, at: 0 }); // where most searches begin
        }
        let block = self.heads.partition_point(|head| head.start <= instant).checked_sub(1)?;
        // The block's first step starts at its head, so at least one step does not start after the instant.
        let at = self.blocks[block].starts.partition_point(|start| *start <= instant) - 1;
        Some(Place { block, at })
    }

    /// The last step that starts before an instant; the first step of all if none does.
    pub(super) fn last_before(&self, instant: Time) -> Place {
        let block = self.heads.partition_point(|head| head.start < instant).saturating_sub(1);
        let at = self.blocks[block].starts.partition_point(|start| *start < instant).saturating_sub(1);
        Place { block, at }
    }

    /// The step after this.
    pub(super) fn after(&self, Place { block, at }: Place) -> Option<Place> {
        if at + 1 < self.blocks[block].free.len() {
            Some(Place { block, at: at + 1 })
        } else {
            Some(Place { block: block + 1, at: 0 }).filter(|next| next.block < self.blocks.len())
        }
    }

    /// The step before this.
    pub(super) fn before(&self, Place { block, at }: Place) -> Option<Place> {
        if at > 0 {
            Some(Place { block, at: at - 1 })
        } else {
            block.checked_sub(1).map(|block| Place { block, at: self.blocks[block].free.len() - 1 })
        }
    }

    /// The first step, from `from` on, of at least `needed`.
    pub(super) fn next_at_least(&self, from: Place, needed: i64) -> Option<Place> {
        self.next_where(from, |head| head.high, |value| value >= needed)
    }

    /// The first step, from `from` on, of less than `needed`.
    pub(super) fn next_below(&self, from: Place, needed: i64) -> Option<Place> {
        self.next_where(from, |head| head.low, |value| value < needed)
    }

    /// The first step, from `from` on, whose value passes the test; the `extreme` of a block passes if any of
    /// its steps does.
    fn next_where(
        &self,
        from: Place,
        extreme: impl Fn(&Head) -> i64,
        passes: impl Fn(i64) -> bool,
    ) -> Option<Place> {
        let within = |block: usize, from: usize| {
            let add = self.heads[block].add;
            let at = self.blocks[block].free[from..].iter().position(|&value| passes(value + add))?;
            Some(Place { block, at: from + at })
        };
        if passes(self.value(from)) {
            return Some(from);
        }
        within(from.block, from.at).or_else(|| {
            let next = from.block + 1;
            let skipped = self.heads[next..].iter().position(|head| passes(extreme(head)))?;
            within(next + skipped, 0)
        })
    }

    /// The instant from which on at least `needed` are free up to the end of a step; `None` if less is free
    /// in the step itself.
    pub(super) fn held_since(&self, to: Place, needed: i64) -> Option<Time> {
        if self.value(to) < needed {
            return None; // the common case
        }
        let since = match self.last_below(Place { block: 0, at: 0 }, to, needed) {
            Some(below) => self.after(below)?,
            None => Place { block: 0, at: 0 },
        };
        Some(self.instant(since))
    }

    /// The last step from `from` to `to`, both included, of less than `needed`.
    pub(super) fn last_below(&self, from: Place, to: Place, needed: i64) -> Option<Place> {
        let within = |block: usize, from: usize, to: usize| {
            let bound = needed - self.heads[block].add;
            let at = self.blocks[block].free[from..to].iter().rposition(|&value| value < bound)?;
            Some(Place { block, at: from + at })
        };
        if from.block == to.block {
            return within(from.block, from.at, to.at + 1);
        }
        let len = |block: usize| self.blocks[block].free.len();
        let middle = from.block + 1;
        within(to.block, 0, to.at + 1)
            .or_else(|| {
                let block =
                    middle + self.heads[middle..to.block].iter().rposition(|head| head.low < needed)?;
                within(block, 0, len(block))
            })
            .or_else(|| within(from.block, from.at, len(from.block)))
    }

    // ---- changing steps ----

    /// Adds `delta` during `[start, end)`, which begins within the profile; all values stay within
    /// `[0, cpus]`.
    pub(super) fn change(&mut self, start: Time, end: Time, delta: i64) {
        let count = self.blocks.len();
        let (Some(first), Some(behind)) = (self.split_at(start), self.split_at(end)) else { return };
        // A block that was divided for the end may hold the first step in its other half.
        let first = if self.blocks.len() == count { Some(first) } else { self.covering(start) };
        let Some(first) = first else { return };
        for block in first.block..=behind.block {
            let from = if block == first.block { first.at } else { 0 };
            let to = if block == behind.block { behind.at } else { self.blocks[block].free.len() };
            if to - from == self.blocks[block].free.len() {
                let head = &mut self.heads[block];
                (head.low, head.high, head.add) = (head.low + delta, head.high + delta, head.add + delta);
            } else if from < to {
                self.blocks[block].free[from..to].iter_mut().for_each(|value| *value += delta);
                self.refresh(block);
            }
        }
        // Within the interval the differences do not change: only at its ends may neighbours have become
        // equal.
        let count = self.blocks.len();
        self.join(behind);
        let first = if self.blocks.len() == count { Some(first) } else { self.covering(start) };
        first.into_iter().for_each(|first| self.join(first));
    }

    /// Makes a step start at an instant, and returns it; `None` before the profile.
    fn split_at(&mut self, instant: Time) -> Option<Place> {
        let place = self.covering(instant)?;
        if self.instant(place) == instant {
            return Some(place);
        }
        let Place { block, at } = place;
        let steps = &mut self.blocks[block];
        steps.starts.insert(at + 1, instant);
        steps.free.insert(at + 1, steps.free[at]);
        if steps.free.len() <= BLOCK {
            return Some(Place { block, at: at + 1 });
        }
        let upper = Block {
            starts: steps.starts.split_off(BLOCK / 2),
            free: steps.free.split_off(BLOCK / 2).iter().map(|value| value + self.heads[block].add).collect(),
        };
        self.refresh(block);
        self.insert(block + 1, upper);
        Some(match (at + 1).checked_sub(BLOCK / 2) {
            Some(at) => Place { block: block + 1, at },
            None => Place { block, at: at + 1 },
        })
    }

    /// Removes a step if it has the value of the one before.
    fn join(&mut self, place: Place) {
        let Some(before) = self.before(place) else { return };
        if self.value(before) != self.value(place) {
            return;
        }
        let Place { block, at } = place;
        self.blocks[block].starts.remove(at);
        self.blocks[block].free.remove(at);
        let len = self.blocks[block].free.len();
        if block > 0 && len + self.blocks[block - 1].free.len() <= BLOCK / 2 {
            self.merge_into_previous(block);
        } else if block + 1 < self.blocks.len() && len + self.blocks[block + 1].free.len() <= BLOCK / 2 {
            self.merge_into_previous(block + 1);
        } else if len == 0 {
            // Only the first step of a block is removed when it is the block's only one, so `block > 0`.
            self.remove(block);
        } else {
            self.refresh(block);
        }
    }

    fn merge_into_previous(&mut self, block: usize) {
        // In terms of the amount that is still to be added to the previous block.
        let add = self.heads[block].add - self.heads[block - 1].add;
        let upper = self.remove(block);
        let lower = &mut self.blocks[block - 1];
        lower.starts.extend(upper.starts);
        lower.free.extend(upper.free.iter().map(|value| value + add));
        self.refresh(block - 1);
    }

    fn remove(&mut self, block: usize) -> Block {
        self.heads.remove(block);
        self.blocks.remove(block)
    }

    fn insert(&mut self, at: usize, block: Block) {
        self.heads.insert(at, Head::of(&block, 0));
        self.blocks.insert(at, block);
    }

    /// The steps of a block, which is not empty, have changed.
    fn refresh(&mut self, block: usize) {
        self.heads[block] = Head::of(&self.blocks[block], self.heads[block].add);
    }
}
