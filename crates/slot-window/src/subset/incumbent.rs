//! Items to choose from, and the best choice so far.

use sched_model::internal::{SumFilter, exact_sum, plain_sum_error};
use std::cmp::Ordering;

/// At most `most` items of each group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Groups<'a> {
    /// The group of each item.
    pub(super) of: &'a [u32],
    pub(super) most: usize,
}

/// The numbers of items, by index.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    pub(crate) values: Vec<f64>,
    costs: Vec<f64>,
    groups: Vec<u32>,
    own: Vec<bool>,
}

impl Numbers {
    /// Value, cost, group, and whether it is an own item, of each of them.
    pub(crate) fn collect(&mut self, of: impl Iterator<Item = (f64, f64, u32, bool)>) {
        let Self { values, costs, groups, own } = self;
        values.clear();
        costs.clear();
        groups.clear();
        own.clear();
        for (value, cost, group, is_own) in of {
            values.push(value);
            costs.push(cost);
            groups.push(group);
            own.push(is_own);
        }
    }

    /// The problem of n of them, with at most so many of a group if that is a limit, and an own item if one is needed.
    pub(crate) fn items(&self, n: usize, budget: f64, most: Option<usize>, needs_own: bool) -> Items<'_> {
        let groups = most.map(|most| Groups { of: &self.groups, most });
        let own = needs_own.then_some(&self.own[..]);
        Items { groups, own, ..Items::new(&self.values, &self.costs, n, budget) }
    }
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
    /// How many to choose, beside the one that is forced.
    pub(crate) n: usize,
    pub(crate) budget: f64,
    pub(super) groups: Option<Groups<'a>>,
    /// Which items are own ones, if one is needed.
    pub(super) own: Option<&'a [bool]>,
    /// The item that is in every subset, if there is one.
    pub(super) forced: Option<u32>,
    /// Exchanges listed or tried before the partial choices take over.
    pub(crate) max_steps: usize,
}

/// The usual number of exchanges.
const MAX_STEPS: usize = 1 << 17;

impl<'a> Items<'a> {
    /// Any n of them.
    pub(super) fn new(values: &'a [f64], costs: &'a [f64], n: usize, budget: f64) -> Self {
        let (groups, own, forced) = (None, None, None);
        Self { values, costs, n, budget, groups, own, forced, max_steps: MAX_STEPS }
    }

    /// Value and cost of the item that is forced.
    pub(super) fn given(&self) -> (f64, f64) {
        self.forced.map_or((0.0, 0.0), |item| (self.values[item as usize], self.costs[item as usize]))
    }

    /// Whether these items are affordable by the definition.
    #[cold]
    pub(super) fn affordable(&self, items: impl Iterator<Item = u32>) -> bool {
        sched_model::affordable(items.map(|item| self.costs[item as usize]), self.budget)
    }

    /// The exact sum, rounded once, of the values or costs of these items.
    pub(super) fn exact(of: &[f64], items: &[u32]) -> f64 {
        exact_sum(items.iter().map(|&item| of[item as usize]))
    }
}

/// Compares the sums of the numbers of two lists of items, as real numbers.
fn compare(of: &[f64], ours: &[u32], theirs: &[u32]) -> Ordering {
    let ours = ours.iter().map(|&item| of[item as usize]);
    exact_sum(ours.chain(theirs.iter().map(|&item| -of[item as usize]))).total_cmp(&0.0)
}

/// The best subset so far: the greatest value, the least cost, the first indices. Sums are compared as real
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
    /// Takes a subset, with the item that is forced, if it is affordable, above the floor and better than the best.
    ///
    /// Plain sums decide, unless they are too near to one another, to the floor or to the budget. Returns whether it is
    /// affordable, with an own item where one is needed.
    pub(crate) fn offer(&mut self, of: &Items<'_>, floor: f64, items: impl Iterator<Item = u32>) -> bool {
        self.trial.clear();
        self.trial.extend(items.chain(of.forced));
        let (mut value, mut cost, mut size) = (0.0, 0.0, 0.0);
        for &item in &self.trial {
            value += of.values[item as usize];
            size += of.values[item as usize].abs();
            cost += of.costs[item as usize];
        }
        let error = |size| plain_sum_error(self.trial.len(), size);
        let filter = SumFilter::new(of.budget, error(cost));
        let exact = || of.affordable(self.trial.iter().copied());
        let has_own = of.own.is_none_or(|own| self.trial.iter().any(|&item| own[item as usize]));
        if !has_own || !filter.decide_or(cost, exact) {
            return false;
        }
        let doubt = error(size);
        let is_above = if (value - floor).abs() > doubt {
            value > floor
        } else {
            Items::exact(of.values, &self.trial) > floor
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
        Items::exact(of.values, &self.indices)
    }

    /// Ends the search: the value becomes the exact sum, rounded once.
    pub(crate) fn finish(&mut self, of: &Items<'_>) {
        if self.found {
            self.value = self.exact_value(of);
        }
    }
}
