//! The stages of a search over whole rows: bids, then paths for as long as these can be expected to end soon.

use crate::kernel::float::Float;
use crate::kernel::prepared::Prepared;
use crate::kernel::row_search::RowSearch;
use crate::kernel::stop::Stop;
use crate::rows::costs::Rows;
use crate::rows::paths::FullRows;
use crate::rows::reduction::Reduction;
use crate::rows::standing::Standing;

/// Passes over the costs.
#[derive(Clone, Copy)]
pub(crate) struct Passes {
    /// That bids may read.
    pub(super) bids: u64,
    /// That paths may read before what is left counts.
    pub(super) sure: u64,
    /// That all paths may be expected to read.
    pub(super) expected: u64,
}

/// Where more than one job in so many waits after bids, other prices to begin with are tried; they must leave
/// half as many.
const MANY_LEFT: usize = 4;

impl Default for Passes {
    fn default() -> Self {
        Self { bids: 2, sure: 1, expected: 32 }
    }
}

impl Passes {
    /// Where each row that is read for the first time must be checked, and costs of few bits are copied
    /// before many are read.
    pub(crate) fn few() -> Self {
        Self { expected: 6, ..Self::default() }
    }
}

/// Nobody but who is alone in finding this resource the cheapest, or comes first.
pub(super) fn begin<F: Float>(
    prepared: &Prepared<'_>,
    prices: Vec<F>,
    cheapest: Option<&[u32]>,
) -> Standing<F> {
    let mut standing = Standing::new(prepared.jobs(), prices);
    for (job, &r) in (0..).zip(cheapest.unwrap_or_default()) {
        standing.place(job, r);
    }
    standing
}

/// Bids; those who wait still come with it.
pub(super) fn bid<R: Rows>(
    prepared: &Prepared<'_>,
    rows: &R,
    standing: Standing<R::Cost>,
    passes: Passes,
) -> Result<(Standing<R::Cost>, Vec<u32>), Stop> {
    let (n, m) = (prepared.jobs(), prepared.source.cols());
    let all = n as u64 * rows.work(m);
    let mut reduction = Reduction::new(rows, prepared.watch, standing);
    let mut waiting = reduction.reduce(passes.bids.saturating_mul(all))?;
    if prepared.is_tight() && waiting.len() * MANY_LEFT > n {
        // Columns before rows may suit these costs.
        let mut other = Reduction::from_columns(rows, prepared.watch, n, m)?;
        let left = other.reduce((passes.bids + 1).saturating_mul(all))?;
        if left.len() * 2 < waiting.len() {
            (reduction, waiting) = (other, left);
        }
    }
    Ok((reduction.standing, waiting))
}

/// What all paths take, by what some have: the fewer jobs wait, the longer is the path of the next, about as
/// the number waiting falls. That mostly foretells more than it takes, up to twice as much.
struct Foretold {
    jobs: usize,
    /// The sum of 1 / the number waiting, over the paths found, and over all.
    found: f64,
    all: f64,
}

impl Foretold {
    fn new(jobs: usize) -> Self {
        Self { jobs, found: 0.0, all: (1..=jobs).map(|waiting| 1.0 / waiting as f64).sum() }
    }

    /// A path will have been found, before which so many waited as have not been counted yet.
    fn one_more(&mut self) {
        self.found += 1.0 / self.jobs.max(1) as f64;
        self.jobs = self.jobs.saturating_sub(1);
    }

    /// Whether more than this is foretold, where that can be said.
    fn exceeds(&self, work: u64, done: usize, most: u64) -> bool {
        let all = self.jobs + done;
        8 * done >= all && 2 * done <= all && work as f64 * self.all > most as f64 * self.found
    }
}

/// Places who waits along shortest paths, for as long as what is left looks as if it took little.
pub(super) fn follow<R: Rows>(
    prepared: &Prepared<'_>,
    rows: &R,
    mut standing: Standing<R::Cost>,
    waiting: &[u32],
    passes: Passes,
) -> Result<Standing<R::Cost>, Stop> {
    let all = prepared.source.all_entries();
    let mut search = RowSearch::new(prepared.source.cols());
    // Half of it is the last path, for the longest come last.
    let mut path = 0;
    let mut foretold = Foretold::new(waiting.len());
    for (done, &job) in waiting.iter().enumerate() {
        let left = (waiting.len() - done) as u64;
        let expected = search.work.saturating_add(left.saturating_mul(path));
        // Where places are left over, paths do not grow by much.
        let is_foretold = prepared.is_tight()
            && foretold.exceeds(search.work, done, passes.expected.saturating_mul(2 * all));
        let is_expected = expected > passes.expected.saturating_mul(all);
        if search.work > passes.sure.saturating_mul(all) && (is_expected || is_foretold) {
            break;
        }
        foretold.one_more();
        if prepared.is_look_due() {
            let prices: Vec<f64> = standing.prices.iter().map(|&price| price.wide()).collect();
            prepared.look(&standing.resource_of, &prices)?;
        }
        let before = search.work;
        let mut offers = FullRows { rows, standing: &mut standing, watch: prepared.watch };
        if !search.augment(job, &mut offers, u64::MAX)? {
            break;
        }
        path = (path + (search.work - before)).div_ceil(2);
    }
    Ok(standing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_foretold_is_asked_in_the_middle_alone() {
        let mut foretold = Foretold::new(16);
        for done in 0..16 {
            // As long as 16, 8, 16 / 3, ... to 1, and so 16 in all times what all of them sum to.
            let sum = |from: usize| (from + 1..=16).map(|k| 1.0 / k as f64).sum::<f64>();
            let work = (1600.0 * sum(16 - done)) as u64;
            let all = (1600.0 * sum(0)) as u64;
            let can_say = (2..=8).contains(&done);
            assert_eq!(foretold.exceeds(work, done, all - all / 100), can_say, "{done}");
            assert!(!foretold.exceeds(work, done, all + all / 100), "{done}");
            foretold.one_more();
        }
    }
}
