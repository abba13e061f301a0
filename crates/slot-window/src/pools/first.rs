//! The first instant of a list, where its slots have been put in order of price / speed, for windows whose
//! nodes go together or apart.
//!
//! As in a scan where nothing of this is asked (`scan/group.rs`): slots are read by what they cost at least.
//! A pool's n cheapest are known when what is still unread costs more than each of them; and a pool that has
//! not as many yet is out of the question when what it has, filled up with unread slots, costs more than the
//! cheapest window of another pool.

use super::candidates::Shared;
use super::most_of_a_group;
use crate::WindowQuery;
use crate::scan::{Choice, Hold, LEAST_WORK, Limits, Plain, entry::Entry, first_instant, least_cost, suits};
use sched_model::{Eligible, End, Slot, affordable, exact_sum};
use std::collections::BTreeMap;

/// What has been read of a pool, in order of the least cost.
#[derive(Default)]
struct Read {
    /// Suitable slots, with the label by which they are spread.
    entries: Vec<(Entry, u32)>,
    /// How many of them, and of each group, can be in one window; at most as many as are asked for.
    together: usize,
    of_group: BTreeMap<u32, usize>,
    /// What these cost, but for rounding.
    cost: f64,
    /// No slot of the cheapest window costs more: known once there is a window.
    greatest: f64,
}

impl Read {
    /// Takes a slot that costs no less than those before, but for rounding.
    fn push(&mut self, entry: Entry, group: u32, n: usize, most: usize) {
        self.entries.push((entry, group));
        let of_group = self.of_group.entry(group).or_default();
        if self.together < n && *of_group < most {
            *of_group += 1;
            self.together += 1;
            self.cost += entry.cost;
            self.greatest = self.greatest.max(entry.cost);
        }
    }

    /// The cheapest window: always the cheapest slot whose group is not yet full.
    fn chosen(mut self, n: usize, most: usize) -> Vec<Entry> {
        self.entries.sort_unstable();
        let mut of_group: BTreeMap<u32, usize> = BTreeMap::new();
        let suits = |(entry, group): (Entry, u32)| {
            let count = of_group.entry(group).or_default();
            *count += 1;
            (*count <= most).then_some(entry)
        };
        self.entries.into_iter().filter_map(suits).take(n).collect()
    }
}

/// Sums and products of so many rounded numbers are apart by less than this share of them.
fn slack(n: usize) -> f64 {
    16.0 * f64::EPSILON * (n as f64 + 2.0)
}

/// Tries the first instant of the list alone: whether there is a window, of which the cheapest is then the
/// choice, of equal ones that of the first value. `None` where that is not known.
pub(super) fn at_first_instant(
    query: WindowQuery<'_>,
    eligible: &Eligible,
    limits: &Limits,
    meter: &Shared<'_, '_>,
    choice: &mut Choice,
) -> Result<Option<bool>, End> {
    let work = query.request.work().get();
    let demands = eligible.demands();
    if !query.slots.tariff().is_plain() || work < LEAST_WORK || !demands.spans().is_empty() {
        return Ok(None);
    }
    let Some(start) = first_instant(query) else { return Ok(None) };
    let Some(sorted) = query.slots.first_group_with_room(query.request.work()) else { return Ok(None) };
    let (n, most) = (query.request.nodes(), most_of_a_group(eligible));
    if start >= limits.finish || start >= limits.start_below {
        return Ok(Some(false));
    }
    let hold = Hold::Own(query.request.work());
    // More are read as fast in their own order.
    let mut left = query.slots.len() / MOST_READ + 4 * n;
    let (mut pools, mut slots) = (BTreeMap::<u32, Read>::new(), Vec::<Slot>::new());
    let mut looked_at = 0;
    let mut bound = None;
    for (ratio, slot) in sorted {
        let least = least_cost(ratio, work);
        if least > limits.budget {
            break;
        }
        // What a look takes is paid for by the slots that were read since the last one.
        if slots.len() - looked_at > pools.len() {
            looked_at = slots.len();
            bound = decided_above(&pools, demands.pack().is_some(), n, least);
        }
        if bound.is_some_and(|bound| least > bound) {
            break;
        }
        let Some(fewer) = left.checked_sub(1) else { return Ok(None) };
        left = fewer;
        meter.spend(1)?;
        let at = slots.len() as u32;
        if eligible.allows(&slot)
            && let Some(entry) = suits(&slot, at, start, hold, limits, Plain)
        {
            slots.push(slot);
            let pool = pools.entry(eligible.pack_of(&slot)).or_default();
            pool.push(entry, eligible.spread_of(&slot), n, most);
        }
    }
    let mut best: Option<(f64, Vec<Entry>)> = None;
    for (_, pool) in pools.into_iter().filter(|(_, pool)| pool.together == n) {
        let chosen = pool.chosen(n, most);
        let costs = || chosen.iter().map(|entry| entry.cost);
        let cost = exact_sum(costs());
        if affordable(costs(), limits.budget) && best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, chosen));
        }
    }
    let Some((_, chosen)) = best else { return Ok(Some(false)) };
    choice.set_slots(start, hold, chosen.iter().map(|entry| slots[entry.at as usize]));
    Ok(Some(true))
}

/// Where so great a part of the list has been read, what is left is read faster in its own order.
const MOST_READ: usize = 64;

/// No slot that costs more than this is in the cheapest window; `None` as long as a pool may become cheaper
/// that has not as many slots yet, or of which none has been read. What is not yet read costs `least`, or
/// more.
fn decided_above(pools: &BTreeMap<u32, Read>, packs: bool, n: usize, least: f64) -> Option<f64> {
    let full = || pools.values().filter(|pool| pool.together == n);
    let cheapest = full().map(|pool| pool.cost).fold(f64::INFINITY, f64::min) * (1.0 + slack(n));
    let at_least = |pool: &Read| (pool.cost + (n - pool.together) as f64 * least) * (1.0 - slack(n));
    let unread = n as f64 * least * (1.0 - slack(n));
    let is_open = |pool: &Read| pool.together < n && at_least(pool) <= cheapest;
    if cheapest == f64::INFINITY || (packs && unread <= cheapest) || pools.values().any(is_open) {
        return None;
    }
    let rivals = full().filter(|pool| pool.cost * (1.0 - slack(n)) <= cheapest);
    Some(rivals.map(|pool| pool.greatest).fold(0.0, f64::max))
}
