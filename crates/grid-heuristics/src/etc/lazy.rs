//! The task of greatest value where values are known only from above.
//!
//! Ready times only grow. Let a task be filed under one or more *witnesses*: resources j with a key k such that its
//! value is at most the greatest of r_j + k over its witnesses, whatever the ready times r become. The bound of a whole
//! file then moves with r_j, at no cost. Only tasks whose bound reaches the greatest value are looked at again.

use super::mapping::{BestTwo, Building, earliest};
use sched_model::EtcMatrix;
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

/// What a task is chosen by; the greatest goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value {
    /// Its earliest completion time.
    Finish,
    /// Its second earliest completion time less its earliest.
    Sufferage,
}

/// What a look at one task found.
#[derive(Debug, Clone, Copy)]
struct Looked {
    task: u32,
    value: f64,
    resource: usize,
    /// What is taken off a completion time to give a value: nothing, or the earliest completion time.
    base: f64,
}

pub(crate) struct LazyMax<'a> {
    etc: &'a EtcMatrix,
    by: Value,
    files: Vec<BinaryHeap<Entry>>,
    /// The greatest key of each file, minus infinity if it is empty.
    tops: Vec<f64>,
    versions: Vec<u32>,
    looked: Vec<Looked>,
    pub looks: usize,
}

/// Commits all tasks, that of greatest value first, the lowest of equals; each to its resource of earliest completion.
pub(crate) fn commit_all(etc: &EtcMatrix, by: Value, building: &mut Building<'_>) {
    let mut lazy = LazyMax {
        etc,
        by,
        files: vec![BinaryHeap::new(); etc.cols()],
        tops: vec![f64::NEG_INFINITY; etc.cols()],
        versions: vec![0; etc.rows()],
        looked: vec![],
        looks: 0,
    };
    lazy.looked = (0..etc.rows()).map(|task| lazy.look(task as u32, &building.ready)).collect();
    let mut limit = f64::NEG_INFINITY;
    while let Some(chosen) = {
        lazy.file(&building.ready, limit);
        lazy.greatest(&building.ready)
    } {
        building.commit(chosen.task as usize, chosen.resource);
        lazy.looked.retain(|looked| looked.task != chosen.task);
        limit = chosen.value;
    }
    if std::env::var("LOOKS").is_ok() {
        eprintln!("looks {}", lazy.looks);
    }
}

impl LazyMax<'_> {
    fn look(&self, task: u32, ready: &[f64]) -> Looked {
        let times = self.etc.row(task as usize);
        match self.by {
            Value::Finish => {
                let (resource, value) = earliest(times, ready);
                Looked { task, value, resource, base: 0.0 }
            }
            Value::Sufferage => {
                let two = BestTwo::of(times, ready);
                Looked { task, value: two.sufferage(), resource: two.first, base: two.first_finish }
            }
        }
    }

    /// Looks at every task whose bound reaches the greatest value; takes them out of the files.
    fn greatest(&mut self, ready: &[f64]) -> Option<Looked> {
        let mut best: Option<Looked> = None;
        loop {
            let mut highest = best.map_or(f64::NEG_INFINITY, |best| best.value);
            let mut from = None;
            for (file, (top, ready)) in self.tops.iter().zip(ready).enumerate() {
                let bound = top + ready + 4.0 * f64::EPSILON * (top.abs() + ready.abs());
                if bound >= highest && bound > f64::NEG_INFINITY {
                    highest = bound;
                    from = Some(file);
                }
            }
            let Some(file) = from else { return best };
            loop {
                let Some(top) = self.files[file].peek() else { break };
                let bound = top.key + ready[file] + 4.0 * f64::EPSILON * (top.key.abs() + ready[file].abs());
                if best.is_some_and(|best| bound < best.value) {
                    break;
                }
                let Entry { task, version, .. } = *top;
                self.files[file].pop();
                if self.versions[task as usize] != version {
                    continue;
                }
                self.versions[task as usize] += 1;
                self.looks += 1;
                let found = self.look(task, ready);
                self.looked.push(found);
                if best.is_none_or(|best| {
                    found.value > best.value || (found.value == best.value && task < best.task)
                }) {
                    best = Some(found);
                }
            }
            self.tops[file] = self.files[file].peek().map_or(f64::NEG_INFINITY, |top| top.key);
        }
    }

    /// Files the tasks looked at, where they can stay long.
    fn file(&mut self, ready: &[f64], limit: f64) {
        for looked in std::mem::take(&mut self.looked) {
            let times = self.etc.row(looked.task as usize);
            let most = looked.base + limit;
            let mut first = (f64::NEG_INFINITY, usize::MAX);
            let mut second = first;
            for (at, (t, r)) in times.iter().zip(ready).enumerate() {
                if t + r <= most && *r > second.0 {
                    if *r > first.0 {
                        second = first;
                        first = (*r, at);
                    } else {
                        second = (*r, at);
                    }
                }
            }
            let mut witnesses = [first.1, second.1];
            if self.by == Value::Finish {
                if first.1 == usize::MAX {
                    witnesses[0] = earliest(times, ready).0;
                }
                witnesses[1] = witnesses[0];
            } else if second.1 == usize::MAX {
                let two = BestTwo::of(times, ready);
                witnesses = [two.first, two.second];
            }
            let version = self.versions[looked.task as usize];
            for (n, &file) in witnesses.iter().enumerate() {
                if n == 1 && file == witnesses[0] {
                    break;
                }
                let margin = if self.by == Value::Finish {
                    0.0
                } else {
                    4.0 * f64::EPSILON * (times[file] + looked.base.abs())
                };
                let key = times[file] - looked.base + margin;
                self.files[file].push(Entry { key, task: looked.task, version });
                self.tops[file] = self.tops[file].max(key);
            }
        }
    }
}
