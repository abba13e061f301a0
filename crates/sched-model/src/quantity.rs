//! Quantities: the numbers of a scheduling problem, each with a type of its own.
//!
//! Each quantity is a newtype over `f64` that is finite by construction, so ordering is total, and `Eq` and `Hash`
//! hold. Only meaningful operators exist: [`Time`] + [`Span`] is a [`Time`], [`Work`] / [`Speed`] a [`Span`],
//! [`Price`] * [`Span`] a [`Money`]; adding two instants does not compile.
//!
//! The caller chooses the units, which must agree with each other: if time is in seconds, and work in seconds on a
//! machine of speed 1, then prices are per CPU second.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

use crate::ModelError;
use crate::error::must;
use crate::exact::exact_sum;

/// The largest magnitude that a constructor accepts: 10^60.
///
/// Operators do not check their results, because that would make hot loops up to five times slower. No check is
/// needed: products of three quantities, and sums of up to 10^100 of them, stay far below `f64::MAX`, so no result
/// overflows to infinity. Such a result may exceed the range that constructors, and so readers, accept.
pub const MAX_QUANTITY: f64 = 1e60;

/// The smallest positive magnitude that [`Speed`] accepts: 10^-60, so that [`Work`] / [`Speed`] stays finite.
pub const MIN_SPEED: f64 = 1e-60;

/// Defines quantities whose constructors accept the same values, given in words and as a range.
macro_rules! quantities {
    ($expected:literal, $range:expr; $($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(try_from = "f64", into = "f64"))]
        // `PartialOrd` compares the plain numbers, which are never NaN; `<` by a total order would make hot loops up
        // to five times slower.
        #[allow(clippy::derive_ord_xor_partial_ord)]
        pub struct $name(f64);

        impl $name {
            #[doc = concat!("Creates a `", stringify!($name), "` from a literal. For data, use `try_from`.")]
            ///
            /// # Panics
            #[doc = concat!("Unless the value is ", $expected, ".")]
            #[inline]
            #[track_caller]
            pub fn must(value: f64) -> Self {
                must(Self::try_from(value))
            }

            /// The plain number.
            #[inline]
            pub const fn get(self) -> f64 {
                self.0
            }
        }

        impl Eq for $name {}

        impl Ord for $name {
            #[inline]
            fn cmp(&self, other: &Self) -> Ordering {
                // Never NaN, so the comparison always gives an order.
                self.0.partial_cmp(&other.0).unwrap_or(Ordering::Equal)
            }
        }

        impl Hash for $name {
            fn hash<H: Hasher>(&self, state: &mut H) {
                // Equal quantities have equal hashes: -0.0 is hashed as 0.0.
                (self.0 + 0.0).to_bits().hash(state);
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl TryFrom<f64> for $name {
            type Error = ModelError;

            #[doc = concat!("Creates a `", stringify!($name), "` from `value`.")]
            ///
            /// # Errors
            #[doc = concat!("[`ModelError::Quantity`] unless the value is ", $expected, ".")]
            #[inline]
            fn try_from(value: f64) -> Result<Self, ModelError> {
                if $range.contains(&value) {
                    // Adding zero turns -0.0 into 0.0.
                    Ok(Self(value + 0.0))
                } else {
                    Err(ModelError::Quantity { quantity: stringify!($name), expected: $expected, value })
                }
            }
        }

        impl From<$name> for f64 {
            fn from(quantity: $name) -> f64 {
                quantity.0
            }
        }
    )*};
}

macro_rules! additive {
    ($($name:ident),*) => {$(
        impl Add for $name {
            type Output = Self;
            #[inline]
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl AddAssign for $name {
            #[inline]
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }

        impl Sum for $name {
            /// The exact sum, rounded once to a double; the order of the terms does not matter.
            #[inline]
            fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
                Self(exact_sum(iter.map(|item| item.0)))
            }
        }
    )*};
}

quantities!("finite, at most 1e60 in magnitude", (-MAX_QUANTITY..=MAX_QUANTITY);
    /// An instant, in the caller's unit of time. It may be negative, because only differences have a meaning.
    ///
    /// ```
    /// use sched_model::{Span, Time};
    /// let start = Time::must(150.0);
    /// assert_eq!(start + Span::must(80.0), Time::must(230.0));
    /// assert_eq!(Time::must(230.0) - start, Span::must(80.0));
    /// assert_eq!(start - Time::must(230.0), Span::ZERO); // a span is never negative
    /// ```
    ///
    /// ```compile_fail
    /// use sched_model::Time;
    /// let nonsense = Time::must(1.0) + Time::must(2.0);
    /// ```
    Time;

    /// An amount of money: a cost, a budget, or the difference of two amounts, which may be negative.
    ///
    /// The cost of a set of charges is their exact sum, rounded once to a double; it is affordable if that is at
    /// most the budget. The order of the charges does not matter.
    ///
    /// ```
    /// use sched_model::Money;
    /// let charges = [0.4, 0.2, 0.3, 0.1, 0.2].map(Money::must);
    /// assert_eq!(charges.into_iter().sum::<Money>(), Money::must(1.2));
    /// assert_eq!(charges.into_iter().rev().sum::<Money>(), Money::must(1.2));
    /// ```
    Money;
);
quantities!("finite, at least 0 and at most 1e60", (0.0..=MAX_QUANTITY);
    /// A duration, never negative.
    Span;

    /// Computational volume of one task. A task takes a [`Span`] of `Work / Speed`.
    ///
    /// ```
    /// use sched_model::{Span, Speed, Work};
    /// assert_eq!(Work::must(90.0) / Speed::must(1.5), Span::must(60.0));
    /// ```
    Work;

    /// Money per CPU and unit of time.
    ///
    /// ```
    /// use sched_model::{Money, Price, Span};
    /// assert_eq!(Price::must(2.5) * Span::must(60.0), Money::must(150.0));
    /// ```
    Price;

    /// An amount of data, in the unit of [`Bandwidth`] times the unit of time.
    DataSize;

    /// The priority of a job: higher priorities are served first.
    Priority;
);
quantities!("finite, at least 1e-60 and at most 1e60", (MIN_SPEED..=MAX_QUANTITY);
    /// Work done per unit of time on one CPU. The etalon has speed 1 (or use MIPS, if work is counted in MI).
    Speed;

    /// Data per unit of time on a link; positive.
    Bandwidth;
);
quantities!("finite, at least 0 and at most 1", (0.0..=1.0);
    /// Weight of cost against time in a decision: at 0 only time counts, at 1 only cost.
    TradeOff;
);

additive!(Span, Work, Money, DataSize);

macro_rules! zeros {
    ($($name:ident: $doc:literal;)*) => {$(
        impl $name {
            #[doc = $doc]
            pub const ZERO: Self = Self(0.0);
        }
    )*};
}

zeros! {
    Time: "The origin of the caller's clock.";
    Span: "No time.";
    Money: "No money.";
}

impl Money {
    /// An amount from a product of several quantities, which may exceed the range of `try_from`, clamped to a finite
    /// value.
    #[inline]
    pub(crate) fn unchecked(value: f64) -> Self {
        Self(if value.is_nan() { 0.0 } else { value.clamp(f64::MIN, f64::MAX) + 0.0 })
    }
}

impl Span {
    /// A span from a computation, which is finite and not negative, but may exceed the range of constructors.
    #[inline]
    pub(crate) fn unchecked(value: f64) -> Self {
        Self(value)
    }
}

impl Time {
    /// A time from a conversion, which is finite and in range.
    #[cfg(any(feature = "chrono", feature = "jiff"))]
    pub(crate) fn unchecked(value: f64) -> Self {
        Self(value + 0.0)
    }

    /// Before every instant, including those beyond the range of constructors. For the bounds of ranges.
    pub(crate) const BEFORE_ALL: Self = Self(f64::NEG_INFINITY);

    /// After every instant.
    pub(crate) const AFTER_ALL: Self = Self(f64::INFINITY);
}

impl Speed {
    /// The etalon: on it a task of work 1 takes one unit of time.
    pub const ETALON: Self = Self(1.0);
}

/// Implements operators by the same operators of the plain numbers.
macro_rules! operators {
    ($($trait:ident::$method:ident: $left:ident $sign:tt $right:ident = $result:ident;)*) => {$(
        impl $trait<$right> for $left {
            type Output = $result;
            #[inline]
            fn $method(self, other: $right) -> $result {
                $result(self.0 $sign other.0)
            }
        }
    )*};
}

operators! {
    Add::add: Time + Span = Time;
    Sub::sub: Time - Span = Time;
    Sub::sub: Money - Money = Money;
    Div::div: Work / Speed = Span;
    Mul::mul: Speed * Span = Work;
    Mul::mul: Price * Span = Money;
    Div::div: DataSize / Bandwidth = Span;
}

impl Sub for Time {
    type Output = Span;
    /// The span since `earlier`; zero if `earlier` is in fact later, as for [`std::time::Instant`].
    #[inline]
    fn sub(self, earlier: Time) -> Span {
        Span((self.0 - earlier.0).max(0.0))
    }
}
