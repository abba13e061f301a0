//! The list recurrence from the first job to the last, in the order in which sums are defined.
//!
//! Adding the same double to two sums keeps their order, so dominance between prefixes is safe to the last bit here:
//! what this recurrence calls the best choice is the best among sums as defined. The other solvers turn to it when
//! rounding could otherwise decide.

use sched_model::{Proof, Proven as Outcome};

use crate::growing_core::CoreScratch;
use crate::problem::View;
use crate::states::{State, Step, product, undominated};
use crate::{Alternatives, Choice};

/// The completion bound: any multiplier that is not negative gives one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound {
    pub(crate) multiplier: f64,
}

impl Bound {
    /// The sum of the best objectives to come.
    pub(crate) const NONE: Self = Self { multiplier: 0.0 };
}

/// What the jobs from one on add at least.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Suffix {
    w: f64,
    /// Of `p + m w`.
    value: f64,
    /// Of magnitudes: the scale of rounding.
    magnitude_w: f64,
    magnitude: f64,
}

/// Leaves the best choice in `scratch.incumbent`, which may already hold one. The limit must be within reach.
pub(crate) fn solve(view: &View<'_>, bound: Bound, max_states: usize, scratch: &mut CoreScratch) -> Proof {
    let multiplier = bound.multiplier;
    suffixes(view, multiplier, &mut scratch.suffixes);
    if scratch.incumbent.is_none() {
        scratch.incumbent.offer_lightest(view);
    }
    scratch.history.clear();
    scratch.states.clear();
    scratch.states.push(State::ORIGIN);
    let all = scratch.suffixes[0];
    let unit = 4.0 * f64::EPSILON * (view.jobs() as f64 + 4.0);
    let doubt_w = unit * (all.magnitude_w + view.limit.abs()) + f64::MIN_POSITIVE;
    let doubt = unit * (all.magnitude + multiplier * view.limit.abs()) + f64::MIN_POSITIVE;
    let mut kept = 0;
    for (job, row) in view.offsets.windows(2).enumerate() {
        let CoreScratch { states, runs, turn_steps, suffixes, history, incumbent, .. } = scratch;
        turn_steps.clear();
        turn_steps.extend((row[0]..row[1]).map(|alt| {
            let (p, w) = view.at(alt);
            Step { p, w, alt: alt as u32 }
        }));
        undominated(turn_steps, 0);
        let rest = suffixes[job + 1];
        let most_w = view.limit - rest.w + doubt_w;
        let most = incumbent.p + multiplier * view.limit - rest.value + doubt;
        product(states, turn_steps, runs, |p, w| (w <= most_w) & (p + multiplier * w <= most));
        std::mem::swap(states, &mut runs.states);
        history.commit(states, job as u32);
        kept += states.len();
        if kept > max_states {
            // The bound holds whatever the search has seen.
            return Proof::WithinEpsilon(scratch.incumbent.p + multiplier * view.limit - all.value + doubt);
        }
    }
    let CoreScratch { states, history, incumbent, .. } = scratch;
    if let Some(best) = states.iter().rfind(|state| state.w <= view.limit) {
        let mut picks: Vec<u32> = history.steps(best.link).map(|(_, alt)| alt).collect();
        picks.reverse();
        incumbent.offer(view, picks);
    }
    Proof::Exact
}

/// The best choice in the sums that count, with a completion bound and nothing else.
pub(crate) fn exact(batch: &Alternatives, view: &View<'_>, scratch: &mut CoreScratch) -> Outcome<Choice> {
    let proof = solve(view, Bound::NONE, 1 << 31, scratch);
    Outcome { solution: batch.choice_of(&scratch.incumbent.picks), proof }
}

fn suffixes(view: &View<'_>, multiplier: f64, suffixes: &mut Vec<Suffix>) {
    suffixes.clear();
    suffixes.resize(view.jobs() + 1, Suffix::default());
    for job in (0..view.jobs()).rev() {
        let mut least = Suffix { w: f64::INFINITY, value: f64::INFINITY, magnitude_w: 0.0, magnitude: 0.0 };
        for alt in view.offsets[job]..view.offsets[job + 1] {
            let (p, w) = view.at(alt);
            least.w = least.w.min(w);
            least.value = least.value.min(p + multiplier * w);
            least.magnitude_w = least.magnitude_w.max(w.abs());
            least.magnitude = least.magnitude.max(p.abs() + multiplier * w.abs());
        }
        let rest = suffixes[job + 1];
        suffixes[job] = Suffix {
            w: rest.w + least.w,
            value: rest.value + least.value,
            magnitude_w: rest.magnitude_w + least.magnitude_w,
            magnitude: rest.magnitude + least.magnitude,
        };
    }
}
