//! Order statistics of a sample.

use std::fmt;

/// Mean, median, 95th percentile and maximum of a sample; all zero where it is empty.
///
/// Percentiles are order statistics: the value at rank ceil(p * n).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
pub struct Stats {
    /// Size of the sample.
    pub count: usize,
    /// Arithmetic mean.
    pub mean: f64,
    /// At most half of the sample is smaller, at most half larger.
    pub median: f64,
    /// At most one in twenty is larger.
    pub p95: f64,
    /// The largest.
    pub max: f64,
}

impl Stats {
    /// The statistics of these values.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_unstable_by(f64::total_cmp);
        let Some(&max) = values.last() else { return Self::default() };
        let count = values.len();
        // Ranks from 1; `count` is at least 1.
        let rank = |percent: usize| values[(count * percent).div_ceil(100).max(1) - 1];
        Self { count, mean: values.iter().sum::<f64>() / count as f64, median: rank(50), p95: rank(95), max }
    }
}

impl fmt::Display for Stats {
    /// Mean, median, 95th percentile and maximum, with three decimals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, mean, median, p95, max } = self;
        write!(f, "mean {mean:.3}, median {median:.3}, p95 {p95:.3}, max {max:.3} of {count}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stats_are_order_statistics() {
        let stats = Stats::of([4.0, 1.0, 3.0, 2.0]);
        assert_eq!((stats.count, stats.mean, stats.median, stats.p95, stats.max), (4, 2.5, 2.0, 4.0, 4.0));
        assert_eq!(Stats::of([]), Stats::default());
        assert_eq!(Stats::of((1..=100).map(f64::from)).p95, 95.0);
    }
}
