//! The slots that may be in a window, by class, and a pass over them on one level. By reduced values, the pass finds
//! the arrivals that may be in a window above a given value, and the slots that may be in it with them.
//!
//! The n live slots of maximum reduced value are kept in order. Only a slot that has just arrived can make a window
//! better than all before, so each group of arrivals of equal start is tested by its maximum reduced value: the value
//! of a window with an arrival is at most that reduced value plus the n - 1 largest others (or the n largest, if it
//! is among them), plus the multiplier's share of the budget.

use super::SearchState;
use crate::{
    WindowError,
    sweep::{Candidate, Held, NodeNumbers, fits},
};
use sched_model::internal::{sort, span_bound};
use sched_model::{Price, Slot, Span, Tariff};

/// A slot in the form that passes read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) class: u32,
    /// Its position in the list.
    pub(super) at: u32,
}

/// Slots of one node with the same span of the task, price and value: usually all slots of the node. At most one slot
/// of a node is live at an instant, so at most one of a class.
#[derive(Debug, Clone, Copy)]
pub(super) struct Class {
    pub(super) node: u32,
    pub(super) group: u32,
    /// The span of the task on its node.
    pub(super) own: Span,
    pub(super) price: Price,
    pub(super) value: f64,
    /// The length of its longest slot as far as it can be used, rounded up.
    longest: f64,
}

/// The terms of a level: the span for which nodes are held, and the tariff and the budget.
#[derive(Debug, Clone, Copy)]
pub(super) struct LevelTerms<'q> {
    pub(super) held: Held,
    pub(super) tariff: &'q Tariff,
    pub(super) budget: f64,
}

impl LevelTerms<'_> {
    /// The span and the cost of a class on the level, if it may be in a window there.
    #[inline]
    pub(super) fn span_and_cost(self, class: &Class) -> Option<(f64, f64)> {
        let span = self.held.unwrap_or(class.own);
        let cost = self.tariff.charge(class.price, span).get();
        let can = class.own <= span && class.longest >= span.get() && cost <= self.budget;
        can.then_some((span.get(), cost))
    }

    /// Whether the task of the class takes the span of the level.
    pub(super) fn is_anchor(self, class: &Class) -> bool {
        self.held == Some(class.own)
    }
}

/// No class.
const NONE: u32 = u32::MAX;

/// Slots in order of start, and their classes.
#[derive(Debug, Default)]
pub(super) struct Classes {
    pub(super) pieces: Vec<Piece>,
    pub(super) classes: Vec<Class>,
}

impl Classes {
    /// Lists the candidates whose task takes at most the span `held` and that have room for `held`, or for the task's
    /// own span without it, by `finish`. `value` is called once for each of them.
    ///
    /// A longer span fits into no other slots, so the list serves every pass with spans of at least `held`.
    pub(super) fn of(
        all: &[Candidate<'_>],
        held: Held,
        finish: f64,
        mut value: impl FnMut(&Slot, Span) -> Result<f64, WindowError>,
    ) -> Result<Self, WindowError> {
        let (mut pieces, mut classes) = (Vec::with_capacity(all.len()), Vec::<Class>::new());
        let nodes = NodeNumbers::of(all.iter().map(|of| of.slot.node.0));
        let mut last = vec![NONE; nodes.count()];
        for of in all {
            let Candidate { slot, start, own, at, group, .. } = *of;
            let (span, end) = (held.unwrap_or(own), slot.end.get().min(finish));
            if own > span || !fits(start, span.get(), end) {
                continue;
            }
            let (node, price) = (slot.node.0, slot.price);
            let known = &mut last[nodes.number(node)];
            let alike = classes.get(*known as usize).filter(|class| class.own == own && class.price == price);
            let value = value(slot, span)?;
            if alike.is_none_or(|class| class.value != value) {
                *known = classes.len() as u32;
                classes.push(Class { node, group, own, price, value, longest: 0.0 });
            }
            let class = &mut classes[*known as usize];
            class.longest = class.longest.max(span_bound(start, end));
            pieces.push(Piece { start, end, class: *known, at });
        }
        Ok(Self { pieces, classes })
    }
}

/// A class that may be in a better window of the present level.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ranked {
    pub(super) reduced: f64,
    pub(super) value: f64,
    pub(super) cost: f64,
    span: f64,
    /// The end and the position of its slot that arrived last.
    end: f64,
    pub(super) at: u32,
    /// Its number among all classes.
    number: u32,
    pub(super) group: u32,
    /// Whether its task takes the span of the level.
    pub(super) is_anchor: bool,
    is_live: bool,
}

/// The pass and its memory.
#[derive(Debug, Default)]
pub(super) struct Pass {
    n: usize,
    /// Of each class that may be on the level: its reduced value, and its node and number in one integer.
    reduced: Vec<(f64, u64)>,
    pub(super) ranked: Vec<Ranked>,
    /// The live slots as pairs of reduced value and position in `ranked`: first the n largest in descending order,
    /// then the others. Some may have expired since the last [test](Self::may_reach_live), so sums of the first ones
    /// are upper bounds.
    live: Vec<(f64, u32)>,
    /// The sum of the first n - 1 reduced values, if it is up to date.
    head: Option<f64>,
    /// After [`may_reach`](Self::may_reach): the positions in `ranked` of the live slots that may be in a window of
    /// the needed value.
    pub(super) members: Vec<u32>,
}

/// The number of slots that are read between two calls of the meter.
const PART: usize = 64;

impl Pass {
    /// Lists the classes that may be on a level, with their reduced values, for windows of `n` nodes.
    pub(super) fn list(&mut self, n: usize, lambda: f64, classes: &[Class], level: LevelTerms<'_>) {
        self.n = n;
        self.reduced.clear();
        for (class, number) in classes.iter().zip(0..) {
            if let Some((_, cost)) = level.span_and_cost(class) {
                self.reduced.push((class.value - lambda * cost, u64::from(class.node) << 32 | number));
            }
        }
    }

    /// Returns the reduced value at position `at` in descending order, from 0, and the sum of those before it.
    pub(super) fn nth(&mut self, at: usize) -> Option<(f64, f64)> {
        if at >= self.reduced.len() {
            return None;
        }
        let (before, nth, _) = self.reduced.select_nth_unstable_by(at, |a, b| b.0.total_cmp(&a.0));
        Some((nth.0, before.iter().map(|of| of.0).sum()))
    }

    /// Ranks the listed classes that may be in a window whose reduced values, with `base`, reach `needed`.
    pub(super) fn rank(&mut self, base: f64, needed: f64, classes: &[Class], level: LevelTerms<'_>) {
        // A window with a class below the n-th loses at least the difference between the two.
        let nth = self.nth(self.n - 1).filter(|_| needed > f64::NEG_INFINITY);
        let min_reduced = nth.map_or(f64::NEG_INFINITY, |(nth, before)| nth - (base + before + nth - needed));
        self.reduced.retain(|of| of.0 >= min_reduced);
        // In order of node, by which ties between equal choices are broken.
        sort(&mut self.reduced, &|a, b| a.1.cmp(&b.1));
        self.ranked.clear();
        for &(reduced, at) in &self.reduced {
            let number = at as u32;
            let class = &classes[number as usize];
            let Some((span, cost)) = level.span_and_cost(class) else { continue };
            let (value, group, is_anchor, end) =
                (class.value, class.group, level.is_anchor(class), f64::NEG_INFINITY);
            let of =
                Ranked { reduced, value, cost, span, end, at: 0, number, group, is_anchor, is_live: false };
            self.ranked.push(of);
        }
    }

    /// Computes the reduced values again with another multiplier, during the pass.
    pub(super) fn rerank(&mut self, lambda: f64) {
        let Self { ranked, live, .. } = self;
        ranked.iter_mut().for_each(|of| of.reduced = of.value - lambda * of.cost);
        live.iter_mut().for_each(|live| live.0 = ranked[live.1 as usize].reduced);
        self.order();
    }

    /// Puts the n largest live slots first.
    fn order(&mut self) {
        self.head = None;
        (0..self.live.len()).for_each(|at| self.place(at));
    }

    /// Reads the slots in order of time, and calls `group` after each group of arrivals of equal start, with the
    /// start and their maximum reduced value. Each slot is a unit of work.
    pub(super) fn run(
        &mut self,
        Classes { pieces, classes }: &Classes,
        state: &mut SearchState<'_>,
        mut group: impl FnMut(&mut Self, &mut SearchState<'_>, f64, f64) -> Result<(), WindowError>,
    ) -> Result<(), WindowError> {
        let mut numbers = vec![u32::MAX; classes.len()];
        self.ranked.iter().zip(0..).for_each(|(of, number)| numbers[of.number as usize] = number);
        self.live.clear();
        self.head = None;
        let (mut now, mut max_arrival) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for part in pieces.chunks(PART) {
            state.meter.spend(part.len() as u64)?;
            for piece in part {
                let number = numbers[piece.class as usize];
                let Some(of) = self.ranked.get_mut(number as usize) else { continue };
                if !fits(piece.start, of.span, piece.end) {
                    continue;
                }
                if piece.start > now && max_arrival > f64::NEG_INFINITY {
                    group(self, state, now, max_arrival)?;
                    max_arrival = f64::NEG_INFINITY;
                }
                now = piece.start;
                self.arrive(number, piece.end, piece.at);
                max_arrival = max_arrival.max(self.ranked[number as usize].reduced);
            }
        }
        if max_arrival > f64::NEG_INFINITY { group(self, state, now, max_arrival) } else { Ok(()) }
    }

    /// Makes a slot of a class live.
    fn arrive(&mut self, number: u32, end: f64, at: u32) {
        let of = &mut self.ranked[number as usize];
        (of.end, of.at) = (end, at);
        if std::mem::replace(&mut of.is_live, true) {
            return;
        }
        self.live.push((of.reduced, number));
        self.place(self.live.len() - 1);
    }

    /// Moves the live slot at position `at` to its place, among the n largest or behind them. All slots before it
    /// must be in place.
    #[inline(always)]
    fn place(&mut self, at: usize) {
        let (mut place, new) = (at.min(self.n - 1), self.live[at]);
        if at > place && self.live[place].0 >= new.0 {
            return;
        }
        self.live[at] = self.live[place];
        while place > 0 && self.live[place - 1].0 < new.0 {
            self.live[place] = self.live[place - 1];
            place -= 1;
        }
        self.live[place] = new;
        if place + 1 < self.n {
            self.head = None;
        }
    }

    /// Whether a window with an arrival may reach `needed`, by the sum of its reduced values and `base`. `arrival` is
    /// the maximum reduced value of the arrivals. If so, `members` are the live slots that may be in such a window.
    pub(super) fn may_reach(&mut self, arrival: f64, now: f64, base: f64, needed: f64) -> bool {
        self.reach(arrival, base).is_some_and(|reach| reach >= needed)
            && self.may_reach_live(arrival, now, base, needed)
    }

    /// An upper bound on the value of all windows with an arrival; `None` if there are too few live slots.
    fn reach(&mut self, arrival: f64, base: f64) -> Option<f64> {
        let nth = self.live.get(self.n - 1)?.0;
        let head = self.head.get_or_insert_with(|| self.live[..self.n - 1].iter().map(|live| live.0).sum());
        Some(base + *head + nth.min(arrival))
    }

    /// As [`may_reach`](Self::may_reach), after expired slots are removed.
    #[inline(never)]
    fn may_reach_live(&mut self, arrival: f64, now: f64, base: f64, needed: f64) -> bool {
        let ranked = &mut self.ranked;
        self.live.retain(|&(_, number)| {
            let of = &mut ranked[number as usize];
            of.is_live = fits(now, of.span, of.end);
            of.is_live
        });
        self.order();
        if self.reach(arrival, base).is_none_or(|reach| reach < needed) {
            return false;
        }
        let min_reduced = needed - base - self.head.unwrap_or(0.0);
        let (head, others) = self.live.split_at(self.n - 1);
        self.members.clear();
        self.members
            .extend(head.iter().chain(others.iter().filter(|live| live.0 >= min_reduced)).map(|live| live.1));
        self.members.len() >= self.n
    }
}
