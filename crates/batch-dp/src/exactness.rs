//! How far sums of doubles can be trusted: margins that keep every bound safe, and grids on which sums are exact.

use crate::core_order::Rest;
use crate::growing_core::CoreScratch;
use crate::multiplier::GREATEST;
use crate::problem::View;

/// What rounding can do to the sums of one search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exactness {
    /// The most by which the objective of a state and that of its choice in the defined order differ.
    pub(crate) p: f64,
    /// The same for the constraint.
    pub(crate) w: f64,
    /// The distance between two sums of the objective, 0 where none is known.
    pub(crate) step_p: f64,
    /// The same for the constraint.
    pub(crate) step_w: f64,
    /// Relative rounding over the additions of the core.
    unit: f64,
    /// Sums over the core of the largest steps.
    core_p: f64,
    core_w: f64,
}

/// Safe margins for the two sides of a bound.
pub(crate) struct Margin {
    pub(crate) within: f64,
    pub(crate) beyond: f64,
    pub(crate) gain: f64,
    pub(crate) w: f64,
}

impl Exactness {
    /// Of the sums that the base and the core's alternatives can make.
    pub(crate) fn of(view: &View<'_>, scratch: &CoreScratch) -> Self {
        let CoreScratch { hulls, core, steps, .. } = scratch;
        let (mut grid_p, mut grid_w) = (Grid::new(), Grid::new());
        for step in &hulls.base {
            grid_p.hold(step.p);
            grid_w.hold(step.w);
        }
        let (mut core_p, mut core_w) = (0.0, 0.0);
        for job in core {
            for step in &steps[job.range()] {
                grid_p.see(view.objective[step.alt as usize]);
                grid_w.see(view.weight[step.alt as usize]);
            }
            core_p += job.largest_p;
            core_w += job.largest_w;
        }
        // Base and steps bound every partial sum, in whatever order.
        let (total_p, total_w) = (grid_p.total + core_p, grid_w.total + core_w);
        let sum_unit = f64::EPSILON * 2.0 * (view.jobs() as f64 + 4.0);
        let (step_p, step_w) = (grid_p.step(total_p), grid_w.step(total_w));
        let limit = if view.limit.is_finite() { view.limit.abs() } else { 0.0 };
        let exact = step_p > 0.0 && step_w > 0.0;
        Self {
            p: if exact { 0.0 } else { sum_unit * total_p + f64::MIN_POSITIVE },
            w: if exact { 0.0 } else { sum_unit * (total_w + limit) + f64::MIN_POSITIVE },
            step_p: if exact { step_p } else { 0.0 },
            step_w: if exact { step_w } else { 0.0 },
            unit: f64::EPSILON * 2.0 * (core.len() as f64 + 8.0),
            core_p,
            core_w,
        }
    }

    /// Whether no sum is rounded.
    pub(crate) fn is_exact(&self) -> bool {
        self.step_p > 0.0
    }

    /// The largest sum not above the limit, where sums lie on a grid; elsewhere the limit.
    pub(crate) fn floor(&self, limit: f64) -> f64 {
        // A power of two scales without rounding; beyond 2^53 steps the limit is on the grid by itself.
        if self.step_w > 0.0 { (limit / self.step_w).floor() * self.step_w } else { limit }
    }

    /// The margin of the test by reduced cost.
    pub(crate) fn reduction(&self, multiplier: f64, slack: f64) -> f64 {
        self.side(multiplier, slack)
    }

    /// The margins of the completion bounds with these jobs to come.
    pub(crate) fn margin(&self, rest: &Rest, multiplier: f64, slack: f64) -> Margin {
        let usable = |rate: f64| if rate <= GREATEST { rate } else { 0.0 };
        Margin {
            within: self.side(usable(rest.up).max(multiplier), slack),
            beyond: self.side(usable(rest.down).max(multiplier), slack),
            gain: self.side(multiplier, slack),
            w: self.w + self.unit * (self.core_w + slack.abs()),
        }
    }

    fn side(&self, rate: f64, slack: f64) -> f64 {
        let rounding = self.unit * (self.core_p + rate * (self.core_w + slack.abs()));
        rounding + self.p + rate * self.w + f64::MIN_POSITIVE
    }
}

/// The coarsest grid of a power of two on which all values seen lie.
struct Grid {
    /// Exponent of the lowest set bit of any value.
    lowest: i32,
    /// Sum of the magnitudes held.
    total: f64,
}

impl Grid {
    fn new() -> Self {
        Self { lowest: i32::MAX, total: 0.0 }
    }

    #[inline]
    fn see(&mut self, value: f64) {
        let bits = value.to_bits();
        let fraction = bits & ((1 << 52) - 1);
        let exponent = ((bits >> 52) & 0x7ff) as i32;
        if exponent == 0 {
            // Subnormal numbers are on no grid worth having; zero is on every one.
            if fraction != 0 {
                self.lowest = i32::MIN;
            }
            return;
        }
        let zeros = (fraction | (1 << 52)).trailing_zeros() as i32;
        self.lowest = self.lowest.min(exponent - 1075 + zeros);
    }

    fn hold(&mut self, value: f64) {
        self.see(value);
        self.total += value.abs();
    }

    /// The grid's step if sums up to `total` are exact on it, else 0. All-zero values count as whole numbers.
    fn step(&self, total: f64) -> f64 {
        let lowest = if self.lowest == i32::MAX { 0 } else { self.lowest };
        if !(-1000..=900).contains(&lowest) {
            return 0.0;
        }
        let step = f64::from_bits(((lowest + 1023) as u64) << 52);
        // One bit to spare, for the total itself is a rounded sum.
        if total / step < (1_u64 << 52) as f64 { step } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step_of(values: &[f64]) -> f64 {
        let mut grid = Grid::new();
        values.iter().for_each(|&value| grid.hold(value));
        grid.step(grid.total)
    }

    #[test]
    fn grids_are_powers_of_two() {
        assert_eq!(step_of(&[3.0, -12.0, 0.0]), 1.0);
        assert_eq!(step_of(&[8.0, 24.0]), 8.0);
        assert_eq!(step_of(&[0.75, 2.5]), 0.25);
        assert_eq!(step_of(&[0.0, -0.0]), 1.0);
        assert_eq!(step_of(&[1e15, 0.5]), 0.5);
        assert_eq!(step_of(&[1e15, 0.125]), 0.0);
        assert_eq!(step_of(&[0.1]), 2_f64.powi(-55));
        assert_eq!(step_of(&[0.1, 0.2]), 0.0);
        assert_eq!(step_of(&[0.1, 1000.0]), 0.0);
        assert_eq!(step_of(&[f64::MIN_POSITIVE / 2.0, 1.0]), 0.0);
    }
}
