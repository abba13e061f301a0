//! The task of greatest value where values are known only from above.
//!
//! Ready times only grow. Let a task be filed under one or more *witnesses*: resources j with a key k such that its
//! value is at most the greatest of r_j + k over its witnesses, whatever the ready times r become. The bound of a whole
//! file then moves with r_j, at no cost. Only tasks whose bound reaches the greatest value are looked at again.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

#[derive(Debug, Clone, Copy)]
struct Entry {
    key: f64,
    task: u32,
    /// Older entries of the same task no longer count.
    version: u32,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.total_cmp(&other.key).then(other.task.cmp(&self.task))
    }
}

/// What a look at one task found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Looked<const W: usize> {
    /// Its exact value at present.
    pub(crate) value: f64,
    /// The resource it would be mapped to.
    pub(crate) resource: usize,
    /// Resources and keys to file it under.
    pub(crate) witnesses: [(usize, f64); W],
}

/// Tasks filed under `W` witnesses each.
pub(crate) struct LazyMax<const W: usize> {
    files: Vec<BinaryHeap<Entry>>,
    /// The greatest key of each file, minus infinity if it is empty.
    tops: Vec<f64>,
    versions: Vec<u32>,
    looked: Vec<(u32, Looked<W>)>,
}

impl<const W: usize> LazyMax<W> {
    /// Files all tasks.
    pub(crate) fn new(tasks: usize, resources: usize, mut look: impl FnMut(usize) -> Looked<W>) -> Self {
        let mut lazy = Self {
            files: (0..resources).map(|_| BinaryHeap::new()).collect(),
            tops: vec![f64::NEG_INFINITY; resources],
            versions: vec![0; tasks],
            looked: vec![],
        };
        for task in 0..tasks {
            let looked = look(task);
            lazy.file(task as u32, &looked);
        }
        lazy
    }

    /// Takes out the task of greatest value, the lowest of equals, with its resource.
    pub(crate) fn take(
        &mut self,
        ready: &[f64],
        mut look: impl FnMut(usize) -> Looked<W>,
    ) -> Option<(usize, usize)> {
        let mut best: Option<(f64, u32, usize)> = None;
        while let Some((file, bound)) = self.highest(ready) {
            if best.is_some_and(|(value, ..)| bound < value) {
                break;
            }
            let Some(entry) = self.files[file].pop() else { break };
            self.tops[file] = self.files[file].peek().map_or(f64::NEG_INFINITY, |top| top.key);
            if self.versions[entry.task as usize] != entry.version {
                continue;
            }
            self.versions[entry.task as usize] += 1;
            let found = look(entry.task as usize);
            let better = |(value, task, _): (f64, u32, usize)| {
                found.value > value || (found.value == value && entry.task < task)
            };
            if best.is_none_or(better) {
                best = Some((found.value, entry.task, found.resource));
            }
            // Filed again only after the choice: a task is looked at once for each choice.
            self.looked.push((entry.task, found));
        }
        let (_, chosen, resource) = best?;
        for (task, looked) in std::mem::take(&mut self.looked) {
            if task != chosen {
                self.file(task, &looked);
            }
        }
        Some((chosen as usize, resource))
    }

    /// The file of greatest bound. Keys are rounded, so the bound is widened by more than all rounding.
    fn highest(&self, ready: &[f64]) -> Option<(usize, f64)> {
        let mut highest: Option<(usize, f64)> = None;
        for (file, (top, ready)) in self.tops.iter().zip(ready).enumerate() {
            let bound = top + ready + 4.0 * f64::EPSILON * (top.abs() + ready.abs());
            if bound > highest.map_or(f64::NEG_INFINITY, |(_, bound)| bound) {
                highest = Some((file, bound));
            }
        }
        highest
    }

    fn file(&mut self, task: u32, looked: &Looked<W>) {
        let version = self.versions[task as usize];
        for &(file, key) in &looked.witnesses {
            self.files[file].push(Entry { key, task, version });
            self.tops[file] = self.tops[file].max(key);
        }
    }
}
