//! The queue of a cluster: jobs in order of arrival, taken from anywhere and mostly from the front.
//!
//! Words used here. A *chunk* holds some dozens of jobs that came one after another. The *size* of a job is its CPUs
//! and its requested time. The *front* of some jobs is the set of their sizes of which none is at least as great as
//! another in both parts: if any of the jobs fits into a space, so does one of the front. The chunks are the leaves of a
//! binary tree, each node of which knows how many jobs are below it, what they are promised and, once it was asked for,
//! their front.

mod node;

use super::LocalJob;
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
}

impl QueuedJob {
    fn size(&self) -> Size {
        if self.promise.is_some() { (0, Span::ZERO) } else { (self.job.cpus(), self.job.requested()) }
    }
}

/// The jobs that wait on a cluster, in order of arrival.
///
/// A job is read by its place, from 0, as in a slice. With q jobs waiting: a job is added, read or taken out in
/// O(log q).
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
    #[must_use]
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

    // ---- promises ----

    /// How many jobs are promised a start.
    pub(super) fn promised(&self) -> usize {
        self.nodes[1].promises.count
    }

    /// Notes the start for which CPUs are held.
    pub(super) fn promise(&mut self, index: usize, start: Time) {
        self.change(index, |queued| {
            queued.first_promise.get_or_insert(start);
            queued.promise.replace(start)
        });
    }

    /// Forgets the start for which CPUs were held, which is given.
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

    /// Brings what the nodes above a chunk know of promises in line with one of its jobs, whose promise has changed.
    fn count_promise(&mut self, chunk: usize, before: Option<Time>, after: Option<Time>) {
        let mut node = self.leaves() + chunk;
        if !self.nodes[node].promises.change(before, after) {
            self.nodes[node].promises = self.chunks[chunk].iter().map(|queued| queued.promise).collect();
        }
        while node > 1 {
            node /= 2;
            self.nodes[node].promises = self.nodes[2 * node].promises.and(self.nodes[2 * node + 1].promises);
        }
    }

    // ---- adding, changing, taking out ----

    /// Puts a job at the end; one that is promised a start, too.
    pub(super) fn push_back(&mut self, queued: QueuedJob) {
        let promise = queued.promise;
        self.push(QueuedJob { promise: None, ..queued });
        if let Some(start) = promise {
            self.promise(self.len() - 1, start);
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
            // What is not new to a front is not new to those above it.
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

    /// Puts all jobs into new chunks, and twice as many leaves above them as they need.
    fn rebuild(&mut self) {
        let jobs: Vec<QueuedJob> = self.iter().copied().collect();
        self.chunks = jobs.chunks(CHUNK).map(|chunk| chunk.iter().copied().collect()).collect();
        let leaves = (2 * self.chunks.len()).next_power_of_two().max(LEAVES);
        self.nodes = vec![Node::default(); 2 * leaves];
        for (at, chunk) in self.chunks.iter().enumerate() {
            self.nodes[leaves + at].jobs = chunk.len();
            self.nodes[leaves + at].promises = chunk.iter().map(|queued| queued.promise).collect();
        }
        for node in (1..leaves).rev() {
            let [left, right] = [2 * node, 2 * node + 1].map(|child| &self.nodes[child]);
            let (jobs, promises) = (left.jobs + right.jobs, left.promises.and(right.promises));
            (self.nodes[node].jobs, self.nodes[node].promises) = (jobs, promises);
        }
        if std::mem::take(&mut self.fronts) && jobs.len() > FEW {
            self.make_fronts();
        }
    }

    // ---- the tree ----

    fn leaves(&self) -> usize {
        self.nodes.len() / 2
    }

    /// The chunk of a job and its place there. There is a job at this index.
    fn locate(&self, index: usize) -> (usize, usize) {
        let (mut node, mut index) = (1, index);
        while node < self.leaves() {
            node *= 2;
            if index >= self.nodes[node].jobs {
                index -= self.nodes[node].jobs;
                node += 1;
            }
        }
        (node - self.leaves(), index)
    }

    /// How many jobs are in chunks before this one.
    fn jobs_before(&self, chunk: usize) -> usize {
        let mut node = self.leaves() + chunk;
        let mut before = 0;
        while node > 1 {
            if node % 2 == 1 {
                before += self.nodes[node - 1].jobs;
            }
            node /= 2;
        }
        before
    }

    /// The first job, from a place on, that passes. A node passes if and only if one of its jobs does.
    fn first_of(
        &self,
        from: usize,
        any: impl Fn(&Node) -> bool,
        passes: impl Fn(&QueuedJob) -> bool,
    ) -> Option<usize> {
        if from >= self.len() {
            return None;
        }
        let (chunk, at) = self.locate(from);
        if let Some(ahead) = self.chunks[chunk].range(at..).position(&passes) {
            return Some(from + ahead);
        }
        let leaves = self.leaves();
        let any = |node: usize| any(&self.nodes[node]);
        let mut node = leaves + chunk;
        // The next subtree to the right, and on until one has a job that fits.
        loop {
            while node % 2 == 1 {
                node /= 2;
            }
            if node == 0 {
                return None;
            }
            node += 1;
            if any(node) {
                break;
            }
        }
        while node < leaves {
            node *= 2;
            if !any(node) {
                node += 1;
            }
        }
        let chunk = node - leaves;
        let at = self.chunks[chunk].iter().position(passes)?;
        Some(self.jobs_before(chunk) + at)
    }

    /// The first job, from a place on, whose size passes. Of two sizes of which one is nowhere greater than the other, it
    /// passes if the other does.
    pub(super) fn first_that_fits(&mut self, from: usize, fits: impl Fn(Size) -> bool) -> Option<usize> {
        if !self.fronts && self.len() <= FEW {
            let ahead = self.iter_from(from).position(|queued| fits(queued.size()))?;
            return Some(from + ahead);
        }
        self.make_fronts();
        let any = |node: &Node| node.front.iter().any(|&size| fits(size));
        self.first_of(from, any, |queued| fits(queued.size()))
    }

    fn make_fronts(&mut self) {
        if self.fronts {
            return;
        }
        self.fronts = true;
        for chunk in 0..self.chunks.len() {
            self.find_front_of(chunk);
        }
        for node in (1..self.leaves()).rev() {
            self.join_fronts(node);
        }
    }

    fn find_front_of(&mut self, chunk: usize) {
        let leaf = self.leaves() + chunk;
        let front = &mut self.nodes[leaf].front;
        front.clear();
        for queued in &self.chunks[chunk] {
            insert(front, queued.size());
        }
    }

    fn join_fronts(&mut self, node: usize) {
        let mut front = std::mem::take(&mut self.nodes[node].front);
        front.clear();
        front.extend_from_slice(&self.nodes[2 * node].front);
        for &size in &self.nodes[2 * node + 1].front {
            insert(&mut front, size);
        }
        self.nodes[node].front = front;
    }

    /// Finds the fronts again in which a size stood that a chunk has no longer, or not as often.
    fn without(&mut self, chunk: usize, size: Size) {
        let stood = |nodes: &[Node], node: usize| nodes[node].front.contains(&size);
        let mut node = self.leaves() + chunk;
        if !self.fronts || !stood(&self.nodes, node) {
            return;
        }
        self.find_front_of(chunk);
        node /= 2;
        while node > 0 && stood(&self.nodes, node) {
            self.join_fronts(node);
            node /= 2;
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sched_model::JobId;

    fn queued(id: u64) -> QueuedJob {
        // Widths and lengths that are often equal, and of which the longer are the narrower or not.
        let (cpus, requested) = ((id * 7 % 11) as u32 + 1, Span::must((id * 5 % 13) as f64 + 1.0));
        let job = LocalJob::new(JobId(id), Time::ZERO, cpus, requested, requested).unwrap();
        QueuedJob { job, promise: None, first_promise: None }
    }

    proptest! {
        /// Against a plain vector: jobs are added, taken from anywhere, promised starts, and looked for by size.
        #[test]
        fn reads_as_a_vector(
            more in 1u8..9,
            steps in prop::collection::vec((0u8..12, any::<prop::sample::Index>()), 0..1200),
        ) {
            let (mut queue, mut plain) = (LocalQueue::default(), Vec::<QueuedJob>::new());
            for (number, (what, place)) in (0..).zip(steps) {
                // With `more` from 1 on the queue mostly grows, so that it has many chunks.
                if what < more || plain.is_empty() {
                    queue.push(queued(number));
                    plain.push(queued(number));
                    continue;
                }
                let index = place.index(plain.len());
                let start = Time::must((number % 7) as f64);
                match what % 4 {
                    // Mostly from the front.
                    1 => {
                        let taken = queue.remove(index / 8);
                        let expected = plain.remove(index / 8);
                        prop_assert_eq!(taken.job, expected.job);
                    }
                    2 => {
                        queue.withdraw(index);
                        queue.promise(index, start);
                        plain[index].promise = Some(start);
                        plain[index].first_promise.get_or_insert(start);
                    }
                    _ => {
                        prop_assert_eq!(queue.withdraw(index), plain[index].promise.take());
                    }
                }
                prop_assert_eq!(&queue.iter().copied().collect::<Vec<_>>(), &plain);
                let space = (what as u32 + number as u32 % 5, Span::must((number % 9) as f64 + 0.5));
                let fits = |size: Size| size.0 <= space.0 && size.1 <= space.1;
                let place = index / 2;
                let expected = (place..plain.len()).find(|&at| fits(plain[at].size()));
                prop_assert_eq!(queue.first_that_fits(place, fits), expected);
                prop_assert_eq!(queue.next_promise(), plain.iter().filter_map(|queued| queued.promise).min());
                prop_assert_eq!(queue.promised(), plain.iter().filter(|queued| queued.promise.is_some()).count());
                let due = |queued: &QueuedJob| queued.promise.is_none_or(|promise| promise <= start);
                let expected = (place..plain.len()).find(|&at| due(&plain[at]));
                prop_assert_eq!(queue.first_due(place, start), expected);
            }
            let leaves = |queued: &QueuedJob| queued.job.id().0.is_multiple_of(3);
            let taken = queue.take_where(leaves).len();
            prop_assert_eq!(taken, plain.iter().filter(|queued| leaves(queued)).count());
            plain.retain(|queued| !leaves(queued));
            prop_assert_eq!(&queue.iter().copied().collect::<Vec<_>>(), &plain);
        }
    }
}
