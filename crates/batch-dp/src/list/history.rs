//! The alternatives behind each state.

use super::{NONE, State};
use crate::number::Number;

/// One step of a history.
#[derive(Debug, Clone, Copy)]
struct Link {
    parent: u32,
    job: u32,
    alt: u32,
}

/// The histories of all states made so far: a tree whose nodes point at their parents, which stand before
/// them.
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

    /// Makes the last step of each state part of the history.
    pub(crate) fn commit<P, W>(&mut self, states: &mut [State<P, W>], job: u32) {
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

    /// The steps `(job, alternative)` that lead to a link, last first.
    pub(crate) fn steps(&self, link: u32) -> impl Iterator<Item = (usize, u32)> + '_ {
        let mut link = link;
        std::iter::from_fn(move || {
            let step = *self.links.get(link as usize)?;
            link = step.parent;
            Some((step.job as usize, step.alt))
        })
    }

    /// Removes the links to which no state of these lists leads.
    pub(crate) fn shrink<P: Number, W: Number>(&mut self, lists: [&mut Vec<State<P, W>>; 2]) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histories_lead_back() {
        let mut history = History::default();
        let origin = State::<f64, f64>::ORIGIN;
        let mut states = vec![State { alt: 4, ..origin }, origin];
        history.commit(&mut states, 0);
        states[0].alt = 9;
        history.commit(&mut states, 1);
        assert_eq!(history.steps(states[0].link).collect::<Vec<_>>(), [(1, 9), (0, 4)]);
        assert_eq!(history.steps(states[1].link).count(), 0);
    }

    #[test]
    fn shrinking_keeps_every_history_in_use() {
        let mut history = History::default();
        let origin = State::<f64, f64>::ORIGIN;
        let mut states: Vec<_> = (0..3).map(|alt| State { alt, ..origin }).collect();
        history.commit(&mut states, 0);
        states.iter_mut().for_each(|state| state.alt = 7);
        history.commit(&mut states, 1);
        let (mut kept, mut other) = (vec![states[2], origin], vec![states[0]]);
        history.shrink([&mut kept, &mut other]);
        assert_eq!(history.len(), 4);
        assert_eq!(history.steps(kept[0].link).collect::<Vec<_>>(), [(1, 7), (0, 2)]);
        assert_eq!(history.steps(kept[1].link).count(), 0);
        assert_eq!(history.steps(other[0].link).collect::<Vec<_>>(), [(1, 7), (0, 0)]);
    }
}
