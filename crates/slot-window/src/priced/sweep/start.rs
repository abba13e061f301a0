//! One start of the sweep: the best window there.
//!
//! Where the nodes of least value are too expensive for the budget, a choice of nodes within it is a subset
//! problem. The relaxation of the budget first decides whether a better set is possible; only then the exact
//! search runs, for sets below the best value. It is the only part of the sweep that can be long: the meter
//! counts it, and where the meter ends it, the relaxation gives the bound of this start.

use super::{Best, Sweep};
use crate::WindowError;
use crate::subset::{Floor, Found, Given, Items, MAX_STEPS, Start, SubsetProblem, search};
use sched_model::{End, Meter, Span, plain_sum_error};

/// The sets of least value under a multiplier of the budget, for the bound of those that hold a given slot.
#[derive(Debug, Clone, Copy)]
struct Edge {
    multiplier: f64,
    /// The least sum of n keys, less the multiplier's share of the budget and the rounding error.
    least: f64,
    /// The greatest of those n keys.
    last: f64,
}

/// The result of a choice of nodes within the budget: sums of values.
#[derive(Debug, Clone, Copy)]
pub(super) enum Chosen {
    /// No set is below the best.
    Nothing,
    /// The best set, as `members`.
    Best(f64),
    /// The search was stopped or not begun; a set that may not be the best, if any, as `members`.
    Cut(Option<f64>),
}

impl Edge {
    /// No affordable set that holds a slot of this value and charge has a lesser sum of values.
    fn with(&self, value: f64, charge: f64) -> f64 {
        let key = value + self.multiplier * charge;
        if key <= self.last { self.least } else { self.least + (key - self.last) }
    }
}

impl Sweep<'_> {
    /// Tests the present start. Caps on the spans, from the longest down: the sets of least value under a cap
    /// are the best of all whose runtime is their own or longer.
    pub(super) fn test(
        &mut self,
        start: f64,
        begun: f64,
        shortest: Span,
        meter: &mut Meter<'_>,
    ) -> Result<(), WindowError> {
        let weight = self.search.runtime_weight;
        let mut caps = self.levels.len();
        while let Some(&cap) = caps.checked_sub(1).and_then(|at| self.levels.get(at)) {
            let mut members = std::mem::take(&mut self.members);
            members.clear();
            let (mut sum, mut span) = (0.0, Span::ZERO);
            self.room.clear();
            for (at, live) in self.live.iter().enumerate() {
                if live.span <= cap && self.room.take(live.group) {
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
                // Only sets of exactly this runtime: sets of shorter runtime are tested at their own cap.
                let rest = begun + weight * cap.get();
                let needed = self.needed(rest);
                let chosen = if sum < needed && self.may_fall_below(needed, cap) {
                    self.choose(None, cap, rest, meter)?
                } else {
                    Chosen::Nothing
                };
                if let Chosen::Best(sum) | Chosen::Cut(Some(sum)) = chosen {
                    let spans = self.members.iter().map(|&at| self.live[at as usize].span);
                    span = spans.fold(Span::ZERO, Span::max);
                    self.offer(sum + begun + weight * span.get(), start);
                }
                match chosen {
                    // No set at all is affordable.
                    Chosen::Nothing if needed == f64::INFINITY => return Ok(()),
                    Chosen::Best(_) => {}
                    _ if weight == 0.0 => return Ok(()),
                    _ => {
                        caps -= 1;
                        continue;
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

    /// Tests the present start where all nodes are held for `level` and one must be an anchor. Anchors are
    /// tried in order of value; the least sum with an anchor does not fall from one to the next, unless
    /// groups are limited.
    pub(super) fn test_with_anchor(
        &mut self,
        start: f64,
        begun: f64,
        level: Span,
        meter: &mut Meter<'_>,
    ) -> Result<(), WindowError> {
        let rest = begun + self.search.runtime_weight * level.get();
        let mut edge: Option<Edge> = None;
        let limited = self.room.is_limited();
        let mut too_dear = false;
        for anchor in 0..self.live.len() {
            let number = self.usable[self.live[anchor].slot as usize].number;
            if self.query.suited[number as usize].own_span != level {
                continue;
            }
            if self.least_beside(anchor) + rest >= self.below {
                break;
            }
            let Some(sum) = self.take_least_beside(anchor).filter(|sum| sum + rest < self.below) else {
                continue;
            };
            let charges = self.members.iter().map(|&at| self.live[at as usize].charge);
            if sched_model::affordable(charges, self.budget) {
                self.offer(sum + rest, start);
                if limited {
                    continue;
                }
                return Ok(());
            }
            if limited {
                too_dear = true;
                continue;
            }
            let needed = self.needed(rest);
            let edge = match edge {
                Some(edge) => edge,
                // Neither with an anchor nor without is a set below the best.
                None if !self.may_fall_below(needed, level) => return Ok(()),
                None => *edge.insert(self.edge(self.multiplier, level)),
            };
            let first = self.live[anchor];
            if edge.with(first.value, first.charge) < needed
                && let Chosen::Best(sum) | Chosen::Cut(Some(sum)) =
                    self.choose(Some(anchor), level, rest, meter)?
            {
                self.offer(sum + rest, start);
            }
        }
        // All anchors whose sets are too expensive, together.
        if too_dear
            && self.may_fall_below(self.needed(rest), level)
            && let Chosen::Best(sum) | Chosen::Cut(Some(sum)) =
                self.choose_in_groups(Some(level), level, rest, meter)
        {
            self.offer(sum + rest, start);
        }
        Ok(())
    }

    /// The least sum of values of slots with an anchor, as many as a window needs, whatever their groups.
    fn least_beside(&self, anchor: usize) -> f64 {
        let others = self.live.iter().enumerate().filter(|&(at, _)| at != anchor);
        let others = others.take(self.nodes - 1).map(|(_, live)| live.value);
        std::iter::once(self.live[anchor].value).chain(others).sum()
    }

    /// The slots of that sum as `members`, at most the allowed number of each group; none if there are too
    /// few.
    fn take_least_beside(&mut self, anchor: usize) -> Option<f64> {
        self.room.clear();
        self.room.take(self.live[anchor].group);
        self.members.clear();
        self.members.push(anchor as u32);
        let mut sum = self.live[anchor].value;
        for (at, live) in self.live.iter().enumerate() {
            if self.members.len() == self.nodes {
                break;
            }
            if at != anchor && self.room.take(live.group) {
                self.members.push(at as u32);
                sum += live.value;
            }
        }
        (self.members.len() == self.nodes).then_some(sum)
    }

    /// The affordable set of least value, of spans up to `cap`, that holds this slot if one is given, as
    /// `members`: where with `rest` it is below the best.
    fn choose(
        &mut self,
        given: Option<usize>,
        cap: Span,
        rest: f64,
        meter: &mut Meter<'_>,
    ) -> Result<Chosen, WindowError> {
        if self.room.is_limited() {
            return Ok(self.choose_in_groups(None, cap, rest, meter));
        }
        let least = self.known_least(given, cap);
        if self.below < f64::INFINITY && meter.limit().gap_closed(self.below, least + rest) {
            self.leave_unproven(least + rest, End::Gap, meter);
            return Ok(Chosen::Cut(None));
        }
        self.values.clear();
        self.charges.clear();
        let mut positions = std::mem::take(&mut self.positions);
        positions.clear();
        for (at, live) in self.live.iter().enumerate() {
            if Some(at) != given && live.span <= cap {
                self.values.push(-live.value);
                self.charges.push(live.charge);
                positions.push(at as u32);
            }
        }
        let first = given.map_or(Given::default(), |at| {
            let first = self.live[at];
            Given { value: -first.value, cost: first.charge }
        });
        let n = self.nodes - usize::from(given.is_some());
        let problem = SubsetProblem::new(&self.values, &self.charges, n, self.budget)?;
        let (values, costs, budget) = (problem.values(), problem.costs(), problem.budget());
        let items = Items { values, costs, n, budget, given: first };
        let needed = self.needed(rest);
        let floor = if needed == f64::INFINITY { Floor::None } else { Floor::Above(-needed) };
        let from = Start { floor, lambda: self.multiplier, max_steps: MAX_STEPS };
        let memory = &mut self.subset.search;
        let found = search(&items, from, memory, meter);
        let best = memory.best.found.then_some(-memory.best.value);
        if best.is_some() {
            self.members.clear();
            self.members.extend(given.map(|at| at as u32));
            self.members.extend(memory.best.indices.iter().map(|&index| positions[index as usize]));
        }
        self.positions = positions;
        Ok(match (found, best) {
            (Found::Cut(end), best) => {
                let least = least.max(-self.subset.search.bound);
                self.leave_unproven(least + rest, end, meter);
                Chosen::Cut(best.or_else(|| self.near_the_budget(given, cap)))
            }
            (Found::Best, Some(best)) => Chosen::Best(best),
            _ => Chosen::Nothing,
        })
    }

    /// A lower bound on the sums of values of the affordable sets that contain this slot, or of all, by the
    /// relaxation.
    pub(super) fn known_least(&mut self, given: Option<usize>, cap: Span) -> f64 {
        if self.multiplier == 0.0 {
            self.raise_multiplier(cap);
        }
        let edge = self.edge(self.multiplier, cap);
        match given {
            Some(at) => edge.with(self.live[at].value, self.live[at].charge),
            None => edge.least,
        }
    }

    /// Notes that windows of at least this value were not searched for.
    pub(super) fn leave_unproven(&mut self, value: f64, end: End, meter: &Meter<'_>) {
        let (floor, ..) = self.unproven.unwrap_or((f64::INFINITY, end, 0));
        self.unproven = Some((floor.min(value), end, meter.work()));
    }

    /// A set of least `value + multiplier * charge` that is affordable at some multiplier, as `members`: its
    /// sum of values.
    pub(super) fn near_the_budget(&mut self, given: Option<usize>, cap: Span) -> Option<f64> {
        let mut keyed: Vec<(f64, u32)> = Vec::with_capacity(self.live.len());
        let others = self.nodes - usize::from(given.is_some());
        for factor in [1.0, 1.25, 2.0, 8.0] {
            let multiplier = self.multiplier * factor;
            let capped =
                self.live.iter().enumerate().filter(|&(at, live)| live.span <= cap && Some(at) != given);
            keyed.clear();
            keyed.extend(capped.map(|(at, live)| (live.value + multiplier * live.charge, at as u32)));
            keyed.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            self.members.clear();
            self.members.extend(given.map(|at| at as u32));
            self.room.clear();
            let (live, room) = (&self.live, &mut self.room);
            let fitting = keyed.iter().filter(|keyed| room.take(live[keyed.1 as usize].group));
            self.members.extend(fitting.take(others).map(|keyed| keyed.1));
            let charges = self.members.iter().map(|&at| self.live[at as usize].charge);
            if self.members.len() == self.nodes && sched_model::affordable(charges, self.budget) {
                return Some(self.members.iter().map(|&at| self.live[at as usize].value).sum());
            }
        }
        None
    }

    /// The number below which sums of values are, with `rest`, below the best. It includes the rounding error
    /// of this difference.
    pub(super) fn needed(&self, rest: f64) -> f64 {
        if self.below == f64::INFINITY {
            return f64::INFINITY;
        }
        self.below - rest + plain_sum_error(4, self.below.abs() + rest.abs())
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

    /// The least sum of `value + multiplier * charge` over n live slots of spans up to `cap`, less the
    /// multiplier's share of the budget: no affordable set has a lesser sum of values. There are n such
    /// slots.
    fn relaxed(&mut self, multiplier: f64, cap: Span) -> f64 {
        self.edge(multiplier, cap).least
    }

    fn edge(&mut self, multiplier: f64, cap: Span) -> Edge {
        let Self { keys, live, nodes, budget, .. } = self;
        keys.clear();
        // A key may be far smaller than its terms.
        let mut greatest = 0.0_f64;
        for live in live.iter().filter(|live| live.span <= cap) {
            let tax = multiplier * live.charge;
            greatest = greatest.max(live.value.abs() + tax);
            keys.push(live.value + tax);
        }
        if *nodes < keys.len() {
            keys.select_nth_unstable_by(*nodes - 1, f64::total_cmp);
        }
        let sum: f64 = keys[..*nodes].iter().sum();
        let last = keys[..*nodes].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let size = (*nodes + 2) as f64 * greatest + multiplier * budget.abs();
        let least = sum - multiplier * *budget - plain_sum_error(*nodes + 4, size);
        Edge { multiplier, least, last }
    }

    /// A multiplier of the budget that fits the live slots: halving between one that is too small and one
    /// that is large enough for the set it selects to be affordable.
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
            let numbers =
                self.members.iter().map(|&at| self.usable[self.live[at as usize].slot as usize].number);
            self.below = value;
            self.best = Some(Best { start, slots: numbers.collect() });
        }
    }
}
