//! Candidate lists: for each job its few cheapest resources at some earlier prices, and a bound on all others.
//!
//! Prices only rise. So the cost + price at the earlier prices (the *key* of an offer) is a lower bound on the present
//! cost + price of a listed resource, and the bound of a job on that of all other resources. If the two best listed
//! offers of a job are below its bound, its row need not be read: a bid or a step of a shortest path then reads a few
//! numbers instead of a row.

use crate::candidates::selection::{Offer, Selection};
use crate::kernel::lanes::BLOCK;
use crate::kernel::prepared::Prepared;
use crate::kernel::source::{Row, Source};
use crate::kernel::watch::Stop;
use crate::kernel::wide::block_minima;
use crate::parallel::{over_ranges, rows_per_range};

/// The filler for unused entries of a list.
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

/// The work of reading an entry when a list is made, of sorting each offer for which the list has room, and of
/// comparing an entry with a limit. The unit is an entry read in a plain loop over a row. (In instructions: a list of
/// 16 takes 4,000 to 5,200, plus 5 to 6 per entry; a plain loop takes about 5 per entry.)
const WORK_REFILL: u64 = 2;
const WORK_LISTED: u64 = 48;
const WORK_VISIT: u64 = 2;

/// The lists of all jobs.
pub(crate) struct CandidateLists<'a> {
    source: Source<'a>,
    /// The cost on the dummy, if there is one. The dummy is in every list.
    dummy: Option<f64>,
    /// The maximum number of offers of a list.
    width: usize,
    /// The number of offers of each list.
    counts: Vec<u32>,
    /// The bound of each job.
    bounds: Vec<f64>,
    /// The offers of all lists, `width` entries for each job.
    offers: Vec<Offer>,
    scratch: Selection,
    /// The work so far (see `WORK_*`).
    pub(crate) work: u64,
    /// The present epoch, which the searches of shortest paths count, and the epoch in which each list was made.
    pub(crate) epoch: u32,
    made_in: Vec<u32>,
    /// By how much an unlisted resource may be better than the second best of a list before the list is remade.
    pub(crate) slack: f64,
}

impl<'a> CandidateLists<'a> {
    /// Makes the lists of all jobs at these prices.
    pub(crate) fn new(prepared: &Prepared<'a>, prices: &[f64]) -> Result<Self, Stop> {
        let (mut lists, watch) = (Self::allocate(prepared)?, prepared.watch);
        if cfg!(feature = "rayon") && !watch.is_limited() {
            lists.refill_all(prices);
            watch.spend(lists.work)?;
            return Ok(lists);
        }
        let together = rows_per_range(prepared.jobs(), prepared.source.all_entries());
        let mut seen = 0;
        for i in 0..prepared.jobs() {
            if i.is_multiple_of(together) {
                // As in `refill_all`, where every range begins with a new `Selection`.
                lists.scratch.margin = 0.0;
            }
            lists.refill(i, prices);
            watch.spend_since(&mut seen, lists.work)?;
        }
        // As after `refill_all`.
        lists.scratch.margin = 0.0;
        Ok(lists)
    }

    /// Makes all lists, range by range, possibly on several threads.
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

    /// Stores the chosen offers, in order, as the list of job `i`. If lists are first made job by job, this allocates
    /// their memory.
    fn store_chosen(&mut self, i: usize) {
        let chosen = &mut self.scratch.chosen;
        let end = (i + 1) * self.width;
        if self.offers.len() < end {
            self.offers.resize(end, BLANK);
        }
        self.counts[i] = chosen.len() as u32;
        self.offers[i * self.width..i * self.width + chosen.len()].copy_from_slice(chosen);
    }

    /// Creates lists that contain only the dummy, if there is one. In the next epoch they are stale, and each is made
    /// when it is first needed.
    pub(crate) fn lazy(prepared: &Prepared<'a>, prices: &[f64]) -> Result<Self, Stop> {
        let mut lists = Self::allocate(prepared)?;
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

    /// Creates empty lists. Lists of full rows are longer than those of sparse rows, and these are longer if resources
    /// have one place, because jobs then bid more often.
    fn allocate(prepared: &Prepared<'a>) -> Result<Self, Stop> {
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
            made_in: vec![0; n],
            slack: 0.0,
        })
    }

    /// The offers of job `i`, in ascending order of their keys.
    #[inline(always)]
    pub(crate) fn of(&self, i: usize) -> &[Offer] {
        let from = i * self.width;
        &self.offers[from..from + self.counts[i] as usize]
    }

    /// The bound of job `i`: no unlisted resource has a lower cost + price.
    #[inline(always)]
    pub(crate) fn bound(&self, i: usize) -> f64 {
        self.bounds[i]
    }

    /// Whether the list of job `i` was made before the present epoch.
    pub(crate) fn stale(&self, i: usize) -> bool {
        self.made_in[i] < self.epoch
    }

    /// Returns the median, over all lists, of the difference between the keys of the most expensive and the cheapest
    /// offer.
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

    /// Returns the number of jobs that had at least three equally cheap best offers when their lists were made. (Two
    /// are normal after bids without increment, which raise the price of the best up to the second best.)
    pub(crate) fn tied_jobs(&self) -> usize {
        (0..self.counts.len())
            .filter(|&i| matches!(self.of(i), [first, _, third, ..] if first.key == third.key))
            .count()
    }

    /// Remakes the list of job `i` at the present prices.
    pub(crate) fn refill(&mut self, i: usize, prices: &[f64]) {
        self.work += WORK_REFILL * self.source.entries(i) + WORK_LISTED * self.width as u64;
        self.made_in[i] = self.epoch;
        self.bounds[i] = self.scratch.select(&self.source, i, prices, self.dummy, self.width);
        self.store_chosen(i);
    }

    /// Returns the two best offers of job `i`, to within the slack; `None` if it has none. Remakes the list if it is
    /// not sufficient. Ties: the offer listed first.
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

    /// Whether no resource of job `i` has a cost + price below `limit`, to within the slack. If the whole row had to be
    /// read, the bound is raised to the limit.
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
        let holds = self.min_sum(i, prices) >= limit;
        if holds {
            self.bounds[i] = limit;
            // As if remade: the bound is of this epoch, so no search reads the row again for a higher one.
            self.made_in[i] = self.epoch;
        }
        holds
    }

    /// Returns the minimum cost + price of job `i`, without the dummy, which is always listed.
    fn min_sum(&mut self, i: usize, prices: &[f64]) -> f64 {
        self.work += self.source.entries(i);
        self.source.row(i, &mut self.scratch.buffer).min_sum(prices)
    }

    /// As [`for_each_below`](Self::for_each_below), including the dummy; reads only the list if its bound is
    /// sufficient.
    pub(crate) fn for_each_near(
        &mut self,
        i: usize,
        prices: &[f64],
        limit: f64,
        mut visit: impl FnMut(u32, f64),
    ) {
        let (is_listed, unplaced) = (self.bounds[i] >= limit, self.source.cols() as u32);
        for &Offer { cost, resource, .. } in self.of(i) {
            if (is_listed || resource == unplaced) && cost + prices[resource as usize] < limit {
                visit(resource, cost);
            }
        }
        if !is_listed {
            self.for_each_below(i, prices, limit, visit);
        }
    }

    /// Calls `visit(resource, cost)` for every admissible resource of job `i` whose cost + price is below `limit`.
    pub(crate) fn for_each_below(
        &mut self,
        i: usize,
        prices: &[f64],
        limit: f64,
        mut visit: impl FnMut(u32, f64),
    ) {
        self.work += WORK_VISIT * self.source.entries(i);
        let Selection { buffer, minima, .. } = &mut self.scratch;
        let mut see = |r: usize, cost: f64| {
            if cost + prices[r] < limit {
                visit(r as u32, cost);
            }
        };
        match self.source.row(i, buffer) {
            Row::Full(row) => {
                block_minima(row, prices, minima);
                let near = minima.iter().enumerate().filter(|&(_, &minimum)| minimum < limit);
                for from in near.map(|(block, _)| block * BLOCK) {
                    (from..row.len().min(from + BLOCK)).for_each(|r| see(r, row[r]));
                }
            }
            listed @ Row::Listed(..) => listed.each(see),
        }
    }
}
