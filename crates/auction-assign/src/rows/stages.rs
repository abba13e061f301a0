//! The stages of a search over whole rows: bids, then paths for as long as these can be expected to end soon.

use crate::kernel::float::Float;
use crate::kernel::foretold::Foretold;
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
    /// Passes that bids may read.
    pub(super) bids: u64,
    /// Passes that paths may read before the prediction is tested.
    pub(super) sure: u64,
    /// The most passes that all paths together may be predicted to read.
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

    /// The work that all paths together may be expected to do.
    pub(super) fn work(self, prepared: &Prepared<'_>) -> u64 {
        self.expected.saturating_mul(prepared.source.all_entries())
    }
}

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

/// Places the waiting jobs along shortest paths, as long as the rest is predicted to take little work.
pub(super) fn follow<R: Rows>(
    prepared: &Prepared<'_>,
    rows: &R,
    mut standing: Standing<R::Cost>,
    waiting: &[u32],
    passes: Passes,
) -> Result<Standing<R::Cost>, Stop> {
    let (all, most) = (prepared.source.all_entries(), passes.work(prepared));
    let mut search = RowSearch::new(prepared.source.cols());
    // The last path counts half, since the longest paths come last.
    let mut path = 0;
    let mut foretold = Foretold::new(waiting.len());
    for (done, &job) in waiting.iter().enumerate() {
        let left = (waiting.len() - done) as u64;
        let expected = search.work.saturating_add(left.saturating_mul(path));
        // Where places are left over, paths grow little.
        let is_foretold = prepared.is_tight() && foretold.exceeds(search.work, done, most.saturating_mul(2));
        if search.work > passes.sure.saturating_mul(all) && (expected > most || is_foretold) {
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
