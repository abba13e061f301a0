//! The stages of a search over whole rows: bids, then paths for as long as these can be expected to end soon.

use crate::kernel::foretold::Foretold;
use crate::kernel::number::Float;
use crate::kernel::prepared::Prepared;
use crate::kernel::stop::Stop;
use crate::rows::costs::Rows;
use crate::rows::paths::Search;
use crate::rows::reduction::Reduction;
use crate::rows::standing::Standing;

/// Passes over the costs that bids may read.
const BIDS: u64 = 2;

/// Passes that paths may read before the prediction is tested.
const SURE: u64 = 1;

/// Where more than one job in so many waits after bids, other prices to begin with are tried; they must leave
/// half as many.
const MANY_LEFT: usize = 4;

/// Places each job on its cheapest resource, if it is the first job that has this one.
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

/// Bids; returns the jobs that still wait.
pub(super) fn bid<R: Rows>(
    prepared: &Prepared<'_>,
    rows: &R,
    standing: Standing<R::Cost>,
) -> Result<Standing<R::Cost>, Stop> {
    let (n, m) = (prepared.jobs(), prepared.source.cols());
    let all = n as u64 * rows.work(m);
    let mut reduction = Reduction::new(rows, prepared.watch, standing);
    let waiting = reduction.reduce(BIDS.saturating_mul(all))?;
    if prepared.is_tight() && waiting.len() * MANY_LEFT > n {
        // Columns before rows may suit these costs.
        let mut other = Reduction::from_columns(rows, prepared.watch, n, m)?;
        let left = other.reduce((BIDS + 1).saturating_mul(all))?;
        if left.len() * 2 < waiting.len() {
            reduction = other;
        }
    }
    Ok(reduction.standing)
}

/// Places the waiting jobs along shortest paths, until all are placed or sums would not be exact. Long where every
/// place will be taken and all paths are predicted to read more than these passes: where places are left over,
/// paths grow little, and the auction would take as long.
pub(super) fn follow<R: Rows>(
    prepared: &Prepared<'_>,
    rows: &R,
    standing: &mut Standing<R::Cost>,
    passes: u64,
) -> Result<(), Stop> {
    let waiting = standing.waiting();
    let all = prepared.source.all_entries();
    let most = passes.saturating_mul(all);
    let mut search = Search::new(rows, prepared.source.cols(), prepared.watch);
    // The last path counts half, since the longest paths come last.
    let mut path = 0;
    let mut foretold = Foretold::new(waiting.len());
    for (done, &job) in waiting.iter().enumerate() {
        let left = (waiting.len() - done) as u64;
        let expected = search.work.saturating_add(left.saturating_mul(path));
        let is_foretold = foretold.exceeds(search.work, done, most.saturating_mul(2));
        if prepared.is_tight() && search.work > SURE * all && (expected > most || is_foretold) {
            return Err(Stop::Long);
        }
        foretold.one_more();
        if prepared.is_look_due() {
            let prices: Vec<f64> = standing.prices.iter().map(|&price| price.wide()).collect();
            prepared.look(&standing.resource_of, &prices)?;
        }
        let before = search.work;
        if !search.augment(job, standing)? {
            break;
        }
        path = (path + (search.work - before)).div_ceil(2);
    }
    Ok(())
}
