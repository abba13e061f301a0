//! The core of a transportation problem: the few pairs of each job that can matter.
//!
//! At prices near the optimum most jobs have one resource that is cheaper than all others by more than the prices
//! will still change. They keep their resource, and only count towards its load. The others are the *members* of
//! the core, each with its *arcs*: the resources where cost + price is at most the job's minimum plus the *width*.
//! All pairs that are left out stay too expensive as long as no two prices move against each other by more than
//! the width.

use std::collections::BinaryHeap;

use sched_model::internal::order;

use crate::candidates::Reached;
use crate::kernel::NONE;
use crate::kernel::number::lesser;
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

/// Members with their arcs, and the placement of every job of the sample.
pub(super) struct Core {
    /// The resource of each job of the sample: where cost + price was smallest.
    pub(super) resource_of: Vec<u32>,
    /// Number of jobs on each resource, members or not.
    pub(super) loads: Vec<u32>,
    /// The members' numbers in the sample.
    pub(super) jobs: Vec<u32>,
    /// The arcs of member k are those from `offsets[k]` up to `offsets[k + 1]`.
    offsets: Vec<u32>,
    pub(super) arcs: Vec<Arc>,
    /// The prices of the pass.
    pub(super) prices: Vec<f64>,
    pub(super) width: f64,
}

/// The work of an entry in the pass, in a full row and in a row that lists its resources (where prices are looked
/// up one by one). The unit is one entry of a row read in a plain loop.
const WORK_FULL: u64 = 2;
const WORK_LISTED: u64 = 3;

/// The work of keeping an arc, in entries of a row read in a plain loop.
const WORK_KEPT: u64 = 8;

impl Core {
    /// Places every `stride`-th job where cost + price is smallest, in one pass over their costs, and keeps the arcs
    /// that may still matter. `None` where a job has no admissible resource with places.
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
            let least = core.add_near(row, prepared.dummy, &mut sums);
            if least == f64::INFINITY {
                return Ok(None);
            }
            let near = core.arcs.len() - first;
            prepared.watch.spend(WORK_KEPT * near as u64)?;
            let r = core.cheapest(first, least, capacities);
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

    /// Adds the pairs of a row that lie within the width; returns the minimum cost + price.
    fn add_near(&mut self, row: Row<'_>, dummy: Option<f64>, sums: &mut Vec<f64>) -> f64 {
        let costs = row.costs();
        sums.resize(costs.len(), 0.0);
        let mut least = f64::INFINITY;
        match row {
            Row::Full(costs) => least = write_sums(costs, &self.prices[..costs.len()], sums),
            Row::Listed(columns, costs) => {
                for ((sum, cost), &r) in sums.iter_mut().zip(costs).zip(columns) {
                    *sum = cost + self.prices[r as usize];
                    least = lesser(least, *sum);
                }
            }
        }
        let last = self.prices.len() - 1;
        if let Some(out) = dummy {
            sums.push(out + self.prices[last]);
            least = lesser(least, out + self.prices[last]);
        }
        // Never infinity, which marks forbidden pairs.
        let limit = (least + self.width).min(f64::MAX);
        for (from, block) in (0..).step_by(BLOCK).zip(sums.chunks(BLOCK)) {
            // The loop without branches shows for most blocks that no entry is near.
            if block.iter().fold(false, |any, &sum| any | (sum <= limit)) {
                let near = (from..).zip(block).filter(|&(_, &sum)| sum <= limit);
                self.arcs.extend(near.map(|(at, _)| match (costs.get(at), row) {
                    (Some(&cost), Row::Full(_)) => Arc { cost, to: at as u32 },
                    (Some(&cost), Row::Listed(columns, _)) => Arc { cost, to: columns[at] },
                    (None, _) => Arc { cost: dummy.unwrap_or(f64::INFINITY), to: last as u32 },
                }));
            }
        }
        least
    }

    /// The resource where the job whose arcs begin at `first` costs least; among equals the first that has room.
    fn cheapest(&self, first: usize, least: f64, capacities: &[u32]) -> u32 {
        let has_room = |r: u32| self.loads[r as usize] < capacities[r as usize];
        let is_least = |arc: &&Arc| arc.cost + self.prices[arc.to as usize] == least;
        let mut equal = self.arcs[first..].iter().filter(is_least).map(|arc| arc.to);
        let first = equal.next().unwrap_or(NONE);
        if has_room(first) { first } else { equal.find(|&r| has_room(r)).unwrap_or(first) }
    }
}

/// How far prices have moved against each other.
pub(super) fn moved(before: &[f64], now: &[f64]) -> f64 {
    extent(now.iter().zip(before).map(|(now, before)| now - before))
}

/// The difference between the maximum and the minimum finite number.
pub(super) fn extent(numbers: impl Iterator<Item = f64>) -> f64 {
    let ends = numbers.filter(|number| number.is_finite());
    let (least, most) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), number| {
        (least.min(number), most.max(number))
    });
    (most - least).max(0.0)
}

/// Entries compared at once.
const BLOCK: usize = 16;

/// A move of a member, at its cost there minus its cost here. Prices do not change the order of the moves of a
/// pair.
type Move = Reached<f64, u32>;

/// A move of a member, and the previous move of the same pair.
struct Link {
    difference: f64,
    member: u32,
    before: u32,
}

/// Room for links per arc: each move of a member adds its arcs again. One block of half the memory of a search also
/// keeps allocators from returning all of it to the system between two searches, which would take as long as a search.
const LINKS: usize = 4;

/// The moves of each ordered pair of resources. For most pairs only the cheapest is ever needed, so the moves of a
/// pair are sorted only when the member of the cheapest leaves.
pub(super) struct CheapestMoves {
    resources: usize,
    /// The cost of the cheapest move, infinite where there is none, and its member.
    cheapest: Vec<f64>,
    member: Vec<u32>,
    /// The moves added since the cheapest was last looked for: the latest of each pair, and all of them.
    latest: Vec<u32>,
    links: Vec<Link>,
    /// All other moves; the members of some are elsewhere now.
    ordered: Vec<BinaryHeap<Move>>,
}

impl CheapestMoves {
    /// The moves of all members from their resources `at`; `cost` is the cost of each there.
    pub(super) fn new(core: &Core, at: &[u32], cost: &[f64]) -> Self {
        let resources = core.loads.len();
        let pairs = resources * resources;
        let mut moves = Self {
            resources,
            cheapest: vec![f64::INFINITY; pairs],
            member: vec![NONE; pairs],
            latest: vec![NONE; pairs],
            links: Vec::with_capacity(LINKS * core.arcs.len()),
            ordered: vec![BinaryHeap::new(); pairs],
        };
        // The members of one resource together, to keep reads local.
        for k in order(at.len(), &|a, b| at[a].cmp(&at[b])) {
            let i = k as usize;
            moves.add(k, at[i], core.arcs(i), cost[i]);
        }
        moves
    }

    /// The cost of the cheapest move from a resource to each other.
    #[inline]
    pub(super) fn from(&self, r: usize) -> &[f64] {
        &self.cheapest[r * self.resources..(r + 1) * self.resources]
    }

    /// The member of the cheapest move.
    pub(super) fn member(&self, from: usize, to: usize) -> u32 {
        self.member[from * self.resources + to]
    }

    /// Adds the moves of a member from its resource, where it costs `here`.
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

    /// Notes that a member has moved; `at` already holds its new resource, `cost` is its cost there. Returns how many
    /// moves were read.
    pub(super) fn note(&mut self, member: u32, from: u32, arcs: &[Arc], at: &[u32], cost: f64) -> u64 {
        let mut read = 2 * arcs.len() as u64;
        for arc in arcs {
            let pair = from as usize * self.resources + arc.to as usize;
            if self.member[pair] == member {
                read += self.find(pair, from, at);
            }
        }
        self.add(member, at[member as usize], arcs, cost);
        read
    }

    /// Finds the cheapest move of a pair among members that are still there; returns how many were read.
    fn find(&mut self, pair: usize, from: u32, at: &[u32]) -> u64 {
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
