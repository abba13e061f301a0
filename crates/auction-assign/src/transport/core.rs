//! The core of a transportation problem: the few pairs of each job that can matter.
//!
//! At prices near the optimum most jobs have one resource that is cheaper than all others by more than the prices
//! will still change. They keep their resource, and only count towards its load. The others are the *members* of
//! the core, each with its *arcs*: the resources whose cost + price is at most the minimum of the job plus the *width*.
//! All other pairs stay too expensive as long as no difference of two prices changes by more than the width.

use std::collections::BinaryHeap;

use sched_model::internal::order;

use crate::candidates::Reached;
use crate::kernel::NONE;
use crate::kernel::number::min_of;
use crate::kernel::prepared::Prepared;
use crate::kernel::source::Row;
use crate::kernel::watch::Stop;
use crate::kernel::wide::write_sums;

/// An admissible pair of a member.
#[derive(Clone, Copy)]
pub(super) struct Arc {
    pub(super) cost: f64,
    pub(super) to: u32,
}

/// The core of a sample: its members with their arcs, and the placement of every job of the sample.
pub(super) struct Core {
    /// The resource of each job of the sample: one of minimum cost + price.
    pub(super) resource_of: Vec<u32>,
    /// The number of jobs on each resource, members or not.
    pub(super) loads: Vec<u32>,
    /// The number of each member in the sample.
    pub(super) jobs: Vec<u32>,
    /// The arcs of member k are `arcs[offsets[k]..offsets[k + 1]]`.
    offsets: Vec<u32>,
    pub(super) arcs: Vec<Arc>,
    /// The prices at which the core was collected.
    pub(super) prices: Vec<f64>,
    pub(super) width: f64,
}

/// The work of reading an entry of a full row, and of a sparse row (whose prices are looked up one by one), in entries
/// of a row read in a plain loop.
const WORK_FULL: u64 = 2;
const WORK_LISTED: u64 = 3;

/// The work of keeping an arc, in entries of a row read in a plain loop.
const WORK_KEPT: u64 = 8;

impl Core {
    /// Collects the core of the sample of every `stride`-th job in one pass over their costs: places each on a resource
    /// of minimum cost + price, and keeps the arcs within `width`. `None` if a job has no admissible resource with
    /// places.
    pub(super) fn collect(
        prepared: &Prepared<'_>,
        stride: usize,
        capacities: &[u32],
        prices: &[f64],
        width: f64,
    ) -> Result<Option<Self>, Stop> {
        let mut core = Self {
            resource_of: Vec::new(),
            loads: vec![0; prices.len()],
            jobs: Vec::new(),
            offsets: vec![0],
            arcs: Vec::new(),
            prices: prices.to_vec(),
            width,
        };
        let work = if prepared.source.is_sparse() { WORK_LISTED } else { WORK_FULL };
        let (mut sums, mut buffer) = (Vec::new(), Vec::new());
        for (number, job) in (0..).zip((0..prepared.jobs()).step_by(stride)) {
            let first = core.arcs.len();
            let row = prepared.source.row(job, &mut buffer);
            prepared.watch.spend(work * prepared.source.entries(job))?;
            let minimum = core.add_near(row, prepared.dummy, &mut sums);
            if minimum == f64::INFINITY {
                return Ok(None);
            }
            let near = core.arcs.len() - first;
            prepared.watch.spend(WORK_KEPT * near as u64)?;
            let r = core.cheapest(first, minimum, capacities);
            core.resource_of.push(r);
            core.loads[r as usize] += 1;
            if near > 1 {
                prepared.watch.reserve::<Arc>(near)?;
                core.jobs.push(number);
                core.offsets.push(core.arcs.len() as u32);
            } else {
                core.arcs.truncate(first);
            }
        }
        Ok(Some(core))
    }

    /// The arcs of member k.
    pub(super) fn arcs(&self, k: usize) -> &[Arc] {
        &self.arcs[self.offsets[k] as usize..self.offsets[k + 1] as usize]
    }

    /// Adds the arcs of a row that lie within the width; returns the minimum cost + price.
    fn add_near(&mut self, row: Row<'_>, dummy: Option<f64>, sums: &mut Vec<f64>) -> f64 {
        let costs = row.costs();
        sums.resize(costs.len(), 0.0);
        let mut minimum = f64::INFINITY;
        match row {
            Row::Full(costs) => minimum = write_sums(costs, &self.prices[..costs.len()], sums),
            Row::Listed(columns, costs) => {
                for ((sum, cost), &r) in sums.iter_mut().zip(costs).zip(columns) {
                    *sum = cost + self.prices[r as usize];
                    minimum = min_of(minimum, *sum);
                }
            }
        }
        let last = self.prices.len() - 1;
        if let Some(out) = dummy {
            sums.push(out + self.prices[last]);
            minimum = min_of(minimum, out + self.prices[last]);
        }
        // Not infinity, which marks forbidden pairs.
        let limit = (minimum + self.width).min(f64::MAX);
        for (from, block) in (0..).step_by(BLOCK).zip(sums.chunks(BLOCK)) {
            // For most blocks this loop without branches finds no near entry.
            if block.iter().fold(false, |any, &sum| any | (sum <= limit)) {
                let near = (from..).zip(block).filter(|&(_, &sum)| sum <= limit);
                self.arcs.extend(near.map(|(at, _)| match (costs.get(at), row) {
                    (Some(&cost), Row::Full(_)) => Arc { cost, to: at as u32 },
                    (Some(&cost), Row::Listed(columns, _)) => Arc { cost, to: columns[at] },
                    (None, _) => Arc { cost: dummy.unwrap_or(f64::INFINITY), to: last as u32 },
                }));
            }
        }
        minimum
    }

    /// Returns the resource of minimum cost + price, `least`, of the job whose arcs begin at `first`; among equals the
    /// first that has room.
    fn cheapest(&self, first: usize, minimum: f64, capacities: &[u32]) -> u32 {
        let has_room = |r: u32| self.loads[r as usize] < capacities[r as usize];
        let is_cheapest = |arc: &&Arc| arc.cost + self.prices[arc.to as usize] == minimum;
        let mut equal = self.arcs[first..].iter().filter(is_cheapest).map(|arc| arc.to);
        let first = equal.next().unwrap_or(NONE);
        if has_room(first) { first } else { equal.find(|&r| has_room(r)).unwrap_or(first) }
    }
}

/// Returns the maximum change of the difference of two prices.
pub(super) fn max_shift(before: &[f64], now: &[f64]) -> f64 {
    extent(now.iter().zip(before).map(|(now, before)| now - before))
}

/// Returns the difference between the maximum and the minimum of the finite numbers.
pub(super) fn extent(numbers: impl Iterator<Item = f64>) -> f64 {
    let ends = numbers.filter(|number| number.is_finite());
    let (min, max) = ends
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), number| (min.min(number), max.max(number)));
    (max - min).max(0.0)
}

/// The number of entries that are compared at once.
const BLOCK: usize = 16;

/// A move of a member from one resource to another: its cost there minus its cost here. Prices do not change the order
/// of the moves between the same two resources.
type Move = Reached<f64, u32>;

/// A move of a member in a linked list of the moves of a pair of resources.
struct Link {
    difference: f64,
    member: u32,
    before: u32,
}

/// The initial capacity for links, per arc: each time a member moves, its arcs are added again. One block of half the
/// memory of a search also keeps allocators from returning all of it to the system between two searches, which would
/// take as long as a search.
const LINKS_PER_ARC: usize = 4;

/// The moves of members between each ordered pair of resources. For most pairs only the cheapest move is ever needed,
/// so the moves of a pair are sorted only when the member of the cheapest one leaves.
pub(super) struct CheapestMoves {
    resources: usize,
    /// The difference of cost of the cheapest move of each pair, infinite if there is none, and its member.
    cheapest: Vec<f64>,
    member: Vec<u32>,
    /// The moves of each pair that are not in `ordered` yet, as linked lists: the latest link of each pair, and all
    /// links.
    latest: Vec<u32>,
    links: Vec<Link>,
    /// The other moves of each pair; the members of some are elsewhere now.
    ordered: Vec<BinaryHeap<Move>>,
}

impl CheapestMoves {
    /// Collects the moves of all members from their resources `at`, where their costs are `cost`.
    pub(super) fn new(core: &Core, at: &[u32], cost: &[f64]) -> Self {
        let resources = core.loads.len();
        let pairs = resources * resources;
        let mut moves = Self {
            resources,
            cheapest: vec![f64::INFINITY; pairs],
            member: vec![NONE; pairs],
            latest: vec![NONE; pairs],
            links: Vec::with_capacity(LINKS_PER_ARC * core.arcs.len()),
            ordered: vec![BinaryHeap::new(); pairs],
        };
        // The members of one resource together, to keep reads local.
        for k in order(at.len(), &|a, b| at[a].cmp(&at[b])) {
            let i = k as usize;
            moves.add(k, at[i], core.arcs(i), cost[i]);
        }
        moves
    }

    /// The difference of cost of the cheapest move from resource `r` to each other resource.
    #[inline]
    pub(super) fn from(&self, r: usize) -> &[f64] {
        &self.cheapest[r * self.resources..(r + 1) * self.resources]
    }

    /// The member of the cheapest move between two resources; [`NONE`] if there is none.
    pub(super) fn member(&self, from: usize, to: usize) -> u32 {
        self.member[from * self.resources + to]
    }

    /// Adds the moves of a member from its resource, where its cost is `here`.
    fn add(&mut self, member: u32, from: u32, arcs: &[Arc], here: f64) {
        for arc in arcs.iter().filter(|arc| arc.to != from) {
            let pair = from as usize * self.resources + arc.to as usize;
            let difference = arc.cost - here;
            let before = std::mem::replace(&mut self.latest[pair], self.links.len() as u32);
            self.links.push(Link { difference, member, before });
            if difference < self.cheapest[pair] {
                (self.cheapest[pair], self.member[pair]) = (difference, member);
            }
        }
    }

    /// Updates the moves after a member has left `from`. `at` already holds its new resource, where its cost is `cost`.
    /// Returns the work.
    pub(super) fn update(&mut self, member: u32, from: u32, arcs: &[Arc], at: &[u32], cost: f64) -> u64 {
        let mut read = 2 * arcs.len() as u64;
        for arc in arcs {
            let pair = from as usize * self.resources + arc.to as usize;
            if self.member[pair] == member {
                read += self.find_cheapest(pair, from, at);
            }
        }
        self.add(member, at[member as usize], arcs, cost);
        read
    }

    /// Finds the cheapest move of a pair among the members that are still on `from`; returns the work.
    fn find_cheapest(&mut self, pair: usize, from: u32, at: &[u32]) -> u64 {
        let stays = |of: &Move| at[of.what as usize] == from;
        let ordered = &mut self.ordered[pair];
        let mut read = 4;
        let mut link = std::mem::replace(&mut self.latest[pair], NONE);
        ordered.extend(
            std::iter::from_fn(|| {
                let &Link { difference, member, before } = self.links.get(link as usize)?;
                read += 4;
                link = before;
                Some(Move { distance: difference, what: member })
            })
            .filter(stays),
        );
        while ordered.peek().is_some_and(|of| !stays(of)) {
            ordered.pop();
            read += 4;
        }
        (self.cheapest[pair], self.member[pair]) =
            ordered.peek().map_or((f64::INFINITY, NONE), |of| (of.distance, of.what));
        read
    }
}
