//! Whole rows, read in plain loops: bids and shortest paths without lists.
//!
//! R. Jonker, A. Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment problems
//! (1987): the initial prices are the least of each column, bids without increment (augmenting row reduction)
//! place most jobs, and shortest paths over whole rows place the others.
//!
//! Where many costs are equal, or rows are short, lists cost more than they save: an entry read in a plain loop
//! takes a third of the time of one that is listed. So this search comes first, and continues as long as little
//! work is expected to remain.
//!
//! Paths keep the distances to all resources in one array, and settle all resources at the least distance
//! together. Deviation: how a resource was reached is not stored, but found again from the rows on the path, so
//! that the loop over a row has no branches.
//!
//! Deviations of the bids: a job that was outbid bids again after all others; a job with several equally cheap
//! resources takes a free one, if there is one, and displaces no other job; if bids leave many jobs waiting,
//! prices from the columns alone are tried instead; the total work is predicted from the paths found so far.

use crate::costs::Form;
use crate::kernel::NONE;
use crate::kernel::lanes::{Float, greatest_finite};
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::source::{Row, Source};
use crate::kernel::watch::Stop;
use crate::kernel::wide::{TwoLeast, free_at_level, least, lower_to, positions_of, two_least};
use crate::solution::Shortage;
use crate::{AssignmentProblem, Coverage};

/// Problems of fewer costs are quick by any method.
const LEAST_COSTS: usize = 1 << 12;

/// With more jobs, lists read less than whole rows do.
const MOST_JOBS: usize = 4000;

/// Whether rows are full and stored, every resource has one place, and there are enough places.
fn suit(problem: &AssignmentProblem<'_>) -> bool {
    problem.is_one_to_one()
        && problem.jobs().saturating_mul(problem.resources()) >= LEAST_COSTS
        && problem.jobs() <= problem.resources()
        && problem.jobs() <= MOST_JOBS
        && !matches!(problem.coverage(), Coverage::Penalty(_))
        && matches!(problem.costs().form(), Form::Dense(_) | Form::Rows { .. })
}

/// As [`suit`], for costs that were checked.
pub(crate) fn suit_prepared(prepared: &Prepared<'_>) -> bool {
    prepared.dummy.is_none() && suit(&prepared.problem)
}

/// Costs of at most this many steps may be copied in 32 bits, where sums of whole numbers below `EXACT` are exact.
const NARROW: f64 = (1 << 21) as f64;
const EXACT: f64 = (1 << 24) as f64;

/// Paths that are predicted to read more passes than this are worth the copy.
const COPIED: u64 = 4;

/// Places all jobs, starting from prices that are 0 wherever a resource may stay free, for problems that
/// [`suit`](suit_prepared). Returns [`Stop::Long`] if every place will be taken and all paths together are
/// predicted to read more than this number of `passes` over the costs.
///
/// Long paths through whole costs of few bits read a copy in 32 bits, in about half the time. If prices then leave
/// the numbers that are exact in it, these paths are followed again without the copy.
pub(crate) fn place(prepared: &Prepared<'_>, passes: u64) -> Result<Found, Stop> {
    let mut standing = bid(prepared)?;
    // If places are left over, paths grow little, and the auction would take as long.
    let most = if prepared.is_tight() { passes } else { u64::MAX };
    let is_narrow = prepared.survey.greatest <= NARROW * prepared.survey.step;
    let first = if is_narrow { COPIED } else { most };
    if !follow(prepared, &prepared.source, &mut standing, first)?
        && !(is_narrow
            && (follow_copied(prepared, &mut standing, most)?
                || follow(prepared, &prepared.source, &mut standing, most)?))
    {
        return Err(Stop::Long);
    }
    let Standing { prices, resource_of, .. } = standing;
    let cost = |(job, &r): (usize, &u32)| prepared.source.cost(job, r as usize);
    let cost_of = resource_of.iter().enumerate().map(cost).collect();
    Ok(Found { resource_of, cost_of, prices, least_raise: f64::INFINITY })
}

/// Passes over the costs that bids may read.
const BIDS: u64 = 2;

/// Passes that paths may read before the prediction is tested.
const SURE: u64 = 1;

/// If more than one job in this many waits after the bids, other initial prices are tried; they must leave at most
/// half as many.
const MANY_LEFT: usize = 4;

/// Bids without increment.
fn bid(prepared: &Prepared<'_>) -> Result<Standing, Stop> {
    let n = prepared.jobs();
    let all = prepared.source.all_entries();
    let mut reduction = Reduction::new(prepared, prepared.start());
    let waiting = reduction.reduce(BIDS.saturating_mul(all))?;
    if prepared.is_tight() && waiting.len() * MANY_LEFT > n {
        // Subtracting the least of the columns before that of the rows may suit these costs.
        let mut other = Reduction::from_columns(prepared)?;
        let left = other.reduce((BIDS + 1).saturating_mul(all))?;
        if left.len() * 2 < waiting.len() {
            reduction = other;
        }
    }
    Ok(reduction.standing)
}

/// The costs as paths read them: times `scale`, a power of two.
trait Read {
    type Number: Float;
    fn scale(&self) -> f64;
    fn row<'r>(&'r self, job: u32, buffer: &'r mut Vec<f64>) -> &'r [Self::Number];
    fn cost(&self, job: u32, resource: u32) -> Self::Number;
}

impl Read for Source<'_> {
    type Number = f64;

    fn scale(&self) -> f64 {
        1.0
    }

    fn row<'r>(&'r self, job: u32, buffer: &'r mut Vec<f64>) -> &'r [f64] {
        let (Row::Full(row) | Row::Listed(_, row)) = self.row(job as usize, buffer);
        row
    }

    fn cost(&self, job: u32, resource: u32) -> f64 {
        self.cost(job as usize, resource as usize)
    }
}

/// A copy of the costs, as whole numbers.
struct Copied {
    scale: f64,
    cols: usize,
    values: Vec<f32>,
}

impl Read for Copied {
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

/// As [`follow`] to the end, by a copy; false if there is no room for it, or sums were not exact in it.
fn follow_copied(prepared: &Prepared<'_>, standing: &mut Standing, passes: u64) -> Result<bool, Stop> {
    let Prepared { source, survey, watch, .. } = prepared;
    let entries = source.all_entries();
    let Some(_room) = watch.room::<f32>(entries as usize, prepared.jobs()) else { return Ok(false) };
    watch.spend(entries)?;
    let (scale, mut buffer) = (1.0 / survey.step, Vec::new());
    let mut values = Vec::with_capacity(entries as usize);
    for job in 0..prepared.jobs() as u32 {
        values.extend(Read::row(source, job, &mut buffer).iter().map(|cost| (cost * scale) as f32));
    }
    let mut copied = standing.clone();
    if !follow(prepared, &Copied { scale, cols: source.cols(), values }, &mut copied, passes)? {
        return Err(Stop::Long);
    }
    let is_exact = 4.0 * (survey.greatest + greatest_finite(&copied.prices)) <= EXACT * survey.step;
    if is_exact {
        *standing = copied;
    }
    Ok(is_exact)
}

/// Places the waiting jobs along shortest paths. False if all paths are predicted to read more than this number of
/// passes.
fn follow<R: Read>(
    prepared: &Prepared<'_>,
    rows: &R,
    standing: &mut Standing,
    passes: u64,
) -> Result<bool, Stop> {
    let waiting = standing.waiting();
    let all = prepared.source.all_entries();
    let most = passes.saturating_mul(all);
    let mut search = Search::new(prepared, rows);
    // The last path counts half, since the longest paths come last.
    let mut path = 0;
    for (done, &job) in waiting.iter().enumerate() {
        let left = (waiting.len() - done) as u64;
        let expected = search.work.saturating_add(left.saturating_mul(path));
        if search.work > SURE * all && expected > most {
            return Ok(false);
        }
        prepared.look(&standing.resource_of, &standing.prices)?;
        let before = search.work;
        search.augment(job, standing)?;
        path = (path + (search.work - before)).div_ceil(2);
    }
    Ok(true)
}

/// Placements and prices at which every placed job pays its least cost + price.
#[derive(Clone)]
struct Standing {
    prices: Vec<f64>,
    /// The job on each resource.
    owner: Vec<u32>,
    resource_of: Vec<u32>,
}

impl Standing {
    /// No job placed.
    fn new(jobs: usize, prices: Vec<f64>) -> Self {
        Self { owner: vec![NONE; prices.len()], prices, resource_of: vec![NONE; jobs] }
    }

    /// The jobs that are not placed.
    fn waiting(&self) -> Vec<u32> {
        (0..self.resource_of.len() as u32).filter(|&job| self.resource_of[job as usize] == NONE).collect()
    }
}

/// Bids of jobs for the resources of a market.
struct Reduction<'p, 'a> {
    prepared: &'p Prepared<'a>,
    standing: Standing,
    buffer: Vec<f64>,
    minima: Vec<f64>,
    /// Work done so far.
    work: u64,
}

/// The result of a bid.
enum BidResult {
    Taken,
    /// The job that held the resource must bid again.
    Outbid(u32),
    /// No price would rise, and every cheapest resource is taken; or the job has at most one resource.
    Tie,
}

impl<'p, 'a> Reduction<'p, 'a> {
    /// No job placed.
    fn new(prepared: &'p Prepared<'a>, prices: Vec<f64>) -> Self {
        let standing = Standing::new(prepared.jobs(), prices);
        Self { prepared, standing, buffer: Vec::new(), minima: Vec::new(), work: 0 }
    }

    /// Starts with the least cost of each column as prices, which helps where columns differ greatly.
    fn from_columns(prepared: &'p Prepared<'a>) -> Result<Self, Stop> {
        let mut least = vec![f64::INFINITY; prepared.source.cols()];
        let mut buffer = Vec::new();
        for job in 0..prepared.jobs() {
            prepared.watch.spend(least.len() as u64)?;
            let (Row::Full(row) | Row::Listed(_, row)) = prepared.source.row(job, &mut buffer);
            for (least, &cost) in least.iter_mut().zip(row) {
                *least = if cost < *least { cost } else { *least };
            }
        }
        let price = |least: f64| if least < f64::INFINITY { 0.0 - least } else { 0.0 };
        let mut reduction = Self::new(prepared, least.into_iter().map(price).collect());
        reduction.work = prepared.source.all_entries();
        Ok(reduction)
    }

    /// The job takes its cheapest resource, whose price rises by the difference to the second cheapest.
    fn bid(&mut self, job: u32) -> Result<BidResult, Stop> {
        let Self { prepared, standing, buffer, minima, work } = self;
        let Standing { prices, owner, resource_of } = standing;
        let (Row::Full(row) | Row::Listed(_, row)) = prepared.source.row(job as usize, buffer);
        let units = row.len() as u64;
        prepared.watch.spend(units)?;
        *work += units;
        let TwoLeast { least, at, second } = two_least(row, prices, minima);
        if !(least < f64::INFINITY) {
            // No pair is admissible; the search for a path will report it.
            return Ok(BidResult::Tie);
        }
        let is_only = !(second < f64::INFINITY);
        let mut at = at;
        if owner[at] != NONE {
            if is_only {
                return Ok(BidResult::Tie);
            }
            if second == least {
                // Look for another of the cheapest resources that is free; each job begins at a different one.
                *work += units;
                prepared.watch.spend(units)?;
                let from = job as usize * row.len() / resource_of.len();
                match free_at_level(row, prices, least, owner, from) {
                    Some(free) => at = free,
                    None => return Ok(BidResult::Tie),
                }
            }
        }
        if !is_only {
            prices[at] += second - least;
        }
        let before = std::mem::replace(&mut owner[at], job);
        resource_of[job as usize] = at as u32;
        if before == NONE {
            return Ok(BidResult::Taken);
        }
        resource_of[before as usize] = NONE;
        Ok(BidResult::Outbid(before))
    }

    /// The waiting jobs bid in turn, and those that are outbid bid again in the next round, until `limit` entries
    /// have been read in all. Returns the jobs that still wait. A job that meets a tie bids once more.
    fn reduce(&mut self, limit: u64) -> Result<Vec<u32>, Stop> {
        let mut waiting = self.standing.waiting();
        let mut has_tied = vec![false; self.standing.resource_of.len()];
        let mut left = Vec::new();
        while !waiting.is_empty() {
            let mut next = Vec::new();
            for &job in &waiting {
                if self.work > limit {
                    left.push(job);
                    continue;
                }
                match self.bid(job)? {
                    BidResult::Taken => {}
                    BidResult::Outbid(other) => next.push(other),
                    BidResult::Tie if !std::mem::replace(&mut has_tied[job as usize], true) => next.push(job),
                    BidResult::Tie => left.push(job),
                }
            }
            waiting = next;
        }
        Ok(left)
    }
}

/// A resource at its distance.
#[derive(Clone, Copy)]
struct Settled<F> {
    resource: u32,
    at: F,
    /// The job whose row led here; [`NONE`] if it must be looked for.
    from: u32,
}

/// Searches for shortest augmenting paths; keeps its arrays from one search to the next.
struct Search<'p, 'a, R: Read> {
    prepared: &'p Prepared<'a>,
    rows: &'p R,
    /// For each resource the least cost + price - offset so far; infinite if the resource is settled.
    distance: Vec<R::Number>,
    /// The prices, infinite where a resource is settled.
    open: Vec<R::Number>,
    /// A buffer for a row that has to be written out.
    buffer: Vec<f64>,
    settled: Vec<Settled<R::Number>>,
    /// Jobs whose rows were read, with the offset that was subtracted.
    read: Vec<(u32, R::Number)>,
    /// The moves of the path, the last one first: job, resource.
    path: Vec<(u32, u32)>,
    /// Resources at the present distance that are still to be expanded.
    todo: Vec<u32>,
    /// Work of all searches.
    work: u64,
}

impl<'p, 'a, R: Read> Search<'p, 'a, R> {
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

    /// Places one more job, moving others along the cheapest path, and raises prices so that every placed job
    /// still pays its least cost + price.
    ///
    /// Invariant: distances are settled in ascending order; the price of a settled resource nearer than the end of
    /// the path rises by the difference.
    fn augment(&mut self, job: u32, standing: &mut Standing) -> Result<(), Stop> {
        let last = self.explore(job, standing)?;
        self.find_path(last, job, standing);
        // Rounding may not lower a price.
        for &Settled { resource, at, .. } in self.settled.iter().filter(|settled| settled.at < last.at) {
            let price = &mut standing.prices[resource as usize];
            *price += (last.at - at).into() / self.rows.scale();
        }
        // The job on this resource has moved away before another takes it.
        for &(job, to) in &self.path {
            standing.resource_of[job as usize] = to;
            standing.owner[to as usize] = job;
        }
        Ok(())
    }

    /// Settles resources until one has room: the end of the path.
    fn explore(&mut self, job: u32, standing: &Standing) -> Result<Settled<R::Number>, Stop> {
        self.distance.fill(Float::INFINITY);
        self.open.clear();
        let scale = self.rows.scale();
        self.open.extend(standing.prices.iter().map(|price| R::Number::of(price * scale)));
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
                let owners = resources.iter().map(|&r| standing.owner[r as usize]);
                let jobs = owners.chain([job]).collect();
                let capacity = resources.len() as u64;
                return Err(Shortage::new(jobs, resources, capacity).into());
            }
            if let Some(last) = self.settle(level, NONE, standing) {
                return Ok(last);
            }
            let mut nearest = Float::INFINITY;
            while let Some(r) = self.todo.pop() {
                self.prepared.watch.spend_since(&mut seen, self.work)?;
                let i = standing.owner[r as usize];
                let paid = self.rows.cost(i, r) + Float::of(standing.prices[r as usize] * scale);
                nearest = self.read_row(i, paid - level);
                if nearest <= level {
                    // As near as the present resource, so this row led to it, and room there ends the search.
                    // Rounding may make another resource nearer by a last bit.
                    let from = if self.prepared.survey.step == 0.0 { NONE } else { i };
                    if let Some(last) = self.settle(nearest, from, standing) {
                        return Ok(last);
                    }
                }
            }
            // Everything at the least distance is settled; the last row read gave the least of the others.
            level = if nearest <= level { least(&self.distance) } else { nearest };
        }
    }

    /// Lowers each distance to cost + price - offset of a job's row, where that is less; returns the least
    /// distance.
    fn read_row(&mut self, job: u32, offset: R::Number) -> R::Number {
        self.read.push((job, offset));
        let row = self.rows.row(job, &mut self.buffer);
        self.work += row.len() as u64;
        lower_to(&mut self.distance, row, &self.open, offset)
    }

    /// Settles every resource at this distance that a row led to, and queues it for expansion; the first with room
    /// ends the search.
    fn settle(&mut self, at: R::Number, from: u32, standing: &Standing) -> Option<Settled<R::Number>> {
        let first = self.todo.len();
        positions_of(&self.distance, at, &mut self.todo);
        let mut nearest = self.todo[first..].iter();
        if let Some(&resource) = nearest.find(|&&r| standing.owner[r as usize] == NONE) {
            return Some(Settled { resource, at, from });
        }
        for &resource in &self.todo[first..] {
            self.distance[resource as usize] = Float::INFINITY;
            self.open[resource as usize] = Float::INFINITY;
            self.settled.push(Settled { resource, at, from });
        }
        None
    }

    /// Finds the moves of the path, from the last resource back to the job that is to be placed.
    fn find_path(&mut self, last: Settled<R::Number>, first: u32, standing: &Standing) {
        self.path.clear();
        let (mut to, mut before) = (last, self.settled.len());
        loop {
            let price: R::Number = Float::of(standing.prices[to.resource as usize] * self.rows.scale());
            // The first row that leads here at this distance was read before the resource was settled.
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
            // Then the resource that its job was on before.
            let here = standing.resource_of[job as usize];
            let Some(at) = self.settled[..before].iter().rposition(|settled| settled.resource == here) else {
                return;
            };
            (to, before) = (self.settled[at], at);
        }
    }
}
