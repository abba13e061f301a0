//! A plain sum beside the sum of its rounding errors: nearly always enough to round the exact sum.

/// A sum with the sum of the rounding errors of its additions (D. Knuth, The Art of Computer Programming 2,
/// 4.2.2, theorem B).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Compensated {
    sum: f64,
    lost: f64,
    /// The sum of the magnitudes of the rounding errors.
    magnitude: f64,
}

impl Compensated {
    #[inline(always)]
    pub(crate) fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        let part = sum - self.sum;
        let lost = (self.sum - (sum - part)) + (value - part);
        self.sum = sum;
        self.lost += lost;
        self.magnitude += lost.abs();
    }

    /// The exact sum of so many values, rounded once; or `None` where it may be too near the middle of two
    /// doubles.
    pub(crate) fn rounded(self, count: usize) -> Option<f64> {
        let rounded = self.sum + self.lost;
        if self.magnitude == 0.0 {
            return Some(rounded);
        }
        // Both differences are exact, as `lost` is small beside `sum` wherever the last test can hold.
        let rest = (self.lost - (rounded - self.sum)).abs();
        let doubt = self.magnitude * (2.0 * count as f64 * f64::EPSILON) + f64::MIN_POSITIVE;
        let half = 0.5 * (rounded.abs() - rounded.abs().next_down());
        (self.lost.abs() <= self.sum.abs() && rest + doubt < half).then_some(rounded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sched_model::exact_sum;

    #[test]
    fn what_it_rounds_is_rounded_rightly() {
        let mut decided = 0;
        for seed in 0..2_000_u32 {
            let mut state = seed;
            let values: Vec<f64> = (0..2 + seed % 7)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let sign = if state & 64 == 0 { 1.0 } else { -1.0 };
                    sign * f64::from(state >> 20) / [10.0, 3.0, 1.0, 1e9][(state >> 8) as usize % 4]
                })
                .collect();
            let mut sum = Compensated::default();
            values.iter().for_each(|&value| sum.add(value));
            if let Some(rounded) = sum.rounded(values.len()) {
                decided += 1;
                assert_eq!(rounded, exact_sum(values.iter().copied()), "{values:?}");
            }
        }
        assert!(decided > 1_900, "{decided}");
    }

    #[test]
    fn the_middle_of_two_doubles_is_left_open() {
        let mut sum = Compensated::default();
        [9_007_199_254_740_992.0, 1.0, 1e-30].into_iter().for_each(|value| sum.add(value));
        assert_eq!(sum.rounded(3), None);
    }
}
