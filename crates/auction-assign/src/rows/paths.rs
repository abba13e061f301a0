//! Shortest augmenting paths over whole rows.
//!
//! A search keeps the distances of all resources in one array, and settles all resources at the minimum distance
//! together. Deviation: the job from which a resource was reached is not stored, but found again for the resources of
//! the path, so that the loop over a row has no branches.

use crate::kernel::NONE;
use crate::kernel::lanes::{Float, max_finite_magnitude};
use crate::kernel::prepared::Prepared;
use crate::kernel::source::Source;
use crate::kernel::watch::Stop;
use crate::kernel::wide::{lower_to, min, positions_of};
use crate::solution::Shortage;

/// Costs of at most this many steps may be copied in 32 bits, where sums of whole numbers below `EXACT` are exact.
pub(super) const NARROW: f64 = (1 << 21) as f64;
const EXACT: f64 = (1 << 24) as f64;

/// The number of passes that paths may read before the prediction is used.
const PASSES_BEFORE_PREDICTION: u64 = 1;

/// A partial assignment with prices at which every placed job pays its minimum cost + price.
#[derive(Clone)]
pub(super) struct Partial {
    pub(super) prices: Vec<f64>,
    /// The job on each resource; [`NONE`] if it is free.
    pub(super) owner: Vec<u32>,
    /// The resource of each job; [`NONE`] if it is unplaced.
    pub(super) resource_of: Vec<u32>,
}

impl Partial {
    /// Creates a partial assignment in which no job is placed.
    pub(super) fn new(jobs: usize, prices: Vec<f64>) -> Self {
        Self { owner: vec![NONE; prices.len()], prices, resource_of: vec![NONE; jobs] }
    }

    /// The unplaced jobs, ascending.
    pub(super) fn unplaced(&self) -> Vec<u32> {
        (0..self.resource_of.len() as u32).filter(|&job| self.resource_of[job as usize] == NONE).collect()
    }
}

/// Costs as paths read them, multiplied by a power of two, the scale.
pub(super) trait CostRows {
    type Number: Float;
    fn scale(&self) -> f64;
    fn row<'r>(&'r self, job: u32, buffer: &'r mut Vec<f64>) -> &'r [Self::Number];
    fn cost(&self, job: u32, resource: u32) -> Self::Number;
}

impl CostRows for Source<'_> {
    type Number = f64;

    fn scale(&self) -> f64 {
        1.0
    }

    fn row<'r>(&'r self, job: u32, buffer: &'r mut Vec<f64>) -> &'r [f64] {
        self.row(job as usize, buffer).costs()
    }

    fn cost(&self, job: u32, resource: u32) -> f64 {
        self.cost(job as usize, resource as usize)
    }
}

/// A copy of the costs in 32 bits, scaled to whole numbers.
struct NarrowCopy {
    scale: f64,
    cols: usize,
    values: Vec<f32>,
}

impl CostRows for NarrowCopy {
    type Number = f32;

    fn scale(&self) -> f64 {
        self.scale
    }

    fn row<'r>(&'r self, job: u32, _: &'r mut Vec<f64>) -> &'r [f32] {
        &self.values[job as usize * self.cols..][..self.cols]
    }

    fn cost(&self, job: u32, resource: u32) -> f32 {
        self.values[job as usize * self.cols + resource as usize]
    }
}

/// As [`place_by_paths`], by a copy of the costs in 32 bits. Returns false, and leaves `partial` as it was, if there is
/// no memory for the copy, or if sums were not exact in it.
pub(super) fn place_in_copy(
    prepared: &Prepared<'_>,
    partial: &mut Partial,
    passes: u64,
) -> Result<bool, Stop> {
    let Prepared { source, survey, watch, .. } = prepared;
    let entries = source.all_entries();
    let Some(_reserved) = watch.reserve_optional::<f32>(entries as usize, prepared.jobs()) else {
        return Ok(false);
    };
    watch.spend(entries)?;
    let (scale, mut buffer) = (1.0 / survey.step, Vec::new());
    let mut values = Vec::with_capacity(entries as usize);
    for job in 0..prepared.jobs() as u32 {
        values.extend(CostRows::row(source, job, &mut buffer).iter().map(|cost| (cost * scale) as f32));
    }
    let mut copied = partial.clone();
    place_by_paths(prepared, &NarrowCopy { scale, cols: source.cols(), values }, &mut copied, passes)?;
    let is_exact = 4.0 * (survey.max_magnitude + max_finite_magnitude(&copied.prices)) <= EXACT * survey.step;
    if is_exact {
        *partial = copied;
    }
    Ok(is_exact)
}

/// Places the unplaced jobs along shortest paths. Stops and returns false if all paths together are predicted to read
/// more than `passes` passes over the costs.
pub(super) fn place_by_paths<R: CostRows>(
    prepared: &Prepared<'_>,
    rows: &R,
    partial: &mut Partial,
    passes: u64,
) -> Result<bool, Stop> {
    let unplaced = partial.unplaced();
    let all = prepared.source.all_entries();
    let max_work = passes.saturating_mul(all);
    let mut search = Search::new(prepared, rows);
    // The predicted work of a path: a running mean in which the last path counts half, because later paths are longer.
    let mut path = 0;
    for (done, &job) in unplaced.iter().enumerate() {
        let left = (unplaced.len() - done) as u64;
        let expected = search.work.saturating_add(left.saturating_mul(path));
        if search.work > PASSES_BEFORE_PREDICTION * all && expected > max_work {
            return Ok(false);
        }
        prepared.look(&partial.resource_of, &partial.prices)?;
        let before = search.work;
        search.augment(job, partial)?;
        path = (path + (search.work - before)).div_ceil(2);
    }
    Ok(true)
}

/// A settled resource.
#[derive(Clone, Copy)]
struct Settled<F> {
    resource: u32,
    /// The distance of the resource.
    at: F,
    /// The job from which the resource was reached; [`NONE`] if it is not known yet.
    from: u32,
}

/// A search for shortest augmenting paths, whose arrays are used again by the next search.
struct Search<'p, 'a, R: CostRows> {
    prepared: &'p Prepared<'a>,
    rows: &'p R,
    /// For each resource the minimum cost + price - offset so far; infinite if the resource is settled.
    distance: Vec<R::Number>,
    /// The prices, infinite where a resource is settled.
    open: Vec<R::Number>,
    /// A buffer for a row that has to be written out.
    buffer: Vec<f64>,
    settled: Vec<Settled<R::Number>>,
    /// The jobs whose rows were read, with the offset that was subtracted.
    read: Vec<(u32, R::Number)>,
    /// The moves of the path as (job, resource), the last one first.
    path: Vec<(u32, u32)>,
    /// The settled resources at the present distance whose jobs have not been relaxed yet.
    todo: Vec<u32>,
    /// The work of all searches.
    work: u64,
}

impl<'p, 'a, R: CostRows> Search<'p, 'a, R> {
    fn new(prepared: &'p Prepared<'a>, rows: &'p R) -> Self {
        let resources = prepared.source.cols();
        Self {
            prepared,
            rows,
            distance: vec![Float::INFINITY; resources],
            open: Vec::with_capacity(resources),
            buffer: Vec::new(),
            settled: Vec::new(),
            read: Vec::new(),
            path: Vec::new(),
            todo: Vec::new(),
            work: 0,
        }
    }

    /// Places one more job along a shortest path, on which others move, and raises prices so that every placed job
    /// still pays its minimum cost + price.
    ///
    /// Invariant: resources are settled in ascending order of distance; the price of a settled resource nearer than the
    /// end of the path rises by the difference of the distances.
    fn augment(&mut self, job: u32, partial: &mut Partial) -> Result<(), Stop> {
        let last = self.explore(job, partial)?;
        self.find_path(last, job, partial);
        // The filter also makes sure that rounding does not lower a price.
        for &Settled { resource, at, .. } in self.settled.iter().filter(|settled| settled.at < last.at) {
            let price = &mut partial.prices[resource as usize];
            *price += (last.at - at).into() / self.rows.scale();
        }
        // The moves begin at the end of the path, so each job leaves its resource before another takes it.
        for &(job, to) in &self.path {
            partial.resource_of[job as usize] = to;
            partial.owner[to as usize] = job;
        }
        Ok(())
    }

    /// Settles resources until one is free; returns this one, the end of the path.
    fn explore(&mut self, job: u32, partial: &Partial) -> Result<Settled<R::Number>, Stop> {
        self.distance.fill(Float::INFINITY);
        self.open.clear();
        let scale = self.rows.scale();
        self.open.extend(partial.prices.iter().map(|price| R::Number::of(price * scale)));
        self.settled.clear();
        self.read.clear();
        self.todo.clear();
        let mut seen = self.work;
        self.work += 2 * self.distance.len() as u64;
        let mut level = self.read_row(job, Float::of(0.0));
        loop {
            self.prepared.watch.spend_since(&mut seen, self.work)?;
            if !(level < Float::INFINITY) {
                let resources: Vec<u32> = self.settled.iter().map(|settled| settled.resource).collect();
                let owners = resources.iter().map(|&r| partial.owner[r as usize]);
                let jobs = owners.chain([job]).collect();
                let capacity = resources.len() as u64;
                return Err(Shortage::new(jobs, resources, capacity).into());
            }
            if let Some(last) = self.settle(level, NONE, partial) {
                return Ok(last);
            }
            let mut nearest = Float::INFINITY;
            while let Some(r) = self.todo.pop() {
                self.prepared.watch.spend_since(&mut seen, self.work)?;
                let i = partial.owner[r as usize];
                let paid = self.rows.cost(i, r) + Float::of(partial.prices[r as usize] * scale);
                nearest = self.read_row(i, paid - level);
                if nearest <= level {
                    // Not farther than the present resource, so it was reached from this row. Rounded sums may have
                    // given the same distance from an earlier row: then its row is looked for later.
                    let from = if self.prepared.survey.step == 0.0 { NONE } else { i };
                    if let Some(last) = self.settle(nearest, from, partial) {
                        return Ok(last);
                    }
                }
            }
            // All resources at this distance are settled; the last row read gave the minimum distance of the others.
            level = if nearest <= level { min(&self.distance) } else { nearest };
        }
    }

    /// Relaxes the row of a job: lowers each distance to cost + price - `offset` where that is less. Returns the
    /// minimum distance.
    fn read_row(&mut self, job: u32, offset: R::Number) -> R::Number {
        self.read.push((job, offset));
        let row = self.rows.row(job, &mut self.buffer);
        self.work += row.len() as u64;
        lower_to(&mut self.distance, row, &self.open, offset)
    }

    /// Settles every resource at distance `at` and adds it to `todo`. If one is free, returns the first such instead.
    fn settle(&mut self, at: R::Number, from: u32, partial: &Partial) -> Option<Settled<R::Number>> {
        let first = self.todo.len();
        positions_of(&self.distance, at, &mut self.todo);
        let mut nearest = self.todo[first..].iter();
        if let Some(&resource) = nearest.find(|&&r| partial.owner[r as usize] == NONE) {
            return Some(Settled { resource, at, from });
        }
        for &resource in &self.todo[first..] {
            self.distance[resource as usize] = Float::INFINITY;
            self.open[resource as usize] = Float::INFINITY;
            self.settled.push(Settled { resource, at, from });
        }
        None
    }

    /// Finds the moves of the path, from the last resource back to `first`, the job that is to be placed.
    fn find_path(&mut self, last: Settled<R::Number>, first: u32, partial: &Partial) {
        self.path.clear();
        let (mut to, mut before) = (last, self.settled.len());
        loop {
            let price: R::Number = Float::of(partial.prices[to.resource as usize] * self.rows.scale());
            // The first row read from which the resource is reached at this distance; it was read before the resource
            // was settled.
            let leads = |&&(job, offset): &&(u32, R::Number)| {
                self.rows.cost(job, to.resource) + price - offset == to.at
            };
            let found =
                if to.from == NONE { self.read.iter().find(leads).map(|read| read.0) } else { Some(to.from) };
            let Some(job) = found else { return };
            self.path.push((job, to.resource));
            if job == first {
                return;
            }
            // Continue with the resource on which this job was before.
            let here = partial.resource_of[job as usize];
            let Some(at) = self.settled[..before].iter().rposition(|settled| settled.resource == here) else {
                return;
            };
            (to, before) = (self.settled[at], at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::watch::watched;
    use crate::{AssignmentProblem, Costs};
    use sched_model::Limit;

    const N: usize = 40;

    /// The partial assignments by the costs and by a copy, from these prices, and whether the copy was exact.
    fn both(cost: impl Fn(usize) -> f64, price: f64) -> (Partial, Partial, bool) {
        let values: Vec<f64> = (0..N * N).map(cost).collect();
        let problem = AssignmentProblem::new(Costs::dense(N, N, &values).unwrap());
        let (mut wide, mut is_exact) = (Partial::new(N, vec![price; N]), false);
        let mut narrow = wide.clone();
        let run = watched(&problem, &mut Limit::none().meter(), |watch| {
            let prepared = Prepared::new(&problem, watch)?;
            assert!(place_by_paths(&prepared, &prepared.source, &mut wide, u64::MAX)?);
            is_exact = place_in_copy(&prepared, &mut narrow, u64::MAX)?;
            Err(Stop::TurnOver)
        });
        assert!(run.unwrap().best.is_none());
        (wide, narrow, is_exact)
    }

    #[test]
    fn a_copy_gives_what_the_costs_give() {
        for quarters in [1, 997, 1 << 21] {
            let cost = |k: usize| (k * 7919 % (quarters + 1)) as f64 / 4.0;
            let (wide, narrow, is_exact) = both(cost, 0.0);
            assert!(is_exact && wide.unplaced().is_empty());
            assert_eq!((wide.prices, wide.resource_of), (narrow.prices, narrow.resource_of));
        }
    }

    #[test]
    fn a_copy_is_left_where_sums_are_not_exact_in_it() {
        for (price, expected) in [(4_194_000.0, true), (4_195_000.0, false)] {
            let (_, narrow, is_exact) = both(|k| (k % 7) as f64, price);
            assert_eq!((is_exact, narrow.unplaced().is_empty()), (expected, expected), "{price}");
        }
    }
}
