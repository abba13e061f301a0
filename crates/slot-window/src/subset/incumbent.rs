//! Items to choose from, and the best choice so far.

use sched_model::internal::{SumFilter, exact_sum, plain_sum_error};
use std::cmp::Ordering;

/// An item to choose from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    pub(crate) value: f64,
    pub(crate) cost: f64,
    pub(crate) group: u32,
    /// Where one of some items is needed: whether it is one of these.
    pub(crate) is_own: bool,
}

/// How many of each group are taken.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    of: Vec<usize>,
}

impl Counts {
    /// Empties it.
    pub(crate) fn clear(&mut self) {
        self.of.clear();
    }

    /// Takes one of a group, if it has room.
    #[inline]
    pub(crate) fn take(&mut self, group: u32, most: usize) -> bool {
        let group = group as usize;
        if group >= self.of.len() {
            self.of.resize(group + 1, 0);
        }
        let has_room = self.of[group] < most;
        self.of[group] += usize::from(has_room);
        has_room
    }

    /// Gives one of a group back.
    pub(super) fn give(&mut self, group: u32) {
        self.of[group as usize] -= 1;
    }
}

/// A subset problem, in the form that the kernels use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Items<'a> {
    pub(crate) list: &'a [Item],
    /// How many to choose.
    pub(crate) n: usize,
    pub(crate) budget: f64,
    /// The most items of a group, if that is a limit.
    pub(super) most: Option<usize>,
    /// Whether one of the items must be an own one.
    pub(super) needs_own: bool,
    /// Exchanges listed or tried before the partial choices take over.
    pub(super) max_steps: usize,
}

/// The usual number of exchanges.
pub(super) const MAX_STEPS: usize = 1 << 17;

impl<'a> Items<'a> {
    /// Any n of these, at most so many of a group, and with an own item if one is needed.
    pub(crate) fn new(list: &'a [Item], n: usize, budget: f64, most: usize, needs_own: bool) -> Self {
        let most = Some(most).filter(|most| *most < n);
        Self { list, n, budget, most, needs_own, max_steps: MAX_STEPS }
    }

    #[inline(always)]
    pub(super) fn at(&self, item: u32) -> &'a Item {
        &self.list[item as usize]
    }

    /// Whether these items are affordable by the definition.
    #[cold]
    pub(super) fn affordable(&self, items: impl Iterator<Item = u32>) -> bool {
        sched_model::internal::affordable(items.map(|item| self.at(item).cost), self.budget)
    }

    /// The exact sum, rounded once, of the values of these items.
    pub(super) fn value_of(&self, items: &[u32]) -> f64 {
        exact_sum(items.iter().map(|&item| self.at(item).value))
    }

    /// Compares the sums of a number over two lists of items, as real numbers.
    fn compare(&self, number: fn(&Item) -> f64, ours: &[u32], theirs: &[u32]) -> Ordering {
        let ours = ours.iter().map(|&item| number(self.at(item)));
        exact_sum(ours.chain(theirs.iter().map(|&item| -number(self.at(item))))).total_cmp(&0.0)
    }
}

/// The best subset so far: the maximum value, the minimum cost, the first indices. Sums are compared as real
/// numbers.
#[derive(Debug, Default, Clone)]
pub(crate) struct Incumbent {
    pub(crate) found: bool,
    /// A plain sum, which the end of the search makes exact.
    pub(crate) value: f64,
    /// Ascending.
    pub(crate) indices: Vec<u32>,
    /// The rounding error of the value.
    doubt: f64,
    trial: Vec<u32>,
    /// The indices of each subset that was the best, one after the other, and how many there were.
    pub(crate) trail: Vec<u32>,
    pub(crate) improved: usize,
}

impl Incumbent {
    /// Takes a subset if it is affordable, above the floor and better than the best.
    ///
    /// Plain sums decide, unless they are too near to one another, to the floor or to the budget. Returns whether it is
    /// affordable, with an own item where one is needed.
    pub(crate) fn offer(&mut self, of: &Items<'_>, floor: f64, items: impl Iterator<Item = u32>) -> bool {
        self.trial.clear();
        self.trial.extend(items);
        let (mut value, mut cost, mut size) = (0.0, 0.0, 0.0);
        for &item in &self.trial {
            let item = of.at(item);
            value += item.value;
            size += item.value.abs();
            cost += item.cost;
        }
        let error = |size| plain_sum_error(self.trial.len(), size);
        let filter = SumFilter::new(of.budget, error(cost));
        let exact = || of.affordable(self.trial.iter().copied());
        let has_own = !of.needs_own || self.trial.iter().any(|&item| of.at(item).is_own);
        if !has_own || !filter.decide_or(cost, exact) {
            return false;
        }
        let doubt = error(size);
        let is_above =
            if (value - floor).abs() > doubt { value > floor } else { of.value_of(&self.trial) > floor };
        if !is_above {
            return true;
        }
        let is_better = if !self.found {
            true
        } else if (value - self.value).abs() > doubt + self.doubt {
            value > self.value
        } else {
            self.trial.sort_unstable();
            self.trial != self.indices && self.trial_is_better(of)
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
    fn trial_is_better(&self, of: &Items<'_>) -> bool {
        of.compare(|item| item.value, &self.trial, &self.indices)
            .reverse()
            .then_with(|| of.compare(|item| item.cost, &self.trial, &self.indices))
            .then_with(|| self.trial.cmp(&self.indices))
            .is_lt()
    }

    /// Begins a search.
    pub(crate) fn begin(&mut self) {
        self.found = false;
        self.trail.clear();
        self.improved = 0;
    }

    /// The exact sum of its values, rounded once.
    pub(crate) fn exact_value(&self, of: &Items<'_>) -> f64 {
        of.value_of(&self.indices)
    }

    /// Ends the search: the value becomes the exact sum, rounded once.
    pub(crate) fn finish(&mut self, of: &Items<'_>) {
        if self.found {
            self.value = self.exact_value(of);
        }
    }
}
