//! The reduction: it removes the alternatives that the bound of the relaxation excludes, and finds better
//! incumbents among the others.
//!
//! | word | meaning |
//! |---|---|
//! | value | `p + m w` of an alternative: its objective, and its weight at the multiplier `m` |
//! | reduced cost | the value of an alternative less that of the base of its job |
//! | gap | the incumbent's objective less the bound: the greatest reduced cost in a better choice |
//! | doubt | how much rounding can change the gap |

use super::incumbent::Incumbent;
use super::relaxation::Hulls;
use crate::list::{Step, undominated};
use crate::view::View;

/// The alternatives that are left of each job that still has a choice. The base is one of them.
#[derive(Debug, Default, Clone)]
pub(crate) struct Reduced {
    /// Job, and the positions of its alternatives.
    pub(crate) jobs: Vec<(u32, u32, u32)>,
    pub(crate) steps: Vec<Step>,
}

/// Whether dominated alternatives of a job can be found by the view's objective.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Dominance {
    /// They can: the reduction removes them.
    Known,
    /// The objective mixes two ranks: the search compares by both.
    Unknown,
}

/// The first incumbent: the base, with each unsettled job upgraded in turn where it fits; if that exceeds the
/// limit, the lightest choice, which keeps the limit unless this is out of reach. An upgraded job is settled,
/// and the base changes with it: at the multiplier it is as good as before, and nearer to the limit.
pub(crate) fn round_up(view: &View<'_>, hulls: &mut Hulls, incumbent: &mut Incumbent) {
    let Hulls { base, brackets, .. } = hulls;
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
        let mut lightest = Vec::with_capacity(view.jobs());
        for row in view.offsets.windows(2) {
            lightest.push(view.lightest_of(row[0]..row[1]));
        }
        incumbent.offer(view, lightest);
    }
}

/// Fills `reduced` with the alternatives that the bound does not exclude, where a choice of these sums of objective
/// and weight is known.
pub(crate) fn reduce(
    view: &View<'_>,
    (multiplier, dominance): (f64, Dominance),
    hulls: &mut Hulls,
    known: (f64, f64),
    reduced: &mut Reduced,
) {
    reduced.jobs.clear();
    reduced.steps.clear();
    let gap = Room::of(view, multiplier, hulls).gap(multiplier, known);
    for (job, row) in view.offsets.windows(2).enumerate() {
        let base = hulls.base[job];
        let most = most(&base, multiplier, gap, hulls.least[job]);
        let start = reduced.steps.len();
        let kept = view.row(row[0]..row[1]).filter(|(_, p, w)| p + multiplier * w <= most);
        reduced.steps.extend(kept.map(|(alt, p, w)| Step { p, w, alt: alt as u32 }));
        settle((job, start), dominance, reduced, &mut hulls.base[job]);
    }
}

/// Removes from `reduced` the alternatives that a better choice excludes.
pub(crate) fn reduce_again(
    view: &View<'_>,
    multiplier: f64,
    hulls: &Hulls,
    known: (f64, f64),
    reduced: &mut Reduced,
) {
    let gap = Room::of(view, multiplier, hulls).gap(multiplier, known);
    let Reduced { jobs, steps } = reduced;
    let mut kept = 0;
    jobs.retain_mut(|(job, start, end)| {
        let job = *job as usize;
        let most = most(&hulls.base[job], multiplier, gap, hulls.least[job]);
        let first = kept;
        for at in *start as usize..*end as usize {
            let step = steps[at];
            if step.p + multiplier * step.w <= most {
                steps[kept] = step;
                kept += 1;
            }
        }
        (*start, *end) = (first as u32, kept as u32);
        let has_choice = kept > first + 1;
        if !has_choice {
            kept = first;
        }
        has_choice
    });
    steps.truncate(kept);
}

/// The terms of the gap, except for the incumbent.
struct Room {
    base_p: f64,
    base_w: f64,
    /// The limit at the multiplier.
    limit: f64,
    jobs: f64,
    magnitude: f64,
}

impl Room {
    fn of(view: &View<'_>, multiplier: f64, hulls: &Hulls) -> Self {
        let (mut base_p, mut base_w, mut magnitude) = (0.0, 0.0, 0.0);
        for (step, &(least_p, least_w)) in hulls.base.iter().zip(&hulls.least) {
            base_p += step.p;
            base_w += step.w;
            // Of the base, and of alternatives that may count as worse because of rounding.
            magnitude += step.p.abs() + least_p.abs() + multiplier * (step.w.abs() + least_w.abs());
        }
        // Without a price on the weight the limit, which may be infinite, does not count.
        let limit = if multiplier > 0.0 { multiplier * view.limit } else { 0.0 };
        Self { base_p, base_w, limit, jobs: hulls.base.len() as f64, magnitude }
    }

    /// The greatest reduced cost of an alternative in a choice that is better than one of these sums.
    fn gap(&self, multiplier: f64, (p, w): (f64, f64)) -> f64 {
        // Rounding of the sums over all jobs, of one product, and of the comparison with the limit.
        let doubt = f64::EPSILON
            * (4.0 * (self.jobs + 8.0))
            * (self.magnitude + self.limit.abs() + p.abs() + multiplier * w.abs())
            + f64::MIN_POSITIVE;
        p - self.base_p + self.limit - multiplier * self.base_w + doubt
    }
}

/// The greatest `p + multiplier * w`, as computed, that the gap allows an alternative of a job.
///
/// Where both parts are large and cancel, their rounding is larger than the sum. But `p` is no less than the
/// job's least objective, and at most the sum less `multiplier` times the job's least weight: these bound its
/// size.
#[inline(always)]
fn most(base: &Step, multiplier: f64, gap: f64, (least_p, least_w): (f64, f64)) -> f64 {
    let value = base.p + multiplier * base.w;
    let size = base.p.abs() + value.abs() + gap.abs() + least_p.abs() + multiplier * least_w.abs();
    value + gap + 16.0 * f64::EPSILON * size
}

/// Fills `reduced` with all alternatives that no other dominates, where no multiplier gives a bound.
pub(crate) fn keep_all(view: &View<'_>, dominance: Dominance, base: &mut [Step], reduced: &mut Reduced) {
    reduced.jobs.clear();
    reduced.steps.clear();
    reduced.steps.reserve(view.objective.len());
    for (job, row) in view.offsets.windows(2).enumerate() {
        let start = reduced.steps.len();
        reduced.steps.extend(view.row(row[0]..row[1]).map(|(alt, p, w)| Step { p, w, alt: alt as u32 }));
        settle((job, start), dominance, reduced, &mut base[job]);
    }
}

/// Keeps the alternatives of a job, from `start` on, that no other dominates; removes the job from the core
/// if only one is left.
fn settle((job, start): (usize, usize), dominance: Dominance, reduced: &mut Reduced, base: &mut Step) {
    let steps = &mut reduced.steps;
    if steps.len() > start + 1 && dominance == Dominance::Known {
        undominated(steps, start);
        // A base that is dominated, and was kept only because of the rounding of a product, is replaced.
        if let Some(better) = steps[start..].iter().find(|step| step.p <= base.p && step.w <= base.w) {
            *base = *better;
        }
    }
    if steps.len() > start + 1 {
        reduced.jobs.push((job as u32, start as u32, steps.len() as u32));
    } else {
        steps.truncate(start);
    }
}

/// Improves the incumbent by the best exchange: another alternative for one job, alone or with an unsettled
/// job upgraded.
pub(crate) fn exchange(view: &View<'_>, hulls: &Hulls, reduced: &Reduced, incumbent: &mut Incumbent) {
    let (mut base_p, mut base_w) = (0.0, 0.0);
    for step in &hulls.base {
        base_p += step.p;
        base_w += step.w;
    }
    let slack = view.limit - base_w;
    let upgrade = hulls.brackets.first().map(|bracket| {
        let base = &hulls.base[bracket.job as usize];
        (bracket.job as usize, bracket.heavy.p - base.p, bracket.heavy.w - base.w, bracket.heavy.alt)
    });
    let mut best = incumbent.p - base_p;
    let mut found = None;
    for &(job, start, end) in &reduced.jobs {
        let job = job as usize;
        let base = hulls.base[job];
        for step in &reduced.steps[start as usize..end as usize] {
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
        incumbent.offer_changes(view, &hulls.base, std::iter::once(change).chain(second));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::relaxation::{Relaxation, relax};

    /// Three jobs at the multiplier 1 with 5 left of the limit of 8. The upgrade of the first, 6 for 6, does
    /// not fit by itself. With the second made lighter by 2 for 3 it does, and gains 3; with the third made
    /// heavier by 0.5 it would gain more, and does not.
    fn view() -> View<'static> {
        View {
            offsets: &[0, 2, 4, 6],
            objective: &[6.0, 0.0, 0.0, 3.0, 0.5, 0.125],
            sign: 1.0,
            weight: &[1.0, 7.0, 2.0, 0.0, 0.0, 0.5],
            limit: 8.0,
        }
    }

    #[test]
    fn an_exchange_of_two_jobs_fills_the_limit() {
        let (view, mut hulls) = (view(), Hulls::default());
        assert_eq!(relax(&view, &mut hulls), Relaxation::Multiplier(1.0));
        let mut incumbent = Incumbent::default();
        incumbent.reset();
        round_up(&view, &mut hulls, &mut incumbent);
        assert_eq!((incumbent.picks.as_slice(), incumbent.p), ([0, 2, 4].as_slice(), 6.5));
        let mut reduced = Reduced::default();
        reduce(&view, (1.0, Dominance::Known), &mut hulls, (incumbent.p, incumbent.w), &mut reduced);
        assert_eq!(reduced.jobs.len(), 3);
        exchange(&view, &hulls, &reduced, &mut incumbent);
        assert_eq!((incumbent.picks.as_slice(), incumbent.p, incumbent.w), ([1, 3, 4].as_slice(), 3.5, 7.0));
    }

    /// Two jobs alike, each upgraded by 0.5 for 0.5 from a weight of 4, with 0.75 left: one upgrade fits.
    #[test]
    fn upgrades_are_taken_while_they_fit() {
        let view = View {
            offsets: &[0, 2, 4],
            objective: &[6.0, 5.5, 6.0, 5.5],
            sign: 1.0,
            weight: &[4.0, 4.5, 4.0, 4.5],
            limit: 8.75,
        };
        let mut hulls = Hulls::default();
        assert_eq!(relax(&view, &mut hulls), Relaxation::Multiplier(1.0));
        let mut incumbent = Incumbent::default();
        incumbent.reset();
        round_up(&view, &mut hulls, &mut incumbent);
        assert_eq!((incumbent.picks.as_slice(), incumbent.p, incumbent.w), ([1, 2].as_slice(), 11.5, 8.5));
        // What is upgraded is settled.
        assert_eq!((hulls.brackets.len(), hulls.base[0].alt, hulls.base[1].alt), (1, 1, 2));
    }

    /// Rounding may take a base beyond the limit for one within it: then the lightest choice stands in.
    #[test]
    fn the_lightest_choice_stands_in_for_a_base_beyond_the_limit() {
        let view = view();
        let step = |alt: usize| Step { p: view.at(alt).0, w: view.at(alt).1, alt: alt as u32 };
        let mut hulls = Hulls { base: vec![step(1), step(2), step(4)], ..Hulls::default() };
        let mut incumbent = Incumbent::default();
        incumbent.reset();
        round_up(&view, &mut hulls, &mut incumbent);
        assert_eq!(incumbent.picks, [0, 3, 4]);
    }

    /// What fits beside the base and is better is taken.
    #[test]
    fn a_better_alternative_is_taken() {
        // 4 is left beside a base of 6 and 6: the first job gains 3.5 by its second alternative, which the
        // second job's gain of 2.5 does not reach.
        let view = View {
            offsets: &[0, 3, 5],
            objective: &[6.0, 2.5, 0.0, 6.0, 3.5],
            sign: 1.0,
            weight: &[0.0, 4.0, 6.0, 0.0, 3.0],
            limit: 4.0,
        };
        let mut hulls = Hulls::default();
        assert_eq!(relax(&view, &mut hulls), Relaxation::Multiplier(1.0));
        let mut incumbent = Incumbent::default();
        incumbent.reset();
        round_up(&view, &mut hulls, &mut incumbent);
        assert_eq!((incumbent.picks.as_slice(), incumbent.p), ([0, 3].as_slice(), 12.0));
        let mut reduced = Reduced::default();
        reduce(&view, (1.0, Dominance::Known), &mut hulls, (incumbent.p, incumbent.w), &mut reduced);
        exchange(&view, &hulls, &reduced, &mut incumbent);
        assert_eq!((incumbent.picks.as_slice(), incumbent.p, incumbent.w), ([1, 3].as_slice(), 8.5, 4.0));
        let left: Vec<u32> = reduced.steps.iter().map(|step| step.alt).collect();
        assert_eq!(left, [0, 1, 2, 3, 4]);
    }

    /// 10^60 and a price of 10^60 cancel: the error of their computed sum is far greater than the gap.
    #[test]
    fn values_that_cancel_are_not_excluded() {
        let large = 1e60;
        let base = Step { p: 0.0, w: 0.0, alt: 0 };
        let most = most(&base, 3.0, 1.0, (-large, 0.0));
        assert!(-large + 3.0 * (large / 3.0).next_up() <= most);
    }

    #[test]
    fn what_the_bound_excludes_is_gone() {
        let (view, mut hulls) = (view(), Hulls::default());
        relax(&view, &mut hulls);
        let mut reduced = Reduced::default();
        // The bound is 6.5 + 2 - 7 = 1.5. An incumbent of 1.75 leaves room for a reduced cost of 0.25: not
        // for the second job's 1, except for the first job's 0 and the third one's 0.125.
        reduce(&view, (1.0, Dominance::Known), &mut hulls, (1.75, 7.0), &mut reduced);
        let jobs: Vec<u32> = reduced.jobs.iter().map(|job| job.0).collect();
        assert_eq!(jobs, [0, 2]);
        // One of 1.5 leaves nothing but ties.
        reduce(&view, (1.0, Dominance::Known), &mut hulls, (1.5, 7.0), &mut reduced);
        let jobs: Vec<u32> = reduced.jobs.iter().map(|job| job.0).collect();
        assert_eq!(jobs, [0]);
        // From what a worse incumbent left, a better one leaves the same as from all.
        for (better, left) in [(1.75, vec![0, 1, 4, 5]), (1.5, vec![0, 1]), (3.0, vec![0, 1, 2, 3, 4, 5])] {
            reduce(&view, (1.0, Dominance::Known), &mut hulls, (6.5, 2.0), &mut reduced);
            reduce_again(&view, 1.0, &hulls, (better, 7.0), &mut reduced);
            let mut alternatives: Vec<u32> = reduced.steps.iter().map(|step| step.alt).collect();
            alternatives.sort_unstable();
            assert_eq!(alternatives, left);
            let ends: Vec<u32> = reduced.jobs.iter().flat_map(|job| [job.1, job.2]).collect();
            assert_eq!(
                ends,
                (0..=left.len() as u32 / 2).flat_map(|at| [2 * at; 2]).collect::<Vec<_>>()[1..=left.len()]
            );
        }
    }
}
