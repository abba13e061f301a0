//! Windows where nodes are packed or spread, or where the spans of tasks are given.
//!
//! The live slots are kept in pools, one for each value of the label to pack by (one for all, where nodes are
//! not packed). A *group* of a pool are its slots with one value of the label to spread by. A pool keeps the
//! n cheapest of its slots, at most the allowed number of each group. The scans of requests without such
//! demands use none of this code.

mod bounded;
mod candidates;
mod cheapest;
mod classes;
mod least;
mod pool;
mod search;

pub(crate) use candidates::{Candidate, Level, Shared, again, candidates, levels, sweep};
pub(crate) use pool::most_of_a_group;
pub(crate) use search::most_at_once;

use crate::{
    Objective, SearchScratch, WindowQuery,
    error::Stop,
    scan::{Hold, Limits, Test},
};
use sched_model::{Eligible, Meter, check::Holding};
use search::Search;

/// Leaves the best window in the scratch's choice, as [`optimise`](crate::optimise::optimise) does.
pub(crate) fn optimise(
    query: WindowQuery<'_>,
    eligible: &Eligible,
    best: (Objective, Test),
    holding: Holding,
    limits: &Limits,
    scratch: &mut SearchScratch,
    meter: &mut Meter,
) -> Result<(), Stop> {
    let meter = Shared::new(meter);
    let mut search = Search::new(query, eligible, best, *limits, (&mut scratch.choice, &meter));
    let source = candidates(query, eligible, limits, &meter)?;
    match (holding, best.0) {
        (_, Objective::Cost) => search.cheapest(source, holding),
        (Holding::SlowestSpan, Objective::Runtime) => search.shortest(source),
        (Holding::OwnSpan, _) => {
            let own = Level { hold: Hold::Own(query.request.work()), longest: f64::INFINITY };
            search.level(source, own, None)
        }
        (Holding::SlowestSpan, _) => search.earliest(source),
    }
}
