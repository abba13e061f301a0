//! The queue of a cluster: jobs in order of arrival, taken from anywhere and mostly from the front.
//!
//! Words used here. A *chunk* holds some dozens of jobs that came one after another. The *size* of a job is its CPUs
//! and its requested time. The *front* of some jobs is the set of their sizes of which none is at least as great as
//! another in both parts: if any of the jobs fits into a space, so does one of the front. The chunks are the leaves of a
//! binary tree, each node of which knows how many jobs are below it and, once it was asked for, their front.

use super::LocalJob;
use sched_model::{Span, Time};
use std::collections::VecDeque;
use std::ops::Index;

/// A job in the queue of a cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueuedJob {
    /// The job.
    pub job: LocalJob,
    /// The start for which CPUs are held at present.
    pub promise: Option<Time>,
    /// The first start that was ever promised.
    pub(crate) first_promise: Option<Time>,
}

/// CPUs and requested time of a job; nothing for a job that is promised a start, since what is held for it may be all
/// that it needs.
type Size = (u32, Span);

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
    /// How many jobs are promised a start.
    promised: usize,
    /// The earliest of these starts; `None` where it has to be looked for.
    earliest: Option<Time>,
}

#[derive(Debug, Clone, Default)]
struct Node {
    jobs: usize,
    /// By CPUs, which increase while the times decrease.
    front: Vec<Size>,
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
        Self { chunks: Vec::new(), nodes, fronts: false, promised: 0, earliest: None }
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
    fn iter_from(&self, index: usize) -> impl Iterator<Item = &QueuedJob> {
        let (chunk, at) = if index < self.len() { self.locate(index) } else { (self.chunks.len(), 0) };
        self.chunks[chunk..].iter().flatten().skip(at)
    }

    // ---- promises ----

    /// How many jobs are promised a start.
    pub(super) fn promised(&self) -> usize {
        self.promised
    }

    /// Notes the start for which CPUs are held.
    pub(super) fn promise(&mut self, index: usize, start: Time) {
        let before = self.change(index, |queued| {
            queued.first_promise.get_or_insert(start);
            queued.promise.replace(start)
        });
        self.forget(before);
        self.promised += 1;
        if self.promised == 1 {
            self.earliest = Some(start);
        } else {
            self.earliest = self.earliest.map(|earliest| earliest.min(start));
        }
    }

    /// Forgets the start for which CPUs were held, which is given.
    pub(super) fn withdraw(&mut self, index: usize) -> Option<Time> {
        self[index].promise?;
        let promise = self.change(index, |queued| queued.promise.take());
        self.forget(promise);
        promise
    }

    fn forget(&mut self, promise: Option<Time>) {
        if promise.is_some() {
            self.promised -= 1;
            self.earliest = self.earliest.filter(|_| self.promised > 0 && self.earliest != promise);
        }
    }

    /// The earliest start that any of them is promised. O(1) after [`find_earliest`](Self::find_earliest); else all are
    /// looked at.
    pub(super) fn next_promise(&self) -> Option<Time> {
        match self.promised {
            0 => None,
            _ => self.earliest.or_else(|| self.iter().filter_map(|queued| queued.promise).min()),
        }
    }

    /// Looks for the earliest promise where it is not known.
    pub(super) fn find_earliest(&mut self) {
        self.earliest = self.next_promise();
    }

    // ---- adding, changing, taking out ----

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
        self.forget(queued.promise.take());
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
        let before = queued.size();
        let result = change(queued);
        let after = queued.size();
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
        }
        for node in (1..leaves).rev() {
            self.nodes[node].jobs = self.nodes[2 * node].jobs + self.nodes[2 * node + 1].jobs;
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

    /// The first job, from a place on, whose size passes. Of two sizes of which one is nowhere greater than the other, it
    /// passes if the other does.
    pub(super) fn first_that_fits(&mut self, from: usize, fits: impl Fn(Size) -> bool) -> Option<usize> {
        if from >= self.len() {
            return None;
        }
        if !self.fronts && self.len() <= FEW {
            let ahead = self.iter_from(from).position(|queued| fits(queued.size()))?;
            return Some(from + ahead);
        }
        let (chunk, at) = self.locate(from);
        if let Some(ahead) = self.chunks[chunk].range(at..).position(|queued| fits(queued.size())) {
            return Some(from + ahead);
        }
        self.make_fronts();
        let leaves = self.leaves();
        let any = |node: usize| self.nodes[node].front.iter().any(|&size| fits(size));
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
        let at = self.chunks[chunk].iter().position(|queued| fits(queued.size()))?;
        Some(self.jobs_before(chunk) + at)
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

/// Puts a size into a front; says whether it belongs there and was not there before.
fn insert(front: &mut Vec<Size>, size: Size) -> bool {
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
            }
            let leaves = |queued: &QueuedJob| queued.job.id().0.is_multiple_of(3);
            let taken = queue.take_where(leaves).len();
            prop_assert_eq!(taken, plain.iter().filter(|queued| leaves(queued)).count());
            plain.retain(|queued| !leaves(queued));
            prop_assert_eq!(&queue.iter().copied().collect::<Vec<_>>(), &plain);
        }
    }
}
