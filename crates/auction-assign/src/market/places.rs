//! The places of one resource, each with a price of its own.

use smallvec::SmallVec;

#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) price: f64,
    pub(crate) job: u32,
}

impl Place {
    pub(crate) fn before(&self, other: &Self) -> bool {
        self.price < other.price || (self.price == other.price && self.job < other.job)
    }
}

/// The places of one resource.
#[derive(Clone)]
pub(crate) struct Places {
    /// The taken ones, the cheapest first (a binary heap).
    pub(crate) taken: SmallVec<[Place; 1]>,
    /// The price of every free place; no taken one is cheaper.
    pub(crate) free: f64,
    pub(crate) capacity: u32,
}

impl Places {
    pub(crate) fn push(&mut self, place: Place) {
        let heap = &mut self.taken;
        heap.push(place);
        let mut at = heap.len() - 1;
        while at > 0 && heap[at].before(&heap[(at - 1) / 2]) {
            heap.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    /// Gives the cheapest place to another job at another price; returns the job that held it.
    pub(crate) fn replace(&mut self, place: Place) -> u32 {
        let out = self.taken[0].job;
        self.taken[0] = place;
        self.sink(0);
        out
    }

    /// Frees the cheapest place; returns the job that held it.
    pub(crate) fn pop(&mut self) -> u32 {
        let out = self.taken.swap_remove(0).job;
        self.sink(0);
        out
    }

    /// Restores the order after any change of the taken places.
    pub(crate) fn restore(&mut self) {
        (0..self.taken.len() / 2).rev().for_each(|at| self.sink(at));
    }

    /// Restores the order below a place.
    pub(crate) fn sink(&mut self, mut at: usize) {
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

    pub(crate) fn cheapest_taken(&self) -> f64 {
        self.taken.first().map_or(f64::INFINITY, |place| place.price)
    }

    pub(crate) fn free_places(&self) -> u32 {
        // No resource holds more than its capacity.
        self.capacity - self.taken.len() as u32
    }

    /// Whether the cheapest place is a free one.
    pub(crate) fn offers_free(&self) -> bool {
        self.free_places() > 0 && self.free <= self.cheapest_taken()
    }

    /// The price of the cheapest place.
    pub(crate) fn cheapest(&self) -> f64 {
        let taken = self.cheapest_taken();
        if self.free_places() > 0 && self.free < taken { self.free } else { taken }
    }
}
