//! Lists of undominated states and their products: what the growing core and the front have in common.

/// A choice for some of the jobs: its weight, its objective, and how to find its picks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct State {
    pub(crate) weight: f64,
    pub(crate) objective: f64,
    /// The entry of the [`Trail`] for the jobs before the last one.
    pub(crate) parent: u32,
    /// What was picked for the last one: the caller's number.
    pub(crate) pick: u32,
}

/// How each state came about: parent and pick, one entry per state that was ever kept.
#[derive(Debug, Default)]
pub(crate) struct Trail(Vec<(u32, u32)>);

/// The parent of the state in which nothing is chosen.
pub(crate) const ROOT: u32 = u32::MAX;

impl Trail {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Enters the states, so that each can be the parent of others.
    pub(crate) fn enter(&mut self, states: &mut [State]) {
        for state in states {
            // The callers bound the number of states far below 2^32.
            let entry = self.0.len() as u32;
            self.0.push((state.parent, state.pick));
            state.parent = entry;
        }
    }

    /// The picks that led to an entry, the last job first.
    pub(crate) fn back(&self, entry: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = entry;
        std::iter::from_fn(move || {
            let &(parent, pick) = self.0.get(at as usize)?;
            at = parent;
            Some(pick)
        })
    }
}

/// Buffers for products of lists.
#[derive(Debug, Default)]
pub(crate) struct Product {
    runs: Vec<usize>,
    next_runs: Vec<usize>,
    buffer: Vec<State>,
}

impl Product {
    /// Replaces `list` by its undominated combinations with `picks`, each (objective, weight, number).
    ///
    /// `list` is in ascending order of weight and strictly descending order of objective, and so is the result. `keep`
    /// decides on each combination before it is stored. Ties: equal states keep the one with the earlier pick.
    pub(crate) fn multiply(
        &mut self,
        list: &mut Vec<State>,
        picks: impl Iterator<Item = (f64, f64, u32)>,
        mut keep: impl FnMut(&State) -> bool,
    ) {
        let Self { runs, next_runs, buffer } = self;
        buffer.clear();
        runs.clear();
        runs.push(0);
        for (objective, weight, pick) in picks {
            for state in list.iter() {
                let combined = State {
                    weight: state.weight + weight,
                    objective: state.objective + objective,
                    parent: state.parent,
                    pick,
                };
                if keep(&combined) {
                    buffer.push(combined);
                }
            }
            if runs[runs.len() - 1] < buffer.len() {
                runs.push(buffer.len());
            }
        }
        // Neighbouring runs are merged until one is left: every state is moved log(picks) times.
        while runs.len() > 2 {
            list.clear();
            next_runs.clear();
            next_runs.push(0);
            let mut at = 0;
            while at + 2 < runs.len() {
                merge(&buffer[runs[at]..runs[at + 1]], &buffer[runs[at + 1]..runs[at + 2]], list);
                next_runs.push(list.len());
                at += 2;
            }
            if at + 1 < runs.len() {
                list.extend_from_slice(&buffer[runs[at]..runs[at + 1]]);
                next_runs.push(list.len());
            }
            std::mem::swap(list, buffer);
            std::mem::swap(runs, next_runs);
        }
        std::mem::swap(list, buffer);
    }
}

/// Appends the undominated states of both to `out`, in order. A run may hold equal objectives after rounding: the first
/// stays.
fn merge(first: &[State], second: &[State], out: &mut Vec<State>) {
    out.reserve(first.len() + second.len());
    let (mut a, mut b) = (0, 0);
    let mut best = f64::INFINITY;
    let mut push = |state: &State| {
        if state.objective < best {
            best = state.objective;
            out.push(*state);
        }
    };
    while a < first.len() && b < second.len() {
        let (x, y) = (&first[a], &second[b]);
        let first_goes = x.weight < y.weight || x.weight == y.weight && x.objective <= y.objective;
        if first_goes {
            push(x);
            a += 1;
        } else {
            push(y);
            b += 1;
        }
    }
    first[a..].iter().for_each(&mut push);
    second[b..].iter().for_each(&mut push);
}
