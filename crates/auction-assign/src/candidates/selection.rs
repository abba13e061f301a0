//! The selection of the cheapest entries of a row, in order, with a bound on all others.

use crate::kernel::lanes::{self, BLOCK, count_at_most};
use crate::kernel::source::{Row, Source};
use crate::kernel::wide::block_minima;

/// A resource in the list of a job.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Offer {
    /// Cost + price when the list was made.
    pub(crate) key: f64,
    pub(crate) cost: f64,
    pub(crate) resource: u32,
}

/// The number of blocks whose minima are compared together.
const TOGETHER: usize = 8;

/// Inserts the last offer among the others, which are in ascending order of their keys, after equal ones.
#[inline]
fn insert_last(offers: &mut [Offer]) {
    let Some(mut to) = offers.len().checked_sub(1) else { return };
    let offer = offers[to];
    while to > 0 && offers[to - 1].key > offer.key {
        offers[to] = offers[to - 1];
        to -= 1;
    }
    offers[to] = offer;
}

/// The state of a selection, with buffers that are used again for the next row.
#[derive(Default)]
pub(crate) struct Selection {
    pub(crate) buffer: Vec<f64>,
    /// The chosen offers.
    pub(crate) chosen: Vec<Offer>,
    /// The minimum cost + price of each block of the row.
    pub(crate) minima: Vec<f64>,
    order: Vec<f64>,
    /// The difference between the threshold and the minimum of the row that suited the last rows.
    pub(crate) margin: f64,
    /// Whether the threshold is the minimum of the row, because enough entries have this value.
    tied: bool,
}

impl Selection {
    /// Chooses the offers of the list of job `i`, in order, including the dummy; returns a lower bound on the cost +
    /// price of all other resources.
    pub(crate) fn select(
        &mut self,
        source: &Source<'_>,
        i: usize,
        prices: &[f64],
        dummy: Option<f64>,
        width: usize,
    ) -> f64 {
        let keep = width - usize::from(dummy.is_some());
        self.chosen.clear();
        let mut buffer = std::mem::take(&mut self.buffer);
        let start = i * source.cols() / source.rows();
        let bound = match source.row(i, &mut buffer) {
            Row::Full(row) => {
                let prices = &prices[..row.len()];
                block_minima(row, prices, &mut self.minima);
                self.select_full(row, prices, keep, start)
            }
            Row::Listed(columns, costs) => self.select_listed(columns, costs, prices, keep, start),
        };
        self.buffer = buffer;
        if let Some(cost) = dummy {
            let resource = source.cols();
            self.chosen.push(Offer { key: cost + prices[resource], cost, resource: resource as u32 });
        }
        for count in 2..=self.chosen.len() {
            insert_last(&mut self.chosen[..count]);
        }
        bound
    }

    /// Chooses at least two (if there are as many) and at most `keep` of the cheapest entries of a full row; returns a
    /// lower bound on all others. Among equals those from `start` on come first. `minima` must hold the minimum of each
    /// block.
    pub(crate) fn select_full(&mut self, row: &[f64], prices: &[f64], keep: usize, start: usize) -> f64 {
        let threshold = self.threshold(keep);
        let left = if threshold < f64::MAX { threshold } else { f64::INFINITY };
        let mut equal = 0;
        let first = (start / (BLOCK * TOGETHER)).min(self.minima.len() / TOGETHER);
        let groups = self.minima.len().div_ceil(TOGETHER);
        let any = |group: usize| {
            let minima = self.minima[group * TOGETHER..].iter().take(TOGETHER);
            minima.fold(false, |any, &minimum| any | (minimum <= threshold))
        };
        let blocks = |group: usize| group * TOGETHER..((group + 1) * TOGETHER).min(self.minima.len());
        for block in (first..groups).chain(0..first).filter(|&group| any(group)).flat_map(blocks) {
            if self.tied && equal == keep {
                break;
            }
            if self.minima[block] > threshold || (equal == keep && self.minima[block] == threshold) {
                continue;
            }
            let from = block * BLOCK;
            let (costs, prices) = (&row[from..], &prices[from..row.len()]);
            let mut see = |k: usize, cost: f64, price: f64| {
                let key = cost + price;
                if !(key <= threshold) {
                    return;
                }
                // No more offers equal to the threshold than can be kept.
                if key == threshold {
                    if equal == keep {
                        return;
                    }
                    equal += 1;
                }
                self.chosen.push(Offer { key, cost, resource: (from + k) as u32 });
            };
            // Full blocks separately, because the compiler knows their length.
            match (costs.first_chunk::<BLOCK>(), prices.first_chunk::<BLOCK>()) {
                (Some(costs), Some(prices)) => (0..BLOCK).for_each(|k| see(k, costs[k], prices[k])),
                _ => {
                    costs.iter().zip(prices).enumerate().for_each(|(k, (&cost, &price))| see(k, cost, price))
                }
            }
        }
        self.cut(keep, left, start)
    }

    /// Returns a threshold such that about three quarters of `keep` blocks have an entry not above it; with fewer
    /// blocks, the largest finite number.
    ///
    /// The rows of a matrix are usually alike, so the margin above the minimum that suited the last rows is tried
    /// first.
    fn threshold(&mut self, keep: usize) -> f64 {
        let wanted = keep * 3 / 4;
        if self.minima.len() <= wanted {
            self.tied = false;
            return f64::MAX;
        }
        let minimum = lanes::min(&self.minima);
        // Not infinity, which marks forbidden pairs.
        let guess = (minimum + self.margin).min(f64::MAX);
        let count = count_at_most(&self.minima, guess);
        self.tied = count > keep && count_at_most(&self.minima, minimum) >= keep;
        if self.tied {
            return minimum;
        }
        if count > wanted / 2 && count <= keep {
            self.margin *= 1.0 + (wanted as f64 - count as f64) / (8.0 * wanted as f64);
            return guess;
        }
        self.order.clear();
        self.order.extend_from_slice(&self.minima);
        let (_, &mut at, _) = self.order.select_nth_unstable_by(wanted, f64::total_cmp);
        let at = at.min(f64::MAX);
        self.margin = (at - minimum).min(f64::MAX);
        at
    }

    /// Chooses the `keep` cheapest entries of a sparse row; returns a lower bound on all others.
    fn select_listed(
        &mut self,
        columns: &[u32],
        costs: &[f64],
        prices: &[f64],
        keep: usize,
        start: usize,
    ) -> f64 {
        let first = columns.partition_point(|&resource| (resource as usize) < start);
        let chosen = &mut self.chosen;
        let (mut last, mut left) = (f64::INFINITY, f64::INFINITY);
        for range in [first..columns.len(), 0..first] {
            for (&resource, &cost) in columns[range.clone()].iter().zip(&costs[range]) {
                let key = cost + prices[resource as usize];
                // Never true for infinity. Once the list is full, `last` is the key of its most expensive offer.
                if key < last {
                    if chosen.len() == keep {
                        chosen.truncate(keep - 1);
                        left = last;
                    }
                    chosen.push(Offer { key, cost, resource });
                    insert_last(chosen);
                    if chosen.len() == keep {
                        last = chosen[keep - 1].key;
                    }
                } else if key < left {
                    left = key;
                }
            }
        }
        left
    }

    /// Keeps the `keep` cheapest of the chosen offers. `left` is a lower bound on the entries that were not chosen;
    /// returns one on all that are not kept.
    ///
    /// Among equals those from `start` on come first, so that the lists of different jobs do not all contain the same
    /// few resources.
    fn cut(&mut self, keep: usize, left: f64, start: usize) -> f64 {
        if self.chosen.len() <= keep {
            return left;
        }
        self.order.clear();
        self.order.extend(self.chosen.iter().map(|offer| offer.key));
        let (below, &mut bound, _) = self.order.select_nth_unstable_by(keep, f64::total_cmp);
        let equal = below.iter().filter(|&&key| key == bound).count();
        let is_ahead = |offer: &Offer| offer.resource as usize >= start;
        let ahead = self.chosen.iter().filter(|offer| offer.key == bound && is_ahead(offer)).count();
        let mut left_of = [equal - equal.min(ahead), equal.min(ahead)];
        self.chosen.retain(|offer| {
            let left = &mut left_of[usize::from(is_ahead(offer))];
            let fits = offer.key == bound && *left > 0;
            *left -= usize::from(fits);
            offer.key < bound || fits
        });
        left.min(bound)
    }
}
