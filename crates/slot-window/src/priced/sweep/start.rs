//! One start of the sweep: the best window there.

use super::{Best, Sweep};
use crate::WindowError;
use crate::subset::{
    ExactSubset, Floor, Found, Given, Items, MAX_STEPS, Start, SubsetProblem, SubsetSolver, search,
};
use sched_model::{End, Limit, Span, plain_sum_error};

impl Sweep<'_> {
    /// Tests the present start. Caps on the spans, from the longest down: the sets of least value under a cap are the
    /// best of all whose runtime is their own or longer.
    pub(super) fn test(&mut self, start: f64, begun: f64, shortest: Span) -> Result<(), WindowError> {
        let weight = self.search.runtime_weight;
        let mut caps = self.levels.len();
        while let Some(&cap) = caps.checked_sub(1).and_then(|at| self.levels.get(at)) {
            let mut members = std::mem::take(&mut self.members);
            members.clear();
            let (mut sum, mut span) = (0.0, Span::ZERO);
            for (at, live) in self.live.iter().enumerate() {
                if live.span <= cap {
                    sum += live.value;
                    span = span.max(live.span);
                    members.push(at as u32);
                    if members.len() == self.nodes {
                        break;
                    }
                }
            }
            self.members = members;
            let floor = sum + begun;
            if self.members.len() < self.nodes || floor + weight * shortest.get() >= self.below {
                return Ok(());
            }
            let charges = self.members.iter().map(|&at| self.live[at as usize].charge);
            if sched_model::affordable(charges, self.budget) {
                self.offer(floor + weight * span.get(), start);
            } else {
                // Of the sets of exactly this runtime: those of shorter ones come at their own cap.
                let needed = self.below - weight * cap.get() - begun;
                if sum >= needed || !self.may_fall_below(needed, cap) {
                    if weight == 0.0 {
                        return Ok(());
                    }
                    caps -= 1;
                    continue;
                }
                match self.choose(cap, begun)? {
                    None => return Ok(()),
                    Some((sum, longest)) => {
                        span = longest;
                        self.offer(sum + begun + weight * span.get(), start);
                    }
                }
            }
            if weight == 0.0 {
                return Ok(());
            }
            caps = self.levels.partition_point(|&level| level < span);
        }
        Ok(())
    }

    /// Tests the present start where all nodes are held for `level` and one must be an anchor. Anchors are tried in order
    /// of value; the least sum with an anchor does not fall from one to the next.
    pub(super) fn test_with_anchor(
        &mut self,
        start: f64,
        begun: f64,
        level: Span,
    ) -> Result<(), WindowError> {
        let rest = begun + self.search.runtime_weight * level.get();
        for anchor in 0..self.live.len() {
            let number = self.numbers[self.live[anchor].slot as usize];
            if self.suited[number as usize].own_span != level {
                continue;
            }
            self.members.clear();
            self.members.push(anchor as u32);
            let others = (0..self.live.len() as u32).filter(|&at| at as usize != anchor);
            self.members.extend(others.take(self.nodes - 1));
            let sum: f64 = self.members.iter().map(|&at| self.live[at as usize].value).sum();
            if sum + rest >= self.below {
                return Ok(());
            }
            let charges = self.members.iter().map(|&at| self.live[at as usize].charge);
            if sched_model::affordable(charges, self.budget) {
                self.offer(sum + rest, start);
                return Ok(());
            }
            if let Some(sum) = self.choose_with(anchor, rest) {
                self.offer(sum + rest, start);
            }
        }
        Ok(())
    }

    /// The affordable set of least value that holds this slot, as `members`, if it is below the best: its value.
    fn choose_with(&mut self, anchor: usize, rest: f64) -> Option<f64> {
        self.values.clear();
        self.charges.clear();
        for live in self.live.iter().enumerate().filter(|&(at, _)| at != anchor).map(|(_, live)| live) {
            self.values.push(-live.value);
            self.charges.push(live.charge);
        }
        let first = self.live[anchor];
        let items = Items {
            values: &self.values,
            costs: &self.charges,
            n: self.nodes - 1,
            budget: self.budget,
            given: Given { value: -first.value, cost: first.charge },
        };
        let from = Start { floor: Floor::None, lambda: self.multiplier, max_steps: MAX_STEPS };
        let limit = Limit::default();
        let mut meter = limit.meter();
        let memory = &mut self.subset.search;
        let found = search(&items, from, memory, &mut meter);
        self.multiplier = memory.lambda;
        if let Found::Cut(end) = found {
            let value = rest - memory.bound;
            let (floor, ..) = self.unproven.unwrap_or((f64::INFINITY, end, 0));
            self.unproven = Some((floor.min(value), end, meter.work()));
        }
        if !memory.best.found {
            return None;
        }
        self.members.clear();
        self.members.push(anchor as u32);
        let position = |index: &u32| index + u32::from(*index as usize >= anchor);
        self.members.extend(memory.best.indices.iter().map(position));
        Some(-memory.best.value)
    }

    /// Whether the relaxation of the budget leaves room for a sum below this.
    fn may_fall_below(&mut self, needed: f64, cap: Span) -> bool {
        if needed == f64::INFINITY {
            return true;
        }
        if self.relaxed(self.multiplier, cap) >= needed {
            return false;
        }
        self.raise_multiplier(cap);
        self.relaxed(self.multiplier, cap) < needed
    }

    /// The affordable set of least value whose spans are at most `cap`, as `members`: its sum and longest span.
    fn choose(&mut self, cap: Span, begun: f64) -> Result<Option<(f64, Span)>, WindowError> {
        self.values.clear();
        self.charges.clear();
        let mut positions = Vec::with_capacity(self.live.len());
        for (at, live) in self.live.iter().enumerate() {
            if live.span <= cap {
                self.values.push(-live.value);
                self.charges.push(live.charge);
                positions.push(at as u32);
            }
        }
        let problem = SubsetProblem::new(&self.values, &self.charges, self.nodes, self.budget)?;
        let outcome = ExactSubset::new().solve(&problem, &Limit::default(), &mut self.subset);
        if outcome.end != End::Done {
            let least = outcome.bound.map_or(f64::NEG_INFINITY, |bound| -bound);
            let shortest = self.levels.first().copied().unwrap_or(Span::ZERO);
            let value = least + begun + self.search.runtime_weight * shortest.get();
            let (floor, ..) = self.unproven.unwrap_or((f64::INFINITY, outcome.end, 0));
            self.unproven = Some((floor.min(value), outcome.end, outcome.work));
        }
        let Some(subset) = outcome.incumbent else { return Ok(None) };
        self.members.clear();
        self.members.extend(subset.indices().iter().map(|&index| positions[index]));
        let spans = self.members.iter().map(|&at| self.live[at as usize].span);
        Ok(Some((-subset.value(), spans.fold(Span::ZERO, Span::max))))
    }

    /// The least sum of `value + multiplier * charge` over n live slots of spans up to `cap`, less the multiplier's share of
    /// the budget: no affordable set has a lesser sum of values. There are n such slots.
    fn relaxed(&mut self, multiplier: f64, cap: Span) -> f64 {
        let Self { keys, live, nodes, budget, .. } = self;
        keys.clear();
        let capped = live.iter().filter(|live| live.span <= cap);
        keys.extend(capped.map(|live| live.value + multiplier * live.charge));
        if *nodes < keys.len() {
            keys.select_nth_unstable_by(*nodes - 1, f64::total_cmp);
        }
        let sum: f64 = keys[..*nodes].iter().sum();
        let size: f64 = keys[..*nodes].iter().map(|key| key.abs()).sum::<f64>() + multiplier * budget.abs();
        sum - multiplier * *budget - plain_sum_error(*nodes + 4, size)
    }

    /// A multiplier of the budget that fits the live slots: halving between one that is too small and one that is large
    /// enough for the set it selects to be affordable.
    fn raise_multiplier(&mut self, cap: Span) {
        let (mut low, mut high) = (0.0_f64, self.multiplier.max(1e-12));
        let mut bound = f64::NEG_INFINITY;
        let mut best = self.multiplier;
        for _ in 0..60 {
            let now = self.relaxed(high, cap);
            if now <= bound {
                break;
            }
            (bound, best, low) = (now, high, low.max(high / 4.0));
            high *= 4.0;
        }
        // The bound is concave in the multiplier: its greatest value lies within the last two steps.
        let mut top = high;
        for _ in 0..24 {
            let (left, right) = (low + (top - low) / 3.0, top - (top - low) / 3.0);
            let (at_left, at_right) = (self.relaxed(left, cap), self.relaxed(right, cap));
            if at_left < at_right {
                low = left
            } else {
                top = right
            }
            for (multiplier, value) in [(left, at_left), (right, at_right)] {
                if value > bound {
                    (bound, best) = (value, multiplier);
                }
            }
        }
        self.multiplier = best;
    }

    /// Takes the window of `members` if its value is below the best.
    fn offer(&mut self, value: f64, start: f64) {
        if value < self.below {
            let numbers = self.members.iter().map(|&at| self.numbers[self.live[at as usize].slot as usize]);
            self.below = value;
            self.best = Some(Best { start, slots: numbers.collect() });
        }
    }
}
