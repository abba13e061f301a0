//! The subset problem with a limit on the number of items of each group: exact, by branch and bound.

use super::rounding;
use sched_model::{End, Meter, affordable, exact_sum, order::sort_keys};

/// One item.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    pub(crate) value: f64,
    pub(crate) cost: f64,
    pub(crate) group: u32,
    /// Whether it is an *own* item: a choice may have to contain one of these.
    pub(crate) own: bool,
}

/// Choose exactly `n` items of greatest total value within the budget, at most `most` of each group, and at
/// least one own item if `needs_own`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limited {
    pub(crate) n: usize,
    pub(crate) most: usize,
    pub(crate) budget: f64,
    pub(crate) needs_own: bool,
}

/// Choices with their values, each better than the one before.
type Better = Vec<(f64, Vec<usize>)>;

/// The most changes of the multiplier: it affects the work of the search, not its answer.
const ROUNDS: usize = 40;

/// Which items of an order are taken: the first ones whose groups have room.
#[derive(Debug, Default)]
struct Counts {
    /// The number taken of each group; groups are numbered from 0 without gaps.
    of: Vec<usize>,
}

impl Limited {
    /// Choices of values above `floor`, each better than the one before, the last the best; none if there is
    /// no such choice.
    ///
    /// The items taken so far and the greatest reduced values (value - multiplier x cost) of those after
    /// them, as many of a group as still have room, bound a choice from above: a greedy completion is the
    /// greatest in a partition matroid, whatever the multiplier. Items are in order of reduced value, so that
    /// the bound falls along the items that may come next, and the first item whose bound is too low ends the
    /// loop.
    ///
    /// Also returns why the meter ended the search, if it did; the last is then the best found so far.
    pub(crate) fn choose(&self, items: &[Item], floor: f64, meter: &mut Meter) -> (Better, Option<End>) {
        let groups = numbered(items);
        match self.multiplier(items, &groups, floor, meter) {
            Ok(None) => (Vec::new(), None),
            Ok(Some(lambda)) => {
                let mut branch = Branch::new(self, items, &groups, lambda, floor);
                let ended = branch.run(meter).err();
                (branch.better, ended)
            }
            Err(end) => (Vec::new(), Some(end)),
        }
    }

    /// A multiplier of nearly the least bound; none if no choice has a value above the floor, or none is
    /// affordable.
    fn multiplier(
        &self,
        items: &[Item],
        groups: &[usize],
        floor: f64,
        meter: &mut Meter,
    ) -> Result<Option<f64>, End> {
        meter.spend(items.len() as u64 + 1)?;
        let greedy = |key: &dyn Fn(&Item) -> f64| self.greedy(items, groups, key);
        let Some(cheapest) = greedy(&|item| -item.cost) else { return Ok(None) };
        let cost_of = |chosen: &[usize]| exact_sum(chosen.iter().map(|&at| items[at].cost));
        if !self.keeps(items, &cheapest) {
            return Ok(None);
        }
        // Between a multiplier whose choice is too expensive and one whose choice is affordable.
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut lambda = 0.0;
        let mut least = (f64::INFINITY, 0.0);
        for _ in 0..ROUNDS {
            meter.spend(items.len() as u64)?;
            let Some(chosen) = greedy(&|item| item.value - lambda * item.cost) else { break };
            let bound = self.bound(items, &chosen, lambda);
            if bound < least.0 {
                least = (bound, lambda);
            }
            let is_kept = self.keeps(items, &chosen);
            if is_kept && lambda == 0.0 {
                break;
            }
            if is_kept {
                high = lambda
            } else {
                low = lambda
            }
            let spread =
                |number: fn(&Item) -> f64| items.iter().map(|item| number(item).abs()).fold(0.0, f64::max);
            let next = if high.is_finite() {
                low + (high - low) / 2.0
            } else if low == 0.0 {
                // At which one unit of cost is worth as much as the greatest value.
                (spread(|item| item.value) / spread(|item| item.cost)).max(f64::MIN_POSITIVE)
            } else {
                low * 4.0
            };
            if !next.is_finite() || next == lambda || cost_of(&chosen) == self.budget {
                break;
            }
            lambda = next;
        }
        Ok((least.0 > floor).then_some(least.1))
    }

    /// Whether a choice is affordable.
    fn keeps(&self, items: &[Item], chosen: &[usize]) -> bool {
        affordable(chosen.iter().map(|&at| items[at].cost), self.budget)
    }

    /// The bound of affordable choices, where `chosen` has the greatest reduced value.
    fn bound(&self, items: &[Item], chosen: &[usize], lambda: f64) -> f64 {
        let reduced: f64 = chosen.iter().map(|&at| items[at].value - lambda * items[at].cost).sum();
        reduced + rounding::share(lambda, self.budget) + self.margin(items, lambda)
    }

    /// An upper bound of the rounding error of a bound.
    fn margin(&self, items: &[Item], lambda: f64) -> f64 {
        let greatest = items.iter().map(|item| item.value.abs() + lambda * item.cost).fold(0.0, f64::max);
        rounding::of_sum(greatest, self.n, rounding::share(lambda, self.budget)) + f64::MIN_POSITIVE
    }

    /// The n items of greatest key with at most `most` of each group; none if there are fewer.
    fn greedy(&self, items: &[Item], groups: &[usize], key: &dyn Fn(&Item) -> f64) -> Option<Vec<usize>> {
        let order = greatest_first(items.iter().map(key));
        let mut counts = Counts::default();
        let chosen = order.into_iter().map(|(_, at)| at);
        let chosen: Vec<usize> =
            chosen.filter(|&at| counts.take(groups[at], self.most)).take(self.n).collect();
        (chosen.len() == self.n).then_some(chosen)
    }
}

impl Counts {
    /// Takes one of a group, if it has room.
    fn take(&mut self, group: usize, most: usize) -> bool {
        if group >= self.of.len() {
            self.of.resize(group + 1, 0);
        }
        let has_room = self.of[group] < most;
        self.of[group] += usize::from(has_room);
        has_room
    }
}

/// Keys with the numbers of their items, greatest key first; of equal ones the first item.
fn greatest_first(keys: impl Iterator<Item = f64>) -> Vec<(f64, usize)> {
    let mut keys: Vec<(f64, u32)> = keys.map(|key| -key).zip(0..).collect();
    sort_keys(&mut keys);
    keys.into_iter().map(|(key, at)| (-key, at as usize)).collect()
}

/// The groups of the items, numbered from 0 without gaps.
fn numbered(items: &[Item]) -> Vec<usize> {
    let mut known: Vec<u32> = items.iter().map(|item| item.group).collect();
    known.sort_unstable();
    known.dedup();
    items.iter().map(|item| known.partition_point(|&group| group < item.group)).collect()
}

/// The search over choices, taken item by item in the order of reduced value.
struct Branch<'a> {
    limited: &'a Limited,
    items: &'a [Item],
    groups: &'a [usize],
    /// Positions in `items` with their reduced values, the greatest first.
    order: Vec<(f64, usize)>,
    base: f64,
    floor: f64,
    /// Positions in `order` of the items taken, ascending, and the last position tried at each depth.
    taken: Vec<usize>,
    better: Better,
}

impl<'a> Branch<'a> {
    fn new(limited: &'a Limited, items: &'a [Item], groups: &'a [usize], lambda: f64, floor: f64) -> Self {
        let order = greatest_first(items.iter().map(|item| item.value - lambda * item.cost));
        let base = rounding::share(lambda, limited.budget) + limited.margin(items, lambda);
        Self { limited, items, groups, order, base, floor, taken: Vec::new(), better: Vec::new() }
    }

    /// Whether the items taken, with the item at `next` and the best of those after it, may exceed the floor.
    fn may_reach(&self, counts: &Counts, reduced: f64, next: usize) -> bool {
        let Limited { n, most, .. } = *self.limited;
        let mut counts = Counts { of: counts.of.clone() };
        let mut sum = reduced;
        let mut count = self.taken.len();
        for &(reduced, at) in &self.order[next..] {
            if count == n {
                break;
            }
            if counts.take(self.groups[at], most) {
                sum += reduced;
                count += 1;
            }
        }
        count == n && sum + self.base > self.floor
    }

    fn run(&mut self, meter: &mut Meter) -> Result<(), End> {
        let Limited { n, most, .. } = *self.limited;
        let mut counts = Counts { of: vec![0; self.items.len()] };
        let mut reduced = vec![0.0];
        let mut next = 0;
        loop {
            // Invariant: `reduced` has the sum of the items taken before each depth, and last the sum of all.
            let depth = self.taken.len();
            let so_far = reduced[depth];
            meter.spend((n - depth) as u64 + 1)?;
            let descends = next < self.order.len() && self.may_reach(&counts, so_far, next);
            if descends {
                let (worth, at) = self.order[next];
                if counts.take(self.groups[at], most) {
                    self.taken.push(next);
                    reduced.push(so_far + worth);
                    if self.taken.len() < n {
                        next += 1;
                        continue;
                    }
                    self.judge();
                    self.taken.pop();
                    reduced.pop();
                    counts.of[self.groups[at]] -= 1;
                }
                next += 1;
                continue;
            }
            let Some(last) = self.taken.pop() else { return Ok(()) };
            reduced.pop();
            counts.of[self.groups[self.order[last].1]] -= 1;
            next = last + 1;
        }
    }

    /// Keeps the items taken, if they are a choice better than all before.
    fn judge(&mut self) {
        let chosen: Vec<usize> = self.taken.iter().map(|&position| self.order[position].1).collect();
        let value = exact_sum(chosen.iter().map(|&at| self.items[at].value));
        let has_own = !self.limited.needs_own || chosen.iter().any(|&at| self.items[at].own);
        if value > self.floor && has_own && self.limited.keeps(self.items, &chosen) {
            self.floor = value;
            self.better.push((value, chosen));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Item = Item { value: -3.0, cost: 2.0, group: 7, own: false };

    #[test]
    fn a_bound_is_the_reduced_values_and_the_share_of_the_budget() {
        let limited = Limited { n: 2, most: 1, budget: 10.0, needs_own: false };
        let items = [ONE, Item { value: 4.0, cost: 1.0, group: 2, own: true }];
        // 3 + 0.5 x 2 is the greatest; two of those, and four times the share of 5.
        let margin = rounding::of_sum(4.5, 2, 5.0) + f64::MIN_POSITIVE;
        assert_eq!(limited.margin(&items, 0.5), margin);
        // -3 - 1 and 4 - 0.5, and 5.
        assert_eq!(limited.bound(&items, &[0, 1], 0.5), 4.5 + margin);
        // Products that are lost are within it.
        let tiny = [Item { value: 0.0, cost: 1e-300, ..ONE }];
        assert!((f64::MIN_POSITIVE..1e-300).contains(&limited.margin(&tiny, 1e-300)));
    }

    #[test]
    fn greatest_keys_are_taken_while_their_groups_have_room() {
        let limited = Limited { n: 3, most: 1, budget: 10.0, needs_own: false };
        let items = [(5.0, 9), (5.0, 4), (4.0, 9), (1.0, 2), (0.0, 4)].map(|(value, group)| Item {
            value,
            group,
            ..ONE
        });
        let groups = numbered(&items);
        assert_eq!(groups, [2, 1, 2, 0, 1]);
        assert_eq!(limited.greedy(&items, &groups, &|item| item.value), Some(vec![0, 1, 3]));
        let four = Limited { n: 4, ..limited };
        assert_eq!(four.greedy(&items, &groups, &|item| item.value), None);
        let two_of_each = Limited { n: 4, most: 2, ..limited };
        assert_eq!(two_of_each.greedy(&items, &groups, &|item| item.value), Some(vec![0, 1, 2, 3]));
    }
}
