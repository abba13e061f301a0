//! [`MaxValue`](crate::MaxValue) where nodes are packed or spread, or where the spans of tasks are given: at
//! each instant an exact choice in each pool with an arrival.

use super::{
    best::{Best, Known},
    search::{Notes, Search},
};
use crate::{
    Scope, SearchScratch, WindowError,
    criterion::checked,
    error::Stop,
    subset::grouped::{Item, Limited},
    sweep::{
        Candidate, Entry, Held, Limits, Next, Pools, Test, candidates, levels, most_of_a_group, sweep_again,
    },
};
use sched_model::{Meter, order::sort};

impl Search<'_> {
    /// Leaves the best window in the scratch's choice.
    pub(crate) fn run_in_pools(
        &self,
        scratch: &mut SearchScratch,
        meter: &mut Meter,
    ) -> Result<Known, WindowError> {
        let SearchScratch { pools, choice, .. } = scratch;
        // Memory for the candidates, and for the choice.
        if let Err(end) = meter.reserve_items::<Candidate<'_>>(self.query.slots.len()) {
            return Ok(Best::NONE.result(Some(end), self.sign, meter.limit()));
        }
        let mut notes = Notes { best: Best::NONE, choice, meter };
        let ended = match self.levels_in_pools(pools, &mut notes) {
            Ok(()) => None,
            Err(Stop::End(end)) => Some(end),
            Err(Stop::Error(error)) => return Err(error),
        };
        let known = notes.best.result(ended, self.sign, notes.meter.limit());
        notes.meter.release_items::<Candidate<'_>>(self.query.slots.len());
        Ok(known)
    }

    fn levels_in_pools(&self, pools: &mut Pools, notes: &mut Notes<'_>) -> Result<(), Stop> {
        let all = candidates(self.query, &self.limits, notes.meter)?;
        for held in levels(all.iter().map(|candidate| candidate.own), self.holding) {
            self.level_in_pools((held, &all), pools, notes)?;
        }
        Ok(())
    }

    fn level_in_pools(
        &self,
        (held, all): (Held, &[Candidate<'_>]),
        pools: &mut Pools,
        notes: &mut Notes<'_>,
    ) -> Result<(), Stop> {
        let mut values = vec![f64::NEG_INFINITY; all.len()];
        for (value, of) in values.iter_mut().zip(all) {
            let span = held.unwrap_or(of.own);
            if of.own <= span {
                *value = self.sign * checked(of.slot.node(), self.criterion.value(of.slot, span))?;
            }
        }
        // A window of shorter spans alone is held for less, and its value may differ: then it must contain a
        // node of this span.
        let needs_own = held.is_some() && self.criterion.scope() == Scope::SlotAndSpan;
        let (n, most) = (self.query.request.nodes(), most_of_a_group(self.query));
        let limited = Limited { n, most, budget: self.limits.budget, needs_own };
        let Notes { best, choice, meter } = notes;
        let visit = &mut |pools: &mut Pools, now: f64, _: &mut Limits, meter: &mut Meter| {
            pools.each(|_, pool| {
                let mut live: Vec<Entry> = pool.all().collect();
                sort(&mut live, &|a, b| (a.node, a.at).cmp(&(b.node, b.at)));
                let item = |entry: &Entry| {
                    let of = all.binary_search_by_key(&entry.at, |candidate| candidate.at).ok()?;
                    let (cost, group) = (entry.cost, entry.group);
                    Some(Item { value: values[of], cost, group, own: held == Some(all[of].own) })
                };
                let items: Vec<Item> = live.iter().filter_map(item).collect();
                let (found, ended) = limited.choose(&items, best.floor(now), meter);
                if let Some(&(value, ref chosen)) = found.last() {
                    // It contains a node of this level: without one, it would have been found on its own
                    // level with the same value.
                    best.set(value, now, meter.limit());
                    meter.improve(self.sign * best.value);
                    choice.set(now, self.holding, chosen.iter().map(|&item| live[item].at));
                }
                ended.map_or(Ok(()), |end| Err(Stop::End(end)))
            })?;
            Ok(Next::Continue)
        };
        let mut limits = self.limits;
        sweep_again(self.query, (all, None), (held, Test::Any), &mut limits, pools, meter, visit)
    }
}
