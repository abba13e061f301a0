//! Mapping by greatest sufferage.

use super::Candidate;
use super::near::Nearest;
use crate::etc::check::Classes;
use crate::etc::mapping::{BestTwo, Building};
use sched_model::{End, EtcMatrix, Meter};

/// Commits all tasks, each to its resource of earliest completion; always the task of greatest sufferage, of
/// equals the lowest.
///
/// Ready times only grow. A sufferage is at most the later of the completions on any two resources, less a
/// bound of the earliest completion. So each task is stored in the buckets of two *witnesses*: resources that
/// complete it so early that its sufferage is below that of the task chosen last. When they no longer show
/// this, two others are searched for: first among the few resources stored for the task, then among all. Only
/// if there are none, its two best resources are computed.
pub(crate) fn commit_most_suffering_first(
    etc: &EtcMatrix,
    building: &mut Building<'_>,
    meter: &mut Meter,
) -> Result<(), End> {
    let cells = etc.rows().saturating_mul(etc.cols());
    if etc.cols() == 1 {
        // Every sufferage is 0.
        meter.spend(cells as u64)?;
        (0..etc.rows()).for_each(|task| building.commit(task, 0));
        return Ok(());
    }
    Nearest::reserve(etc, meter)?;
    let mut buckets = Buckets::new(etc, meter)?;
    // Classes in no bucket, because no witnesses were found: they are examined at each choice.
    let mut open: Vec<u32> = (0..buckets.classes.len() as u32).collect();
    let mut raised = None;
    for _ in 0..etc.rows() {
        let Some(best) = buckets.greatest(&building.ready, raised, &mut open, meter)? else { break };
        building.commit(best.task as usize, best.resource);
        if buckets.classes.take(best.class) {
            open.push(best.class);
        }
        raised = Some(best.resource);
    }
    Ok(())
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    key: f64,
    class: u32,
    version: u32,
}

struct Buckets<'a> {
    etc: &'a EtcMatrix,
    classes: Classes,
    nearest: Nearest,
    /// The classes under each resource. An unsorted list that is sometimes scanned costs less than a sorted
    /// one.
    buckets: Vec<Vec<Entry>>,
    /// An upper bound of the keys of each bucket.
    tops: Vec<f64>,
    /// How often each class was put into buckets: entries with a smaller number no longer count.
    versions: Vec<u32>,
}

/// The best class so far in a search, and all classes examined.
#[derive(Default)]
struct Search {
    best: Option<Candidate>,
    /// The sufferage of the best in the scale of the keys.
    limit: Option<f64>,
    looked: Vec<Candidate>,
    /// Times examined since the meter was last asked.
    work: u64,
    /// Why the search was stopped, if it was.
    stopped: Option<End>,
}

impl Search {
    /// Counts work; false once a limit is reached.
    fn goes_on(&mut self, work: u64, meter: &mut Meter) -> bool {
        self.work += work;
        if self.work >= BETWEEN && self.stopped.is_none() {
            self.stopped = meter.spend(std::mem::take(&mut self.work)).err();
        }
        self.stopped.is_none()
    }
}

/// Units of work between two checks of the meter.
const BETWEEN: u64 = 1 << 10;

impl<'a> Buckets<'a> {
    fn new(etc: &'a EtcMatrix, meter: &mut Meter) -> Result<Self, End> {
        let classes = Classes::new(etc, meter)?;
        Ok(Self {
            etc,
            nearest: Nearest::new(etc, &classes, meter)?,
            buckets: vec![vec![]; etc.cols()],
            tops: vec![f64::NEG_INFINITY; etc.cols()],
            versions: vec![0; classes.len()],
            classes,
        })
    }

    /// The class of greatest sufferage, taken out of all buckets. The other open classes are put into
    /// buckets, or left in `open`. Since the last choice only the resource `raised` has become later.
    fn greatest(
        &mut self,
        ready: &[f64],
        raised: Option<usize>,
        open: &mut Vec<u32>,
        meter: &mut Meter,
    ) -> Result<Option<Candidate>, End> {
        self.nearest.set_ready(ready);
        let mut search = Search { work: ready.len() as u64, ..Search::default() };
        for class in open.drain(..) {
            self.look(class, ready, &mut search, meter);
        }
        // First the buckets where most witnesses have failed, then those where any may have failed.
        for bucket in raised.into_iter().chain(0..self.buckets.len()) {
            let below = |limit| self.nearest.bound(self.tops[bucket], bucket) < limit;
            if !self.buckets[bucket].is_empty() && !search.limit.is_some_and(below) {
                self.go_through(bucket, ready, &mut search, meter);
            }
        }
        meter.spend(search.work)?;
        let Search { best, limit, mut looked, stopped, .. } = search;
        stopped.map_or(Ok(()), Err)?;
        let (Some(best), Some(limit)) = (best, limit) else { return Ok(None) };
        // The second best is likely to be near the best again, so it stays in `open`.
        looked.retain(|other| other.class != best.class);
        let second = looked.iter().copied().reduce(|a, b| if b.goes_before(&a) { b } else { a });
        // One for each class that was examined; the best is among them.
        meter.spend(ready.len() as u64)?;
        for other in looked {
            meter.spend(ready.len() as u64)?;
            if second.is_some_and(|second| second.class == other.class)
                || !self.renew_and_put(other.class, limit)
            {
                open.push(other.class);
            }
        }
        Ok(Some(best))
    }

    /// Examines the classes of a bucket whose bounds reach the best.
    fn go_through(&mut self, bucket: usize, ready: &[f64], search: &mut Search, meter: &mut Meter) {
        let mut entries = std::mem::take(&mut self.buckets[bucket]);
        self.tops[bucket] = f64::NEG_INFINITY;
        let mut top = f64::NEG_INFINITY;
        entries.retain(|entry| {
            if self.versions[entry.class as usize] != entry.version {
                return false;
            }
            if !search.goes_on(1, meter) {
                return true;
            }
            let bound = self.nearest.bound(entry.key, bucket);
            if search.limit.is_some_and(|limit| bound < limit) {
                top = if top < entry.key { entry.key } else { top };
                return true;
            }
            self.versions[entry.class as usize] += 1;
            let shown = search
                .limit
                .is_some_and(|limit| self.put(entry.class, limit) || self.renew_and_put(entry.class, limit));
            search.goes_on(ready.len() as u64, meter);
            if !shown {
                self.look(entry.class, ready, search, meter);
            }
            false
        });
        // Some classes may have been put back here.
        let anew = std::mem::replace(&mut self.buckets[bucket], entries);
        self.buckets[bucket].extend(anew);
        self.tops[bucket] = self.tops[bucket].max(top);
    }

    fn look(&mut self, class: u32, ready: &[f64], search: &mut Search, meter: &mut Meter) {
        // Examined now; its stored resources are renewed when it is put into a bucket.
        if !search.goes_on(ready.len() as u64, meter) {
            return;
        }
        let task = self.classes.lowest(class);
        let two = BestTwo::of(self.etc.row(task as usize), ready);
        let found = Candidate { class, task, resource: two.first, value: two.sufferage() };
        search.looked.push(found);
        if search.best.is_none_or(|best| found.goes_before(&best)) {
            search.best = Some(found);
            search.limit = Some(self.nearest.scaled(found.value));
        }
    }

    fn renew_and_put(&mut self, class: u32, limit: f64) -> bool {
        self.nearest.renew(class);
        self.put(class, limit)
    }

    /// Puts a class that is in no bucket under two witnesses that its sufferage is below a limit; false if
    /// there are none.
    fn put(&mut self, class: u32, limit: f64) -> bool {
        let Some(witnesses) = self.nearest.witnesses(class, limit) else { return false };
        for (resource, key) in witnesses.both {
            self.buckets[resource].push(Entry { key, class, version: self.versions[class as usize] });
            self.tops[resource] = if self.tops[resource] < key { key } else { self.tops[resource] };
        }
        true
    }
}
