//! The subset problem with a limit on the number of items of each group: exact, by branch and bound.
//!
//! The items taken so far and the largest reduced values of those after them, as many of a group as still have
//! room, bound a choice from above: a greedy completion is the maximum in a partition matroid, whatever the
//! multiplier. Items are in order of reduced value, so that the bound falls along the items that may come next,
//! and the first item whose bound is too low ends the loop.

use super::{
    incumbent::{Counts, Incumbent, Items},
    relax::{Keyed, Multiplier, share},
};
use sched_model::{End, Meter};

/// The search over choices, taken item by item in the order of reduced value.
struct Branch<'a> {
    of: &'a Items<'a>,
    /// The most items of a group.
    most: usize,
    /// The largest reduced value first.
    order: &'a [Keyed],
    /// The multiplier's share of the budget, with the rounding error.
    base: f64,
    /// A choice must exceed this value.
    floor: f64,
    /// Positions in `order` of the items taken, ascending, and the last position tried at each depth.
    taken: Vec<usize>,
}

/// Searches for better subsets than the best so far, which are above the floor. The items are ordered by the
/// multiplier.
pub(super) fn search(
    of: &Items<'_>,
    (most, floor): (usize, f64),
    multiplier: Multiplier,
    items: &mut [Keyed],
    best: &mut Incumbent,
    meter: &mut Meter,
) -> Result<(), End> {
    items.sort_unstable_by(|a, b| b.key.total_cmp(&a.key).then(a.index.cmp(&b.index)));
    let base = share(multiplier.lambda, of.budget) + multiplier.margin;
    let floor = if best.found { floor.max(best.exact_value(of)) } else { floor };
    Branch { of, most, order: items, base, floor, taken: Vec::new() }.run(best, meter)
}

impl Branch<'_> {
    fn group(&self, position: usize) -> u32 {
        self.of.at(self.order[position].index).group
    }

    /// Whether the items taken, with the item at `next` and the best of those after it, may exceed the floor.
    fn may_reach(&self, counts: &mut Counts, reduced: f64, next: usize) -> bool {
        let wanted = self.of.n - self.taken.len();
        let rest = (next..self.order.len()).filter(|&at| counts.take(self.group(at), self.most));
        let rest: Vec<usize> = rest.take(wanted).collect();
        rest.iter().for_each(|&at| counts.give(self.group(at)));
        let sum = rest.iter().fold(reduced, |sum, &at| sum + self.order[at].key);
        rest.len() == wanted && sum + self.base > self.floor
    }

    fn run(&mut self, best: &mut Incumbent, meter: &mut Meter) -> Result<(), End> {
        let n = self.of.n;
        let mut counts = Counts::default();
        // Invariant: the sums of the items taken before each depth, and last the sum of all.
        let mut reduced = vec![0.0];
        let mut next = 0;
        loop {
            let depth = self.taken.len();
            meter.spend((n - depth) as u64 + 1)?;
            if next < self.order.len() && self.may_reach(&mut counts, reduced[depth], next) {
                if counts.take(self.group(next), self.most) {
                    self.taken.push(next);
                    reduced.push(reduced[depth] + self.order[next].key);
                    if self.taken.len() < n {
                        next += 1;
                        continue;
                    }
                    self.judge(best);
                } else {
                    next += 1;
                    continue;
                }
            }
            let Some(last) = self.taken.pop() else { return Ok(()) };
            reduced.pop();
            counts.give(self.group(last));
            next = last + 1;
        }
    }

    /// Keeps the items taken, if they are a choice better than all before.
    fn judge(&mut self, best: &mut Incumbent) {
        let chosen: Vec<u32> = self.taken.iter().map(|&position| self.order[position].index).collect();
        let value = self.of.value_of(&chosen);
        if value > self.floor && best.offer(self.of, self.floor, chosen.into_iter()) {
            self.floor = value;
        }
    }
}
