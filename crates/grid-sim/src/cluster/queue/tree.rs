//! The tree over the chunks of a queue: places, fronts, and the first job that satisfies a condition.

use super::node::{Node, Size, insert};
use super::{CHUNK, FEW, LEAVES, LocalQueue, QueuedJob};

impl LocalQueue {
    /// Puts all jobs into new chunks, and makes twice as many leaves as they need.
    pub(super) fn rebuild(&mut self) {
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

    // ---- places ----

    pub(super) fn leaves(&self) -> usize {
        self.nodes.len() / 2
    }

    /// The chunk of a job and its place there. There is a job at this index.
    pub(super) fn locate(&self, index: usize) -> (usize, usize) {
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

    /// The first job, from a place on, that satisfies a condition. A node satisfies it if and only if one of
    /// its jobs does.
    pub(super) fn first_of(
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

    /// The first job, from a place on, whose size satisfies a condition. If a size satisfies it, so does
    /// every size that is at most as great in both parts.
    pub(in crate::cluster) fn first_that_fits(
        &mut self,
        from: usize,
        fits: impl Fn(Size) -> bool,
    ) -> Option<usize> {
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

    /// Computes anew the fronts that contained a size which a chunk has lost, or has less often.
    pub(super) fn without(&mut self, chunk: usize, size: Size) {
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
