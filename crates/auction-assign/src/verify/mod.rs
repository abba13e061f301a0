//! The verifier: proves answers by their duals, independently of the method that found them.

mod flaw;
mod sum;

use std::ops::Range;

use crate::costs::Form;
use crate::parallel::over_ranges;
use crate::solution::{Assignment, Duals, Shortage};
use crate::{AssignmentProblem, Coverage, Sense};
pub use flaw::Flaw;
use sched_model::internal::{ExactSum, two_sum};
use sum::{Sum, two_product};

/// The result of [`verify`] for a feasible assignment.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Certificate {
    /// The exact sum of the costs, recomputed by the verifier and rounded once.
    pub total: f64,
    /// The bound that the duals prove: no assignment has a lower sum when minimising, or a higher one when
    /// maximising. It is summed without rounding and then rounded to the double on the safe side; if the gap is 0
    /// it is the total.
    pub bound: f64,
    /// The maximum difference between the sum of the costs and the optimum that the duals allow, summed without
    /// rounding and rounded up to a double. 0 proves that the assignment is optimal: every comparison is exact.
    pub gap: f64,
}

impl std::fmt::Display for Certificate {
    /// One line: `total 5, bound 5, gap 0`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "total {}, bound {}, gap {}", self.total, self.bound, self.gap)
    }
}

/// Checks that an assignment is feasible, and computes from its duals a bound on the optimum and so the gap.
///
/// The proof needs only the answer. If profit + price is at least the value of every pair, the sum of all profits,
/// and of capacity x price over all resources, is at least the value of any assignment; the gap is that sum minus the
/// value of this one. Costs, prices and profits are summed without rounding, in an arithmetic separate from that of
/// the methods; the total is summed by `sched_model`. If the value of some pair exceeds profit + price, as it may in an
/// answer that is proven only within an epsilon, the maximum excess is added to the gap once for every job. So the gap
/// is valid for any duals.
///
/// Time: one pass over the costs, and at most one more for [`Coverage::MostJobs`] if jobs are unplaced and places are
/// left over.
///
/// # Errors
/// The first [`Flaw`] found.
///
/// ```
/// use auction_assign::{Assigner, Auction, Costs, AssignmentProblem, verify};
/// let costs = Costs::dense(2, 2, &[1.0, 2.0, 3.0, 9.0])?;
/// let problem = AssignmentProblem::new(costs);
/// let mut assignment = Auction::default().assign(&problem)?.best.unwrap();
/// assert_eq!(verify(&problem, &assignment).unwrap().to_string(), "total 5, bound 5, gap 0");
/// // The other assignment costs 10: the same duals show what is lost.
/// assignment.resources = vec![Some(0), Some(1)];
/// assignment.total = 10.0;
/// assert_eq!(verify(&problem, &assignment).unwrap().gap, 5.0);
/// # Ok::<(), auction_assign::AssignError>(())
/// ```
pub fn verify(problem: &AssignmentProblem<'_>, assignment: &Assignment) -> Result<Certificate, Flaw> {
    let m = problem.resources();
    check_length("capacities", problem.capacities.map_or(m, <[u32]>::len), m)?;
    let total = check_rules(problem, assignment)?;
    let duals = assignment.duals.as_ref().ok_or(Flaw::NoDuals)?;
    let checked = CheckedDuals::new(problem, assignment, duals)?;
    let violation = violation(problem, &checked);
    let mut room: Vec<u32> = (0..m).map(|r| problem.capacity(r)).collect();
    // `open`: the gap that the duals leave. `worth`: the value of the assignment. A placed job adds its profit + the
    // price of its place - the value of the pair to the gap, an unplaced one its profit - the waiting profit.
    let (mut open, mut worth) = (Sum::default(), Sum::default());
    for (job, &resource) in assignment.resources.iter().enumerate() {
        duals.exact_profit(job).for_each(|part| open.add(part));
        match resource {
            Some(r) => {
                room[r as usize] -= 1;
                let value = checked.sign * problem.costs.get(job, r as usize).unwrap_or_default();
                duals.exact_price(r as usize).for_each(|part| open.add(part));
                open.add(-value);
                worth.add(value);
            }
            None => checked.waiting.iter().for_each(|&part| open.add(-part)),
        }
    }
    // Free places add their price, which no job pays.
    for (r, &places) in room.iter().enumerate().filter(|&(_, &places)| places > 0) {
        for part in duals.exact_price(r) {
            two_product(part, f64::from(places)).into_iter().for_each(|part| open.add(part));
        }
    }
    // If some pair exceeds the duals by d, every job might gain d.
    two_product(violation, problem.jobs() as f64).into_iter().for_each(|part| open.add(part));
    let finite = |sum: f64| {
        let flaw = Flaw::NotFinite { what: "sum of the duals", index: 0, value: f64::INFINITY };
        if sum.is_finite() { Ok(sum) } else { Err(flaw) }
    };
    let gap = finite(open.rounded_up())?;
    if gap <= 0.0 {
        return Ok(Certificate { total, bound: total, gap: 0.0 });
    }
    if let Coverage::Penalty(unplaced) = problem.coverage {
        let out = assignment.resources.iter().filter(|resource| resource.is_none());
        out.for_each(|_| worth.add(checked.sign * unplaced));
    }
    open.parts().for_each(|part| worth.add(part));
    let bound = finite(worth.rounded_up())?;
    Ok(Certificate { total, bound: checked.sign * bound + 0.0, gap })
}

impl Shortage {
    /// Checks the shortage against the problem: every job must be placed, the jobs of the shortage may use no resources
    /// with places other than those of the shortage, and these have fewer places than there are jobs in the shortage.
    ///
    /// Time: O(jobs of the shortage * resources) look-ups of a cost.
    ///
    /// # Errors
    /// The first [`Flaw`] found.
    pub fn verify(&self, problem: &AssignmentProblem<'_>) -> Result<(), Flaw> {
        if problem.coverage != Coverage::EveryJob {
            return Err(Flaw::MayStayOut);
        }
        let mut named = vec![false; problem.resources()];
        let mut capacity = 0;
        check_ascending("a resource not in ascending order or out of range", &self.resources, named.len())?;
        for &r in &self.resources {
            named[r as usize] = true;
            capacity += u64::from(problem.capacity(r as usize));
        }
        if self.capacity != capacity {
            return Err(Flaw::Places { stated: self.capacity, found: capacity });
        }
        check_ascending("a job not in ascending order or out of range", &self.jobs, problem.jobs())?;
        for &job in &self.jobs {
            let escape = (0..problem.resources()).find(|&r| {
                !named[r] && problem.capacity(r) > 0 && problem.costs.get(job as usize, r).is_some()
            });
            if let Some(resource) = escape {
                return Err(Flaw::Escape { job, resource });
            }
        }
        if self.jobs.len() as u64 <= capacity {
            return Err(Flaw::NoShortage { jobs: self.jobs.len(), capacity });
        }
        Ok(())
    }
}

fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), Flaw> {
    if found == expected { Ok(()) } else { Err(Flaw::Shape { what, found, expected }) }
}

/// Checks that indices ascend strictly and are less than `count`.
fn check_ascending(what: &'static str, indices: &[u32], count: usize) -> Result<(), Flaw> {
    let mut next = 0;
    for &at in indices {
        if !(next..count).contains(&(at as usize)) {
            return Err(Flaw::Shape { what, found: at as usize, expected: count });
        }
        next = at as usize + 1;
    }
    Ok(())
}

/// The sign that converts costs to values: 1 when maximising, -1 when minimising.
fn sign(problem: &AssignmentProblem<'_>) -> f64 {
    if problem.sense == Sense::Maximise { 1.0 } else { -1.0 }
}

/// Checks that the assignment is feasible and its total right; returns the total.
fn check_rules(problem: &AssignmentProblem<'_>, assignment: &Assignment) -> Result<f64, Flaw> {
    let (n, m) = (problem.jobs(), problem.resources());
    check_length("jobs answered for", assignment.resources.len(), n)?;
    let mut loads = vec![0u64; m];
    let mut total = ExactSum::new();
    for (job, &resource) in assignment.resources.iter().enumerate() {
        match (resource, problem.coverage) {
            (Some(resource), _) => {
                let cost = problem.costs.get(job, resource as usize);
                total.add(cost.ok_or(Flaw::Forbidden { job, resource })?);
                loads[resource as usize] += 1;
            }
            (None, Coverage::EveryJob) => return Err(Flaw::Unplaced { job }),
            (None, Coverage::MostJobs) => {}
            (None, Coverage::Penalty(unplaced)) => total.add(unplaced),
        }
    }
    for (resource, &load) in loads.iter().enumerate() {
        let capacity = problem.capacity(resource);
        if load > u64::from(capacity) {
            return Err(Flaw::Overfull { resource, load, capacity });
        }
    }
    let placed = assignment.placed();
    if problem.coverage == Coverage::MostJobs
        && placed < n
        && (placed as u64) < problem.total_capacity()
        && one_more_fits(problem, assignment, &loads)
    {
        return Err(Flaw::TooFew { placed, possible: placed + 1 });
    }
    let total = total.value();
    if assignment.total != total {
        return Err(Flaw::Total { stated: assignment.total, found: total });
    }
    Ok(total)
}

/// Whether one more job could be placed by moving others: whether a free place can be reached from the unplaced jobs,
/// by way of the resources that a job may use and the jobs on them. If not, no other assignment places more
/// jobs (C. Berge, 1957).
fn one_more_fits(problem: &AssignmentProblem<'_>, assignment: &Assignment, loads: &[u64]) -> bool {
    let mut on = vec![Vec::new(); loads.len()];
    let mut reached = Vec::new();
    for (job, &resource) in assignment.resources.iter().enumerate() {
        resource.map_or(&mut reached, |r| &mut on[r as usize]).push(job);
    }
    let mut fits = false;
    while let Some(job) = reached.pop() {
        let met = for_each_pair(problem, job, |r, _| {
            fits |= loads[r] < u64::from(problem.capacity(r));
            reached.append(&mut on[r]);
            if fits { Err(()) } else { Ok(()) }
        });
        if met.is_err() {
            return true;
        }
    }
    false
}

/// Calls `look` with each admissible resource of a job and the cost there, until one call returns an error.
fn for_each_pair<E>(
    problem: &AssignmentProblem<'_>,
    job: usize,
    mut look: impl FnMut(usize, f64) -> Result<(), E>,
) -> Result<(), E> {
    let (costs, m) = (problem.costs, problem.resources());
    match costs.form() {
        Form::Dense(values) => {
            let row = values[job * m..(job + 1) * m].iter().enumerate();
            row.filter(|&(_, &cost)| cost != f64::INFINITY).try_for_each(|(r, &cost)| look(r, cost))
        }
        Form::Sparse { offsets, columns, values } => {
            let range = offsets[job]..offsets[job + 1];
            let pairs = columns[range.clone()].iter().zip(&values[range]);
            pairs
                .filter(|&(_, &cost)| cost != f64::INFINITY)
                .try_for_each(|(&r, &cost)| look(r as usize, cost))
        }
        _ => (0..m).try_for_each(|r| costs.get(job, r).map_or(Ok(()), |cost| look(r, cost))),
    }
}

/// The checked duals of an assignment.
struct CheckedDuals<'a> {
    duals: &'a Duals,
    /// See [`sign`].
    sign: f64,
    /// The doubles that sum to the waiting profit; empty if there is none.
    waiting: Vec<f64>,
}

impl<'a> CheckedDuals<'a> {
    /// Checks that all duals are present and finite, that no price is negative, and that the waiting profit matches the
    /// problem.
    fn new(problem: &AssignmentProblem<'_>, assignment: &Assignment, duals: &'a Duals) -> Result<Self, Flaw> {
        let (n, m) = (problem.jobs(), problem.resources());
        check_length("profits", duals.profits.len(), n)?;
        check_length("prices", duals.prices.len(), m)?;
        if let Some(rest) = &duals.remainders {
            let some = usize::from(duals.waiting.is_some());
            check_length("remainders of profits", rest.profits.len(), n.saturating_mul(rest.each))?;
            check_length("remainders of prices", rest.prices.len(), m.saturating_mul(rest.each))?;
            check_length(
                "remainders of the waiting profit",
                rest.waiting.len(),
                some.saturating_mul(rest.each),
            )?;
        }
        for (job, &profit) in duals.profits.iter().enumerate() {
            check_dual("profit", job, profit, duals.exact_profit(job))?;
        }
        if let Some(waiting) = duals.waiting {
            check_dual("waiting profit", 0, waiting, duals.exact_waiting())?;
        }
        let waiting: Vec<f64> = duals.exact_waiting().collect();
        let fits = match problem.coverage {
            Coverage::EveryJob => duals.waiting.is_none(),
            // Without the waiting profit there would be no bound for the jobs left out.
            Coverage::MostJobs => duals.waiting.is_some() || assignment.placed() == n,
            Coverage::Penalty(unplaced) => {
                let value = sign(problem) * unplaced;
                duals.waiting.is_some() && Sum::of(waiting.iter().copied().chain([-value])).value() == 0.0
            }
        };
        if !fits {
            return Err(Flaw::Waiting { waiting: duals.waiting });
        }
        let checked = Self { duals, sign: sign(problem), waiting };
        for resource in 0..m {
            let price = checked.price(resource);
            if !(price >= 0.0 && price.is_finite()) {
                return Err(Flaw::Price { resource, price });
            }
            check_dual("price", resource, duals.prices[resource], duals.exact_price(resource))?;
        }
        Ok(checked)
    }

    /// The price of a resource as a double of the right sign.
    fn price(&self, resource: usize) -> f64 {
        match self.duals.remainders {
            None => self.duals.prices[resource],
            Some(_) => Sum::of(self.duals.exact_price(resource)).value(),
        }
    }

    /// Returns by how much a pair exceeds the duals: its value minus price and profit, rounded up. The result has the
    /// sign of the exact difference, and is 0 only if this is 0. Without a resource the price is 0.
    #[inline]
    fn excess(&self, job: usize, resource: Option<usize>, value: f64) -> f64 {
        let price = resource.map_or(0.0, |r| self.duals.prices[r]);
        let profit = self.duals.profits[job];
        let (after_price, lost) = two_sum(value, -price);
        let (excess, lost_too) = two_sum(after_price, -profit);
        // Twice the maximum of the rounding errors of these sums and of the duals.
        let margin = 4.0 * f64::EPSILON * (value.abs() + price.abs() + profit.abs());
        if excess < -margin || (self.duals.remainders.is_none() && lost == 0.0 && lost_too == 0.0) {
            return excess;
        }
        let price = resource.into_iter().flat_map(|r| self.duals.exact_price(r)).map(|part| -part);
        let profit = self.duals.exact_profit(job).map(|part| -part);
        Sum::of(std::iter::once(value).chain(price).chain(profit)).rounded_up()
    }

    /// Returns by how much the waiting profit exceeds the profit of a job, rounded up.
    fn excess_waiting(&self, job: usize) -> f64 {
        let profit = self.duals.exact_profit(job).map(|part| -part);
        Sum::of(self.waiting.iter().copied().chain(profit)).rounded_up()
    }
}

/// Checks that a dual is finite, and that its remainders sum to no more than a rounding error, so that comparisons
/// which the doubles decide need no remainders.
fn check_dual(
    what: &'static str,
    index: usize,
    value: f64,
    parts: impl Iterator<Item = f64>,
) -> Result<(), Flaw> {
    if !value.is_finite() {
        return Err(Flaw::NotFinite { what, index, value });
    }
    let rest: f64 = parts.skip(1).map(f64::abs).sum();
    if rest <= f64::EPSILON * value.abs() { Ok(()) } else { Err(Flaw::Remainder { what, index }) }
}

/// Returns the maximum by which a pair, or staying unplaced, exceeds the duals; 0 if none does.
fn violation(problem: &AssignmentProblem<'_>, checked: &CheckedDuals<'_>) -> f64 {
    let pairs = problem.jobs() as u64 * problem.resources() as u64;
    let worst = |worst: f64, excess: f64| if excess <= worst { worst } else { excess };
    let of_jobs = |jobs: Range<usize>| {
        let mut maximum = 0.0;
        for job in jobs {
            if !checked.waiting.is_empty() {
                maximum = worst(maximum, checked.excess_waiting(job));
            }
            let Ok(()) = for_each_pair(problem, job, |r, cost| {
                // Negative infinity and NaN are not valid costs; they exceed all duals.
                let is_valid = cost > f64::NEG_INFINITY;
                let excess = || checked.excess(job, Some(r), checked.sign * cost);
                maximum = worst(maximum, if is_valid { excess() } else { f64::INFINITY });
                Ok::<(), std::convert::Infallible>(())
            });
        }
        maximum
    };
    over_ranges(problem.jobs(), pairs, of_jobs).into_iter().fold(0.0, worst)
}
