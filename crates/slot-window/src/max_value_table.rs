//! Windows of maximum total value by the published scheme: a knapsack table at every step of the scan.
//!
//! Source: the general window search with optimal subset allocation (MaxQ) of V. Toporkov and D. Yemelyanov,
//! *Optimization of Resources Selection for Jobs Scheduling in Heterogeneous Distributed Computing
//! Environments*, 2018 (talk at the Russian Supercomputing Days).
//!
//! The table is a 0-1 knapsack recurrence over items, number chosen and integer budget (slide "Optimization
//! Scheme"): `f_i(C, n) = max { f_{i-1}(C, n), f_{i-1}(C - c_i, n - 1) + z_i }`.
//!
//! Deviations. All slots of equal start are read before the table is computed; the published simulator
//! computes it at each slot and misses better windows. Costs round up to units and the budget rounds down.

use crate::{
    Criterion, MaxValue, WindowError, WindowQuery, WindowSearch,
    criterion::checked,
    error::ended,
    solve::{SearchScratch, run_search},
    sweep::{Among, Candidate, Choice, Held, Limits, Pools, SweepTerms, Test, candidates, levels, sweep},
    value::Conclusion,
};
use sched_model::internal::{exact_sum, sort};
use sched_model::{
    End, Limit, Meter, Money, Outcome, Sense, Window,
    check::{Holding, Rules},
};
use std::{ops::ControlFlow, sync::Arc};

/// See [`SearchKind::MaxValueTable`](crate::SearchKind::MaxValueTable).
#[derive(Debug)]
pub(crate) struct MaxValueTable {
    pub(crate) criterion: Arc<dyn Criterion>,
    pub(crate) sense: Sense,
    pub(crate) rules: Rules,
    /// The unit of money in which charges are counted.
    pub(crate) unit: f64,
}

impl WindowSearch for MaxValueTable {
    fn name(&self) -> &str {
        "max-value-table"
    }

    fn rules(&self) -> Rules {
        self.rules
    }

    fn solve(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Outcome<Window>, WindowError> {
        let mut own = None;
        let query = &query.compiled(&mut own);
        if query.beyond_mask().is_some() {
            let exact = MaxValue::new(Arc::clone(&self.criterion)).with_sense(self.sense);
            return exact.with_rules(self.rules).solve(query, meter);
        }
        run_search(query, self.rules, meter, |query, limits, scratch, meter| {
            let mut best = None;
            let end = ended(self.levels(query, limits, &mut best, scratch, meter))?;
            let value = best.map(|best| self.sense.sign() * best.0);
            Ok(Conclusion { value, bound: None, end: end.unwrap_or(End::Done) })
        })
    }
}

impl MaxValueTable {
    /// Scans the slots once for each speed. `best` is the value of the best window, times the sign of the sense, and
    /// its start.
    fn levels(
        &self,
        query: WindowQuery<'_>,
        limits: Limits,
        best: &mut Option<(f64, f64)>,
        SearchScratch { pools, choice, .. }: &mut SearchScratch,
        meter: &mut Meter,
    ) -> Result<(), WindowError> {
        let all = candidates(query.slots, query, &limits, meter)?;
        // The published scheme computes its table wherever there are enough slots; only the table applies the budget.
        let mut limits = Limits { budget: f64::INFINITY, ..limits };
        for held in levels(all.iter().map(|candidate| candidate.own), Holding::SlowestSpan) {
            let among = Among::Candidates(&all, 0.0);
            let visit = &mut |pools: &mut Pools, now: f64, _: &mut Limits, meter: &mut Meter| {
                pools.each(|pool| {
                    let mut live: Vec<_> = pool.all().filter_map(|entry| entry.among(&all)).collect();
                    sort(&mut live, &|a, b| a.at.cmp(&b.at));
                    self.step((query, held), now, &live, best, choice, meter)
                })?;
                Ok(ControlFlow::Continue(()))
            };
            let terms = SweepTerms { held, test: Test::EachStart, first_is_final: false };
            sweep(query, &among, terms, &mut limits, pools, meter, visit)?;
        }
        Ok(())
    }

    /// Solves the table over the slots that are live at `now`, and keeps its window if it is better than `best`.
    fn step(
        &self,
        (query, held): (WindowQuery<'_>, Held),
        now: f64,
        live: &[&Candidate<'_>],
        best: &mut Option<(f64, f64)>,
        choice: &mut Choice,
        meter: &mut Meter,
    ) -> Result<(), WindowError> {
        let WindowQuery { slots, request, .. } = query;
        let (mut values, mut costs) = (Vec::with_capacity(live.len()), Vec::with_capacity(live.len()));
        for Candidate { slot, own, .. } in live {
            let span = held.unwrap_or(*own);
            values.push(self.sense.sign() * checked(slot.node, self.criterion.value(slot, span))?);
            costs.push(slots.tariff().charge(slot.price, span).get());
        }
        let budget = self.rules.budget(request).map_or(f64::INFINITY, Money::get);
        let table = Table::new(values, &costs, request.nodes(), budget, self.unit);
        let Some(chosen) = table.best(meter)? else { return Ok(()) };
        let value = exact_sum(chosen.iter().map(|&item| table.values[item]));
        let chosen = || chosen.iter().map(|&item| live[item]);
        // A window of faster nodes alone is held for a shorter span, for which its value may differ: it is of another
        // level.
        let is_of_level = chosen().any(|of| held == Some(of.own));
        if is_of_level && best.is_none_or(|best| value > best.0 || (value == best.0 && now < best.1)) {
            *best = Some((value, now));
            meter.report(Some(self.sense.sign() * value), None);
            choice.set(now, chosen().map(|of| of.at));
        }
        Ok(())
    }
}

/// The problem of a choice of n items within a budget, in whole units: costs are rounded up, the budget down.
struct Table {
    values: Vec<f64>,
    units: Vec<f64>,
    n: usize,
    budget: f64,
}

impl Table {
    fn new(values: Vec<f64>, costs: &[f64], n: usize, budget: f64, unit: f64) -> Self {
        let units: Vec<f64> = costs.iter().map(|&cost| units_for(cost, unit)).collect();
        // The n most expensive items bound the cost of any subset.
        let mut most_expensive = units.clone();
        sort(&mut most_expensive, &|a, b| b.total_cmp(a));
        let spendable: f64 = most_expensive.iter().take(n).sum();
        Self { values, units, n, budget: units_within(budget, unit).min(spendable) }
    }

    /// Returns n items of maximum total value, by the recurrence; `None` if no n items are within the budget on this
    /// grid. Each cell is a unit of work. Among subsets of equal value it is any one, but always the same.
    fn best(&self, meter: &mut Meter) -> Result<Option<Vec<usize>>, End> {
        if self.n > self.units.len() || self.budget < 0.0 {
            return Ok(None);
        }
        meter.scratch(|meter| self.allocate(meter).and_then(|table| self.fill(table, meter)))
    }

    /// Allocates the table: the best values after the last item so far, and for each cell a bit that tells whether
    /// its item is taken.
    fn allocate(&self, meter: &mut Meter) -> Result<(Vec<f64>, Vec<u64>), End> {
        let n = self.n;
        let row = (n as f64 + 1.0) * (self.budget + 1.0);
        let cells = self.units.len() as f64 * row;
        // The conversion saturates.
        let bytes = cells / 8.0 + 8.0 * row;
        meter.reserve(bytes as u64)?;
        // A large table that the work left cannot fill is not allocated.
        let of = |(item, &cost): (usize, &f64)| n.min(item + 1) as f64 * (self.budget + 1.0 - cost);
        let to_fill: f64 =
            self.units.iter().enumerate().filter(|(_, cost)| **cost <= self.budget).map(of).sum();
        if bytes > Limit::default().memory as f64 && to_fill > meter.work_left() as f64 {
            return Err(End::Work);
        }
        Ok((allocate_filled(row, f64::NEG_INFINITY)?, allocate_filled((cells / 64.0).ceil(), 0)?))
    }

    /// Fills the table by the recurrence, and reads the chosen items from it.
    fn fill(
        &self,
        (mut best, mut taken): (Vec<f64>, Vec<u64>),
        meter: &mut Meter,
    ) -> Result<Option<Vec<usize>>, End> {
        // From here on, numbers are whole, and small, because the table fits into memory.
        let (n, width) = (self.n, self.budget as usize + 1);
        let row = width * (n + 1);
        // With no item chosen, any budget suffices.
        best[..width].fill(0.0);
        for (item, (&value, &cost)) in self.values.iter().zip(&self.units).enumerate() {
            if cost > self.budget {
                continue;
            }
            let cost = cost as usize;
            for count in (1..=n.min(item + 1)).rev() {
                meter.spend(width.saturating_sub(cost) as u64)?;
                for spent in (cost..width).rev() {
                    let with = best[(count - 1) * width + spent - cost] + value;
                    let cell = count * width + spent;
                    if with > best[cell] {
                        best[cell] = with;
                        let bit = item * row + cell;
                        taken[bit / 64] |= 1 << (bit % 64);
                    }
                }
            }
        }
        if best[row - 1] == f64::NEG_INFINITY {
            return Ok(None);
        }
        let mut chosen = Vec::with_capacity(n);
        let (mut count, mut spent) = (n, width - 1);
        for item in (0..self.units.len()).rev() {
            let bit = item * row + count * width + spent;
            if taken[bit / 64] >> (bit % 64) & 1 == 1 {
                chosen.push(item);
                count -= 1;
                spent -= self.units[item] as usize;
            }
        }
        Ok(Some(chosen))
    }
}

/// The minimum number of units that covers `cost`.
fn units_for(cost: f64, unit: f64) -> f64 {
    let units = (cost / unit).ceil();
    // The quotient was rounded; the fused product is not.
    if units.mul_add(unit, -cost) < 0.0 { units + 1.0 } else { units }
}

/// The maximum number of units that `budget` covers.
fn units_within(budget: f64, unit: f64) -> f64 {
    let units = (budget / unit).floor();
    if (units + 1.0) * unit <= budget {
        units + 1.0
    } else if units * unit > budget {
        units - 1.0
    } else {
        units
    }
}

/// Returns `count` equal numbers, or [`End::Memory`] if they cannot be allocated.
fn allocate_filled<T: Clone>(count: f64, number: T) -> Result<Vec<T>, End> {
    // The conversion saturates.
    let (count, mut numbers) = (count as usize, Vec::new());
    numbers.try_reserve_exact(count).map_err(|_| End::Memory)?;
    numbers.resize(count, number);
    Ok(numbers)
}
