//! Means and shares with 95% confidence intervals, the same bits on every run.

use econsched::sched_model::internal::atan;
use std::f64::consts::PI;

/// Running mean and variance by Welford's recurrence (B. P. Welford, Note on a method for calculating
/// corrected sums of squares and products, 1962). The same values in the same order give the same bits.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Moments {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Moments {
    /// Adds a value.
    pub fn push(&mut self, value: f64) {
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (value - self.mean);
    }

    /// Returns the number of values.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the mean; NaN without values.
    #[must_use]
    pub fn mean(&self) -> f64 {
        if self.count == 0 { f64::NAN } else { self.mean }
    }

    /// Returns the sample variance; 0 below two values.
    #[must_use]
    pub fn variance(&self) -> f64 {
        if self.count < 2 { 0.0 } else { self.squares / (self.count - 1) as f64 }
    }

    /// Returns the mean with its 95% confidence interval: mean +- t(0.975, n - 1) * s / sqrt(n). The interval is
    /// infinite below two values.
    pub fn estimate(&self) -> Estimate {
        let half = if self.count < 2 {
            f64::INFINITY
        } else {
            t_quantile_975(self.count - 1) * (self.variance() / self.count as f64).sqrt()
        };
        Estimate { mean: self.mean(), half, count: self.count }
    }

    /// As [`estimate`](Self::estimate), for values that are shares in per cent, one for each replicate. If all
    /// replicates agree, or nearly all are 0 or nearly all are 100, their variance says little: the interval is then
    /// at least as wide as that of a [`share`] over as many replicates that all agree, z^2 / (n + z^2). "Nearly all"
    /// means that the mean lies within that width of 0 or 100.
    pub fn mean_share(&self) -> Estimate {
        let estimate = self.estimate();
        let least = 100.0 * NORMAL * NORMAL / (self.count as f64 + NORMAL * NORMAL);
        let is_near_an_end = estimate.mean < least || estimate.mean > 100.0 - least;
        if estimate.half == 0.0 || is_near_an_end {
            return Estimate { half: estimate.half.max(least), ..estimate };
        }
        estimate
    }
}

/// The 0.975 quantile of the normal distribution.
const NORMAL: f64 = 1.959_963_984_540_054;

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut moments = Self::default();
        values.into_iter().for_each(|value| moments.push(value));
        moments
    }
}

/// A mean with its 95% confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[must_use]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half the width of the interval; infinite if it is unknown.
    pub half: f64,
    /// Number of values.
    pub count: u64,
}

impl Estimate {
    /// Multiplies mean and interval by a constant.
    pub fn times(self, factor: f64) -> Self {
        Self { mean: self.mean * factor, half: self.half * factor.abs(), ..self }
    }

    /// Converts a ratio x / y to the excess of x over y, in per cent of y.
    pub fn excess_percent(self) -> Self {
        Self { mean: self.mean - 1.0, ..self }.times(100.0)
    }

    /// Converts a ratio x / y to the saving of x against y, in per cent of y.
    pub(crate) fn saving_percent(self) -> Self {
        self.excess_percent().times(-1.0)
    }
}

/// The ratio of the mean of x to the mean of y over the same replicates, with its interval by the delta method. The
/// values are paired, so that variation that both share cancels.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Ratio {
    x: Moments,
    y: Moments,
    products: f64,
}

impl Ratio {
    /// Adds a replicate.
    pub fn push(&mut self, x: f64, y: f64) {
        let before = x - self.x.mean;
        self.x.push(x);
        self.y.push(y);
        self.products += before * (y - self.y.mean);
    }

    /// Returns mean x / mean y.
    pub fn estimate(&self) -> Estimate {
        let count = self.x.count;
        let ratio = self.x.mean() / self.y.mean();
        let half = if count < 2 {
            f64::INFINITY
        } else {
            let covariance = self.products / (count - 1) as f64;
            let spread = self.x.variance() - 2.0 * ratio * covariance + ratio * ratio * self.y.variance();
            t_quantile_975(count - 1) * (spread.max(0.0) / count as f64).sqrt() / self.y.mean().abs()
        };
        Estimate { mean: ratio, half, count }
    }
}

/// Returns the share `part / whole` in per cent, with the interval of E. B. Wilson (Probable inference, the law of
/// succession, and statistical inference, 1927), which has a width even if all replicates agree. The estimate is
/// centred on the observed share; `half` reaches to the farther end of the interval within [0, 100].
pub fn share(part: u64, whole: u64) -> Estimate {
    if whole == 0 {
        return Estimate { mean: f64::NAN, half: f64::INFINITY, count: 0 };
    }
    const Z: f64 = NORMAL;
    let (n, p) = (whole as f64, part as f64 / whole as f64);
    let centre = (p + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let reach = Z / (1.0 + Z * Z / n) * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let half = (p - (centre - reach)).max(centre + reach - p);
    Estimate { mean: 100.0 * p, half: 100.0 * half, count: whole }
}

impl From<f64> for Estimate {
    /// Wraps a figure without randomness.
    fn from(value: f64) -> Self {
        Self { mean: value, half: 0.0, count: 1 }
    }
}

/// Returns the median; for an even number of values the mean of the two middle ones. NaN without values.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[half],
        _ => (values[half - 1] + values[half]) / 2.0,
    }
}

/// Formats a number of at least 1 with two digits, rounded up: 1.3, 27, 410. Used for factors by which numbers of
/// replicates have to grow.
pub fn two_digits(value: f64) -> String {
    let mut unit = 0.1;
    while value / unit > 99.0 {
        unit *= 10.0;
    }
    let decimals = usize::from(unit < 1.0);
    format!("{:.decimals$}", (value / unit).ceil() * unit)
}

/// Returns the 0.975 quantile of Student's t with `freedom` degrees of freedom. Up to 200 degrees by bisection on the
/// distribution function, whose finite sums are exact (Abramowitz and Stegun, Handbook of Mathematical Functions,
/// 26.7.3 and 26.7.4); above by the expansion of 26.7.5, which is then right to nine digits.
fn t_quantile_975(freedom: u64) -> f64 {
    if freedom > 200 {
        let (n, x) = (freedom as f64, NORMAL);
        let first = (x.powi(3) + x) / 4.0;
        let second = (5.0 * x.powi(5) + 16.0 * x.powi(3) + 3.0 * x) / 96.0;
        let third = (3.0 * x.powi(7) + 19.0 * x.powi(5) + 17.0 * x.powi(3) - 15.0 * x) / 384.0;
        return x + first / n + second / n.powi(2) + third / n.powi(3);
    }
    let (mut low, mut high) = (1.0, 16.0);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if t_within(middle, freedom) < 0.95 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Returns P(|T| <= t).
fn t_within(t: f64, freedom: u64) -> f64 {
    let tangent = t / (freedom as f64).sqrt();
    let theta = atan(tangent);
    // Derived from the tangent, since roots and quotients are the same on every platform, and sines are not.
    let cos = 1.0 / (1.0 + tangent * tangent).sqrt();
    let sin = tangent * cos;
    // Odd: cos + 2/3 cos^3 + ...; even: 1 + 1/2 cos^2 + ..., with the powers of cos up to freedom - 2.
    let odd = freedom % 2 == 1;
    let (mut sum, mut term) = (0.0, if odd { cos } else { 1.0 });
    let mut power = u64::from(odd);
    while power + 2 <= freedom {
        sum += term;
        term *= cos * cos * (power + 1) as f64 / (power + 2) as f64;
        power += 2;
    }
    if odd { 2.0 / PI * (theta + sin * sum) } else { sin * sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantiles_are_those_of_the_printed_tables() {
        for (freedom, printed) in [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (4, 2.776),
            (9, 2.262),
            (10, 2.228),
            (30, 2.042),
            (120, 1.980),
        ] {
            let ours = t_quantile_975(freedom);
            assert!((ours - printed).abs() < 6e-4, "{freedom}: {ours} against {printed}");
        }
        // Where the other formula begins.
        assert!((t_quantile_975(200) - t_quantile_975(201)).abs() < 1e-4);
        assert!((t_quantile_975(200) - 1.971_896).abs() < 1e-6);
        assert!((t_quantile_975(1_000_000) - 1.959_966).abs() < 1e-6);
    }

    #[test]
    fn mean_and_interval_of_five_values() {
        // Mean 3, variance 2.5, t(4) = 2.776: 2.776 * sqrt(0.5) = 1.963.
        let estimate = [1.0, 2.0, 3.0, 4.0, 5.0].into_iter().collect::<Moments>().estimate();
        assert_eq!((estimate.mean, estimate.count), (3.0, 5));
        assert!((estimate.half - 1.9632).abs() < 1e-3);
        assert!(Moments::default().mean().is_nan());
        assert!([1.0].into_iter().collect::<Moments>().estimate().half.is_infinite());
    }

    #[test]
    fn a_constant_ratio_has_no_interval() {
        let mut ratio = Ratio::default();
        for y in [1.0, 4.0, 2.5] {
            ratio.push(1.5 * y, y);
        }
        let excess = ratio.estimate().excess_percent();
        assert!((excess.mean - 50.0).abs() < 1e-9 && excess.half < 1e-5, "{excess:?}");
    }

    #[test]
    fn a_ratio_takes_account_of_what_both_share() {
        let (mut paired, mut crossed) = (Ratio::default(), Ratio::default());
        let y = [1.0, 2.0, 3.0, 4.0];
        for at in 0..4 {
            paired.push(y[at] + 0.1, y[at]);
            crossed.push(y[at] + 0.1, y[3 - at]);
        }
        assert_eq!(paired.estimate().mean, crossed.estimate().mean);
        assert!(paired.estimate().half < 0.1 * crossed.estimate().half);
    }

    #[test]
    fn a_share_has_an_interval_even_where_all_agree() {
        // Wilson's interval of 10 of 10: from 0.722 on.
        let all = share(10, 10);
        assert!((all.mean - 100.0).abs() < 1e-12 && (all.half - 27.75).abs() < 0.01, "{all:?}");
        let half = share(50, 100);
        assert!((half.mean - 50.0).abs() < 1e-12 && (half.half - 9.617).abs() < 0.01, "{half:?}");
        assert!(share(0, 0).half.is_infinite());
    }

    #[test]
    fn a_mean_of_shares_is_no_surer_than_a_share_on_which_all_agree() {
        // As Wilson's interval of 10 of 10.
        let all = [100.0; 10].into_iter().collect::<Moments>();
        assert_eq!(all.estimate().half, 0.0);
        assert!((all.mean_share().half - share(10, 10).half).abs() < 1e-9, "{:?}", all.mean_share());
        // A sample that varies by more keeps its own interval.
        let some = [0.0, 100.0, 50.0, 30.0].into_iter().collect::<Moments>();
        assert_eq!(some.mean_share(), some.estimate());
        // One that varies little does, too, but near the ends; and all may agree in between.
        let little = |mean: f64| [mean - 0.1, mean + 0.1].repeat(50).into_iter().collect::<Moments>();
        assert_eq!(little(70.0).mean_share(), little(70.0).estimate());
        let least = 100.0 * 1.96 * 1.96 / (100.0 + 1.96 * 1.96);
        for mean in [1.0, 99.0] {
            assert!((little(mean).mean_share().half - least).abs() < 1e-3, "{mean}");
        }
        assert!(([50.0; 100].into_iter().collect::<Moments>().mean_share().half - least).abs() < 1e-3);
        assert!([50.0].into_iter().collect::<Moments>().mean_share().half.is_infinite());
    }

    #[test]
    fn medians() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&mut []).is_nan());
    }

    #[test]
    fn two_digits_are_rounded_up() {
        for (value, shown) in
            [(1.0, "1.0"), (1.01, "1.1"), (6.25, "6.3"), (9.95, "10"), (26.4, "27"), (99.0, "99")]
        {
            assert_eq!(two_digits(value), shown, "{value}");
        }
        assert_eq!(two_digits(99.5), "100");
        assert_eq!(two_digits(401.0), "410");
    }
}
