//! The parts of a query that neither prices nor weights change.

use super::PricedSearch;
use crate::sweep::{LeastByNode, check_length, latest_start, usable};
use crate::{WindowError, WindowQuery};
use sched_model::check::{Holding, Rules};
use sched_model::order::{sort, sort_keys};
use sched_model::{ExactSum, Money, NodeId, Slot, SlotList, Span, Time};
use std::ops::Range;

/// A query prepared for many searches under different prices and weights: which slots suit, for how long they
/// are held, and what they charge, in order of charge and of span.
///
/// A search by [`PricedSearch::bounded_in`] then reads only the slots that can be part of a window below the
/// value asked for. Made by [`PricedSearch::prepare`] in O(m log m) time and O(m) memory for m slots.
#[derive(Debug)]
#[must_use]
pub struct PreparedQuery<'a> {
    pub(super) rules: Rules,
    pub(super) slots: &'a SlotList,
    pub(super) nodes: usize,
    pub(super) budget: f64,
    deadline: f64,
    /// The instant from which the start is weighted.
    pub(super) origin: Time,
    /// No window starts earlier, or at `start_below` or later.
    pub(super) from: f64,
    pub(super) start_below: f64,
    /// The most nodes of a group in one window; `None` where groups are not limited.
    pub(super) most_of_group: Option<usize>,
    /// The suited slots, in order of place.
    pub(super) suited: Vec<Suited<'a>>,
    pub(super) places: Vec<Place>,
}

/// A slot that suits the request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Suited<'a> {
    pub(super) slot: &'a Slot,
    pub(super) own_span: Span,
    place: u32,
    group: u32,
}

/// Suited slots that may be combined.
#[derive(Debug)]
pub(super) struct Place {
    /// Positions in `suited`.
    pub(super) suited: Range<usize>,
    /// The slots held for their own spans; `None` where all nodes are held for one span.
    pub(super) pieces: Option<Pieces>,
}

/// A suited slot with room for a task within the budget.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) node: NodeId,
    /// Its position in `suited`.
    pub(super) number: u32,
    pub(super) group: u32,
    pub(super) from: f64,
    pub(super) latest: f64,
    /// How long it is held.
    pub(super) span: Span,
    pub(super) charge: f64,
}

/// The pieces of a place.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    /// In order of `suited`.
    pub(super) list: Vec<Piece>,
    /// Positions in the list in ascending order of charge and of span; empty where nothing was sorted.
    by_charge: Vec<u32>,
    by_span: Vec<u32>,
    /// The least charges of different nodes, ascending: one less than a window has nodes.
    least_charges: Vec<f64>,
    pub(super) greatest_charge: f64,
    pub(super) longest: f64,
    pub(super) last: f64,
}

/// A value below which windows are searched for: which pieces can be part of one.
pub(super) struct Below<'s> {
    pub(super) search: &'s PricedSearch,
    pub(super) value: f64,
    /// The number of nodes of a window.
    pub(super) nodes: usize,
    /// The instant from which the start is weighted.
    pub(super) origin: f64,
}

impl PreparedQuery<'_> {
    /// The most memory that a query on a list of so many slots takes, in bytes.
    pub fn bytes(slots: usize) -> u64 {
        let of_a_slot = size_of::<Suited<'_>>() + size_of::<Piece>() + 2 * size_of::<u32>();
        (slots as u64).saturating_mul(of_a_slot as u64)
    }
}

impl<'a> PreparedQuery<'a> {
    /// A query for one search: nothing is sorted.
    pub(super) fn once(rules: Rules, query: &WindowQuery<'a>) -> Result<Self, WindowError> {
        let origin = query.from;
        let query = query.settled()?;
        let WindowQuery { slots, request, from, .. } = query;
        check_length(slots)?;
        let mask = query.mask();
        let price_limit = if rules.slot_price { request.price_limit() } else { None };
        let suits = |slot: &&Slot| {
            slot.speed() >= request.min_speed()
                && price_limit.is_none_or(|limit| slot.price() <= limit)
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
        let fitting = slots.runs_alive_at(from).flatten().filter(suits).map(suited);
        let mut suited: Vec<Suited<'a>> = Vec::with_capacity(slots.len());
        suited.extend(fitting);
        if together.is_some() {
            sort(&mut suited, &|a, b| a.place.cmp(&b.place));
        }
        let mut prepared = Self {
            rules,
            slots,
            nodes: request.nodes(),
            budget: rules.budget(request).map_or(f64::INFINITY, Money::get),
            deadline: request.deadline().map_or(f64::INFINITY, Time::get),
            origin,
            from: from.get(),
            start_below: query.start_below(),
            most_of_group: together.and_then(|demands| Some(demands.demands().spread()?.most())),
            suited,
            places: Vec::new(),
        };
        prepared.divide();
        Ok(prepared)
    }

    /// A query for many searches.
    pub(super) fn sorted(rules: Rules, query: &WindowQuery<'a>) -> Result<Self, WindowError> {
        let mut prepared = Self::once(rules, query)?;
        for place in &mut prepared.places {
            place.pieces.iter_mut().for_each(Pieces::sort);
        }
        Ok(prepared)
    }

    /// Finds the places.
    fn divide(&mut self) {
        let mut end = 0;
        while let Some(first) = self.suited.get(end) {
            let rest = &self.suited[end..];
            let suited = end..end + rest.iter().take_while(|suited| suited.place == first.place).count();
            end = suited.end;
            let pieces = (self.rules.holding == Holding::OwnSpan).then(|| {
                let mut pieces = Pieces::default();
                pieces.collect(self, &suited, None);
                pieces
            });
            self.places.push(Place { suited, pieces });
        }
    }
}

impl Pieces {
    /// The pieces of a place, all held for one span or each for its own.
    pub(super) fn collect(&mut self, query: &PreparedQuery<'_>, place: &Range<usize>, held: Option<Span>) {
        self.list.clear();
        self.list.reserve(place.len());
        let tariff = query.slots.tariff();
        for (number, suited) in (place.start..).zip(&query.suited[place.clone()]) {
            let span = held.unwrap_or(suited.own_span);
            if suited.own_span > span {
                continue;
            }
            let from = usable(suited.slot, query.from);
            let latest = latest_start(suited.slot.end().get().min(query.deadline), span.get());
            let charge = tariff.charge(suited.slot.price(), span).get();
            if latest < from || charge > query.budget {
                continue;
            }
            let (node, number, group) = (suited.slot.node(), number as u32, suited.group);
            self.list.push(Piece { node, number, group, from, latest, span, charge });
        }
        let greatest = |of: fn(&Piece) -> f64, least: f64| self.list.iter().map(of).fold(least, f64::max);
        self.greatest_charge = greatest(|piece| piece.charge, 0.0);
        self.longest = greatest(|piece| piece.span.get(), 0.0);
        self.last = greatest(|piece| piece.latest, query.from);
        self.least_charges.clear();
        if query.nodes > 1 && query.nodes <= self.list.len() {
            let mut least = LeastByNode::new(query.nodes - 1);
            self.list.iter().for_each(|piece| least.add(piece.charge, piece.node.0));
            self.least_charges.extend(least.values());
        }
    }

    fn sort(&mut self) {
        let list = &self.list;
        let sorted = |of: fn(&Piece) -> f64| {
            let mut keys: Vec<(f64, u32)> = list.iter().map(of).zip(0..).collect();
            sort_keys(&mut keys);
            keys.into_iter().map(|key| key.1).collect()
        };
        (self.by_charge, self.by_span) = (sorted(|piece| piece.charge), sorted(|piece| piece.span.get()));
    }

    /// Sets `kept` to the positions of the pieces that can be part of a better window, ascending.
    pub(super) fn keep(&self, below: &Below<'_>, kept: &mut Vec<u32>) {
        let all = 0..self.list.len() as u32;
        kept.clear();
        if below.value == f64::INFINITY || self.list.len() < below.nodes {
            kept.extend(all);
            return;
        }
        let search = below.search;
        let rest = self.least_rest(search.cost_weight, below.nodes - 1);
        let passes = |base: f64, span: Span, begun: f64| {
            (base + rest) + (search.runtime_weight * span.get() + search.start_weight * begun) < below.value
        };
        let base = |piece: &Piece| search.cost_weight * piece.charge;
        let keeps = |&at: &u32| {
            let piece = &self.list[at as usize];
            passes(base(piece), piece.span, piece.from - below.origin)
        };
        // Of the pieces after the first one that fails with the least span or the least base, all fail: sums
        // of doubles do not fall where a term grows.
        let first = |order: &[u32]| order.first().map(|&at| &self.list[at as usize]);
        let (Some(cheapest), Some(fastest)) = (first(&self.by_charge), first(&self.by_span)) else {
            kept.extend(all.filter(keeps));
            return;
        };
        let dear = search.cost_weight < 0.0;
        let least_base = if dear { search.cost_weight * self.greatest_charge } else { base(cheapest) };
        let cut = |order: &'_ [u32], passes: &dyn Fn(&Piece) -> bool| {
            order.partition_point(|&at| passes(&self.list[at as usize]))
        };
        let by_span = cut(&self.by_span, &|piece| passes(least_base, piece.span, 0.0));
        let by_charge = cut(&self.by_charge, &|piece| dear || passes(base(piece), fastest.span, 0.0));
        let possible =
            if by_span < by_charge { &self.by_span[..by_span] } else { &self.by_charge[..by_charge] };
        if possible.len() < self.list.len() / 2 {
            kept.extend(possible.iter().copied().filter(keeps));
            kept.sort_unstable();
        } else {
            kept.extend(all.filter(keeps));
        }
    }

    /// The least sum of weighted charges of so many pieces on different nodes: one less than a window has.
    fn least_rest(&self, cost_weight: f64, count: usize) -> f64 {
        if cost_weight >= 0.0 {
            return sum_below(self.least_charges.iter().map(|charge| cost_weight * charge));
        }
        least_of_nodes(count, self.list.iter().map(|piece| (cost_weight * piece.charge, piece.node)))
    }
}

/// The least sum of so many of these values on different nodes: a lower bound for as many nodes of a window.
pub(super) fn least_of_nodes(count: usize, values: impl Iterator<Item = (f64, NodeId)>) -> f64 {
    if count == 0 {
        return 0.0;
    }
    let mut least = LeastByNode::new(count);
    values.for_each(|(value, node)| least.add(value, node.0));
    sum_below(least.values())
}

/// The sum of these values, rounded down.
fn sum_below(values: impl Iterator<Item = f64>) -> f64 {
    let mut sum: ExactSum = values.collect();
    let rounded = sum.value();
    sum.remove(rounded);
    if sum.value() < 0.0 { rounded.next_down() } else { rounded }
}
