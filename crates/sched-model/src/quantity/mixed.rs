//! Operators between different quantities.

use super::{Bandwidth, DataSize, Money, Price, Span, Speed, Time, Work};
use std::ops::{Add, Div, Mul, Neg, Sub, SubAssign};

/// Operators that are those of the numbers.
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
    /// The span since `earlier`; zero where `earlier` is in fact later, as for [`std::time::Instant`].
    #[inline]
    fn sub(self, earlier: Time) -> Span {
        Span((self.0 - earlier.0).max(0.0))
    }
}

impl SubAssign for Money {
    #[inline]
    fn sub_assign(&mut self, other: Money) {
        self.0 -= other.0;
    }
}

impl Neg for Money {
    type Output = Money;
    #[inline]
    fn neg(self) -> Money {
        Money(0.0 - self.0)
    }
}
