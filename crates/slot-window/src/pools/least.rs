//! What a window of a pool costs at least. Where the least cost is sought, this keeps most slots out of the pools, and most
//! levels from being swept.

use super::Level;
use crate::WindowQuery;
use crate::scan::{Hold, Limits, on_terms_of, suits_for, usable};
use sched_model::Eligible;
use std::collections::BTreeMap;

/// The least charges of so many different nodes, whenever they are free.
#[derive(Debug, Default)]
struct Cheapest {
    /// (charge, node), ascending.
    slots: Vec<(f64, u32)>,
}

/// For each pool of a level: what n of its nodes cost at least, and n - 1 of them.
#[derive(Debug)]
pub(super) struct Least {
    pools: BTreeMap<u32, (f64, f64)>,
}

impl Least {
    /// O(m) for m slots, and O(n) for each that is among the cheapest so far.
    pub(super) fn of(query: WindowQuery<'_>, eligible: &Eligible, level: Level, limits: &Limits) -> Self {
        let n = query.request.nodes();
        let from = query.from.get();
        let mut pools: BTreeMap<u32, Cheapest> = BTreeMap::new();
        for slot in query.slots.runs_alive_at(query.from).flatten() {
            let own = query.span_on(slot);
            let span = match level.hold {
                Hold::Own(_) => own,
                Hold::Same(span) => span,
            };
            if own.get() > level.longest {
                continue;
            }
            let start = usable(slot, from);
            let suiting = on_terms_of!(query, |terms| suits_for(slot, 0, start, span, limits, terms));
            if let Some(entry) = suiting {
                pools.entry(eligible.pack_of(slot)).or_default().add(entry.cost, entry.node, n);
            }
        }
        Self { pools: pools.into_iter().map(|(pack, cheapest)| (pack, cheapest.sums(n))).collect() }
    }

    /// No window of the level costs less.
    pub(super) fn whole(&self) -> f64 {
        self.pools.values().map(|sums| sums.0).fold(f64::INFINITY, f64::min)
    }

    /// No window of this pool that holds a slot of this charge costs less.
    pub(super) fn with(&self, pack: u32, charge: f64) -> f64 {
        let rest = self.pools.get(&pack).map_or(f64::INFINITY, |sums| sums.1);
        let sum = rest + charge;
        sum - sum.abs() * (4.0 * f64::EPSILON)
    }
}

impl Cheapest {
    fn add(&mut self, charge: f64, node: u32, n: usize) {
        let slots = &mut self.slots;
        if slots.len() == n && slots.last().is_none_or(|last| charge >= last.0) {
            return;
        }
        // A node counts once, at its least charge.
        if let Some(same) = slots.iter().position(|other| other.1 == node) {
            if charge >= slots[same].0 {
                return;
            }
            slots.remove(same);
        }
        let at = slots.partition_point(|other| other.0 <= charge);
        slots.insert(at, (charge, node));
        slots.truncate(n);
    }

    /// What n of them cost at least, and n - 1; infinite where there are fewer. A little less than the sums, which round.
    fn sums(&self, n: usize) -> (f64, f64) {
        let sum = |count: usize| {
            if count > self.slots.len() {
                return f64::INFINITY;
            }
            let (sum, size) = self.slots[..count]
                .iter()
                .fold((0.0, 0.0), |(sum, size), slot| (sum + slot.0, size + slot.0.abs()));
            sum - size * f64::EPSILON * (count as f64 + 2.0)
        };
        (sum(n), if self.slots.len() < n { f64::INFINITY } else { sum(n - 1) })
    }
}
