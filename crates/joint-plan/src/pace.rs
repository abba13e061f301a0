//! The length of subgradient steps.

/// The factor by which steps are shortened.
const SHORTENING: f64 = 0.6;

/// The length of a step, as a fraction of the step at which the bound would reach the target if it were linear. Steps
/// are shortened if the bound has not risen for some steps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    pub(crate) length: f64,
    patience: usize,
    waited: usize,
}

impl Pace {
    /// Creates a pace of full steps, which are shortened after more than `patience` steps without a better bound.
    pub(crate) fn new(patience: usize) -> Self {
        Self { length: 1.0, patience, waited: 0 }
    }

    /// Records a step; `has_risen` says whether it raised the best bound.
    pub(crate) fn after(&mut self, has_risen: bool) {
        self.waited = if has_risen { 0 } else { self.waited + 1 };
        if self.waited > self.patience {
            self.length *= SHORTENING;
            self.waited = 0;
        }
    }
}
