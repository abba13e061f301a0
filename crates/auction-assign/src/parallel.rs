//! Passes over ranges of rows: in order or, with the feature `rayon`, on all threads.
//!
//! The ranges depend only on the shape of the problem, and their results are joined in order. So any number of threads,
//! and a build without the feature, give the same bytes.

use std::ops::Range;

/// The approximate number of entries of a range, enough to be worth a thread, and the minimum number of rows.
const RANGE_ENTRIES: u64 = 1 << 16;
const MIN_ROWS: usize = 16;

/// Returns the number of rows of each range but the last.
pub(crate) fn rows_per_range(rows: usize, entries: u64) -> usize {
    let each = (entries / rows.max(1) as u64).max(1);
    usize::try_from(RANGE_ENTRIES / each).unwrap_or(usize::MAX).max(MIN_ROWS)
}

/// Calls `work` for each range of the rows, and returns the results in order.
pub(crate) fn over_ranges<T: Send>(
    rows: usize,
    entries: u64,
    work: impl Fn(Range<usize>) -> T + Sync + Send,
) -> Vec<T> {
    let together = rows_per_range(rows, entries);
    let range = |k: usize| k * together..((k + 1) * together).min(rows);
    let count = rows.div_ceil(together);
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        (0..count).into_par_iter().map(|k| work(range(k))).collect()
    }
    #[cfg(not(feature = "rayon"))]
    {
        (0..count).map(|k| work(range(k))).collect()
    }
}
