//! The queue of a cluster: jobs in order of arrival, taken out anywhere, mostly near the beginning.
//!
//! Words used here. A *chunk* holds up to 256 jobs that arrived one after another. The *size* of a job is its CPUs
//! and its requested time. The *front* of some jobs is the set of their sizes that are not dominated: no other size
//! is at most as large in both parts. If any of the jobs fits into a space, so does one of the front. Each chunk
//! knows the starts promised to its jobs and, once it was asked for, their front, so that a search reads only chunks
//! that may have a match.

#[cfg(test)]
mod tests;

use super::LocalJob;
use sched_model::{JobId, Span, Time};
use std::collections::{BTreeSet, VecDeque};
use std::ops::Index;
use std::sync::OnceLock;

/// A job in the queue of a cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct QueuedJob {
    /// The job.
    pub job: LocalJob,
    /// The start for which CPUs are held at present.
    pub promise: Option<Time>,
    /// The first start that the job was promised.
    pub(crate) first_promise: Option<Time>,
}

impl QueuedJob {
    /// Wraps a job that has just arrived.
    pub(super) fn new(job: LocalJob) -> Self {
        Self { job, promise: None, first_promise: None }
    }

    fn size(&self) -> Size {
        (self.job.cpus, self.job.requested)
    }
}

/// The waiting jobs of a cluster, in order of arrival.
///
/// Jobs are addressed by their index, from 0, as in a slice. They are stored in chunks of up to b = 256. With q jobs
/// waiting, one is added in O(1), read and counted in O(q / b), and removed in O(q / b + b).
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "Vec<QueuedJob>", into = "Vec<QueuedJob>"))]
pub(crate) struct LocalQueue {
    /// In order of arrival. Two adjacent chunks hold more than b / 2 jobs together, so that q jobs take at most 4 q /
    /// b + 2 chunks.
    chunks: Vec<Chunk>,
}

impl LocalQueue {
    /// Returns the number of jobs.
    pub(crate) fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.jobs.len()).sum()
    }

    /// Returns the jobs in order of arrival.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &QueuedJob> {
        self.chunks.iter().flat_map(|chunk| &chunk.jobs)
    }

    /// Returns the chunk of the job at `index` and its place there; no existing chunk for an index after the last
    /// job.
    fn place(&self, index: usize) -> (usize, usize) {
        let mut at = index;
        for (number, chunk) in self.chunks.iter().enumerate() {
            if at < chunk.jobs.len() {
                return (number, at);
            }
            at -= chunk.jobs.len();
        }
        (self.chunks.len(), 0)
    }

    /// Returns the first job at or after `from` for which `answer` returns a value, with that value. Chunks for which
    /// `may_match` is false are skipped.
    fn first_of<T>(
        &self,
        from: usize,
        may_match: impl Fn(&Chunk) -> bool,
        answer: impl Fn(&QueuedJob) -> Option<T>,
    ) -> Option<(usize, T)> {
        let (number, mut skipped) = self.place(from);
        let mut first = from;
        for chunk in &self.chunks[number..] {
            if may_match(chunk) {
                let mut jobs = (first..).zip(chunk.jobs.range(skipped..));
                let found = jobs.find_map(|(at, queued)| Some((at, answer(queued)?)));
                if found.is_some() {
                    return found;
                }
            }
            first += chunk.jobs.len() - skipped;
            skipped = 0;
        }
        None
    }

    /// Returns the first job at or after `from` that has no promise, whose size satisfies `fits`, and that satisfies
    /// `passes`. If a size fits, every size that is at most as large in both parts must fit, too.
    pub(super) fn first_that_fits(
        &self,
        from: usize,
        fits: impl Fn(Size) -> bool,
        passes: impl Fn(&LocalJob) -> bool,
    ) -> Option<usize> {
        let may_start =
            |queued: &QueuedJob| queued.promise.is_none() && fits(queued.size()) && passes(&queued.job);
        let may_match = |chunk: &Chunk| chunk.front().iter().any(|&size| fits(size));
        self.first_of(from, may_match, |queued| may_start(queued).then_some(())).map(|(at, ())| at)
    }

    /// Returns the first job at or after `from` for which `answer` returns a value, among those without a promise or
    /// with one of at most `by`, or among all if `by` is `None`. `answer` may be called for other jobs, too, and must
    /// return `None` for them.
    pub(super) fn first_due<T>(
        &self,
        from: usize,
        by: Option<Time>,
        answer: impl Fn(&QueuedJob) -> Option<T>,
    ) -> Option<(usize, T)> {
        let due = |chunk: &Chunk, by| {
            chunk.promises.len() < chunk.jobs.len() || chunk.next_promise().is_some_and(|next| next <= by)
        };
        self.first_of(from, |chunk| by.is_none_or(|by| due(chunk, by)), answer)
    }

    /// Records the start for which CPUs are held, for a job without a promise.
    pub(super) fn promise(&mut self, index: usize, start: Time) {
        let (chunk, at) = self.place(index);
        let Chunk { jobs, promises, .. } = &mut self.chunks[chunk];
        jobs[at].first_promise.get_or_insert(start);
        jobs[at].promise = Some(start);
        promises.insert((start, jobs[at].job.id));
    }

    /// Removes and returns the start for which CPUs were held.
    pub(super) fn withdraw(&mut self, index: usize) -> Option<Time> {
        let (chunk, at) = self.place(index);
        let Chunk { jobs, promises, .. } = &mut self.chunks[chunk];
        let start = jobs[at].promise.take()?;
        promises.remove(&(start, jobs[at].job.id));
        Some(start)
    }

    /// Returns the earliest promised start.
    pub(crate) fn next_promise(&self) -> Option<Time> {
        self.chunks.iter().filter_map(Chunk::next_promise).min()
    }

    /// Appends a job, which may have a promise.
    pub(super) fn push(&mut self, queued: QueuedJob) {
        if self.chunks.last().is_none_or(|last| last.jobs.len() >= CHUNK) {
            self.chunks.push(Chunk::default());
        }
        if let Some(last) = self.chunks.last_mut() {
            last.jobs.push_back(queued);
            last.promises.extend(queued.promise.map(|start| (start, queued.job.id)));
            if let Some(front) = last.front.get_mut() {
                insert(front, queued.size());
            }
        }
    }

    /// Removes and returns a job without a promise.
    pub(super) fn remove(&mut self, index: usize) -> QueuedJob {
        let (number, at) = self.place(index);
        let chunk = &mut self.chunks[number];
        let queued = chunk.jobs[at];
        chunk.jobs.remove(at);
        if chunk.front.get().is_some_and(|front| front.contains(&queued.size())) {
            chunk.front.take();
        }
        for left in [number, number.saturating_sub(1)] {
            let right = self.chunks.get(left + 1).map_or(CHUNK, |right| right.jobs.len());
            if self.chunks[left].jobs.len() + right <= CHUNK / 2 {
                let Chunk { mut jobs, mut promises, .. } = self.chunks.remove(left + 1);
                self.chunks[left].jobs.append(&mut jobs);
                self.chunks[left].promises.append(&mut promises);
                self.chunks[left].front.take();
            }
        }
        queued
    }
}

impl From<Vec<QueuedJob>> for LocalQueue {
    fn from(jobs: Vec<QueuedJob>) -> Self {
        let mut queue = Self::default();
        jobs.into_iter().for_each(|queued| queue.push(queued));
        queue
    }
}

impl From<LocalQueue> for Vec<QueuedJob> {
    fn from(queue: LocalQueue) -> Self {
        queue.iter().copied().collect()
    }
}

/// Compares the jobs; their division into chunks does not matter.
impl PartialEq for LocalQueue {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Index<usize> for LocalQueue {
    type Output = QueuedJob;

    /// # Panics
    /// If there is no job at `index`.
    fn index(&self, index: usize) -> &QueuedJob {
        let (chunk, at) = self.place(index);
        let Some(chunk) = self.chunks.get(chunk) else {
            panic!("no job waits at place {index}: places are from 0, and {} wait", self.len())
        };
        &chunk.jobs[at]
    }
}

/// CPUs and requested time of a job.
type Size = (u32, Span);

/// Maximum number of jobs of a chunk. With a quarter of it, passes over 10,000 waiting jobs take twice as long;
/// queues of some hundred jobs are equally fast with both.
const CHUNK: usize = 256;

#[derive(Debug, Clone, Default)]
struct Chunk {
    jobs: VecDeque<QueuedJob>,
    /// The promised starts.
    promises: BTreeSet<(Time, JobId)>,
    /// The front: sizes in order of CPUs, which increase while the times decrease. Empty until it is asked for.
    front: OnceLock<Vec<Size>>,
}

impl Chunk {
    fn next_promise(&self) -> Option<Time> {
        self.promises.first().map(|&(start, _)| start)
    }

    fn front(&self) -> &[Size] {
        self.front.get_or_init(|| {
            let mut front = Vec::new();
            self.jobs.iter().for_each(|queued| insert(&mut front, queued.size()));
            front
        })
    }
}

/// Adds a size to a front, if it belongs there, and removes the sizes that it dominates.
fn insert(front: &mut Vec<Size>, size: Size) {
    let at = front.partition_point(|other| other.0 < size.0);
    let covers = |other: &Size| other.0 <= size.0 && other.1 <= size.1;
    if front.get(at).is_some_and(covers) || at.checked_sub(1).is_some_and(|before| covers(&front[before])) {
        return;
    }
    // Sizes with at least as many CPUs stand from `at` on; those with at least as much time come first among them.
    let end = at + front[at..].partition_point(|other| other.1 >= size.1);
    front.splice(at..end, [size]);
}
