//! Many jobs on few resources, capacities not expanded.
//!
//! Successive shortest paths (R. G. Busacker, P. J. Gowen, 1961; with node prices J. Edmonds, R. M. Karp,
//! Theoretical improvements in algorithmic efficiency for network flow problems, 1972) on a graph whose nodes
//! are the resources: the arc from r to s is the cheapest move of a job from r to s. (The same view of the
//! transportation problem as in T. Tokuyama, J. Nakano, Geometric algorithms for the minimum cost assignment
//! problem, 1995.)
//!
//! Where every job has room on its cheapest resource, one pass gives the answer (`cheapest`). Else prices are
//! first found on samples of the jobs, each four times as large as the one before, with capacities in
//! proportion (`samples`). At those prices one pass places every job where cost + price is least, and keeps
//! the few pairs that can still matter (`core`). On these the resources that are over or under their capacity
//! are balanced, by single prices (`balance`) and along shortest paths (`paths`). Errors of rounding, and
//! cases that a core cannot decide, are resolved on all pairs of resources (`level`, `moves`, `search`).

mod balance;
pub(crate) mod cheapest;
mod cheapest_moves;
mod core;
mod dense;
mod level;
mod moves;
mod paths;
mod reached;
mod rows;
mod samples;
mod search;

use crate::candidates::drive;
use crate::kernel::exact::{self, Repair};
use crate::kernel::number::{Number, Unit};
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::stop::{Stop, answer};
use crate::kernel::watch::Watch;
use crate::{Answer, AssignError, Assigner, Problem};
use level::Level;
use rows::Rows;
use samples::{Progress, Samples};

/// Many jobs on few resources: a price for each resource, found on samples; then shortest paths over the
/// resources.
///
/// Source: successive shortest paths, R. G. Busacker, P. J. Gowen, 1961, with node prices of J. Edmonds, R.
/// M. Karp, 1972, over the cheapest moves between resources.
///
/// Prefer it where resources are few (up to some hundreds) and hold many jobs each. Guarantee: exact (see
/// [`Assigner`]). Time: some passes over the costs, and for every job that has to move from its place at the
/// sampled prices (about sqrt(jobs * resources) of them on random costs, at worst all jobs) at most a search
/// over the pairs that are kept; where every job finds room on its cheapest resource, one pass. Space
/// O(jobs + resources^2 + pairs kept), where a core begins with about 48 pairs per job at most. Ties: the
/// resource of least index that has room.
///
/// ```
/// use auction_assign::{Assigner, Costs, Transport, Problem};
/// // Four jobs, all best on resource 0, which holds two: those that lose least by moving go to resource 1.
/// let costs = Costs::dense(4, 2, &[1.0, 4.0, 1.0, 2.0, 1.0, 9.0, 1.0, 3.0])?;
/// let answer = Transport.assign(&Problem::new(costs).with_capacities(&[2, 2])?)?;
/// let assignment = answer.assignment().unwrap();
/// assert_eq!(assignment.resources, [Some(0), Some(1), Some(0), Some(1)]);
/// assert_eq!(assignment.total, 7.0);
/// # Ok::<(), auction_assign::AssignError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Transport;

/// The square of this many resources must fit into memory beside the jobs.
const MOST_RESOURCES: usize = 2000;

impl Assigner for Transport {
    fn name(&self) -> &'static str {
        "transport"
    }

    fn assign(&self, problem: &Problem<'_>) -> Result<Answer, AssignError> {
        if problem.resources() > MOST_RESOURCES {
            let reason = "more than 2000 resources";
            return Err(AssignError::Unsupported { method: self.name(), reason });
        }
        answer(solve(problem))
    }
}

/// Resources up to which errors of rounding are repaired by moves between every two of them.
const MOST_FOR_MOVES: usize = 256;

/// As [`Transport`], for any number of resources.
fn solve(problem: &Problem<'_>) -> Result<Answer, Stop> {
    if let Some(answer) = cheapest::assign(problem, Watch::NONE)? {
        return Ok(answer);
    }
    let prepared = Prepared::without_columns(problem, Watch::NONE)?;
    if let Some(answer) = BySamples::new(&prepared).go_on(u64::MAX)? {
        return Ok(answer);
    }
    loop {
        // No work exceeds the greatest number, so that one call gives the answer.
        if let Some(answer) = solve_within(&prepared, u64::MAX)? {
            return Ok(answer);
        }
    }
}

/// The answer, unless the searches on one of the samples, or on all jobs, would read more than `budget`
/// entries.
pub(crate) fn solve_within(prepared: &Prepared<'_>, budget: u64) -> Result<Option<Answer>, Stop> {
    let n = prepared.jobs();
    if n == 0 {
        return Ok(Some(prepared.finish(Found::nothing(prepared))));
    }
    let resources = prepared.capacities.len();
    let mut prices = vec![0.0; resources];
    let mut stride = 1;
    while n / (stride * 8) >= 16 * resources {
        stride *= 8;
    }
    loop {
        let rows = Rows::new(prepared, stride);
        let capacities = scaled(&prepared.capacities, n, rows.count());
        for (price, &capacity) in prices.iter_mut().zip(&prepared.capacities) {
            *price = if capacity == 0 { f64::INFINITY } else { *price };
        }
        let mut level = Level::new(rows, capacities, prices, Unit::NONE, prepared.watch);
        // A sample's share of the budget, twice: small samples have more to move beside their jobs.
        let share = if stride == 1 { budget } else { budget / stride as u64 * 2 };
        let is_whole = stride == 1;
        let outcome = level.solve(&[], share, |resource_of, prices| {
            if is_whole { prepared.look_overfull(resource_of, prices) } else { Ok(()) }
        });
        match outcome {
            Ok(false) => return Ok(None),
            Err(Stop::Ended(end)) => return Err(end.into()),
            _ => {}
        }
        if stride == 1 {
            outcome?;
            return exact::finish(prepared, level.into_found(), ByMoves).map(Some);
        }
        // A sample may be infeasible where the whole is not; its prices are then as good a start as any.
        prices = level.prices;
        stride /= 8;
    }
}

/// The search by samples and cores, which can be interrupted and continued.
pub(crate) struct BySamples<'f, 'a> {
    prepared: &'f Prepared<'a>,
    samples: Samples<'f, 'a>,
}

impl<'f, 'a> BySamples<'f, 'a> {
    pub(crate) fn new(prepared: &'f Prepared<'a>) -> Self {
        Self { prepared, samples: Samples::new(prepared) }
    }

    /// Continues until `limit` entries have been read in all; `None` if that does not suffice, or no limit
    /// would.
    pub(crate) fn go_on(&mut self, limit: u64) -> Result<Option<Answer>, Stop> {
        let Progress::Found(found) = self.samples.go_on(limit)? else { return Ok(None) };
        if self.prepared.capacities.len() <= MOST_FOR_MOVES {
            return exact::finish(self.prepared, found, ByMoves).map(Some);
        }
        drive::finish_ranked(self.prepared, found).map(Some)
    }
}

/// Repairs an assignment by moves between resources.
struct ByMoves;

impl Repair for ByMoves {
    fn repair<N: Number>(
        self,
        prepared: &Prepared<'_>,
        found: Found<N>,
        unit: Unit,
    ) -> Result<Found<N>, Stop> {
        let rows = Rows::new(prepared, 1);
        let mut level = Level::new(rows, prepared.capacities.clone(), found.prices, unit, prepared.watch);
        level.solve(&found.resource_of, u64::MAX, |_, _| Ok(()))?;
        Ok(level.into_found())
    }
}

/// Capacities in proportion for a sample of the jobs, rounded by largest remainders.
fn scaled(capacities: &[u32], jobs: usize, sample: usize) -> Vec<u32> {
    if sample == jobs {
        return capacities.to_vec();
    }
    let ratio = sample as f64 / jobs as f64;
    let exact: Vec<f64> = capacities.iter().map(|&c| f64::from(c) * ratio).collect();
    let mut scaled: Vec<u32> = exact.iter().map(|&c| c as u32).collect();
    let wanted = (exact.iter().sum::<f64>().round() as usize).max(sample);
    let mut order: Vec<usize> = (0..capacities.len()).filter(|&r| capacities[r] > 0).collect();
    order.sort_by(|&a, &b| (exact[b].fract()).total_cmp(&exact[a].fract()).then(a.cmp(&b)));
    let given: usize = scaled.iter().map(|&c| c as usize).sum();
    for &r in order.iter().cycle().take(wanted.saturating_sub(given)) {
        scaled[r] += 1;
    }
    scaled
}
