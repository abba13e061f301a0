//! The rest of the problem after the relaxation.

use super::{
    incumbent::Incumbent,
    items::{Floor, Items},
    multiplier::Multiplier,
    selection::Keyed,
};

/// The rest of the problem after the relaxation: to find a subset better than the incumbent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Problem<'a> {
    pub(crate) of: Items<'a>,
    pub(crate) floor: Floor,
    pub(crate) multiplier: Multiplier,
    /// The relaxation's subset, and all others.
    pub(crate) inside: &'a [Keyed],
    pub(crate) outside: &'a [Keyed],
}

impl Problem<'_> {
    /// The least value of a subset that can improve the incumbent.
    pub(crate) fn needed(&self, best: &Incumbent) -> f64 {
        if best.found { best.value.max(self.floor.least()) } else { self.floor.least() }
    }

    /// The rounding error of a sum of costs.
    pub(crate) fn cost_margin(&self, cost: f64) -> f64 {
        (self.of.budget.abs() + cost) * f64::EPSILON * (2 * self.inside.len() + 18) as f64 + f64::MIN_POSITIVE
    }
}
