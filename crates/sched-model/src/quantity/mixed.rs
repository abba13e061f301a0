//! Operators between different quantities.

use super::{Bandwidth, DataSize, Money, Price, Span, Speed, Time, Work};
use std::ops::{Add, Div, Mul, Neg, Sub, SubAssign};

impl Add<Span> for Time {
    type Output = Time;
    #[inline]
    fn add(self, span: Span) -> Time {
        Time(self.0 + span.0)
    }
}

impl Sub<Span> for Time {
    type Output = Time;
    #[inline]
    fn sub(self, span: Span) -> Time {
        Time(self.0 - span.0)
    }
}

impl Sub for Time {
    type Output = Span;
    /// The span since `earlier`; zero where `earlier` is in fact later, as for [`std::time::Instant`].
    #[inline]
    fn sub(self, earlier: Time) -> Span {
        Span((self.0 - earlier.0).max(0.0))
    }
}

impl Sub for Money {
    type Output = Money;
    #[inline]
    fn sub(self, other: Money) -> Money {
        Money(self.0 - other.0)
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

impl Div<Speed> for Work {
    type Output = Span;
    #[inline]
    fn div(self, speed: Speed) -> Span {
        Span(self.0 / speed.0)
    }
}

impl Mul<Span> for Speed {
    type Output = Work;
    #[inline]
    fn mul(self, span: Span) -> Work {
        Work(self.0 * span.0)
    }
}

impl Mul<Span> for Price {
    type Output = Money;
    #[inline]
    fn mul(self, span: Span) -> Money {
        Money(self.0 * span.0)
    }
}

impl Div<Bandwidth> for DataSize {
    type Output = Span;
    #[inline]
    fn div(self, bandwidth: Bandwidth) -> Span {
        Span(self.0 / bandwidth.0)
    }
}
