//! Pools: the slots that are live at an instant, and the n cheapest of them, with a limited number of each group.
//!
//! At first slots are only collected, as long as a lower bound proves that no window can be affordable: the sum of
//! the n - 1 lowest costs of those left by the last pruning and of all that arrived since, plus the cost of the slot
//! that arrives. Only if the bound fails, or the pool grows long, are expired slots removed and the n cheapest
//! selected, in O(w). If the work of this exceeds a credit, which grows with the slots that it removes, [`Ordered`]
//! takes over, with O(log w) for each arrival. So a scan takes O(m log w) at worst, and usually little more time than
//! reading the slots.

use super::{
    ordered::Ordered,
    slots::{Entry, Limits, fits},
};
use crate::{WindowError, subset::Counts};
use sched_model::internal::{affordable, plain_sum_error, sort};
use std::collections::BinaryHeap;

/// Live slots that may be combined in a window, while slots arrive in order of time. It must be [reset](Self::reset)
/// before use.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    n: usize,
    /// The maximum number of slots of one group in a window, at most n.
    max_per_group: usize,
    now: f64,
    /// The slots that the last pruning left, the n cheapest of them first, and all that have arrived since.
    slots: Vec<Entry>,
    /// The n - 1 lowest costs of the slots that the last pruning left and of all that have arrived since, whether or
    /// not they have expired, and whatever their groups.
    lowest: LowestCosts,
    /// The number of slots at which they are pruned.
    prune_at: usize,
    /// The work that tests may still take before the slots are kept in order.
    credit: usize,
    /// Whether the credit is spent: then the next arrival puts the slots in order (not the test itself, which may end
    /// the scan).
    overdrawn: bool,
    ordered: Option<Ordered>,
    /// Whether the pool must be tested: since the last test a slot has arrived that may complete an affordable window,
    /// or a window was [kept](Self::keep_chosen).
    pub(crate) armed: bool,
    chosen: Vec<Entry>,
}

/// The minimum number of slots that are collected before expired ones are dropped: pruning fewer saves nothing.
const MIN_PRUNED: usize = 128;

/// The credit for each slot that a test removes: putting a slot in order takes about as long as reading this number
/// of slots.
const CREDIT: usize = 64;

impl Pool {
    /// Empties the pool, for windows of `n` slots with at most `max_per_group` of each group.
    pub(crate) fn reset(&mut self, n: usize, max_per_group: usize) {
        let Self { mut slots, mut lowest, chosen, .. } = std::mem::take(self);
        slots.clear();
        lowest.reset(n.saturating_sub(1));
        let (now, prune_at, credit) = (f64::NEG_INFINITY, MIN_PRUNED, CREDIT * MIN_PRUNED);
        let max_per_group = max_per_group.min(n);
        *self = Self { n, max_per_group, now, slots, lowest, prune_at, credit, chosen, ..Self::default() };
    }

    /// Adds a slot on which the task can start at `now`, which must not decrease from call to call.
    // Inlined, with rare parts in separate functions: passing an entry through memory would take more time than all
    // the rest.
    #[inline(always)]
    pub(crate) fn insert(&mut self, entry: Entry, now: f64, budget: f64) {
        self.now = now;
        if self.overdrawn {
            self.insert_ordered(entry);
            return;
        }
        self.armed |= self.lowest.allows(entry.cost, budget);
        if self.slots.len() >= self.prune_at {
            self.prune();
        }
        self.lowest.take(entry.cost);
        self.slots.push(entry);
    }

    #[inline(never)]
    fn insert_ordered(&mut self, entry: Entry) {
        let Self { n, max_per_group, now, slots, ordered, .. } = self;
        let ordered = ordered.get_or_insert_with(|| {
            let mut ordered = Ordered::new(*n, *max_per_group);
            // The last test has pruned the slots: all were live then.
            for of in slots.drain(..) {
                ordered.insert(of, f64::NEG_INFINITY);
            }
            ordered
        });
        self.armed |= ordered.insert(entry, *now);
    }

    /// Drops expired slots, and moves the n cheapest to the front.
    #[inline(never)]
    fn prune(&mut self) {
        let now = self.now;
        self.slots.retain(|of| of.fits(now));
        self.prune_at = 3 * self.slots.len() + MIN_PRUNED;
        if self.slots.len() > self.n {
            self.slots.select_nth_unstable(self.n - 1);
        }
        self.lowest.reset(self.n - 1);
        for of in self.slots.iter().take(self.n) {
            self.lowest.take(of.cost);
        }
    }

    /// Tests whether the n cheapest slots that may be combined at the instant of the last arrival are within the
    /// budget; if so, they are [`chosen`](Self::chosen). Call it if the pool is [`armed`](Self::armed).
    pub(crate) fn test_budget(&mut self, budget: f64) -> bool {
        self.armed = false;
        if let Some(ordered) = &self.ordered {
            let found = ordered.is_full() && ordered.affordable(budget);
            if found {
                self.chosen.clear();
                self.chosen.extend(ordered.chosen());
            }
            return found;
        }
        let work = self.slots.len();
        if work < self.n {
            return false;
        }
        self.prune();
        // A slot is removed only once, so the number of arrivals bounds the credit.
        self.credit = self.credit.saturating_add(CREDIT * (work - self.slots.len()));
        self.overdrawn = self.credit < work;
        self.credit = self.credit.saturating_sub(work);
        self.choose() && affordable(self.chosen.iter().map(|entry| entry.cost), budget)
    }

    /// Chooses n of `slots`, of which the n cheapest come first: greedily, the cheapest whose group is not yet full,
    /// as [`Ordered`] does. Returns whether there are n.
    fn choose(&mut self) -> bool {
        let Self { n, max_per_group, slots, chosen, .. } = self;
        chosen.clear();
        if max_per_group == n {
            chosen.extend(slots.iter().take(*n));
            return chosen.len() == *n;
        }
        sort(slots, &Ord::cmp);
        let mut counts = Counts::default();
        chosen.extend(slots.iter().filter(|of| counts.take(of.group, *max_per_group)).take(*n));
        chosen.len() == *n
    }

    /// The entries that the last successful [`test_budget`](Self::test_budget) or [`fastest`](Self::fastest) chose,
    /// in any order.
    pub(crate) fn chosen(&self) -> &[Entry] {
        &self.chosen
    }

    /// Keeps only the [chosen](Self::chosen) slots, for the rest of this instant, and returns the cost of the most
    /// expensive of them. Since the choice is greedy, no slot that costs more can displace one of them, whatever else
    /// arrives.
    pub(crate) fn keep_chosen(&mut self) -> f64 {
        self.slots.clone_from(&self.chosen);
        (self.ordered, self.overdrawn) = (None, false);
        self.armed = true;
        self.chosen.iter().map(|entry| entry.cost).fold(0.0, f64::max)
    }

    /// The number of live slots after a [`test_budget`](Self::test_budget), which is the work of
    /// [`fastest`](Self::fastest).
    pub(crate) fn len(&self) -> usize {
        self.ordered.as_ref().map_or(self.slots.len(), |ordered| ordered.live().count())
    }

    /// The live slots after a [`test_budget`](Self::test_budget), in any order.
    pub(crate) fn all(&self) -> impl Iterator<Item = Entry> {
        let ordered = self.ordered.iter().flat_map(Ordered::live);
        self.slots.iter().copied().chain(ordered.copied())
    }

    /// Chooses, from the live slots within the limits, n slots within the budget whose longest span is minimal, and
    /// of these the cheapest. Returns whether there are any.
    ///
    /// Slots are added in order of span; as soon as the n cheapest so far are affordable, they are the answer.
    pub(crate) fn fastest(&mut self, limits: &Limits) -> bool {
        let keeps = |of: &Entry| of.span < limits.span_below && fits(self.now, of.span, limits.finish);
        let mut live: Vec<Entry> = self.all().filter(|of| keeps(of)).collect();
        sort(&mut live, &|a, b| a.span.total_cmp(&b.span).then_with(|| a.cmp(b)));
        // Slots of equal span are added together, because their costs decide which of them are chosen.
        let mut so_far = Ordered::new(self.n, self.max_per_group);
        let found = live.chunk_by(|a, b| a.span == b.span).any(|of_span| {
            of_span.iter().for_each(|of| {
                so_far.take(*of);
            });
            so_far.is_full() && so_far.affordable(limits.budget)
        });
        self.chosen.clear();
        self.chosen.extend(so_far.chosen());
        found
    }
}

/// The pools of a sweep: one, or one for each value of the label to pack by.
#[derive(Debug, Default)]
pub(crate) struct Pools {
    n: usize,
    max_per_group: usize,
    packs: bool,
    /// The pools by the rank of the value; a single one if nodes are not packed.
    pools: Vec<Pool>,
    /// The positions of the armed pools; a pool may be repeated.
    armed: Vec<u32>,
    /// The positions of the pools that had a window at the last [test](Self::test_budget), ascending.
    found: Vec<u32>,
}

impl Pools {
    /// Empties the pools, for windows of `n` slots with at most `max_per_group` of each group.
    pub(super) fn reset(&mut self, n: usize, max_per_group: usize, packs: bool) {
        (self.n, self.max_per_group, self.packs) = (n, max_per_group, packs);
        self.pools.truncate(1);
        self.pools.iter_mut().for_each(|pool| pool.reset(n, max_per_group));
        self.armed.clear();
    }

    /// Whether a slot that may complete an affordable window has arrived since the last [test](Self::test_budget).
    #[inline(always)]
    pub(super) fn is_armed(&self) -> bool {
        !self.armed.is_empty()
    }

    /// Adds a slot that arrives at `now` to its pool.
    #[inline(always)]
    pub(super) fn insert(&mut self, entry: Entry, now: f64, budget: f64) {
        let pack = entry.pack;
        if pack as usize >= self.pools.len() {
            self.grow(pack);
        }
        let pool = &mut self.pools[pack as usize];
        pool.insert(entry, now, budget);
        if pool.armed && self.armed.last() != Some(&pack) {
            self.armed.push(pack);
        }
    }

    #[inline(never)]
    fn grow(&mut self, pack: u32) {
        let (n, max_per_group) = (self.n, self.max_per_group);
        self.pools.resize_with(pack as usize + 1, || {
            let mut pool = Pool::default();
            pool.reset(n, max_per_group);
            pool
        });
    }

    /// Tests the pools that are armed. Returns whether some pool has a window within the budget at the instant of the
    /// last arrival.
    pub(super) fn test_budget(&mut self, budget: f64) -> bool {
        let Self { pools, armed, found, .. } = self;
        std::mem::swap(found, armed);
        armed.clear();
        found.sort_unstable();
        found.dedup();
        found.retain(|&pack| pools[pack as usize].test_budget(budget));
        !found.is_empty()
    }

    /// Calls `with` for each pool that had a window at the last [test](Self::test_budget), in the order of the values
    /// of the label.
    pub(crate) fn each(
        &mut self,
        mut with: impl FnMut(&mut Pool) -> Result<(), WindowError>,
    ) -> Result<(), WindowError> {
        self.found.iter().try_for_each(|&pack| with(&mut self.pools[pack as usize]))
    }

    /// If nodes are not packed and there is a window within the budget, keeps only its slots, for the rest of this
    /// instant. Returns the cost above which no slot that starts now matters; infinite if there is no such window. Then
    /// the pool is not tested again before another slot arrives.
    pub(super) fn keep_chosen(&mut self, budget: f64) -> f64 {
        if self.packs || !self.test_budget(budget) {
            return f64::INFINITY;
        }
        self.armed.push(0);
        self.pools[0].keep_chosen()
    }
}

/// The lowest costs of a growing collection of slots: a lower bound on the cost of windows, which may prove that none
/// is affordable. Costs of slots that have expired stay in it.
#[derive(Debug, Default)]
struct LowestCosts {
    count: usize,
    /// The bits of the costs, the largest on top.
    costs: BinaryHeap<u64>,
    /// The plain sum of the costs, the maximum that it has reached, and the number of additions and subtractions.
    sum: f64,
    peak: f64,
    terms: usize,
    /// The maximum of the costs; infinite until there are `count`.
    max: f64,
    /// A lower bound on the sum of the costs; NaN until there are `count`, so that no slot completes a window,
    /// whatever the budget.
    min_sum: f64,
    /// A factor below 1 that allows for the rounding of a sum.
    shrink: f64,
}

impl LowestCosts {
    /// Empties the collection, to keep the `count` lowest costs from now on.
    pub(crate) fn reset(&mut self, count: usize) {
        self.count = count;
        self.costs.clear();
        (self.sum, self.peak, self.terms) = (0.0, 0.0, 0);
        self.shrink = 1.0 - f64::EPSILON * (count as f64 + 4.0);
        self.max = f64::INFINITY;
        self.update();
    }

    /// Updates the maximum and the lower bound after a change of the costs.
    fn update(&mut self) {
        if self.costs.len() == self.count {
            self.max = self.costs.peek().map_or(f64::NEG_INFINITY, |&bits| f64::from_bits(bits));
            self.min_sum = (self.sum - plain_sum_error(self.terms, self.peak)).max(0.0);
        } else {
            self.min_sum = f64::NAN;
        }
    }

    /// Whether a slot of this cost may complete an affordable window with earlier slots.
    #[inline]
    pub(crate) fn allows(&self, cost: f64, budget: f64) -> bool {
        (self.min_sum + cost) * self.shrink <= budget
    }

    /// Adds a cost.
    #[inline(always)]
    pub(crate) fn take(&mut self, cost: f64) {
        if cost < self.max {
            self.add_low(cost);
        }
    }

    #[inline(never)]
    fn add_low(&mut self, cost: f64) {
        if self.costs.len() < self.count {
            self.costs.push(cost.to_bits());
        } else if let Some(mut top) = self.costs.peek_mut() {
            self.sum -= f64::from_bits(*top);
            self.terms += 1;
            *top = cost.to_bits();
        }
        self.sum += cost;
        self.terms += 1;
        self.peak = self.peak.max(self.sum);
        self.update();
    }
}
