//! Some jobs of a queue that came one after another, and what is known of them.

use super::QueuedJob;
use sched_model::{Span, Time};
use std::collections::VecDeque;
use std::sync::OnceLock;

/// CPUs and requested time of a job.
pub(super) type Size = (u32, Span);

/// Most jobs of a chunk. With a quarter of it, passes over 10,000 waiting jobs take twice as long; queues of some
/// hundred jobs are as fast with either.
pub(super) const CHUNK: usize = 256;

#[derive(Debug, Clone, Default)]
pub(super) struct Chunk {
    pub(super) jobs: VecDeque<QueuedJob>,
    pub(super) promises: Promises,
    /// Of the jobs that are promised no start; by CPUs, which increase while the times decrease.
    front: OnceLock<Vec<Size>>,
}

impl Chunk {
    pub(super) fn front(&self) -> &[Size] {
        self.front.get_or_init(|| {
            let mut front = Vec::new();
            let open = self.jobs.iter().filter(|queued| queued.promise.is_none());
            open.for_each(|queued| insert(&mut front, queued.size()));
            front
        })
    }

    /// How many jobs are promised a start, from a place on.
    pub(super) fn promised_from(&self, at: usize) -> usize {
        self.promises.count - self.jobs.range(..at).filter(|queued| queued.promise.is_some()).count()
    }

    /// Puts a job at the end; promises are counted by the queue.
    pub(super) fn push(&mut self, queued: QueuedJob) {
        self.jobs.push_back(queued);
        self.with(&queued);
    }

    pub(super) fn remove(&mut self, at: usize) {
        if let Some(queued) = self.jobs.remove(at) {
            self.without(&queued);
        }
    }

    /// Changes a job; its promise before and after.
    pub(super) fn change(
        &mut self,
        at: usize,
        change: impl FnOnce(&mut QueuedJob),
    ) -> (Option<Time>, Option<Time>) {
        let queued = &mut self.jobs[at];
        let before = *queued;
        change(queued);
        let after = *queued;
        if before.promise.is_some() != after.promise.is_some() {
            self.without(&before);
            self.with(&after);
        }
        (before.promise, after.promise)
    }

    /// Adds the jobs of the chunk behind it.
    pub(super) fn append(&mut self, mut next: Self) {
        self.jobs.append(&mut next.jobs);
        self.promises = self.promises.and(next.promises);
        self.front.take();
    }

    fn with(&mut self, queued: &QueuedJob) {
        if queued.promise.is_none()
            && let Some(front) = self.front.get_mut()
        {
            insert(front, queued.size());
        }
    }

    /// Forgets a front that contained the size of a job which the chunk has lost, or has less often.
    fn without(&mut self, queued: &QueuedJob) {
        let contains = |front: &Vec<Size>| queued.promise.is_none() && front.contains(&queued.size());
        if self.front.get().is_some_and(contains) {
            self.front.take();
        }
    }
}

/// The starts that some jobs are promised.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Promises {
    pub(super) count: usize,
    pub(super) earliest: Option<Time>,
}

impl Promises {
    pub(super) fn of(promise: Option<Time>) -> Self {
        Self { count: usize::from(promise.is_some()), earliest: promise }
    }

    fn and(self, other: Self) -> Self {
        let both = self.earliest.zip(other.earliest).map(|(one, other)| one.min(other));
        Self { count: self.count + other.count, earliest: both.or(self.earliest).or(other.earliest) }
    }

    pub(super) fn come_by(self, now: Time) -> bool {
        self.earliest.is_some_and(|earliest| earliest <= now)
    }

    /// Removes one promise and adds one. Returns whether the earliest is still known.
    pub(super) fn change(&mut self, before: Option<Time>, after: Option<Time>) -> bool {
        self.count -= usize::from(before.is_some());
        if self.count == 0 {
            self.earliest = None;
        }
        let known = before.is_none() || before != self.earliest;
        *self = self.and(Self::of(after));
        known
    }
}

impl FromIterator<Self> for Promises {
    fn from_iter<I: IntoIterator<Item = Self>>(promises: I) -> Self {
        promises.into_iter().fold(Self::default(), Self::and)
    }
}

/// Puts a size into a front, if it belongs there.
pub(super) fn insert(front: &mut Vec<Size>, size: Size) {
    let at = front.partition_point(|other| other.0 < size.0);
    let covers = |other: &Size| other.0 <= size.0 && other.1 <= size.1;
    if front.get(at).is_some_and(covers) || at.checked_sub(1).is_some_and(|before| covers(&front[before])) {
        return;
    }
    // Those with as many CPUs or more stand behind `at`; of these the ones of at least its time come first.
    let end = at + front[at..].partition_point(|other| other.1 >= size.1);
    front.splice(at..end, [size]);
}
