//! Places with prices, and the bids of jobs for them. For the words see [`candidates`](crate::candidates).
//!
//! D. P. Bertsekas, D. A. Castañón, The auction algorithm for the transportation problem (1989): the places
//! of a resource are similar objects, each with its own price. A job takes the cheapest place of the resource
//! where cost + price is smallest, and raises that place's price by the difference to its second choice and by
//! epsilon.
//!
//! Deviation: the second choice is the best *other resource*, not the next place of the same one. In the end all
//! places of a resource have the price of the cheapest of them, at which every job on it is within epsilon of its
//! smallest value. So a bid may raise a price to the point where the job prefers another resource, and fewer bids are
//! needed.

use smallvec::SmallVec;

use crate::Answer;
use crate::candidates::lists::CandidateLists;
use crate::candidates::{State, paths};
use crate::finish::finish;
use crate::kernel::NONE;
use crate::kernel::number::{Unit, power_of_two};
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::watch::Stop;

/// The resource of each job, the price of each place, and the lists by which jobs bid.
pub(crate) struct Market<'p, 'a> {
    pub(crate) prepared: &'p Prepared<'a>,
    pub(crate) lists: CandidateLists<'a>,
    /// The price of the cheapest place of each resource. It never falls.
    pub(crate) prices: Vec<f64>,
    pub(crate) resource_of: Vec<u32>,
    pub(crate) cost_of: Vec<f64>,
    places_of: Vec<Places>,
    /// Number of bids so far.
    pub(crate) bids: usize,
    /// The smallest amount above 0 by which a bid had to raise a price.
    pub(crate) least_raise: f64,
    /// The amount by which a job without a second choice raises a price: more than any difference of costs.
    alone: f64,
}

/// Bids per job of the reduction.
const REDUCTION_BIDS: usize = 2;

/// The work of a bid, in entries of a row.
const WORK_BID: u64 = 40;

/// The smallest amount by which prices are raised in view of the maximum cost: a smaller one would be lost in
/// rounding.
pub(crate) fn least_felt(prepared: &Prepared<'_>) -> f64 {
    (prepared.survey.greatest * 2f64.powi(-36)).max(f64::MIN_POSITIVE)
}

/// The result of a bid.
enum BidResult {
    /// The place was free.
    Taken,
    /// The job that held the place must bid again.
    Outbid(u32),
    /// The bid would raise no price and there is no room.
    Tie,
    /// The job has no admissible resource.
    Nowhere,
}

impl<'p, 'a> Market<'p, 'a> {
    /// Places jobs where they were found, as far as there is room; every place of a resource has the price of the
    /// resource.
    pub(crate) fn new(prepared: &'p Prepared<'a>, found: Found) -> Result<Self, Stop> {
        let lists = CandidateLists::new(prepared, &found.prices)?;
        let Found { mut resource_of, cost_of, mut prices, least_raise } = found;
        for (price, _) in prices.iter_mut().zip(&prepared.capacities).filter(|&(_, &capacity)| capacity == 0)
        {
            // A resource without places is never considered.
            *price = f64::INFINITY;
        }
        let place = |(&free, &capacity)| Places { taken: SmallVec::new(), free, capacity };
        let mut places_of: Vec<Places> = prices.iter().zip(&prepared.capacities).map(place).collect();
        for (job, r) in (0..).zip(&mut resource_of) {
            match places_of.get_mut(*r as usize) {
                Some(places) if places.free_places() > 0 => {
                    places.push(Place { price: prices[*r as usize], job });
                }
                _ => *r = NONE,
            }
        }
        let alone = 4.0 * power_of_two(prepared.survey.greatest.max(1e-300));
        Ok(Self { prepared, lists, prices, resource_of, cost_of, places_of, bids: 0, least_raise, alone })
    }

    fn bid(&mut self, job: u32, epsilon: f64) -> BidResult {
        self.bids += 1;
        let Some(best) = self.lists.best(job as usize, &self.prices) else { return BidResult::Nowhere };
        let (mut resource, mut cost) = (best.resource, best.cost);
        let gap = match best.second {
            f64::INFINITY if epsilon == 0.0 => 0.0,
            f64::INFINITY => self.alone,
            second => second - best.value,
        };
        if gap + epsilon == 0.0 && self.places_of[resource as usize].free_places() == 0 {
            // No price would rise: look for another cheapest offer that has room.
            let equal = self.lists.of(job as usize).iter().find(|offer| {
                let r = offer.resource as usize;
                offer.cost + self.prices[r] == best.value && self.places_of[r].free_places() > 0
            });
            let Some(offer) = equal else { return BidResult::Tie };
            (resource, cost) = (offer.resource, offer.cost);
        }
        let r = resource as usize;
        let place = Place { price: self.prices[r] + gap + epsilon, job };
        self.resource_of[job as usize] = resource;
        self.cost_of[job as usize] = cost;
        let places = &mut self.places_of[r];
        let out = if places.offers_free() {
            places.push(place);
            None
        } else {
            Some(places.replace(place))
        };
        self.prices[r] = places.cheapest();
        match out {
            None => BidResult::Taken,
            Some(rival) => {
                self.resource_of[rival as usize] = NONE;
                BidResult::Outbid(rival)
            }
        }
    }

    /// Bids until every job is placed: one phase of the auction. Returns false after `most` bids, or if a job has
    /// no admissible resource.
    pub(crate) fn phase(&mut self, epsilon: f64, most: usize) -> Result<bool, Stop> {
        let mut seen = self.spent();
        self.least_raise = self.least_raise.min(epsilon);
        let last = self.bids.saturating_add(most);
        for first in 0..self.resource_of.len() as u32 {
            if self.resource_of[first as usize] != NONE {
                continue;
            }
            let mut job = first;
            loop {
                match self.bid(job, epsilon) {
                    BidResult::Taken => break,
                    BidResult::Outbid(rival) => job = rival,
                    BidResult::Tie | BidResult::Nowhere => return Ok(false),
                }
                self.prepared.watch.spend_since(&mut seen, self.spent())?;
                if self.bids >= last {
                    return Ok(false);
                }
            }
            self.prepared.look(&self.resource_of, &self.prices)?;
        }
        Ok(true)
    }

    /// The number of unplaced jobs.
    pub(crate) fn unplaced(&self) -> usize {
        self.resource_of.iter().filter(|&&r| r == NONE).count()
    }

    /// The work of bids and lists so far, in entries of a row.
    fn spent(&self) -> u64 {
        self.bids as u64 * WORK_BID + self.lists.work
    }

    /// Bids with epsilon 0 (the augmenting row reduction of R. Jonker, A. Volgenant, A shortest augmenting path
    /// algorithm for dense and sparse linear assignment problems, 1987); a job that meets a tie waits.
    pub(crate) fn reduce(&mut self) -> Result<(), Stop> {
        let mut seen = self.spent();
        let jobs = self.resource_of.len();
        let last = self.bids.saturating_add(REDUCTION_BIDS * jobs);
        for first in 0..jobs as u32 {
            let mut job = first;
            while self.resource_of[job as usize] == NONE && self.bids < last {
                self.prepared.watch.spend_since(&mut seen, self.spent())?;
                match self.bid(job, 0.0) {
                    BidResult::Outbid(rival) => job = rival,
                    BidResult::Taken | BidResult::Tie | BidResult::Nowhere => break,
                }
            }
        }
        Ok(())
    }

    /// Removes every job that pays more than `slack` above its minimum value. All places of a resource, taken or
    /// free, then get the price of its cheapest place. Otherwise a more expensive place, bid for at a greater
    /// epsilon, could become the cheapest later, and its job would pay more than epsilon above its minimum value.
    pub(crate) fn release(&mut self, slack: f64) -> Result<(), Stop> {
        let Self { prepared, lists, .. } = self;
        prepared.watch.spend(self.resource_of.len() as u64)?;
        let mut seen = lists.work;
        for (places, &price) in self.places_of.iter_mut().zip(&self.prices) {
            places.taken.retain(|place| {
                let i = place.job as usize;
                let stays = lists.none_below(i, &self.prices, self.cost_of[i] + price - slack);
                if !stays {
                    self.resource_of[i] = NONE;
                }
                place.price = price;
                stays
            });
            // The order of the heap anew.
            (0..places.taken.len() / 2).rev().for_each(|at| places.sink(at));
            places.free = price;
            prepared.watch.spend_since(&mut seen, lists.work)?;
        }
        Ok(())
    }

    /// Brings free places to within epsilon of the cheapest place, as is required if there are more places than
    /// jobs: imaginary jobs that cost nothing anywhere hold the free places, and bid for the cheapest. Returns
    /// false once `budget` bids are spent, including those of the imaginary jobs.
    pub(crate) fn level(&mut self, epsilon: f64, budget: usize) -> Result<bool, Stop> {
        let last = self.bids.saturating_add(budget);
        loop {
            let (mut lowest, mut at) = (f64::INFINITY, 0);
            let mut highest_free = f64::NEG_INFINITY;
            for (r, places) in self.places_of.iter().enumerate() {
                if places.cheapest_taken() < lowest {
                    (lowest, at) = (places.cheapest_taken(), r);
                }
                if places.free_places() > 0 {
                    highest_free = highest_free.max(places.free);
                }
            }
            // Cheaper free places rise together, because only imaginary jobs hold them.
            let common = lowest.min(highest_free);
            for (places, price) in self.places_of.iter_mut().zip(&mut self.prices) {
                if places.free_places() > 0 && places.free < common {
                    places.free = common;
                    *price = places.cheapest();
                }
            }
            if highest_free <= common + epsilon {
                return Ok(true);
            }
            self.bids += 1;
            if self.bids >= last {
                return Ok(false);
            }
            // A job holds the cheapest place: an imaginary job outbids it.
            let places = &mut self.places_of[at];
            let rival = places.pop();
            self.resource_of[rival as usize] = NONE;
            let is_only = places.free_places() == 1;
            places.free = if is_only { lowest + epsilon } else { places.free.max(lowest + epsilon) };
            self.prices[at] = places.cheapest();
            self.prepared.watch.spend(self.places_of.len() as u64)?;
            if !self.phase(epsilon, last - self.bids)? {
                return Ok(false);
            }
        }
    }

    /// The assignment and the prices.
    pub(crate) fn into_found(self) -> Found {
        let Self { resource_of, cost_of, prices, least_raise, .. } = self;
        Found { resource_of, cost_of, prices, least_raise }
    }

    /// From any prices to the exact answer: keeps the jobs that pay their minimum value, places all others along
    /// shortest paths, and brings free places to the common level.
    pub(crate) fn close(mut self) -> Result<Answer, Stop> {
        self.keep()?;
        self.follow()
    }

    /// Keeps the jobs that pay their minimum value, at one price per resource; the others wait.
    pub(crate) fn keep(&mut self) -> Result<(), Stop> {
        self.release(0.0)?;
        self.reduce()?;
        self.release(0.0)
    }

    /// The answer by shortest paths, from a market whose jobs were [kept](Self::keep).
    pub(crate) fn follow(self) -> Result<Answer, Stop> {
        let Self { prepared, mut lists, prices, resource_of, cost_of, least_raise, .. } = self;
        let mut state = State::new(resource_of.len(), prepared.capacities.clone(), prices, Unit::NONE);
        let mut unplaced = Vec::new();
        for (job, (&r, &cost)) in (0..).zip(resource_of.iter().zip(&cost_of)) {
            if r == NONE {
                unplaced.push(job);
            } else {
                state.place(job, r, cost);
            }
        }
        paths::place(prepared, &mut state, &unplaced, &mut lists)?;
        finish(prepared, state.into_found(least_raise), Some(lists))
    }
}

#[derive(Clone, Copy)]
struct Place {
    price: f64,
    job: u32,
}

impl Place {
    fn before(&self, other: &Self) -> bool {
        self.price < other.price || (self.price == other.price && self.job < other.job)
    }
}

/// The places of one resource.
#[derive(Clone)]
struct Places {
    /// The taken places, the cheapest first (a binary heap).
    taken: SmallVec<[Place; 1]>,
    /// The price of every free place; no taken place is cheaper.
    free: f64,
    capacity: u32,
}

impl Places {
    fn push(&mut self, place: Place) {
        let heap = &mut self.taken;
        heap.push(place);
        let mut at = heap.len() - 1;
        while at > 0 && heap[at].before(&heap[(at - 1) / 2]) {
            heap.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    /// Gives the cheapest place to another job at another price; returns the job that held it.
    fn replace(&mut self, place: Place) -> u32 {
        let out = self.taken[0].job;
        self.taken[0] = place;
        self.sink(0);
        out
    }

    /// Frees the cheapest place; returns the job that held it.
    fn pop(&mut self) -> u32 {
        let out = self.taken.swap_remove(0).job;
        self.sink(0);
        out
    }

    /// Restores the order below a place.
    fn sink(&mut self, mut at: usize) {
        let heap = &mut self.taken;
        loop {
            let mut child = 2 * at + 1;
            if child >= heap.len() {
                return;
            }
            if child + 1 < heap.len() && heap[child + 1].before(&heap[child]) {
                child += 1;
            }
            if !heap[child].before(&heap[at]) {
                return;
            }
            heap.swap(at, child);
            at = child;
        }
    }

    fn cheapest_taken(&self) -> f64 {
        self.taken.first().map_or(f64::INFINITY, |place| place.price)
    }

    fn free_places(&self) -> u32 {
        // No resource holds more than its capacity.
        self.capacity - self.taken.len() as u32
    }

    /// Whether the cheapest place is a free one.
    fn offers_free(&self) -> bool {
        self.free_places() > 0 && self.free <= self.cheapest_taken()
    }

    /// The price of the cheapest place.
    fn cheapest(&self) -> f64 {
        let taken = self.cheapest_taken();
        if self.free_places() > 0 && self.free < taken { self.free } else { taken }
    }
}
