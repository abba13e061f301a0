//! The length of subgradient steps.

/// Factor by which steps become shorter.
const SHORTENING: f64 = 0.6;

/// The length of a step, as a share of that at which the bound would reach the target if it were linear. Steps become
/// shorter where the bound has not risen for a while.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    pub(crate) length: f64,
    patience: usize,
    waited: usize,
}

impl Pace {
    /// Full steps, which become shorter after more than `patience` steps without a better bound.
    pub(crate) fn new(patience: usize) -> Self {
        Self { length: 1.0, patience, waited: 0 }
    }

    /// To be called after each step: has the best bound risen?
    pub(crate) fn after(&mut self, has_risen: bool) {
        self.waited = if has_risen { 0 } else { self.waited + 1 };
        if self.waited > self.patience {
            self.length *= SHORTENING;
            self.waited = 0;
        }
    }
}
