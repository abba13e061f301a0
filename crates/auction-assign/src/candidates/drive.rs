//! How the methods over candidate lists begin, and how they end.

use crate::Answer;
use crate::candidates::lists::CandidateLists;
use crate::candidates::paths::Search;
use crate::candidates::state::State;
use crate::kernel::NONE;
use crate::kernel::exact::{self, Repair};
use crate::kernel::number::{Number, Unit};
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::stop::Stop;

/// The assignment that places every job in its turn, and the bound of prices of 0: the first results of a
/// search under a limit.
pub(crate) fn first_look(prepared: &Prepared<'_>) -> Result<(), Stop> {
    if prepared.watch.wants_any() && prepared.jobs() > 0 {
        let nobody = vec![NONE; prepared.jobs()];
        prepared.look_now(&nobody, &vec![0.0; prepared.capacities.len()])?;
    }
    Ok(())
}

/// Offers per candidate list: more for rows of many entries, fewer for short rows.
pub(crate) fn width(prepared: &Prepared<'_>) -> usize {
    if prepared.source.is_sparse() { FEW_OFFERS } else { MANY_OFFERS }
}

const FEW_OFFERS: usize = 8;
const MANY_OFFERS: usize = 16;

/// The amount by which a job without a second choice raises a price: more than any difference of costs.
pub(crate) fn alone(prepared: &Prepared<'_>) -> f64 {
    4.0 * power_of_two(prepared.survey.greatest.max(1e-300))
}

/// The least amount by which a price beside the greatest cost is raised: less would be lost in rounding.
pub(crate) fn least_felt(prepared: &Prepared<'_>) -> f64 {
    (prepared.survey.greatest * 2f64.powi(-36)).max(f64::MIN_POSITIVE)
}

/// The greatest power of two not above a positive number.
pub(crate) fn power_of_two(value: f64) -> f64 {
    if value < f64::MIN_POSITIVE {
        f64::MIN_POSITIVE
    } else {
        f64::from_bits(value.to_bits() & (0x7ff << 52))
    }
}

/// The answer from an assignment found without lists, in which every job pays its least value up to rounding.
pub(crate) fn finish_ranked(prepared: &Prepared<'_>, found: Found) -> Result<Answer, Stop> {
    exact::finish(prepared, found, ByNewLists)
}

/// As [`ByPaths`], over lists that are made only if they are needed.
struct ByNewLists;

impl Repair for ByNewLists {
    fn repair<N: Number>(
        self,
        prepared: &Prepared<'_>,
        found: Found<N>,
        unit: Unit,
    ) -> Result<Found<N>, Stop> {
        let view: Vec<f64> = found.prices.iter().map(|price| price.down(unit)).collect();
        let mut lists = CandidateLists::new(prepared, width(prepared), &view)?;
        ByPaths(&mut lists).repair(prepared, found, unit)
    }
}

/// Repairs an assignment along shortest paths.
pub(super) struct ByPaths<'l, 'a>(pub(super) &'l mut CandidateLists<'a>);

impl Repair for ByPaths<'_, '_> {
    fn repair<N: Number>(
        self,
        prepared: &Prepared<'_>,
        found: Found<N>,
        unit: Unit,
    ) -> Result<Found<N>, Stop> {
        let lists = self.0;
        let Found { resource_of, cost_of, prices, least_raise } = found;
        let mut state = State::new(resource_of.len(), prepared.capacities.clone(), prices, unit);
        lists.epoch += 1;
        let mut waiting = Vec::new();
        let mut seen = lists.work;
        for (i, (&r, &cost)) in resource_of.iter().zip(&cost_of).enumerate() {
            prepared.watch.spend_since(&mut seen, lists.work)?;
            if is_cheaper(i, state.value(cost, r), &state, lists) {
                waiting.push(i as u32);
            } else {
                state.place(i as u32, r, cost);
            }
        }
        let mut search = Search::new(&state);
        for job in waiting {
            search.augment(job, &mut state, lists, prepared.watch)?;
        }
        if !prepared.is_tight() {
            search.settle(&mut state, lists, prepared.watch)?;
        }
        Ok(Found {
            resource_of: state.resource_of,
            cost_of: state.cost_of,
            prices: state.prices,
            least_raise,
        })
    }
}

/// Whether a job has an offer below what it pays.
fn is_cheaper<N: Number>(i: usize, paid: N, state: &State<N>, lists: &mut CandidateLists<'_>) -> bool {
    loop {
        for offer in lists.of(i) {
            if N::at_least(offer.key, state.unit) >= paid {
                break;
            }
            if state.value(offer.cost, offer.resource) < paid {
                return true;
            }
        }
        if N::at_least(lists.bound(i), state.unit) >= paid {
            return false;
        }
        if !lists.stale(i) {
            break;
        }
        lists.refill(i, &state.view);
    }
    let mut cheaper = false;
    lists.every(i, &state.view, paid.limit(state.unit), |r, cost| {
        cheaper |= state.value(cost, r) < paid;
    });
    cheaper
}
