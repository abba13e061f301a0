//! The product of a list with the steps of one more job, chains of such products, and histories of states.

use super::{NONE, State, Step};
use crate::number::Number;
use sched_model::{End, Meter};

/// Storage of [`product`].
#[derive(Debug, Default, Clone)]
pub(crate) struct ProductBuffers<P, W> {
    /// Lists one after another; after a product, the one remaining list.
    pub(crate) states: Vec<State<P, W>>,
    /// The position at which each list ends.
    ends: Vec<usize>,
    merged: Vec<State<P, W>>,
    merged_ends: Vec<usize>,
    /// The product of the steps of earlier groups.
    earlier: Vec<State<P, W>>,
}

/// Computes into `buffers.states` the undominated states among all sums of a state and a step for which `keep(p, w)`
/// holds.
///
/// Of two equal states, that of the earlier step stays. The shifted lists are merged in pairs, in groups of steps with
/// at most `block` sums: O(S K log K) for S states and K steps. Each sum that is formed or merged costs `units` of
/// work. After each group `trim` may shorten the list.
///
/// # Errors
/// The end, if the meter or `trim` ends the search.
pub(crate) fn product<P: Number, W: Number>(
    states: &[State<P, W>],
    steps: &[Step<P, W>],
    buffers: &mut ProductBuffers<P, W>,
    keep: impl Fn(P, W) -> bool,
    (block, units): (usize, u64),
    meter: &mut Meter,
    mut trim: impl FnMut(&mut Vec<State<P, W>>, &mut Meter) -> Result<(), End>,
) -> Result<(), End> {
    let group = (block / states.len().max(1)).max(1);
    let mut groups = steps.chunks(group).peekable();
    buffers.states.clear();
    buffers.earlier.clear();
    while let Some(steps) = groups.next() {
        buffers.states.clear();
        buffers.ends.clear();
        for step in steps {
            meter.spend(units * states.len() as u64)?;
            shift(states, step, &mut buffers.states, &keep);
            if buffers.ends.last().copied().unwrap_or(0) < buffers.states.len() {
                buffers.ends.push(buffers.states.len());
            }
        }
        buffers.merge_all(units, meter)?;
        if !buffers.earlier.is_empty() {
            meter.spend(units * (buffers.earlier.len() + buffers.states.len()) as u64)?;
            buffers.merged.clear();
            merge(&buffers.earlier, &buffers.states, &mut buffers.merged);
            std::mem::swap(&mut buffers.states, &mut buffers.merged);
        }
        trim(&mut buffers.states, meter)?;
        if groups.peek().is_some() {
            std::mem::swap(&mut buffers.states, &mut buffers.earlier);
        }
    }
    Ok(())
}

impl<P: Number, W: Number> ProductBuffers<P, W> {
    /// Merges the lists in pairs until one is left.
    fn merge_all(&mut self, units: u64, meter: &mut Meter) -> Result<(), End> {
        while self.ends.len() > 1 {
            self.merged.clear();
            self.merged_ends.clear();
            let mut start = 0;
            for pair in self.ends.chunks(2) {
                let end = pair[pair.len() - 1];
                if pair.len() == 2 {
                    meter.spend(units * (end - start) as u64)?;
                    let (first, second) = (&self.states[start..pair[0]], &self.states[pair[0]..end]);
                    merge(first, second, &mut self.merged);
                } else {
                    self.merged.extend_from_slice(&self.states[start..end]);
                }
                start = end;
                self.merged_ends.push(self.merged.len());
            }
            std::mem::swap(&mut self.states, &mut self.merged);
            std::mem::swap(&mut self.ends, &mut self.merged_ends);
        }
        Ok(())
    }
}

/// Appends the `states`, shifted by a step, for which `keep` holds and that no other dominates. Filtering before
/// any merge makes hard batches cheap: the bound excludes most states of a product, and no merge reads them.
#[inline(always)]
fn shift<P: Number, W: Number>(
    states: &[State<P, W>],
    step: &Step<P, W>,
    out: &mut Vec<State<P, W>>,
    keep: &impl Fn(P, W) -> bool,
) {
    let mut least = P::TOP;
    for state in states {
        let (p, w) = (state.p.plus(step.p), state.w.plus(step.w));
        if keep(p, w) && p < least {
            least = p;
            out.push(State { p, w, link: state.link, alt: step.alt });
        }
    }
}

/// Appends the merge of two lists, without dominated states.
fn merge<P: Number, W: Number>(first: &[State<P, W>], second: &[State<P, W>], out: &mut Vec<State<P, W>>) {
    out.reserve(first.len() + second.len());
    let mut least = P::TOP;
    let mut push = |state: &State<P, W>| {
        if state.p < least {
            least = state.p;
            out.push(*state);
        }
    };
    let (mut i, mut j) = (0, 0);
    while i < first.len() && j < second.len() {
        let (a, b) = (&first[i], &second[j]);
        // By lower weight, then by lower objective; of equal states the first.
        if a.w < b.w || (a.w == b.w && a.p <= b.p) {
            push(a);
            i += 1;
        } else {
            push(b);
            j += 1;
        }
    }
    first[i..].iter().chain(&second[j..]).for_each(push);
}

/// The maximum number of sums formed before the first merge, for lists whose length is not limited.
const BLOCK: usize = 1 << 16;
/// The maximum number of links: they are numbered in 32 bits, and [`NONE`] is reserved.
const MAX_LINKS: usize = u32::MAX as usize - 1;

/// The undominated states of some jobs, with their histories. The list grows job by job.
#[derive(Debug, Clone)]
pub(crate) struct Chain<P, W> {
    pub(crate) states: Vec<State<P, W>>,
    pub(crate) history: History,
    buffers: ProductBuffers<P, W>,
    /// Bytes reserved.
    reserved: u64,
}

impl<P: Number, W: Number> Default for Chain<P, W> {
    /// The choice for no job.
    fn default() -> Self {
        Self {
            states: vec![State::ORIGIN],
            history: History::default(),
            buffers: ProductBuffers::default(),
            reserved: 0,
        }
    }
}

impl<P: Number, W: Number> Chain<P, W> {
    /// Begins again with the choice for no job, but keeps the histories; returns the previous list.
    pub(crate) fn restart(&mut self) -> Vec<State<P, W>> {
        std::mem::replace(&mut self.states, vec![State::ORIGIN])
    }

    /// Adds a job with these steps: the list becomes the undominated sums of a state and a step for which `keep` holds.
    ///
    /// # Errors
    /// The end, if the meter ends the search; [`End::Memory`] for more than 2^32 - 2 links.
    pub(crate) fn add(
        &mut self,
        steps: &[Step<P, W>],
        keep: impl Fn(P, W) -> bool,
        job: u32,
        units: u64,
        meter: &mut Meter,
    ) -> Result<(), End> {
        let Self { states, history, buffers, reserved } = self;
        let block = BLOCK.min(states.len().saturating_mul(steps.len()));
        // The next group adds a block to a list that is merged into a copy; the capacity of a vector may be
        // twice its length.
        let of = |states: usize| 4 * (states + block) * size_of::<State<P, W>>();
        reserve_to(reserved, of(0) + history.len() * History::BYTES, meter)?;
        let of_history = |states: usize| (history.len() + states) * History::BYTES;
        product(states, steps, buffers, keep, (block, units), meter, |list, meter| {
            reserve_to(reserved, of(list.len()) + of_history(list.len()), meter)
        })?;
        if history.len() + buffers.states.len() > MAX_LINKS {
            return Err(End::Memory);
        }
        std::mem::swap(states, &mut buffers.states);
        history.commit(states.iter_mut(), job);
        Ok(())
    }
}

/// Raises the memory reserved so far, `reserved`, to `bytes`, if it is lower.
pub(crate) fn reserve_to(reserved: &mut u64, bytes: usize, meter: &mut Meter) -> Result<(), End> {
    let bytes = bytes as u64;
    if bytes > *reserved {
        meter.reserve(bytes - *reserved)?;
        *reserved = bytes;
    }
    Ok(())
}

/// One step of a history.
#[derive(Debug, Clone, Copy)]
struct Link {
    parent: u32,
    job: u32,
    alt: u32,
}

/// The histories of states: a forest of links that point to their parents. A parent is stored before its children.
#[derive(Debug, Default, Clone)]
pub(crate) struct History {
    links: Vec<Link>,
    /// The new position of each link after unused links are removed.
    moved: Vec<u32>,
}

impl History {
    /// Bytes of one link while links are moved.
    pub(crate) const BYTES: usize = size_of::<Link>() + size_of::<u32>();

    pub(crate) fn clear(&mut self) {
        self.links.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.links.len()
    }

    /// Adds the last step of each state to the history as a link.
    pub(crate) fn commit<'s, P: 's, W: 's>(
        &mut self,
        states: impl ExactSizeIterator<Item = &'s mut State<P, W>>,
        job: u32,
    ) {
        self.links.reserve(states.len());
        for state in states {
            if state.alt != NONE {
                let id = self.links.len() as u32;
                self.links.push(Link { parent: state.link, job, alt: state.alt });
                state.link = id;
                state.alt = NONE;
            }
        }
    }

    /// The steps `(job, alternative)` that lead to a link, the last first.
    pub(crate) fn steps(&self, link: u32) -> impl Iterator<Item = (usize, u32)> + '_ {
        let mut link = link;
        std::iter::from_fn(move || {
            let step = *self.links.get(link as usize)?;
            link = step.parent;
            Some((step.job as usize, step.alt))
        })
    }

    /// Removes the links that no state of these lists leads to.
    pub(crate) fn shrink<P: Number, W: Number>(&mut self, lists: &mut [Vec<State<P, W>>; 2]) {
        const UNUSED: u32 = NONE;
        let Self { links, moved } = self;
        moved.clear();
        moved.resize(links.len(), UNUSED);
        for state in lists.iter().flat_map(|list| list.iter()) {
            if let Some(mark) = moved.get_mut(state.link as usize) {
                *mark = 0;
            }
        }
        // A parent is stored before its children, so that one pass from the end reaches all.
        for at in (0..links.len()).rev() {
            if moved[at] != UNUSED
                && let Some(mark) = moved.get_mut(links[at].parent as usize)
            {
                *mark = 0;
            }
        }
        let mut end = 0;
        for at in 0..links.len() {
            if moved[at] != UNUSED {
                let mut link = links[at];
                link.parent = moved.get(link.parent as usize).copied().unwrap_or(NONE);
                links[end] = link;
                moved[at] = end as u32;
                end += 1;
            }
        }
        links.truncate(end);
        for list in lists {
            for state in list.iter_mut() {
                state.link = moved.get(state.link as usize).copied().unwrap_or(NONE);
            }
        }
    }
}
