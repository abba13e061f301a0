//! The two least sums of a cost and a price in a row, and where they stand.

use crate::kernel::lanes::{BLOCK, least, least_per_block};

/// Entries side by side.
const LANES: usize = 8;

/// What a bid needs to know of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TwoLeast {
    /// The least cost + price.
    pub(crate) least: f64,
    /// Where it stands first.
    pub(crate) at: usize,
    /// The least of all others, infinite where there is none.
    pub(crate) second: f64,
}

/// The two least sums of cost and price of a row that is not empty; `minima` is a buffer.
///
/// The least of each block is found without branches; only among these, and in the block of the least, is
/// something looked for.
pub(crate) fn two_least(row: &[f64], prices: &[f64], minima: &mut Vec<f64>) -> TwoLeast {
    least_per_block(row, prices, minima);
    let lowest = least(minima);
    let block = minima.iter().position(|&minimum| minimum == lowest).unwrap_or(0);
    minima[block] = f64::INFINITY;
    let mut second = least(minima);
    let mut at = None;
    let from = block * BLOCK;
    for (k, (cost, price)) in row[from..].iter().zip(&prices[from..]).take(BLOCK).enumerate() {
        let sum = cost + price;
        if sum == lowest && at.is_none() {
            at = Some(from + k);
        } else if sum < second {
            second = sum;
        }
    }
    TwoLeast { least: lowest, at: at.unwrap_or(from), second }
}

/// The first resource from `from` on, and then from 0 on, at which cost + price is `level` and that `suits`.
pub(crate) fn position_of_equal(
    row: &[f64],
    prices: &[f64],
    level: f64,
    from: usize,
    suits: impl Fn(usize) -> bool,
) -> Option<usize> {
    let from = from - from % LANES;
    let equal = |at: usize| row[at] + prices[at] == level && suits(at);
    let search = |from: usize, to: usize| {
        let (chunks, rest) = row[from..to].as_chunks::<LANES>();
        let (price_chunks, _) = prices[from..to].as_chunks::<LANES>();
        for (number, (costs, prices)) in chunks.iter().zip(price_chunks).enumerate() {
            let mut any = false;
            for l in 0..LANES {
                any |= costs[l] + prices[l] == level;
            }
            let first = from + number * LANES;
            if any && let Some(at) = (first..first + LANES).find(|&at| equal(at)) {
                return Some(at);
            }
        }
        (to - rest.len()..to).find(|&at| equal(at))
    };
    search(from, row.len()).or_else(|| search(0, from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_a_plain_loop_finds_them() {
        for length in [1usize, 2, 7, 8, 9, 63, 64, 65, 200] {
            for seed in 0..40u64 {
                let draw = |k: usize, kinds: u64| {
                    ((k as u64 * 7919 + (k as u64 + seed) * seed * 104_729) % 1009 % kinds) as f64
                };
                let kinds = [2, 5, 1000][seed as usize % 3];
                let row: Vec<f64> = (0..length).map(|k| draw(k, kinds)).collect();
                let prices: Vec<f64> = (0..length).map(|k| draw(k + 5, 3)).collect();
                let sums: Vec<f64> = row.iter().zip(&prices).map(|(cost, price)| cost + price).collect();
                let mut sorted = sums.clone();
                sorted.sort_by(f64::total_cmp);
                let second = sorted.get(1).copied().unwrap_or(f64::INFINITY);
                let at = sums.iter().position(|&sum| sum == sorted[0]).unwrap();
                assert_eq!(
                    two_least(&row, &prices, &mut Vec::new()),
                    TwoLeast { least: sorted[0], at, second },
                    "{length} {seed}"
                );
                let from = seed as usize % length;
                let found = position_of_equal(&row, &prices, sorted[0], from, |r| r % 3 != 1);
                let fits = |&r: &usize| sums[r] == sorted[0] && r % 3 != 1;
                let first = from - from % LANES;
                assert_eq!(found, (first..length).chain(0..first).find(fits));
            }
        }
    }

    #[test]
    fn what_is_forbidden_is_never_second_to_nothing() {
        let never = f64::INFINITY;
        let mut minima = Vec::new();
        let found = two_least(&[never, 3.0, never], &[0.0; 3], &mut minima);
        assert_eq!(found, TwoLeast { least: 3.0, at: 1, second: never });
        assert_eq!(two_least(&[never; 3], &[0.0; 3], &mut minima).least, never);
    }
}
