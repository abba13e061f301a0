//! The best choice found so far.

use crate::problem::View;
use crate::states::Step;

/// The best choice found so far, by absolute index, with its sums in the defined order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Incumbent {
    pub(crate) picks: Vec<u32>,
    pub(crate) p: f64,
    pub(crate) w: f64,
    /// The choice under test.
    trial: Vec<u32>,
}

impl Incumbent {
    /// Starts from nothing: every choice within the limit is better.
    pub(crate) fn reset(&mut self) {
        self.picks.clear();
        (self.p, self.w) = (f64::INFINITY, f64::INFINITY);
    }

    /// Whether nothing was found yet.
    pub(crate) fn is_none(&self) -> bool {
        self.p == f64::INFINITY
    }

    /// Takes the choice if it is within the limit and better. Answers whether it is within the limit.
    pub(crate) fn offer(&mut self, view: &View<'_>, picks: impl IntoIterator<Item = u32>) -> bool {
        self.trial.clear();
        self.trial.extend(picks);
        self.judge(view)
    }

    /// As [`offer`](Self::offer), for a base with some jobs changed.
    pub(crate) fn offer_changes(
        &mut self,
        view: &View<'_>,
        base: &[Step],
        changes: impl Iterator<Item = (usize, u32)>,
    ) -> bool {
        self.trial.clear();
        self.trial.extend(base.iter().map(|step| step.alt));
        for (job, alt) in changes {
            self.trial[job] = alt;
        }
        self.judge(view)
    }

    /// Offers the choice of least weight: it is within the limit if any is.
    pub(crate) fn offer_lightest(&mut self, view: &View<'_>) -> bool {
        self.offer(view, view.lightest())
    }

    fn judge(&mut self, view: &View<'_>) -> bool {
        let (p, w) = view.sums(&self.trial);
        let within = w <= view.limit;
        if within && (p < self.p || (p == self.p && w < self.w)) {
            (self.p, self.w) = (p, w);
            std::mem::swap(&mut self.picks, &mut self.trial);
        }
        within
    }
}
