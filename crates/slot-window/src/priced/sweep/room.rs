//! Nodes that are spread: at most so many of a group in one window.

use super::{Sweep, start::Chosen};
use crate::WindowError;
use crate::value::limited::{Item, Limited};
use sched_model::{Meter, Span};

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

impl Sweep<'_> {
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
