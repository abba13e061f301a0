//! The alternatives of a batch: for each job a list of (cost, time) pairs, and the form that all algorithms use.

use crate::BatchError;
use crate::list::Step;
use sched_model::Window;
use sched_model::internal::{SumFilter, affordable, exact_sum, plain_sum_error};
use std::ops::Range;

/// The cost and the time of each alternative of each job of a batch, in the order of the jobs.
///
/// ```
/// use batch_dp::Alternatives;
/// let batch = Alternatives::new(&[vec![(10.0, 4.0), (6.0, 7.0)], vec![(3.0, 3.0)]])?;
/// assert_eq!(batch.jobs(), 2);
/// assert_eq!(batch.of_job(0).nth(1), Some((6.0, 7.0)));
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Alternatives {
    /// The index of the first alternative of each job, then the number of all alternatives: jobs + 1 entries.
    pub(crate) offsets: Vec<usize>,
    pub(crate) cost: Vec<f64>,
    pub(crate) time: Vec<f64>,
}

/// Algorithms number alternatives in 32 bits and reserve one number for "none".
const MAX_ALTERNATIVES: usize = u32::MAX as usize - 1;
/// The largest magnitude of a cost or time.
const MAX_MAGNITUDE: f64 = 1e120;

impl Alternatives {
    /// Creates a batch from the (cost, time) pairs of each job, or from pairs of other numbers whose sums over the jobs
    /// are meaningful, such as CPU time, finish, or weighted delay. A job may have no alternative.
    ///
    /// # Errors
    /// [`BatchError::Value`] for the first value that is not finite or exceeds 10^120 in magnitude;
    /// [`BatchError::TooManyAlternatives`] for more than 2^32 - 2 alternatives.
    pub fn new<J: AsRef<[(f64, f64)]>>(jobs: &[J]) -> Result<Self, BatchError> {
        Self::of(jobs.iter().map(|job| job.as_ref().iter().copied()))
    }

    /// Creates a batch from the windows of each job; `criteria` gives the two numbers that take the place of cost and
    /// time.
    pub(crate) fn from_windows_by<J: AsRef<[Window]>>(
        jobs: &[J],
        criteria: impl Fn(&Window) -> (f64, f64),
    ) -> Result<Self, BatchError> {
        Self::of(jobs.iter().map(|windows| windows.as_ref().iter().map(&criteria)))
    }

    /// Creates a batch from the windows of each job, with their costs and runtimes.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn from_windows<J: AsRef<[Window]>>(jobs: &[J]) -> Result<Self, BatchError> {
        Self::from_windows_by(jobs, |window| (window.cost().get(), window.runtime().get()))
    }

    fn of(jobs: impl Iterator<Item = impl ExactSizeIterator<Item = (f64, f64)>>) -> Result<Self, BatchError> {
        let mut batch = Self { offsets: vec![0], cost: Vec::new(), time: Vec::new() };
        for (job, alternatives) in jobs.enumerate() {
            batch.cost.reserve(alternatives.len());
            batch.time.reserve(alternatives.len());
            for (alternative, (cost, time)) in alternatives.enumerate() {
                if !(cost.abs() <= MAX_MAGNITUDE && time.abs() <= MAX_MAGNITUDE) {
                    let (what, value) =
                        if cost.abs() <= MAX_MAGNITUDE { ("time", time) } else { ("cost", cost) };
                    return Err(BatchError::Value { what, job, alternative, value });
                }
                if batch.cost.len() >= MAX_ALTERNATIVES {
                    return Err(BatchError::TooManyAlternatives { most: MAX_ALTERNATIVES });
                }
                // Adding zero turns a negative zero into a positive one, so that equal values have the same order.
                batch.cost.push(cost + 0.0);
                batch.time.push(time + 0.0);
            }
            batch.offsets.push(batch.cost.len());
        }
        Ok(batch)
    }

    /// Number of jobs.
    pub fn jobs(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of alternatives of all jobs.
    pub(crate) fn len(&self) -> usize {
        self.cost.len()
    }

    /// The (cost, time) pairs of one job.
    ///
    /// # Panics
    /// If `job >= jobs()`, as indexing a slice does.
    pub fn of_job(&self, job: usize) -> impl ExactSizeIterator<Item = (f64, f64)> + '_ {
        let range = self.offsets[job]..self.offsets[job + 1];
        self.cost[range.clone()].iter().copied().zip(self.time[range].iter().copied())
    }

    /// Whether every job has an alternative.
    pub(crate) fn can_serve_all(&self) -> bool {
        self.offsets.windows(2).all(|row| row[0] < row[1])
    }

    /// Checks that there is one entry for each job, and that each given position is one of its alternatives.
    pub(crate) fn check_start(
        &self,
        start: impl ExactSizeIterator<Item = Option<usize>>,
    ) -> Result<(), BatchError> {
        if start.len() != self.jobs() {
            return Err(BatchError::Count { jobs: self.jobs(), given: start.len() });
        }
        for ((job, row), alternative) in self.offsets.windows(2).enumerate().zip(start) {
            if let Some(alternative) = alternative.filter(|&alternative| alternative >= row[1] - row[0]) {
                return Err(BatchError::NoSuchAlternative { job, alternative });
            }
        }
        Ok(())
    }

    /// Converts `picks`, one index among the alternatives of all jobs for each job, to positions in the jobs.
    pub(crate) fn positions(&self, picks: &[u32]) -> Vec<Option<usize>> {
        picks.iter().zip(&self.offsets).map(|(&pick, &first)| Some(pick as usize - first)).collect()
    }

    /// The total cost and the total time of the picked alternatives: exact sums, rounded once.
    pub(crate) fn sums(&self, picks: &[Option<usize>]) -> (f64, f64) {
        let chosen = || picks.iter().zip(&self.offsets).filter_map(|(pick, first)| Some(first + (*pick)?));
        let sum = |values: &[f64]| exact_sum(chosen().map(|at| values[at]));
        (sum(&self.cost), sum(&self.time))
    }
}

/// The problem in the form that the algorithms read: choose one alternative per job so that the sum of `sign *
/// objective` is minimal and the sum of `weight` is at most `limit`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) offsets: &'a [usize],
    pub(crate) objective: &'a [f64],
    pub(crate) sign: f64,
    pub(crate) weight: &'a [f64],
    pub(crate) limit: f64,
    /// Whether this is a subproblem, whose result does not answer the whole problem: see
    /// [`Task`](crate::kernel::grow::Task::is_subproblem).
    pub(crate) is_subproblem: bool,
}

impl<'a> View<'a> {
    pub(crate) fn jobs(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Signed objective and weight of an alternative, by its index among those of all jobs.
    #[inline(always)]
    pub(crate) fn at(&self, index: usize) -> (f64, f64) {
        (self.sign * self.objective[index], self.weight[index])
    }

    /// The alternatives in `range`, with their signed objectives.
    #[inline(always)]
    pub(crate) fn row(&self, range: Range<usize>) -> impl ExactSizeIterator<Item = Step> + use<'a> {
        let (objective, sign, weight) = (&self.objective[..range.end], self.sign, &self.weight[..range.end]);
        range.map(move |at| Step { p: sign * objective[at], w: weight[at], alt: at as u32 })
    }

    /// Whether the exact sum of the weights of `picks`, rounded once, is at most the limit. `plain` is their sum by
    /// plain additions, and `magnitude` the sum of their magnitudes; these two numbers nearly always decide.
    pub(crate) fn affordable(
        &self,
        picks: impl Iterator<Item = u32> + Clone,
        plain: f64,
        magnitude: f64,
    ) -> bool {
        SumFilter::new(self.limit, plain_sum_error(self.jobs(), magnitude))
            .decide_or(plain, || affordable(picks.map(|pick| self.weight[pick as usize]), self.limit))
    }

    /// The exact sum of the signed objectives of `picks`, rounded once.
    pub(crate) fn objective_of(&self, picks: &[u32]) -> f64 {
        exact_sum(picks.iter().map(|&pick| self.at(pick as usize).0))
    }

    /// The exact sum of the weights of `picks`, rounded once.
    pub(crate) fn weight_of(&self, picks: impl IntoIterator<Item = u32>) -> f64 {
        exact_sum(picks.into_iter().map(|pick| self.weight[pick as usize]))
    }

    /// The index of the alternative of minimum weight of each job. Ties go to the lower objective, then to the lower
    /// index.
    pub(crate) fn lightest(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        self.offsets.windows(2).map(|row| self.extremes(row[0]..row[1]).0.alt)
    }

    /// Returns the alternatives of minimum weight and of minimum objective in `range`. Ties go to the lower objective
    /// or weight, respectively, then to the lower index.
    #[inline(always)]
    pub(crate) fn extremes(&self, range: Range<usize>) -> (Step, Step) {
        let (p, w) = self.at(range.start);
        let mut light = Step { p, w, alt: range.start as u32 };
        let mut heavy = light;
        for step in self.row(range) {
            if step.w < light.w || (step.w == light.w && step.p < light.p) {
                light = step;
            }
            if step.p < heavy.p || (step.p == heavy.p && step.w < heavy.w) {
                heavy = step;
            }
        }
        (light, heavy)
    }
}
