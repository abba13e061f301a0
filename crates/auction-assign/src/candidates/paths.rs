//! Shortest augmenting paths over candidate lists. The terms are defined in [`candidates`](super).

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::candidates::State;
use crate::candidates::lists::CandidateLists;
use crate::kernel::NONE;
use crate::kernel::number::{Number, max_of, min_of};
use crate::kernel::prepared::Prepared;
use crate::kernel::watch::{Stop, Watch};

/// Places the unplaced jobs along shortest paths, one after another, and brings free places to the common level.
/// Invariant: every placed job pays its minimum cost + price.
pub(crate) fn place<N: Number>(
    prepared: &Prepared<'_>,
    state: &mut State<N>,
    unplaced: &[u32],
    lists: &mut CandidateLists<'_>,
) -> Result<(), Stop> {
    let mut search = Search::new(state, prepared.watch);
    for &job in unplaced {
        prepared.look(&state.resource_of, &state.rounded_down)?;
        search.augment(job, state, lists)?;
    }
    if !prepared.is_tight() {
        search.level_free_places(state, lists)?;
    }
    prepared.look(&state.resource_of, &state.rounded_down)
}

/// The jobs of a resource with more places than this are relaxed one by one, as they become relevant; those of other
/// resources at once.
const FEW_PLACES: u32 = 4;

/// The work of taking the nearest item from the heap, and of reading a list, in entries of a row read in a plain loop.
const WORK_POP: u64 = 40;
const WORK_OFFERS: u64 = 40;

/// An item at a distance. The nearest item compares as the maximum, as `BinaryHeap` needs it.
#[derive(Clone, Copy)]
pub(crate) struct Reached<N, W> {
    pub(crate) distance: N,
    pub(crate) what: W,
}

/// An action of the search at some distance. At equal distances the first variant comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    /// Settle this resource.
    Settle(u32),
    /// Relax the whole row of this job.
    Row(u32),
    /// Relax the next job of this resource, which has many places.
    Leaving(u32),
}

impl<N: Number, W: Ord> PartialEq for Reached<N, W> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl<N: Number, W: Ord> Eq for Reached<N, W> {}
impl<N: Number, W: Ord> PartialOrd for Reached<N, W> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<N: Number, W: Ord> Ord for Reached<N, W> {
    // The nearest is the maximum.
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        other.distance.order(self.distance).then_with(|| other.what.cmp(&self.what))
    }
}

/// A search for shortest augmenting paths, whose arrays are used again by the next search.
struct Search<'a, N> {
    watch: Watch<'a>,
    /// The minimum distance of each resource found so far; infinite if it is not reached.
    distance: Vec<N>,
    /// The job from which each resource was reached, and its cost there.
    parent: Vec<u32>,
    parent_cost: Vec<f64>,
    /// The resources reached.
    touched: Vec<u32>,
    /// The settled resources with their distances.
    settled: Vec<(u32, N)>,
    /// For each job whose row may have to be read, the distance of its resource minus what it pays there: the distance
    /// of another resource by way of this job is this plus the cost + price there.
    offset: Vec<N>,
    heap: BinaryHeap<Reached<N, Next>>,
    /// For each resource of many places its jobs, each with a lower bound on the price above which another resource is
    /// cheaper for it: the minimum cost + price elsewhere minus the cost here. Prices only rise, so the bounds
    /// stay valid. Jobs that have left are skipped.
    leaving: Vec<BinaryHeap<Reached<N, u32>>>,
    /// The jobs taken out of `leaving` by this search: resource, job, new bound.
    examined: Vec<(u32, u32, N)>,
    /// The length of the shortest path found so far, and the resource at its end; [`NONE`] if there is none.
    end: (N, u32),
    /// The work of all searches, in entries of a row.
    work: u64,
}

impl<'a, N: Number> Search<'a, N> {
    fn new(state: &State<N>, watch: Watch<'a>) -> Self {
        let (jobs, resources) = (state.resource_of.len(), state.prices.len());
        let mut leaving = vec![BinaryHeap::new(); resources];
        for (i, &r) in state.resource_of.iter().enumerate() {
            if r != NONE && state.capacities[r as usize] > FEW_PLACES {
                // No job leaves below the present price.
                leaving[r as usize].push(Reached { distance: state.prices[r as usize], what: i as u32 });
            }
        }
        Self {
            watch,
            leaving,
            examined: Vec::new(),
            distance: vec![N::INFINITY; resources],
            parent: vec![NONE; resources],
            parent_cost: vec![0.0; resources],
            touched: Vec::new(),
            settled: Vec::new(),
            offset: vec![N::default(); jobs],
            heap: BinaryHeap::new(),
            end: (N::INFINITY, NONE),
            work: 0,
        }
    }

    /// Places one more job along a shortest path, on which others move, and raises prices so that every placed job
    /// still pays its minimum cost + price.
    ///
    /// Invariant: resources are settled in ascending order of distance. The price of a resource nearer than the end of
    /// the path rises by the difference of the distances; so the pairs of the path are best pairs of their jobs, and no
    /// other pair becomes cheaper than what its job pays.
    fn augment(
        &mut self,
        job: u32,
        state: &mut State<N>,
        lists: &mut CandidateLists<'_>,
    ) -> Result<(), Stop> {
        self.begin(state, lists);
        self.relax(job, N::default(), N::NEG_INFINITY, state, lists);
        self.explore(state, lists, |_| false)?;
        let (length, last) = self.end;
        if last == NONE {
            let reached = self.settled.iter().map(|&(r, _)| r).collect();
            return Err(state.shortage(job, reached).into());
        }
        for &(r, distance) in &self.settled {
            state.set_price(r, state.prices[r as usize] + (length - distance));
        }
        self.shift(last, job, state);
        Ok(())
    }

    /// Settles resources in ascending order of distance until none is nearer than the end of the shortest path, or
    /// until `arrived` is true for one, whose distance is then returned.
    #[inline]
    fn explore(
        &mut self,
        state: &State<N>,
        lists: &mut CandidateLists<'_>,
        mut arrived: impl FnMut(u32) -> bool,
    ) -> Result<Option<N>, Stop> {
        let mut seen = self.work + lists.work;
        while let Some(Reached { distance, what }) = self.heap.pop() {
            self.work += WORK_POP;
            if distance >= self.end.0 {
                return Ok(None);
            }
            self.watch.spend_since(&mut seen, self.work + lists.work)?;
            let r = match what {
                Next::Settle(r) => r,
                Next::Row(job) => {
                    self.relax_row(job, distance, state, lists);
                    continue;
                }
                Next::Leaving(r) => {
                    self.relax_next(r, distance, state, lists);
                    continue;
                }
            };
            if distance > self.distance[r as usize] {
                continue;
            }
            if arrived(r) {
                return Ok(Some(distance));
            }
            self.settle(r, distance, state, lists);
        }
        Ok(None)
    }

    /// Resets the arrays for a new search.
    fn begin(&mut self, state: &State<N>, lists: &mut CandidateLists<'_>) {
        for r in self.touched.drain(..) {
            self.distance[r as usize] = N::INFINITY;
        }
        self.heap.clear();
        self.settled.clear();
        self.end = (N::INFINITY, NONE);
        for (r, job, leave) in self.examined.drain(..) {
            if state.resource_of[job as usize] == r {
                self.leaving[r as usize].push(Reached { distance: leave, what: job });
            }
        }
        lists.epoch += 1;
    }

    /// Settles a resource and relaxes the jobs on it.
    #[inline]
    fn settle(&mut self, r: u32, distance: N, state: &State<N>, lists: &CandidateLists<'_>) {
        self.settled.push((r, distance));
        if state.capacities[r as usize] > FEW_PLACES {
            self.queue_next_leaving(r, distance, state);
            return;
        }
        let mut i = state.first_on(r);
        while i != NONE {
            let offset = distance - state.paid(state.cost_of[i as usize], r);
            self.relax(i, offset, distance, state, lists);
            i = state.next_on(i);
        }
    }

    /// Relaxes the next job of a resource of many places.
    fn relax_next(&mut self, r: u32, distance: N, state: &State<N>, lists: &CandidateLists<'_>) {
        let Some(Reached { what: job, .. }) = self.leaving[r as usize].pop() else { return };
        let cost = state.cost_of[job as usize];
        let offset = self.distance[r as usize] - state.paid(cost, r);
        let elsewhere = self.relax(job, offset, distance, state, lists);
        self.examined.push((r, job, elsewhere - N::of(cost, state.unit)));
        self.queue_next_leaving(r, distance, state);
    }

    /// Queues the next job of a resource of many places, at a lower bound on the distances of the resources to which it
    /// leads.
    fn queue_next_leaving(&mut self, r: u32, floor: N, state: &State<N>) {
        let leaving = &mut self.leaving[r as usize];
        while let Some(&Reached { distance: leave, what: job }) = leaving.peek() {
            if state.resource_of[job as usize] != r {
                leaving.pop();
                continue;
            }
            let distance = self.distance[r as usize] + (leave - state.prices[r as usize]);
            let distance = if distance < floor { floor } else { distance };
            if distance < self.end.0 {
                self.heap.push(Reached { distance, what: Next::Leaving(r) });
            }
            return;
        }
    }

    /// Moves every job on the path that ends at `last` to its next resource. The path begins with the unplaced job
    /// `first` or, if that is [`NONE`], at a resource that was not reached from a job.
    fn shift(&mut self, last: u32, first: u32, state: &mut State<N>) {
        let mut to = last;
        loop {
            let i = self.parent[to as usize];
            if i == NONE {
                return;
            }
            let from = state.resource_of[i as usize];
            if from != NONE {
                state.remove(i);
            }
            state.place(i, to, self.parent_cost[to as usize]);
            self.add_leaving(i, to, state);
            if i == first {
                return;
            }
            to = from;
        }
    }

    /// Adds a job that has come to a resource of many places to the jobs that may leave it, from the present price on.
    fn add_leaving(&mut self, job: u32, resource: u32, state: &State<N>) {
        if state.capacities[resource as usize] > FEW_PLACES {
            let price = state.prices[resource as usize];
            self.leaving[resource as usize].push(Reached { distance: price, what: job });
        }
    }

    /// Lowers the distance of a resource, reached from `job`, if `distance` is less.
    #[inline(always)]
    fn reach(&mut self, job: u32, r: u32, cost: f64, distance: N, state: &State<N>) {
        if distance < self.distance[r as usize] && distance < self.end.0 {
            if self.distance[r as usize] == N::INFINITY {
                self.touched.push(r);
            }
            self.distance[r as usize] = distance;
            self.parent[r as usize] = job;
            self.parent_cost[r as usize] = cost;
            if state.has_room(r) {
                self.end = (distance, r);
            } else {
                self.heap.push(Reached { distance, what: Next::Settle(r) });
            }
        }
    }

    /// Relaxes the offers of a job: lowers the distances of their resources. Queues its row if unlisted resources may
    /// matter. Returns a lower bound on its minimum cost + price on other resources. `floor` is the present distance.
    #[inline]
    fn relax(&mut self, job: u32, offset: N, floor: N, state: &State<N>, lists: &CandidateLists<'_>) -> N {
        let i = job as usize;
        let mut elsewhere = N::at_least(lists.bound(i), state.unit);
        let beyond = offset + elsewhere;
        let here = state.resource_of[i];
        self.work += WORK_OFFERS;
        for offer in lists.of(i) {
            let key = N::at_least(offer.key, state.unit);
            if offset + key >= self.end.0 {
                elsewhere = min_of(elsewhere, key);
                break;
            }
            let value = state.paid(offer.cost, offer.resource);
            if value < elsewhere && offer.resource != here {
                elsewhere = value;
            }
            let distance = offset + value;
            let distance = if distance < floor { floor } else { distance };
            self.reach(job, offer.resource, offer.cost, distance, state);
        }
        let beyond = if beyond < floor { floor } else { beyond };
        if beyond < self.end.0 && lists.bound(i) < f64::INFINITY {
            self.offset[i] = offset;
            self.heap.push(Reached { distance: beyond, what: Next::Row(job) });
        }
        elsewhere
    }

    /// Relaxes the whole row of a job, or its new list if the old one is stale.
    fn relax_row(&mut self, job: u32, floor: N, state: &State<N>, lists: &mut CandidateLists<'_>) {
        let offset = self.offset[job as usize];
        if lists.stale(job as usize) {
            let before = lists.bound(job as usize);
            lists.refill(job as usize, &state.rounded_down);
            if lists.bound(job as usize) > before {
                self.relax(job, offset, floor, state, lists);
                return;
            }
        }
        let limit = if self.end.1 == NONE { f64::INFINITY } else { (self.end.0 - offset).limit(state.unit) };
        lists.for_each_below(job as usize, &state.rounded_down, limit, |r, cost| {
            let distance = offset + state.paid(cost, r);
            let distance = if distance < floor { floor } else { distance };
            self.reach(job, r, cost, distance, state);
        });
    }
}

impl<N: Number> Search<'_, N> {
    /// Brings the price of every resource with room to the minimum of all prices, the *level*, as optimality requires
    /// if there are more places than jobs.
    ///
    /// Imaginary jobs that cost nothing anywhere hold the free places and want the cheapest place. Those on places
    /// priced above the level move along shortest paths, or the level rises to their price.
    fn level_free_places(
        &mut self,
        state: &mut State<N>,
        lists: &mut CandidateLists<'_>,
    ) -> Result<(), Stop> {
        loop {
            let level = (state.prices.iter().zip(&state.capacities))
                .filter(|&(_, &capacity)| capacity > 0)
                .map(|(&price, _)| price)
                .fold(N::INFINITY, min_of);
            let is_above = |r: usize| state.has_room(r as u32) && state.prices[r] > level;
            let above: Vec<bool> = (0..state.prices.len()).map(is_above).collect();
            let mut left = above.iter().filter(|&&above| above).count();
            if left == 0 {
                return Ok(());
            }
            self.work += state.prices.len() as u64;
            self.watch.spend(state.prices.len() as u64)?;
            self.begin(state, lists);
            for r in 0..state.prices.len() {
                if state.capacities[r] > 0 {
                    self.distance[r] = state.prices[r] - level;
                    self.parent[r] = NONE;
                    self.touched.push(r as u32);
                    self.heap.push(Reached { distance: self.distance[r], what: Next::Settle(r as u32) });
                }
            }
            // Reaching room through a job ends the search; otherwise it ends when all resources above the level are
            // settled.
            let settled = self.explore(state, lists, |r| {
                left -= usize::from(above[r as usize]);
                left == 0
            })?;
            let length = settled.unwrap_or(self.end.0);
            for &(r, distance) in &self.settled {
                // Resources that were not reached from a job get the price of the new level, unless rounding would
                // lower their price.
                let price = if self.parent[r as usize] == NONE {
                    max_of(state.prices[r as usize], level + length)
                } else {
                    state.prices[r as usize] + (length - distance)
                };
                state.set_price(r, price);
            }
            if settled.is_none() {
                self.shift(self.end.1, NONE, state);
            }
        }
    }
}
