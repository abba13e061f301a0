//! The entries of the heaps of searches for shortest paths.

use std::cmp::Ordering;

use crate::kernel::number::Number;

/// An item and its distance; the nearest compares greatest, as `BinaryHeap` needs it.
#[derive(Clone, Copy)]
pub(crate) struct Reached<N, W> {
    pub(crate) distance: N,
    pub(crate) what: W,
}

/// The next action at a distance. At equal distances the first variant comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Next {
    /// Settle a resource.
    Settle(u32),
    /// Read the whole row of a job.
    Row(u32),
    /// Look at the next job of a resource.
    Leaving(u32),
}

impl<N: Number, W: Ord> PartialEq for Reached<N, W> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl<N: Number, W: Ord> Eq for Reached<N, W> {}
impl<N: Number, W: Ord> PartialOrd for Reached<N, W> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<N: Number, W: Ord> Ord for Reached<N, W> {
    // The nearest is the greatest.
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        if self.distance < other.distance {
            Ordering::Greater
        } else if self.distance > other.distance {
            Ordering::Less
        } else {
            other.what.cmp(&self.what)
        }
    }
}
