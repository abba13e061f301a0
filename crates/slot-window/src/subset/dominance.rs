//! Partial choices kept by dominance: what the exact solver falls back on when there are too many exchanges.
//!
//! Items come in order of index. For each number of items chosen so far there is a list of partial choices, ascending in
//! cost and in value: of two choices of as many items the one that is dearer and worth no more can be dropped, for both
//! have the same completions. Many equal sums, which make lists of exchanges long, fall together here.

use super::exact::{Incumbent, Problem};

#[derive(Debug, Clone, Copy)]
struct State {
    cost: f64,
    value: f64,
    /// Its last free item in the trail, or none.
    trail: u32,
}

const NO_TRAIL: u32 = u32::MAX;

/// Memory of the lists.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// Items that a better subset must have, and those that it can have, by index; whether settled.
    items: Vec<(u32, bool)>,
    by_count: Vec<Vec<State>>,
    merged: Vec<State>,
    /// Item and what was chosen before it.
    trail: Vec<(u32, u32)>,
    /// Greatest reduced value and least cost of j free items from position p on, at p * (pick + 1) + j.
    top: Vec<f64>,
    least: Vec<f64>,
    /// Reduced value and cost of the settled items from position p on.
    settled: Vec<(f64, f64)>,
}

/// Whether the search came to its end before it kept more than `max_states` choices.
pub(crate) fn search(
    problem: &Problem<'_>,
    best: &mut Incumbent,
    lists: &mut Lists,
    max_states: usize,
) -> bool {
    let pick = lists.reduce(problem, best);
    lists.prepare(problem, pick);
    let row = pick + 1;
    let lambda = problem.multiplier.lambda;
    let cost_limit = problem.budget + problem.cost_margin(0.0);
    let least_worth = problem.needed(best) - 2.0 * problem.multiplier.margin - lambda * problem.budget;
    let max_states = max_states.min(NO_TRAIL as usize - 1);
    let Lists { items, by_count, merged, trail, top, least, settled } = lists;
    trail.clear();
    by_count.resize_with(row, Vec::new);
    for list in by_count.iter_mut() {
        list.clear();
    }
    by_count[0].push(State { cost: 0.0, value: 0.0, trail: NO_TRAIL });
    for (position, &(index, is_settled)) in items.iter().enumerate() {
        let (value, cost) = (problem.values[index as usize], problem.costs[index as usize]);
        if is_settled {
            for state in by_count.iter_mut().flatten() {
                state.value += value;
                state.cost += cost;
            }
            continue;
        }
        let (settled_reduced, settled_cost) = settled[position + 1];
        // Hopeless: too dear, or worth too little, with the best completion.
        let keeps = |state: &State, count: usize| {
            let rest = (position + 1) * row + pick - count;
            state.cost + settled_cost + least[rest] <= cost_limit
                && state.value - lambda * state.cost + settled_reduced + top[rest] >= least_worth
        };
        for count in (1..row).rev() {
            let (fewer, list) = {
                let (head, tail) = by_count.split_at_mut(count);
                (&head[count - 1], &mut tail[0])
            };
            merged.clear();
            let mut with = fewer
                .iter()
                .map(|state| State {
                    cost: state.cost + cost,
                    value: state.value + value,
                    trail: state.trail,
                })
                .peekable();
            let mut without = list.iter().copied().peekable();
            loop {
                let take_with = match (with.peek(), without.peek()) {
                    (None, None) => break,
                    (Some(_), None) => true,
                    (None, Some(_)) => false,
                    (Some(a), Some(b)) => {
                        // Ascending in cost; at equal cost the more valuable first; then the smaller indices.
                        let order = a.cost.total_cmp(&b.cost).then(b.value.total_cmp(&a.value));
                        order.then_with(|| smaller(trail, (a.trail, index), b.trail)).is_le()
                    }
                };
                let state = if take_with { with.next() } else { without.next() };
                let Some(mut state) = state else { break };
                if merged.last().is_some_and(|last: &State| last.value >= state.value)
                    || !keeps(&state, count)
                {
                    continue;
                }
                if take_with {
                    if trail.len() >= max_states {
                        return false;
                    }
                    trail.push((index, state.trail));
                    state.trail = (trail.len() - 1) as u32;
                }
                merged.push(state);
            }
            std::mem::swap(list, merged);
        }
        by_count[0].retain(|state| keeps(state, 0));
    }
    // The last affordable one is worth most.
    let affordable = by_count[pick].iter().rev().find(|state| state.cost <= problem.budget);
    if let Some(state) = affordable {
        let settled = items.iter().filter(|item| item.1).map(|item| item.0);
        let Problem { values, costs, budget, floor, .. } = *problem;
        best.offer(values, costs, budget, floor, settled.chain(walk(trail, state.trail)));
    }
    true
}

/// The items of a trail, last first.
fn walk(trail: &[(u32, u32)], from: u32) -> impl Iterator<Item = u32> {
    let mut at = from;
    std::iter::from_fn(move || {
        let &(index, before) = trail.get(at as usize)?;
        at = before;
        Some(index)
    })
}

/// Compares two choices of as many items lexicographically: `before` and then `last`, against another.
fn smaller(trail: &[(u32, u32)], (before, last): (u32, u32), other: u32) -> std::cmp::Ordering {
    let mut ours: Vec<u32> = std::iter::once(last).chain(walk(trail, before)).collect();
    let mut theirs: Vec<u32> = walk(trail, other).collect();
    ours.reverse();
    theirs.reverse();
    ours.cmp(&theirs)
}

impl Lists {
    /// Settles items by their reduced values, and says how many of the others are to be chosen. An item of the n greatest
    /// can be missing, or another be in, only at the price of the difference to the one that takes, or gives up, its place.
    fn reduce(&mut self, problem: &Problem<'_>, best: &Incumbent) -> usize {
        let Problem { inside, outside, multiplier, .. } = *problem;
        let worst_inside = inside.iter().fold(f64::INFINITY, |worst, item| worst.min(item.key));
        let best_outside = outside.iter().fold(f64::NEG_INFINITY, |best, item| best.max(item.key));
        let gap = multiplier.bound - problem.needed(best) + 2.0 * multiplier.margin;
        self.items.clear();
        self.items.extend(inside.iter().map(|item| (item.index, item.key - best_outside > gap)));
        let settled = self.items.iter().filter(|item| item.1).count();
        let open = outside.iter().filter(|item| worst_inside - item.key <= gap);
        self.items.extend(open.map(|item| (item.index, false)));
        self.items.sort_unstable();
        inside.len() - settled
    }

    fn prepare(&mut self, problem: &Problem<'_>, pick: usize) {
        let lambda = problem.multiplier.lambda;
        let positions = self.items.len() + 1;
        let row = pick + 1;
        self.top.clear();
        self.top.resize(positions * row, f64::NEG_INFINITY);
        self.least.clear();
        self.least.resize(positions * row, f64::INFINITY);
        self.settled.clear();
        self.settled.resize(positions, (0.0, 0.0));
        self.top[(positions - 1) * row] = 0.0;
        self.least[(positions - 1) * row] = 0.0;
        let (mut reduced, mut costs): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        for position in (0..self.items.len()).rev() {
            let (index, is_settled) = self.items[position];
            let cost = problem.costs[index as usize];
            let worth = problem.values[index as usize] - lambda * cost;
            let (rest_worth, rest_cost) = self.settled[position + 1];
            if is_settled {
                self.settled[position] = (rest_worth + worth, rest_cost + cost);
            } else {
                self.settled[position] = (rest_worth, rest_cost);
                reduced.insert(reduced.partition_point(|&other| other > worth), worth);
                costs.insert(costs.partition_point(|&other| other < cost), cost);
            }
            let start = position * row;
            let (mut sum_reduced, mut sum_cost) = (0.0, 0.0);
            self.top[start] = 0.0;
            self.least[start] = 0.0;
            for j in 1..=pick.min(reduced.len()) {
                sum_reduced += reduced[j - 1];
                sum_cost += costs[j - 1];
                self.top[start + j] = sum_reduced;
                self.least[start + j] = sum_cost;
            }
        }
    }
}
