//! Mapping by greatest value, for Max-min and Sufferage, without a look at every task for each choice.
//!
//! Ready times only grow. Let a task be filed under one or two *witnesses*: resources j with a key k such that its
//! value is at most the greatest of r_j + k over its witnesses, whatever the ready times r become. The bound of a whole
//! file then moves with r_j, at no cost. Only tasks whose bound reaches the greatest value are looked at again, and are
//! then filed where they can stay long.

use super::mapping::{BestTwo, Building, earliest};
use sched_model::EtcMatrix;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What a task is chosen by; the greatest goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value {
    /// Its earliest completion time.
    Finish,
    /// Its second earliest completion time less its earliest.
    Sufferage,
}

/// Commits all tasks, that of greatest value first, the lowest of equals; each to its resource of earliest completion.
pub(crate) fn commit_by_greatest(etc: &EtcMatrix, value: Value, building: &mut Building<'_>) {
    let mut queue = Queue::new(etc, value);
    let everything = 0..queue.classes.len() as u32;
    let mut chosen = None;
    for class in everything {
        let found = queue.look(class, &building.ready);
        queue.looked.push(found);
        chosen = chosen.filter(|best| !found.goes_before(best)).or(Some(found));
    }
    while let Some(best) = chosen {
        let tasks = &mut queue.classes[best.class as usize].tasks;
        let Some(task) = tasks.pop() else { break };
        let gone = tasks.is_empty();
        building.commit(task as usize, best.resource);
        queue.file_looked(&building.ready, best.value, gone.then_some(best.class));
        chosen = queue.greatest(&building.ready, best.resource);
    }
}

/// Tasks with equal rows: whatever is found for one holds for all, and they are chosen in order.
struct Class {
    /// The lowest last.
    tasks: Vec<u32>,
    /// What is taken off a completion time to bound the value: nothing, or, for a sufferage, the earliest completion
    /// time when it was last looked at, which never falls.
    base: f64,
    /// How often it was looked at: entries of earlier looks no longer count.
    version: u32,
}

/// What a look at a class found.
#[derive(Debug, Clone, Copy)]
struct Looked {
    class: u32,
    /// Its lowest task.
    task: u32,
    value: f64,
    resource: usize,
}

impl Looked {
    fn goes_before(&self, other: &Looked) -> bool {
        self.value > other.value || (self.value == other.value && self.task < other.task)
    }
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    key: f64,
    class: u32,
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
        self.key.total_cmp(&other.key)
    }
}

/// Resources of each class that are looked at first: those of least time.
const FEW: usize = 8;

struct Queue<'a> {
    etc: &'a EtcMatrix,
    by: Value,
    classes: Vec<Class>,
    /// The first `FEW` (time, resource) of each class by time.
    few: Vec<(f64, u32)>,
    few_len: usize,
    files: Vec<BinaryHeap<Entry>>,
    /// The greatest key of each file, minus infinity if it is empty.
    tops: Vec<f64>,
    /// The least ready time when the last task was chosen.
    least_ready: f64,
    looked: Vec<Looked>,
    /// What came second when the last task was chosen: likely to come close again.
    runner_up: Option<Looked>,
}

impl<'a> Queue<'a> {
    fn new(etc: &'a EtcMatrix, by: Value) -> Self {
        let mut order: Vec<u32> = (0..etc.rows() as u32).collect();
        let row = |task: u32| etc.row(task as usize);
        let by_row = |&a: &u32, &b: &u32| {
            let differ = row(a).iter().zip(row(b)).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
            differ.unwrap_or(Ordering::Equal)
        };
        order.sort_unstable_by(|a, b| by_row(a, b).then(b.cmp(a)));
        let classes: Vec<Class> = order
            .chunk_by(|a, b| by_row(a, b).is_eq())
            .map(|tasks| Class { tasks: tasks.to_vec(), base: 0.0, version: 0 })
            .collect();
        let few_len = FEW.min(etc.cols());
        let mut few = Vec::with_capacity(classes.len() * few_len);
        let mut times: Vec<(f64, u32)> = vec![];
        for class in &classes {
            times.clear();
            times.extend(row(class.tasks[0]).iter().copied().zip(0u32..));
            let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
            if few_len < times.len() {
                times.select_nth_unstable_by(few_len, order);
                times.truncate(few_len);
            }
            times.sort_unstable_by(order);
            few.extend_from_slice(&times);
        }
        Self {
            etc,
            by,
            classes,
            few,
            few_len,
            files: vec![BinaryHeap::new(); etc.cols()],
            tops: vec![f64::NEG_INFINITY; etc.cols()],
            least_ready: f64::NEG_INFINITY,
            looked: vec![],
            runner_up: None,
        }
    }

    fn few_of(&self, class: u32) -> &[(f64, u32)] {
        &self.few[class as usize * self.few_len..][..self.few_len]
    }

    /// Looks at a class as it is at present.
    fn look(&mut self, class: u32, ready: &[f64]) -> Looked {
        let Class { tasks, base, version } = &mut self.classes[class as usize];
        *version += 1;
        let task = tasks.last().copied().unwrap_or_default();
        let times = self.etc.row(task as usize);
        match self.by {
            Value::Finish => {
                let (resource, value) = earliest(times, ready);
                Looked { class, task, value, resource }
            }
            Value::Sufferage => {
                let two = BestTwo::of(times, ready);
                *base = two.first_finish;
                Looked { class, task, value: two.sufferage(), resource: two.first }
            }
        }
    }

    /// Looks at every class whose bound reaches the greatest value, and takes these out of the files. Since the last
    /// choice only the resource `raised` has become later.
    fn greatest(&mut self, ready: &[f64], raised: usize) -> Option<Looked> {
        self.least_ready = ready.iter().copied().fold(f64::INFINITY, f64::min);
        let mut best: Option<Looked> = None;
        if let Some(Looked { class, .. }) = self.runner_up.take() {
            self.look_into(class, usize::MAX, ready, &mut best);
        }
        // Most bounds there have come to count: going through all is cheaper than to take them one by one.
        let file = std::mem::take(&mut self.files[raised]).into_vec();
        let mut kept = Vec::with_capacity(file.len());
        for entry in file {
            if self.classes[entry.class as usize].version != entry.version {
                continue;
            }
            if best.is_some_and(|best| bound(entry.key, ready[raised]) < best.value) {
                kept.push(entry);
            } else {
                self.look_into(entry.class, raised, ready, &mut best);
            }
        }
        self.set_file(raised, BinaryHeap::from(kept));
        for file in 0..self.files.len() {
            if best.is_some_and(|best| bound(self.tops[file], ready[file]) < best.value) {
                continue;
            }
            let mut entries = std::mem::take(&mut self.files[file]);
            while let Some(&entry) = entries.peek() {
                if best.is_some_and(|best| bound(entry.key, ready[file]) < best.value) {
                    break;
                }
                entries.pop();
                if self.classes[entry.class as usize].version == entry.version {
                    self.look_into(entry.class, file, ready, &mut best);
                }
            }
            self.set_file(file, entries);
        }
        best
    }

    /// Files a class elsewhere than in `file` if that shows that it does not go first; else looks at it.
    fn look_into(&mut self, class: u32, file: usize, ready: &[f64], best: &mut Option<Looked>) {
        if best.is_some_and(|best| self.file_below(class, file, ready, best.value)) {
            return;
        }
        let found = self.look(class, ready);
        self.looked.push(found);
        let beaten =
            if best.is_none_or(|best| found.goes_before(&best)) { best.replace(found) } else { Some(found) };
        if beaten.is_some_and(|beaten| self.runner_up.is_none_or(|second| beaten.goes_before(&second))) {
            self.runner_up = beaten;
        }
    }

    /// Files a class, under few resources that are not `file`, where its bound is below `value`; false if it cannot.
    ///
    /// The later a resource is ready, the longer until it takes its next task and its file must be gone through.
    fn file_below(&mut self, class: u32, file: usize, ready: &[f64], value: f64) -> bool {
        let none = (f64::NEG_INFINITY, 0.0, 0);
        let (mut first, mut second) = (none, none);
        let mut finishes = [f64::INFINITY; FEW];
        let few = self.few_of(class);
        for (finish, &(time, at)) in finishes.iter_mut().zip(few) {
            *finish = time + ready[at as usize];
        }
        let mut base = self.classes[class as usize].base;
        if self.by == Value::Sufferage {
            // The others take at least as long as the last of the few, and are ready no sooner than the first of all.
            let others = few.last().map_or(f64::NEG_INFINITY, |(time, _)| time + self.least_ready);
            base = base.max(finishes.iter().copied().fold(others, f64::min));
        }
        for (&finish, &(time, at)) in finishes.iter().zip(few) {
            let ready = ready[at as usize];
            // Rounding keeps order: what this says of the rounded numbers holds for those of an exact look.
            if finish - base < value && ready > second.0 && at as usize != file {
                let this = (ready, key(time, base), at);
                if ready > first.0 {
                    (first, second) = (this, first);
                } else {
                    second = this;
                }
            }
        }
        self.classes[class as usize].base = base;
        let last = if self.by == Value::Finish { first } else { second };
        if last == none {
            return false;
        }
        self.classes[class as usize].version += 1;
        self.file(class, first.2 as usize, first.1);
        if self.by == Value::Sufferage {
            self.file(class, second.2 as usize, second.1);
        }
        true
    }

    fn set_file(&mut self, file: usize, entries: BinaryHeap<Entry>) {
        self.tops[file] = entries.peek().map_or(f64::NEG_INFINITY, |top| top.key);
        self.files[file] = entries;
    }

    /// Files all that were looked at but the class `gone`. The value last chosen is about what the next one will be.
    fn file_looked(&mut self, ready: &[f64], chosen: f64, gone: Option<u32>) {
        for looked in std::mem::take(&mut self.looked) {
            if Some(looked.class) == gone || self.file_below(looked.class, usize::MAX, ready, chosen) {
                continue;
            }
            let times = self.etc.row(looked.task as usize);
            let base = self.classes[looked.class as usize].base;
            let two = BestTwo::of(times, ready);
            self.file(looked.class, two.first, key(times[two.first], base));
            if self.by == Value::Sufferage {
                self.file(looked.class, two.second, key(times[two.second], base));
            }
        }
    }

    fn file(&mut self, class: u32, file: usize, key: f64) {
        let version = self.classes[class as usize].version;
        self.files[file].push(Entry { key, class, version });
        self.tops[file] = self.tops[file].max(key);
    }
}

/// The key of a time, widened by more than the rounding of sums with it, now and later.
fn key(time: f64, base: f64) -> f64 {
    time - base + 4.0 * f64::EPSILON * (time + base.abs())
}

/// A bound with a margin for rounding.
fn bound(key: f64, ready: f64) -> f64 {
    key + ready + 4.0 * f64::EPSILON * (key.abs() + ready.abs())
}
