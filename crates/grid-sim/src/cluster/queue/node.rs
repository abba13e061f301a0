//! What a node of the tree stores about the jobs below it.

use sched_model::{Span, Time};

/// CPUs and requested time of a job. Zero for a job that is promised a start, since the CPUs held for it may
/// be all that it needs.
pub(super) type Size = (u32, Span);

#[derive(Debug, Clone, Default)]
pub(super) struct Node {
    pub(super) jobs: usize,
    pub(super) promises: Promises,
    /// By CPUs, which increase while the times decrease.
    pub(super) front: Vec<Size>,
}

/// The starts that some jobs are promised.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Promises {
    pub(super) count: usize,
    pub(super) earliest: Option<Time>,
}

impl Promises {
    pub(super) fn and(self, other: Self) -> Self {
        let both = self.earliest.zip(other.earliest).map(|(one, other)| one.min(other));
        Self { count: self.count + other.count, earliest: both.or(self.earliest).or(other.earliest) }
    }

    pub(super) fn come_by(self, now: Time) -> bool {
        self.earliest.is_some_and(|earliest| earliest <= now)
    }

    /// Removes one promise and adds one. Returns whether the earliest is still known.
    pub(super) fn change(&mut self, before: Option<Time>, after: Option<Time>) -> bool {
        self.count -= usize::from(before.is_some());
        let known = before.is_none() || before != self.earliest;
        *self = self.and(after.into_iter().map(Some).collect());
        known
    }
}

impl FromIterator<Option<Time>> for Promises {
    fn from_iter<I: IntoIterator<Item = Option<Time>>>(promises: I) -> Self {
        let one = |start| Self { count: 1, earliest: Some(start) };
        promises.into_iter().flatten().map(one).fold(Self::default(), Self::and)
    }
}

/// Puts a size into a front. Returns whether it belongs there and was not there before.
pub(super) fn insert(front: &mut Vec<Size>, size: Size) -> bool {
    let at = front.partition_point(|other| other.0 < size.0);
    let covers = |other: &Size| other.0 <= size.0 && other.1 <= size.1;
    if front.get(at).is_some_and(covers) || at.checked_sub(1).is_some_and(|before| covers(&front[before])) {
        return false;
    }
    // Those with as many CPUs or more stand behind `at`; of these the ones of at least its time come first.
    let end = at + front[at..].partition_point(|other| other.1 >= size.1);
    front.splice(at..end, [size]);
    true
}
