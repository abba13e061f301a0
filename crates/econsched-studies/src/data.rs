//! The results of the replicates of a study as rows of numbers, and the figures computed from them.
//!
//! A row consists of runs, all with the same columns; numbers that belong to no run come after them. A number that is
//! not finite was not determined in its replicate; it is left out of a figure, together with the numbers that it is
//! compared with. A figure records which runs were read for it.

use crate::stats::{Estimate, Moments, Ratio, share};
use std::cell::Cell;
use std::ops::{Index, Range};

/// A figure over replicates, with the runs of a replicate from which it is computed.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Figure {
    pub(crate) estimate: Estimate,
    pub(crate) runs: Vec<usize>,
}

impl Figure {
    /// Applies `other` to the estimate; the runs stay the same.
    pub(crate) fn map(self, other: impl Fn(Estimate) -> Estimate) -> Self {
        Self { estimate: other(self.estimate), ..self }
    }
}

impl From<Estimate> for Figure {
    /// Wraps a figure that depends on no run: more replicates do not change it.
    fn from(estimate: Estimate) -> Self {
        Self { estimate, runs: Vec::new() }
    }
}

/// The numbers of one replicate; reading a number records its run.
pub(crate) struct Row<'a> {
    numbers: &'a [f64],
    width: usize,
    read: &'a [Cell<bool>],
}

impl Index<usize> for Row<'_> {
    type Output = f64;

    fn index(&self, at: usize) -> &f64 {
        self.read[at / self.width].set(true);
        &self.numbers[at]
    }
}

impl Index<Range<usize>> for Row<'_> {
    type Output = [f64];

    /// Returns adjacent columns of one run.
    fn index(&self, columns: Range<usize>) -> &[f64] {
        self.read[columns.start / self.width].set(true);
        &self.numbers[columns]
    }
}

/// The rows of all replicates, in order.
#[derive(Debug)]
pub(crate) struct Data {
    /// Number of columns of a run.
    width: usize,
    /// Number of numbers in a row.
    length: usize,
    values: Vec<f64>,
}

impl Data {
    /// Creates data without rows; a row has `length` numbers and is one run.
    pub(crate) fn new(length: usize) -> Self {
        Self { width: length, length, values: Vec::new() }
    }

    /// Divides each row into runs of `width` columns.
    pub(crate) fn with_run_width(self, width: usize) -> Self {
        Self { width, ..self }
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: &[f64]) {
        debug_assert_eq!(row.len(), self.length);
        self.values.extend(row);
    }

    /// Adds the rows of `known`, which hold only these runs; the others become NaN.
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

    /// Returns the number of columns of a run.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> u64 {
        self.rows().count() as u64
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.length)
    }

    /// Returns the first `count` rows.
    pub(crate) fn first(&self, count: usize) -> Self {
        let values = self.values.iter().take(count * self.length).copied().collect();
        Self { values, ..*self }
    }

    /// Returns the value of each row that has a finite one.
    pub(crate) fn values(&self, of: impl Fn(&[f64]) -> f64) -> impl Iterator<Item = f64> {
        self.rows().map(of).filter(|value| value.is_finite())
    }

    pub(crate) fn moments(&self, at: usize) -> Moments {
        self.values(|row| row[at]).collect()
    }

    /// Returns the share of rows for which `is_so` is true, in per cent of those for which it is known.
    pub(crate) fn share_where(&self, is_so: impl Fn(&Row<'_>) -> Option<bool>) -> Figure {
        let (answers, runs) = self.read(is_so);
        let (so, known) = count_true(&answers);
        Figure { estimate: share(so, known), runs }
    }

    /// As [`share_where`](Self::share_where), without the interval.
    pub(crate) fn percent_where(&self, is_so: impl Fn(&Row<'_>) -> Option<bool>) -> f64 {
        let (so, known) = count_true(&self.read(is_so).0);
        100.0 * so as f64 / known as f64
    }

    /// Returns the value of each row, and the runs that were read for the values.
    fn read<V>(&self, of: impl Fn(&Row<'_>) -> V) -> (Vec<V>, Vec<usize>) {
        let read = vec![Cell::new(false); self.length.div_ceil(self.width)];
        let row = |numbers| of(&Row { numbers, width: self.width, read: &read });
        let values = self.rows().map(row).collect();
        (values, (0..read.len()).filter(|&run| read[run].get()).collect())
    }

    /// Returns the mean of a value.
    pub(crate) fn mean_of(&self, value: impl Fn(&Row<'_>) -> f64) -> Figure {
        let (values, runs) = self.read(value);
        Figure { estimate: finite_moments(values).estimate(), runs }
    }

    /// Returns the mean of a value that is a share in per cent.
    pub(crate) fn mean_share(&self, value: impl Fn(&Row<'_>) -> f64) -> Figure {
        let (values, runs) = self.read(value);
        Figure { estimate: finite_moments(values).mean_share(), runs }
    }

    /// Returns the ratio of the mean of the first value to that of the second, paired, over the rows that have both.
    pub(crate) fn ratio_of(&self, pair: impl Fn(&Row<'_>) -> (f64, f64)) -> Figure {
        let (pairs, runs) = self.read(pair);
        let mut ratio = Ratio::default();
        let known = pairs.into_iter().filter(|(x, y)| x.is_finite() && y.is_finite());
        known.for_each(|(x, y)| ratio.push(x, y));
        Figure { estimate: ratio.estimate(), runs }
    }

    /// Returns the excess of the first value over the second, in per cent, paired.
    pub(crate) fn excess_of(&self, pair: impl Fn(&Row<'_>) -> (f64, f64)) -> Figure {
        self.ratio_of(pair).map(Estimate::excess_percent)
    }

    /// Computes the figure that these words name: an operation, and its values; each value is the name of a number,
    /// or the sum of several with `+` between them.
    pub(crate) fn figure(&self, words: &[&str], place: impl Fn(&str) -> Option<usize>) -> Option<Figure> {
        let (operation, names) = words.split_first()?;
        let places = names.iter().map(|name| name.split('+').map(&place).collect());
        let places = places.collect::<Option<Vec<Vec<usize>>>>()?;
        let value = |row: &Row<'_>, of: usize| places[of].iter().map(|&at| row[at]).sum::<f64>();
        let share = |is_so: &dyn Fn(&[f64]) -> bool| {
            self.share_where(|row| {
                let values: Vec<f64> = (0..places.len()).map(|of| value(row, of)).collect();
                values.iter().all(|value| value.is_finite()).then(|| is_so(&values))
            })
        };
        let ratio = || self.ratio_of(|row| (value(row, 0), value(row, 1)));
        Some(match (*operation, places.len()) {
            ("mean", 1) => self.mean_of(|row| value(row, 0)),
            ("share", 1) => self.mean_share(|row| value(row, 0)),
            ("ratio", 2) => ratio(),
            ("percent", 2) => ratio().map(|ratio| ratio.times(100.0)),
            ("excess", 2) => ratio().map(Estimate::excess_percent),
            ("saving", 2) => ratio().map(Estimate::saving_percent),
            ("difference", 2) => self.mean_of(|row| value(row, 0) - value(row, 1)),
            // A difference in per cent of another difference.
            ("effect", 4) => self
                .ratio_of(|row| (value(row, 0) - value(row, 1), value(row, 2) - value(row, 3)))
                .map(|ratio| ratio.times(100.0)),
            ("is", _) => share(&|of| of.iter().all(|&answer| answer == 1.0)),
            ("below", 2) => share(&|of| of[0] < of[1]),
            ("at-most", 2) => share(&|of| of[0] <= of[1]),
            _ => return None,
        })
    }

    /// Returns the mean of the number at this index.
    pub(crate) fn mean(&self, at: usize) -> Figure {
        self.mean_of(|row| row[at])
    }

    /// Returns the ratio of the numbers at these indices.
    pub(crate) fn ratio(&self, x: usize, y: usize) -> Figure {
        self.ratio_of(|row| (row[x], row[y]))
    }

    /// Returns the excess of the number at `x` over that at `y`, in per cent, paired.
    pub(crate) fn excess(&self, x: usize, y: usize) -> Figure {
        self.excess_of(|row| (row[x], row[y]))
    }
}

/// Returns the number of answers that are true, and of those that are known.
fn count_true(answers: &[Option<bool>]) -> (u64, u64) {
    answers.iter().flatten().fold((0, 0), |(so, known), is_so| (so + u64::from(*is_so), known + 1))
}

/// Returns the moments of the finite values.
fn finite_moments(values: Vec<f64>) -> Moments {
    values.into_iter().filter(|value| value.is_finite()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unknown_is_left_out() {
        let mut data = Data::new(5).with_run_width(2);
        data.push(&[1.0, 2.0, 3.0, 4.0, 9.0]);
        data.push(&[2.0, f64::NAN, 5.0, 4.0, 9.0]);
        let mut more = Data::new(2);
        more.push(&[7.0, 8.0]);
        data.extend(&[1], &more);
        assert_eq!(data.len(), 3);
        let known: Vec<usize> = (0..5).map(|at| data.values(|row| row[at]).count()).collect();
        assert_eq!(known, [2, 1, 3, 3, 2]);
        let estimate = [3.0, 5.0, 7.0].into_iter().collect::<Moments>().estimate();
        assert_eq!(data.mean(2), Figure { estimate, runs: vec![1] });
        let difference = data.mean_of(|row| row[0] - row[3]);
        assert_eq!((difference.estimate.mean, difference.estimate.count), (-2.5, 2));
        assert_eq!(difference.runs, [0, 1]);
        let share = data.share_where(|row| row[1].is_finite().then_some(row[1] > 1.0));
        assert_eq!((share.estimate.count, share.runs), (1, vec![0]));
        let last = data.mean_of(|row| row[2..4].iter().sum::<f64>() + row[4]);
        assert_eq!((last.estimate.count, last.runs), (2, vec![1, 2]));
    }
}
