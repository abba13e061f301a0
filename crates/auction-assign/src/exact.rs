//! From what rounded sums found to the exact optimum.
//!
//! The prices of a search in doubles become fixed-point numbers as they stand. A few jobs then turn out not to stand where
//! cost + price is least, by a last bit or two; these are taken out and placed again along shortest paths, in exact
//! arithmetic. The numbers are as wide as the costs need, up to the whole range of doubles.

use sched_model::{Outcome, Proof};

use crate::ends::width;
use crate::frame::{Found, Frame};
use crate::lists::Lists;
use crate::number::{Fixed, Number, Unit, lesser};
use crate::paths::Search;
use crate::solution::{Duals, Remainders, Shortage};
use crate::source::least_magnitude;
use crate::state::State;
use crate::{Answer, few};

/// The answer with duals and proof, from an assignment in which, but for rounding, every job stands where cost + price
/// is least and free places cost no more than any other. Without lists the resources must be few.
pub(crate) fn finish(frame: &Frame<'_>, found: Found, lists: Option<&mut Lists<'_, '_>>) -> Answer {
    if frame.sums_are_exact(&found) {
        return frame.finish(found);
    }
    let least = least_magnitude(&frame.source);
    let penalty = frame.void.filter(|&penalty| penalty != 0.0).map_or(f64::INFINITY, f64::abs);
    let unit = Unit::below(least.min(penalty));
    let prices = found.prices.iter().filter(|price| price.is_finite());
    let greatest = prices.fold(frame.survey.greatest, |a, price| a.max(price.abs()));
    // A price differs from another, and a distance from 0, by no more than a path through all jobs sums to.
    let nodes = (found.resource_of.len() + found.prices.len()) as f64;
    let bits = unit.bits(greatest) + Unit(0).bits(nodes) + 4;
    if bits <= Fixed::<2>::BITS {
        close::<2>(frame, found, unit, lists)
    } else if bits <= Fixed::<4>::BITS {
        close::<4>(frame, found, unit, lists)
    } else {
        close::<21>(frame, found, unit, lists)
    }
}

/// As [`finish`], for an assignment found without lists.
pub(crate) fn finish_ranked(frame: &Frame<'_>, found: Found) -> Answer {
    if frame.sums_are_exact(&found) {
        return frame.finish(found);
    }
    let mut lists = Lists::new(&frame.source, frame.void, width(frame), &found.prices);
    finish(frame, found, Some(&mut lists))
}

fn close<const LIMBS: usize>(
    frame: &Frame<'_>,
    found: Found,
    unit: Unit,
    lists: Option<&mut Lists<'_, '_>>,
) -> Answer {
    let Found { resource_of, cost_of, prices, finest } = found;
    let prices = prices.into_iter().map(|price| Fixed::<LIMBS>::of(price, unit)).collect();
    let found = Found { resource_of, cost_of, prices, finest };
    let repaired = match lists {
        Some(lists) => repair(frame, found, unit, lists),
        None => few::repair(frame, found, unit),
    };
    match repaired {
        Ok(found) => conclude(frame, found, unit),
        Err(shortage) => Answer::Infeasible(shortage),
    }
}

/// Places again who does not stand where cost + price is least.
fn repair<N: Number>(
    frame: &Frame<'_>,
    found: Found<N>,
    unit: Unit,
    lists: &mut Lists<'_, '_>,
) -> Result<Found<N>, Shortage> {
    let Found { resource_of, cost_of, prices, finest } = found;
    let mut state = State::new(resource_of.len(), frame.capacities.clone(), prices, unit);
    lists.epoch += 1;
    let mut waiting = Vec::new();
    for (i, (&r, &cost)) in resource_of.iter().zip(&cost_of).enumerate() {
        if is_cheaper(i, state.value(cost, r), &state, lists) {
            waiting.push(i as u32);
        } else {
            state.place(i as u32, r, cost);
        }
    }
    let mut search = Search::new(&state);
    for job in waiting {
        search.augment(job, &mut state, lists)?;
    }
    if !frame.is_tight() {
        search.settle(&mut state, lists);
    }
    Ok(Found { resource_of: state.resource_of, cost_of: state.cost_of, prices: state.prices, finest })
}

/// Whether a job has an offer below what it pays.
fn is_cheaper<N: Number>(i: usize, paid: N, state: &State<N>, lists: &mut Lists<'_, '_>) -> bool {
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

fn conclude<const LIMBS: usize>(frame: &Frame<'_>, found: Found<Fixed<LIMBS>>, unit: Unit) -> Answer {
    let Found { resource_of, cost_of, mut prices, .. } = found;
    let zero = prices.iter().copied().fold(Number::INFINITY, lesser);
    for price in prices.iter_mut().filter(|price| price.is_finite()) {
        *price = *price - zero;
    }
    frame.price_closed(&resource_of, &cost_of, &mut prices, unit);
    let profit = |cost: f64, r: u32| Fixed::default() - (Fixed::<LIMBS>::of(cost, unit) + prices[r as usize]);
    let profits: Vec<_> = resource_of.iter().zip(&cost_of).map(|(&r, &cost)| profit(cost, r)).collect();
    let waiting: Vec<_> =
        frame.void.map(|cost| profit(cost, frame.source.cols() as u32)).into_iter().collect();
    prices.truncate(frame.source.cols());
    let mut assignment = frame.assignment(&resource_of, &cost_of);
    assignment.duals = Some(duals(&profits, &prices, &waiting, unit));
    Answer::Assigned(Outcome { solution: assignment, proof: Proof::Exact })
}

/// The duals as doubles.
fn duals<const LIMBS: usize>(
    profits: &[Fixed<LIMBS>],
    prices: &[Fixed<LIMBS>],
    waiting: &[Fixed<LIMBS>],
    unit: Unit,
) -> Duals {
    let mut parts = Vec::new();
    let mut longest = 1;
    for number in profits.iter().chain(prices).chain(waiting) {
        number.parts(unit, &mut parts);
        longest = longest.max(parts.len());
    }
    let each = longest - 1;
    let mut split = |numbers: &[Fixed<LIMBS>]| {
        let mut doubles = Vec::with_capacity(numbers.len());
        let mut rest = Vec::with_capacity(numbers.len() * each);
        for number in numbers {
            number.parts(unit, &mut parts);
            parts.resize(longest, 0.0);
            doubles.push(parts[0]);
            rest.extend_from_slice(&parts[1..]);
        }
        (doubles, rest)
    };
    let ((profits, profit_rest), (prices, price_rest), (waiting, waiting_rest)) =
        (split(profits), split(prices), split(waiting));
    let remainders = Remainders { each, profits: profit_rest, prices: price_rest, waiting: waiting_rest };
    Duals { profits, prices, waiting: waiting.first().copied(), remainders: (each > 0).then_some(remainders) }
}
