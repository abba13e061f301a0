//! The proof that a search leaves.

use sched_model::End;

/// The result of a search beside the incumbent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    pub(crate) end: End,
    /// No choice has a lesser objective. Not meaningful when the search is done: then the incumbent is the
    /// optimum.
    pub(crate) bound: f64,
}

impl Found {
    /// With a bound that was known before, where it is better.
    pub(crate) fn and_known(self, bound: f64) -> Self {
        Self { bound: self.bound.max(bound), ..self }
    }
}
