//! Many jobs on few resources, capacities not expanded.
//!
//! Successive shortest paths (R. G. Busacker, P. J. Gowen, 1961; with node prices J. Edmonds, R. M. Karp, Theoretical
//! improvements in algorithmic efficiency for network flow problems, 1972) on a graph whose nodes are the resources: the
//! arc from r to s is the cheapest move of a job from r to s. (The same view of the transportation problem as in
//! T. Tokuyama, J. Nakano, Geometric algorithms for the minimum cost assignment problem, 1995.)
//!
//! Here prices are first found on samples of the jobs, each some eight times larger than the one before, with capacities
//! in proportion. At those prices one pass puts every job where cost + price is least, which leaves few resources over or
//! under their capacity by few jobs; these are moved along shortest paths, at most resources * resources arcs each.

use crate::frame::{Found, Frame};
use crate::paths::NONE;
use crate::solution::Shortage;
use crate::source::{Row, Source};
use crate::{Answer, AssignError, Assigner, Problem};

/// Many jobs on few resources: a price for each resource, found on samples; then shortest paths over the resources.
///
/// Prefer it where resources are few (up to some hundreds) and hold many jobs each. Guarantee: exact (see [`Assigner`]).
/// Time: about two passes over the costs and O(resources^2) for every job that sits wrong at the sampled prices (about
/// sqrt(jobs * resources) of them on random costs, at worst all jobs); where capacity is slack, one pass. Space
/// O(jobs + resources^2). Ties: the resource of least index that has room.
///
/// ```
/// use auction_assign::{Assigner, Costs, FewResources, Problem};
/// // Four jobs, all best on resource 0, which holds two: those that lose least by moving go to resource 1.
/// let costs = Costs::dense(4, 2, &[1.0, 4.0, 1.0, 2.0, 1.0, 9.0, 1.0, 3.0])?;
/// let answer = FewResources::default().assign(&Problem::new(costs).with_capacities(&[2, 2])?)?;
/// let assignment = answer.assignment().unwrap();
/// assert_eq!(assignment.resources, [Some(0), Some(1), Some(0), Some(1)]);
/// assert_eq!(assignment.total, 7.0);
/// # Ok::<(), auction_assign::AssignError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct FewResources {}

/// The square of this many resources must fit into memory beside the jobs.
const MOST_RESOURCES: usize = 2000;

impl Assigner for FewResources {
    fn name(&self) -> &'static str {
        "few-resources"
    }

    fn assign(&self, problem: &Problem<'_>) -> Result<Answer, AssignError> {
        if problem.resources() > MOST_RESOURCES {
            let reason = "more than 2000 resources";
            return Err(AssignError::Unsupported { method: self.name(), reason });
        }
        Ok(match Frame::without_columns(problem)? {
            Ok(frame) => assign(&frame),
            Err(shortage) => Answer::Infeasible(shortage),
        })
    }
}

pub(crate) fn assign(frame: &Frame<'_>) -> Answer {
    let n = frame.jobs();
    if n == 0 {
        return frame.finish(Found::nothing(frame));
    }
    let resources = frame.capacities.len();
    let mut prices = vec![0.0; resources];
    let mut stride = 1;
    while n / (stride * 8) >= 16 * resources {
        stride *= 8;
    }
    loop {
        let mut level = Level::new(frame, stride, prices);
        let outcome = level.solve();
        if stride == 1 {
            return match outcome {
                Ok(()) => frame.finish(level.into_found()),
                Err(shortage) => Answer::Infeasible(shortage),
            };
        }
        // A sample may be infeasible where the whole is not; its prices are then as good a start as any.
        prices = level.prices;
        stride /= 8;
    }
}

/// Capacities in proportion for a sample of the jobs, rounded by largest remainders.
fn scaled(capacities: &[u32], jobs: usize, sample: usize) -> Vec<u32> {
    let ratio = sample as f64 / jobs as f64;
    let exact: Vec<f64> = capacities.iter().map(|&c| f64::from(c) * ratio).collect();
    let mut scaled: Vec<u32> = exact.iter().map(|&c| c as u32).collect();
    let wanted = (exact.iter().sum::<f64>().round() as usize).max(sample);
    let mut order: Vec<usize> = (0..capacities.len()).filter(|&r| capacities[r] > 0).collect();
    order.sort_by(|&a, &b| (exact[b].fract()).total_cmp(&exact[a].fract()).then(a.cmp(&b)));
    let given: usize = scaled.iter().map(|&c| c as usize).sum();
    for &r in order.iter().cycle().take(wanted.saturating_sub(given)) {
        scaled[r] += 1;
    }
    scaled
}

/// Resources looked at together.
const BLOCK: usize = 16;

/// Moves kept per pair of resources when a resource is looked through for the first time.
const FIRST_MOVES: usize = 8;

/// The known moves from one resource to another, the cheapest last, and a bound on all others.
#[derive(Clone, Default)]
struct Moves {
    /// (cost there less cost here, job), descending; jobs that have left since are passed over.
    known: Vec<(f64, u32)>,
    /// No unlisted job of the resource moves for less.
    bound: f64,
}

/// Every `stride`-th job on resources of proportional capacity.
struct Level<'f, 'a> {
    source: &'f Source<'a>,
    void: Option<f64>,
    stride: usize,
    capacities: Vec<u32>,
    /// One per resource, the void's last. They only rise.
    prices: Vec<f64>,
    /// By index in the sample, as all jobs below.
    resource_of: Vec<u32>,
    loads: Vec<u32>,
    /// Jobs by resource; some may have left.
    on: Vec<Vec<u32>>,
    moves: Vec<Moves>,
    /// Cost of the cheapest move of each ordered pair: known if the pair has known moves, else a lower bound.
    cheapest: Vec<f64>,
    /// Moves kept at the last look through each resource, 0 before the first.
    kept: Vec<usize>,
    buffer: Vec<f64>,
    sums: Vec<f64>,
}

impl<'f, 'a> Level<'f, 'a> {
    fn new(frame: &'f Frame<'a>, stride: usize, mut prices: Vec<f64>) -> Self {
        let jobs = frame.jobs().div_ceil(stride);
        let capacities = if stride == 1 {
            frame.capacities.clone()
        } else {
            scaled(&frame.capacities, frame.jobs(), jobs)
        };
        let m = capacities.len();
        for (price, &capacity) in prices.iter_mut().zip(&frame.capacities) {
            *price = if capacity == 0 { f64::INFINITY } else { *price };
        }
        Self {
            source: &frame.source,
            void: frame.void,
            stride,
            capacities,
            prices,
            resource_of: vec![NONE; jobs],
            loads: vec![0; m],
            on: vec![Vec::new(); m],
            moves: vec![Moves::default(); m * m],
            cheapest: vec![f64::INFINITY; m * m],
            kept: vec![0; m],
            buffer: Vec::new(),
            sums: Vec::new(),
        }
    }

    fn into_found(self) -> Found {
        let Self { source, void, stride, prices, resource_of, .. } = self;
        let cols = source.cols();
        let cost_of = (resource_of.iter().enumerate())
            .map(|(i, &r)| match void {
                Some(cost) if r as usize == cols => cost,
                _ => source.cost(i * stride, r as usize),
            })
            .collect();
        Found { resource_of, cost_of, prices }
    }

    fn solve(&mut self) -> Result<(), Shortage> {
        self.place_all()?;
        let mut search = Search::new(self.capacities.len());
        while self.relieve(&mut search)? {}
        while self.settle(&mut search) {}
        Ok(())
    }

    /// The whole row of a job, the void included.
    fn row<'b>(&self, job: usize, buffer: &'b mut Vec<f64>, whole: &'b mut Vec<f64>) -> &'b [f64]
    where
        'f: 'b,
    {
        let source: &'f Source<'a> = self.source;
        match (source.row(job * self.stride, buffer), self.void) {
            (Row::Full(row), None) => row,
            (Row::Full(row), Some(cost)) => {
                whole.clear();
                whole.extend_from_slice(row);
                whole.push(cost);
                whole
            }
            (Row::Listed(columns, costs), void) => {
                whole.clear();
                whole.resize(source.cols(), f64::INFINITY);
                for (&r, &cost) in columns.iter().zip(costs) {
                    whole[r as usize] = cost;
                }
                whole.extend(void);
                whole
            }
        }
    }

    /// Puts every job where cost + price is least, among equals where there is room.
    fn place_all(&mut self) -> Result<(), Shortage> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut whole = Vec::new();
        let mut sums = std::mem::take(&mut self.sums);
        for job in 0..self.resource_of.len() {
            let row = self.row(job, &mut buffer, &mut whole);
            let r = cheapest(row, &self.prices, &mut sums, |r| self.loads[r] < self.capacities[r]);
            let Some(r) = r else {
                // Not a resource that has a place is admissible.
                return Err(Shortage {
                    jobs: vec![(job * self.stride) as u32],
                    resources: Vec::new(),
                    capacity: 0,
                });
            };
            self.resource_of[job] = r as u32;
            self.loads[r] += 1;
        }
        (self.buffer, self.sums) = (buffer, sums);
        if self.loads.iter().zip(&self.capacities).any(|(load, capacity)| load > capacity) || self.is_dear() {
            for (list, &load) in self.on.iter_mut().zip(&self.loads) {
                list.reserve(load as usize);
            }
            for (job, &r) in self.resource_of.iter().enumerate() {
                self.on[r as usize].push(job as u32);
            }
        }
        Ok(())
    }

    fn has_room(&self, r: usize) -> bool {
        self.loads[r] < self.capacities[r]
    }

    fn lowest_price(&self) -> f64 {
        self.prices.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Whether a resource with room costs more than another.
    fn is_dear(&self) -> bool {
        let level = self.lowest_price();
        (0..self.prices.len()).any(|r| self.has_room(r) && self.prices[r] > level)
    }

    /// Looks through the jobs of a resource for their cheapest moves to each other.
    fn look_through(&mut self, r: usize, keep: usize) {
        let m = self.prices.len();
        self.kept[r] = keep;
        let mut on = std::mem::take(&mut self.on[r]);
        on.sort_unstable();
        on.dedup();
        on.retain(|&job| self.resource_of[job as usize] == r as u32);
        let mut lists: Vec<Moves> = std::mem::take(&mut self.moves[r * m..(r + 1) * m].to_vec());
        let mut bounds = vec![f64::INFINITY; m];
        for list in &mut lists {
            list.known.clear();
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut whole = Vec::new();
        for &job in &on {
            let row = self.row(job as usize, &mut buffer, &mut whole);
            let here = row[r];
            for block in (0..m).step_by(BLOCK) {
                let to = (block + BLOCK).min(m);
                if !any_below(&row[block..to], &bounds[block..to], here) {
                    continue;
                }
                for s in block..to {
                    let difference = row[s] - here;
                    if difference < bounds[s] && s != r {
                        let known = &mut lists[s].known;
                        known.push((difference, job));
                        if known.len() >= 2 * keep {
                            known.select_nth_unstable_by(keep, order);
                            bounds[s] = known[keep].0;
                            known.truncate(keep);
                        }
                    }
                }
            }
        }
        self.buffer = buffer;
        for (s, mut list) in lists.into_iter().enumerate() {
            list.bound = bounds[s];
            list.known.sort_unstable_by(|a, b| order(b, a));
            self.moves[r * m + s] = list;
            self.refresh(r, s);
        }
        self.on[r] = on;
    }

    /// Drops moves of jobs that have left, and notes what the cheapest costs.
    fn refresh(&mut self, r: usize, s: usize) {
        let at = r * self.prices.len() + s;
        let Moves { known, bound } = &mut self.moves[at];
        while let Some(&(_, job)) = known.last()
            && self.resource_of[job as usize] != r as u32
        {
            known.pop();
        }
        self.cheapest[at] = known.last().map_or(*bound, |&(cost, _)| cost);
    }

    /// Moves the cheapest job from r to s.
    fn shift(&mut self, r: usize, s: usize) {
        let m = self.prices.len();
        let Some(&(_, job)) = self.moves[r * m + s].known.last() else { return };
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
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut whole = Vec::new();
        let row = self.row(job as usize, &mut buffer, &mut whole);
        let here = row[s];
        for (t, &cost) in row.iter().enumerate() {
            let difference = cost - here;
            let list = &mut self.moves[s * m + t];
            if difference < list.bound && t != s {
                // Among the jobs that stay, at its place in the descending order.
                let entry = (difference, job);
                let at = list.known.partition_point(|known| order(known, &entry).is_gt());
                list.known.insert(at, entry);
                self.cheapest[s * m + t] = self.cheapest[s * m + t].min(difference);
            }
        }
        self.buffer = buffer;
        for t in 0..m {
            self.refresh(s, t);
        }
    }

    /// Takes one job too many off some resource, along a shortest path. False if there is none.
    fn relieve(&mut self, search: &mut Search) -> Result<bool, Shortage> {
        if !self.loads.iter().zip(&self.capacities).any(|(load, capacity)| load > capacity) {
            return Ok(false);
        }
        loop {
            search.start(|r| (self.loads[r] > self.capacities[r]).then_some(0.0));
            let mut end = None;
            while let Some((r, distance)) = search.nearest() {
                if self.has_room(r) {
                    end = Some((r, distance));
                    break;
                }
                self.expand(search, r, distance);
            }
            let Some((last, length)) = end else { return Err(self.shortage(search)) };
            for &r in &search.settled {
                self.prices[r] += length - search.distance[r];
            }
            if self.advance(search, last) {
                return Ok(true);
            }
        }
    }

    /// Brings room that costs more than the lowest price to that price or fills it. False if there is none.
    ///
    /// Free places belong to imaginary jobs that cost nothing anywhere; they go where the price is lowest, so that a
    /// search may begin at any resource at the distance of its price from the lowest.
    fn settle(&mut self, search: &mut Search) -> bool {
        if !self.is_dear() {
            return false;
        }
        let level = self.lowest_price();
        search.start(|r| self.prices[r].is_finite().then_some(self.prices[r] - level));
        let mut dear = (0..self.prices.len()).filter(|&r| self.has_room(r) && self.prices[r] > level).count();
        let mut end = None;
        let mut length = 0.0;
        while let Some((r, distance)) = search.nearest() {
            length = distance;
            if self.has_room(r) && self.prices[r] > level {
                if search.parent[r] != NONE {
                    end = Some(r);
                    break;
                }
                dear -= 1;
                if dear == 0 {
                    break;
                }
            }
            self.expand(search, r, distance);
        }
        for &r in &search.settled {
            let price = &mut self.prices[r];
            // Those that no move reached stand on the common level, to the bit.
            *price = if search.parent[r] == NONE {
                level + length
            } else {
                *price + (length - search.distance[r])
            };
        }
        if let Some(last) = end {
            self.advance(search, last);
        }
        true
    }

    fn expand(&mut self, search: &mut Search, r: usize, distance: f64) {
        if self.kept[r] == 0 {
            self.look_through(r, FIRST_MOVES);
        }
        let m = self.prices.len();
        search.relax(r, distance, self.prices[r], &self.cheapest[r * m..(r + 1) * m], &self.prices);
    }

    /// Moves a job along every arc of the path, if all of them are known; else looks through the resource of the first
    /// that is not, and returns false. Prices are feasible either way: a bound is not above the cost it stands for.
    fn advance(&mut self, search: &Search, last: usize) -> bool {
        let m = self.prices.len();
        let mut to = last;
        while search.parent[to] != NONE {
            let from = search.parent[to] as usize;
            if self.moves[from * m + to].known.is_empty() {
                self.look_through(from, self.kept[from] * 4);
                return false;
            }
            to = from;
        }
        let mut to = last;
        while search.parent[to] != NONE {
            let from = search.parent[to] as usize;
            self.shift(from, to);
            to = from;
        }
        true
    }

    /// No room can be reached from the overfull resources: their jobs may only use the resources met.
    fn shortage(&self, search: &Search) -> Shortage {
        let mut met = vec![false; self.prices.len()];
        let mut capacity = 0;
        for &r in &search.settled {
            met[r] = true;
            capacity += u64::from(self.capacities[r]);
        }
        let jobs = (self.resource_of.iter().enumerate())
            .filter(|&(_, &r)| met[r as usize])
            .map(|(job, _)| (job * self.stride) as u32)
            .collect();
        let mut resources: Vec<u32> = search.settled.iter().map(|&r| r as u32).collect();
        resources.sort_unstable();
        Shortage { jobs, resources, capacity }
    }
}

/// Whether a move costs less than its bound.
#[inline(always)]
fn any_below(row: &[f64], bounds: &[f64], here: f64) -> bool {
    let mut room = [f64::NEG_INFINITY; 2];
    let (rows, limits) = (row.chunks_exact(2), bounds.chunks_exact(2));
    let rest = rows.remainder().iter().zip(limits.remainder());
    for (costs, bounds) in rows.zip(limits) {
        for l in 0..2 {
            let excess = bounds[l] - (costs[l] - here);
            room[l] = if excess > room[l] { excess } else { room[l] };
        }
    }
    let rest = rest.fold(false, |any, (cost, bound)| any | (cost - here < *bound));
    rest || room[0] > 0.0 || room[1] > 0.0
}

fn order(a: &(f64, u32), b: &(f64, u32)) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

/// The resource of least cost + price; among equals the first that has room, else the first.
fn cheapest(
    row: &[f64],
    prices: &[f64],
    sums: &mut Vec<f64>,
    has_room: impl Fn(usize) -> bool,
) -> Option<usize> {
    const LANES: usize = 8;
    sums.clear();
    sums.extend(row.iter().zip(prices).map(|(cost, price)| cost + price));
    let mut least = [f64::INFINITY; LANES];
    let chunks = sums.chunks_exact(LANES);
    for (l, &sum) in chunks.remainder().iter().enumerate() {
        least[l] = sum;
    }
    for chunk in chunks {
        for l in 0..LANES {
            least[l] = if chunk[l] < least[l] { chunk[l] } else { least[l] };
        }
    }
    let least = least.into_iter().fold(f64::INFINITY, |a, b| if a < b { a } else { b });
    if least == f64::INFINITY {
        return None;
    }
    let first = sums.iter().position(|&sum| sum == least)?;
    if has_room(first) {
        return Some(first);
    }
    let other = (first + 1..sums.len()).find(|&r| sums[r] == least && has_room(r));
    Some(other.unwrap_or(first))
}

/// Dijkstra's search on the full graph of resources.
struct Search {
    distance: Vec<f64>,
    parent: Vec<u32>,
    open: Vec<f64>,
    settled: Vec<usize>,
}

impl Search {
    fn new(resources: usize) -> Self {
        Self {
            distance: vec![f64::INFINITY; resources],
            parent: vec![NONE; resources],
            open: vec![f64::INFINITY; resources],
            settled: Vec::new(),
        }
    }

    fn start(&mut self, source: impl Fn(usize) -> Option<f64>) {
        self.settled.clear();
        self.parent.fill(NONE);
        for r in 0..self.distance.len() {
            self.distance[r] = source(r).unwrap_or(f64::INFINITY);
            self.open[r] = self.distance[r];
        }
    }

    /// Settles the nearest resource still open.
    fn nearest(&mut self) -> Option<(usize, f64)> {
        let least = self.open.iter().copied().fold(f64::INFINITY, |a, b| if a < b { a } else { b });
        if least == f64::INFINITY {
            return None;
        }
        let r = self.open.iter().position(|&distance| distance == least)?;
        self.open[r] = f64::INFINITY;
        self.settled.push(r);
        Some((r, least))
    }

    fn relax(&mut self, r: usize, distance: f64, price: f64, moves: &[f64], prices: &[f64]) {
        let base = distance - price;
        for s in 0..moves.len() {
            let reached = base + moves[s] + prices[s];
            // Rounding may not lead back.
            let reached = if reached < distance { distance } else { reached };
            if reached < self.distance[s] {
                self.distance[s] = reached;
                self.open[s] = reached;
                self.parent[s] = r as u32;
            }
        }
    }
}
