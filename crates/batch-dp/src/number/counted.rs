//! A number with a count beside it, which only bounds use.

use super::Number;

/// An exact sum, and how many jobs it leaves out. The sum decides, then the lesser count; a bound adds a toll
/// for each of them.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
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
