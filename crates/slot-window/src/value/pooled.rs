//! [`MaxValue`](crate::MaxValue) where nodes are packed or spread, or where the spans of tasks are given: at
//! each instant an exact choice in each pool with an arrival.

use super::{
    best::{Best, Known},
    limited::{Item, Limited},
    search::{Notes, Search},
};
use crate::{
    Scope, SearchScratch, WindowError,
    criterion::checked,
    error::Stop,
    order::sort,
    pools::{Candidate, Level, Shared, again, candidates, levels, most_of_a_group, sweep},
    scan::{Choice, Next, Test, fits},
};
use sched_model::{Eligible, End, Meter, Span, check::Holding};
use std::collections::BTreeMap;

/// A live slot of a pool.
#[derive(Debug, Clone, Copy)]
struct Live {
    item: Item,
    span: f64,
    end: f64,
    node: u32,
    at: u32,
}

/// The live slots of each pool on one level, and the pools with an arrival since the last choice.
#[derive(Debug, Default)]
struct Pools {
    live: BTreeMap<u32, Vec<Live>>,
    touched: Vec<u32>,
}

impl Search<'_> {
    /// Leaves the best window in the scratch's choice.
    pub(crate) fn run_in_pools(
        &self,
        eligible: &Eligible,
        scratch: &mut SearchScratch,
        meter: &mut Meter,
    ) -> Result<Known, WindowError> {
        // Memory for the candidates, and for the choice.
        if let Err(end) = meter.reserve_items::<Candidate<'_>>(self.query.slots.len()) {
            return Ok(Best::NONE.result(Some(end), self.sign, meter.limit()));
        }
        let mut notes = Notes { best: Best::NONE, choice: &mut scratch.choice, meter };
        let ended = match self.levels_in_pools(eligible, &mut notes) {
            Ok(()) => None,
            Err(Stop::End(end)) => Some(end),
            Err(Stop::Error(error)) => return Err(error),
        };
        let known = notes.best.result(ended, self.sign, notes.meter.limit());
        notes.meter.release_items::<Candidate<'_>>(self.query.slots.len());
        Ok(known)
    }

    fn levels_in_pools(&self, eligible: &Eligible, notes: &mut Notes<'_>) -> Result<(), Stop> {
        let Notes { best, choice, meter } = notes;
        let meter = Shared::new(meter);
        let all = candidates(self.query, eligible, &self.limits, &meter)?.collect::<Result<Vec<_>, End>>()?;
        for level in levels(self.query, &all, self.holding) {
            self.level_in_pools(level, &all, eligible, (best, choice, &meter))?;
        }
        Ok(())
    }

    fn level_in_pools(
        &self,
        level: Level,
        all: &[Candidate<'_>],
        eligible: &Eligible,
        (best, choice, meter): (&mut Best, &mut Choice, &Shared<'_>),
    ) -> Result<(), Stop> {
        // A window of shorter spans alone is held for less, and its value may differ: then it must contain a
        // node of this span.
        let by_level = self.holding == Holding::SlowestSpan && self.criterion.scope() == Scope::SlotAndSpan;
        let limited = Limited {
            n: self.query.request.nodes(),
            most: most_of_a_group(eligible),
            budget: self.limits.budget,
            needs_own: by_level,
        };
        sweep(
            again(all, meter),
            self.query.slots.tariff(),
            (level, Test::Group),
            &mut { self.limits },
            &mut Pools::default(),
            |pools, arrival, _| {
                let Candidate { slot, own, pack, spread, .. } = arrival.candidate;
                let span = Span::new(arrival.entry.span)?;
                let value = self.sign * checked(slot.node(), self.criterion.value(slot, span))?;
                let item =
                    Item { value, cost: arrival.entry.cost, group: spread, own: own.get() == level.longest };
                let (end, node, at) = (arrival.entry.end, arrival.entry.node, arrival.entry.at);
                let live = Live { item, span: arrival.entry.span, end, node, at };
                pools.live.entry(pack).or_default().push(live);
                pools.touched.push(pack);
                Ok(())
            },
            |pools, now, _| {
                pools.touched.sort_unstable();
                pools.touched.dedup();
                for pack in pools.touched.drain(..) {
                    let Some(live) = pools.live.get_mut(&pack) else { continue };
                    live.retain(|of| fits(now, of.span, of.end));
                    sort(live, &|a, b| (a.node, a.at).cmp(&(b.node, b.at)));
                    let items: Vec<Item> = live.iter().map(|of| of.item).collect();
                    let floor = best.floor(now);
                    let (found, ended) = meter.with(|meter| limited.choose(&items, floor, meter));
                    if let Some(&(value, ref chosen)) = found.last() {
                        // It contains a node of this level: without one, it would have been found on its own
                        // level with the same value.
                        meter.with(|meter| {
                            best.set(value, now, meter.limit());
                            meter.improve(self.sign * best.value);
                        });
                        choice.set(now, level.hold, chosen.iter().map(|&item| live[item].at));
                    }
                    if let Some(end) = ended {
                        return Err(Stop::End(end));
                    }
                }
                Ok(Next::Continue)
            },
        )?;
        Ok(())
    }
}
