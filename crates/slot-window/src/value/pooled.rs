//! [`MaxValue`](crate::MaxValue) where nodes are packed or spread, or where the spans of tasks are given: at
//! each instant an exact choice in each pool with an arrival.

use super::{best::Notes, search::Search};
use crate::{
    Scope, WindowError,
    criterion::checked,
    subset::{self, Found, Groups, Items},
    sweep::{
        Among, Candidate, Entry, Held, Limits, Next, Pools, Test, candidates, levels, most_of_a_group, sweep,
    },
};
use sched_model::{Meter, order::sort};

impl Search<'_> {
    pub(super) fn in_pools(
        &self,
        (pools, subset): (&mut Pools, &mut subset::Search),
        notes: &mut Notes<'_>,
    ) -> Result<(), WindowError> {
        // Memory for the candidates, and for the choice.
        notes.meter.reserve_items::<Candidate<'_>>(self.query.slots.len())?;
        let all = candidates(self.query, &self.limits, notes.meter).map_err(WindowError::from);
        let ended = all.and_then(|all| {
            let mut levels = levels(all.iter().map(|candidate| candidate.own), self.holding).into_iter();
            levels.try_for_each(|held| self.level_in_pools((held, &all), (&mut *pools, &mut *subset), notes))
        });
        notes.meter.release_items::<Candidate<'_>>(self.query.slots.len());
        ended
    }

    fn level_in_pools(
        &self,
        (held, all): (Held, &[Candidate<'_>]),
        (pools, subset): (&mut Pools, &mut subset::Search),
        notes: &mut Notes<'_>,
    ) -> Result<(), WindowError> {
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
        let Notes { best, choice, meter } = notes;
        let visit = &mut |pools: &mut Pools, now: f64, _: &mut Limits, meter: &mut Meter| {
            pools.each(|pool| {
                let mut live: Vec<Entry> = pool.all().collect();
                sort(&mut live, &|a, b| (a.node, a.at).cmp(&(b.node, b.at)));
                let of = |entry: &Entry| all.binary_search_by_key(&entry.at, |candidate| candidate.at);
                let numbers: Vec<usize> = live.iter().flat_map(of).collect();
                let worth: Vec<f64> = numbers.iter().map(|&number| values[number]).collect();
                let costs: Vec<f64> = live.iter().map(|entry| entry.cost).collect();
                let groups: Vec<u32> = live.iter().map(|entry| entry.group).collect();
                let own: Vec<bool> = numbers.iter().map(|&number| held == Some(all[number].own)).collect();
                let groups = Groups { of: &groups, most, own: needs_own.then_some(&own) };
                let items = Items::new(&worth, &costs, n, self.limits.budget);
                let items = Items { groups: Some(groups), ..items };
                let found = subset::search(&items, best.floor(now), subset, meter);
                if subset.best.found {
                    // It contains a node of this level: without one, it would have been found on its own
                    // level with the same value.
                    best.set(subset.best.value, now, meter.limit());
                    meter.improve(self.sign * best.value);
                    let chosen = subset.best.indices.iter();
                    choice.set(now, self.holding, chosen.map(|&item| live[item as usize].at));
                }
                if let Found::Cut(end) = found { Err(end.into()) } else { Ok(()) }
            })?;
            Ok(Next::Continue)
        };
        let mut limits = self.limits;
        sweep(self.query, &Among::Candidates(all, 0.0), (held, Test::Any), &mut limits, pools, meter, visit)
    }
}
