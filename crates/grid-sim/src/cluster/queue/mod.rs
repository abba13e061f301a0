//! The queue of a cluster: jobs in order of arrival, taken from any place, mostly from the beginning.
//!
//! Words used here. A *chunk* holds some dozens of jobs that came one after another. The *size* of a job is
//! its CPUs and its requested time. The *front* of some jobs is the set of their sizes of which none is at
//! least as great as another in both parts: if any of the jobs fits into a space, so does one of the front.
//! The chunks are the leaves of a binary tree, each node of which knows how many jobs are below it, what they
//! are promised and, once it was asked for, their front.

mod node;
#[cfg(test)]
mod tests;
mod tree;

use super::LocalJob;
use super::free::Look;
use node::{Node, Size, insert};
use sched_model::{Span, Time};
use std::collections::VecDeque;
use std::ops::Index;

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
        if self.promise.is_some() { (0, Span::ZERO) } else { (self.job.cpus(), self.job.requested()) }
    }
}

/// The jobs that wait on a cluster, in order of arrival.
///
/// A job is read by its place, from 0, as in a slice. With q jobs waiting: a job is added, read or taken out
/// in O(log q).
#[derive(Debug, Clone)]
pub struct LocalQueue {
    /// In order; none holds more than [`CHUNK`] jobs, some hold none.
    chunks: Vec<VecDeque<QueuedJob>>,
    /// Node 1 is the root, the children of node k are 2 k and 2 k + 1; the last half are the chunks.
    nodes: Vec<Node>,
    /// Whether the nodes know their fronts.
    fronts: bool,
}

/// Most jobs of a chunk.
const CHUNK: usize = 64;

/// Up to so many jobs are looked at one by one, without fronts.
const FEW: usize = 4 * CHUNK;

/// Least number of leaves of the tree.
const LEAVES: usize = 4;

impl Default for LocalQueue {
    fn default() -> Self {
        let nodes = vec![Node::default(); 2 * LEAVES];
        Self { chunks: Vec::new(), nodes, fronts: false }
    }
}

impl LocalQueue {
    /// How many jobs wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes[1].jobs
    }

    /// Whether no job waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The job at a place; `None` after the last.
    pub fn get(&self, index: usize) -> Option<&QueuedJob> {
        if index >= self.len() {
            return None;
        }
        let (chunk, at) = self.locate(index);
        self.chunks[chunk].get(at)
    }

    /// The jobs in order of arrival.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &QueuedJob> {
        self.chunks.iter().flatten()
    }

    /// The jobs from a place on, in order of arrival.
    pub(super) fn iter_from(&self, index: usize) -> impl Iterator<Item = &QueuedJob> {
        let (chunk, at) = if index < self.len() { self.locate(index) } else { (self.chunks.len(), 0) };
        self.chunks[chunk..].iter().flatten().skip(at)
    }

    /// The first job, from a place on, for which `answer` gives a value. It may change only when a job was
    /// last examined.
    pub(super) fn find_from<T>(
        &mut self,
        index: usize,
        mut answer: impl FnMut(&mut QueuedJob) -> Option<T>,
    ) -> Option<(usize, T)> {
        let (chunk, at) = if index < self.len() { self.locate(index) } else { (self.chunks.len(), 0) };
        let jobs = self.chunks[chunk..].iter_mut().flatten().skip(at);
        (index..).zip(jobs).find_map(|(index, queued)| answer(queued).map(|answer| (index, answer)))
    }

    // ---- promises ----

    /// How many jobs are promised a start.
    pub(super) fn promised(&self) -> usize {
        self.nodes[1].promises.count
    }

    /// Notes the start for which CPUs are held, and when there was none before it.
    pub(super) fn promise(&mut self, index: usize, start: Time, looked: Look) {
        self.change(index, |queued| {
            queued.first_promise.get_or_insert(start);
            queued.looked = looked;
            queued.promise.replace(start)
        });
    }

    /// Removes the start for which CPUs were held, and returns it.
    pub(super) fn withdraw(&mut self, index: usize) -> Option<Time> {
        self[index].promise?;
        self.change(index, |queued| queued.promise.take())
    }

    /// The earliest start that any of them is promised.
    pub(super) fn next_promise(&self) -> Option<Time> {
        self.nodes[1].promises.earliest
    }

    /// The first job, from a place on, that is promised no start, or one that has come.
    pub(super) fn first_due(&self, from: usize, now: Time) -> Option<usize> {
        let any = |node: &Node| node.promises.count < node.jobs || node.promises.come_by(now);
        self.first_of(from, any, |queued| queued.promise.is_none_or(|start| start <= now))
    }

    /// Updates the promises in the nodes above a chunk after the promise of one of its jobs has changed.
    fn count_promise(&mut self, chunk: usize, before: Option<Time>, after: Option<Time>) {
        let mut node = self.leaves() + chunk;
        if !self.nodes[node].promises.change(before, after) {
            self.nodes[node].promises = self.chunks[chunk].iter().map(|queued| queued.promise).collect();
        }
        while node > 1 {
            node /= 2;
            let both = self.nodes[2 * node].promises.and(self.nodes[2 * node + 1].promises);
            if std::mem::replace(&mut self.nodes[node].promises, both) == both {
                break; // and so have those above it
            }
        }
    }

    // ---- adding, changing, taking out ----

    /// Puts a job at the end, also one that is promised a start.
    pub(super) fn push_back(&mut self, queued: QueuedJob) {
        let promise = queued.promise;
        self.push(QueuedJob { promise: None, ..queued });
        if let Some(start) = promise {
            self.promise(self.len() - 1, start, Look::default());
        }
    }

    /// Puts a job at the end that is promised no start.
    pub(super) fn push(&mut self, queued: QueuedJob) {
        if self.chunks.last().is_none_or(|last| last.len() >= CHUNK) {
            if self.chunks.len() == self.leaves() {
                self.rebuild();
            }
            self.chunks.push(VecDeque::new());
        }
        let chunk = self.chunks.len() - 1;
        self.chunks[chunk].push_back(queued);
        let mut news = self.fronts;
        let mut node = self.leaves() + chunk;
        while node > 0 {
            self.nodes[node].jobs += 1;
            // A size that is not new to a front is not new to the fronts above it.
            news = news && insert(&mut self.nodes[node].front, queued.size());
            node /= 2;
        }
    }

    /// Takes a job out.
    pub(super) fn remove(&mut self, index: usize) -> QueuedJob {
        let mut queued = self[index];
        let (chunk, at) = self.locate(index);
        let size = queued.size();
        self.chunks[chunk].remove(at);
        let mut node = self.leaves() + chunk;
        while node > 0 {
            self.nodes[node].jobs -= 1;
            node /= 2;
        }
        self.without(chunk, size);
        self.count_promise(chunk, queued.promise.take(), None);
        if self.leaves() > LEAVES && self.len() * 8 < self.leaves() * CHUNK {
            self.rebuild();
        }
        queued
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

    /// Changes a job, and its size in the fronts.
    fn change<T>(&mut self, index: usize, change: impl FnOnce(&mut QueuedJob) -> T) -> T {
        let (chunk, at) = self.locate(index);
        let queued = &mut self.chunks[chunk][at];
        let (before, promise) = (queued.size(), queued.promise);
        let result = change(queued);
        let after = queued.size();
        let promised = queued.promise;
        self.count_promise(chunk, promise, promised);
        if before != after {
            self.without(chunk, before);
            let mut node = self.leaves() + chunk;
            while self.fronts && node > 0 && insert(&mut self.nodes[node].front, after) {
                node /= 2;
            }
        }
        result
    }
}

impl Index<usize> for LocalQueue {
    type Output = QueuedJob;

    /// # Panics
    /// If there is no job at this place.
    fn index(&self, index: usize) -> &QueuedJob {
        assert!(index < self.len(), "there is no job {index} in a queue of {}", self.len());
        let (chunk, at) = self.locate(index);
        &self.chunks[chunk][at]
    }
}
