//! Numbers on which arithmetic in doubles goes wrong.

use crate::rng::Rng;

/// A structure of numbers; all of one instance mostly share it. Never negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// 0 to 20.
    Whole,
    /// Multiples of 0.1 up to 1.
    Tenths,
    /// Multiples of 0.01 up to 10.
    Cents,
    /// Two or three values in all.
    Ties,
    /// Multiples of 1/8.
    Dyadic,
    /// Uniform in [0, 1).
    Real,
    /// 10^-9 to 10^12.
    Powers,
    /// 1, some units in the last place beside it.
    Near,
    /// A third of a whole number.
    Thirds,
    /// The least positive doubles.
    Subnormal,
    /// About 10^-200: products of two are lost.
    Tiny,
    /// About 10^60.
    Huge,
    /// A sum that a double cannot hold: 1 and 2^-53 and their like.
    Halves,
}

impl Family {
    const ALL: [Self; 13] = [
        Self::Whole,
        Self::Tenths,
        Self::Cents,
        Self::Ties,
        Self::Dyadic,
        Self::Real,
        Self::Powers,
        Self::Near,
        Self::Thirds,
        Self::Subnormal,
        Self::Tiny,
        Self::Huge,
        Self::Halves,
    ];

    /// Any; everyday money half of the time.
    pub(crate) fn any(rng: &mut Rng) -> Self {
        if rng.percent(45) { *rng.pick(&[Self::Tenths, Self::Cents]) } else { *rng.pick(&Self::ALL) }
    }

    /// Whose sums and products of a few are exact in doubles.
    pub(crate) fn exact(rng: &mut Rng) -> Self {
        *rng.pick(&[Self::Whole, Self::Dyadic, Self::Ties])
    }

    pub(crate) fn draw(self, rng: &mut Rng) -> f64 {
        match self {
            Self::Whole => rng.below(21) as f64,
            Self::Tenths => rng.below(11) as f64 / 10.0,
            Self::Cents => rng.below(1001) as f64 / 100.0,
            Self::Ties => *rng.pick(&[1.0, 2.0, 2.0]),
            Self::Dyadic => rng.below(81) as f64 / 8.0,
            Self::Real => rng.unit(),
            Self::Powers => 10f64.powi(rng.range(0, 21) as i32 - 9) * (1 + rng.below(9)) as f64,
            Self::Near => beside(1.0, rng.below(7) as i64 - 3),
            Self::Thirds => rng.below(13) as f64 / 3.0,
            Self::Subnormal => f64::from_bits(rng.below(9) as u64),
            Self::Tiny => rng.below(21) as f64 * *rng.pick(&[1e-200, 1e-201, 1e-180]),
            Self::Huge => *rng.pick(&[1e60, 5e59, 1e59, 1e44, 3e59, 1.0, 0.0]),
            Self::Halves => *rng.pick(&[1.0, 2f64.powi(-53), 2f64.powi(-54), 3.0, 1.0 + f64::EPSILON]),
        }
    }

    /// A number above zero.
    pub(crate) fn positive(self, rng: &mut Rng) -> f64 {
        let drawn = self.draw(rng);
        if drawn > 0.0 { drawn } else { 1.0 }
    }
}

/// `steps` doubles above (or below) a finite number.
pub(crate) fn beside(value: f64, steps: i64) -> f64 {
    let mut value = value;
    for _ in 0..steps.unsigned_abs() {
        value = if steps > 0 { value.next_up() } else { value.next_down() };
    }
    value
}

/// Limits by which a sum can be judged hard: the sum itself, a unit in the last place beside it, less, more.
pub(crate) fn limit_near(rng: &mut Rng, sum: f64) -> f64 {
    match rng.below(10) {
        0..=4 => sum,
        5 => beside(sum, 1),
        6 => beside(sum, -1),
        7 => sum * rng.unit(),
        8 => sum * (1.0 + rng.unit()),
        _ => (sum * 10.0).round() / 10.0,
    }
}
