//! Max-min and Sufferage: mapping by maximum value, without examining every task at each choice.

use super::classes::Classes;
use super::mapping::{BestTwo, Building, Mapping};
use crate::HeuristicError;
use sched_model::{End, EtcMatrix, Meter};
use std::ops::Range;

/// The value of a task; the task of maximum value is mapped next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value {
    /// The earliest completion time.
    Completion,
    /// The second earliest completion time less the earliest.
    Sufferage,
}

/// Repeatedly maps the task of maximum value, among equals the lowest, to its resource of earliest completion.
///
/// The completion time of a task on any one resource is an upper bound of its earliest completion time, and the later
/// of its completion times on any two resources is an upper bound of its second earliest. Since ready times only
/// grow, its earliest completion time at any previous moment is a lower bound of the present one. So the value of a
/// task is bounded from above by its completion times on one or two resources, its *witnesses*. The task is stored
/// in the buckets of its witnesses, and is examined again only once the ready time of a witness has grown so much
/// that the task may have the maximum value.
pub(crate) fn max_first(etc: &EtcMatrix, value: Value, meter: &mut Meter) -> Result<Mapping, HeuristicError> {
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

/// A class of tasks with the value computed for it.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    class: u32,
    /// The lowest unmapped task of the class.
    task: u32,
    two: BestTwo,
    value: f64,
}

/// A node (a class, or a pack of classes) in the bucket of one of its witnesses. The value of the node is at most
/// `time` + ready time of the witness - `base`.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The time of the node on the witness; for a pack the maximum of its classes.
    time: f64,
    /// 0, or for a sufferage the earliest completion time of the class when it was last examined.
    base: f64,
    node: u32,
    /// The version of the node when it was put here; the entry is stale if the node has a newer one.
    version: u32,
}

struct Search<'a> {
    etc: &'a EtcMatrix,
    value: Value,
    building: Building<'a>,
    classes: Classes,
    packs: Packs,
    /// The entries of each resource as a witness, stale ones included.
    buckets: Vec<Vec<Entry>>,
    /// For each bucket an upper bound of `time - base` over its entries, with a margin for the rounding of the sum with
    /// a ready time.
    tops: Vec<f64>,
    /// How often each node was taken out of its buckets.
    versions: Vec<u32>,
    /// The expected ready time of each resource after its next task, assuming that this takes as long as its last.
    expected: Vec<f64>,
    /// The resource of the last task mapped: the only one whose ready time has grown since the last choice.
    raised: Option<usize>,
    /// The candidate of maximum value among those examined for the present choice.
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
        // Initially nothing is known, so each root has an infinite bound. With packs, the only root is the last pack,
        // which contains all classes; without, every class is a root.
        let first = if value == Value::Completion { nodes.saturating_sub(1) } else { 0 };
        (first..nodes).for_each(|node| search.put(node as u32, 0, f64::INFINITY, 0.0));
        Ok(search)
    }

    /// Maps the task of maximum value.
    fn choose(&mut self, meter: &mut Meter) -> Result<(), End> {
        self.best = None;
        meter.spend(self.etc.cols() as u64)?;
        if let Some(node) = self.take_likely() {
            self.examine(node, meter)?;
        }
        // First the bucket whose bounds have risen.
        for bucket in self.raised.into_iter().chain(0..self.buckets.len()) {
            let (top, ready) = (self.tops[bucket], self.building.ready[bucket]);
            let bound = top + ready + 4.0 * f64::EPSILON * ready.abs();
            if top > f64::NEG_INFINITY && self.best.is_none_or(|best| bound >= best.value) {
                self.examine_bucket(bucket, meter)?;
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

    /// Removes the node of maximum bound from its buckets, the likely maximum. `None` if the bucket of
    /// maximum bound has no valid entry.
    fn take_likely(&mut self) -> Option<u32> {
        let bound = |bucket: usize| self.tops[bucket] + self.building.ready[bucket];
        let bucket = (0..self.buckets.len()).max_by(|&a, &b| bound(a).total_cmp(&bound(b)))?;
        let entries = self.buckets[bucket].iter();
        let valid = entries.filter(|entry| self.versions[entry.node as usize] == entry.version);
        let node = valid.max_by(|a, b| (a.time - a.base).total_cmp(&(b.time - b.base)))?.node;
        self.versions[node as usize] += 1;
        Some(node)
    }

    /// Examines the nodes of a bucket whose bounds do not rule them out.
    fn examine_bucket(&mut self, bucket: usize, meter: &mut Meter) -> Result<(), End> {
        let mut entries = std::mem::take(&mut self.buckets[bucket]);
        meter.spend(entries.len() as u64)?;
        self.tops[bucket] = f64::NEG_INFINITY;
        let mut kept = 0;
        for at in 0..entries.len() {
            let Entry { time, base, node, version } = entries[at];
            if self.versions[node as usize] != version {
                continue;
            }
            if self.is_ruled_out(node, time + self.building.ready[bucket] - base) {
                self.raise_top(bucket, time, base);
                entries[kept] = entries[at];
                kept += 1;
            } else {
                self.versions[node as usize] += 1;
                self.examine(node, meter)?;
            }
        }
        entries.truncate(kept);
        // Examined nodes may have been put back into this bucket.
        entries.append(&mut self.buckets[bucket]);
        self.buckets[bucket] = entries;
        Ok(())
    }

    /// Whether no task of `node`, whose value is at most `bound`, is to be mapped before the best candidate. For a pack
    /// equal values are not ruled out, since one of its tasks may be lower.
    fn is_ruled_out(&self, node: u32, bound: f64) -> bool {
        self.best.is_some_and(|best| {
            let is_class = (node as usize) < self.classes.len();
            bound < best.value || bound == best.value && is_class && best.task < self.classes.lowest(node)
        })
    }

    /// Puts a node that is in no bucket under a witness that rules it out. If there is none, examines the parts of a
    /// pack, or computes the value of a class and makes it the best candidate if it is that.
    fn examine(&mut self, node: u32, meter: &mut Meter) -> Result<(), End> {
        if self.value == Value::Completion {
            if self.put_if_ruled_out(node, meter)? {
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
        if self.is_ruled_out(node, value) {
            self.put_candidate(&found);
        } else if let Some(other) = self.best.replace(found) {
            self.put_candidate(&other);
        }
        Ok(())
    }

    /// Puts a class into the buckets of the resources that determine its value.
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
            // Drop stale entries before the bucket grows: every choice may leave some.
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

    /// Puts a node into the bucket of a witness that rules it out, and returns whether there is one. Of several, the
    /// one of latest expected ready time.
    fn put_if_ruled_out(&mut self, node: u32, meter: &mut Meter) -> Result<bool, End> {
        let Some(best) = self.best else { return Ok(false) };
        meter.spend(self.etc.cols() as u64)?;
        let times = self.packs.row(node, self.etc.cols());
        let within = |limit| latest_witness(times, &self.building.ready, &self.expected, limit);
        let found = within(best.value.next_down())
            .or_else(|| if self.is_ruled_out(node, best.value) { within(best.value) } else { None });
        if let Some(resource) = found {
            self.put(node, resource, f64::from(times[resource]), 0.0);
        }
        Ok(found.is_some())
    }
}

/// Among the resources on which a task ends at `limit` or before, returns the one of maximum expected ready time.
fn latest_witness(times: &[f32], ready: &[f64], expected: &[f64], limit: f64) -> Option<usize> {
    const LANES: usize = 8;
    let key = |time: f32, ready: f64, expected: f64| {
        if f64::from(time) + ready <= limit { expected } else { f64::NEG_INFINITY }
    };
    let max = |a: f64, b: f64| if a < b { b } else { a };
    let mut most = [f64::NEG_INFINITY; LANES];
    let ((t, t_rest), (r, r_rest), (e, e_rest)) =
        (times.as_chunks::<LANES>(), ready.as_chunks::<LANES>(), expected.as_chunks::<LANES>());
    for ((t, r), e) in t.iter().zip(r).zip(e) {
        for lane in 0..LANES {
            most[lane] = max(most[lane], key(t[lane], r[lane], e[lane]));
        }
    }
    let rest = t_rest.iter().zip(r_rest).zip(e_rest).map(|((&t, &r), &e)| key(t, r, e));
    let most = most.into_iter().chain(rest).fold(f64::NEG_INFINITY, max);
    if most == f64::NEG_INFINITY {
        return None;
    }
    (0..times.len()).find(|&at| expected[at] == most && f64::from(times[at]) + ready[at] <= limit)
}

/// The number of children of a pack: classes, or packs of the level below.
const PACK: usize = 4;

/// A tree over the classes, with an upper bound of the times of each node on every resource. Nodes are numbered: first
/// the classes, then the packs of [`PACK`] neighbouring classes, then the packs of these, up to the root.
#[derive(Default)]
struct Packs {
    /// Nodes x resources.
    times: Vec<f32>,
    classes: u32,
    /// The children of each pack.
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

    /// The children of a pack; `None` for a class.
    fn parts(&self, node: u32) -> Option<Range<u32>> {
        Some(self.parts[node.checked_sub(self.classes)? as usize].clone())
    }

    fn row(&self, node: u32, width: usize) -> &[f32] {
        &self.times[node as usize * width..][..width]
    }
}

/// The smallest `f32` that is not below a time.
fn rounded_up(time: f64) -> f32 {
    let near = time as f32;
    if f64::from(near) < time { near.next_up() } else { near }
}
