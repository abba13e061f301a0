//! Partial choices kept by dominance: what the exact solver falls back on when depth-first search takes long.
//!
//! Items come in order of index. For each number of items chosen so far there is a list of partial choices, ascending in
//! cost and in value: of two choices of as many items the one that is dearer and worth no more can be dropped, for both
//! have the same completions. Many equal sums, which make a depth-first search try all of them, fall together here.

use super::exact::{Core, Floor, Incumbent};

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
    /// Settled items and core, by index; whether settled.
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
pub(crate) fn search(core: &Core<'_>, best: &mut Incumbent, lists: &mut Lists, max_states: usize) -> bool {
    lists.prepare(core);
    let pick = core.pick;
    let row = pick + 1;
    let lambda = core.multiplier.lambda;
    let cost_limit = core.budget + core.cost_margin();
    let least_worth = core.needed(best) - 2.0 * core.multiplier.margin - lambda * core.budget;
    let max_states = max_states.min(NO_TRAIL as usize - 1);
    let Lists { items, by_count, merged, trail, top, least, settled } = lists;
    trail.clear();
    by_count.resize_with(row, Vec::new);
    for list in by_count.iter_mut() {
        list.clear();
    }
    by_count[0].push(State { cost: 0.0, value: 0.0, trail: NO_TRAIL });
    for (position, &(index, is_settled)) in items.iter().enumerate() {
        let (value, cost) = (core.values[index as usize], core.costs[index as usize]);
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
    let affordable = by_count[pick].iter().rev().find(|state| state.cost <= core.budget);
    if let Some(state) = affordable {
        let mut chosen: Vec<u32> = core.settled.to_vec();
        chosen.extend(walk(trail, state.trail));
        let floor: Floor = core.floor;
        best.offer(core.values, core.costs, core.budget, floor, chosen.into_iter());
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
    fn prepare(&mut self, core: &Core<'_>) {
        let lambda = core.multiplier.lambda;
        self.items.clear();
        self.items.extend(core.settled.iter().map(|&index| (index, true)));
        self.items.extend(core.items.iter().map(|item| (item.index, false)));
        self.items.sort_unstable();
        let positions = self.items.len() + 1;
        let row = core.pick + 1;
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
            let cost = core.costs[index as usize];
            let worth = core.values[index as usize] - lambda * cost;
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
            for j in 1..=core.pick.min(reduced.len()) {
                sum_reduced += reduced[j - 1];
                sum_cost += costs[j - 1];
                self.top[start + j] = sum_reduced;
                self.least[start + j] = sum_cost;
            }
        }
    }
}
