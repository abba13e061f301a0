//! The outcome of a search: the solution, its proof, and why the search ended; and the direction of an objective.

use std::fmt;

use crate::counted::counted;
use crate::{End, Meter, Refusal};

/// What is proven about a solution.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Proof {
    /// Proven optimal: no solution is better.
    Exact,
    /// Proven: no solution is better by more than this amount.
    WithinEpsilon(f64),
    /// A heuristic: nothing is claimed.
    Heuristic,
    /// The best solution found before a limit stopped the search.
    LimitReached,
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => write!(f, "exact"),
            Self::WithinEpsilon(epsilon) => write!(f, "within {epsilon}"),
            Self::Heuristic => write!(f, "heuristic"),
            Self::LimitReached => write!(f, "limit reached"),
        }
    }
}

/// The result of a search: the best solution found, a bound on the value of all solutions, the work done, and why the
/// search ended.
///
/// | best | end | means |
/// |---|---|---|
/// | some | [`Done`](End::Done) | no solution is better; without a bound (a heuristic), nothing is claimed |
/// | some | [`Gap`](End::Gap) | no solution is better by more than the [gap](Self::gap) |
/// | some | `Work`, `Memory`, `Signal` | the best found so far |
/// | none | [`Done`](End::Done) | there is no solution: proven |
/// | none | `Work`, `Memory`, `Signal` | not known whether there is a solution |
///
/// ```
/// use sched_model::{End, Outcome, Proof};
/// let best = Outcome::solved([2, 3], 14.0, 120);
/// assert_eq!((best.proof(), best.gap()), (Proof::Exact, Some(0.0)));
/// let stopped = Outcome::stopped(Some(([1, 2], 13.0)), Some(14.5), 60, End::Work);
/// assert_eq!((stopped.proof(), stopped.gap()), (Proof::LimitReached, Some(1.5)));
/// assert_eq!(
///     stopped.to_string(),
///     "value 13, gap 1.5; work limit reached after 60 units of work"
/// );
/// assert!(Outcome::<[u32; 2]>::infeasible(40).is_infeasible());
/// assert!(!Outcome::<[u32; 2]>::stopped(None, None, 40, End::Signal).is_infeasible());
/// ```
///
/// `R` is the type of the reason why there is no solution: a [`Refusal`], or a type of the algorithm's crate.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[must_use]
pub struct Outcome<T, R = Refusal> {
    /// The best solution found, if any.
    pub best: Option<T>,
    /// The value of `best` in the objective, if the search states one.
    pub value: Option<f64>,
    /// A proven bound on the objective, which no solution can beat; `None` if nothing is proven.
    pub bound: Option<f64>,
    /// Units of work that the search took: see [`Limit`](crate::Limit).
    pub work: u64,
    /// Why the search ended.
    pub end: End,
    /// Why there is no solution, if that is proven and known.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub refusal: Option<R>,
}

/// The error of an [`Outcome`] without a solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum NoSolution<R = Refusal> {
    /// It is proven that there is no solution, for this reason.
    #[error("{0}")]
    Refused(R),
    /// It is proven that there is no solution.
    #[error("there is no solution")]
    Infeasible,
    /// The search ended before it found a solution.
    #[error("no solution found: {0}")]
    Stopped(End),
}

impl<T, R: fmt::Display> fmt::Display for Outcome<T, R> {
    /// Writes value, gap, end and work in one line, without the solution; the bound only where no value tells the gap.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.best, self.value) {
            (None, _) if self.end == End::Done => write!(f, "no solution")?,
            (None, _) => write!(f, "no solution found")?,
            (Some(_), None) => write!(f, "a solution")?,
            (Some(_), Some(value)) => write!(f, "value {value}")?,
        }
        if let Some(refusal) = &self.refusal {
            write!(f, ": {refusal}")?;
        }
        match (self.gap(), self.bound) {
            (Some(0.0), _) | (None, None) => {}
            (Some(tiny), _) if tiny < 1e-3 => write!(f, ", gap {tiny:.1e}")?,
            (Some(gap), _) => write!(f, ", gap {gap}")?,
            (None, Some(bound)) => write!(f, ", bound {bound}")?,
        }
        match self.end {
            End::Done => write!(f, "; {}", self.proof())?,
            end => write!(f, "; {end}")?,
        }
        write!(f, " after {} of work", counted(self.work, "unit"))
    }
}

impl<T> Outcome<T> {
    /// Creates the outcome of a search that proved its solution optimal.
    pub fn solved(best: T, value: f64, work: u64) -> Self {
        Self { best: Some(best), value: Some(value), bound: Some(value), work, end: End::Done, refusal: None }
    }

    /// Creates the outcome of a heuristic, which claims nothing about its solution.
    pub fn heuristic(best: T, value: f64, work: u64) -> Self {
        Self { bound: None, ..Self::solved(best, value, work) }
    }

    /// Creates the outcome of a search that states no value and no bound; without `best`, there is no solution. If
    /// the search was stopped, set [`end`](Self::end).
    #[doc(hidden)]
    pub fn plain(best: Option<T>, work: u64) -> Self {
        Self { best, value: None, bound: None, work, end: End::Done, refusal: None }
    }

    /// Creates the outcome of a search that proved that there is no solution.
    pub fn infeasible(work: u64) -> Self {
        Self::plain(None, work)
    }

    /// Creates the outcome of a search that ended for the reason `end`, with its incumbent and the value of that, if
    /// there is one, and the bound.
    pub fn stopped(best: Option<(T, f64)>, bound: Option<f64>, work: u64, end: End) -> Self {
        let (best, value) = best.unzip();
        Self { best, value, bound, work, end, refusal: None }
    }

    /// Replaces the reason why there is no solution, possibly by one of another type.
    ///
    /// ```
    /// use sched_model::{NoSolution, Outcome};
    /// let none: Outcome<u8, &str> = Outcome::infeasible(3).with_refusal(Some("too dear"));
    /// assert_eq!(none.solution(), Err(NoSolution::Refused("too dear")));
    /// ```
    pub fn with_refusal<R>(self, refusal: Option<R>) -> Outcome<T, R> {
        let Self { best, value, bound, work, end, .. } = self;
        Outcome { best, value, bound, work, end, refusal }
    }
}

impl<T, R> Outcome<T, R> {
    /// Runs `search` on a meter. If it passes on an [`End`] of the meter as its error, by `?`, the result is an
    /// outcome without a solution; all other errors are returned.
    #[doc(hidden)]
    pub fn on<E>(meter: &mut Meter, search: impl FnOnce(&mut Meter) -> Result<Self, E>) -> Result<Self, E>
    where
        End: TryFrom<E, Error = E>,
    {
        let before = meter.work();
        search(meter).or_else(|error| {
            let (end, work) = (End::try_from(error)?, meter.work() - before);
            Ok(Self { best: None, value: None, bound: None, work, end, refusal: None })
        })
    }

    /// Returns the best solution found, or an error if there is none.
    ///
    /// ```
    /// use sched_model::{End, NoSolution, Outcome};
    /// assert_eq!(Outcome::solved(7, 1.0, 3).solution(), Ok(7));
    /// assert_eq!(Outcome::<u8>::infeasible(3).solution(), Err(NoSolution::Infeasible));
    /// let stopped = Outcome::<u8>::stopped(None, None, 3, End::Work);
    /// assert_eq!(stopped.solution(), Err(NoSolution::Stopped(End::Work)));
    /// ```
    ///
    /// # Errors
    /// [`NoSolution`] if no solution was found.
    pub fn solution(self) -> Result<T, NoSolution<R>> {
        self.best.ok_or(match (self.refusal, self.end) {
            (Some(refusal), _) => NoSolution::Refused(refusal),
            (None, End::Done) => NoSolution::Infeasible,
            (None, end) => NoSolution::Stopped(end),
        })
    }

    /// The distance between the incumbent's value and the bound; `None` if there is no incumbent or no bound.
    pub fn gap(&self) -> Option<f64> {
        Some((self.value? - self.bound?).abs())
    }

    /// The proof of the incumbent; without an incumbent, the proof that there is no solution.
    pub fn proof(&self) -> Proof {
        match (self.end, self.gap()) {
            (End::Done, None) if self.best.is_some() => Proof::Heuristic,
            (End::Done, _) => Proof::Exact,
            (End::Gap, Some(0.0)) => Proof::Exact,
            (End::Gap, Some(gap)) => Proof::WithinEpsilon(gap),
            (End::Gap | End::Work | End::Memory | End::Signal, _) => Proof::LimitReached,
        }
    }

    /// Whether it is proven that there is no solution.
    pub fn is_infeasible(&self) -> bool {
        self.best.is_none() && self.end == End::Done
    }

    /// Converts the solution by `view`.
    ///
    /// ```
    /// use sched_model::Outcome;
    /// assert_eq!(Outcome::solved(1, 2.0, 3).map(|x| x + 1).solution(), Ok(2));
    /// ```
    pub fn map<U>(self, view: impl FnOnce(T) -> U) -> Outcome<U, R> {
        let Self { best, value, bound, work, end, refusal } = self;
        Outcome { best: best.map(view), value, bound, work, end, refusal }
    }
}

/// Whether a value is minimised or maximised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Sense {
    /// Lower values are better.
    Minimise,
    /// Higher values are better.
    Maximise,
}

impl Sense {
    /// -1 if the value is minimised, 1 if it is maximised: multiplied by this sign, higher values are better.
    #[inline]
    #[doc(hidden)]
    pub const fn sign(self) -> f64 {
        match self {
            Self::Minimise => -1.0,
            Self::Maximise => 1.0,
        }
    }
}
