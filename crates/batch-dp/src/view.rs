//! The form of a problem that all algorithms here use.

use sched_model::{SumFilter, affordable, exact_sum, plain_sum_error};

/// Minimise the sum of `sign * objective` where the sum of `weight` is at most `limit`, one alternative per
/// job.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) offsets: &'a [usize],
    pub(crate) objective: &'a [f64],
    pub(crate) sign: f64,
    pub(crate) weight: &'a [f64],
    pub(crate) limit: f64,
}

impl View<'_> {
    pub(crate) fn jobs(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Signed objective and weight of an alternative, by its index among those of all jobs.
    #[inline(always)]
    pub(crate) fn at(&self, index: usize) -> (f64, f64) {
        (self.sign * self.objective[index], self.weight[index])
    }

    /// Index, signed objective and weight of these alternatives.
    #[inline(always)]
    pub(crate) fn row(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = (usize, f64, f64)> + '_ {
        let pairs = self.objective[range.clone()].iter().zip(&self.weight[range.clone()]);
        range.zip(pairs).map(|(at, (&objective, &weight))| (at, self.sign * objective, weight))
    }

    /// Whether the exact sum of the weights of these alternatives, rounded once, is at most the limit.
    /// `plain` is their sum by plain additions, `magnitude` that of their magnitudes: together they nearly
    /// always decide.
    pub(crate) fn affordable(
        &self,
        picks: impl Iterator<Item = u32> + Clone,
        plain: f64,
        magnitude: f64,
    ) -> bool {
        SumFilter::new(self.limit, plain_sum_error(self.jobs(), magnitude))
            .decide_or(plain, || affordable(picks.map(|pick| self.weight[pick as usize]), self.limit))
    }

    /// The exact sum of the weights of these alternatives, rounded once.
    pub(crate) fn weight_of(&self, picks: impl IntoIterator<Item = u32>) -> f64 {
        exact_sum(picks.into_iter().map(|pick| self.weight[pick as usize]))
    }

    /// For each job the alternative of least weight; ties to the lesser objective, then to the lower
    /// position. By index among the alternatives of all jobs.
    pub(crate) fn lightest(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        self.offsets.windows(2).map(|row| self.lightest_of(row[0]..row[1]))
    }

    /// The same of one job, which has these alternatives.
    pub(crate) fn lightest_of(&self, row: std::ops::Range<usize>) -> u32 {
        let mut best = row.start;
        for index in row {
            let ((p, w), (best_p, best_w)) = (self.at(index), self.at(best));
            if w < best_w || w == best_w && p < best_p {
                best = index;
            }
        }
        best as u32
    }
}
