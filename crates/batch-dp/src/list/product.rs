//! The product of a list with the steps of one more job.

use super::{State, Step};
use crate::number::Number;

/// Storage of [`product`].
#[derive(Debug, Clone)]
pub(crate) struct Runs<P = f64, W = f64> {
    /// Lists one after another; after a product, the one list that is left.
    pub(crate) states: Vec<State<P, W>>,
    /// Where each list ends.
    ends: Vec<usize>,
    merged: Vec<State<P, W>>,
    merged_ends: Vec<usize>,
    /// The product of the steps of earlier groups.
    earlier: Vec<State<P, W>>,
}

impl<P, W> Default for Runs<P, W> {
    fn default() -> Self {
        Self {
            states: Vec::new(),
            ends: Vec::new(),
            merged: Vec::new(),
            merged_ends: Vec::new(),
            earlier: Vec::new(),
        }
    }
}

/// Counts the states of a product, and limits their memory.
pub(crate) trait Room<P, W> {
    /// Why it ends early.
    type Stop;
    /// States that are formed before the first merge: bounds the memory of a product together with
    /// [`trim`](Self::trim).
    fn block(&self) -> usize;
    /// Asked before so many states are formed or merged.
    fn spend(&mut self, states: usize) -> Result<(), Self::Stop>;
    /// Shortens a list that has become too long; `next` is the least `w` of the steps still to come, if any
    /// are.
    fn trim(&mut self, list: &mut Vec<State<P, W>>, next: Option<W>) -> Result<(), Self::Stop>;
}

/// The undominated states among all sums of a state and a step for which `keep(p, w)` holds, left in
/// `runs.states`.
///
/// Of two equal states the one of the earlier step stays. Works by merging the shifted lists in pairs: O(S K
/// log K) for S states and K steps; with more than a block of sums, group after group of steps.
pub(crate) fn product<P: Number, W: Number, R: Room<P, W>>(
    states: &[State<P, W>],
    steps: &[Step<P, W>],
    runs: &mut Runs<P, W>,
    keep: impl Fn(P, W) -> bool,
    room: &mut R,
) -> Result<(), R::Stop> {
    let group = (room.block() / states.len().max(1)).max(1);
    let mut groups = steps.chunks(group).peekable();
    runs.states.clear();
    runs.earlier.clear();
    while let Some(steps) = groups.next() {
        product_of_group(states, steps, runs, &keep, room)?;
        if !runs.earlier.is_empty() {
            runs.merged.clear();
            merge(&runs.earlier, &runs.states, &mut runs.merged, room)?;
            std::mem::swap(&mut runs.states, &mut runs.merged);
        }
        let next = groups.peek().and_then(|steps| steps.first()).map(|step| step.w);
        room.trim(&mut runs.states, next)?;
        if next.is_some() {
            std::mem::swap(&mut runs.states, &mut runs.earlier);
        }
    }
    Ok(())
}

fn product_of_group<P: Number, W: Number, R: Room<P, W>>(
    states: &[State<P, W>],
    steps: &[Step<P, W>],
    runs: &mut Runs<P, W>,
    keep: &impl Fn(P, W) -> bool,
    room: &mut R,
) -> Result<(), R::Stop> {
    runs.states.clear();
    runs.ends.clear();
    for step in steps {
        let mut least = P::TOP;
        for part in states.chunks(PART) {
            room.spend(part.len())?;
            shift(part, step, &mut least, &mut runs.states, keep);
        }
        if runs.ends.last().copied().unwrap_or(0) < runs.states.len() {
            runs.ends.push(runs.states.len());
        }
    }
    while runs.ends.len() > 1 {
        runs.merged.clear();
        runs.merged_ends.clear();
        let mut start = 0;
        for pair in runs.ends.chunks(2) {
            match *pair {
                [middle, end] => {
                    let (first, second) = (&runs.states[start..middle], &runs.states[middle..end]);
                    merge(first, second, &mut runs.merged, room)?;
                    start = end;
                }
                [end] => {
                    runs.merged.extend_from_slice(&runs.states[start..end]);
                    start = end;
                }
                _ => {}
            }
            runs.merged_ends.push(runs.merged.len());
        }
        std::mem::swap(&mut runs.states, &mut runs.merged);
        std::mem::swap(&mut runs.ends, &mut runs.merged_ends);
    }
    Ok(())
}

/// Whether `(p1, w1)` comes before `(p2, w2)`: less constraint, then better objective, then the first.
#[inline(always)]
fn before<P: Number, W: Number>(p1: P, w1: W, p2: P, w2: W) -> bool {
    w1 < w2 || (w1 == w2 && p1 <= p2)
}

/// So many states are formed or merged between two questions.
const PART: usize = 1 << 12;

/// Appends the `states` shifted by a step for which `keep` holds, and which are better than `least`. Filtering
/// before any merge makes hard batches cheap: the bound excludes most states of a product, and no merge then
/// reads them.
#[inline(always)]
fn shift<P: Number, W: Number>(
    states: &[State<P, W>],
    step: &Step<P, W>,
    least: &mut P,
    out: &mut Vec<State<P, W>>,
    keep: &impl Fn(P, W) -> bool,
) {
    for state in states {
        let (p, w) = (state.p.plus(step.p), state.w.plus(step.w));
        if keep(p, w) && p < *least {
            *least = p;
            out.push(State { p, w, link: state.link, alt: step.alt });
        }
    }
}

/// Merges two lists, leaving out what is dominated.
fn merge<P: Number, W: Number, R: Room<P, W>>(
    first: &[State<P, W>],
    second: &[State<P, W>],
    out: &mut Vec<State<P, W>>,
    room: &mut R,
) -> Result<(), R::Stop> {
    let mut unpaid = first.len() + second.len();
    out.reserve(unpaid);
    let mut least = P::TOP;
    let mut push = |state: &State<P, W>| {
        if state.p < least {
            least = state.p;
            out.push(*state);
        }
    };
    let (mut i, mut j, mut paid) = (0, 0, 0);
    while i < first.len() || j < second.len() {
        // What is paid for, of each list.
        let part = unpaid.min(PART - paid);
        room.spend(part)?;
        (unpaid, paid) = (unpaid - part, paid + part);
        let (begun, half) = (i + j, paid / 2);
        let (i_end, j_end) = match (first.len() - i, second.len() - j) {
            (left, right) if left <= half => (first.len(), (j + paid - left).min(j + right)),
            (left, right) if right <= half => ((i + paid - right).min(i + left), second.len()),
            _ => (i + half, j + half),
        };
        while i < i_end && j < j_end {
            let (a, b) = (&first[i], &second[j]);
            if before(a.p, a.w, b.p, b.w) {
                push(a);
                i += 1;
            } else {
                push(b);
                j += 1;
            }
        }
        if j == second.len() {
            first[i..i_end].iter().for_each(&mut push);
            i = i_end;
        }
        if i == first.len() {
            second[j..j_end].iter().for_each(&mut push);
            j = j_end;
        }
        paid -= i + j - begun;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::NONE;
    use super::*;
    use std::convert::Infallible;

    struct Blocks(usize);

    impl Room<f64, f64> for Blocks {
        type Stop = Infallible;
        fn block(&self) -> usize {
            self.0
        }
        fn spend(&mut self, _: usize) -> Result<(), Infallible> {
            Ok(())
        }
        fn trim(&mut self, _: &mut Vec<State>, _: Option<f64>) -> Result<(), Infallible> {
            Ok(())
        }
    }

    fn sums(states: &[(f64, f64)], steps: &[Step], block: usize, most: f64) -> Vec<(f64, f64, u32)> {
        let states: Vec<State> = states.iter().map(|&(p, w)| State { p, w, link: NONE, alt: NONE }).collect();
        let mut runs = Runs::default();
        let Ok(()) = product(&states, steps, &mut runs, |_, w| w <= most, &mut Blocks(block));
        runs.states.iter().map(|s| (s.p, s.w, s.alt)).collect()
    }

    fn step(p: f64, w: f64, alt: u32) -> Step {
        Step { p, w, alt }
    }

    #[test]
    fn a_product_keeps_what_nothing_dominates() {
        let states = [(9.0, 1.0), (4.0, 3.0)];
        let steps = [step(0.0, 0.0, 0), step(-2.0, 2.0, 1), step(1.0, 1.0, 2)];
        for block in [1, 2, 100] {
            // Of (9,1) (4,3) | (7,3) (2,5) | (10,2) (5,4), three are dominated.
            assert_eq!(sums(&states, &steps, block, 9.0), [(9.0, 1.0, 0), (4.0, 3.0, 0), (2.0, 5.0, 1)]);
            assert_eq!(sums(&states, &steps, block, 3.0), [(9.0, 1.0, 0), (4.0, 3.0, 0)]);
            assert!(sums(&states, &[], block, 3.0).is_empty());
        }
    }

    #[test]
    fn equal_states_keep_the_earlier_step() {
        for block in [1, 100] {
            let steps = [step(1.0, 1.0, 7), step(1.0, 1.0, 3), step(1.0, 1.0, 5)];
            assert_eq!(sums(&[(0.0, 0.0)], &steps, block, 9.0), [(1.0, 1.0, 7)]);
        }
    }
}
