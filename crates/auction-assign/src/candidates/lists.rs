//! For each job its few cheapest resources at some earlier prices, and a bound on all others.
//!
//! The kernels only ever raise prices. So cost + price at that earlier moment (the *key*) is a lower bound on the
//! sum now, for the listed resources and, through the job's bound, for all others: if the two best listed offers of
//! a job are below its bound, its row is not read. A bid or a step of a shortest path then reads a handful of
//! numbers instead of a row.

use crate::candidates::selection::{Offer, Selection};
use crate::kernel::lanes::BLOCK;
use crate::kernel::prepared::Prepared;
use crate::kernel::source::{Row, Source};
use crate::kernel::watch::Stop;
use crate::kernel::wide::least_per_block;
use crate::parallel::{over_ranges, rows_together};

/// The filler of the unused entries of a list.
const BLANK: Offer = Offer { key: 0.0, cost: 0.0, resource: 0 };

/// The two best offers of a job at the present prices.
#[derive(Clone, Copy)]
pub(crate) struct Best {
    /// Cost + price of the best offer.
    pub(crate) value: f64,
    pub(crate) cost: f64,
    pub(crate) resource: u32,
    /// Cost + price of the second best offer; infinite if there is none.
    pub(crate) second: f64,
}

/// The work of reading an entry when a list is made, of sorting each offer that the list has room for, and of
/// comparing an entry with a limit. An entry read in a plain loop over a row costs 1. (In instructions: a list of
/// 16 takes 4,000 to 5,200, plus 5 to 6 per entry; a plain loop takes about 5 per entry.)
const WORK_REFILL: u64 = 2;
const WORK_LISTED: u64 = 48;
const WORK_VISIT: u64 = 2;

/// The lists of all jobs.
pub(crate) struct CandidateLists<'a> {
    source: Source<'a>,
    /// The cost of staying unplaced, which is listed as a resource after the last one.
    dummy: Option<f64>,
    width: usize,
    counts: Vec<u32>,
    bounds: Vec<f64>,
    offers: Vec<Offer>,
    scratch: Selection,
    /// Entries read so far, each counted with its work (see `WORK_*`).
    pub(crate) work: u64,
    pub(crate) epoch: u32,
    made: Vec<u32>,
    /// By how much an unlisted resource may be better than the second best of a list before the list is remade.
    pub(crate) slack: f64,
}

impl<'a> CandidateLists<'a> {
    /// Makes lists for every job at these prices.
    pub(crate) fn new(prepared: &Prepared<'a>, prices: &[f64]) -> Result<Self, Stop> {
        let (mut lists, watch) = (Self::empty(prepared)?, prepared.watch);
        if cfg!(feature = "rayon") && !watch.is_limited() {
            lists.refill_all(prices);
            watch.spend(lists.work)?;
            return Ok(lists);
        }
        let together = rows_together(prepared.jobs(), prepared.source.all_entries());
        let mut seen = 0;
        for i in 0..prepared.jobs() {
            if i.is_multiple_of(together) {
                // As for a range of its own: the margin of the rows before is not used.
                lists.scratch.margin = 0.0;
            }
            lists.refill(i, prices);
            watch.spend_since(&mut seen, lists.work)?;
        }
        // As after ranges of their own.
        lists.scratch.margin = 0.0;
        Ok(lists)
    }

    /// Makes all lists, range by range.
    fn refill_all(&mut self, prices: &[f64]) {
        let (n, width, dummy, source) = (self.counts.len(), self.width, self.dummy, self.source);
        let parts = over_ranges(n, source.all_entries(), |range| {
            let mut scratch = Selection::default();
            let mut part = (Vec::with_capacity(range.len()), Vec::with_capacity(range.len() * width));
            for i in range {
                let bound = scratch.select(&source, i, prices, dummy, width);
                part.0.push((bound, scratch.chosen.len() as u32));
                scratch.chosen.resize(width, BLANK);
                part.1.extend_from_slice(&scratch.chosen);
            }
            part
        });
        self.offers.clear();
        let mut at = 0;
        for (rows, offers) in parts {
            for (bound, count) in rows {
                (self.bounds[at], self.counts[at]) = (bound, count);
                at += 1;
            }
            self.offers.extend(offers);
        }
        self.work += WORK_REFILL * self.source.all_entries();
        self.work += WORK_LISTED * (self.width * self.counts.len()) as u64;
    }

    /// Stores the chosen offers, in order, as the list of job `i`. Lists that are first made job by job take their
    /// memory here.
    fn keep_chosen(&mut self, i: usize) {
        let chosen = &mut self.scratch.chosen;
        let end = (i + 1) * self.width;
        if self.offers.len() < end {
            self.offers.resize(end, BLANK);
        }
        self.counts[i] = chosen.len() as u32;
        self.offers[i * self.width..i * self.width + chosen.len()].copy_from_slice(chosen);
    }

    /// Lists that are made when they are first needed, in the next epoch; of staying unplaced alone until then.
    pub(crate) fn unmade(prepared: &Prepared<'a>, prices: &[f64]) -> Result<Self, Stop> {
        let mut lists = Self::empty(prepared)?;
        lists.bounds.fill(f64::NEG_INFINITY);
        lists.offers.resize(lists.bounds.len() * lists.width, BLANK);
        if let Some(cost) = lists.dummy {
            lists.counts.fill(1);
            let resource = lists.source.cols();
            let offer = Offer { key: cost + prices[resource], cost, resource: resource as u32 };
            lists.offers.iter_mut().step_by(lists.width).for_each(|first| *first = offer);
        }
        Ok(lists)
    }

    /// Room for lists: longer for full rows than for sparse ones, and where jobs bid often.
    fn empty(prepared: &Prepared<'a>) -> Result<Self, Stop> {
        let (n, dummy) = (prepared.jobs(), prepared.dummy);
        let listed = match (prepared.source.is_sparse(), prepared.problem.is_one_to_one()) {
            (false, _) => 16,
            (true, true) => 8,
            (true, false) => 4,
        };
        prepared.watch.reserve::<Offer>(n.saturating_mul(listed))?;
        let width = listed + usize::from(dummy.is_some());
        Ok(Self {
            source: prepared.source,
            dummy,
            width,
            counts: vec![0; n],
            bounds: vec![f64::INFINITY; n],
            offers: Vec::with_capacity(n * width),
            scratch: Selection::default(),
            work: 0,
            epoch: 0,
            made: vec![0; n],
            slack: 0.0,
        })
    }

    /// The offers of job `i`, in order of their keys.
    #[inline(always)]
    pub(crate) fn of(&self, i: usize) -> &[Offer] {
        let from = i * self.width;
        &self.offers[from..from + self.counts[i] as usize]
    }

    /// No unlisted resource of job `i` has a cost + price below this.
    #[inline(always)]
    pub(crate) fn bound(&self, i: usize) -> f64 {
        self.bounds[i]
    }

    pub(crate) fn stale(&self, i: usize) -> bool {
        self.made[i] < self.epoch
    }

    /// The median, over all lists, of the difference between the most expensive offer and the cheapest.
    pub(crate) fn spread(&self) -> f64 {
        let mut spreads: Vec<f64> = (0..self.counts.len())
            .filter_map(
                |i| if let [first, .., last] = self.of(i) { Some(last.key - first.key) } else { None },
            )
            .collect();
        if spreads.is_empty() {
            return 0.0;
        }
        let middle = spreads.len() / 2;
        *spreads.select_nth_unstable_by(middle, f64::total_cmp).1
    }

    /// How many jobs had at least three best offers when their lists were made. (Bids without increment leave two:
    /// the second set the price of the first.)
    pub(crate) fn ties(&self) -> usize {
        (0..self.counts.len())
            .filter(|&i| matches!(self.of(i), [first, _, third, ..] if first.key == third.key))
            .count()
    }

    /// Remakes the list of job `i` at the present prices.
    pub(crate) fn refill(&mut self, i: usize, prices: &[f64]) {
        self.work += WORK_REFILL * self.source.entries(i) + WORK_LISTED * self.width as u64;
        self.made[i] = self.epoch;
        self.bounds[i] = self.scratch.select(&self.source, i, prices, self.dummy, self.width);
        self.keep_chosen(i);
    }

    /// The two best offers of job `i`, to within the slack; `None` if it has none. Ties: the offer listed first.
    #[inline]
    pub(crate) fn best(&mut self, i: usize, prices: &[f64]) -> Option<Best> {
        loop {
            let mut best =
                Best { value: f64::INFINITY, cost: 0.0, resource: u32::MAX, second: f64::INFINITY };
            for offer in self.of(i) {
                if offer.key >= best.second {
                    break;
                }
                let value = offer.cost + prices[offer.resource as usize];
                if value < best.value {
                    best = Best { value, cost: offer.cost, resource: offer.resource, second: best.value };
                } else if value < best.second {
                    best.second = value;
                }
            }
            if best.second <= self.bounds[i] + self.slack {
                return (best.resource != u32::MAX).then_some(best);
            }
            self.refill(i, prices);
        }
    }

    /// Whether job `i` has no offer below this limit, to within the slack. If the whole row had to be read, the
    /// bound keeps the result.
    pub(crate) fn none_below(&mut self, i: usize, prices: &[f64], limit: f64) -> bool {
        for offer in self.of(i) {
            if offer.key >= limit {
                break;
            }
            if offer.cost + prices[offer.resource as usize] < limit {
                return false;
            }
        }
        if self.bounds[i] + self.slack >= limit {
            return true;
        }
        let holds = self.least(i, prices) >= limit;
        if holds {
            self.bounds[i] = limit;
            self.made[i] = self.epoch;
        }
        holds
    }

    /// The minimum cost + price of job `i`, not counting staying unplaced, which is always listed.
    fn least(&mut self, i: usize, prices: &[f64]) -> f64 {
        self.work += self.source.entries(i);
        self.source.row(i, &mut self.scratch.buffer).least_sum(prices)
    }

    /// As [`every`](Self::every), with staying unplaced; reads the list alone if its bound suffices.
    pub(crate) fn near(&mut self, i: usize, prices: &[f64], limit: f64, mut visit: impl FnMut(u32, f64)) {
        let (is_listed, unplaced) = (self.bounds[i] >= limit, self.source.cols() as u32);
        for &Offer { cost, resource, .. } in self.of(i) {
            if (is_listed || resource == unplaced) && cost + prices[resource as usize] < limit {
                visit(resource, cost);
            }
        }
        if !is_listed {
            self.every(i, prices, limit, visit);
        }
    }

    /// Calls `visit(resource, cost)` for every admissible resource of job `i` whose cost + price is below `limit`.
    pub(crate) fn every(&mut self, i: usize, prices: &[f64], limit: f64, mut visit: impl FnMut(u32, f64)) {
        self.work += WORK_VISIT * self.source.entries(i);
        let Selection { buffer, minima, .. } = &mut self.scratch;
        let mut see = |r: usize, cost: f64| {
            if cost + prices[r] < limit {
                visit(r as u32, cost);
            }
        };
        match self.source.row(i, buffer) {
            Row::Full(row) => {
                least_per_block(row, prices, minima);
                let near = minima.iter().enumerate().filter(|&(_, &least)| least < limit);
                for from in near.map(|(block, _)| block * BLOCK) {
                    (from..row.len().min(from + BLOCK)).for_each(|r| see(r, row[r]));
                }
            }
            listed @ Row::Listed(..) => listed.each(see),
        }
    }
}
