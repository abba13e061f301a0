//! Items to choose from, and the best choice so far.

use sched_model::internal::{SumFilter, exact_sum, plain_sum_error};
use std::cmp::Ordering;

/// Value and cost of the items that are in every subset beside the chosen ones.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Given {
    pub(crate) value: f64,
    pub(crate) cost: f64,
}

/// At most `most` items of each group; and where some are to be *own* items, at least one of these.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Groups<'a> {
    /// The group of each item.
    pub(crate) of: &'a [u32],
    pub(crate) most: usize,
    /// Which items are own ones, if one is required.
    pub(crate) own: Option<&'a [bool]>,
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
    pub(crate) values: &'a [f64],
    pub(crate) costs: &'a [f64],
    /// How many to choose.
    pub(crate) n: usize,
    pub(crate) budget: f64,
    pub(crate) given: Given,
    pub(crate) groups: Option<Groups<'a>>,
    /// Exchanges listed or tried before the partial choices take over.
    pub(crate) max_steps: usize,
}

/// The usual number of exchanges.
const MAX_STEPS: usize = 1 << 17;

impl<'a> Items<'a> {
    /// Without given items or groups.
    pub(crate) fn new(values: &'a [f64], costs: &'a [f64], n: usize, budget: f64) -> Self {
        Self { values, costs, n, budget, given: Given::default(), groups: None, max_steps: MAX_STEPS }
    }

    /// Whether these items are a choice: they contain an own one, if one is required.
    fn has_own(&self, items: &[u32]) -> bool {
        let own = self.groups.and_then(|groups| groups.own);
        own.is_none_or(|own| items.iter().any(|&item| own[item as usize]))
    }

    /// Whether these items, with the given ones, are affordable by the definition.
    #[cold]
    pub(crate) fn affordable(&self, items: impl Iterator<Item = u32>) -> bool {
        let costs = items.map(|item| self.costs[item as usize]);
        sched_model::affordable(costs.chain([self.given.cost]), self.budget)
    }

    /// The exact sum, rounded once, of the values or costs of these items and of what is given.
    pub(crate) fn exact(of: &[f64], items: &[u32], given: f64) -> f64 {
        exact_sum(items.iter().map(|&item| of[item as usize]).chain([given]))
    }
}

/// Compares the sums of the numbers of two lists of items, as real numbers.
fn compare(of: &[f64], ours: &[u32], theirs: &[u32]) -> Ordering {
    let ours = ours.iter().map(|&item| of[item as usize]);
    exact_sum(ours.chain(theirs.iter().map(|&item| -of[item as usize]))).total_cmp(&0.0)
}

/// The best subset so far: the greatest value, the least cost, the first indices. Sums are compared as real
/// numbers.
#[derive(Debug, Default)]
pub(crate) struct Incumbent {
    pub(crate) found: bool,
    /// Includes the given items: a plain sum, which the end of the search makes exact.
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
    /// Takes a subset if it is affordable, above the floor and better than the one before.
    ///
    /// Plain sums decide, unless they are too near to one another, to the floor or to the budget. Returns whether it is
    /// affordable, with an own item where one is required.
    pub(crate) fn offer(&mut self, of: &Items<'_>, floor: f64, items: impl Iterator<Item = u32>) -> bool {
        self.trial.clear();
        self.trial.extend(items);
        let (mut value, mut cost, mut size) = (of.given.value, of.given.cost, of.given.value.abs());
        for &item in &self.trial {
            value += of.values[item as usize];
            size += of.values[item as usize].abs();
            cost += of.costs[item as usize];
        }
        let error = |size| plain_sum_error(self.trial.len() + 1, size);
        let filter = SumFilter::new(of.budget, error(cost));
        let exact = || of.affordable(self.trial.iter().copied());
        if !of.has_own(&self.trial) || !filter.decide_or(cost, exact) {
            return false;
        }
        let doubt = error(size);
        let is_above = if (value - floor).abs() > doubt {
            value > floor
        } else {
            Items::exact(of.values, &self.trial, of.given.value) > floor
        };
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
        compare(of.values, &self.trial, &self.indices)
            .reverse()
            .then_with(|| compare(of.costs, &self.trial, &self.indices))
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
        Items::exact(of.values, &self.indices, of.given.value)
    }

    /// Ends the search: the value becomes the exact sum, rounded once.
    pub(crate) fn finish(&mut self, of: &Items<'_>) {
        if self.found {
            self.value = self.exact_value(of);
        }
    }
}
