//! Mapping by latest completion: Max-min.

use super::{Candidate, LANES, Rough};
use crate::etc::check::Classes;
use crate::etc::mapping::{Building, earliest};
use sched_model::{End, EtcMatrix, Meter};
use std::collections::{BinaryHeap, VecDeque};

/// Commits all tasks, each to its resource of earliest completion; always the task whose earliest completion
/// is latest, of equals the lowest.
///
/// Ready times only grow, and the completion of a task on any one resource is an upper bound of its earliest
/// completion. So each task is stored under a *witness*: a resource on which it would end before the task
/// chosen last, which shows that it is not the task to choose. The task is examined again only when the
/// witness no longer shows this, because that resource has become late, or the chosen tasks complete earlier.
///
/// Tasks of similar size are stored together in packs, with the greatest of their times on each resource,
/// until one of them is nearly the task to choose.
pub(crate) fn commit_latest_first(
    etc: &EtcMatrix,
    building: &mut Building<'_>,
    meter: &mut Meter,
) -> Result<(), End> {
    let cells = etc.rows().saturating_mul(etc.cols().next_multiple_of(LANES));
    // Rounded times of the tasks and of packs of them, a third as many; the bucket of each.
    meter.reserve_items::<i16>(cells.saturating_mul(4) / 3)?;
    meter.reserve_items::<[u64; 4]>(etc.rows())?;
    let mut buckets = Buckets::new(etc, meter)?;
    // Classes in no bucket, because no witness was found: they are examined at each choice.
    let mut open: Vec<u32> = vec![];
    let mut raised = None;
    for _ in 0..etc.rows() {
        meter.spend(etc.cols() as u64 + std::mem::take(&mut buckets.work))?;
        let Some(best) = buckets.latest(&building.ready, raised, &mut open, meter)? else { break };
        let time = etc.get(best.task as usize, best.resource);
        building.commit(best.task as usize, best.resource);
        if buckets.classes.take(best.class) {
            open.push(best.class);
        }
        buckets.expect(best.resource, building.ready[best.resource] + time);
        raised = Some(best.resource);
    }
    meter.spend(buckets.work)
}

/// A witness must hold for each of this many last choices. The completions of consecutive choices rise and
/// fall, so a witness that holds for the last one alone soon fails.
const MEMORY: usize = 8;

/// Units of work between two checks of the meter.
const BETWEEN: u64 = 1 << 10;

struct Buckets<'a> {
    etc: &'a EtcMatrix,
    rough: Rough,
    classes: Classes,
    /// The packs under each resource by rough time.
    buckets: Vec<BinaryHeap<Entry>>,
    /// The greatest rough time of each bucket, 0 if it is empty.
    tops: Vec<i16>,
    /// The expected ready time of each resource after its next task: as much later as the last task made it.
    expected: Vec<f64>,
    /// The resources, the one with the latest expected ready time first.
    order: Vec<u32>,
    /// The rank of each resource from the end of that order, from 1. If there are very many, `1 << shift`
    /// resources share a rank.
    patience: Vec<i16>,
    shift: u32,
    /// For each resource: a task with a smaller rough time there is not the one to choose.
    gaps: Vec<i16>,
    /// The same for each of the last choices.
    lasting: Vec<i16>,
    memory: VecDeque<f64>,
    /// Times examined since the meter was last asked.
    work: u64,
}

/// A class, or a pack of them, under its rough time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    time: i16,
    node: u32,
}

impl<'a> Buckets<'a> {
    fn new(etc: &'a EtcMatrix, meter: &mut Meter) -> Result<Self, End> {
        let cols = etc.cols();
        let mut sums = vec![0.0; cols];
        for row in etc.values().chunks(cols.max(1)) {
            meter.spend(cols as u64)?;
            sums.iter_mut().zip(row).for_each(|(sum, time)| *sum += time);
        }
        let mut order: Vec<u32> = (0..cols as u32).collect();
        let expected: Vec<f64> = sums.iter().map(|sum| sum / etc.rows() as f64).collect();
        order.sort_by(|&a, &b| expected[b as usize].total_cmp(&expected[a as usize]));
        let mut classes = Classes::new(etc, meter)?;
        classes.sort_by_size(etc, meter)?;
        let rough = Rough::new(etc, &classes, meter)?;
        let mut buckets = Self {
            etc,
            buckets: vec![BinaryHeap::new(); cols],
            tops: vec![0; cols],
            expected,
            order,
            patience: vec![0; rough.width()],
            gaps: vec![0; rough.width()],
            shift: (0..).find(|shift| cols >> shift < i16::MAX as usize).unwrap_or(0),
            lasting: vec![0; rough.width()],
            rough,
            classes,
            memory: VecDeque::with_capacity(MEMORY),
            work: 0,
        };
        buckets.count_patience();
        if let Some((root, bucket)) = buckets.rough.root().zip(buckets.buckets.first_mut()) {
            // The start for `likely`.
            bucket.push(Entry { time: i16::MAX, node: root });
            buckets.count_top(0);
        }
        Ok(buckets)
    }

    fn count_patience(&mut self) {
        for (place, &resource) in self.order.iter().rev().enumerate() {
            self.patience[resource as usize] = (place >> self.shift) as i16 + 1;
        }
    }

    /// Sets the expected ready time of a resource.
    fn expect(&mut self, resource: usize, at: f64) {
        self.expected[resource] = at;
        self.order.retain(|&other| other as usize != resource);
        let place = self.order.partition_point(|&other| self.expected[other as usize] > at);
        self.order.insert(place, resource as u32);
        self.count_patience();
    }

    /// The class that completes last, out of all buckets. The other open classes are put into buckets, or
    /// left in `open`. Since the last choice only the resource `raised` has become later.
    fn latest(
        &mut self,
        ready: &[f64],
        raised: Option<usize>,
        open: &mut Vec<u32>,
        meter: &mut Meter,
    ) -> Result<Option<Candidate>, End> {
        let mut best: Option<Candidate> = None;
        let mut looked = vec![];
        let mut rest = vec![];
        if open.is_empty() {
            open.extend(self.likely(ready, &mut rest));
        }
        for class in open.drain(..) {
            self.ask(meter)?;
            self.look(class, ready, &mut best, &mut looked);
        }
        while let Some(node) = rest.pop() {
            self.look_into(node, ready, &mut best, &mut looked, meter)?;
        }
        if let Some(raised) = raised {
            // Most witnesses there have failed: examining all entries is cheaper than taking them one by one.
            let mut kept = std::mem::take(&mut self.buckets[raised]).into_vec();
            let mut asked = Ok(());
            kept.retain(|entry| {
                entry.time < self.gaps[raised] || {
                    if asked.is_ok() {
                        asked = self.look_into(entry.node, ready, &mut best, &mut looked, meter);
                    }
                    false
                }
            });
            asked?;
            // Some classes may have been put back here.
            self.buckets[raised].extend(kept);
            self.count_top(raised);
        }
        for bucket in 0..self.buckets.len() {
            while self.tops[bucket] > 0 && self.tops[bucket] >= self.gaps[bucket] {
                let entry = self.buckets[bucket].pop();
                self.count_top(bucket);
                if let Some(entry) = entry {
                    self.look_into(entry.node, ready, &mut best, &mut looked, meter)?;
                }
            }
        }
        let Some(best) = best else { return Ok(None) };
        if self.memory.len() == MEMORY {
            self.memory.pop_front();
        }
        self.memory.push_back(best.value);
        // The second best is likely to be near the best again, so it stays in `open`.
        looked.retain(|other| other.class != best.class);
        let second = looked.iter().copied().reduce(|a, b| if b.goes_before(&a) { b } else { a });
        for other in looked {
            self.ask(meter)?;
            if second.is_some_and(|second| second.class == other.class) || !self.put(other.class) {
                open.push(other.class);
            }
        }
        Ok(Some(best))
    }

    /// Takes the pack of greatest bound out of its bucket, and returns its greatest class. The other classes
    /// of the pack go to `rest`.
    fn likely(&mut self, ready: &[f64], rest: &mut Vec<u32>) -> Option<u32> {
        let filled = (0..self.buckets.len()).filter(|&bucket| self.tops[bucket] > 0);
        let bound = |bucket: usize| self.rough.time(self.tops[bucket]) + ready[bucket];
        let bucket = filled.max_by(|&a, &b| bound(a).total_cmp(&bound(b)))?;
        let entry = self.buckets[bucket].pop();
        self.count_top(bucket);
        let mut node = entry?.node;
        while let Some(mut parts) = self.rough.parts(node) {
            node = parts.next()?;
            rest.extend(parts);
        }
        Some(node)
    }

    fn count_top(&mut self, bucket: usize) {
        self.tops[bucket] = self.buckets[bucket].peek().map_or(0, |top| top.time);
    }

    /// Puts a pack into a bucket if a witness shows that the task to choose is not in it. Else does the same
    /// with its parts, or examines its only class.
    ///
    /// The depth is that of the packs, logarithmic in their number.
    fn look_into(
        &mut self,
        node: u32,
        ready: &[f64],
        best: &mut Option<Candidate>,
        looked: &mut Vec<Candidate>,
        meter: &mut Meter,
    ) -> Result<(), End> {
        self.ask(meter)?;
        if self.put(node) {
            return Ok(());
        }
        match self.rough.parts(node) {
            Some(mut parts) => parts.try_for_each(|part| self.look_into(part, ready, best, looked, meter)),
            None => {
                self.look(node, ready, best, looked);
                Ok(())
            }
        }
    }

    /// Counts the work since it was last counted, if it is some.
    fn ask(&mut self, meter: &mut Meter) -> Result<(), End> {
        if self.work < BETWEEN { Ok(()) } else { meter.spend(std::mem::take(&mut self.work)) }
    }

    fn look(&mut self, class: u32, ready: &[f64], best: &mut Option<Candidate>, looked: &mut Vec<Candidate>) {
        self.work += ready.len() as u64;
        let task = self.classes.lowest(class);
        let (resource, finish) = earliest(self.etc.row(task as usize), ready);
        let found = Candidate { class, task, resource, value: finish };
        looked.push(found);
        if best.is_none_or(|best| found.goes_before(&best)) {
            *best = Some(found);
            let lasting = self.memory.iter().copied().fold(finish, f64::min);
            for ((gap, lasts), &ready) in self.gaps.iter_mut().zip(&mut self.lasting).zip(ready) {
                *gap = self.rough.gap(finish, ready);
                *lasts = self.rough.gap(lasting, ready);
            }
        }
    }

    /// Puts a pack under a witness: of those, the resource with the latest expected ready time. False if
    /// there is no witness.
    fn put(&mut self, node: u32) -> bool {
        self.work += self.rough.width() as u64;
        let times = self.rough.row(node);
        let found = self.most_patient(times, &self.lasting).or_else(|| self.most_patient(times, &self.gaps));
        let Some(resource) = found else { return false };
        self.buckets[resource].push(Entry { time: times[resource], node });
        self.tops[resource] = self.tops[resource].max(times[resource]);
        true
    }

    /// Of the resources on which the time is below the gap, the one with the latest expected ready time.
    fn most_patient(&self, times: &[i16], gaps: &[i16]) -> Option<usize> {
        let mut most = [0; LANES];
        let (times_of, _) = times.as_chunks::<LANES>();
        let (gaps_of, _) = gaps.as_chunks::<LANES>();
        let (patience, _) = self.patience.as_chunks::<LANES>();
        for ((times, gaps), patience) in times_of.iter().zip(gaps_of).zip(patience) {
            for lane in 0..LANES {
                // Without a branch, so that the compiler uses vector instructions.
                let counts = patience[lane] & -i16::from(times[lane] < gaps[lane]);
                most[lane] = most[lane].max(counts);
            }
        }
        let most = most.into_iter().fold(0, i16::max) as usize;
        let from_end = most.checked_sub(1)? << self.shift..(most << self.shift).min(self.order.len());
        let candidates = &self.order[self.order.len() - from_end.end..self.order.len() - from_end.start];
        let resources = candidates.iter().map(|&resource| resource as usize);
        resources.into_iter().find(|&resource| times[resource] < gaps[resource])
    }
}
