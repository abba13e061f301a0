//! Free CPUs of one machine over time.
//!
//! The steps lie in blocks of at most [`BLOCK`], and each block knows its least and greatest value and an amount that
//! is still to be added to all of it. A query passes over a block by looking at these alone, and they lie side by side
//! in memory: at 10^5 steps there are about a thousand of them.

use crate::{Machine, ModelError, Span, Time};
use std::fmt;

/// Most steps of a block.
const BLOCK: usize = 128;

/// Free CPUs of one machine over time: a step function from an instant on, without end.
///
/// The profile begins at [`start`](Self::start); of the time before, nothing is known and nothing is free. Each step
/// lasts to the next, the last one for ever, and neighbouring steps differ: equal functions have equal steps.
///
/// # Complexity
/// With n steps in blocks of B = 128: [`free_at`](Self::free_at) takes O(log n); [`min_free`](Self::min_free),
/// [`reserve`](Self::reserve), [`release`](Self::release) and [`advance`](Self::advance) take O(B + n/B), the second
/// part over two dense arrays. [`earliest_fit`](Self::earliest_fit) takes that for each jump, and any two jumps together
/// pass at least one span of the job.
///
/// ```
/// use sched_model::{Profile, Span, Time};
/// let t = Time::must;
/// let mut free = Profile::new(4, t(0.0))?;
/// free.reserve(t(0.0), t(10.0), 3)?;
/// free.reserve(t(20.0), t(30.0), 2)?;
/// assert_eq!(free.to_string(), "0: 1, 10: 4, 20: 2, 30: 4");
///
/// // Two CPUs for 15 are free from 10 on, three only after 30.
/// assert_eq!(free.earliest_fit(2, Span::must(15.0), t(0.0)), Some(t(10.0)));
/// assert_eq!(free.earliest_fit(3, Span::must(15.0), t(0.0)), Some(t(30.0)));
/// assert_eq!(free.earliest_fit(5, Span::must(15.0), t(0.0)), None);
///
/// // Three CPUs for 6: start from 10 up to 14, or from 30 on.
/// let starts: Vec<_> = free.feasible_starts(3, Span::must(6.0), t(0.0)).map(|s| (s.first, s.last)).collect();
/// assert_eq!(starts, [(t(10.0), Some(t(14.0))), (t(30.0), None)]);
///
/// free.release(t(20.0), t(30.0), 2)?;
/// free.advance(t(5.0));
/// assert_eq!(free.to_string(), "5: 1, 10: 4");
/// # Ok::<(), sched_model::ModelError>(())
/// ```
#[derive(Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "RawProfile", into = "RawProfile"))]
pub struct Profile {
    cpus: u32,
    // One entry per block in each of these. No block is empty. `low` and `high` are true values; the values in `free`
    // are true after `add` has been added.
    heads: Vec<Time>,
    low: Vec<i64>,
    high: Vec<i64>,
    add: Vec<i64>,
    blocks: Vec<Block>,
}

#[derive(Debug, Clone, Default)]
struct Block {
    starts: Vec<Time>,
    free: Vec<i64>,
}

/// A step: its block and its place in the block. Ordered in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    block: usize,
    at: usize,
}

/// A maximal interval of instants at which a job may start: see [`Profile::feasible_starts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeasibleStarts {
    /// The first instant.
    pub first: Time,
    /// The last instant, itself feasible; `None` if there is no last.
    pub last: Option<Time>,
}

impl Profile {
    /// A machine of `cpus` CPUs, all free from `start` on.
    ///
    /// # Errors
    /// [`ModelError::Zero`] for no CPU.
    pub fn new(cpus: u32, start: Time) -> Result<Self, ModelError> {
        Self::from_steps(cpus, &[(start, cpus)])
    }

    /// All CPUs of a machine, free from `start` on.
    #[must_use]
    pub fn of_machine(machine: &Machine, start: Time) -> Self {
        Self::of_valid_steps(machine.cpus(), &[(start, machine.cpus())])
    }

    /// A profile from its steps: from each instant on so many CPUs are free. Equal neighbours are joined.
    ///
    /// # Errors
    /// [`ModelError::Zero`] for no CPU or no step, [`ModelError::EmptyInterval`] for instants that do not ascend,
    /// [`ModelError::OutOfRange`] for a step of more than `cpus`.
    pub fn from_steps(cpus: u32, steps: &[(Time, u32)]) -> Result<Self, ModelError> {
        if cpus == 0 {
            return Err(ModelError::Zero { what: "cpus of a profile" });
        }
        if steps.is_empty() {
            return Err(ModelError::Zero { what: "steps of a profile" });
        }
        if let Some(pair) = steps.windows(2).find(|pair| pair[1].0 <= pair[0].0) {
            return Err(empty("a step of a profile", pair[0].0, pair[1].0));
        }
        if let Some(step) = steps.iter().find(|step| step.1 > cpus) {
            return Err(ModelError::OutOfRange {
                what: "a step of a profile",
                expected: "[0, CPUs of the machine]",
                value: f64::from(step.1),
            });
        }
        Ok(Self::of_valid_steps(cpus, steps))
    }

    fn of_valid_steps(cpus: u32, steps: &[(Time, u32)]) -> Self {
        let mut joined = steps.to_vec();
        joined.dedup_by_key(|step| step.1);
        let mut profile =
            Self { cpus, heads: vec![], low: vec![], high: vec![], add: vec![], blocks: vec![] };
        // Half full: room to insert.
        for (at, chunk) in joined.chunks(BLOCK / 2).enumerate() {
            let (starts, free) = chunk.iter().map(|&(start, free)| (start, i64::from(free))).unzip();
            profile.insert_block(at, Block { starts, free });
        }
        profile
    }

    /// CPUs of the machine.
    #[must_use]
    pub fn cpus(&self) -> u32 {
        self.cpus
    }

    /// The instant from which on the profile holds.
    #[must_use]
    pub fn start(&self) -> Time {
        self.heads[0]
    }

    /// Number of steps, at least 1. Counted block by block.
    #[must_use]
    pub fn step_count(&self) -> usize {
        self.blocks.iter().map(|block| block.free.len()).sum()
    }

    /// The steps in order of time: from each instant on so many CPUs are free.
    pub fn steps(&self) -> impl Iterator<Item = (Time, u32)> {
        self.blocks.iter().zip(&self.add).flat_map(|(block, &add)| {
            block.starts.iter().zip(&block.free).map(move |(&start, &free)| (start, count(free + add)))
        })
    }

    /// CPUs free at an instant; none before [`start`](Self::start).
    #[must_use]
    pub fn free_at(&self, instant: Time) -> u32 {
        self.covering(instant).map_or(0, |place| count(self.value(place)))
    }

    /// The least number of CPUs free during `[start, end)`; of an empty interval, the number free at `start`.
    #[must_use]
    pub fn min_free(&self, start: Time, end: Time) -> u32 {
        let Some(first) = self.covering(start) else { return 0 };
        let last = self.last_before(end).max(first);
        let least_of = |block: usize, from: usize, to: usize| {
            let least = self.blocks[block].free[from..to].iter().min();
            least.map_or(i64::MAX, |least| least + self.add[block])
        };
        let len = |block: usize| self.blocks[block].free.len();
        let least = if first.block == last.block {
            least_of(first.block, first.at, last.at + 1)
        } else {
            let whole = self.low[first.block + 1..last.block].iter().copied().min().unwrap_or(i64::MAX);
            whole.min(least_of(first.block, first.at, len(first.block))).min(least_of(
                last.block,
                0,
                last.at + 1,
            ))
        };
        count(least)
    }

    /// The earliest instant, not before `not_before` and not before [`start`](Self::start), from which on `cpus` CPUs
    /// are free for `span`; `None` if there is none.
    ///
    /// The end is `start + span` as `f64` rounds it: [`reserve`](Self::reserve) for that interval succeeds. For a span
    /// of zero, `cpus` are free at the instant itself.
    #[must_use]
    pub fn earliest_fit(&self, cpus: u32, span: Span, not_before: Time) -> Option<Time> {
        let needed = i64::from(cpus);
        let mut start = not_before.max(self.start());
        let mut place = self.covering(start)?;
        loop {
            // Every start before `start` is out of the question.
            let enough = self.next_at_least(place, needed)?;
            if enough > place {
                start = self.instant(enough);
            }
            // The *last* obstacle decides: any start up to its end would run into it.
            let last = self.last_before(start + span).max(enough);
            match self.last_below(enough, last, needed) {
                None => return Some(start),
                Some(obstacle) => {
                    place = self.after(obstacle)?;
                    start = self.instant(place);
                }
            }
        }
    }

    /// All instants, not before `not_before` and not before [`start`](Self::start), at which `cpus` CPUs become free for
    /// `span`: maximal intervals in order of time. The earliest one begins with [`earliest_fit`](Self::earliest_fit).
    pub fn feasible_starts(
        &self,
        cpus: u32,
        span: Span,
        not_before: Time,
    ) -> impl Iterator<Item = FeasibleStarts> + '_ {
        let needed = i64::from(cpus);
        let from = not_before.max(self.start());
        let mut place = self.covering(from);
        std::iter::from_fn(move || {
            loop {
                let enough = self.next_at_least(place?, needed)?;
                let first = self.instant(enough).max(from);
                place = self.next_below(enough, needed);
                let Some(end) = place.map(|end| self.instant(end)) else {
                    return Some(FeasibleStarts { first, last: None });
                };
                if first + span <= end && first < end {
                    return Some(FeasibleStarts { first, last: Some(last_start(first, span, end)) });
                }
            }
        })
    }

    /// Takes `cpus` CPUs during `[start, end)`.
    ///
    /// # Errors
    /// [`ModelError::EmptyInterval`], [`ModelError::Zero`] for no CPU, [`ModelError::TooFewFree`] with the first
    /// instant at which too few are free. The profile is then unchanged.
    pub fn reserve(&mut self, start: Time, end: Time, cpus: u32) -> Result<(), ModelError> {
        check_interval("a reservation", start, end, cpus)?;
        let needed = i64::from(cpus);
        let too_few = |at: Time, free| ModelError::TooFewFree { needed: cpus, free, at: at.get() };
        let first = self.covering(start).ok_or_else(|| too_few(start, 0))?;
        if self.last_below(first, self.last_before(end), needed).is_some() {
            let at = self.next_below(first, needed).map_or(start, |place| self.instant(place).max(start));
            return Err(too_few(at, self.free_at(at)));
        }
        self.change(start, end, -needed);
        Ok(())
    }

    /// Gives `cpus` CPUs back during `[start, end)`. What lies before [`start`](Self::start) has been forgotten and is
    /// left out.
    ///
    /// # Errors
    /// [`ModelError::EmptyInterval`], [`ModelError::Zero`] for no CPU, [`ModelError::TooManyFree`] with the first
    /// instant at which fewer than `cpus` CPUs are taken. The profile is then unchanged.
    pub fn release(&mut self, start: Time, end: Time, cpus: u32) -> Result<(), ModelError> {
        check_interval("a release", start, end, cpus)?;
        let start = start.max(self.start());
        if start >= end {
            return Ok(());
        }
        let given = i64::from(cpus);
        // One more than may be free at most.
        let bound = i64::from(self.cpus) - given + 1;
        let over = self.covering(start).and_then(|first| self.next_at_least(first, bound));
        if let Some(at) = over.map(|place| self.instant(place).max(start)).filter(|&at| at < end) {
            let taken = self.cpus - self.free_at(at);
            return Err(ModelError::TooManyFree { released: cpus, taken, at: at.get() });
        }
        self.change(start, end, given);
        Ok(())
    }

    /// Forgets all before `to`: the profile starts there. Nothing happens if it starts there or later already.
    pub fn advance(&mut self, to: Time) {
        let Some(Place { block, at }) = self.covering(to).filter(|_| to > self.start()) else { return };
        self.heads.drain(..block);
        self.low.drain(..block);
        self.high.drain(..block);
        self.add.drain(..block);
        self.blocks.drain(..block);
        self.blocks[0].starts.drain(..at);
        self.blocks[0].free.drain(..at);
        self.blocks[0].starts[0] = to;
        self.refresh(0);
    }

    // ---- finding steps ----

    fn value(&self, place: Place) -> i64 {
        self.blocks[place.block].free[place.at] + self.add[place.block]
    }

    fn instant(&self, place: Place) -> Time {
        self.blocks[place.block].starts[place.at]
    }

    /// The step that covers an instant.
    fn covering(&self, instant: Time) -> Option<Place> {
        let block = self.heads.partition_point(|head| *head <= instant).checked_sub(1)?;
        // The block's first step starts at its head, so at least one step does not start after the instant.
        let at = self.blocks[block].starts.partition_point(|start| *start <= instant) - 1;
        Some(Place { block, at })
    }

    /// The last step that starts before an instant; the first step of all if none does.
    fn last_before(&self, instant: Time) -> Place {
        let block = self.heads.partition_point(|head| *head < instant).saturating_sub(1);
        let at = self.blocks[block].starts.partition_point(|start| *start < instant).saturating_sub(1);
        Place { block, at }
    }

    fn after(&self, place: Place) -> Option<Place> {
        let Place { block, at } = place;
        if at + 1 < self.blocks[block].free.len() {
            Some(Place { block, at: at + 1 })
        } else {
            (block + 1 < self.blocks.len()).then_some(Place { block: block + 1, at: 0 })
        }
    }

    /// The first step, from `from` on, of at least `needed`.
    fn next_at_least(&self, from: Place, needed: i64) -> Option<Place> {
        self.next_where(from, &self.high, |value| value >= needed)
    }

    /// The first step, from `from` on, of less than `needed`.
    fn next_below(&self, from: Place, needed: i64) -> Option<Place> {
        self.next_where(from, &self.low, |value| value < needed)
    }

    /// The first step, from `from` on, whose value passes; `extreme` of each block passes if any of its steps does.
    fn next_where(&self, from: Place, extreme: &[i64], passes: impl Fn(i64) -> bool) -> Option<Place> {
        let within = |block: usize, from: usize| {
            let add = self.add[block];
            let at = self.blocks[block].free[from..].iter().position(|&value| passes(value + add))?;
            Some(Place { block, at: from + at })
        };
        if passes(self.value(from)) {
            return Some(from);
        }
        within(from.block, from.at).or_else(|| {
            let next = from.block + 1;
            let skipped = extreme[next..].iter().position(|&value| passes(value))?;
            within(next + skipped, 0)
        })
    }

    /// The last step from `from` to `to`, both included, of less than `needed`.
    fn last_below(&self, from: Place, to: Place, needed: i64) -> Option<Place> {
        let within = |block: usize, from: usize, to: usize| {
            let bound = needed - self.add[block];
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
                let block = middle + self.low[middle..to.block].iter().rposition(|&low| low < needed)?;
                within(block, 0, len(block))
            })
            .or_else(|| within(from.block, from.at, len(from.block)))
    }

    // ---- changing steps ----

    /// Adds `delta` during `[start, end)`, which begins within the profile; all values stay within `[0, cpus]`.
    fn change(&mut self, start: Time, end: Time, delta: i64) {
        // Inserting one step may move the other to another block: both first, then look them up.
        self.split_at(end);
        self.split_at(start);
        let (Some(first), last) = (self.covering(start), self.last_before(end)) else { return };
        for block in first.block..=last.block {
            let from = if block == first.block { first.at } else { 0 };
            let to = if block == last.block { last.at + 1 } else { self.blocks[block].free.len() };
            if to - from == self.blocks[block].free.len() {
                self.add[block] += delta;
                self.low[block] += delta;
                self.high[block] += delta;
            } else {
                self.blocks[block].free[from..to].iter_mut().for_each(|value| *value += delta);
                self.refresh(block);
            }
        }
        // Within the interval differences are as before: only at its ends may neighbours have become equal.
        self.join_at(end);
        self.join_at(start);
    }

    /// Makes a step start at an instant, which lies within the profile.
    fn split_at(&mut self, instant: Time) {
        let Some(place) = self.covering(instant).filter(|&place| self.instant(place) < instant) else {
            return;
        };
        let Place { block, at } = place;
        let steps = &mut self.blocks[block];
        steps.starts.insert(at + 1, instant);
        steps.free.insert(at + 1, steps.free[at]);
        if steps.free.len() > BLOCK {
            let upper = Block {
                starts: steps.starts.split_off(BLOCK / 2),
                free: steps.free.split_off(BLOCK / 2).iter().map(|value| value + self.add[block]).collect(),
            };
            self.refresh(block);
            self.insert_block(block + 1, upper);
        }
    }

    /// Removes the step that starts at an instant if it has the value of the one before.
    fn join_at(&mut self, instant: Time) {
        let Some(place) = self.covering(instant).filter(|&place| self.instant(place) == instant) else {
            return;
        };
        let Place { block, at } = place;
        let before = match (at, block) {
            (0, 0) => return,
            (0, _) => Place { block: block - 1, at: self.blocks[block - 1].free.len() - 1 },
            _ => Place { block, at: at - 1 },
        };
        if self.value(before) != self.value(place) {
            return;
        }
        self.blocks[block].starts.remove(at);
        self.blocks[block].free.remove(at);
        let len = self.blocks[block].free.len();
        if block > 0 && len + self.blocks[block - 1].free.len() <= BLOCK / 2 {
            self.merge_into_previous(block);
        } else if block + 1 < self.blocks.len() && len + self.blocks[block + 1].free.len() <= BLOCK / 2 {
            self.merge_into_previous(block + 1);
        } else if len == 0 {
            // Only the first step of a block is removed when it is the block's only one, so `block > 0`.
            self.remove_block(block);
        } else {
            self.refresh(block);
        }
    }

    fn merge_into_previous(&mut self, block: usize) {
        // In terms of the amount that is still to be added to the previous block.
        let add = self.add[block] - self.add[block - 1];
        let upper = self.remove_block(block);
        let lower = &mut self.blocks[block - 1];
        lower.starts.extend(upper.starts);
        lower.free.extend(upper.free.iter().map(|value| value + add));
        self.refresh(block - 1);
    }

    fn remove_block(&mut self, block: usize) -> Block {
        self.heads.remove(block);
        self.low.remove(block);
        self.high.remove(block);
        self.add.remove(block);
        self.blocks.remove(block)
    }

    /// Inserts a block of true values.
    fn insert_block(&mut self, at: usize, block: Block) {
        self.heads.insert(at, block.starts[0]);
        self.low.insert(at, 0);
        self.high.insert(at, 0);
        self.add.insert(at, 0);
        self.blocks.insert(at, block);
        self.refresh(at);
    }

    /// Brings what is known of a block in line with its steps, of which there is at least one.
    fn refresh(&mut self, block: usize) {
        let Block { starts, free } = &self.blocks[block];
        let extremes = |(low, high): (i64, i64), &value: &i64| (low.min(value), high.max(value));
        let (low, high) = free.iter().fold((i64::MAX, i64::MIN), extremes);
        self.heads[block] = starts[0];
        self.low[block] = low + self.add[block];
        self.high[block] = high + self.add[block];
    }
}

/// Values of steps lie within `[0, cpus]`, and `cpus` is a `u32`.
fn count(value: i64) -> u32 {
    u32::try_from(value).unwrap_or_default()
}

/// The last instant from which on `span` ends by `end` as `f64` rounds it; `first` is such an instant.
fn last_start(first: Time, span: Span, end: Time) -> Time {
    let mut last = end - span;
    // A span of zero starts strictly before the end, and elsewhere the subtraction may have rounded up.
    while last > first && (last + span > end || last >= end) {
        last = Time::new(last.get().next_down()).unwrap_or(first);
    }
    last.max(first)
}

fn empty(what: &str, start: Time, end: Time) -> ModelError {
    ModelError::EmptyInterval { what: what.to_owned(), start: start.get(), end: end.get() }
}

fn check_interval(what: &'static str, start: Time, end: Time, cpus: u32) -> Result<(), ModelError> {
    if end <= start {
        return Err(empty(what, start, end));
    }
    if cpus == 0 {
        return Err(ModelError::Zero { what: "cpus of a reservation" });
    }
    Ok(())
}

impl PartialEq for Profile {
    fn eq(&self, other: &Self) -> bool {
        // Equal functions have equal steps, but perhaps in other blocks.
        self.cpus == other.cpus && self.steps().eq(other.steps())
    }
}

impl Eq for Profile {}

impl fmt::Display for Profile {
    /// `instant: free` of each step, separated by commas.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (start, free)) in self.steps().enumerate() {
            write!(f, "{}{start}: {free}", if at == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Profile of {} CPUs {{ {self} }}", self.cpus)
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawProfile {
    cpus: u32,
    steps: Vec<(Time, u32)>,
}

#[cfg(feature = "serde")]
impl TryFrom<RawProfile> for Profile {
    type Error = ModelError;
    fn try_from(raw: RawProfile) -> Result<Self, ModelError> {
        Self::from_steps(raw.cpus, &raw.steps)
    }
}

#[cfg(feature = "serde")]
impl From<Profile> for RawProfile {
    fn from(profile: Profile) -> Self {
        Self { cpus: profile.cpus, steps: profile.steps().collect() }
    }
}
