//! What a search has proven.

use sched_model::End;

/// What a search leaves beside the incumbent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    pub(crate) end: End,
    /// No choice has a lesser objective. Means nothing when the search is done: the incumbent is the optimum.
    pub(crate) bound: f64,
}

impl Found {
    /// With a bound that was known before, where it is better.
    pub(crate) fn and_known(self, bound: f64) -> Self {
        Self { bound: self.bound.max(bound), ..self }
    }
}
