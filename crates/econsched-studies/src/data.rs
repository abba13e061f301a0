//! What the replicates of a study give, as rows of numbers, and the figures that are read from them.
//!
//! A row consists of runs that all have the same columns; numbers of no run come after them. A number that is
//! not finite is not determined in its replicate, and is left out of a figure together with those that it is
//! compared with.

use crate::stats::{Estimate, Moments, Ratio, share};

/// A figure over replicates, and the runs of a replicate that it is made of.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Figure {
    pub(crate) estimate: Estimate,
    pub(crate) runs: Vec<usize>,
}

impl Figure {
    /// A figure that is made of these runs.
    pub(crate) fn of(runs: impl IntoIterator<Item = usize>, estimate: Estimate) -> Self {
        Self { estimate, runs: runs.into_iter().collect() }
    }
}

impl From<Estimate> for Figure {
    /// A figure of no run: more replicates do not change it.
    fn from(estimate: Estimate) -> Self {
        Self::of([], estimate)
    }
}

/// The rows of all replicates in their order.
#[derive(Debug)]
pub(crate) struct Data {
    /// Columns of a run.
    width: usize,
    /// Numbers of a row.
    length: usize,
    values: Vec<f64>,
}

impl Data {
    /// No rows, each of this length and one run.
    pub(crate) fn new(length: usize) -> Self {
        Self { width: length, length, values: Vec::new() }
    }

    /// The same, with runs of this number of columns.
    pub(crate) fn in_runs_of(self, width: usize) -> Self {
        Self { width, ..self }
    }

    /// One more row.
    pub(crate) fn push(&mut self, row: &[f64]) {
        debug_assert_eq!(row.len(), self.length);
        self.values.extend(row);
    }

    /// More rows, of which only these runs are known.
    pub(crate) fn extend(&mut self, runs: &[usize], known: &Self) {
        for of_row in known.rows() {
            let from = self.values.len();
            self.values.resize(from + self.length, f64::NAN);
            for (run, columns) in runs.iter().zip(of_row.chunks_exact(self.width)) {
                let at = from + run * self.width;
                self.values[at..at + self.width].copy_from_slice(columns);
            }
        }
    }

    /// Columns of a run.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> u64 {
        self.rows().count() as u64
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.length)
    }

    /// A value of each row that has it.
    pub(crate) fn values(&self, of: impl Fn(&[f64]) -> f64) -> impl Iterator<Item = f64> {
        self.rows().map(of).filter(|value| value.is_finite())
    }

    pub(crate) fn moments(&self, at: usize) -> Moments {
        self.values(|row| row[at]).collect()
    }

    /// One number over another, in the rows that have both.
    pub(crate) fn ratio(&self, x: usize, y: usize) -> Ratio {
        self.ratio_of(|row| (row[x], row[y]))
    }

    pub(crate) fn ratio_of(&self, of: impl Fn(&[f64]) -> (f64, f64)) -> Ratio {
        let mut ratio = Ratio::default();
        let pairs = self.rows().map(of).filter(|(x, y)| x.is_finite() && y.is_finite());
        pairs.for_each(|(x, y)| ratio.push(x, y));
        ratio
    }

    /// The number of rows in which something is so, and of those in which it is known.
    pub(crate) fn count(&self, is_so: impl Fn(&[f64]) -> Option<bool>) -> (u64, u64) {
        let known = self.rows().filter_map(is_so);
        known.fold((0, 0), |(so, known), is_so| (so + u64::from(is_so), known + 1))
    }

    /// The share of the first of these in the second, in per cent.
    pub(crate) fn often(&self, is_so: impl Fn(&[f64]) -> Option<bool>) -> Estimate {
        let (so, known) = self.count(is_so);
        share(so, known)
    }

    /// What is read from these runs of each row.
    pub(crate) fn over<const N: usize>(&self, runs: [usize; N]) -> Over<'_, N> {
        Over { data: self, runs }
    }

    /// The first rows.
    pub(crate) fn first(&self, count: usize) -> Self {
        let values = self.values.iter().take(count * self.length).copied().collect();
        Self { values, ..*self }
    }

    /// The run of a number.
    fn run(&self, at: usize) -> usize {
        at / self.width
    }

    /// The mean of a number, as the figure of a claim.
    pub(crate) fn mean(&self, at: usize) -> Figure {
        Figure::of([self.run(at)], self.moments(at).estimate())
    }

    /// The mean of a share in per cent, likewise.
    pub(crate) fn mean_share(&self, at: usize) -> Figure {
        Figure::of([self.run(at)], self.moments(at).mean_share())
    }

    /// How much greater the first is than the second, in per cent, paired, likewise.
    pub(crate) fn excess(&self, x: usize, y: usize) -> Figure {
        Figure::of([self.run(x), self.run(y)], self.ratio(x, y).excess_percent())
    }

    /// How much greater the first is than the second, paired, likewise.
    pub(crate) fn difference(&self, x: usize, y: usize) -> Figure {
        let moments: Moments = self.values(|row| row[x] - row[y]).collect();
        Figure::of([self.run(x), self.run(y)], moments.estimate())
    }
}

/// Figures of claims that are made of some runs of each row.
pub(crate) struct Over<'a, const N: usize> {
    data: &'a Data,
    runs: [usize; N],
}

impl<const N: usize> Over<'_, N> {
    fn of<'r>(&self, row: &'r [f64]) -> [&'r [f64]; N] {
        self.runs.map(|run| &row[run * self.data.width..][..self.data.width])
    }

    fn moments(&self, value: impl Fn([&[f64]; N]) -> f64) -> Moments {
        self.data.values(|row| value(self.of(row))).collect()
    }

    /// The mean of a value.
    pub(crate) fn mean(&self, value: impl Fn([&[f64]; N]) -> f64) -> Figure {
        Figure::of(self.runs, self.moments(value).estimate())
    }

    /// The mean of a share in per cent.
    pub(crate) fn mean_share(&self, value: impl Fn([&[f64]; N]) -> f64) -> Figure {
        Figure::of(self.runs, self.moments(value).mean_share())
    }

    /// How much greater the first of two values is than the second, in per cent, paired.
    pub(crate) fn excess(&self, pair: impl Fn([&[f64]; N]) -> (f64, f64)) -> Figure {
        Figure::of(self.runs, self.data.ratio_of(|row| pair(self.of(row))).excess_percent())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unknown_is_left_out() {
        let mut data = Data::new(5).in_runs_of(2);
        data.push(&[1.0, 2.0, 3.0, 4.0, 9.0]);
        data.push(&[2.0, f64::NAN, 5.0, 4.0, 9.0]);
        let mut more = Data::new(2);
        more.push(&[7.0, 8.0]);
        data.extend(&[1], &more);
        assert_eq!(data.len(), 3);
        let known: Vec<usize> = (0..5).map(|at| data.values(|row| row[at]).count()).collect();
        assert_eq!(known, [2, 1, 3, 3, 2]);
        assert_eq!(
            data.mean(2),
            Figure::of([1], [3.0, 5.0, 7.0].into_iter().collect::<Moments>().estimate())
        );
        let difference = data.difference(0, 3);
        assert_eq!((difference.estimate.mean, difference.estimate.count), (-2.5, 2));
        assert_eq!(difference.runs, [0, 1]);
        assert_eq!(data.often(|row| row[1].is_finite().then_some(row[1] > 1.0)).count, 1);
    }
}
