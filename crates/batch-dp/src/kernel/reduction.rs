//! The reduction: removes the alternatives that the bound of the relaxation excludes, and finds better incumbents among
//! the others.
//!
//! | word | meaning |
//! |---|---|
//! | value | `p + m w` of an alternative: its objective, and its weight at the multiplier `m` |
//! | reduced cost | the value of an alternative minus that of the base of its job |
//! | gap | the incumbent's objective minus the bound: the maximum reduced cost in a better choice |
//! | margin | the maximum effect of rounding on the gap |

use super::relaxation::Relaxed;
use crate::alternatives::View;
use crate::list::{Step, undominated};
use crate::number::Grid;
use sched_model::internal::plain_sum_error;

/// The alternatives left for each job that still has a choice, the base included.
#[derive(Debug, Default, Clone)]
pub(crate) struct Reduced {
    /// The index of the first step of each job, then the number of all steps: jobs + 1 entries. A job without a choice
    /// has no step.
    offsets: Vec<usize>,
    steps: Vec<Step>,
}

impl Reduced {
    fn clear(&mut self) {
        self.steps.clear();
        self.offsets.clear();
        self.offsets.push(0);
    }

    /// Ends the alternatives of a job, which begin at `start`; if only one is left, the job has no choice.
    fn close(&mut self, start: usize) {
        if self.steps.len() == start + 1 {
            self.steps.truncate(start);
        }
        self.offsets.push(self.steps.len());
    }

    /// Whether no job has a choice.
    pub(crate) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The jobs that still have a choice, with their alternatives.
    pub(crate) fn core(&self) -> impl Iterator<Item = (usize, &[Step])> {
        let rows = self.offsets.windows(2).map(|row| &self.steps[row[0]..row[1]]);
        rows.enumerate().filter(|(_, row)| !row.is_empty())
    }

    /// The alternatives left for a job: that of the base, if it has no choice.
    pub(crate) fn of_job<'a>(&'a self, job: usize, base: &'a [Step]) -> &'a [Step] {
        let row = &self.steps[self.offsets[job]..self.offsets[job + 1]];
        if row.is_empty() { &base[job..=job] } else { row }
    }
}

/// Whether the view's objective shows which alternatives of a job are dominated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Dominance {
    /// It does: the reduction removes the dominated alternatives.
    Known,
    /// It does not, because it mixes two ranks: the search compares alternatives by both ranks.
    Unknown,
}

/// Buffers of a choice by the expanding core.
#[derive(Debug, Default)]
pub(crate) struct CoreScratch {
    pub(crate) relaxed: Relaxed,
    pub(crate) reduced: Reduced,
    pub(crate) incumbent: Incumbent,
}

impl CoreScratch {
    /// Finds the first incumbent: the base, with each unsettled job in turn upgraded if the upgrade fits. If that
    /// choice exceeds the limit, the incumbent is the lightest choice, which keeps the limit unless the limit is out of
    /// reach. An upgraded job is settled, and the base changes with it: at the multiplier the new base is as good as
    /// the old one, and nearer to the limit.
    pub(super) fn first_incumbent(&mut self, view: &View<'_>) {
        let Self { relaxed: Relaxed { base, brackets, .. }, incumbent, .. } = self;
        let weight: f64 = base.iter().map(|step| step.w).sum();
        let mut slack = view.limit - weight;
        brackets.retain(|bracket| {
            let more = bracket.heavy.w - bracket.light.w;
            let fits = more <= slack;
            if fits {
                slack -= more;
                base[bracket.job as usize] = bracket.heavy;
            }
            !fits
        });
        if !incumbent.offer(view, base.iter().map(|step| step.alt)) {
            incumbent.offer(view, view.lightest());
        }
    }

    /// Fills `reduced` with the alternatives that the bound does not exclude, or with all alternatives if there is no
    /// multiplier. `known` has the objective and the weight of a known choice.
    pub(crate) fn reduce(
        &mut self,
        view: &View<'_>,
        multiplier: Option<f64>,
        dominance: Dominance,
        known: (f64, f64),
    ) {
        let Self { relaxed, reduced, .. } = self;
        reduced.clear();
        let gap = multiplier.map_or(f64::INFINITY, |multiplier| relaxed.gap(view, multiplier, known));
        let multiplier = multiplier.unwrap_or(0.0);
        for (job, row) in view.offsets.windows(2).enumerate() {
            let most = relaxed.most(job, multiplier, gap);
            let base = &mut relaxed.base[job];
            let start = reduced.steps.len();
            for step in view.row(row[0]..row[1]) {
                if step.value(multiplier) <= most {
                    reduced.steps.push(step);
                }
            }
            if reduced.steps.len() > start + 1 && dominance == Dominance::Known {
                undominated(&mut reduced.steps, start);
                // A dominated base that was kept only because a product was rounded is replaced.
                let better = reduced.steps[start..].iter().find(|step| step.p <= base.p && step.w <= base.w);
                *base = *better.unwrap_or(base);
            }
            reduced.close(start);
        }
    }

    /// Removes from `reduced` the alternatives that the bound excludes given a better incumbent.
    pub(super) fn reduce_again(&mut self, view: &View<'_>, multiplier: f64) {
        let Self { relaxed, reduced, incumbent } = self;
        let gap = relaxed.gap(view, multiplier, (incumbent.p, incumbent.w));
        let Reduced { offsets, steps } = std::mem::take(reduced);
        reduced.clear();
        for (job, row) in offsets.windows(2).enumerate() {
            let most = relaxed.most(job, multiplier, gap);
            let start = reduced.steps.len();
            let own = steps[row[0]..row[1]].iter();
            reduced.steps.extend(own.filter(|step| step.value(multiplier) <= most));
            reduced.close(start);
        }
    }

    /// Improves the incumbent by the best exchange: another alternative for one job, alone or together with the upgrade
    /// of the first unsettled job.
    pub(super) fn exchange(&mut self, view: &View<'_>) {
        let Self { relaxed, reduced, incumbent } = self;
        let (mut base_p, mut base_w) = (0.0, 0.0);
        for step in &relaxed.base {
            base_p += step.p;
            base_w += step.w;
        }
        let slack = view.limit - base_w;
        let upgrade = relaxed.brackets.first().map(|bracket| {
            let base = &relaxed.base[bracket.job as usize];
            (bracket.job as usize, bracket.heavy.p - base.p, bracket.heavy.w - base.w, bracket.heavy.alt)
        });
        let mut best = incumbent.p - base_p;
        let mut found = None;
        for (job, row) in reduced.core() {
            let base = relaxed.base[job];
            for step in row {
                let (p, w) = (step.p - base.p, step.w - base.w);
                if w <= slack && p < best {
                    best = p;
                    found = Some(((job, step.alt), None));
                }
                if let Some((other, up_p, up_w, up_alt)) = upgrade
                    && other != job
                    && w + up_w <= slack
                    && p + up_p < best
                {
                    best = p + up_p;
                    found = Some(((job, step.alt), Some((other, up_alt))));
                }
            }
        }
        if let Some((change, second)) = found {
            let mut picks: Vec<u32> = relaxed.base.iter().map(|step| step.alt).collect();
            std::iter::once(change).chain(second).for_each(|(job, alt)| picks[job] = alt);
            incumbent.offer(view, picks);
        }
    }

    /// The grids of the sums of `numbers` over choices from the base, the incumbent `picks` and the alternatives
    /// left.
    pub(crate) fn grids<const N: usize>(
        &self,
        picks: &[u32],
        numbers: impl Fn(usize) -> [f64; N],
    ) -> [Grid; N] {
        let mut grids = [Grid::default(); N];
        let mut hold = |at: u32| {
            grids.iter_mut().zip(numbers(at as usize)).for_each(|(grid, value)| grid.hold(value));
        };
        for (step, &pick) in self.relaxed.base.iter().zip(picks) {
            hold(step.alt);
            if pick != step.alt {
                hold(pick);
            }
        }
        for (_, row) in self.reduced.core() {
            let mut largest = [0.0_f64; N];
            for step in row {
                let numbers = numbers(step.alt as usize);
                for ((grid, value), largest) in grids.iter_mut().zip(numbers).zip(&mut largest) {
                    grid.see(value);
                    *largest = largest.max(value.abs());
                }
            }
            grids.iter_mut().zip(largest).for_each(|(grid, largest)| grid.reach(largest));
        }
        grids
    }
}

impl Relaxed {
    /// The maximum reduced cost of an alternative in a choice that is better than one with objective `p` and weight
    /// `w`.
    fn gap(&self, view: &View<'_>, multiplier: f64, (p, w): (f64, f64)) -> f64 {
        let (mut base_p, mut base_w, mut magnitude) = (0.0, 0.0, 0.0);
        for (step, &(least_p, least_w)) in self.base.iter().zip(&self.least) {
            base_p += step.p;
            base_w += step.w;
            // Terms of the base, and of alternatives that are better but seem worse because of rounding.
            magnitude += step.p.abs() + least_p.abs() + multiplier * (step.w.abs() + least_w.abs());
        }
        // At a multiplier of 0 the limit, which may be infinite, has no effect.
        let limit = if multiplier > 0.0 { multiplier * view.limit } else { 0.0 };
        // The rounding errors of the sums over all jobs, of one product, and of the comparison with the limit.
        let margin = f64::EPSILON
            * (4.0 * (self.base.len() as f64 + 8.0))
            * (magnitude + limit.abs() + p.abs() + multiplier * w.abs())
            + f64::MIN_POSITIVE;
        p - base_p + limit - multiplier * base_w + margin
    }

    /// The largest `p + multiplier * w`, as computed, that the gap allows an alternative of a job.
    ///
    /// If both parts are large and cancel, their rounding errors are larger than the sum. But `p` is at least the
    /// job's minimum objective, and at most the sum minus `multiplier` times the job's minimum weight; this bounds its
    /// size.
    #[inline(always)]
    fn most(&self, job: usize, multiplier: f64, gap: f64) -> f64 {
        let (base, (least_p, least_w)) = (&self.base[job], self.least[job]);
        let value = base.value(multiplier);
        let size = base.p.abs() + value.abs() + gap.abs() + least_p.abs() + multiplier * least_w.abs();
        value + gap + 16.0 * f64::EPSILON * size
    }
}

/// The best choice found so far, as indices among the alternatives of all jobs, with its sums by plain additions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Incumbent {
    pub(crate) picks: Vec<u32>,
    pub(crate) p: f64,
    pub(crate) w: f64,
    /// The sum of the magnitudes of the objectives.
    size: f64,
    /// A buffer for the choice that is tested.
    trial: Vec<u32>,
}

impl Incumbent {
    /// Starts without a choice: every choice within the limit is better.
    pub(crate) fn reset(&mut self) {
        self.picks.clear();
        (self.p, self.w, self.size) = (f64::INFINITY, f64::INFINITY, 0.0);
    }

    /// Makes a choice the incumbent if it keeps the limit and is better. Returns whether it keeps the limit.
    pub(crate) fn offer(&mut self, view: &View<'_>, picks: impl IntoIterator<Item = u32>) -> bool {
        self.trial.clear();
        self.trial.extend(picks);
        let (mut p, mut w, mut sizes) = (0.0, 0.0, (0.0, 0.0));
        for &pick in &self.trial {
            let (own_p, own_w) = view.at(pick as usize);
            (p, w) = (p + own_p, w + own_w);
            sizes = (sizes.0 + own_p.abs(), sizes.1 + own_w.abs());
        }
        let within = view.affordable(self.trial.iter().copied(), w, sizes.1);
        // A stopped search returns the incumbent, so exact sums decide if plain sums are nearly equal.
        let margin =
            plain_sum_error(self.trial.len(), sizes.0) + plain_sum_error(self.picks.len(), self.size);
        let (ours, theirs) = if (p - self.p).abs() <= margin {
            (view.objective_of(&self.trial), view.objective_of(&self.picks))
        } else {
            (p, self.p)
        };
        if within && (ours < theirs || ours == theirs && w < self.w) {
            (self.p, self.w, self.size) = (p, w, sizes.0);
            std::mem::swap(&mut self.picks, &mut self.trial);
        }
        within
    }
}
