//! The published table: a 0-1 knapsack recurrence over items, number chosen and integer budget.
//!
//! Source: V. Toporkov and D. Yemelyanov, *Optimization of Resources Selection for Jobs Scheduling in
//! Heterogeneous Distributed Computing Environments*, 2018 (talk at the Russian Supercomputing Days), slide
//! "Optimization Scheme": `f_i(C, n) = max { f_{i-1}(C, n), f_{i-1}(C - c_i, n - 1) + z_i }`.
//!
//! Deviations. Costs are rounded up and the budget down, so that the answer is within the real budget; the
//! unit of the grid can be chosen.

use super::{Subset, SubsetProblem, SubsetScratch, SubsetSolver, bits::Bits};
use crate::WindowError;
use sched_model::{End, Limit, Meter, Outcome, order::sort};

/// The recurrence on a grid of costs, O(k n B) for a budget of B units.
///
/// For comparison and as an oracle only: [`ExactSubset`](super::ExactSubset) is exact on real numbers and
/// faster by orders of magnitude.
///
/// * **Source**: V. Toporkov, D. Yemelyanov, *Optimization of Resources Selection for Jobs Scheduling in
///   Heterogeneous Distributed Computing Environments*, 2018, slide "Optimization Scheme".
/// * **Guarantee**: exact if every cost is a whole number of units and sums of values are exact. Else the
///   answer is within the budget, but a better one may exist (the outcome then has no bound), or no answer
///   may be found although one exists: then the end is [`End::Gap`](sched_model::End::Gap).
/// * **Complexity**: O(k n B) time, k n B bits of memory. A unit of work is a cell; a table beyond
///   [`Limit::DEFAULT_MEMORY`] of more cells than the limit allows is not begun.
/// * **Ties**: of equal values any one, the same for the same input.
///
/// ```
/// use sched_model::Limit;
/// use slot_window::subset::{SubsetProblem, SubsetScratch, SubsetSolver, SubsetTable};
/// let limit = Limit::default();
/// let mut scratch = SubsetScratch::new();
/// let problem = SubsetProblem::new(&[5.0, 4.0, 3.0], &[2.5, 2.5, 1.0], 2, 5.0)?;
/// // On whole numbers the first two cost 3 each, which is too much; on halves they cost 5.
/// let coarse = SubsetTable::new().solve(&problem, &limit, &mut scratch).best.unwrap();
/// let fine = SubsetTable::new().with_unit(0.5)?.solve(&problem, &limit, &mut scratch).best.unwrap();
/// assert_eq!((coarse.indices(), fine.indices()), (&[0, 2][..], &[0, 1][..]));
/// # Ok::<(), slot_window::WindowError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct SubsetTable {
    unit: f64,
}

impl Default for SubsetTable {
    fn default() -> Self {
        Self { unit: 1.0 }
    }
}

impl SubsetTable {
    /// With costs counted in whole numbers.
    pub fn new() -> Self {
        Self::default()
    }

    /// With costs counted in multiples of this.
    ///
    /// # Errors
    /// [`WindowError::Factor`] unless it is positive and finite.
    pub fn with_unit(self, unit: f64) -> Result<Self, WindowError> {
        Ok(Self { unit: crate::error::factor("the unit of the table", unit)? })
    }
}

/// So many cells are filled between two questions of the meter.
const PART: usize = 1 << 14;

impl SubsetTable {
    /// The least number of units that covers a cost.
    fn units_for(&self, cost: f64) -> f64 {
        let units = (cost / self.unit).ceil();
        // The quotient was rounded; the fused product is not.
        if units.mul_add(self.unit, -cost) < 0.0 { units + 1.0 } else { units }
    }

    /// The cells that are looked at.
    fn cells_to_fill(&self, units: &[f64], n: usize, budget: f64) -> f64 {
        let of = |(item, &cost): (usize, &f64)| n.min(item + 1) as f64 * (budget + 1.0 - cost);
        units.iter().enumerate().filter(|(_, cost)| **cost <= budget).map(of).sum()
    }

    /// The values of the last item, and a bit for each cell.
    fn room(
        &self,
        units: &[f64],
        n: usize,
        budget: f64,
        meter: &mut Meter,
    ) -> Result<(Vec<f64>, Vec<u64>), End> {
        let row = (n as f64 + 1.0) * (budget + 1.0);
        let cells = units.len() as f64 * row;
        // The conversion saturates.
        let bytes = cells / 8.0 + 8.0 * row;
        meter.reserve(bytes as u64)?;
        // No great table that cannot be filled is made.
        if bytes > Limit::DEFAULT_MEMORY as f64
            && self.cells_to_fill(units, n, budget) > meter.work_left() as f64
        {
            return Err(End::Work);
        }
        Ok((filled(row, f64::NEG_INFINITY)?, filled((cells / 64.0).ceil(), 0)?))
    }

    /// The greatest number of units that a budget covers.
    fn units_within(&self, budget: f64) -> f64 {
        let units = (budget / self.unit).floor();
        if (units + 1.0) * self.unit <= budget {
            units + 1.0
        } else if units * self.unit > budget {
            units - 1.0
        } else {
            units
        }
    }
}

/// So many equal numbers, where there is memory for them.
fn filled<T: Clone>(count: f64, number: T) -> Result<Vec<T>, End> {
    // The conversion saturates.
    let (count, mut numbers) = (count as usize, Vec::new());
    numbers.try_reserve_exact(count).map_err(|_| End::Memory)?;
    numbers.resize(count, number);
    Ok(numbers)
}

impl SubsetSolver for SubsetTable {
    fn name(&self) -> &str {
        "table"
    }

    fn solve(
        &self,
        problem: &SubsetProblem<'_>,
        limit: &Limit,
        _scratch: &mut SubsetScratch,
    ) -> Outcome<Subset> {
        let (k, n) = (problem.values.len(), problem.count);
        let mut meter = limit.meter();
        if n > k || problem.budget < 0.0 {
            return Outcome::infeasible(meter.work());
        }
        let units: Vec<f64> = problem.costs.iter().map(|&cost| self.units_for(cost)).collect();
        // The n most expensive items bound the cost of any subset.
        let mut dearest = units.clone();
        sort(&mut dearest, &|a, b| b.total_cmp(a));
        let spendable: f64 = dearest[..n].iter().sum();
        let budget = self.units_within(problem.budget).min(spendable);
        let (mut best, mut taken) = match self.room(&units, n, budget, &mut meter) {
            Ok(room) => room,
            Err(end) => return Outcome::stopped(None, None, meter.work(), end),
        };
        // From here on whole numbers, of tables that fit into memory.
        let width = budget as usize + 1;
        let row = width * (n + 1);
        // With no item chosen, any budget suffices.
        best[..width].fill(0.0);
        for (item, (&value, &cost)) in problem.values.iter().zip(&units).enumerate() {
            if cost > budget {
                continue;
            }
            let cost = cost as usize;
            for count in (1..=n.min(item + 1)).rev() {
                let mut upto = width;
                while upto > cost {
                    let first = cost.max(upto.saturating_sub(PART));
                    if let Err(end) = meter.spend((upto - first) as u64) {
                        return Outcome::stopped(None, None, meter.work(), end);
                    }
                    for spent in (first..upto).rev() {
                        let with = best[(count - 1) * width + spent - cost] + value;
                        let cell = count * width + spent;
                        if with > best[cell] {
                            best[cell] = with;
                            let bit = item * row + cell;
                            taken[bit / 64] |= 1 << (bit % 64);
                        }
                    }
                    upto = first;
                }
            }
        }
        let whole =
            problem.costs.iter().zip(&units).all(|(cost, units)| units.mul_add(self.unit, -cost) == 0.0);
        if best[row - 1] == f64::NEG_INFINITY {
            return if whole {
                Outcome::infeasible(meter.work())
            } else {
                Outcome::stopped(None, None, meter.work(), End::Gap)
            };
        }
        let mut chosen = Vec::with_capacity(n);
        let (mut count, mut spent) = (n, width - 1);
        for item in (0..k).rev() {
            let bit = item * row + count * width + spent;
            if taken[bit / 64] >> (bit % 64) & 1 == 1 {
                chosen.push(item);
                count -= 1;
                spent -= units[item] as usize;
            }
        }
        let subset = problem.subset(chosen);
        let value = subset.value;
        if whole && Bits::of(problem.values.iter().copied()).sums_are_exact() {
            Outcome::solved(subset, value, meter.work())
        } else {
            Outcome::heuristic(subset, value, meter.work())
        }
    }
}
