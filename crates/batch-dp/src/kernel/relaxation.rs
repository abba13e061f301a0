//! The multiplier of the linear relaxation, found by secants over shrinking sets of alternatives.
//!
//! For a multiplier `m >= 0` every job takes the alternative of smallest `p + m w`; the sums over all jobs are a
//! vertex of the convex hull of all sums of the batch. Two vertices, one within the limit and one beyond it, give
//! the next `m` as the slope of the chord between them. A job keeps only the alternatives that can still win
//! between its two current ones: those below the chord of these two. No hull is sorted.

use crate::alternatives::View;
use crate::list::Step;

/// A job whose alternative a relaxation has not settled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bracket {
    pub(crate) job: u32,
    /// The range of its candidates, the alternatives between `light` and `heavy`.
    start: u32,
    end: u32,
    /// The alternative at the vertex beyond the limit.
    pub(crate) heavy: Step,
    /// The alternative at the vertex within the limit.
    pub(crate) light: Step,
    /// The alternative of smallest `p + m w` at the multiplier last tried.
    pub(crate) best: Step,
}

impl Bracket {
    pub(crate) fn new(job: u32, light: Step, heavy: Step) -> Self {
        Self { job, start: 0, end: 0, heavy, light, best: light }
    }

    /// Whether the two ends differ.
    pub(crate) fn is_open(&self) -> bool {
        self.light.alt != self.heavy.alt
    }

    /// Appends the alternatives of `row` below the chord of the two ends to the candidates.
    #[inline(always)]
    pub(crate) fn fill(&mut self, row: impl ExactSizeIterator<Item = Step>, candidates: &mut Vec<Step>) {
        let Self { light, heavy, .. } = *self;
        let start = candidates.len();
        candidates.resize(start + row.len(), light);
        // Write each candidate, and advance only past those that are kept, to avoid mispredicted branches.
        let (own, mut kept) = (&mut candidates[start..], 0);
        for step in row {
            own[kept] = step;
            kept += usize::from(below(&step, &light, &heavy));
        }
        candidates.truncate(start + kept);
        (self.start, self.end) = (start as u32, candidates.len() as u32);
    }

    /// Finds the best alternative at a multiplier. Ties go to the light end, then to the candidates.
    #[inline(always)]
    pub(crate) fn choose(&mut self, multiplier: f64, candidates: &[Step]) {
        // Track the position of the best, rather than the best itself, to avoid mispredicted branches.
        let (mut least, mut best) = (self.light.value(multiplier), self.end as usize);
        let own = self.start as usize..self.end as usize;
        for (at, step) in own.clone().zip(&candidates[own]) {
            let other = step.value(multiplier);
            (least, best) = if other < least { (other, at) } else { (least, best) };
        }
        let first = if best < self.end as usize { &candidates[best] } else { &self.light };
        self.best = *if self.heavy.value(multiplier) < least { &self.heavy } else { first };
    }

    /// Moves the light end, or the heavy one, to the best alternative, and keeps the candidates below the new chord.
    /// Returns whether the ends differ.
    #[inline(always)]
    pub(crate) fn narrow(&mut self, is_light: bool, candidates: &mut [Step]) -> bool {
        *(if is_light { &mut self.light } else { &mut self.heavy }) = self.best;
        let mut kept = self.start;
        for at in self.start..self.end {
            let step = candidates[at as usize];
            candidates[kept as usize] = step;
            kept += u32::from(below(&step, &self.light, &self.heavy));
        }
        self.end = kept;
        self.is_open()
    }
}

/// The result of the relaxation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Relaxation {
    /// Every choice exceeds the limit, even `base`, which holds the lightest alternatives.
    OutOfReach,
    /// The best multiplier. If it is 0, `base` holds the best alternative of each job by the objective and keeps the
    /// limit; lighter choices may be as good after rounding. Otherwise `base` is a vertex at this multiplier and keeps
    /// the limit, except for rounding; the jobs in `brackets` may take another alternative at (nearly) no loss.
    Multiplier(f64),
    /// The values differ so much in magnitude that no multiplier fits into a double. `base` holds the
    /// lightest alternatives.
    Unusable,
}

/// The range of usable multipliers: products of others with extreme legal values could overflow or underflow.
pub(crate) const MIN_MULTIPLIER: f64 = 1e-150;
pub(crate) const MAX_MULTIPLIER: f64 = 1e150;

/// The result of [`relax`], and its buffers.
#[derive(Debug, Default, Clone)]
pub(crate) struct Relaxed {
    /// The settled alternative of each job.
    pub(crate) base: Vec<Step>,
    pub(crate) brackets: Vec<Bracket>,
    candidates: Vec<Step>,
    /// For each job the minimum objective and the minimum weight of its alternatives. Together with the value of an
    /// alternative they bound the magnitudes of its objective and weight, and so its rounding error.
    pub(crate) least: Vec<(f64, f64)>,
    /// The largest magnitude of the numbers of any round; infinite if some differences were so small that products may
    /// have underflowed.
    size: f64,
}

/// Whether a step lies strictly below the chord from `light` to `heavy`, and strictly between them in `w`.
#[inline(always)]
fn below(&Step { p, w, .. }: &Step, light: &Step, heavy: &Step) -> bool {
    // Evaluates all comparisons, because mispredicted branches would take more time.
    (w > light.w)
        & (w < heavy.w)
        & ((light.p - p) * (heavy.w - light.w) > (light.p - heavy.p) * (w - light.w))
}

/// Solves the linear relaxation; the result is in `relaxed`, as [`Relaxation`] says.
pub(crate) fn relax(view: &View<'_>, relaxed: &mut Relaxed) -> Relaxation {
    if let Some(relaxation) = relaxed.extremes(view) {
        return relaxation;
    }
    for bracket in &mut relaxed.brackets {
        let job = bracket.job as usize;
        bracket.fill(view.row(view.offsets[job]..view.offsets[job + 1]), &mut relaxed.candidates);
    }
    let Some(multiplier) = relaxed.narrow(view.limit) else { return Relaxation::Unusable };
    relaxed.repair(view, multiplier);
    Relaxation::Multiplier(multiplier)
}

/// The minimum difference in weight of the ends of a bracket at which underflow does no harm. A product of two
/// differences may have an error of the smallest double, so a comparison with a chord has that error divided by the
/// difference in weight. From this difference on, the error is below the smallest normal double, which all bounds allow
/// for.
const MIN_WEIGHT_DIFFERENCE: f64 = 1e-15;

impl Relaxed {
    /// Finds the lightest alternative and the alternative of minimum objective of each job, and opens a bracket for
    /// each job in which they differ. Returns the relaxation if it needs no secant steps.
    fn extremes(&mut self, view: &View<'_>) -> Option<Relaxation> {
        let Self { base, brackets, candidates, least: leasts, size } = self;
        base.clear();
        leasts.clear();
        brackets.clear();
        candidates.clear();
        *size = 0.0;
        let (mut least, mut most, mut magnitude) = (0.0, 0.0, 0.0);
        for (job, row) in view.offsets.windows(2).enumerate() {
            let (light, heavy) = view.extremes(row[0]..row[1]);
            least += light.w;
            most += heavy.w;
            magnitude += light.w.abs().max(heavy.w.abs());
            base.push(light);
            leasts.push((heavy.p, light.w));
            if heavy.alt != light.alt {
                brackets.push(Bracket::new(job as u32, light, heavy));
            }
        }
        if !view.affordable(base.iter().map(|step| step.alt), least, magnitude) {
            return Some(Relaxation::OutOfReach);
        }
        for bracket in brackets.iter() {
            base[bracket.job as usize] = bracket.heavy;
        }
        if view.affordable(base.iter().map(|step| step.alt), most, magnitude) {
            return Some(Relaxation::Multiplier(0.0));
        }
        for bracket in brackets.iter() {
            base[bracket.job as usize] = bracket.light;
        }
        None
    }

    /// Takes secant steps until no vertex lies below the chord, and returns the last multiplier; `None` if it is not
    /// usable. At the beginning, `base` has the light end of every bracket.
    ///
    /// Each round settles a job or moves an end of a bracket to a candidate, so there are finitely many rounds.
    fn narrow(&mut self, limit: f64) -> Option<f64> {
        let Self { base, brackets, candidates, size, .. } = self;
        let mut slack = limit - base.iter().map(|step| step.w).sum::<f64>();
        loop {
            let (mut gain, mut weight) = (0.0, 0.0);
            let (mut size_p, mut size_w) = (0.0, 0.0);
            for bracket in brackets.iter() {
                gain += bracket.light.p - bracket.heavy.p;
                let between = bracket.heavy.w - bracket.light.w;
                weight += between;
                if between < MIN_WEIGHT_DIFFERENCE {
                    *size = f64::INFINITY;
                }
                size_p += bracket.light.p.abs() + bracket.heavy.p.abs();
                size_w += bracket.light.w.abs() + bracket.heavy.w.abs();
            }
            let multiplier = gain / weight;
            *size = size.max(size_p + multiplier * size_w);
            if !(MIN_MULTIPLIER..=MAX_MULTIPLIER).contains(&multiplier) {
                return None;
            }
            let (mut shift, mut all_light, mut all_heavy) = (0.0, true, true);
            for bracket in brackets.iter_mut() {
                bracket.choose(multiplier, candidates);
                shift += bracket.best.w - bracket.light.w;
                all_light &= bracket.best.alt == bracket.light.alt;
                all_heavy &= bracket.best.alt == bracket.heavy.alt;
            }
            if all_light || all_heavy {
                return Some(multiplier);
            }
            // Because of rounding, a vertex just beyond the limit may count as within it, so the base need not keep
            // the limit.
            let within = shift <= slack;
            if within {
                slack -= shift;
            }
            brackets.retain_mut(|bracket| {
                if within {
                    base[bracket.job as usize] = bracket.best;
                }
                bracket.narrow(within, candidates)
            });
            if brackets.is_empty() {
                return Some(multiplier);
            }
        }
    }

    /// Repairs rounding errors. At a multiplier much greater than the last one, a round may have lost the objective of
    /// an alternative in rounding, and dropped alternatives that are better at the last multiplier; and products of
    /// small differences may have underflowed. If the numbers of some round were so large or small, as `size` tells,
    /// each job chooses its best alternative again.
    fn repair(&mut self, view: &View<'_>, multiplier: f64) {
        let Self { base, brackets, least, size, .. } = self;
        let own = |p: f64, w: f64| p.abs() + multiplier * w.abs();
        let last: f64 =
            base.iter().zip(&*least).map(|(step, least)| own(step.p, step.w) + own(least.0, least.1)).sum();
        if *size <= 4.0 * last {
            return;
        }
        for (job, row) in view.offsets.windows(2).enumerate() {
            let mut best = base[job];
            for step in view.row(row[0]..row[1]) {
                let (value, other) = (best.value(multiplier), step.value(multiplier));
                if other < value || other == value && step.p <= best.p && step.w <= best.w {
                    best = step;
                }
            }
            let (value, before) = (best.value(multiplier), base[job].value(multiplier));
            if before - value > 8.0 * f64::EPSILON * (own(best.p, best.w) + own(base[job].p, base[job].w)) {
                base[job] = best;
                brackets.retain(|bracket| bracket.job as usize != job);
            }
        }
    }
}
