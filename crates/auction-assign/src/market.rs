//! The market of an auction: places with prices, and the bids of jobs for them. The terms are defined in
//! [`candidates`](crate::candidates).
//!
//! D. P. Bertsekas, D. A. Castañón, The auction algorithm for the transportation problem (1989): the places
//! of a resource are similar objects, each with its own price. A job takes the cheapest place of the resource
//! of minimum cost + price, and raises the price of that place by the difference to its second choice and by
//! epsilon.
//!
//! Deviation: the second choice is the best *other resource*, not the next place of the same one. In the end all
//! places of a resource have the price of the cheapest of them, at which every job on it is within epsilon of its
//! minimum cost + price. So a bid may raise a price to the point where the job prefers another resource, and fewer
//! bids are needed.

use smallvec::SmallVec;

use crate::Answer;
use crate::candidates::lists::CandidateLists;
use crate::candidates::{State, paths};
use crate::finish::finish;
use crate::kernel::NONE;
use crate::kernel::number::{Unit, power_of_two};
use crate::kernel::prepared::{Prepared, PricedAssignment};
use crate::kernel::watch::Stop;

/// The state of an auction: the resource of each job, the price of each place, and the candidate lists by which jobs
/// bid.
pub(crate) struct Market<'p, 'a> {
    pub(crate) prepared: &'p Prepared<'a>,
    pub(crate) lists: CandidateLists<'a>,
    /// The price of the cheapest place of each resource. It never falls.
    pub(crate) prices: Vec<f64>,
    /// The resource of each job; [`NONE`] for an unplaced one.
    pub(crate) resource_of: Vec<u32>,
    /// The cost of each placed job on its resource.
    pub(crate) cost_of: Vec<f64>,
    places_of: Vec<Places>,
    /// Number of bids so far.
    pub(crate) bids: usize,
    /// The minimum epsilon of the phases so far: see [`PricedAssignment::min_raise`].
    pub(crate) min_raise: f64,
    /// The amount by which a job without a second choice raises a price, more than any difference of costs.
    sole_raise: f64,
}

/// The maximum number of bids per job in [`Market::reduce`].
const REDUCTION_BIDS: usize = 2;

/// The work of a bid, in entries of a row.
const WORK_BID: u64 = 40;

/// The minimum epsilon by which prices of the magnitude of the costs are raised; a smaller one could be lost in
/// rounding.
pub(crate) fn min_increment(prepared: &Prepared<'_>) -> f64 {
    (prepared.survey.max_magnitude * 2f64.powi(-36)).max(f64::MIN_POSITIVE)
}

/// The result of a bid.
enum BidResult {
    /// The job took a free place.
    Taken,
    /// The job took the place of this job, which must bid again.
    Outbid(u32),
    /// The job was not placed, because no place is free on its best resources, and its bid would raise no price.
    Tie,
    /// The job was not placed, because it has no admissible resource.
    NoResource,
}

impl<'p, 'a> Market<'p, 'a> {
    /// Creates a market with the placements of `priced`, as far as there is room. Every place of a resource has the
    /// price of the resource.
    pub(crate) fn new(prepared: &'p Prepared<'a>, priced: PricedAssignment) -> Result<Self, Stop> {
        let lists = CandidateLists::new(prepared, &priced.prices)?;
        let PricedAssignment { mut resource_of, cost_of, mut prices, min_raise } = priced;
        for (price, _) in prices.iter_mut().zip(&prepared.capacities).filter(|&(_, &capacity)| capacity == 0)
        {
            // A resource without places is never considered.
            *price = f64::INFINITY;
        }
        let place = |(&free_price, &capacity)| Places { taken: SmallVec::new(), free_price, capacity };
        let mut places_of: Vec<Places> = prices.iter().zip(&prepared.capacities).map(place).collect();
        for (job, r) in (0..).zip(&mut resource_of) {
            match places_of.get_mut(*r as usize) {
                Some(places) if places.free_places() > 0 => {
                    places.push(Place { price: prices[*r as usize], job });
                }
                _ => *r = NONE,
            }
        }
        let sole_raise = 4.0 * power_of_two(prepared.survey.max_magnitude.max(1e-300));
        Ok(Self { prepared, lists, prices, resource_of, cost_of, places_of, bids: 0, min_raise, sole_raise })
    }

    /// Lets an unplaced job bid.
    fn bid(&mut self, job: u32, epsilon: f64) -> BidResult {
        self.bids += 1;
        let Some(best) = self.lists.best(job as usize, &self.prices) else { return BidResult::NoResource };
        let (mut resource, mut cost) = (best.resource, best.cost);
        let gap = match best.second {
            f64::INFINITY if epsilon == 0.0 => 0.0,
            f64::INFINITY => self.sole_raise,
            second => second - best.value,
        };
        if gap + epsilon == 0.0 && self.places_of[resource as usize].free_places() == 0 {
            // No price would rise: look for an equally cheap offer that has room.
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
        let out = if places.is_free_cheapest() {
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

    /// Runs one phase of the auction: lets jobs bid until every job is placed. Returns false if that takes more than
    /// `max_bids` bids, or if a job has no admissible resource.
    pub(crate) fn phase(&mut self, epsilon: f64, max_bids: usize) -> Result<bool, Stop> {
        let mut seen = self.spent();
        self.min_raise = self.min_raise.min(epsilon);
        let last = self.bids.saturating_add(max_bids);
        for first in 0..self.resource_of.len() as u32 {
            if self.resource_of[first as usize] != NONE {
                continue;
            }
            let mut job = first;
            loop {
                match self.bid(job, epsilon) {
                    BidResult::Taken => break,
                    BidResult::Outbid(rival) => job = rival,
                    BidResult::Tie | BidResult::NoResource => return Ok(false),
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

    /// The work of all bids and lists so far, in entries of a row.
    fn spent(&self) -> u64 {
        self.bids as u64 * WORK_BID + self.lists.work
    }

    /// Lets jobs bid with epsilon 0 (the augmenting row reduction of R. Jonker, A. Volgenant, A shortest augmenting
    /// path algorithm for dense and sparse linear assignment problems, 1987). A job that meets a tie stays unplaced.
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
                    BidResult::Taken | BidResult::Tie | BidResult::NoResource => break,
                }
            }
        }
        Ok(())
    }

    /// Removes every job that pays more than `slack` above its minimum cost + price, and sets the price of all places
    /// of a resource, taken or free, to that of its cheapest place. Otherwise a more expensive place, bid for at a
    /// larger epsilon, could become the cheapest later, and its job would pay more than epsilon above its minimum.
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
            // Restore the heap.
            (0..places.taken.len() / 2).rev().for_each(|at| places.sink(at));
            places.free_price = price;
            prepared.watch.spend_since(&mut seen, lists.work)?;
        }
        Ok(())
    }

    /// Brings the prices of free places to within epsilon of that of the cheapest place, as optimality requires if
    /// there are more places than jobs. Imaginary jobs that cost nothing anywhere hold the free places and bid for the
    /// cheapest place. Returns false if that takes more than `budget` bids, including those of the imaginary jobs.
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
                    highest_free = highest_free.max(places.free_price);
                }
            }
            // The prices of cheaper free places rise together, because only imaginary jobs hold these places.
            let common = lowest.min(highest_free);
            for (places, price) in self.places_of.iter_mut().zip(&mut self.prices) {
                if places.free_places() > 0 && places.free_price < common {
                    places.free_price = common;
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
            // The free places of a resource have one price: the freed place takes that of the others if it is higher.
            // The next turn of the loop tests whether they are too expensive then.
            let is_only = places.free_places() == 1;
            places.free_price =
                if is_only { lowest + epsilon } else { places.free_price.max(lowest + epsilon) };
            self.prices[at] = places.cheapest();
            self.prepared.watch.spend(self.places_of.len() as u64)?;
            if !self.phase(epsilon, last - self.bids)? {
                return Ok(false);
            }
        }
    }

    /// The assignment and the prices.
    pub(crate) fn into_priced(self) -> PricedAssignment {
        let Self { resource_of, cost_of, prices, min_raise, .. } = self;
        PricedAssignment { resource_of, cost_of, prices, min_raise }
    }

    /// Computes the exact answer from any prices: keeps the jobs that pay their minimum cost + price, places all others
    /// along shortest paths, and brings free places to the common level.
    pub(crate) fn close(mut self) -> Result<Answer, Stop> {
        self.keep_satisfied()?;
        self.close_by_paths()
    }

    /// Keeps the jobs that pay their minimum cost + price, at one price per resource; the others bid without increment,
    /// and stay out if they are not placed by it.
    pub(crate) fn keep_satisfied(&mut self) -> Result<(), Stop> {
        self.release(0.0)?;
        self.reduce()?;
        self.release(0.0)
    }

    /// Completes the answer by shortest paths, from a market after [`keep_satisfied`](Self::keep_satisfied).
    pub(crate) fn close_by_paths(self) -> Result<Answer, Stop> {
        let Self { prepared, mut lists, prices, resource_of, cost_of, min_raise, .. } = self;
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
        finish(prepared, state.into_priced(min_raise), Some(lists))
    }
}

/// A taken place of a resource.
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
    /// The taken places, as a binary heap with the cheapest first.
    taken: SmallVec<[Place; 1]>,
    /// The price of every free place.
    free_price: f64,
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

    /// Replaces the cheapest taken place by `place`; returns the job that held it.
    fn replace(&mut self, place: Place) -> u32 {
        let out = self.taken[0].job;
        self.taken[0] = place;
        self.sink(0);
        out
    }

    /// Frees the cheapest taken place; returns the job that held it.
    fn pop(&mut self) -> u32 {
        let out = self.taken.swap_remove(0).job;
        self.sink(0);
        out
    }

    /// Restores the order of the heap below position `at`.
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

    /// Whether a free place is the cheapest.
    fn is_free_cheapest(&self) -> bool {
        self.free_places() > 0 && self.free_price <= self.cheapest_taken()
    }

    /// The price of the cheapest place.
    fn cheapest(&self) -> f64 {
        let taken = self.cheapest_taken();
        if self.free_places() > 0 && self.free_price < taken { self.free_price } else { taken }
    }
}
