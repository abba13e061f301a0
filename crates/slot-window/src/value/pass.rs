//! One pass over the slots of one level, by reduced values: it finds the arrivals that can be in a
//! window above a given value, and the slots that can be in it with them.
//!
//! Live slots are kept in order of reduced value, greatest first. Only a slot that has just arrived can make a window
//! better than all before, so that each group of equal starts is tested by its arrival of greatest reduced value: the
//! value of a window with an arrival is at most that reduced value plus the n - 1 greatest others (or the n greatest,
//! if it is among them), plus the multiplier's share of the budget.

use super::{
    best::Notes,
    classes::{Class, Classes, OnLevel},
};
use crate::{WindowError, sweep::fits};

/// A class that matters on the present level.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ranked {
    pub(super) reduced: f64,
    pub(super) value: f64,
    pub(super) cost: f64,
    span: f64,
    /// End and position of its slot that arrived last.
    end: f64,
    pub(super) at: u32,
    /// Its number among all classes.
    number: u32,
    pub(super) group: u32,
    /// Whether its span is that of the level.
    pub(super) is_own: bool,
    is_live: bool,
}

/// The pass and its memory.
#[derive(Debug, Default)]
pub(super) struct Pass {
    n: usize,
    /// Reduced value and number of the classes that can be on the level.
    reduced: Vec<(f64, u32)>,
    pub(super) ranked: Vec<Ranked>,
    /// Reduced value and number among the ranked of live slots, greatest first. Some may have expired since the last
    /// [look](Self::look), so that sums of the first ones are upper bounds.
    live: Vec<(f64, u32)>,
    /// The sum of the n - 1 first, if it is known.
    head: Option<f64>,
    /// Those that can be in a window above the needed value, after [`may_reach`](Self::may_reach).
    pub(super) members: Vec<u32>,
}

/// So many slots are read between two questions of the meter.
const PART: usize = 64;

impl Pass {
    /// For windows of `n`: lists the classes that can be on a level, with their reduced values.
    pub(super) fn list(&mut self, n: usize, lambda: f64, classes: &[Class], level: OnLevel<'_>) {
        self.n = n;
        self.reduced.clear();
        self.reduced.extend(classes.iter().zip(0..).filter_map(|(class, number)| {
            let (_, cost) = level.takes(class)?;
            Some((class.value - lambda * cost, number))
        }));
    }

    /// The reduced value at this place in their order, from 0, the greatest first; and the sum of those before it.
    pub(super) fn nth(&mut self, at: usize) -> Option<(f64, f64)> {
        if at >= self.reduced.len() {
            return None;
        }
        let (before, nth, _) = self.reduced.select_nth_unstable_by(at, |a, b| b.0.total_cmp(&a.0));
        Some((nth.0, before.iter().map(|of| of.0).sum()))
    }

    /// Ranks the classes that a window can hold whose reduced values, with `base`, reach `needed`.
    pub(super) fn rank(&mut self, base: f64, needed: f64, classes: &[Class], level: OnLevel<'_>) {
        // A class below the n-th in rank loses at least the difference to the n-th.
        let nth = self.nth(self.n - 1).filter(|_| needed > f64::NEG_INFINITY);
        let least = nth.map_or(f64::NEG_INFINITY, |(nth, before)| nth - (base + before + nth - needed));
        self.reduced.retain(|of| of.0 >= least);
        // In order of node, which decides between equal choices.
        self.reduced.sort_unstable_by_key(|of| (classes[of.1 as usize].node, of.1));
        let ranked = self.reduced.iter().filter_map(|&(reduced, number)| {
            let class = &classes[number as usize];
            let (span, cost) = level.takes(class)?;
            let (value, group, is_own, end) =
                (class.value, class.group, level.is_own(class), f64::NEG_INFINITY);
            Some(Ranked { reduced, value, cost, span, end, at: 0, number, group, is_own, is_live: false })
        });
        self.ranked.clear();
        self.ranked.extend(ranked);
    }

    /// Ranks the classes anew by another multiplier, during the pass.
    pub(super) fn rerank(&mut self, lambda: f64) {
        let Self { ranked, live, head, .. } = self;
        ranked.iter_mut().for_each(|of| of.reduced = of.value - lambda * of.cost);
        live.iter_mut().for_each(|live| live.0 = ranked[live.1 as usize].reduced);
        live.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        *head = None;
    }

    /// Reads the slots in time order; `group` is called after each group of equal starts, with the start and
    /// the greatest reduced value of its arrivals. Each slot is a unit of work.
    pub(super) fn run(
        &mut self,
        Classes { pieces, classes }: &Classes,
        notes: &mut Notes<'_>,
        mut group: impl FnMut(&mut Self, &mut Notes<'_>, f64, f64) -> Result<(), WindowError>,
    ) -> Result<(), WindowError> {
        let mut numbers = vec![u32::MAX; classes.len()];
        self.ranked.iter().zip(0..).for_each(|(of, number)| numbers[of.number as usize] = number);
        self.live.clear();
        self.head = None;
        let (mut now, mut greatest) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for part in pieces.chunks(PART) {
            notes.spend(part.len())?;
            for piece in part {
                let number = numbers[piece.class as usize];
                let Some(of) = self.ranked.get_mut(number as usize) else { continue };
                if !fits(piece.start, of.span, piece.end) {
                    continue;
                }
                if piece.start > now && greatest > f64::NEG_INFINITY {
                    group(self, notes, now, greatest)?;
                    greatest = f64::NEG_INFINITY;
                }
                now = piece.start;
                self.arrive(number, piece.end, piece.at);
                greatest = greatest.max(self.ranked[number as usize].reduced);
            }
        }
        if greatest > f64::NEG_INFINITY { group(self, notes, now, greatest) } else { Ok(()) }
    }

    fn arrive(&mut self, number: u32, end: f64, at: u32) {
        let of = &mut self.ranked[number as usize];
        (of.end, of.at) = (end, at);
        if std::mem::replace(&mut of.is_live, true) {
            return;
        }
        let place = self.live.partition_point(|live| live.0 > of.reduced);
        self.live.insert(place, (of.reduced, number));
        if place + 1 < self.n {
            self.head = None;
        }
    }

    /// Whether a window with an arrival of this reduced value, the greatest, may reach `needed`, by the sum of its
    /// reduced values and `base`; if so, `members` are the live slots that can be in it.
    pub(super) fn may_reach(&mut self, arrival: f64, now: f64, base: f64, needed: f64) -> bool {
        self.reach(arrival, base).is_some_and(|reach| reach >= needed)
            && self.look(arrival, now, base, needed)
    }

    /// No window with an arrival has a greater value; `None` where there are too few slots.
    fn reach(&mut self, arrival: f64, base: f64) -> Option<f64> {
        let nth = self.live.get(self.n - 1)?.0;
        let head = self.head.get_or_insert_with(|| self.live[..self.n - 1].iter().map(|live| live.0).sum());
        Some(base + *head + nth.min(arrival))
    }

    /// The same without what has expired.
    #[inline(never)]
    fn look(&mut self, arrival: f64, now: f64, base: f64, needed: f64) -> bool {
        let ranked = &mut self.ranked;
        self.live.retain(|&(_, number)| {
            let of = &mut ranked[number as usize];
            of.is_live = fits(now, of.span, of.end);
            of.is_live
        });
        self.head = None;
        if self.reach(arrival, base).is_none_or(|reach| reach < needed) {
            return false;
        }
        let least = needed - base - self.head.unwrap_or(0.0);
        let in_reach =
            self.live.iter().enumerate().take_while(|&(at, live)| at + 1 < self.n || live.0 >= least);
        self.members.clear();
        self.members.extend(in_reach.map(|(_, live)| live.1));
        self.members.len() >= self.n
    }
}
