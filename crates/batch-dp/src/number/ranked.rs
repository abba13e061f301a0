//! A number of two ranks: the first decides, the second breaks ties of the first.

use super::{Number, Scale};

/// Two exact sums in order of rank. Adding the same pair to both sides keeps the order, so that a search
/// treats the pair as one number; no large factor for the first rank is needed.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
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
