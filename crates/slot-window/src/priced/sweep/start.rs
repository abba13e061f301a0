//! One start of the sweep: the best window there.
//!
//! Where the nodes of least value are too expensive for the budget, a choice of nodes within it is a subset
//! problem. The relaxation of the budget first decides whether a better set is possible; only then the exact
//! search runs, for sets below the best value. It is the only part of the sweep that can be long: the meter
//! counts it.
//!
//! Sums of values are exact and rounded once, as those of the windows, so that of two sets with the same
//! runtime the one of lesser sum is never the worse window.

use super::Sweep;
use super::relaxed::Edge;
use crate::WindowError;
use crate::error::Stop;
use crate::subset::grouped::{Item, Limited};
use crate::subset::{Floor, Found, Given, Items, MAX_STEPS, Start, SubsetProblem, search};
use sched_model::{Meter, Span, exact_sum, plain_sum_error};

/// The number of slots of each group in the present set.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// The greatest number of each group; `None` where groups are not limited.
    most: Option<usize>,
    taken: Vec<usize>,
}

impl Room {
    pub(super) fn new(most: Option<usize>) -> Self {
        Self { most, taken: Vec::new() }
    }

    pub(super) fn is_limited(&self) -> bool {
        self.most.is_some()
    }

    /// An empty set.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.taken.clear();
    }

    /// Takes one of a group, if it has room.
    #[inline]
    pub(super) fn take(&mut self, group: u32) -> bool {
        let Some(most) = self.most else { return true };
        let group = group as usize;
        if group >= self.taken.len() {
            self.taken.resize(group + 1, 0);
        }
        let has_room = self.taken[group] < most;
        self.taken[group] += usize::from(has_room);
        has_room
    }
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

impl Sweep<'_> {
    /// Tests the present start. Caps on the spans, from the longest down: the sets of least value under a cap
    /// are the best of all whose runtime is their own or longer.
    pub(super) fn test(&mut self, meter: &mut Meter) -> Result<(), Stop> {
        let weight = self.search.runtime_weight;
        let mut caps = self.levels.len();
        self.least_sum = f64::NEG_INFINITY;
        while let Some(&cap) = caps.checked_sub(1).and_then(|at| self.levels.get(at)) {
            let Some(sum) = self.take_least(cap) else { return Ok(()) };
            let mut span = self.span_of_members();
            if self.members_are_affordable() {
                self.offer(sum)?;
            } else {
                // Only sets of exactly this runtime: sets of shorter runtime are tested at their own cap.
                let rest = self.rest(cap);
                let needed = self.needed(rest);
                let chosen = if sum < needed && self.may_fall_below(needed, cap) {
                    self.choose(None, cap, rest, meter)?
                } else {
                    Chosen::Nothing
                };
                self.take(chosen)?;
                match chosen {
                    // No set at all is affordable.
                    Chosen::Nothing if needed == f64::INFINITY => return Ok(()),
                    Chosen::Best(_) => span = self.span_of_members(),
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
    pub(super) fn test_with_anchor(&mut self, level: Span, meter: &mut Meter) -> Result<(), Stop> {
        let rest = self.rest(level);
        let mut edge: Option<Edge> = None;
        self.least_sum = f64::NEG_INFINITY;
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
            if self.members_are_affordable() {
                self.offer(sum)?;
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
            if edge.with(first.value, first.charge) < needed {
                let chosen = self.choose(Some(anchor), level, rest, meter)?;
                self.take(chosen)?;
            }
        }
        // All anchors whose sets are too expensive, together.
        if too_dear && self.may_fall_below(self.needed(rest), level) {
            let chosen = self.choose_in_groups(Some(level), level, rest, meter)?;
            self.take(chosen)?;
        }
        Ok(())
    }

    /// Offers the set chosen, if any; the end of the search, if that was stopped there.
    fn take(&mut self, chosen: Chosen) -> Result<(), Stop> {
        if let Chosen::Best(sum) | Chosen::Cut(Some(sum)) = chosen {
            self.offer(sum)?;
        }
        self.stopped.map_or(Ok(()), |stopped| Err(Stop::End(stopped.end)))
    }

    /// The n live slots of least value with spans up to `cap` as `members`, at most the allowed number of each
    /// group: their sum. None if there are too few, or if no window of theirs is below the best.
    fn take_least(&mut self, cap: Span) -> Option<f64> {
        self.room.clear();
        self.members.clear();
        let (mut sum, mut size) = (0.0, 0.0);
        for (at, live) in self.live.iter().enumerate() {
            if live.span <= cap && self.room.take(live.group) {
                sum += live.value;
                size += live.value.abs();
                self.members.push(at as u32);
                if self.members.len() == self.nodes {
                    break;
                }
            }
        }
        let rest = self.rest(self.levels.first().copied().unwrap_or(Span::ZERO));
        // The plain sum mostly decides.
        if self.members.len() < self.nodes
            || sum + rest >= self.below + plain_sum_error(self.nodes + 4, size + rest.abs())
        {
            return None;
        }
        Some(self.sum_of_members()).filter(|sum| sum + rest < self.below)
    }

    pub(super) fn sum_of_members(&self) -> f64 {
        exact_sum(self.members.iter().map(|&at| self.live[at as usize].value))
    }

    pub(super) fn span_of_members(&self) -> Span {
        self.members.iter().map(|&at| self.live[at as usize].span).fold(Span::ZERO, Span::max)
    }

    fn members_are_affordable(&self) -> bool {
        let charges = self.members.iter().map(|&at| self.live[at as usize].charge);
        sched_model::affordable(charges, self.budget)
    }

    /// The least sum of values of slots with an anchor, as many as a window needs, whatever their groups.
    fn least_beside(&self, anchor: usize) -> f64 {
        let others = self.live.iter().enumerate().filter(|&(at, _)| at != anchor);
        let others = others.take(self.nodes - 1).map(|(_, live)| live.value);
        exact_sum(std::iter::once(self.live[anchor].value).chain(others))
    }

    /// The slots of that sum as `members`, at most the allowed number of each group; none if there are too
    /// few.
    fn take_least_beside(&mut self, anchor: usize) -> Option<f64> {
        self.room.clear();
        self.room.take(self.live[anchor].group);
        self.members.clear();
        self.members.push(anchor as u32);
        for (at, live) in self.live.iter().enumerate() {
            if self.members.len() == self.nodes {
                break;
            }
            if at != anchor && self.room.take(live.group) {
                self.members.push(at as u32);
            }
        }
        (self.members.len() == self.nodes).then(|| self.sum_of_members())
    }

    /// The affordable set of least value, of spans up to `cap`, that holds this slot if one is given, as
    /// `members`: where with `rest` it is below the best.
    fn choose(
        &mut self,
        given: Option<usize>,
        cap: Span,
        rest: f64,
        meter: &mut Meter,
    ) -> Result<Chosen, WindowError> {
        if self.room.is_limited() {
            return self.choose_in_groups(None, cap, rest, meter);
        }
        let least = self.known_least(given, cap);
        if let Some(chosen) = self.without_search(given, cap, least + rest, meter) {
            return Ok(chosen);
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
        let items = Items { given: first, ..problem.items };
        let needed = self.needed(rest);
        let floor = if needed == f64::INFINITY { Floor::None } else { Floor::Above(-needed) };
        let from = Start { floor, lambda: self.multiplier, max_steps: MAX_STEPS };
        let memory = &mut self.subset;
        let found = search(&items, from, memory, meter);
        let best = memory.best.found.then_some(-memory.best.value);
        // A set of a lesser sum and a longer runtime may be the worse window.
        let trail = memory.best.trail.take();
        for set in trail.iter().flat_map(|trail| trail.chunks_exact(n.max(1))) {
            self.members.clear();
            self.members.extend(set.iter().map(|&index| positions[index as usize]));
            self.offer(self.sum_of_members())?;
        }
        let memory = &mut self.subset;
        memory.best.trail = trail;
        if best.is_some() {
            self.members.clear();
            self.members.extend(given.map(|at| at as u32));
            self.members.extend(memory.best.indices.iter().map(|&index| positions[index as usize]));
        }
        self.positions = positions;
        if given.is_none() {
            // Sets whose sums are not below what is needed are not looked at.
            let proven = match (found, best) {
                (Found::Cut(_), _) => needed.min(-self.subset.bound),
                (_, best) => best.unwrap_or(needed),
            };
            self.least_sum = self.least_sum.max(proven);
        }
        Ok(match (found, best) {
            (Found::Cut(end), best) => {
                self.cut(least.max(-self.subset.bound) + rest, end);
                let goes_on = self.stopped.is_none();
                Chosen::Cut(best.or_else(|| goes_on.then(|| self.near_the_budget(given, cap)).flatten()))
            }
            (Found::Best, Some(best)) => Chosen::Best(best),
            _ => Chosen::Nothing,
        })
    }

    /// As [`choose`](Sweep::choose), at most so many of each group; with a slot of the same span as `anchor`,
    /// if one is required. The relaxation that bounds it ignores groups.
    pub(super) fn choose_in_groups(
        &mut self,
        anchor: Option<Span>,
        cap: Span,
        rest: f64,
        meter: &mut Meter,
    ) -> Result<Chosen, WindowError> {
        let least = self.known_least(None, cap);
        if let Some(chosen) = self.without_search(None, cap, least + rest, meter) {
            return Ok(chosen);
        }
        let mut positions = std::mem::take(&mut self.positions);
        positions.clear();
        let mut items = Vec::with_capacity(self.live.len());
        for (at, live) in self.live.iter().enumerate().filter(|(_, live)| live.span <= cap) {
            let number = self.usable[live.slot as usize].number as usize;
            let own = anchor.is_some_and(|anchor| self.query.suited[number].own_span == anchor);
            items.push(Item { value: -live.value, cost: live.charge, group: live.group, own });
            positions.push(at as u32);
        }
        let limited = Limited {
            n: self.nodes,
            most: self.room.most.unwrap_or(usize::MAX),
            budget: self.budget,
            needs_own: anchor.is_some(),
        };
        let floor = -self.needed(rest);
        let (better, ended) = limited.choose(&items, floor, meter);
        let mut best = None;
        for (value, chosen) in better {
            self.members.clear();
            self.members.extend(chosen.iter().map(|&item| positions[item]));
            self.offer(-value)?;
            best = Some(-value);
        }
        self.positions = positions;
        Ok(match (ended, best) {
            (Some(end), best) => {
                self.cut(least + rest, end);
                let goes_on = self.stopped.is_none();
                Chosen::Cut(best.or_else(|| goes_on.then(|| self.near_the_budget(None, cap)).flatten()))
            }
            (None, Some(best)) => Chosen::Best(best),
            (None, None) => Chosen::Nothing,
        })
    }
}
