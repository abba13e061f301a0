//! What the relaxation has left to better.

use super::{
    incumbent::Incumbent,
    items::{Floor, Items},
    multiplier::Multiplier,
    selection::Keyed,
};

/// What the relaxation has left to better.
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
    /// What a subset must at least be worth to be of interest.
    pub(crate) fn needed(&self, best: &Incumbent) -> f64 {
        if best.found { best.value.max(self.floor.least()) } else { self.floor.least() }
    }

    /// How far rounding may move a sum of costs.
    pub(crate) fn cost_margin(&self, cost: f64) -> f64 {
        (self.of.budget.abs() + cost) * f64::EPSILON * (2 * self.inside.len() + 18) as f64 + f64::MIN_POSITIVE
    }
}
