//! The queue of a cluster: jobs in order of arrival, taken from anywhere and mostly from the front.

use super::QueuedJob;
use crate::SimError;
use sched_model::{Profile, Time};
use std::ops::Deref;

/// The jobs that wait, and when they are promised to start. Reads as a slice.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// Those before `head` have left.
    jobs: Vec<QueuedJob>,
    head: usize,
    /// How many jobs are promised a start.
    promised: usize,
    /// The earliest of these starts; `None` where it has to be looked for.
    earliest: Option<Time>,
}

/// Places that removals may leave at the front whatever the length.
const SLACK: usize = 64;

impl Waiting {
    pub(super) fn push(&mut self, queued: QueuedJob) {
        self.jobs.push(queued);
    }

    /// Takes a job out. The jobs before it or behind it move, whichever are fewer: O(1) at either end, amortised.
    pub(super) fn remove(&mut self, index: usize) -> QueuedJob {
        let mut queued = self[index];
        self.forget(queued.promise.take());
        if index < self.len() / 2 {
            self.jobs.copy_within(self.head..self.head + index, self.head + 1);
            self.head += 1;
            if self.head > SLACK && self.head > self.jobs.len() / 2 {
                self.jobs.drain(..self.head);
                self.head = 0;
            }
        } else {
            self.jobs.remove(self.head + index);
        }
        queued
    }

    /// Notes the start for which CPUs are held.
    pub(super) fn promise(&mut self, index: usize, start: Time) {
        let queued = &mut self.jobs[self.head + index];
        queued.first_promise.get_or_insert(start);
        let before = queued.promise.replace(start);
        self.forget(before);
        self.promised += 1;
        if self.promised == 1 {
            self.earliest = Some(start);
        } else {
            self.earliest = self.earliest.map(|earliest| earliest.min(start));
        }
    }

    /// Gives back what is held for a job; says whether anything was.
    pub(super) fn withdraw(&mut self, index: usize, profile: &mut Profile) -> Result<bool, SimError> {
        let queued = &mut self.jobs[self.head + index];
        let (job, promise) = (queued.job, queued.promise.take());
        self.forget(promise);
        if let Some(start) = promise {
            profile.release(start, start + job.requested(), job.cpus())?;
        }
        Ok(promise.is_some())
    }

    fn forget(&mut self, promise: Option<Time>) {
        if promise.is_some() {
            self.promised -= 1;
            self.earliest = self.earliest.filter(|_| self.promised > 0 && self.earliest != promise);
        }
    }

    /// The earliest start that any of them is promised. O(1) where it is known: always while one job is promised at most;
    /// else after the earliest promise was given up, all are looked at.
    pub(super) fn next_promise(&self) -> Option<Time> {
        match self.promised {
            0 => None,
            _ => self.earliest.or_else(|| self.iter().filter_map(|queued| queued.promise).min()),
        }
    }

    /// Takes out the jobs for which this holds, in order.
    pub(super) fn take_where(&mut self, leaves: impl Fn(&QueuedJob) -> bool) -> Vec<QueuedJob> {
        let mut taken = Vec::new();
        let mut index = 0;
        while index < self.len() {
            if leaves(&self[index]) {
                taken.push(self.remove(index));
            } else {
                index += 1;
            }
        }
        taken
    }
}

impl Deref for Waiting {
    type Target = [QueuedJob];

    fn deref(&self) -> &[QueuedJob] {
        &self.jobs[self.head..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LocalJob;
    use proptest::prelude::*;
    use sched_model::{JobId, Span};

    fn queued(id: u64) -> QueuedJob {
        let job = LocalJob::new(JobId(id), Time::ZERO, 1, Span::must(1.0), Span::must(1.0)).unwrap();
        QueuedJob { job, promise: None, first_promise: None }
    }

    proptest! {
        /// Against a plain vector: pushes, removals from anywhere, promises.
        #[test]
        fn reads_as_a_vector(steps in prop::collection::vec((0u8..4, any::<prop::sample::Index>()), 0..400)) {
            let (mut waiting, mut plain) = (Waiting::default(), Vec::<QueuedJob>::new());
            let mut profile = Profile::new(1000, Time::ZERO).unwrap();
            for (number, (what, place)) in (0..).zip(steps) {
                if what == 0 || plain.is_empty() {
                    waiting.push(queued(number));
                    plain.push(queued(number));
                    continue;
                }
                let index = place.index(plain.len());
                let start = Time::must((number % 7) as f64);
                match what {
                    // Mostly from the front.
                    1 => {
                        let taken = waiting.remove(index / 8);
                        let expected = plain.remove(index / 8);
                        prop_assert_eq!(taken.job, expected.job);
                    }
                    2 => {
                        waiting.withdraw(index, &mut profile).unwrap();
                        profile.reserve(start, start + Span::must(1.0), 1).unwrap();
                        waiting.promise(index, start);
                        plain[index].promise = Some(start);
                        plain[index].first_promise.get_or_insert(start);
                    }
                    _ => {
                        let held = waiting.withdraw(index, &mut profile).unwrap();
                        prop_assert_eq!(held, plain[index].promise.take().is_some());
                    }
                }
                prop_assert_eq!(&waiting[..], &plain[..]);
                prop_assert_eq!(waiting.next_promise(), plain.iter().filter_map(|queued| queued.promise).min());
            }
            let leaves = |queued: &QueuedJob| queued.job.id().0.is_multiple_of(3);
            let taken = waiting.take_where(leaves).len();
            prop_assert_eq!(taken, plain.iter().filter(|queued| leaves(queued)).count());
            plain.retain(|queued| !leaves(queued));
            prop_assert_eq!(&waiting[..], &plain[..]);
        }
    }
}
