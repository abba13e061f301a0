//! Mapping by maximum value without examining every task for each choice: Max-min and Sufferage.

use super::classes::Classes;
use super::mapping::{BestTwo, Building, Mapping};
use crate::HeuristicError;
use sched_model::{End, EtcMatrix, Meter};
use std::ops::Range;

/// By what the next task is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value {
    /// Its earliest completion.
    Completion,
    /// Its second earliest completion less the earliest.
    Sufferage,
}

/// Maps all tasks, each to its resource of earliest completion; always the task of maximum value, of equals
/// the lowest.
///
/// Ready times only grow. So the completion of a task on any one resource is an upper bound of its earliest
/// completion, the later one on any two resources is one of its second earliest, and what its earliest once was
/// stays a lower bound. Each task is therefore stored under *witnesses*, one resource or two, that bound its value.
/// It is examined again only when one of these has become so late that the task may be the one to choose.
pub(crate) fn greatest_first(
    etc: &EtcMatrix,
    value: Value,
    meter: &mut Meter,
) -> Result<Mapping, HeuristicError> {
    if value == Value::Sufferage && etc.cols() == 1 {
        // Every sufferage is 0.
        meter.spend(etc.rows() as u64)?;
        return Mapping::from_order(etc, (0..etc.rows()).map(|task| (task, 0)));
    }
    let mut search = Search::new(etc, value, meter)?;
    for _ in 0..etc.rows() {
        search.choose(meter)?;
    }
    search.building.mapping()
}

/// A class of tasks that was examined.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    class: u32,
    /// Its lowest task.
    task: u32,
    two: BestTwo,
    /// The value by which the task is chosen; the largest is chosen first.
    value: f64,
}

/// A class or pack under one of its witnesses.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The time there.
    time: f64,
    /// What completions are counted from: 0, or for a sufferage the earliest completion when it was examined.
    base: f64,
    node: u32,
    version: u32,
}

struct Search<'a> {
    etc: &'a EtcMatrix,
    value: Value,
    building: Building<'a>,
    classes: Classes,
    packs: Packs,
    /// The classes and packs under each resource.
    buckets: Vec<Vec<Entry>>,
    /// An upper bound of time less base in each bucket, whatever its sum with a ready time is rounded to.
    tops: Vec<f64>,
    /// How often each class or pack was taken out of a bucket: entries with a smaller number no longer count.
    versions: Vec<u32>,
    /// The expected ready time of each resource after its next task: as much later as the last task made it.
    expected: Vec<f64>,
    /// The resource that has become later since the last choice.
    raised: Option<usize>,
    /// The best that was examined since the last choice.
    best: Option<Candidate>,
}

impl<'a> Search<'a> {
    fn new(etc: &'a EtcMatrix, value: Value, meter: &mut Meter) -> Result<Self, HeuristicError> {
        let building = Building::new(etc)?;
        meter.reserve_items::<[Entry; 4]>(etc.rows())?;
        let mut classes = Classes::new(etc, meter)?;
        let mut packs = Packs::default();
        if value == Value::Completion {
            classes.sort_by_size(etc, meter)?;
            packs = Packs::new(etc, &classes, meter)?;
        }
        let nodes = classes.len() + packs.parts.len();
        let mut search = Self {
            etc,
            value,
            buckets: vec![vec![]; etc.cols()],
            tops: vec![f64::NEG_INFINITY; etc.cols()],
            versions: vec![0; nodes],
            expected: building.ready.clone(),
            best: None,
            raised: None,
            building,
            classes,
            packs,
        };
        // Nothing is known yet. With packs, the last is that of all classes.
        let first = if value == Value::Completion { nodes.saturating_sub(1) } else { 0 };
        (first..nodes).for_each(|node| search.put(node as u32, 0, f64::INFINITY, 0.0));
        Ok(search)
    }

    /// Commits the task of maximum value.
    fn choose(&mut self, meter: &mut Meter) -> Result<(), End> {
        self.best = None;
        meter.spend(self.etc.cols() as u64)?;
        if let Some(node) = self.likely() {
            self.examine(node, meter)?;
        }
        // First the bucket where most bounds have risen.
        for bucket in self.raised.into_iter().chain(0..self.buckets.len()) {
            let (top, ready) = (self.tops[bucket], self.building.ready[bucket]);
            let bound = top + ready + 4.0 * f64::EPSILON * ready.abs();
            if top > f64::NEG_INFINITY && self.best.is_none_or(|best| bound >= best.value) {
                self.go_through(bucket, meter)?;
            }
        }
        let Some(best) = self.best else { return Ok(()) };
        let (task, resource) = (best.task as usize, best.two.first);
        self.building.commit(task, resource);
        self.expected[resource] = self.building.ready[resource] + self.etc[task][resource];
        self.raised = Some(resource);
        if self.classes.take(best.class) {
            self.put_candidate(&best);
        }
        Ok(())
    }

    /// Takes the class or pack of maximum bound out of its bucket.
    fn likely(&mut self) -> Option<u32> {
        let bound = |bucket: usize| self.tops[bucket] + self.building.ready[bucket];
        let bucket = (0..self.buckets.len()).max_by(|&a, &b| bound(a).total_cmp(&bound(b)))?;
        let entries = self.buckets[bucket].iter();
        let valid = entries.filter(|entry| self.versions[entry.node as usize] == entry.version);
        let node = valid.max_by(|a, b| (a.time - a.base).total_cmp(&(b.time - b.base)))?.node;
        self.versions[node as usize] += 1;
        Some(node)
    }

    /// Examines what is in a bucket and may go before the best.
    fn go_through(&mut self, bucket: usize, meter: &mut Meter) -> Result<(), End> {
        let mut entries = std::mem::take(&mut self.buckets[bucket]);
        meter.spend(entries.len() as u64)?;
        self.tops[bucket] = f64::NEG_INFINITY;
        let mut kept = 0;
        for at in 0..entries.len() {
            let Entry { time, base, node, version } = entries[at];
            if self.versions[node as usize] != version {
                continue;
            }
            if self.is_behind(node, time + self.building.ready[bucket] - base) {
                self.raise_top(bucket, time, base);
                entries[kept] = entries[at];
                kept += 1;
            } else {
                self.versions[node as usize] += 1;
                self.examine(node, meter)?;
            }
        }
        entries.truncate(kept);
        // Some may have been put back here.
        entries.append(&mut self.buckets[bucket]);
        self.buckets[bucket] = entries;
        Ok(())
    }

    /// Whether no task with this bound of its value goes before the best.
    fn is_behind(&self, node: u32, bound: f64) -> bool {
        self.best.is_some_and(|best| {
            let is_class = (node as usize) < self.classes.len();
            bound < best.value || bound == best.value && is_class && best.task < self.classes.lowest(node)
        })
    }

    /// Puts a class or pack that is in no bucket under a witness that it is behind the best; else does the same with
    /// the parts of the pack, or computes the value of the class.
    fn examine(&mut self, node: u32, meter: &mut Meter) -> Result<(), End> {
        if self.value == Value::Completion {
            if self.put_behind(node, meter)? {
                return Ok(());
            }
            if let Some(mut parts) = self.packs.parts(node) {
                return parts.try_for_each(|part| self.examine(part, meter));
            }
        }
        meter.spend(self.etc.cols() as u64)?;
        let task = self.classes.lowest(node);
        let two = BestTwo::of(&self.etc[task as usize], &self.building.ready);
        let value = match self.value {
            Value::Completion => two.first_finish,
            Value::Sufferage => two.sufferage(),
        };
        let found = Candidate { class: node, task, two, value };
        if self.is_behind(node, value) {
            self.put_candidate(&found);
        } else if let Some(other) = self.best.replace(found) {
            self.put_candidate(&other);
        }
        Ok(())
    }

    /// Puts a class under the resources that determine its value.
    fn put_candidate(&mut self, found: &Candidate) {
        let Candidate { class, task, two, .. } = *found;
        let time = |resource| self.etc[task as usize][resource];
        let (first, second) = (time(two.first), time(two.second));
        match self.value {
            Value::Completion => self.put(class, two.first, first, 0.0),
            Value::Sufferage => {
                self.put(class, two.first, first, two.first_finish);
                self.put(class, two.second, second, two.first_finish);
            }
        }
    }

    fn put(&mut self, node: u32, resource: usize, time: f64, base: f64) {
        let bucket = &mut self.buckets[resource];
        if bucket.len() == bucket.capacity() {
            // Entries that no longer count may have been put here at every choice.
            bucket.retain(|entry| self.versions[entry.node as usize] == entry.version);
            bucket.reserve(bucket.len() + 1);
        }
        bucket.push(Entry { time, base, node, version: self.versions[node as usize] });
        self.raise_top(resource, time, base);
    }

    fn raise_top(&mut self, bucket: usize, time: f64, base: f64) {
        let key = time - base + 4.0 * f64::EPSILON * (time + base.abs());
        self.tops[bucket] = if self.tops[bucket] < key { key } else { self.tops[bucket] };
    }

    /// Puts a class or pack under the resource of latest expected ready time that shows that it is behind the best.
    /// False if none does.
    fn put_behind(&mut self, node: u32, meter: &mut Meter) -> Result<bool, End> {
        let Some(best) = self.best else { return Ok(false) };
        meter.spend(self.etc.cols() as u64)?;
        let times = self.packs.row(node, self.etc.cols());
        let within = |limit| most_patient(times, &self.building.ready, &self.expected, limit);
        let found = within(best.value.next_down())
            .or_else(|| if self.is_behind(node, best.value) { within(best.value) } else { None });
        if let Some(resource) = found {
            self.put(node, resource, f64::from(times[resource]), 0.0);
        }
        Ok(found.is_some())
    }
}

/// Of the resources on which a task ends by a limit, the one with the latest expected ready time.
fn most_patient(times: &[f32], ready: &[f64], expected: &[f64], limit: f64) -> Option<usize> {
    const LANES: usize = 8;
    let patience = |time: f32, ready: f64, expected: f64| {
        if f64::from(time) + ready <= limit { expected } else { f64::NEG_INFINITY }
    };
    let greater = |a: f64, b: f64| if a < b { b } else { a };
    let mut most = [f64::NEG_INFINITY; LANES];
    let ((t, t_rest), (r, r_rest), (e, e_rest)) =
        (times.as_chunks::<LANES>(), ready.as_chunks::<LANES>(), expected.as_chunks::<LANES>());
    for ((t, r), e) in t.iter().zip(r).zip(e) {
        for lane in 0..LANES {
            most[lane] = greater(most[lane], patience(t[lane], r[lane], e[lane]));
        }
    }
    let rest = t_rest.iter().zip(r_rest).zip(e_rest).map(|((&t, &r), &e)| patience(t, r, e));
    let most = most.into_iter().chain(rest).fold(f64::NEG_INFINITY, greater);
    if most == f64::NEG_INFINITY {
        return None;
    }
    (0..times.len()).find(|&at| expected[at] == most && f64::from(times[at]) + ready[at] <= limit)
}

/// Classes in a pack, and packs in one of the next level.
const PACK: usize = 4;

/// Upper bounds of the times of each class and pack of classes.
#[derive(Default)]
struct Packs {
    times: Vec<f32>,
    classes: u32,
    /// The parts of each pack, numbered after the classes: classes next to each other, then packs of these,
    /// up to one.
    parts: Vec<Range<u32>>,
}

impl Packs {
    fn new(etc: &EtcMatrix, classes: &Classes, meter: &mut Meter) -> Result<Self, End> {
        let (width, count) = (etc.cols(), classes.len() as u32);
        meter.reserve_items::<f32>(classes.len().saturating_mul(width).saturating_mul(4) / 3)?;
        let mut times = Vec::with_capacity((classes.len() * 4 / 3 + u32::BITS as usize) * width);
        for class in 0..count {
            meter.spend(width as u64)?;
            times.extend(etc[classes.lowest(class) as usize].iter().map(|&time| rounded_up(time)));
        }
        let mut parts = vec![];
        let mut level = 0..count;
        while level.len() > 1 {
            let end = level.end;
            for begin in level.step_by(PACK) {
                let pack = begin..end.min(begin + PACK as u32);
                meter.spend((pack.len() * width) as u64)?;
                let at = times.len();
                times.extend_from_within(begin as usize * width..(begin + 1) as usize * width);
                let (before, most) = times.split_at_mut(at);
                for part in before[..pack.end as usize * width].chunks(width).skip(begin as usize + 1) {
                    most.iter_mut().zip(part).for_each(|(most, &time)| *most = time.max(*most));
                }
                parts.push(pack);
            }
            level = end..count + parts.len() as u32;
        }
        Ok(Self { times, classes: count, parts })
    }

    /// The parts of a pack; `None` for a class.
    fn parts(&self, node: u32) -> Option<Range<u32>> {
        Some(self.parts[node.checked_sub(self.classes)? as usize].clone())
    }

    fn row(&self, node: u32, width: usize) -> &[f32] {
        &self.times[node as usize * width..][..width]
    }
}

/// The smallest 32-bit number that is not below a time.
fn rounded_up(time: f64) -> f32 {
    let near = time as f32;
    if f64::from(near) < time { near.next_up() } else { near }
}
