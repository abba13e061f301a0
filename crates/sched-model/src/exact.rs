//! Exact sums: the cost of a set of charges, and whether a budget covers it.
//!
//! The cost of a set of charges is their exact real sum, rounded once to a double (to nearest, ties to even). It is
//! affordable if it is at most the budget. So the result does not depend on the order of summation, and searches, the
//! checker and a caller's own program agree to the last bit.
//!
//! A loop with a running sum asks a [`SumFilter`] first: a plain sum of doubles decides, unless its distance from the
//! limit is within its rounding error.
//!
//! Sources: D. Knuth, The Art of Computer Programming 2, 4.2.2, theorem B (the sum of two doubles and its
//! error); T. Ogita, S. Rump, S. Oishi, Accurate Sum and Dot Product, 2005 (the sum of the errors); R. Neal, Fast Exact
//! Summation Using Small and Large Superaccumulators, 2015 (the accumulator).

use std::fmt;

use crate::elementary::power_of_two;

/// Bits of a digit.
const BITS: usize = 32;

/// Number of digits: 2098 bits hold every finite double, and 64 more hold the sum of 2^64 of them. The last digit
/// holds the sign.
const DIGITS: usize = 69;

/// Number of terms that may be added before carries must be propagated: each adds less than 2^32 to a 64-bit
/// digit.
const CARRY_AFTER: u32 = 1 << 30;

/// A running sum without rounding error: terms are added and removed exactly, and [`value`](Self::value) rounds
/// once.
///
/// The sum is a fixed-point number of 552 bytes that covers the range of doubles. Each term takes O(1) time, about
/// twenty operations; [`value`](Self::value) reads the digits from the lowest to the highest that a term has changed.
///
/// A term that is not finite makes the value NaN until [`clear`](Self::clear).
///
/// ```
/// use sched_model::internal::ExactSum;
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
#[derive(Clone)]
#[must_use]
pub struct ExactSum {
    /// The value is the sum of `digits[i] * 2^(32 i - 1074)`. Digits may be negative or exceed 32 bits.
    digits: [i64; DIGITS],
    /// Digits before `first` and from `end` on are 0.
    first: usize,
    end: usize,
    /// Number of terms added since carries were last propagated.
    terms: u32,
    /// Whether a term since [`clear`](Self::clear) was not finite.
    has_non_finite: bool,
}

impl ExactSum {
    /// Creates the sum of no terms, zero.
    #[inline]
    pub const fn new() -> Self {
        Self { digits: [0; DIGITS], first: DIGITS, end: 0, terms: 0, has_non_finite: false }
    }

    /// Adds a term.
    pub fn add(&mut self, term: f64) {
        if !term.is_finite() {
            self.has_non_finite = true;
            return;
        }
        let bits = term.to_bits();
        let exponent = (bits >> 52) as usize & 0x7ff;
        let fraction = bits & ((1 << 52) - 1);
        // term = significand * 2^(place - 1074)
        let (significand, place) =
            if exponent == 0 { (fraction, 0) } else { (fraction | (1 << 52), exponent - 1) };
        let shifted = u128::from(significand) << (place % BITS); // at most 84 bits
        let first = place / BITS;
        (self.first, self.end) = (self.first.min(first), self.end.max(first + 3));
        for (at, digit) in self.digits[first..first + 3].iter_mut().enumerate() {
            let piece = i64::from((shifted >> (at * BITS)) as u32);
            *digit += if term < 0.0 { -piece } else { piece };
        }
        self.terms += 1;
        if self.terms == CARRY_AFTER {
            self.carry();
        }
    }

    /// Removes a term that was added before; for any other number, adds its negative.
    #[inline]
    pub fn remove(&mut self, term: f64) {
        self.add(-term);
    }

    /// Returns the sum, rounded once to nearest, ties to even. Infinite if it exceeds the largest double, NaN if a
    /// term was not finite. Zero is always +0.
    pub fn value(&self) -> f64 {
        if self.has_non_finite {
            return f64::NAN;
        }
        self.rounded(1).unwrap_or_else(|| -self.rounded(-1).unwrap_or(0.0))
    }

    /// Returns `sign` times the sum, rounded; `None` if that is negative.
    fn rounded(&self, sign: i64) -> Option<f64> {
        // With carries propagated: the position of the highest digit that is not 0; the three digits from it down, at
        // bits 64, 32 and 0; and whether any bit below these is set.
        let (mut top, mut three, mut below) = (0, 0_u128, false);
        let mut carried = 0;
        for at in self.first..DIGITS {
            if at >= self.end && (carried == 0 || carried == -1) {
                break;
            }
            let sum = sign * self.digits[at] + carried;
            carried = sum >> BITS;
            let digit = sum - (carried << BITS);
            if digit != 0 {
                let shift = BITS * (at - top).min(3);
                below |= three & ((1 << shift) - 1) != 0;
                three = three >> shift | (digit as u128) << (2 * BITS);
                top = at;
            }
        }
        if carried < 0 {
            return None;
        }
        // The last bit stands for all bits below: the conversion rounds off at least eleven bits more.
        let rounded = (three | u128::from(below)) as f64;
        // In two factors, because one alone may be out of range although the result is not.
        let place = (BITS * top) as i32 - 2 * BITS as i32 - 1074;
        Some(rounded * power_of_two(place / 2) * power_of_two(place - place / 2))
    }

    /// Propagates carries, so that every digit but the last lies in `0..2^32`. The last digit then has the sign of
    /// the sum.
    #[cold]
    fn carry(&mut self) {
        let mut carried = 0;
        for digit in &mut self.digits[..DIGITS - 1] {
            let sum = *digit + carried;
            carried = sum >> BITS;
            *digit = sum - (carried << BITS);
        }
        self.digits[DIGITS - 1] += carried;
        (self.first, self.end, self.terms) = (0, DIGITS, 0);
    }

    /// Whether the sum, rounded once, is at most `limit`.
    #[inline]
    pub fn at_most(&self, limit: f64) -> bool {
        self.value() <= limit
    }

    /// Sets the sum to zero.
    pub fn clear(&mut self) {
        *self = Self::new();
    }
}

impl Default for ExactSum {
    fn default() -> Self {
        Self::new()
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

impl fmt::Debug for ExactSum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ExactSum").field(&self.value()).finish()
    }
}

/// Returns the sum `a + b` rounded to nearest, and the error of that rounding. The two results add up to `a + b`
/// exactly, whichever of `a` and `b` is larger, and also for subnormal numbers. O(1), six additions.
///
/// If a term is not finite, or the sum is beyond the largest double, the error is NaN; if a term is the largest
/// double itself, the error may be NaN.
///
/// Source: D. Knuth, The Art of Computer Programming 2, 4.2.2, theorem B.
///
/// ```
/// use sched_model::internal::two_sum;
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

/// Returns the exact sum of `terms`, rounded once to nearest, ties to even, as [`ExactSum::value`] does. O(n) time
/// for n terms; usually two doubles suffice to hold the sum.
///
/// ```
/// use sched_model::internal::exact_sum;
/// assert_eq!(exact_sum([1e300, 1.0, -1e300]), 1.0);
/// assert_eq!(exact_sum([0.1; 10]), 1.0);
/// ```
pub fn exact_sum(terms: impl IntoIterator<Item = f64>) -> f64 {
    // Invariant: `held` and `spilled` together are exactly the sum of the terms so far. Only this loop is compiled
    // for each type of iterator.
    let (mut held, mut spilled) = ([0.0; 2], None);
    for term in terms {
        held = add_to_held(term, held, &mut spilled);
    }
    if spilled.is_none() { held[0] + held[1] } else { spill(&held, &mut spilled).value() }
}

/// Adds `term` to a sum that is held by two doubles. If two do not suffice, moves the whole sum to `spilled`.
#[inline]
fn add_to_held(term: f64, [sum, errors]: [f64; 2], spilled: &mut Option<ExactSum>) -> [f64; 2] {
    let (next, error) = two_sum(sum, term);
    let (more, lost) = two_sum(errors, error);
    if lost == 0.0 {
        return [next, more];
    }
    // Two doubles cannot hold the sum.
    spill(&[sum, errors, term], spilled);
    [0.0; 2]
}

/// Adds `terms` to the exact sum, which is created if there is none yet.
#[cold]
fn spill<'a>(terms: &[f64], spilled: &'a mut Option<ExactSum>) -> &'a ExactSum {
    let spilled = spilled.get_or_insert_default();
    spilled.extend(terms.iter().copied());
    spilled
}

/// Whether the exact sum of `terms`, rounded once, is at most `limit`. O(n) time for n terms.
///
/// ```
/// use sched_model::internal::affordable;
/// assert!(affordable([0.4, 0.2, 0.3, 0.1, 0.2], 1.2));
/// assert!(!affordable([0.4, 0.2, 0.3, 0.1, 0.2], 1.2_f64.next_down()));
/// ```
#[inline]
pub fn affordable(terms: impl IntoIterator<Item = f64>, limit: f64) -> bool {
    exact_sum(terms) <= limit
}

/// Returns an upper bound on the difference between a sum in plain doubles and the exact sum after `operations`
/// additions and subtractions in any order, if no term, no result of an operation and no exact intermediate sum
/// exceeds `magnitude` in absolute value.
///
/// The bound is at least twice the maximum error, so it and `magnitude` may themselves be computed in plain
/// doubles.
#[inline]
pub fn plain_sum_error(operations: usize, magnitude: f64) -> f64 {
    // The rounding error of each operation is at most EPSILON / 2 * magnitude. The factor of two also covers the
    // rounding of the count.
    operations as f64 * f64::EPSILON * magnitude
}

/// Returns an upper bound on every span for which `start + span`, rounded to a double, is at most `end`: no longer
/// span fits into `[start, end)`. O(1).
///
/// A finite bound exceeds the true length by at most five parts in 2^52 of `|start| + |end|`, plus the smallest
/// double. `start` must be at most `end`, which may be infinite.
///
/// ```
/// use sched_model::internal::span_bound;
/// // Rounded, this span ends in time, although it is longer than the interval.
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

/// A filter that decides from a plain sum of doubles whether the exact sum is affordable, unless the plain sum is too
/// close to the limit.
///
/// Hot loops keep a plain running sum, bound its error once (see [`plain_sum_error`]), and compute the exact sum
/// only if the filter cannot decide.
///
/// ```
/// use sched_model::internal::{SumFilter, plain_sum_error};
/// use sched_model::internal::affordable;
/// let charges = [0.4, 0.2, 0.3, 0.1, 0.2];
/// let filter = SumFilter::new(1.2, plain_sum_error(charges.len(), 2.0));
/// let plain: f64 = charges.iter().sum();
/// assert_eq!(filter.decide(plain), None); // too near to 1.2
/// assert!(filter.decide_or(plain, || affordable(charges, 1.2)));
/// assert_eq!((filter.decide(1.1), filter.decide(1.3)), (Some(true), Some(false)));
/// // With an unknown error nothing is decided, unless there is no limit.
/// assert_eq!(SumFilter::new(1.2, f64::NAN).decide(0.1), None);
/// assert_eq!(SumFilter::new(f64::INFINITY, f64::NAN).decide(0.1), Some(true));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use]
pub struct SumFilter {
    /// A plain sum of at most this proves that the exact sum is affordable.
    surely_below: f64,
    /// A plain sum above this proves that the exact sum is not affordable.
    surely_above: f64,
}

impl SumFilter {
    /// Creates a filter for sums under `limit`, whose plain values differ from the exact ones by at most `error`. If
    /// the limit is infinite, every sum is affordable, whatever the error. Otherwise a filter with a NaN error never
    /// decides.
    #[inline]
    pub fn new(limit: f64, error: f64) -> Self {
        // Move outwards by one double for the rounding of these two operations. Above, move by one more: a sum up
        // to the midpoint after `limit` still rounds to it.
        Self {
            surely_below: if limit == f64::INFINITY { limit } else { (limit - error).next_down() },
            surely_above: (limit.next_up() + error).next_up(),
        }
    }

    /// Whether the exact sum is affordable; `None` if the plain sum is too close to the limit to decide.
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

    /// Whether the exact sum is affordable; calls `exact` if the plain sum cannot decide.
    #[inline]
    pub fn decide_or(&self, plain: f64, exact: impl FnOnce() -> bool) -> bool {
        self.decide(plain).unwrap_or_else(exact)
    }
}
