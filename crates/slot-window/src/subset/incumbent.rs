//! The items to choose from, and the best choice so far.

use sched_model::internal::{SumFilter, exact_sum, plain_sum_error};
use std::cmp::Ordering;

/// An item to choose from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    pub(crate) value: f64,
    pub(crate) cost: f64,
    pub(crate) group: u32,
    /// Whether the item is one of those of which at least one is required.
    pub(crate) is_anchor: bool,
}

/// The number of items taken from each group.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    taken: Vec<usize>,
}

impl Counts {
    /// Resets all counts to 0.
    pub(crate) fn clear(&mut self) {
        self.taken.clear();
    }

    /// Takes an item of `group`, if fewer than `max_per_group` were taken. Returns whether it did.
    #[inline]
    pub(crate) fn take(&mut self, group: u32, max_per_group: usize) -> bool {
        let group = group as usize;
        if group >= self.taken.len() {
            self.taken.resize(group + 1, 0);
        }
        let has_room = self.taken[group] < max_per_group;
        self.taken[group] += usize::from(has_room);
        has_room
    }

    /// Gives an item of `group` back.
    pub(super) fn give(&mut self, group: u32) {
        self.taken[group as usize] -= 1;
    }
}

/// A subset problem, in the form that the kernels use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instance<'a> {
    pub(crate) list: &'a [Item],
    /// The number of items to choose.
    pub(crate) n: usize,
    pub(crate) budget: f64,
    /// The value that a choice must exceed.
    pub(crate) floor: f64,
    /// The maximum number of items of a group, if that restricts the choice.
    pub(super) max_per_group: Option<usize>,
    /// Whether at least one anchor is required.
    pub(super) needs_anchor: bool,
    /// The number of exchanges listed or tried before partial choices take over.
    pub(super) max_steps: usize,
}

/// The usual [`Instance::max_steps`].
pub(super) const MAX_STEPS: usize = 1 << 17;

impl<'a> Instance<'a> {
    /// Creates the problem of choosing n of `list`, at most `max_per_group` of each group, with an anchor if
    /// `needs_anchor`, without a floor.
    pub(crate) fn new(
        list: &'a [Item],
        n: usize,
        budget: f64,
        max_per_group: usize,
        needs_anchor: bool,
    ) -> Self {
        let max_per_group = Some(max_per_group).filter(|max_per_group| *max_per_group < n);
        Self { list, n, budget, floor: f64::NEG_INFINITY, max_per_group, needs_anchor, max_steps: MAX_STEPS }
    }

    /// Sets the value that a choice must exceed.
    pub(crate) fn with_floor(self, floor: f64) -> Self {
        Self { floor, ..self }
    }

    #[inline(always)]
    pub(super) fn at(&self, item: u32) -> &'a Item {
        &self.list[item as usize]
    }

    /// Whether the exact sum of the costs of these items, rounded once, is within the budget.
    #[cold]
    pub(super) fn affordable(&self, items: impl Iterator<Item = u32>) -> bool {
        sched_model::internal::affordable(items.map(|item| self.at(item).cost), self.budget)
    }

    /// The exact sum of the values of these items, rounded once.
    pub(super) fn value_of(&self, items: &[u32]) -> f64 {
        exact_sum(items.iter().map(|&item| self.at(item).value))
    }

    /// Compares the sums of `number` over two lists of items, as real numbers.
    fn compare(&self, number: fn(&Item) -> f64, ours: &[u32], theirs: &[u32]) -> Ordering {
        let ours = ours.iter().map(|&item| number(self.at(item)));
        exact_sum(ours.chain(theirs.iter().map(|&item| -number(self.at(item))))).total_cmp(&0.0)
    }
}

/// The best subset found so far: of maximum value, then of minimum cost, then of lexicographically smallest indices.
/// Sums are compared as real numbers.
#[derive(Debug, Default, Clone)]
pub(crate) struct Incumbent {
    pub(crate) found: bool,
    /// A plain sum, until [`finish`](Self::finish) makes it exact.
    pub(crate) value: f64,
    /// The indices of its items, ascending.
    pub(crate) indices: Vec<u32>,
    /// A bound on the rounding error of the value.
    doubt: f64,
    trial: Vec<u32>,
    /// The indices of every subset that has been the best, one after the other, and the number of these subsets.
    pub(crate) trail: Vec<u32>,
    pub(crate) improved: usize,
}

impl Incumbent {
    /// Keeps a subset if it is affordable, above the floor and better than the best.
    ///
    /// Plain sums decide, unless they are too close to each other, to the floor or to the budget. Returns whether the
    /// subset is affordable and has an anchor if one is required.
    pub(crate) fn offer(&mut self, instance: &Instance<'_>, items: impl Iterator<Item = u32>) -> bool {
        self.trial.clear();
        self.trial.extend(items);
        let (mut value, mut cost, mut size) = (0.0, 0.0, 0.0);
        for &item in &self.trial {
            let item = instance.at(item);
            value += item.value;
            size += item.value.abs();
            cost += item.cost;
        }
        let error = |size| plain_sum_error(self.trial.len(), size);
        let filter = SumFilter::new(instance.budget, error(cost));
        let exact = || instance.affordable(self.trial.iter().copied());
        let has_anchor = !instance.needs_anchor || self.trial.iter().any(|&item| instance.at(item).is_anchor);
        if !has_anchor || !filter.decide_or(cost, exact) {
            return false;
        }
        let doubt = error(size);
        let is_close = (value - instance.floor).abs() <= doubt;
        let decisive = if is_close { instance.value_of(&self.trial) } else { value };
        if decisive <= instance.floor {
            return true;
        }
        let is_better = if !self.found {
            true
        } else if (value - self.value).abs() > doubt + self.doubt {
            value > self.value
        } else {
            self.trial.sort_unstable();
            self.trial != self.indices && self.trial_is_better(instance)
        };
        if is_better {
            self.trial.sort_unstable();
            std::mem::swap(&mut self.indices, &mut self.trial);
            (self.found, self.value, self.doubt) = (true, value, doubt);
            self.trail.extend_from_slice(&self.indices);
            self.improved += 1;
        }
        true
    }

    /// Whether the trial is better than the best so far, by exact sums.
    #[cold]
    fn trial_is_better(&self, instance: &Instance<'_>) -> bool {
        instance
            .compare(|item| item.value, &self.trial, &self.indices)
            .reverse()
            .then_with(|| instance.compare(|item| item.cost, &self.trial, &self.indices))
            .then_with(|| self.trial.cmp(&self.indices))
            .is_lt()
    }

    /// The value that a subset must reach to improve the best.
    pub(crate) fn needed(&self, instance: &Instance<'_>) -> f64 {
        if self.found { self.value.max(instance.floor) } else { instance.floor }
    }

    /// Forgets the result of the last search.
    pub(crate) fn begin(&mut self) {
        self.found = false;
        self.trail.clear();
        self.improved = 0;
    }

    /// The exact sum of its values, rounded once.
    pub(crate) fn exact_value(&self, instance: &Instance<'_>) -> f64 {
        instance.value_of(&self.indices)
    }

    /// Ends the search: the value becomes the exact sum, rounded once.
    pub(crate) fn finish(&mut self, instance: &Instance<'_>) {
        if self.found {
            self.value = self.exact_value(instance);
        }
    }
}
