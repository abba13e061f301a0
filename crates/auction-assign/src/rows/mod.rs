//! Whole rows, read in plain loops: bids and shortest paths without lists.
//!
//! R. Jonker, A. Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment
//! problems (1987): prices to begin with are the least of each column, bids without increment (augmenting row
//! reduction) place most jobs, and shortest paths over whole rows the others.
//!
//! Where many costs are equal, or rows are short, lists cost more than they save. An entry of a plain loop
//! takes a third of the time of one that is listed. So this search comes first, and continues as long as the
//! rest is expected to take little work.
//!
//! Deviations: a job that was outbid bids again after all others; a job whose cheapest resources are equal
//! takes a free one of them, if there is one, and displaces no other; where bids leave many jobs waiting, prices
//! from the columns alone are tried instead; the total work is predicted from the paths found.

mod paths;
mod reduction;

use crate::kernel::NONE;
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::watch::Stop;
use crate::problem::Form;
use crate::{AssignmentProblem, Coverage};
use paths::Search;
use reduction::Reduction;

/// Problems of fewer costs take little time by any method.
const LEAST_COSTS: usize = 1 << 12;

/// With more jobs, lists read less than whole rows.
const MOST_JOBS: usize = 4000;

/// Whether rows are full and stored, and each resource has one place, with places enough.
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

/// Places jobs from prices that are 0 wherever a resource may stay free, for problems that [`suit`](suit_prepared).
/// It is [`Stop::Long`] where every place will be taken and all paths together are predicted to read more than so
/// many `passes` over the costs.
pub(crate) fn place(prepared: &Prepared<'_>, passes: u64) -> Result<Found, Stop> {
    let mut standing = bid(prepared)?;
    follow(prepared, &mut standing, passes)?;
    let Standing { prices, resource_of, .. } = standing;
    let cost = |(job, &r): (usize, &u32)| prepared.source.cost(job, r as usize);
    let cost_of = resource_of.iter().enumerate().map(cost).collect();
    Ok(Found { resource_of, cost_of, prices, least_raise: f64::INFINITY })
}

/// Passes over the costs that bids may read.
const BIDS: u64 = 2;

/// Passes that paths may read before the prediction is tested.
const SURE: u64 = 1;

/// Where more than one job in so many waits after bids, other prices to begin with are tried; they must leave
/// half as many.
const MANY_LEFT: usize = 4;

/// Bids without increment.
fn bid(prepared: &Prepared<'_>) -> Result<Standing, Stop> {
    let n = prepared.jobs();
    let all = prepared.source.all_entries();
    let mut reduction = Reduction::new(prepared, prepared.start());
    let waiting = reduction.reduce(BIDS.saturating_mul(all))?;
    if prepared.is_tight() && waiting.len() * MANY_LEFT > n {
        // Columns before rows may suit these costs.
        let mut other = Reduction::from_columns(prepared)?;
        let left = other.reduce((BIDS + 1).saturating_mul(all))?;
        if left.len() * 2 < waiting.len() {
            reduction = other;
        }
    }
    Ok(reduction.standing)
}

/// Places the waiting jobs along shortest paths. Long where every place will be taken and all paths are predicted to
/// read more than these passes: where places are left over, paths grow little, and the auction would take as long.
fn follow(prepared: &Prepared<'_>, standing: &mut Standing, passes: u64) -> Result<(), Stop> {
    let waiting = standing.waiting();
    let all = prepared.source.all_entries();
    let most = passes.saturating_mul(all);
    let mut search = Search::new(prepared);
    // The last path counts half, since the longest paths come last.
    let mut path = 0;
    for (done, &job) in waiting.iter().enumerate() {
        let left = (waiting.len() - done) as u64;
        let expected = search.work.saturating_add(left.saturating_mul(path));
        if prepared.is_tight() && search.work > SURE * all && expected > most {
            return Err(Stop::Long);
        }
        prepared.look(&standing.resource_of, &standing.prices)?;
        let before = search.work;
        search.augment(job, standing)?;
        path = (path + (search.work - before)).div_ceil(2);
    }
    Ok(())
}

/// Placements and prices at which every placed job pays its least cost + price.
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
