//! Lists of undominated states, and their product with the alternatives of one more job.
//!
//! A list is sorted by rising constraint sum `w` with strictly falling objective sum `p`: no state of it is at least as
//! good as another in both. (Rounding can make two `w` equal that were not; such a pair stays until somebody minds.)

/// An alternative as a step: what it adds to both sums, and its absolute index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub(crate) p: f64,
    pub(crate) w: f64,
    pub(crate) alt: u32,
}

/// The index of a step that leaves everything as it was, and of the link of a state without a history.
pub(crate) const NONE: u32 = u32::MAX;

/// Two sums and how they came about: the link of the state before, and the alternative taken since.
#[derive(Debug, Clone, Copy)]
pub(crate) struct State {
    pub(crate) p: f64,
    pub(crate) w: f64,
    pub(crate) link: u32,
    pub(crate) alt: u32,
}

impl State {
    pub(crate) const ORIGIN: Self = Self { p: 0.0, w: 0.0, link: NONE, alt: NONE };
}

/// One step of a history.
#[derive(Debug, Clone, Copy)]
struct Link {
    parent: u32,
    job: u32,
    alt: u32,
}

/// The histories of all states made so far: a tree whose nodes point at their parents.
#[derive(Debug, Default, Clone)]
pub(crate) struct History {
    links: Vec<Link>,
}

impl History {
    pub(crate) fn clear(&mut self) {
        self.links.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.links.len()
    }

    /// Makes the last step of each state part of the history.
    pub(crate) fn commit(&mut self, states: &mut [State], job: u32) {
        for state in states {
            if state.alt != NONE {
                let id = self.links.len() as u32;
                self.links.push(Link { parent: state.link, job, alt: state.alt });
                state.link = id;
                state.alt = NONE;
            }
        }
    }

    /// The steps `(job, alternative)` that lead to a link, last first.
    pub(crate) fn steps(&self, link: u32) -> impl Iterator<Item = (usize, u32)> + '_ {
        let mut link = link;
        std::iter::from_fn(move || {
            let step = *self.links.get(link as usize)?;
            link = step.parent;
            Some((step.job as usize, step.alt))
        })
    }
}

/// Storage of [`product`].
#[derive(Debug, Default, Clone)]
pub(crate) struct Runs {
    /// Lists one after another; after a product, the one list that is left.
    pub(crate) states: Vec<State>,
    /// Where each list ends.
    ends: Vec<usize>,
    merged: Vec<State>,
    merged_ends: Vec<usize>,
}

/// The undominated states among all sums of a state and a step for which `keep(p, w)` holds, left in `runs.states`.
///
/// `keep` must be monotone: what is at least as good in both sums as a kept state is kept. The steps may come in any
/// order; of two equal states the one of the earlier step stays. Works by merging the shifted lists in pairs:
/// O(S K log K) for S states and K steps.
pub(crate) fn product(states: &[State], steps: &[Step], runs: &mut Runs, keep: impl Fn(f64, f64) -> bool) {
    runs.states.clear();
    runs.ends.clear();
    for step in steps {
        shift(states, step, &mut runs.states, &keep);
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
                    merge(&runs.states[start..middle], &runs.states[middle..end], &mut runs.merged);
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
}

/// Whether `(p1, w1)` comes before `(p2, w2)`: less constraint, then better objective, then the first.
#[inline(always)]
fn before(p1: f64, w1: f64, p2: f64, w2: f64) -> bool {
    w1 < w2 || (w1 == w2 && p1 <= p2)
}

/// Appends `states` shifted by a step, as far as `keep` says. Filtering before any merge is what makes hard batches
/// cheap: most of what a product could hold is excluded by the bound, and no merge should touch it.
#[inline(always)]
fn shift(states: &[State], step: &Step, out: &mut Vec<State>, keep: &impl Fn(f64, f64) -> bool) {
    let mut least = f64::INFINITY;
    for state in states {
        let (p, w) = (state.p + step.p, state.w + step.w);
        if keep(p, w) && p < least {
            least = p;
            out.push(State { p, w, link: state.link, alt: step.alt });
        }
    }
}

/// Merges two lists, leaving out what is dominated.
fn merge(first: &[State], second: &[State], out: &mut Vec<State>) {
    let mut least = f64::INFINITY;
    let mut push = |state: &State| {
        if state.p < least {
            least = state.p;
            out.push(*state);
        }
    };
    let (mut i, mut j) = (0, 0);
    while i < first.len() && j < second.len() {
        let (a, b) = (&first[i], &second[j]);
        if before(a.p, a.w, b.p, b.w) {
            push(a);
            i += 1;
        } else {
            push(b);
            j += 1;
        }
    }
    first[i..].iter().for_each(&mut push);
    second[j..].iter().for_each(&mut push);
}

/// Keeps of the steps of one job those that no other dominates, sorted by rising `w`; of equal ones the first.
pub(crate) fn undominated(steps: &mut Vec<Step>, from: usize) {
    // Alternative indices break ties, so that an unstable sort has one outcome.
    steps[from..]
        .sort_unstable_by(|a, b| a.w.total_cmp(&b.w).then(a.p.total_cmp(&b.p)).then(a.alt.cmp(&b.alt)));
    let (mut end, mut least) = (from, f64::INFINITY);
    for i in from..steps.len() {
        if steps[i].p < least {
            least = steps[i].p;
            steps[end] = steps[i];
            end += 1;
        }
    }
    steps.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(pairs: &[(f64, f64)]) -> Vec<State> {
        pairs.iter().map(|&(p, w)| State { p, w, link: NONE, alt: NONE }).collect()
    }

    fn sums(states: &[State]) -> Vec<(f64, f64)> {
        states.iter().map(|s| (s.p, s.w)).collect()
    }

    #[test]
    fn a_product_keeps_what_nothing_dominates() {
        let states = list(&[(9.0, 1.0), (4.0, 3.0)]);
        let step = |p, w, alt| Step { p, w, alt };
        let steps = [step(0.0, 0.0, 0), step(-2.0, 2.0, 1), step(1.0, 1.0, 2)];
        let mut runs = Runs::default();
        product(&states, &steps, &mut runs, |_, _| true);
        // Of (9,1) (4,3) | (7,3) (2,5) | (10,2) (5,4), three are dominated.
        assert_eq!(sums(&runs.states), [(9.0, 1.0), (4.0, 3.0), (2.0, 5.0)]);
        product(&states, &steps, &mut runs, |_, w| w <= 3.0);
        assert_eq!(sums(&runs.states), [(9.0, 1.0), (4.0, 3.0)]);
        product(&states, &[], &mut runs, |_, _| true);
        assert!(runs.states.is_empty());
    }

    #[test]
    fn equal_states_keep_the_earlier_step() {
        let mut runs = Runs::default();
        let step = |alt| Step { p: 1.0, w: 1.0, alt };
        product(&[State::ORIGIN], &[step(7), step(3), step(5)], &mut runs, |_, _| true);
        assert_eq!(runs.states.len(), 1);
        assert_eq!(runs.states[0].alt, 7);
    }

    #[test]
    fn histories_lead_back() {
        let mut history = History::default();
        let mut states = vec![State { alt: 4, ..State::ORIGIN }, State::ORIGIN];
        history.commit(&mut states, 0);
        states[0].alt = 9;
        history.commit(&mut states, 1);
        assert_eq!(history.steps(states[0].link).collect::<Vec<_>>(), [(1, 9), (0, 4)]);
        assert_eq!(history.steps(states[1].link).count(), 0);
    }

    #[test]
    fn undominated_steps_rise_in_w_and_fall_in_p() {
        let step = |p, w, alt| Step { p, w, alt };
        let mut steps = vec![
            step(0.0, 0.0, 9),
            step(5.0, 2.0, 0),
            step(3.0, 4.0, 1),
            step(5.0, 2.0, 2),
            step(3.0, 5.0, 3),
        ];
        undominated(&mut steps, 1);
        assert_eq!(steps.iter().map(|s| s.alt).collect::<Vec<_>>(), [9, 0, 1]);
    }
}
