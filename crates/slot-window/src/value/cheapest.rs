//! The cheapest slowest-span window: each speed level by the ranks of its nodes' costs, the level of least
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
use sched_model::{Meter, Span, Speed, check::Holding, order::sort};

/// One speed level: no window of it costs less than `bound`.
#[derive(Debug, Clone, Copy)]
struct Level {
    bound: f64,
    span: Span,
    /// The number of classes, fastest first, that are fast enough.
    classes: usize,
}

/// Memory of the search.
#[derive(Debug, Default)]
pub(crate) struct CostScratch {
    levels: Vec<Level>,
    chosen: Vec<u32>,
}

/// Leaves the cheapest window in the choice; of equally cheap ones the first to start, then the shorter.
/// Where it was stopped, the cheapest found so far.
///
/// Costs take the place of reduced values, with the sign changed: the n of greatest reduced value are the n
/// cheapest, so that where a bound is attained they are the answer.
pub(crate) fn cheapest(
    query: WindowQuery<'_>,
    limits: &Limits,
    (catalogue, pass, memory): (&mut Catalogue, &mut Pass, &mut CostScratch),
    choice: &mut Choice,
    meter: &mut Meter,
) -> Result<(), Stop> {
    let CostScratch { levels, chosen } = memory;
    let work = query.request.work();
    let n = query.request.nodes();
    catalogue.list(query, limits, None, true, meter, |_, _| Ok(0.0))?;
    levels.clear();
    // With a value of 0 and a multiplier of 1, reduced values are costs with the sign changed.
    let within = (query.slots.tariff(), limits.budget);
    let of_costs = 1.0;
    for (speed, classes) in catalogue.levels() {
        let level = Level { bound: 0.0, span: work / Speed::new(speed)?, classes };
        pass.list(catalogue, (classes, Some(level.span)), within, of_costs, meter)?;
        if pass.candidates.len() < n {
            continue;
        }
        pass.candidates.select_nth_unstable_by(n - 1, Candidate::order);
        let bound: f64 = pass.candidates[..n].iter().map(|candidate| candidate.cost).sum();
        levels.push(Level { bound: bound - rounding::of_costs(bound, n), ..level });
    }
    sort(levels, &|a, b| a.bound.total_cmp(&b.bound));
    // Cost, start and span of the best window so far, held for the span of its slowest node, which may be shorter
    // than that of the level.
    let mut best = (limits.budget, f64::INFINITY, f64::INFINITY);
    for level in levels.iter() {
        if level.bound > best.0 {
            break;
        }
        pass.list(catalogue, (level.classes, Some(level.span)), within, of_costs, meter)?;
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
            chosen.clear();
            chosen.extend_from_slice(&pass.members[..n]);
            let Pass { ranked, .. } = pass;
            let classes = chosen.iter().map(|&rank| &catalogue.classes[ranked[rank as usize].class as usize]);
            let nodes = classes.map(|class| (class.price, class.span));
            let (cost, longest) = held_for_slowest(nodes, query.slots.tariff());
            if (cost, now, longest.get()) < best {
                best = (cost, now, longest.get());
                let at = chosen.iter().map(|&rank| ranked[rank as usize].at);
                choice.set(now, Holding::SlowestSpan, at);
            }
            Ok(())
        })?;
    }
    Ok(())
}
