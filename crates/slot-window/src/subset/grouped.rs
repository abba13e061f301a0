//! The subset problem with a limit on the number of items of each group: exact, by branch and bound.
//!
//! A choice is bounded from above by the items taken so far and the largest reduced values of the items after them
//! that their groups still allow: the greedy completion is optimal in a partition matroid, whatever the multiplier.
//! Items are in order of reduced value, so the bound falls from one possible next item to the next, and the first
//! item whose bound is too low ends the loop.

use super::{
    incumbent::{Counts, Incumbent, Instance},
    relax::{Keyed, Multiplier, share, sort},
};
use sched_model::{End, Meter};

/// The search over choices, taken item by item in the order of reduced value.
struct Branch<'a> {
    instance: &'a Instance<'a>,
    /// The maximum number of items of a group.
    max_per_group: usize,
    /// All items, the largest reduced value first.
    order: &'a [Keyed],
    /// The multiplier's share of the budget, with the rounding error.
    budget_share: f64,
    /// A choice must exceed this value.
    floor: f64,
    /// The positions in `order` of the items taken, ascending: the one at each depth is the last one tried there.
    taken: Vec<usize>,
}

/// Searches for subsets that are above the floor and better than the best so far, with at most `max_per_group` items
/// of each group. Sorts `items` by their keys, the reduced values.
pub(super) fn search(
    instance: &Instance<'_>,
    max_per_group: usize,
    multiplier: Multiplier,
    items: &mut [Keyed],
    best: &mut Incumbent,
    meter: &mut Meter,
) -> Result<(), End> {
    sort(items, |_, _| false);
    let budget_share = share(multiplier.lambda, instance.budget) + multiplier.margin;
    let best_value = if best.found { best.exact_value(instance) } else { f64::NEG_INFINITY };
    let floor = instance.floor.max(best_value);
    Branch { instance, max_per_group, order: items, budget_share, floor, taken: Vec::new() }.run(best, meter)
}

impl Branch<'_> {
    fn group(&self, position: usize) -> u32 {
        self.instance.at(self.order[position].index).group
    }

    /// Whether the items taken, completed by the best items from `next` on, may exceed the floor. `reduced` is the
    /// sum of the reduced values taken.
    fn may_reach(&self, counts: &mut Counts, reduced: f64, next: usize) -> bool {
        let wanted = self.instance.n - self.taken.len();
        let rest = (next..self.order.len()).filter(|&at| counts.take(self.group(at), self.max_per_group));
        let rest: Vec<usize> = rest.take(wanted).collect();
        rest.iter().for_each(|&at| counts.give(self.group(at)));
        let sum = rest.iter().fold(reduced, |sum, &at| sum + self.order[at].key);
        rest.len() == wanted && sum + self.budget_share > self.floor
    }

    fn run(&mut self, best: &mut Incumbent, meter: &mut Meter) -> Result<(), End> {
        let n = self.instance.n;
        let mut counts = Counts::default();
        // Invariant: the sum of the reduced values taken before each depth; the last one is the sum of all taken.
        let mut reduced = vec![0.0];
        let mut next = 0;
        loop {
            let depth = self.taken.len();
            meter.spend((n - depth) as u64 + 1)?;
            if next < self.order.len() && self.may_reach(&mut counts, reduced[depth], next) {
                if counts.take(self.group(next), self.max_per_group) {
                    self.taken.push(next);
                    reduced.push(reduced[depth] + self.order[next].key);
                }
                if self.taken.len() < n {
                    next += 1;
                    continue;
                }
                self.keep_if_better(best);
            }
            let Some(last) = self.taken.pop() else { return Ok(()) };
            reduced.pop();
            counts.give(self.group(last));
            next = last + 1;
        }
    }

    /// Keeps the items taken, if they are better than all choices so far.
    fn keep_if_better(&mut self, best: &mut Incumbent) {
        let chosen: Vec<u32> = self.taken.iter().map(|&position| self.order[position].index).collect();
        let value = self.instance.value_of(&chosen);
        if value > self.floor && best.offer(self.instance, chosen.into_iter()) {
            self.floor = value;
        }
    }
}
