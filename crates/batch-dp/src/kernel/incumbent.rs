//! The best choice found before the core is searched, and exchanges that improve it: choices that differ from the
//! base in one job, or in one job and an upgraded one.

use crate::list::Step;
use crate::view::View;

/// The best choice found so far, by index among the alternatives of all jobs, with its sums as plain
/// additions give them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Incumbent {
    pub(crate) picks: Vec<u32>,
    pub(crate) p: f64,
    pub(crate) w: f64,
    /// The choice under test.
    trial: Vec<u32>,
    /// Alternatives of choices tested since the beginning.
    pub(crate) judged: u64,
}

impl Incumbent {
    /// Starts from nothing: every choice within the limit is better.
    pub(crate) fn reset(&mut self) {
        self.picks.clear();
        (self.p, self.w, self.judged) = (f64::INFINITY, f64::INFINITY, 0);
    }

    /// Takes the choice if it is within the limit and better. Returns whether it is within the limit.
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
        changes: impl IntoIterator<Item = (usize, u32)>,
    ) -> bool {
        self.trial.clear();
        self.trial.extend(base.iter().map(|step| step.alt));
        for (job, alt) in changes {
            self.trial[job] = alt;
        }
        self.judge(view)
    }

    fn judge(&mut self, view: &View<'_>) -> bool {
        self.judged += self.trial.len() as u64;
        let (mut p, mut w, mut magnitude) = (0.0, 0.0, 0.0);
        for &pick in &self.trial {
            let (own_p, own_w) = view.at(pick as usize);
            p += own_p;
            w += own_w;
            magnitude += own_w.abs();
        }
        let within = view.affordable(self.trial.iter().copied(), w, magnitude);
        // Rounding may prefer the worse of two nearly equal choices: the search over the core can start from
        // either.
        if within && (p < self.p || (p == self.p && w < self.w)) {
            (self.p, self.w) = (p, w);
            std::mem::swap(&mut self.picks, &mut self.trial);
        }
        within
    }
}
