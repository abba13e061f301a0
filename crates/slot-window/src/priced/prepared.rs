//! The parts of a query that neither prices nor weights change.

use crate::sweep::{Limits, most_of_a_group};
use crate::{WindowError, WindowQuery};
use sched_model::{Slot, SlotList, Span, Time, check::Rules, order::sort};

/// A query prepared for many searches under different prices and weights: which slots suit, and how long the
/// task takes on them. Made by [`PricedSearch::prepare`](super::PricedSearch::prepare) in O(m log m) time and O(m)
/// memory for m slots.
#[derive(Debug)]
#[must_use]
pub struct PreparedQuery<'a> {
    pub(super) rules: Rules,
    pub(super) slots: &'a SlotList,
    pub(super) nodes: usize,
    pub(super) limits: Limits,
    /// The instant from which the start is weighted.
    pub(super) origin: Time,
    /// No window starts earlier.
    pub(super) from: f64,
    /// The most nodes of a group in one window.
    pub(super) most_of_group: usize,
    /// The suited slots, in order of place.
    pub(super) suited: Vec<Suited<'a>>,
}

/// A slot that suits the request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Suited<'a> {
    pub(super) slot: &'a Slot,
    pub(super) own_span: Span,
    /// Slots of one place may be combined: all, or those of one value of the label to pack by.
    pub(super) place: u32,
    /// Of a group, those of one value of the label to spread by, a window may contain so many.
    pub(super) group: u32,
}

impl<'a> PreparedQuery<'a> {
    /// The most memory that a query on a list of so many slots takes, in bytes.
    pub fn bytes(slots: usize) -> u64 {
        (slots as u64).saturating_mul(size_of::<Suited<'_>>() as u64)
    }

    pub(super) fn new(rules: Rules, query: &WindowQuery<'a>) -> Result<Self, WindowError> {
        let origin = query.from;
        let query = query.settled()?;
        let WindowQuery { slots, request, from, .. } = query;
        let mask = query.mask();
        let limits = Limits::of(&query, rules);
        let suits = |slot: &&Slot| {
            slot.speed().get() >= limits.min_speed
                && slot.price().get() <= limits.price
                && slot.end() > from
                && mask.is_none_or(|mask| mask.allows(slot))
        };
        let together = query.beyond_mask();
        let suited = |slot: &'a Slot| Suited {
            slot,
            own_span: query.span_on(slot),
            place: together.map_or(0, |demands| demands.pack_of(slot)),
            group: together.map_or(0, |demands| demands.spread_of(slot)),
        };
        let mut suited: Vec<Suited<'a>> =
            slots.runs_alive_at(from).flatten().filter(suits).map(suited).collect();
        if together.is_some() {
            sort(&mut suited, &|a, b| a.place.cmp(&b.place));
        }
        Ok(Self {
            rules,
            slots,
            nodes: request.nodes(),
            limits,
            origin,
            from: from.get(),
            most_of_group: most_of_a_group(query),
            suited,
        })
    }
}
