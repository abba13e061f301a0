//! One pass over the slots of one level, by reduced values: it finds the arrivals that can be in a
//! window above a given value, and the slots that can be in it with them.
//!
//! The classes of the level are ranked by reduced value, greatest first; a bit for each records whether it is
//! live. Only a slot that has just arrived can make a window better than all before, so that each group of
//! equal starts is tested by its arrival of greatest reduced value: the value of a window with an arrival is
//! at most that reduced value plus the n - 1 greatest others (or the n greatest, if it is among them), plus
//! the multiplier's share of the budget.

use super::{
    best::Notes,
    catalogue::{Catalogue, NONE},
};
use crate::{
    WindowError,
    sweep::{Held, fits},
};
use sched_model::{End, Meter, Span, Tariff, order::sort_keys};

/// A class that matters on the present level.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ranked {
    pub(crate) reduced: f64,
    pub(crate) value: f64,
    pub(crate) cost: f64,
    pub(crate) span: f64,
    /// The span of the task alone.
    pub(crate) own: Span,
    /// End and position of its slot that arrived last.
    pub(crate) end: f64,
    pub(crate) at: u32,
    pub(crate) node: u32,
    pub(crate) class: u32,
}

/// A class that can be on a level, with its reduced value there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    pub(crate) reduced: f64,
    pub(crate) class: u32,
    pub(crate) node: u32,
    pub(crate) span: f64,
    pub(crate) cost: f64,
}

impl Candidate {
    /// Greatest reduced value first; of equal ones the lower node, then the earlier class.
    pub(crate) fn order(&self, other: &Self) -> std::cmp::Ordering {
        let by_worth = other.reduced.total_cmp(&self.reduced);
        by_worth.then_with(|| (self.node, self.class).cmp(&(other.node, other.class)))
    }
}

/// The pass and its memory.
#[derive(Debug, Default)]
pub(crate) struct Pass {
    n: usize,
    pub(crate) candidates: Vec<Candidate>,
    /// Greatest reduced value first.
    pub(crate) ranked: Vec<Ranked>,
    /// Rank of each class.
    rank: Vec<u32>,
    /// A bit for each piece of the catalogue that fits.
    arriving: Vec<u64>,
    /// Live ranks, a bit each; bits of expired slots are cleared when they are read.
    live: Vec<u64>,
    /// Reduced values and old ranks while ranks change, and the old live bits.
    order: Vec<(f64, u32)>,
    old: Vec<Ranked>,
    old_live: Vec<u64>,
    /// Ranks that can be in a window above the needed value, after [`may_reach`](Self::may_reach).
    pub(crate) members: Vec<u32>,
    head: Head,
}

/// The n - 1 live ranks of greatest reduced value. Some may have expired since the last test: so their sum is
/// an upper bound.
#[derive(Debug, Clone, Copy, Default)]
struct Head {
    sum: f64,
    /// The head is the live ranks below this one.
    end: u32,
    /// The number of changes of the sum since the last test, each of which is rounded.
    changes: u32,
    /// While the head is not known: the greatest number of live slots.
    count: usize,
}

impl Head {
    /// The head while at most `count` slots are live; for n = 1 it is empty and known.
    fn unknown(n: usize, count: usize) -> Self {
        if n == 1 {
            Self { sum: 0.0, end: 0, changes: 0, count }
        } else {
            Self { sum: f64::INFINITY, end: u32::MAX, changes: 0, count }
        }
    }
}

/// So many classes are looked at between two questions of the meter.
const PART: usize = 1 << 12;

/// The sum of the head is computed anew after so many changes, so that rounding stays within the margins.
const CHANGES: u32 = 16;

/// The highest bit below `end`.
#[inline]
fn bit_before(bits: &[u64], end: u32) -> Option<u32> {
    let mut word = end as usize / 64;
    let mut rest = bits.get(word).map_or(0, |bits| bits & ((1 << (end % 64)) - 1));
    while rest == 0 {
        word = word.checked_sub(1)?;
        rest = bits[word];
    }
    Some(word as u32 * 64 + rest.ilog2())
}

/// The lowest bit from `start` on.
#[inline]
fn bit_from(bits: &[u64], start: u32) -> Option<u32> {
    let mut word = start as usize / 64;
    let mut rest = bits.get(word)? & (u64::MAX << (start % 64));
    while rest == 0 {
        word += 1;
        rest = *bits.get(word)?;
    }
    Some(word as u32 * 64 + rest.trailing_zeros())
}

impl Pass {
    /// Lists the classes that can be on a level, with their reduced values: of the fastest so many, held so long,
    /// each for at most the budget. Each class is a unit of work.
    pub(crate) fn list(
        &mut self,
        catalogue: &Catalogue,
        (classes, held): (usize, Held),
        (tariff, budget): (&Tariff, f64),
        lambda: f64,
        meter: &mut Meter,
    ) -> Result<(), End> {
        self.candidates.clear();
        for part in catalogue.by_span[..classes].chunks(PART) {
            meter.spend(part.len() as u64)?;
            for &(_, number) in part {
                let class = &catalogue.classes[number as usize];
                if let Some((span, cost)) = class.held(held, tariff, budget) {
                    let reduced = class.value - lambda * cost;
                    self.candidates.push(Candidate { reduced, class: number, node: class.node, span, cost });
                }
            }
        }
        Ok(())
    }

    /// Ranks the candidates that a window of n can hold whose reduced values, with `base`, reach `needed`. Each
    /// slot of those that are ranked is a unit of work.
    pub(super) fn rank(
        &mut self,
        n: usize,
        (base, needed): (f64, f64),
        catalogue: &Catalogue,
        meter: &mut Meter,
    ) -> Result<(), WindowError> {
        let Self { candidates, ranked, rank, .. } = self;
        self.n = n;
        ranked.clear();
        if candidates.len() < n {
            return Ok(());
        }
        if needed > f64::NEG_INFINITY && candidates.len() > n {
            // A class below the n-th in rank loses at least the difference to the n-th.
            candidates.select_nth_unstable_by(n - 1, Candidate::order);
            let top: f64 = candidates[..n].iter().map(|candidate| candidate.reduced).sum();
            let least = candidates[n - 1].reduced - (base + top - needed);
            candidates.retain(|candidate| candidate.reduced >= least);
        }
        candidates.sort_unstable_by(Candidate::order);
        rank.clear();
        rank.resize(catalogue.classes.len(), NONE);
        self.arriving.clear();
        self.arriving.resize(catalogue.pieces.len().div_ceil(64), 0);
        for candidate in candidates.iter() {
            let class = &catalogue.classes[candidate.class as usize];
            rank[candidate.class as usize] = ranked.len() as u32;
            ranked.push(Ranked {
                reduced: candidate.reduced,
                value: class.value,
                cost: candidate.cost,
                span: candidate.span,
                own: class.own,
                end: f64::NEG_INFINITY,
                at: 0,
                node: class.node,
                class: candidate.class,
            });
            let mut next = class.last;
            let mut read = 0;
            while let Some(piece) = catalogue.pieces.get(next as usize) {
                let fits = fits(piece.start, candidate.span, piece.end);
                self.arriving[next as usize / 64] |= u64::from(fits) << (next % 64);
                next = piece.before;
                read += 1;
            }
            meter.spend(read)?;
        }
        Ok(())
    }

    /// Ranks the classes anew by another multiplier, during the pass.
    pub(crate) fn rerank(&mut self, lambda: f64) {
        let Self { ranked, rank, live, order, old, old_live, .. } = self;
        order.clear();
        order.extend((0..).zip(ranked.iter()).map(|(at, class)| (-(class.value - lambda * class.cost), at)));
        sort_keys(order);
        std::mem::swap(ranked, old);
        std::mem::swap(live, old_live);
        ranked.clear();
        live.clear();
        live.resize(old_live.len(), 0);
        for (number, &(loss, before)) in order.iter().enumerate() {
            let class = Ranked { reduced: -loss, ..old[before as usize] };
            rank[class.class as usize] = number as u32;
            let bit = old_live[before as usize / 64] >> (before % 64) & 1;
            live[number / 64] |= bit << (number % 64);
            ranked.push(class);
        }
        self.head = Head::unknown(self.n, usize::MAX);
    }

    /// Reads the slots in time order; `group` is called after each group of equal starts, with the start and
    /// the rank of its arrival of greatest reduced value. Each piece of the catalogue is a unit of work, counted
    /// for a word of them at once.
    pub(super) fn run(
        &mut self,
        catalogue: &Catalogue,
        notes: &mut Notes<'_>,
        mut group: impl FnMut(&mut Self, &mut Notes<'_>, f64, u32) -> Result<(), WindowError>,
    ) -> Result<(), WindowError> {
        self.live.clear();
        self.live.resize(self.ranked.len().div_ceil(64), 0);
        self.head = Head::unknown(self.n, 0);
        let mut now = f64::NEG_INFINITY;
        let mut best = NONE;
        for word_number in 0..self.arriving.len() {
            let mut word = self.arriving[word_number];
            notes.spend((catalogue.pieces.len() - 64 * word_number).min(64))?;
            while word != 0 {
                let number = word_number * 64 + word.trailing_zeros() as usize;
                word &= word - 1;
                let piece = &catalogue.pieces[number];
                if piece.start > now {
                    if best != NONE {
                        group(self, notes, now, best)?;
                    }
                    now = piece.start;
                    best = NONE;
                }
                let rank = self.rank[piece.class as usize];
                let ranked = &mut self.ranked[rank as usize];
                ranked.end = piece.end;
                ranked.at = piece.at;
                let (word, bit) = (rank as usize / 64, 1 << (rank % 64));
                let is_new = self.live[word] & bit == 0;
                self.live[word] |= bit;
                best = best.min(rank);
                if is_new && self.head.sum == f64::INFINITY {
                    self.head.count = self.head.count.saturating_add(1);
                } else if is_new && rank < self.head.end {
                    // It takes the place of the last one in the head.
                    let reduced = self.ranked[rank as usize].reduced;
                    if let Some(last) = bit_before(&self.live, self.head.end) {
                        self.head.sum += reduced - self.ranked[last as usize].reduced;
                        self.head.end = last;
                        self.head.changes += 1;
                    }
                }
            }
        }
        if best != NONE { group(self, notes, now, best) } else { Ok(()) }
    }

    /// Whether a window with an arrival may reach `needed`, by the sum of its reduced values and `base`; if
    /// so, `members` are the live ranks that can be in it.
    #[inline]
    pub(crate) fn may_reach(&mut self, arrival: u32, now: f64, base: f64, needed: f64) -> bool {
        let Head { sum, end, changes, count } = self.head;
        if sum == f64::INFINITY && count < self.n {
            return false;
        }
        if changes < CHANGES && sum < f64::INFINITY {
            // With the arrival, or the next one if that is in the head.
            let last = if arrival < end { bit_from(&self.live, end) } else { Some(arrival) };
            let reach = last.map(|last| base + sum + self.ranked[last as usize].reduced);
            if reach.is_none_or(|reach| reach < needed) {
                return false;
            }
        }
        self.look(self.ranked[arrival as usize].reduced, now, base, needed)
    }

    #[inline(never)]
    fn look(&mut self, arrival: f64, now: f64, base: f64, needed: f64) -> bool {
        let Self { n, ranked, live, members, head, .. } = self;
        let n = *n;
        members.clear();
        // The sum of the n - 1 greatest; the least that one more must have.
        let mut sum = 0.0;
        let mut least = if n == 1 { needed - base } else { f64::NEG_INFINITY };
        *head = Head::unknown(n, usize::MAX);
        for (word_number, word) in live.iter_mut().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                let number = word_number * 64 + bit as usize;
                let class = &ranked[number];
                if !fits(now, class.span, class.end) {
                    *word &= !(1 << bit);
                    continue;
                }
                if members.len() + 1 < n {
                    sum += class.reduced;
                    if members.len() + 2 == n {
                        *head = Head { sum, end: number as u32 + 1, changes: 0, count: 0 };
                        least = needed - base - sum;
                    }
                } else {
                    // With the n-th, or with the arrival below it.
                    if members.len() + 1 == n && class.reduced.min(arrival) < least {
                        return false;
                    }
                    if class.reduced < least {
                        return true;
                    }
                }
                members.push(number as u32);
            }
        }
        // All live ranks are members.
        head.count = members.len();
        members.len() >= n
    }
}
