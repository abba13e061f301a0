//! The core of a transportation problem: of each job the few pairs that can matter.
//!
//! At prices near the optimum most jobs have one resource that is cheaper than all others by more than prices
//! will still change. They keep their resource, and only count as load. The others are the *members* of the
//! core, each with its *arcs*: the resources whose cost + price is at most the job's least, and the *width*,
//! above it. All pairs left out are proven to cost enough as long as the prices move against each other by no
//! more than the width, or up to the member's *bound*, the least cost + price of those left out where a
//! member has too many arcs.

use crate::kernel::NONE;
use crate::kernel::prepared::Prepared;
use crate::kernel::source::Row;
use crate::kernel::watch::{Stop, Watch};
use crate::kernel::wide::write_sums;

/// Every `stride`-th job, its row as the costs hold it.
#[derive(Clone, Copy)]
pub(super) struct Sample<'f, 'a> {
    prepared: &'f Prepared<'a>,
    stride: usize,
}

impl<'f, 'a> Sample<'f, 'a> {
    pub(super) fn new(prepared: &'f Prepared<'a>, stride: usize) -> Self {
        Self { prepared, stride }
    }

    /// How many jobs the sample has.
    pub(super) fn count(&self) -> usize {
        self.prepared.jobs().div_ceil(self.stride)
    }

    /// The cost of staying out.
    pub(super) fn dummy(&self) -> Option<f64> {
        self.prepared.dummy
    }

    pub(super) fn entries(&self, index: usize) -> u64 {
        self.prepared.source.entries(index * self.stride)
    }

    /// Entries of all its rows, about.
    pub(super) fn all_entries(&self) -> u64 {
        self.prepared.source.all_entries() / self.stride as u64
    }

    pub(super) fn cost(&self, index: usize, resource: u32) -> f64 {
        self.prepared.cost(index * self.stride, resource)
    }

    /// A job's row without the dummy.
    pub(super) fn row<'b>(&self, index: usize, buffer: &'b mut Vec<f64>) -> Row<'b>
    where
        'f: 'b,
    {
        self.prepared.source.row(index * self.stride, buffer)
    }
}

/// An admissible pair of a member.
#[derive(Clone, Copy)]
pub(super) struct Arc {
    pub(super) cost: f64,
    pub(super) to: u32,
}

/// Members with their arcs, and the placement of every job of the sample.
pub(super) struct Core {
    /// The resource of each job of the sample, where cost + price was least.
    pub(super) resource_of: Vec<u32>,
    /// Jobs by resource, members and others.
    pub(super) loads: Vec<u32>,
    /// The members' numbers in the sample.
    pub(super) jobs: Vec<u32>,
    /// The arcs of member k are those from `offsets[k]` up to `offsets[k + 1]`.
    pub(super) offsets: Vec<u32>,
    pub(super) arcs: Vec<Arc>,
    /// No pair of member k that is left out costs less, at the prices of the pass.
    bounds: Vec<f64>,
    /// The prices of the pass.
    pub(super) prices: Vec<f64>,
    pub(super) width: f64,
    /// Entries read.
    pub(super) work: u64,
}

/// The work of an entry in the pass, in a full row and in a row that lists its resources (where prices are
/// looked up one by one), in entries of a row read in a plain loop.
const WORK_FULL: u64 = 2;
const WORK_LISTED: u64 = 3;

/// The work of keeping an arc, in entries of a row read in a plain loop.
const WORK_KEPT: u64 = 8;

/// How large a core may become.
#[derive(Clone, Copy)]
pub(super) struct Size {
    /// How far above the least cost + price an arc may lie.
    pub(super) width: f64,
    /// Arcs of a member.
    pub(super) arcs: usize,
}

impl Core {
    /// Places every job where cost + price is least, in one pass over the costs, and keeps the arcs that may
    /// still matter. `None` where a job has no admissible resource with places.
    pub(super) fn collect(
        sample: &Sample<'_, '_>,
        capacities: &[u32],
        prices: &[f64],
        size: Size,
        watch: Watch<'_>,
    ) -> Result<Option<Self>, Stop> {
        let (n, m) = (sample.count(), capacities.len());
        let mut core = Self::empty(n, prices, size.width);
        let mut sums = vec![0.0; m];
        let mut listed = Vec::new();
        let mut near: Vec<(f64, Arc)> = Vec::new();
        let mut buffer = Vec::new();
        for job in 0..n {
            near.clear();
            let row = sample.row(job, &mut buffer);
            let is_full = matches!(row, Row::Full(_));
            let least = match row {
                Row::Full(row) => core.near_of_full(row, sample.dummy(), &mut sums, &mut near),
                Row::Listed(columns, costs) => {
                    core.near_of_listed(columns, costs, sample.dummy(), &mut listed, &mut near)
                }
            };
            let read = (if is_full { WORK_FULL } else { WORK_LISTED }) * sample.entries(job);
            watch.spend(read)?;
            core.work += read;
            if least == f64::INFINITY {
                return Ok(None);
            }
            let taken = near.len();
            let r = core.place(least, &near, capacities);
            core.keep(job, r, &mut near, size.arcs);
            watch.spend(WORK_KEPT * (taken as u64))?;
        }
        watch.reserve::<Arc>(core.arcs.len())?;
        Ok(Some(core))
    }

    fn empty(jobs: usize, prices: &[f64], width: f64) -> Self {
        Self {
            resource_of: vec![NONE; jobs],
            loads: vec![0; prices.len()],
            jobs: Vec::new(),
            offsets: vec![0],
            arcs: Vec::new(),
            bounds: Vec::new(),
            prices: prices.to_vec(),
            width,
            work: 0,
        }
    }

    /// The arcs of member k.
    pub(super) fn arcs(&self, k: usize) -> &[Arc] {
        &self.arcs[self.offsets[k] as usize..self.offsets[k + 1] as usize]
    }

    /// The pairs of a full row within the width; returns the least cost + price.
    fn near_of_full(
        &self,
        row: &[f64],
        dummy: Option<f64>,
        sums: &mut [f64],
        near: &mut Vec<(f64, Arc)>,
    ) -> f64 {
        let m = row.len();
        let mut least = write_sums(row, &self.prices[..m], &mut sums[..m]);
        if let Some(cost) = dummy {
            sums[m] = cost + self.prices[m];
            least = if sums[m] < least { sums[m] } else { least };
        }
        let limit = self.limit(least);
        let cost = |r: usize| row.get(r).copied().or(dummy).unwrap_or(f64::INFINITY);
        let mut from = 0;
        for block in sums.chunks(BLOCK) {
            // The loop without branches shows for most blocks that no entry is near.
            if block.iter().fold(false, |any, &sum| any | (sum <= limit)) {
                for (k, &sum) in block.iter().enumerate().filter(|&(_, &sum)| sum <= limit) {
                    near.push((sum, Arc { cost: cost(from + k), to: (from + k) as u32 }));
                }
            }
            from += BLOCK;
        }
        least
    }

    /// The pairs of a sparse row within the width; returns the least cost + price.
    fn near_of_listed(
        &self,
        columns: &[u32],
        costs: &[f64],
        dummy: Option<f64>,
        sums: &mut Vec<f64>,
        near: &mut Vec<(f64, Arc)>,
    ) -> f64 {
        let out = dummy.map(|cost| (self.prices.len() as u32 - 1, cost));
        let pairs = || columns.iter().copied().zip(costs.iter().copied()).chain(out);
        let mut least = f64::INFINITY;
        sums.clear();
        for (r, cost) in pairs() {
            let sum = cost + self.prices[r as usize];
            least = if sum < least { sum } else { least };
            sums.push(sum);
        }
        let limit = self.limit(least);
        for ((to, cost), &sum) in pairs().zip(&*sums).filter(|&(_, &sum)| sum <= limit) {
            near.push((sum, Arc { cost, to }));
        }
        least
    }

    /// The greatest value that counts as near; never infinity, which marks forbidden pairs.
    fn limit(&self, least: f64) -> f64 {
        (least + self.width).min(f64::MAX)
    }

    /// The resource where a job costs least, among equals the first that has room.
    fn place(&self, least: f64, near: &[(f64, Arc)], capacities: &[u32]) -> u32 {
        let has_room = |r: u32| self.loads[r as usize] < capacities[r as usize];
        let mut equal = near.iter().filter(|(sum, _)| *sum == least).map(|(_, arc)| arc.to);
        let first = equal.next().unwrap_or(NONE);
        if has_room(first) { first } else { equal.find(|&r| has_room(r)).unwrap_or(first) }
    }

    /// Places a job, and makes it a member if it has a choice.
    fn keep(&mut self, job: usize, r: u32, near: &mut Vec<(f64, Arc)>, most: usize) {
        self.resource_of[job] = r;
        self.loads[r as usize] += 1;
        if near.len() < 2 {
            return;
        }
        let mut bound = f64::INFINITY;
        if near.len() > most {
            // The cheapest, its own resource the first among equals.
            let mut sums: Vec<f64> = near.iter().map(|&(sum, _)| sum).collect();
            let (below, at, _) = sums.select_nth_unstable_by(most, f64::total_cmp);
            bound = *at;
            let own = near.iter().any(|&(sum, arc)| sum == bound && arc.to == r);
            let equal = below.iter().filter(|&&sum| sum == bound).count();
            let mut others = equal.saturating_sub(usize::from(own));
            near.retain(|&(sum, arc)| {
                let fits = sum == bound && arc.to != r && others > 0;
                others -= usize::from(fits);
                sum < bound || fits || (sum == bound && arc.to == r)
            });
        }
        self.jobs.push(job as u32);
        self.arcs.extend(near.iter().map(|&(_, arc)| arc));
        self.offsets.push(self.arcs.len() as u32);
        self.bounds.push(bound);
    }

    /// Whether no pair that was left out is cheaper than what its job pays, at other prices: `paid` by each
    /// member.
    pub(super) fn is_enough(&self, prices: &[f64], paid: impl Fn(usize) -> f64) -> bool {
        let (fallen, risen) = self.moved(prices);
        risen - fallen <= self.width
            && (0..self.jobs.len())
                .all(|k| self.bounds[k] == f64::INFINITY || paid(k) <= self.bounds[k] + fallen)
    }

    /// The changes of the prices since the pass: the least and the greatest difference.
    pub(super) fn moved(&self, prices: &[f64]) -> (f64, f64) {
        let mut ends = (f64::INFINITY, f64::NEG_INFINITY);
        for (&now, &before) in prices.iter().zip(&self.prices).filter(|(now, _)| now.is_finite()) {
            let by = now - before;
            ends = (ends.0.min(by), ends.1.max(by));
        }
        ends
    }
}

/// Entries compared at once.
const BLOCK: usize = 16;
