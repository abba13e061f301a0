//! The cheapest moves of jobs from resource to resource.

use super::rows::{Buffer, Rows};
use crate::kernel::NONE;
use crate::kernel::lanes::any_below;
use crate::kernel::number::{Number, Unit, lesser};

/// Resources compared at once.
const BLOCK: usize = 16;

/// The work of an entry when moves are searched for, in entries of a row read in a plain loop.
const WORK_LOOK: u64 = 2;

/// Moves kept per pair of resources when the jobs of a resource are read for the first time.
const FIRST: usize = 8;

/// The known moves from one resource to another, the cheapest last, and a bound on all others.
#[derive(Clone)]
struct List<N> {
    /// (cost there less cost here, job), descending; jobs that have left since are passed over.
    known: Vec<(N, u32)>,
    /// No unlisted job of the resource moves for less.
    bound: N,
}

/// The placements of the jobs, and the costs of moving them.
pub(super) struct Moves<N> {
    resources: usize,
    unit: Unit,
    pub(super) resource_of: Vec<u32>,
    pub(super) loads: Vec<u32>,
    /// Jobs by resource; some may have left.
    on: Vec<Vec<u32>>,
    lists: Vec<List<N>>,
    /// Cost of the cheapest move of each ordered pair: known if the pair has known moves, else a lower bound.
    cheapest: Vec<N>,
    /// Moves kept when the jobs of each resource were last read, 0 before the first time.
    kept: Vec<usize>,
    buffer: Buffer,
    /// Entries read so far.
    pub(super) work: u64,
}

impl<N: Number> Moves<N> {
    pub(super) fn new(jobs: usize, resources: usize, unit: Unit) -> Self {
        Self {
            resources,
            unit,
            resource_of: vec![NONE; jobs],
            loads: vec![0; resources],
            on: vec![Vec::new(); resources],
            lists: Vec::new(),
            cheapest: Vec::new(),
            kept: vec![0; resources],
            buffer: Buffer::default(),
            work: 0,
        }
    }

    #[inline]
    pub(super) fn place(&mut self, job: usize, r: usize) {
        self.resource_of[job] = r as u32;
        self.loads[r] += 1;
    }

    /// Makes room for the moves, once every job is placed and some must move.
    pub(super) fn begin(&mut self) {
        let pairs = self.resources * self.resources;
        self.lists = vec![List { known: Vec::new(), bound: N::INFINITY }; pairs];
        self.cheapest = vec![N::INFINITY; pairs];
        for (list, &load) in self.on.iter_mut().zip(&self.loads) {
            list.reserve(load as usize);
        }
        for (job, &r) in self.resource_of.iter().enumerate() {
            self.on[r as usize].push(job as u32);
        }
    }

    /// A lower bound on the cost of the cheapest move from r to each other resource.
    pub(super) fn from(&mut self, r: usize, rows: &Rows<'_, '_>) -> &[N] {
        if self.kept[r] == 0 {
            self.look_through(r, FIRST, rows);
        }
        &self.cheapest[r * self.resources..(r + 1) * self.resources]
    }

    /// Whether the cheapest move is known, and not only a bound on it.
    pub(super) fn knows(&self, r: usize, s: usize) -> bool {
        !self.lists[r * self.resources + s].known.is_empty()
    }

    /// Reads the jobs of a resource again, and keeps more moves than before.
    pub(super) fn look_further(&mut self, r: usize, rows: &Rows<'_, '_>) {
        self.look_through(r, self.kept[r] * 4, rows);
    }

    /// Reads the jobs of a resource for their cheapest moves to each other resource.
    fn look_through(&mut self, r: usize, keep: usize, rows: &Rows<'_, '_>) {
        let (m, unit) = (self.resources, self.unit);
        self.kept[r] = keep;
        let mut on = std::mem::take(&mut self.on[r]);
        on.sort_unstable();
        on.dedup();
        on.retain(|&job| self.resource_of[job as usize] == r as u32);
        self.work += WORK_LOOK * (on.len() * m) as u64;
        let lists = &mut self.lists[r * m..(r + 1) * m];
        // No difference of doubles at or above its limit, rounded as it is, is below the bound.
        let mut limits = vec![f64::INFINITY; m];
        for list in lists.iter_mut() {
            list.known.clear();
            list.bound = N::INFINITY;
        }
        for &job in &on {
            let row = rows.row(job as usize, &mut self.buffer);
            let here = row[r];
            for block in (0..m).step_by(BLOCK) {
                let to = (block + BLOCK).min(m);
                if !any_below(&row[block..to], &limits[block..to], here) {
                    continue;
                }
                for s in block..to {
                    if !(row[s] - here < limits[s] && s != r) {
                        continue;
                    }
                    let List { known, bound } = &mut lists[s];
                    let difference = N::of(row[s], unit) - N::of(here, unit);
                    if difference < *bound {
                        known.push((difference, job));
                        if known.len() >= 2 * keep {
                            known.select_nth_unstable_by(keep, order);
                            *bound = known[keep].0;
                            limits[s] = bound.limit(unit);
                            known.truncate(keep);
                        }
                    }
                }
            }
        }
        for list in lists {
            list.known.sort_unstable_by(|a, b| order(b, a));
        }
        self.on[r] = on;
        for s in 0..m {
            self.refresh(r, s);
        }
    }

    /// Drops moves of jobs that have left, and notes what the cheapest costs.
    fn refresh(&mut self, r: usize, s: usize) {
        let at = r * self.resources + s;
        let List { known, bound } = &mut self.lists[at];
        while let Some(&(_, job)) = known.last()
            && self.resource_of[job as usize] != r as u32
        {
            known.pop();
        }
        self.cheapest[at] = known.last().map_or(*bound, |&(cost, _)| cost);
    }

    /// Moves the cheapest job from r to s.
    pub(super) fn shift(&mut self, r: usize, s: usize, rows: &Rows<'_, '_>) {
        let (m, unit) = (self.resources, self.unit);
        let Some(&(_, job)) = self.lists[r * m + s].known.last() else { return };
        self.resource_of[job as usize] = s as u32;
        self.loads[r] -= 1;
        self.loads[s] += 1;
        self.on[s].push(job);
        for t in 0..m {
            self.refresh(r, t);
        }
        if self.kept[s] == 0 {
            return;
        }
        self.work += WORK_LOOK * m as u64;
        let row = rows.row(job as usize, &mut self.buffer);
        let here = N::of(row[s], unit);
        for (t, &cost) in row.iter().enumerate() {
            if cost == f64::INFINITY || t == s {
                continue;
            }
            let difference = N::of(cost, unit) - here;
            let list = &mut self.lists[s * m + t];
            if difference < list.bound {
                // Among the jobs that stay, at its place in the descending order.
                let entry = (difference, job);
                let at = list.known.partition_point(|known| order(known, &entry).is_gt());
                list.known.insert(at, entry);
                self.cheapest[s * m + t] = lesser(self.cheapest[s * m + t], difference);
            }
        }
        for t in 0..m {
            self.refresh(s, t);
        }
    }
}

fn order<N: Number>(a: &(N, u32), b: &(N, u32)) -> std::cmp::Ordering {
    a.0.order(b.0).then(a.1.cmp(&b.1))
}
