//! The cheapest slowest-span window: each level by the ranks of its nodes' costs, the level of least
//! bound first.

use super::{
    catalogue::Catalogue,
    pass::{Candidate, Pass},
};
use crate::{
    WindowQuery,
    error::Stop,
    subset::rounding,
    sweep::{Choice, Limits, held_for_slowest},
};
use sched_model::{Meter, Span, check::Holding, order::sort};

/// Leaves the cheapest window in the choice; of equally cheap ones the first to start, then the shorter.
/// Where it was stopped, the cheapest found so far.
///
/// Costs take the place of reduced values, with the sign changed: the n of greatest reduced value are the n
/// cheapest, so that where a bound is attained they are the answer.
pub(crate) fn cheapest(
    query: WindowQuery<'_>,
    limits: &Limits,
    (catalogue, pass): (&mut Catalogue, &mut Pass),
    choice: &mut Choice,
    meter: &mut Meter,
) -> Result<(), Stop> {
    let n = query.request.nodes();
    catalogue.list(query, limits, None, true, meter, |_, _| Ok(0.0))?;
    // A bound of the cost, the span, and the number of classes that take no longer.
    let mut levels: Vec<(f64, Span, usize)> = Vec::new();
    // With a value of 0 and a multiplier of 1, reduced values are costs with the sign changed.
    let within = (query.slots.tariff(), limits.budget);
    let of_costs = 1.0;
    for (span, classes) in catalogue.levels() {
        pass.list(catalogue, (classes, Some(span)), within, of_costs, meter)?;
        if pass.candidates.len() < n {
            continue;
        }
        pass.candidates.select_nth_unstable_by(n - 1, Candidate::order);
        let bound: f64 = pass.candidates[..n].iter().map(|candidate| candidate.cost).sum();
        levels.push((bound - rounding::of_costs(bound, n), span, classes));
    }
    sort(&mut levels, &|a, b| a.0.total_cmp(&b.0));
    // Cost, start and span of the best window so far, held for the span of its slowest node, which may be shorter
    // than that of the level.
    let mut best = (limits.budget, f64::INFINITY, f64::INFINITY);
    for (bound, span, classes) in levels {
        if bound > best.0 {
            break;
        }
        pass.list(catalogue, (classes, Some(span)), within, of_costs, meter)?;
        let needed = (rounding::of_costs(best.0, n), -best.0);
        pass.rank(n, needed, catalogue, |pieces| Ok(meter.spend(pieces as u64)?))?;
        if pass.ranked.len() < n {
            meter.spend(catalogue.pieces.len() as u64)?;
            continue;
        }
        let spend = |meter: &mut Meter, units: usize| Ok(meter.spend(units as u64)?);
        pass.run(catalogue, meter, spend, |pass, meter, now, arrival| {
            if !pass.may_reach(arrival, now, rounding::of_costs(best.0, n), -best.0) {
                return Ok(());
            }
            meter.spend(n as u64)?;
            let chosen = pass.members[..n].iter().map(|&rank| &pass.ranked[rank as usize]);
            let classes = chosen.clone().map(|ranked| &catalogue.classes[ranked.class as usize]);
            let nodes = classes.map(|class| (class.price, class.own));
            let (cost, longest) = held_for_slowest(nodes, query.slots.tariff());
            if (cost, now, longest.get()) < best {
                best = (cost, now, longest.get());
                choice.set(now, Holding::SlowestSpan, chosen.map(|ranked| ranked.at));
            }
            Ok(())
        })?;
    }
    Ok(())
}
