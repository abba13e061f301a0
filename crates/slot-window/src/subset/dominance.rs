//! Lists of partial choices without dominated ones: the method of the exact search if there are too many exchanges.
//!
//! Items are added in order of index. For each number of items chosen so far there is a list of partial choices,
//! ascending in cost and in value: of two choices of the same number of items, one that costs no less and has no
//! greater value is dominated and can be dropped, because both have the same completions. Many equal sums, which make
//! lists of exchanges long, become one entry here. If an anchor is required, choices without one have separate lists.

use super::{
    incumbent::{Incumbent, Item},
    relax::{Keyed, Problem},
};
use sched_model::{End, Meter};
use std::cmp::Ordering;
use std::ops::Add;

/// Returns the value of the lowest set bit of a finite double, or infinity for zero. The double is a whole multiple
/// of it.
fn lowest_bit(number: f64) -> f64 {
    let size = number.abs();
    match size.to_bits() {
        0 => f64::INFINITY,
        // A power of two.
        bits if bits << 12 == 0 => size,
        bits => size - f64::from_bits(bits & (bits - 1)),
    }
}

/// Returns a unit of which all `numbers` are whole multiples; `None` if sums of these multiples may not fit into 128
/// bits.
fn unit_of(numbers: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let unit = numbers.clone().map(lowest_bit).fold(f64::INFINITY, f64::min);
    let unit = if unit < f64::INFINITY { unit } else { 1.0 };
    let total: f64 = numbers.map(|number| (number / unit).abs()).sum();
    (total < 2_f64.powi(126)).then_some(unit)
}

/// The total cost and value of a choice, in whole multiples of a unit of cost and a unit of value.
#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    cost: i128,
    value: i128,
}

impl Totals {
    /// Orders by ascending cost; at equal cost, the more valuable choice comes first.
    #[inline]
    fn order(&self, other: &Self) -> Ordering {
        (self.cost, other.value).cmp(&(other.cost, self.value))
    }
}

impl Add for Totals {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self { cost: self.cost + other.cost, value: self.value + other.value }
    }
}

/// A partial choice.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    worth: Totals,
    /// The position in the trail of its last item; [`NO_TRAIL`] if it has only settled items.
    trail: u32,
}

/// The trail of a choice without items that are not settled.
const NO_TRAIL: u32 = u32::MAX;

/// The memory of the search.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// Items that a better subset must contain.
    settled: Vec<u32>,
    /// The other items that it may contain, in order of index.
    items: Vec<u32>,
    /// The items of all choices: each entry has an item, and the position of the entry of the item chosen before it.
    trail: Vec<(u32, u32)>,
    /// The completions by j of `items` from position p on, at p * (pick + 1) + j.
    completions: Vec<Completions>,
}

/// The maximum reduced value and the minimum cost of the completions of a choice.
#[derive(Debug, Clone, Copy)]
struct Completions {
    max_reduced: f64,
    min_cost: f64,
}

/// Searches for a better subset by partial choices. Returns false, without a search, if sums may not fit into 128
/// bits.
pub(crate) fn search(
    problem: &Problem<'_>,
    best: &mut Incumbent,
    lists: &mut Lists,
    meter: &mut Meter,
) -> Result<bool, End> {
    let pick = lists.reduce(problem, best);
    let unit = |number: fn(&Item) -> f64| {
        let items = lists.settled.iter().chain(&lists.items);
        unit_of(items.map(|&item| number(problem.instance.at(item))))
    };
    let (Some(of_value), Some(of_cost)) = (unit(|item| item.value), unit(|item| item.cost)) else {
        return Ok(false);
    };
    let (rows, row) = (lists.items.len() + 1, pick + 1);
    meter.reserve_items::<Completions>(rows.saturating_mul(row))?;
    meter.spend((rows as u64).saturating_mul(row as u64 + rows as u64 / 16))?;
    lists.prepare(problem, pick);
    run(problem, best, lists, pick, of_value, of_cost, meter).map(|()| true)
}

/// Adds the items one after the other, keeping a list of partial choices for each number of items chosen so far; then
/// offers the complete choices.
fn run(
    problem: &Problem<'_>,
    best: &mut Incumbent,
    lists: &mut Lists,
    pick: usize,
    value_unit: f64,
    cost_unit: f64,
    meter: &mut Meter,
) -> Result<(), End> {
    let (instance, budget) = (problem.instance, problem.instance.budget);
    let lambda = problem.multiplier.lambda;
    let worth = |value: f64, cost: f64| Totals {
        cost: (cost / cost_unit) as i128,
        value: (value / value_unit) as i128,
    };
    let of_item = |&item: &u32| worth(instance.at(item).value, instance.at(item).cost);
    let Lists { settled, items, trail, completions } = lists;
    trail.clear();
    let bounds = CompletionBounds {
        pick,
        lambda,
        cost_limit: budget + problem.cost_margin(0.0),
        min_reduced: best.needed(&instance) - 2.0 * problem.multiplier.margin - lambda * budget,
        value_unit,
        cost_unit,
        completions,
    };
    // For each number of items: first the choices that lack a required anchor, then all others.
    let mut by_count: Vec<[Vec<State>; 2]> = Vec::new();
    by_count.resize_with(pick + 1, Default::default);
    let is_anchor = |&item: &u32| instance.at(item).is_anchor;
    let with_settled = settled.iter().map(of_item).fold(Totals::default(), Totals::add);
    let lacks_none = !instance.needs_anchor || settled.iter().any(is_anchor);
    by_count[0][usize::from(lacks_none)].push(State { worth: with_settled, trail: NO_TRAIL });
    let mut merger = Merger { trail, merged: Vec::new() };
    for (position, item) in items.iter().enumerate() {
        let keeps = |state: &State, count: usize| bounds.keeps(state, position + 1, count);
        for count in (1..=pick).rev() {
            let (head, tail) = by_count.split_at_mut(count);
            let ([lacking, others], [still_lacking, now]) = (&head[count - 1], &mut tail[0]);
            let mut merge = |fewer: &[State], list: &mut Vec<State>| {
                merger.merge(fewer, list, *item, of_item(item), |state| keeps(state, count), meter)
            };
            merge(others, now)?;
            if is_anchor(item) && !lacking.is_empty() {
                merge(lacking, now)?;
            }
            merge(if is_anchor(item) { &[] } else { lacking }, still_lacking)?;
        }
        by_count[0].iter_mut().for_each(|list| list.retain(|state| keeps(state, 0)));
    }
    for state in by_count[pick][1].iter().rev().filter(|state| bounds.affords(state)) {
        // The most expensive affordable choice has the maximum value.
        if best.offer(&instance, settled.iter().copied().chain(walk(trail, state.trail))) {
            break;
        }
    }
    Ok(())
}

/// The bounds that decide whether a partial choice can still become a better subset.
struct CompletionBounds<'a> {
    pick: usize,
    lambda: f64,
    cost_limit: f64,
    min_reduced: f64,
    value_unit: f64,
    cost_unit: f64,
    completions: &'a [Completions],
}

impl CompletionBounds<'_> {
    /// Whether a choice of `count` items before `position` may be completed within the budget, and may be completed
    /// to a value that improves the best.
    #[inline]
    fn keeps(&self, state: &State, position: usize, count: usize) -> bool {
        let rest = self.completions[position * (self.pick + 1) + self.pick - count];
        let cost = state.worth.cost as f64 * self.cost_unit;
        let value = state.worth.value as f64 * self.value_unit;
        cost + rest.min_cost <= self.cost_limit
            && value - self.lambda * cost + rest.max_reduced >= self.min_reduced
    }

    fn affords(&self, state: &State) -> bool {
        state.worth.cost as f64 * self.cost_unit <= self.cost_limit
    }
}

/// The merging of lists, which appends to the trail.
struct Merger<'a> {
    trail: &'a mut Vec<(u32, u32)>,
    /// The list under construction.
    merged: Vec<State>,
}

impl Merger<'_> {
    /// Merges the choices in `fewer`, each with the item added, into `list`, the choices of one item more. Dominated
    /// choices are dropped, and those for which `keeps` is false.
    #[inline]
    fn merge(
        &mut self,
        fewer: &[State],
        list: &mut Vec<State>,
        index: u32,
        worth: Totals,
        keeps: impl Fn(&State) -> bool,
        meter: &mut Meter,
    ) -> Result<(), End> {
        let Self { trail, merged } = self;
        // A merge adds at most as many choices as `fewer` has.
        let (more, old, marks) = (fewer.len(), list.len(), trail.len());
        if more == 0 && old == 0 {
            return Ok(());
        }
        meter.spend((more + old) as u64)?;
        meter.reserve_items::<(State, [u32; 2])>(more)?;
        if trail.len() + more >= NO_TRAIL as usize {
            return Err(End::Memory);
        }
        merged.clear();
        let mut with = fewer.iter().map(|state| State { worth: state.worth + worth, ..*state }).peekable();
        let mut without = list.iter().copied().peekable();
        loop {
            let take_with = match (with.peek(), without.peek()) {
                (None, None) => break,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (Some(with), Some(without)) => {
                    // Of equal choices, the one of lexicographically smaller indices comes first.
                    let order = with.worth.order(&without.worth);
                    order.then_with(|| compare_trails(trail, with.trail, index, without.trail)).is_le()
                }
            };
            let state = if take_with { with.next() } else { without.next() };
            let Some(mut state) = state else { break };
            let is_dominated = merged.last().is_some_and(|last| last.worth.value >= state.worth.value);
            if is_dominated || !keeps(&state) {
                continue;
            }
            if take_with {
                trail.push((index, state.trail));
                state.trail = (trail.len() - 1) as u32;
            }
            merged.push(state);
        }
        std::mem::swap(list, merged);
        meter.release_items::<State>((old + more).saturating_sub(list.len()));
        meter.release_items::<[u32; 2]>(more - (trail.len() - marks));
        Ok(())
    }
}

/// The items of a choice by its trail, the last one first.
fn walk(trail: &[(u32, u32)], from: u32) -> impl Iterator<Item = u32> {
    let mut at = from;
    std::iter::from_fn(move || {
        let &(index, before) = trail.get(at as usize)?;
        at = before;
        Some(index)
    })
}

/// Compares two choices of the same number of items lexicographically: that of the trail `before` with `last` added,
/// and that of the trail `other`.
fn compare_trails(trail: &[(u32, u32)], before: u32, last: u32, other: u32) -> Ordering {
    let mut ours: Vec<u32> = std::iter::once(last).chain(walk(trail, before)).collect();
    let mut theirs: Vec<u32> = walk(trail, other).collect();
    ours.reverse();
    theirs.reverse();
    ours.cmp(&theirs)
}

impl Lists {
    /// Settles items by their reduced values, and returns how many of the others must be chosen. Leaving out one of
    /// the n largest loses at least the difference to the item that replaces it, and including another item at least
    /// the difference to the one that it replaces.
    fn reduce(&mut self, problem: &Problem<'_>, best: &Incumbent) -> usize {
        let Problem { inside, outside, multiplier, .. } = *problem;
        let worst_inside = inside.iter().fold(f64::INFINITY, |worst, item| worst.min(item.key));
        let best_outside = outside.iter().fold(f64::NEG_INFINITY, |best, item| best.max(item.key));
        let gap = multiplier.bound - best.needed(&problem.instance) + 2.0 * multiplier.margin;
        let is_settled = |item: &&Keyed| item.key - best_outside > gap;
        let open = outside.iter().filter(|item| worst_inside - item.key <= gap);
        let open = inside.iter().filter(|item| !is_settled(item)).chain(open);
        self.settled.clear();
        self.settled.extend(inside.iter().filter(is_settled).map(|item| item.index));
        self.items.clear();
        self.items.extend(open.map(|item| item.index));
        self.items.sort_unstable();
        inside.len() - self.settled.len()
    }

    /// Computes the completions.
    fn prepare(&mut self, problem: &Problem<'_>, pick: usize) {
        let lambda = problem.multiplier.lambda;
        let (last, row) = (self.items.len(), pick + 1);
        let none = Completions { max_reduced: f64::NEG_INFINITY, min_cost: f64::INFINITY };
        self.completions.clear();
        self.completions.resize((last + 1) * row, none);
        let (mut reduced, mut costs): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        for position in (0..=last).rev() {
            if let Some(&item) = self.items.get(position) {
                let &Item { value, cost, .. } = problem.instance.at(item);
                let worth = value - lambda * cost;
                reduced.insert(reduced.partition_point(|&other| other > worth), worth);
                costs.insert(costs.partition_point(|&other| other < cost), cost);
            }
            let mut sums = Completions { max_reduced: 0.0, min_cost: 0.0 };
            let by_count = &mut self.completions[position * row..][..row];
            by_count[0] = sums;
            for ((of, reduced), cost) in by_count[1..].iter_mut().zip(&reduced).zip(&costs) {
                sums.max_reduced += reduced;
                sums.min_cost += cost;
                *of = sums;
            }
        }
    }
}
