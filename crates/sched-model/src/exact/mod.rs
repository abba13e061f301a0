//! Exact sums: the cost of a set of charges, and whether a budget covers it.
//!
//! The cost of a set of charges is their exact real sum, rounded once to a double (to nearest, ties to even).
//! It is affordable if that cost is at most the budget. So the result does not depend on the order of
//! summation, and a search, the checker and a user's own program agree to the last bit.
//!
//! A loop with a running sum uses a [`SumFilter`] first: a plain sum of doubles decides, unless its distance
//! to the limit is within its rounding error.
//!
//! Sources: D. Knuth, The Art of Computer Programming 2, 4.2.2, theorem B (the sum of two doubles and its
//! error); S. Boldo, G. Melquiond, Emulation of FMA and Correctly Rounded Sums: Proved Algorithms Using
//! Rounding to Odd, 2008 (the sum of three doubles, rounded once); R. Neal, Fast Exact Summation Using Small
//! and Large Superaccumulators, 2015 (the accumulator for wide ranges).

mod wide;

use wide::Wide;

/// A running sum without rounding error: terms are added and removed exactly, [`value`](Self::value) rounds
/// once.
///
/// O(1) for each term, about ten additions. Memory is allocated only where the bits of the terms span more
/// than about 150 binary places, or the sum exceeds the largest double on its way.
///
/// A term that is not finite makes the value NaN until [`clear`](Self::clear).
///
/// ```
/// use sched_model::ExactSum;
/// let mut sum = ExactSum::new();
/// for charge in [0.4, 0.2, 0.3, 0.1, 0.2] {
///     sum.add(charge);
/// }
/// assert_eq!(sum.value(), 1.2);
/// assert_ne!(0.4 + 0.2 + 0.3 + 0.1 + 0.2, 1.2); // one rounding for each addition
/// sum.remove(0.3);
/// sum.add(1e300);
/// sum.remove(1e300);
/// assert_eq!(sum.value(), 0.9);
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct ExactSum {
    /// The sum is `parts[0] + parts[1] + parts[2] + wide`, without rounding. All parts are finite.
    parts: [f64; 3],
    /// The remainder that the parts cannot hold.
    wide: Option<Box<Wide>>,
}

/// The sum `a + b` rounded to nearest, and the error of that rounding: the two results add up to
/// `a + b` exactly, whichever of the two is larger, subnormal numbers too. O(1), six additions.
///
/// Where a term is not finite, or the sum is beyond the largest double, the error is NaN; where a
/// term is the largest double itself, it may be.
///
/// Source: D. Knuth, The Art of Computer Programming 2, 4.2.2, theorem B.
///
/// ```
/// use sched_model::two_sum;
/// assert_eq!(two_sum(1.0, 1e-20), (1.0, 1e-20));
/// assert_eq!(two_sum(1e16, 1.0), (1e16, 1.0));
/// assert_eq!(two_sum(0.5, 0.25), (0.75, 0.0));
/// assert!(two_sum(f64::MAX, f64::MAX).1.is_nan());
/// ```
#[inline]
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// `a + b`, rounded to odd: itself where it is a double, else the neighbour whose last bit is 1.
#[inline]
fn odd_sum(a: f64, b: f64) -> f64 {
    let (sum, error) = two_sum(a, b);
    if error == 0.0 || sum.to_bits() & 1 == 1 {
        sum
    } else if error > 0.0 {
        sum.next_up()
    } else {
        sum.next_down()
    }
}

impl ExactSum {
    /// The sum of no terms.
    #[inline]
    pub const fn new() -> Self {
        Self { parts: [0.0; 3], wide: None }
    }

    /// Adds a term.
    #[inline]
    pub fn add(&mut self, term: f64) {
        let [a, b, c] = self.parts;
        let (a, rest) = two_sum(a, term);
        let (b, rest) = two_sum(b, rest);
        let (c, rest) = two_sum(c, rest);
        if rest == 0.0 {
            self.parts = [a, b, c];
        } else {
            // A remainder is left; or a term was not finite, which made it NaN.
            self.add_wide(term);
        }
    }

    /// Removes a term that was added before; for any other number, adds its negative.
    #[inline]
    pub fn remove(&mut self, term: f64) {
        self.add(-term);
    }

    /// The sum, rounded once to nearest, ties to even. Infinite where it exceeds the largest double, NaN if a
    /// term was not finite. Zero is always +0.
    #[inline]
    pub fn value(&self) -> f64 {
        if self.wide.is_none() {
            let [a, b, c] = self.parts;
            let (high, rest) = two_sum(b, c);
            let (top, low) = two_sum(a, high);
            let value = top + odd_sum(low, rest);
            if value.is_finite() {
                return value;
            }
        }
        self.wide_value()
    }

    /// Whether the sum, rounded once, is at most `limit`.
    #[inline]
    pub fn at_most(&self, limit: f64) -> bool {
        self.value() <= limit
    }

    /// Sets the sum to zero; keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.parts = [0.0; 3];
        if let Some(wide) = &mut self.wide {
            wide.clear();
        }
    }

    #[cold]
    fn add_wide(&mut self, term: f64) {
        self.wide.get_or_insert_default().add(term);
    }

    #[cold]
    fn wide_value(&self) -> f64 {
        let mut all = self.wide.as_deref().cloned().unwrap_or_default();
        for part in self.parts {
            all.add(part);
        }
        all.value()
    }
}

impl Extend<f64> for ExactSum {
    #[inline]
    fn extend<I: IntoIterator<Item = f64>>(&mut self, terms: I) {
        for term in terms {
            self.add(term);
        }
    }
}

impl FromIterator<f64> for ExactSum {
    #[inline]
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Self {
        let mut sum = Self::new();
        sum.extend(terms);
        sum
    }
}

/// The exact sum of the terms, rounded once to nearest, ties to even: see [`ExactSum::value`].
///
/// ```
/// use sched_model::exact_sum;
/// assert_eq!(exact_sum([1e300, 1.0, -1e300]), 1.0);
/// assert_eq!(exact_sum([0.1; 10]), 1.0);
/// ```
#[inline]
pub fn exact_sum(terms: impl IntoIterator<Item = f64>) -> f64 {
    terms.into_iter().collect::<ExactSum>().value()
}

/// Whether the exact sum of the terms, rounded once, is at most `limit`. O(n) for n terms.
///
/// ```
/// use sched_model::affordable;
/// assert!(affordable([0.4, 0.2, 0.3, 0.1, 0.2], 1.2));
/// assert!(!affordable([0.4, 0.2, 0.3, 0.1, 0.2], 1.2_f64.next_down()));
/// ```
#[inline]
pub fn affordable(terms: impl IntoIterator<Item = f64>, limit: f64) -> bool {
    exact_sum(terms) <= limit
}

/// A bound on the difference between a sum in plain doubles and the exact sum, after that many `operations`
/// (additions and subtractions, in any order), where no term, no result of an operation and no exact
/// intermediate sum exceeds `magnitude` in absolute value.
///
/// It exceeds the greatest error by a factor of at least two, so that it and `magnitude` may themselves be
/// computed in plain doubles.
#[inline]
pub fn plain_sum_error(operations: usize, magnitude: f64) -> f64 {
    // The rounding error of each operation is at most EPSILON / 2 * magnitude. The rounding of the count is
    // covered by the factor.
    operations as f64 * f64::EPSILON * magnitude
}

/// An upper bound on every span that begins at `start` and ends by `end`, where `start + span` is rounded to
/// a double: no longer span fits into `[start, end)`. O(1).
///
/// A finite bound exceeds the true length by at most five parts in 2^52 of `|start| + |end|`, and the least
/// double. `start` is at most `end`, which may be infinite.
///
/// ```
/// use sched_model::span_bound;
/// // Rounded, this span ends in time, though it is longer than what lies between.
/// let (start, end, span) = (1e16, 1e16 + 2.0, 3.0_f64.next_down());
/// assert_eq!(start + span, end);
/// assert!(span > end - start && span <= span_bound(start, end));
/// assert!(span_bound(0.0, 1.0) < 1.000_000_001);
/// ```
#[inline]
pub fn span_bound(start: f64, end: f64) -> f64 {
    // The subtraction here and the sum there have a relative rounding error of at most EPSILON / 2 each.
    (end - start) + 4.0 * f64::EPSILON * (start.abs() + end.abs())
}

/// Decides from a plain sum of doubles whether the exact sum is affordable, where the plain sum proves it.
///
/// Hot loops keep a plain running sum, bound its error once (see [`plain_sum_error`]), and compute the exact
/// sum only where the filter cannot decide.
///
/// ```
/// use sched_model::{SumFilter, affordable, plain_sum_error};
/// let charges = [0.4, 0.2, 0.3, 0.1, 0.2];
/// let filter = SumFilter::new(1.2, plain_sum_error(charges.len(), 2.0));
/// let plain: f64 = charges.iter().sum();
/// assert_eq!(filter.decide(plain), None); // too near to 1.2
/// assert!(filter.decide_or(plain, || affordable(charges, 1.2)));
/// assert_eq!((filter.decide(1.1), filter.decide(1.3)), (Some(true), Some(false)));
/// // An error that is not known decides nothing, but where there is no limit.
/// assert_eq!(SumFilter::new(1.2, f64::NAN).decide(0.1), None);
/// assert_eq!(SumFilter::new(f64::INFINITY, f64::NAN).decide(0.1), Some(true));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use]
pub struct SumFilter {
    /// A plain sum up to here belongs to an exact sum that is affordable.
    surely_below: f64,
    /// A plain sum above here belongs to one that is not.
    surely_above: f64,
}

impl SumFilter {
    /// A filter for exact sums under `limit`, used with plain sums that differ from the exact ones by at most
    /// `error`. Under a limit of infinity every sum is affordable, for any error. Under any other limit, a
    /// filter with an error that is NaN never decides.
    #[inline]
    pub fn new(limit: f64, error: f64) -> Self {
        // Outwards by one double, for the rounding of these two operations. Above, by one more: a sum up to
        // the midpoint after `limit` still rounds to it.
        Self {
            surely_below: if limit == f64::INFINITY { limit } else { (limit - error).next_down() },
            surely_above: (limit.next_up() + error).next_up(),
        }
    }

    /// Whether the exact sum is affordable; `None` if the plain sum is too near to the limit to decide.
    #[inline]
    pub fn decide(&self, plain: f64) -> Option<bool> {
        if plain <= self.surely_below {
            Some(true)
        } else if plain > self.surely_above {
            Some(false)
        } else {
            None
        }
    }

    /// Whether the exact sum is affordable; calls `exact` where the plain sum cannot decide.
    #[inline]
    pub fn decide_or(&self, plain: f64, exact: impl FnOnce() -> bool) -> bool {
        self.decide(plain).unwrap_or_else(exact)
    }

    /// The plain sum up to which the exact sum is surely affordable: for loops that compare by themselves.
    #[inline]
    pub fn surely_below(&self) -> f64 {
        self.surely_below
    }

    /// The plain sum above which the exact sum is surely not affordable.
    #[inline]
    pub fn surely_above(&self) -> f64 {
        self.surely_above
    }
}
