//! The queue of a cluster: jobs in order of arrival, taken from any place, mostly from the beginning.
//!
//! Words used here. A *chunk* holds some hundred jobs that came one after another. The *size* of a job is
//! its CPUs and its requested time. The *front* of some jobs is the set of their sizes of which none is at
//! least as great as another in both parts: if any of the jobs fits into a space, so does one of the front.
//! Each chunk knows what its jobs are promised and, once it was asked for, the front of those that are promised
//! nothing, so that a search reads jobs only where it finds one.

#[cfg(test)]
mod tests;

use super::LocalJob;
use super::free::Look;
use sched_model::{Span, Time};
use std::collections::VecDeque;
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
    /// The first start that was ever promised.
    pub(crate) first_promise: Option<Time>,
    /// When the job was last found to have no start before its promise.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) looked: Look,
}

impl QueuedJob {
    /// A job that has just come.
    pub(super) fn new(job: LocalJob) -> Self {
        Self { job, promise: None, first_promise: None, looked: Look::default() }
    }

    fn size(&self) -> Size {
        (self.job.cpus, self.job.requested)
    }

    /// Its size if it is promised no start.
    fn open(&self) -> Option<Size> {
        self.promise.is_none().then_some(self.size())
    }
}

/// The jobs that wait on a cluster, in order of arrival.
///
/// A job is read by its place, from 0, as in a slice. Jobs stand in chunks of up to b = 256. With q of them
/// waiting, one is added in O(1), read in O(q / b), and taken out in O(q / b + b).
#[derive(Debug, Clone, Default)]
pub struct LocalQueue {
    /// In order. Two neighbours hold more than half of what one may hold, so that with q jobs there are at most
    /// 4 q / b + 2.
    chunks: Vec<Chunk>,
    len: usize,
}

impl LocalQueue {
    /// How many jobs wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no job waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The jobs in order of arrival.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &QueuedJob> {
        self.chunks.iter().flat_map(|chunk| &chunk.jobs)
    }

    /// The first job, from a place on, for which `answer` gives a value. It may change only when a job was
    /// last examined.
    pub(super) fn find_from<T>(
        &mut self,
        index: usize,
        mut answer: impl FnMut(&mut QueuedJob) -> Option<T>,
    ) -> Option<(usize, T)> {
        let (chunk, at) = self.locate(index);
        let jobs = self.chunks[chunk..].iter_mut().flat_map(|chunk| &mut chunk.jobs).skip(at);
        (index..).zip(jobs).find_map(|(index, queued)| answer(queued).map(|answer| (index, answer)))
    }

    /// The chunk of a job and its place there; after the last job no chunk.
    fn locate(&self, index: usize) -> (usize, usize) {
        let mut at = index;
        for (number, chunk) in self.chunks.iter().enumerate() {
            if at < chunk.jobs.len() {
                return (number, at);
            }
            at -= chunk.jobs.len();
        }
        (self.chunks.len(), 0)
    }

    /// The chunk of a job and its place there.
    ///
    /// # Panics
    /// If there is no such job.
    fn place(&self, index: usize) -> (usize, usize) {
        assert!(index < self.len, "there is no job {index} in a queue of {}", self.len);
        self.locate(index)
    }

    /// The first job, from a place on, that satisfies a condition. Chunks for which `any` does not hold have none, from
    /// the place given on.
    fn first_of(
        &self,
        from: usize,
        any: impl Fn(&Chunk, usize) -> bool,
        passes: impl Fn(&QueuedJob) -> bool,
    ) -> Option<usize> {
        let (number, mut skipped) = self.locate(from);
        let mut first = from;
        for chunk in &self.chunks[number..] {
            if any(chunk, skipped)
                && let Some(at) = chunk.jobs.range(skipped..).position(&passes)
            {
                return Some(first + at);
            }
            first += chunk.jobs.len() - skipped;
            skipped = 0;
        }
        None
    }

    /// The first job, from a place on, that is promised a start or whose size satisfies a condition. If a size
    /// satisfies it, so does every size that is at most as great in both parts.
    pub(super) fn first_that_fits(&self, from: usize, fits: impl Fn(Size) -> bool) -> Option<usize> {
        let any =
            |chunk: &Chunk, at| chunk.promised_from(at) > 0 || chunk.front().iter().any(|&size| fits(size));
        self.first_of(from, any, |queued| queued.promise.is_some() || fits(queued.size()))
    }

    // ---- promises ----

    /// How many jobs are promised a start.
    pub(super) fn promised(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.promised).sum()
    }

    /// Notes the start for which CPUs are held, and when there was none before it.
    pub(super) fn promise(&mut self, index: usize, start: Time, looked: Look) {
        self.change(index, |queued| {
            queued.first_promise.get_or_insert(start);
            queued.looked = looked;
            queued.promise = Some(start);
        });
    }

    /// Removes the start for which CPUs were held, and returns it.
    pub(super) fn withdraw(&mut self, index: usize) -> Option<Time> {
        self.change(index, |queued| queued.promise = None)
    }

    /// The earliest start that any of them is promised.
    pub(super) fn next_promise(&self) -> Option<Time> {
        self.chunks.iter().filter_map(Chunk::earliest).min()
    }

    /// The first job, from a place on, that is promised no start, or one that has come.
    pub(super) fn first_due(&self, from: usize, now: Time) -> Option<usize> {
        let any = |chunk: &Chunk, at: usize| {
            at > 0
                || chunk.promised < chunk.jobs.len()
                || chunk.earliest().is_some_and(|earliest| earliest <= now)
        };
        self.first_of(from, any, |queued| queued.promise.is_none_or(|start| start <= now))
    }

    // ---- adding, changing, taking out ----

    /// Puts a job at the end, also one that is promised a start.
    pub(super) fn push(&mut self, queued: QueuedJob) {
        if self.chunks.last().is_none_or(|last| last.jobs.len() >= CHUNK) {
            self.chunks.push(Chunk::default());
        }
        self.len += 1;
        if let Some(last) = self.chunks.last_mut() {
            last.jobs.push_back(queued);
            last.note(None, Some(queued));
        }
    }

    /// Takes a job out.
    pub(super) fn remove(&mut self, index: usize) -> QueuedJob {
        let (chunk, at) = self.place(index);
        let mut queued = self.chunks[chunk].jobs[at];
        self.chunks[chunk].jobs.remove(at);
        self.chunks[chunk].note(Some(queued), None);
        self.len -= 1;
        queued.promise = None;
        for left in [chunk, chunk.saturating_sub(1)] {
            let right = self.chunks.get(left + 1).map_or(CHUNK, |right| right.jobs.len());
            if self.chunks[left].jobs.len() + right <= CHUNK / 2 {
                let right = self.chunks.remove(left + 1);
                self.chunks[left].append(right);
            }
        }
        queued
    }

    /// Takes out the jobs for which this holds, in order.
    pub(super) fn take_where(&mut self, leaves: impl Fn(&QueuedJob) -> bool) -> Vec<QueuedJob> {
        let places = self.iter().enumerate().filter(|(_, queued)| leaves(queued)).map(|(at, _)| at);
        let places: Vec<usize> = places.collect();
        let mut taken: Vec<QueuedJob> = places.into_iter().rev().map(|at| self.remove(at)).collect();
        taken.reverse();
        taken
    }

    /// Changes the promise of a job, and returns the one before.
    fn change(&mut self, index: usize, change: impl FnOnce(&mut QueuedJob)) -> Option<Time> {
        let (chunk, at) = self.place(index);
        let chunk = &mut self.chunks[chunk];
        let before = chunk.jobs[at];
        change(&mut chunk.jobs[at]);
        let after = chunk.jobs[at];
        chunk.note(Some(before), Some(after));
        before.promise
    }
}

impl Index<usize> for LocalQueue {
    type Output = QueuedJob;

    /// # Panics
    /// If there is no job at this place.
    fn index(&self, index: usize) -> &QueuedJob {
        let (chunk, at) = self.place(index);
        &self.chunks[chunk].jobs[at]
    }
}

/// CPUs and requested time of a job.
type Size = (u32, Span);

/// Most jobs of a chunk. With a quarter of it, passes over 10,000 waiting jobs take twice as long; queues of some
/// hundred jobs are as fast with either.
const CHUNK: usize = 256;

#[derive(Debug, Clone, Default)]
struct Chunk {
    jobs: VecDeque<QueuedJob>,
    /// How many of them are promised a start.
    promised: usize,
    /// The earliest start that one of them is promised.
    earliest: OnceLock<Option<Time>>,
    /// Of the jobs that are promised no start; by CPUs, which increase while the times decrease.
    front: OnceLock<Vec<Size>>,
}

impl Chunk {
    fn front(&self) -> &[Size] {
        self.front.get_or_init(|| {
            let mut front = Vec::new();
            self.jobs.iter().filter_map(QueuedJob::open).for_each(|size| insert(&mut front, size));
            front
        })
    }

    fn earliest(&self) -> Option<Time> {
        *self.earliest.get_or_init(|| self.jobs.iter().filter_map(|queued| queued.promise).min())
    }

    /// How many jobs are promised a start, from a place on.
    fn promised_from(&self, at: usize) -> usize {
        self.promised - self.jobs.range(..at).filter(|queued| queued.promise.is_some()).count()
    }

    /// Updates what is known of the jobs after one came, left or changed. What was lost is looked for again when
    /// it is asked for.
    fn note(&mut self, before: Option<QueuedJob>, after: Option<QueuedJob>) {
        let [was, is] = [before, after].map(|queued| queued?.promise);
        self.promised = self.promised + usize::from(is.is_some()) - usize::from(was.is_some());
        if was.is_some() && was != is && self.earliest.get() == Some(&was) {
            self.earliest.take();
        } else if let Some(earliest) = self.earliest.get_mut() {
            *earliest = earliest.iter().copied().chain(is).min();
        }
        let [was, is] = [before, after].map(|queued| queued?.open());
        let Some(front) = self.front.get_mut().filter(|_| was != is) else { return };
        if let Some(size) = is {
            insert(front, size);
        } else if was.is_some_and(|size| front.contains(&size)) {
            self.front.take();
        }
    }

    /// Adds the jobs of the chunk behind it.
    fn append(&mut self, mut next: Self) {
        self.jobs.append(&mut next.jobs);
        self.promised += next.promised;
        self.earliest.take();
        self.front.take();
    }
}

/// Puts a size into a front, if it belongs there.
fn insert(front: &mut Vec<Size>, size: Size) {
    let at = front.partition_point(|other| other.0 < size.0);
    let covers = |other: &Size| other.0 <= size.0 && other.1 <= size.1;
    if front.get(at).is_some_and(covers) || at.checked_sub(1).is_some_and(|before| covers(&front[before])) {
        return;
    }
    // Those with as many CPUs or more stand behind `at`; of these the ones of at least its time come first.
    let end = at + front[at..].partition_point(|other| other.1 >= size.1);
    front.splice(at..end, [size]);
}
