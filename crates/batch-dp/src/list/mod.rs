//! Lists of undominated states, and the operations of recurrences on them.
//!
//! | word | meaning |
//! |---|---|
//! | step | an alternative as the amounts that it adds to the objective `p` and to the limited sum `w` |
//! | state | the two sums of a choice for some of the jobs, and the link to its history |
//! | list | states by rising `w` and strictly falling `p`: none is at least as good as another in both |
//! | product | the list of all sums of a state and a step |

mod product;
use crate::number::{Amount, Number, Scale};
pub(crate) use product::{Chain, History, ProductBuffers, product, reserve_to};
use sched_model::internal::order;
use std::cmp::Ordering;

/// An alternative as a step: the amounts that it adds to both sums, and its index among the alternatives of all jobs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step<P = f64, W = f64> {
    pub(crate) p: P,
    pub(crate) w: W,
    pub(crate) alt: u32,
}

impl Step {
    /// `p + m w` at a multiplier `m`.
    #[inline(always)]
    pub(crate) fn value(&self, multiplier: f64) -> f64 {
        self.p + multiplier * self.w
    }
}

/// The scales of the numbers of a [`Step`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepScales<P = Scale> {
    pub(crate) p: P,
    pub(crate) w: Scale,
}

impl<P: Number, W: Amount> Step<P, W> {
    /// The doubles near both amounts.
    #[inline(always)]
    pub(crate) fn near(&self, scales: &StepScales<P::Scale>) -> Step {
        Step { p: self.p.near(&scales.p), w: self.w.near(&scales.w), alt: self.alt }
    }
}

/// Units of work for each state that is formed, merged or scored.
pub(crate) const STATE: u64 = 4;

/// The index of the step that changes nothing, and the link of a state without a history.
pub(crate) const NONE: u32 = u32::MAX;

/// Two sums and their history: the link of the earlier state, and the alternative added to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct State<P, W> {
    pub(crate) p: P,
    pub(crate) w: W,
    pub(crate) link: u32,
    pub(crate) alt: u32,
}

/// A state of each of two lists.
type Pair<P, W> = (State<P, W>, State<P, W>);

impl<P: Number, W: Number> State<P, W> {
    /// The state of no job.
    pub(crate) const ORIGIN: Self = Self { p: P::ZERO, w: W::ZERO, link: NONE, alt: NONE };
}

/// Compares two pairs of numbers: by the first number of each, then by the second.
pub(crate) fn compare_pairs<A: PartialOrd, B: PartialOrd>(one: (A, B), other: (A, B)) -> Ordering {
    let equal = Ordering::Equal;
    one.0.partial_cmp(&other.0).unwrap_or(equal).then_with(|| one.1.partial_cmp(&other.1).unwrap_or(equal))
}

/// Removes the dominated steps from position `from` on and sorts the rest by rising `w`. Of equal steps the first
/// stays.
pub(crate) fn undominated<P: Copy + PartialOrd, W: Copy + PartialOrd>(
    steps: &mut Vec<Step<P, W>>,
    from: usize,
) {
    let mut own = steps.split_off(from);
    keep_undominated(&mut own, |step| (step.w, step.p));
    steps.append(&mut own);
}

/// Removes the items that another item dominates in a pair of numbers. The rest have rising first and falling second
/// numbers; of equal pairs the first stays.
pub(crate) fn keep_undominated<T: Copy, A: PartialOrd, B: Copy + PartialOrd>(
    items: &mut Vec<T>,
    pair: impl Fn(&T) -> (A, B),
) {
    let own = std::mem::take(items);
    let order = order(own.len(), &|a, b| compare_pairs(pair(&own[a]), pair(&own[b])));
    let mut least = None;
    for item in order.into_iter().map(|at| &own[at as usize]) {
        let (_, second) = pair(item);
        if least.is_none_or(|least| second < least) {
            least = Some(second);
            items.push(*item);
        }
    }
}

/// Returns the pair of a state of each list whose sum has the minimum `p`, among the pairs whose `w` sums to at most
/// `most`.
///
/// The best partner of a state of the shorter list is the heaviest state of the longer list that fits. Along the
/// shorter list the partner moves towards the front of the longer one. O(s log l) for lists of s and l states, s the
/// shorter.
pub(crate) fn best_pair<P: Number, W: Number>(
    one: &[State<P, W>],
    other: &[State<P, W>],
    most: W,
) -> Option<Pair<P, W>> {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let mut best: Option<Pair<P, W>> = None;
    let (mut end, mut least) = (long.len(), P::TOP);
    for &state in short {
        end = gallop(&long[..end], |partner| partner.w <= most.minus(state.w));
        let Some(&partner) = long[..end].last() else { break };
        let p = state.p.plus(partner.p);
        if p < least {
            least = p;
            best = Some((state, partner));
        }
    }
    best
}

/// Returns the pair of a state of each list whose sum has the minimum `w`, among the pairs whose `p` sums to at most
/// `most`.
pub(crate) fn lightest_pair<P: Number, W: Number>(
    one: &[State<P, W>],
    other: &[State<P, W>],
    most: P,
) -> Option<Pair<P, W>> {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let mut best: Option<Pair<P, W>> = None;
    let mut least = W::TOP;
    let mut end = long.len();
    for &state in short {
        // The first partner that is good enough; as `state.p` falls, its position moves towards the front.
        end = gallop(&long[..end], |partner| partner.p > most.minus(state.p));
        let Some(&partner) = long.get(end) else {
            end = long.len();
            continue;
        };
        let w = state.w.plus(partner.w);
        if w < least {
            least = w;
            best = Some((state, partner));
        }
        end += 1;
    }
    best
}

/// Returns the number of leading items that satisfy `holds`, which is true up to some item and false from there on.
/// Gallops from the end.
fn gallop<T>(items: &[T], holds: impl Fn(&T) -> bool) -> usize {
    let (mut width, mut end) = (1, items.len());
    while end > 0 {
        let start = end.saturating_sub(width);
        if holds(&items[start]) {
            return start + items[start..end].partition_point(&holds);
        }
        end = start;
        width *= 2;
    }
    0
}
