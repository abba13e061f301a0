//! The two least sums of a cost and a price in a row, and the position of the least.

use crate::kernel::NONE;
use crate::kernel::lanes::{first_equal, least};
use crate::kernel::number::lesser;
use crate::kernel::wide::widest;

/// Entries side by side.
const LANES: usize = 8;

/// Stripes of a row whose entries at the same place have one minimum.
const STRIPES: usize = 8;

/// The facts that a bid needs of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TwoLeast {
    /// The least cost + price.
    pub(crate) least: f64,
    /// Its resource; any of them where several are equal.
    pub(crate) at: usize,
    /// The least of all others, infinite where there is none.
    pub(crate) second: f64,
}

/// The two least sums of cost and price of a row that is not empty; `minima` is a buffer.
///
/// A row is cut into stripes. The minimum over the stripes is computed for each position without branches;
/// only these minima, and the entries at the position of the least, are then searched.
pub(crate) fn two_least(row: &[f64], prices: &[f64], minima: &mut Vec<f64>) -> TwoLeast {
    minima.resize(row.len() / STRIPES + 1, f64::INFINITY);
    widest(
        #[inline(always)]
        || two_least_by(row, prices, minima),
    )
}

#[inline(always)]
fn two_least_by(row: &[f64], prices: &[f64], minima: &mut [f64]) -> TwoLeast {
    let prices = &prices[..row.len()];
    let width = row.len() / STRIPES;
    least_of_stripes(row, prices, &mut minima[..width]);
    let rest = row[STRIPES * width..].iter().zip(&prices[STRIPES * width..]);
    minima[width] = rest.map(|(&cost, &price)| cost + price).fold(f64::INFINITY, lesser);
    let lowest = least(minima);
    let place = first_equal(minima, lowest);
    minima[place] = f64::INFINITY;
    let mut found = TwoLeast { least: lowest, at: 0, second: least(minima) };
    let mut is_found = false;
    let mut see = |at: usize| {
        let sum = row[at] + prices[at];
        if sum == lowest && !is_found {
            is_found = true;
            found.at = at;
        } else if sum < found.second {
            found.second = sum;
        }
    };
    if place < width {
        (place..STRIPES * width).step_by(width).for_each(&mut see);
    } else {
        (STRIPES * width..row.len()).for_each(&mut see);
    }
    found
}

/// The least cost + price of the entries at the same place in all stripes.
#[inline(always)]
fn least_of_stripes(row: &[f64], prices: &[f64], minima: &mut [f64]) {
    let width = minima.len();
    let costs: [&[f64]; STRIPES] = std::array::from_fn(|k| &row[k * width..(k + 1) * width]);
    let prices: [&[f64]; STRIPES] = std::array::from_fn(|k| &prices[k * width..(k + 1) * width]);
    for (at, minimum) in minima.iter_mut().enumerate() {
        let sum = |k: usize| costs[k][at] + prices[k][at];
        let pair = |k: usize| lesser(sum(k), sum(k + 1));
        *minimum = lesser(lesser(pair(0), pair(2)), lesser(pair(4), pair(6)));
    }
}

/// The first resource from `from` on, and then from 0 on, at which cost + price is `level` and whose `owner` is
/// [`NONE`].
pub(crate) fn free_at_level(
    row: &[f64],
    prices: &[f64],
    level: f64,
    owner: &[u32],
    from: usize,
) -> Option<usize> {
    widest(
        #[inline(always)]
        || free_at_level_by(row, prices, level, owner, from),
    )
}

#[inline(always)]
fn free_at_level_by(row: &[f64], prices: &[f64], level: f64, owner: &[u32], from: usize) -> Option<usize> {
    let from = from - from % LANES;
    for range in [from..row.len(), 0..from] {
        let (first, last) = (range.start, range.end);
        let (chunks, rest) = row[range.clone()].as_chunks::<LANES>();
        let (price_chunks, _) = prices[range.clone()].as_chunks::<LANES>();
        let (owner_chunks, _) = owner[range].as_chunks::<LANES>();
        let suits = |&at: &usize| (row[at] + prices[at] == level) & (owner[at] == NONE);
        for (number, ((costs, prices), owner)) in
            chunks.iter().zip(price_chunks).zip(owner_chunks).enumerate()
        {
            let mut any = false;
            for l in 0..LANES {
                // Both without a branch: where many are equal, a guess would mostly be wrong.
                any |= (costs[l] + prices[l] == level) & (owner[l] == NONE);
            }
            let first = first + number * LANES;
            if any {
                return (first..first + LANES).find(suits);
            }
        }
        if let Some(at) = (last - rest.len()..last).find(suits) {
            return Some(at);
        }
    }
    None
}
