//! Numbers of two ranks, of which the first decides and the second breaks ties; and numbers with a count beside them,
//! which only bounds use.

use super::{Number, Scale};

/// Two exact sums in order of rank. Adding the same pair to both sides keeps the order, so that a search
/// treats the pair as one number; no large factor for the first rank is needed.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub(crate) struct Ranked<N> {
    pub(crate) first: N,
    pub(crate) second: N,
}

/// The scales of both ranks, and the worth of a unit of the first in units of the second, where a bound needs
/// one number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RankedScale {
    pub(crate) first: Scale,
    pub(crate) second: Scale,
    pub(crate) worth: f64,
}

impl<N: Number<Scale = Scale>> Number for Ranked<N> {
    type Scale = RankedScale;
    const ZERO: Self = Self { first: N::ZERO, second: N::ZERO };
    const TOP: Self = Self { first: N::TOP, second: N::TOP };

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self { first: self.first.plus(other.first), second: self.second.plus(other.second) }
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self { first: self.first.minus(other.first), second: self.second.minus(other.second) }
    }

    #[inline(always)]
    fn near(self, scale: &RankedScale) -> f64 {
        self.second.near(&scale.second) + scale.worth * self.first.near(&scale.first)
    }

    fn value(self, scale: &RankedScale) -> f64 {
        self.second.value(&scale.second)
    }

    fn mixed(self, scale: &RankedScale) -> f64 {
        self.near(scale)
    }

    fn mixing_size(self, scale: &RankedScale) -> f64 {
        self.size(scale) + Self::fuzz(scale)
    }

    fn size(self, scale: &RankedScale) -> f64 {
        self.second.near(&scale.second).abs() + scale.worth.abs() * self.first.near(&scale.first).abs()
    }

    #[inline(always)]
    fn loss(self, scale: &RankedScale) -> f64 {
        self.first.near(&scale.first)
    }

    fn loss_fuzz(scale: &RankedScale) -> f64 {
        N::fuzz(&scale.first)
    }

    fn fuzz(scale: &RankedScale) -> f64 {
        N::fuzz(&scale.second) + scale.worth.abs() * N::fuzz(&scale.first)
    }

    fn tie(self, scale: &RankedScale) -> Self {
        Self { first: self.first, second: self.second.tie(&scale.second) }
    }

    fn better(self, scale: &RankedScale) -> Self {
        Self { first: self.first, second: self.second.better(&scale.second) }
    }
}

/// An exact sum, and how many jobs it leaves out. The sum decides, then the lesser count; a bound adds a toll
/// for each of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub(crate) struct Counted<N> {
    pub(crate) sum: N,
    pub(crate) count: i32,
}

/// The scale of the sum, the toll, and the wanted count, as a difference from that of the base.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CountedScale<S> {
    pub(crate) sum: S,
    pub(crate) toll: f64,
    pub(crate) wanted: i32,
}

/// The count of a threshold: no sum that is equal has a greater one.
const ANY: i32 = i32::MAX / 2;

impl<N: Number> Number for Counted<N> {
    type Scale = CountedScale<N::Scale>;
    const ZERO: Self = Self { sum: N::ZERO, count: 0 };
    const TOP: Self = Self { sum: N::TOP, count: i32::MAX };

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self { sum: self.sum.plus(other.sum), count: self.count + other.count }
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self { sum: self.sum.minus(other.sum), count: self.count - other.count }
    }

    #[inline(always)]
    fn near(self, scale: &Self::Scale) -> f64 {
        self.sum.near(&scale.sum) + scale.toll * f64::from(self.count)
    }

    fn aimed(self, scale: &Self::Scale) -> f64 {
        self.sum.near(&scale.sum) + scale.toll * f64::from(scale.wanted)
    }

    fn value(self, scale: &Self::Scale) -> f64 {
        self.sum.value(&scale.sum)
    }

    fn size(self, scale: &Self::Scale) -> f64 {
        self.sum.size(&scale.sum) + (scale.toll * f64::from(self.count)).abs()
    }

    #[inline(always)]
    fn loss(self, scale: &Self::Scale) -> f64 {
        self.sum.loss(&scale.sum)
    }

    fn loss_fuzz(scale: &Self::Scale) -> f64 {
        N::loss_fuzz(&scale.sum)
    }

    fn fuzz(scale: &Self::Scale) -> f64 {
        N::fuzz(&scale.sum)
    }

    fn tie(self, scale: &Self::Scale) -> Self {
        Self { sum: self.sum.tie(&scale.sum), count: ANY }
    }

    fn better(self, scale: &Self::Scale) -> Self {
        Self { sum: self.sum.better(&scale.sum), count: ANY }
    }
}
