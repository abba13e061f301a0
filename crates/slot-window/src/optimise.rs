//! The window of minimum start, finish, runtime or cost: the engine for each objective.

use crate::{
    Objective, SearchScratch, WindowError, WindowQuery,
    error::Stop,
    pools,
    scan::{Hold, Limits, Next, Test, scan, speeds_below, usable},
    value::cheapest::cheapest,
};
use sched_model::{
    End, Meter, Outcome, Speed, Window,
    check::{Holding, Rules},
};

/// The best window by the rules of a search; where it was stopped, the best one found so far.
pub(crate) fn best(
    query: &WindowQuery<'_>,
    rules: Rules,
    objective: (Objective, Test),
    meter: &mut Meter,
) -> Result<Outcome<Window>, WindowError> {
    let query = query.settled()?;
    let (before, mut scratch) = (meter.work(), meter.take::<SearchScratch>());
    let limits = Limits::of(&query, rules);
    let end = match optimise(query, objective, rules.holding, &limits, &mut scratch, meter) {
        Ok(()) => End::Done,
        Err(Stop::End(end)) => end,
        Err(Stop::Error(error)) => return Err(error),
    };
    let mut outcome = Outcome::plain(scratch.choice.window(query)?, meter.work() - before);
    outcome.end = end;
    meter.put(scratch);
    Ok(outcome)
}

/// Leaves the best window in the scratch's choice; where the search was stopped, the best one found so far.
pub(crate) fn optimise(
    query: WindowQuery<'_>,
    (objective, test): (Objective, Test),
    holding: Holding,
    limits: &Limits,
    scratch: &mut SearchScratch,
    meter: &mut Meter,
) -> Result<(), Stop> {
    scratch.choice.reset();
    if let Some(eligible) = query.beyond_mask() {
        return pools::optimise(query, eligible, (objective, test), holding, limits, scratch, meter);
    }
    match holding {
        Holding::OwnSpan => own_span(query, (objective, test), *limits, scratch, meter),
        Holding::SlowestSpan => slowest_span(query, (objective, test), limits, scratch, meter),
    }
}

/// One pass; each window found tightens the limits so that only a strictly better one is found after it.
/// Where the pass continues with a window, what was looked at for it is work too.
fn own_span(
    query: WindowQuery<'_>,
    (objective, test): (Objective, Test),
    mut limits: Limits,
    scratch: &mut SearchScratch,
    meter: &mut Meter,
) -> Result<(), Stop> {
    let SearchScratch { live, choice, .. } = scratch;
    let hold = Hold::Own(query.request.work());
    let test = if objective == Objective::Start { test.of_first() } else { test };
    scan(query, hold, test, &mut limits, live, meter, |live, start, limits, meter| {
        match objective {
            Objective::Start => {}
            Objective::Cost => {
                meter.spend(live.chosen().len() as u64)?;
                limits.budget = live.cost().next_down();
            }
            Objective::Finish | Objective::Runtime => {
                meter.spend(live.len() as u64)?;
                let Some(longest) = live.fastest(limits) else { return Ok(Next::Continue) };
                if objective == Objective::Finish {
                    limits.finish = (start + longest).next_down();
                } else {
                    limits.span_below = longest;
                }
            }
        }
        choice.set(start, hold, live.chosen().iter().map(|entry| entry.at));
        match objective {
            Objective::Start => return Ok(Next::Stop),
            Objective::Cost => {}
            Objective::Finish => {
                let finish = limits.finish;
                live.retain(|entry| {
                    entry.end = entry.end.min(finish);
                    true
                });
            }
            Objective::Runtime => {
                let below = limits.span_below;
                live.retain(|entry| entry.span < below);
            }
        }
        Ok(Next::Continue)
    })
}

/// A pass for each distinct speed, fastest first, in which all nodes at least this fast are held for the span
/// of this speed. The best window is found in the pass of its slowest node's speed.
fn slowest_span(
    query: WindowQuery<'_>,
    (objective, test): (Objective, Test),
    limits: &Limits,
    scratch: &mut SearchScratch,
    meter: &mut Meter,
) -> Result<(), Stop> {
    if objective == Objective::Cost {
        let SearchScratch { value, cost, choice, .. } = scratch;
        return cheapest(query, limits, (&mut value.catalogue, &mut value.pass, cost), choice, meter);
    }
    let below = match objective {
        Objective::Start | Objective::Finish => first_bound(query, objective, limits, scratch, meter)?,
        Objective::Runtime | Objective::Cost => f64::INFINITY,
    };
    speeds_below(query, limits.min_speed, below, &mut scratch.speeds, meter)?;
    let SearchScratch { live, choice, speeds, .. } = scratch;
    let test = test.of_first();
    // Objective and start of the best window so far.
    let mut best = (f64::INFINITY, f64::INFINITY);
    for &speed in speeds.iter() {
        let span = query.request.work() / Speed::new(speed)?;
        let hold = Hold::Same(span);
        let mut limits = Limits { min_speed: speed, ..*limits };
        // Equal values are allowed: an earlier start may decide.
        match objective {
            Objective::Start => limits.start_below = limits.start_below.min(best.0),
            Objective::Finish => limits.finish = limits.finish.min(best.0),
            Objective::Runtime | Objective::Cost => {}
        }
        scan(query, hold, test, &mut limits, live, meter, |live, start, _, _| {
            let value = match objective {
                Objective::Start => start,
                Objective::Finish => start + span.get(),
                Objective::Runtime => span.get(),
                Objective::Cost => live.cost(),
            };
            if (value, start) < best {
                best = (value, start);
                choice.set(start, hold, live.chosen().iter().map(|entry| entry.at));
            }
            Ok(Next::Stop)
        })?;
        if objective == Objective::Runtime && choice.is_found() {
            break;
        }
    }
    Ok(())
}

/// An instant before which all slots of the best window start; infinite where none is found quickly.
///
/// A share of the list, its first slots, is searched for a window at three of their speeds. The best one
/// starts, or ends, no later, so that speeds of slots that start later need not be known.
fn first_bound(
    query: WindowQuery<'_>,
    objective: Objective,
    limits: &Limits,
    scratch: &mut SearchScratch,
    meter: &mut Meter,
) -> Result<f64, Stop> {
    let slots = query.slots.len();
    let share = (slots / 64).max(query.request.nodes().saturating_mul(4));
    if share > slots / 4 {
        return Ok(f64::INFINITY);
    }
    let last = query.slots.runs_alive_at(query.from).flatten().nth(share);
    let Some(until) = last.map(|slot| usable(slot, query.from.get()).next_up()) else {
        return Ok(f64::INFINITY);
    };
    let SearchScratch { live, speeds, .. } = scratch;
    speeds_below(query, limits.min_speed, until, speeds, meter)?;
    let mut best = f64::INFINITY;
    for at in [0, speeds.len() / 2, speeds.len().saturating_sub(1)] {
        let Some(&speed) = speeds.get(at) else { break };
        let span = query.request.work() / Speed::new(speed)?;
        let start_below = limits.start_below.min(until);
        let mut limits = Limits { min_speed: speed, start_below, ..*limits };
        scan(query, Hold::Same(span), Test::First, &mut limits, live, meter, |_, start, _, _| {
            let bound = if objective == Objective::Start { start.next_up() } else { start + span.get() };
            best = best.min(bound);
            Ok(Next::Stop)
        })?;
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sched_model::{Limit, Money, Node, NodeId, Price, ResourceRequest, Slot, SlotList, Time, Work};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        /// The windows of minimum start and finish are those of a list of which only the slots that start
        /// before the bound are left.
        #[test]
        fn no_slot_of_the_best_window_starts_beyond_the_first_bound(
            slots in prop::collection::vec((1_u32..5, 1_u32..9, 0_u32..60, 1_u32..30), 80..300),
            nodes in 1_usize..5,
            budget in 20_u32..200,
            from in 0_u32..20,
        ) {
            let slot = |(id, (speed, price, start, length)): (u32, (u32, u32, u32, u32))| {
                let node = Node::new(NodeId(id), Speed::must(f64::from(speed)), Price::must(f64::from(price)));
                let (start, end) = (f64::from(start), f64::from(start + length));
                Slot::new(node, Time::must(start), Time::must(end)).unwrap()
            };
            let list = SlotList::new((0..).zip(slots).map(slot).collect()).unwrap();
            let request = ResourceRequest::new(nodes, Work::must(12.0)).unwrap();
            let request = request.with_budget(Money::must(f64::from(budget)));
            let query = WindowQuery::new(&list, &request).with_from(Time::must(f64::from(from)));
            let limits = Limits::of(&query, Rules::per_slot());
            let limit = Limit::without_limit();
            let (meter, mut scratch) = (&mut limit.meter(), SearchScratch::default());
            for objective in [Objective::Start, Objective::Finish] {
                let bound = first_bound(query, objective, &limits, &mut scratch, meter).unwrap();
                scratch.choice.reset();
                slowest_span(query, (objective, Test::Group), &limits, &mut scratch, meter).unwrap();
                let found = scratch.choice.window(query).unwrap();
                // One speed after the other, all of them.
                let mut best: Option<(f64, Time)> = None;
                for speed in 1..5 {
                    let limits = Limits { min_speed: f64::from(speed), ..limits };
                    let span = request.work() / Speed::must(f64::from(speed));
                    let SearchScratch { live, .. } = &mut scratch;
                    let limits = &mut { limits };
                    scan(query, Hold::Same(span), Test::Group, limits, live, meter, |_, start, _, _| {
                        let value = if objective == Objective::Start { start } else { start + span.get() };
                        let own = (value, Time::must(start));
                        best = Some(best.map_or(own, |best| if own < best { own } else { best }));
                        Ok(Next::Stop)
                    })
                    .unwrap();
                }
                let value = |window: &sched_model::Window| (objective.of(window), window.start());
                prop_assert_eq!(found.as_ref().map(value), best);
                if let Some(window) = found {
                    prop_assert!(window.start().get() < bound);
                } else {
                    prop_assert_eq!(bound, f64::INFINITY);
                }
            }
        }
    }
}
