//! Proof by duals, independent of how the answer was found.

use crate::problem::Form;
use crate::solution::{Answer, Assignment, Duals, Shortage};
use crate::{Coverage, Problem, Sense};

/// What [`verify`] established of an assignment that keeps all rules.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Certificate {
    /// The sum of the costs, summed anew in the order of the jobs.
    pub total: f64,
    /// The bound that the duals prove: no assignment can have a lower sum when minimising, or a greater one when
    /// maximising.
    pub bound: f64,
    /// By how much the total may miss the optimum: the distance of the two as far as duals leave it open, summed
    /// without cancellation. 0 proves the assignment optimal, to the bit where sums of costs and prices are exact.
    pub gap: f64,
}

/// What is wrong with an answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// The answer speaks of another number of jobs or resources.
    #[error("{what}: {found}, but the problem has {expected}")]
    Shape {
        /// What is counted.
        what: &'static str,
        /// The number found.
        found: usize,
        /// The number of the problem.
        expected: usize,
    },
    /// A job stands where it may not, or on a resource that does not exist.
    #[error("job {job} stands on resource {resource}, which is forbidden to it")]
    Forbidden {
        /// The job.
        job: usize,
        /// The resource.
        resource: u32,
    },
    /// A resource holds more than its capacity.
    #[error("resource {resource} holds {load} jobs, and has {capacity} places")]
    Overfull {
        /// The resource.
        resource: usize,
        /// The jobs there.
        load: u64,
        /// Its capacity.
        capacity: u32,
    },
    /// A job is not placed although every job must be.
    #[error("job {job} is not placed")]
    Unplaced {
        /// The job.
        job: usize,
    },
    /// More jobs could have been placed.
    #[error("{placed} jobs are placed where {possible} can be")]
    TooFew {
        /// How many are placed.
        placed: usize,
        /// How many could be.
        possible: usize,
    },
    /// The answer's sum is not that of its costs.
    #[error("the stated total is {stated}, the costs sum to {found}")]
    Total {
        /// The answer's sum.
        stated: f64,
        /// The sum of the costs.
        found: f64,
    },
    /// The answer has no duals.
    #[error("there are no duals to prove anything from")]
    NoDuals,
    /// A price is negative or not a number.
    #[error("the price of resource {resource} is {price}")]
    Price {
        /// The resource.
        resource: usize,
        /// Its price.
        price: f64,
    },
    /// A pair is worth more than profit and price allow: the duals bound nothing.
    #[error("job {job} with profit {profit} would gain {excess} more on resource {resource}")]
    Profit {
        /// The job.
        job: usize,
        /// Its profit by the duals.
        profit: f64,
        /// The resource on which it would gain more.
        resource: usize,
        /// By how much.
        excess: f64,
    },
    /// A job named by a shortage may use a resource which the shortage does not name.
    #[error("job {job} of the shortage may also use resource {resource}")]
    Escape {
        /// The job.
        job: u32,
        /// The resource.
        resource: usize,
    },
    /// A shortage in which the jobs fit.
    #[error("{jobs} jobs fit into {capacity} places")]
    NoShortage {
        /// Number of jobs named.
        jobs: usize,
        /// Places of the resources named.
        capacity: u64,
    },
}

/// Checks an assignment against every rule of the problem and proves by its duals how far it can be from the optimum.
///
/// The proof needs nothing but the answer: profits and prices that no pair beats bound every assignment from the other
/// side. `tolerance` is how far a pair may beat them, for costs whose sums are rounded; what is used of it counts into the
/// gap. With whole costs, 0 is right.
///
/// Time: one pass over the costs. [`Coverage::MostJobs`] with forbidden pairs also takes the search for the greatest
/// number of jobs, unless the places are full.
///
/// # Errors
/// The first [`Flaw`] found.
///
/// ```
/// use auction_assign::{Assigner, Auction, Costs, Problem, verify};
/// let costs = Costs::dense(2, 2, &[1.0, 2.0, 3.0, 9.0])?;
/// let problem = Problem::new(costs);
/// let mut assignment = Auction::default().assign(&problem)?.assignment().cloned().unwrap();
/// assert_eq!(verify(&problem, &assignment, 0.0).unwrap().gap, 0.0);
/// // The other assignment costs 10: the same duals show what is lost.
/// assignment.resources = vec![Some(0), Some(1)];
/// assignment.total = 10.0;
/// assert_eq!(verify(&problem, &assignment, 0.0).unwrap().gap, 5.0);
/// # Ok::<(), auction_assign::AssignError>(())
/// ```
pub fn verify(problem: &Problem<'_>, assignment: &Assignment, tolerance: f64) -> Result<Certificate, Flaw> {
    let total = rules(problem, assignment)?;
    let duals = assignment.duals.as_ref().ok_or(Flaw::NoDuals)?;
    let violation = dual_rules(problem, duals, tolerance)?;
    let sign = sign(problem);
    let placed = assignment.placed();
    let waiting = duals.waiting.unwrap_or(0.0);
    let mut loads = vec![0u64; problem.resources()];
    let mut gap = 0.0;
    let mut bound = 0.0;
    for (job, (&resource, &profit)) in assignment.resources.iter().zip(&duals.profits).enumerate() {
        bound += profit;
        gap += match resource {
            Some(r) => {
                loads[r as usize] += 1;
                let value = sign * problem.costs().get(job, r as usize).unwrap_or_default();
                (profit + duals.prices[r as usize]) - value
            }
            None => profit - waiting,
        };
    }
    for (r, (&price, &load)) in duals.prices.iter().zip(&loads).enumerate() {
        let capacity = f64::from(problem.capacity(r));
        bound += price * capacity;
        gap += price * (capacity - load as f64);
    }
    // Exactly as many jobs stay out, at the waiting profit each; with a penalty that is the penalty itself.
    if problem.coverage() == Coverage::MostJobs {
        bound -= waiting * (problem.jobs() - placed) as f64;
    }
    // A pair that beats the duals by d may gain every job d.
    let allowance = violation * problem.jobs() as f64;
    Ok(Certificate { total, bound: sign * (bound + allowance), gap: gap.max(0.0) + allowance })
}

/// Checks that a shortage is one: its jobs may use no other resources, and these hold fewer.
///
/// # Errors
/// The first [`Flaw`] found.
pub fn verify_shortage(problem: &Problem<'_>, shortage: &Shortage) -> Result<(), Flaw> {
    let mut named = vec![false; problem.resources()];
    let mut capacity = 0;
    for &r in &shortage.resources {
        let Some(named) = named.get_mut(r as usize) else {
            return Err(Flaw::Shape {
                what: "resource named",
                found: r as usize,
                expected: problem.resources(),
            });
        };
        if !std::mem::replace(named, true) {
            capacity += u64::from(problem.capacity(r as usize));
        }
    }
    let mut before = None;
    for &job in &shortage.jobs {
        if job as usize >= problem.jobs() || before.is_some_and(|before| before >= job) {
            return Err(Flaw::Shape {
                what: "jobs named, ascending",
                found: job as usize,
                expected: problem.jobs(),
            });
        }
        before = Some(job);
        let escape = (0..problem.resources()).find(|&r| {
            !named[r] && problem.capacity(r) > 0 && problem.costs().get(job as usize, r).is_some()
        });
        if let Some(resource) = escape {
            return Err(Flaw::Escape { job, resource });
        }
    }
    if shortage.jobs.len() as u64 <= capacity {
        return Err(Flaw::NoShortage { jobs: shortage.jobs.len(), capacity });
    }
    Ok(())
}

/// Checks either kind of answer; for a shortage there is no certificate beside it.
///
/// # Errors
/// The first [`Flaw`] found.
pub fn verify_answer(
    problem: &Problem<'_>,
    answer: &Answer,
    tolerance: f64,
) -> Result<Option<Certificate>, Flaw> {
    match answer {
        Answer::Assigned(outcome) => verify(problem, &outcome.solution, tolerance).map(Some),
        Answer::Infeasible(shortage) => verify_shortage(problem, shortage).map(|()| None),
    }
}

fn sign(problem: &Problem<'_>) -> f64 {
    if problem.sense() == Sense::Maximise { 1.0 } else { -1.0 }
}

/// Everything but the duals; returns the sum of the costs.
pub(crate) fn rules(problem: &Problem<'_>, assignment: &Assignment) -> Result<f64, Flaw> {
    let (n, m) = (problem.jobs(), problem.resources());
    if assignment.resources.len() != n {
        return Err(Flaw::Shape {
            what: "jobs answered for",
            found: assignment.resources.len(),
            expected: n,
        });
    }
    let mut loads = vec![0u64; m];
    let mut total = 0.0;
    for (job, &resource) in assignment.resources.iter().enumerate() {
        match (resource, problem.coverage()) {
            (Some(resource), _) => {
                let cost = problem.costs().get(job, resource as usize);
                total += cost.ok_or(Flaw::Forbidden { job, resource })?;
                loads[resource as usize] += 1;
            }
            (None, Coverage::EveryJob) => return Err(Flaw::Unplaced { job }),
            (None, Coverage::MostJobs) => {}
            (None, Coverage::Optional { unplaced }) => total += unplaced,
        }
    }
    for (resource, &load) in loads.iter().enumerate() {
        let capacity = problem.capacity(resource);
        if load > u64::from(capacity) {
            return Err(Flaw::Overfull { resource, load, capacity });
        }
    }
    let placed = assignment.placed();
    if problem.coverage() == Coverage::MostJobs && placed < n && (placed as u64) < problem.total_capacity() {
        let capacities: Vec<u32> = (0..m).map(|r| problem.capacity(r)).collect();
        let possible = crate::matching::greatest(&crate::source::Source::new(problem), &capacities);
        if placed < possible {
            return Err(Flaw::TooFew { placed, possible });
        }
    }
    if assignment.total != total {
        return Err(Flaw::Total { stated: assignment.total, found: total });
    }
    Ok(total)
}

/// Checks that no pair beats the duals by more than the tolerance; returns by how much one does.
fn dual_rules(problem: &Problem<'_>, duals: &Duals, tolerance: f64) -> Result<f64, Flaw> {
    let (n, m) = (problem.jobs(), problem.resources());
    if duals.profits.len() != n {
        return Err(Flaw::Shape { what: "profits", found: duals.profits.len(), expected: n });
    }
    if duals.prices.len() != m {
        return Err(Flaw::Shape { what: "prices", found: duals.prices.len(), expected: m });
    }
    if let Some(resource) = duals.prices.iter().position(|&price| !(price >= 0.0 && price.is_finite())) {
        return Err(Flaw::Price { resource, price: duals.prices[resource] });
    }
    let sign = sign(problem);
    let waiting = match (problem.coverage(), duals.waiting) {
        (Coverage::EveryJob, _) | (Coverage::MostJobs, None) => f64::NEG_INFINITY,
        (Coverage::MostJobs, Some(waiting)) => waiting,
        // The value of staying out is the problem's, not the answer's.
        (Coverage::Optional { unplaced }, _) => sign * unplaced,
    };
    let mut worst = 0.0f64;
    let mut see = |job: usize, resource: usize, value: f64| {
        let profit = duals.profits[job];
        let price = if resource < m { duals.prices[resource] } else { 0.0 };
        let excess = (value - price) - profit;
        if !(excess <= tolerance) {
            return Err(Flaw::Profit { job, profit, resource, excess });
        }
        worst = worst.max(excess);
        Ok(())
    };
    for job in 0..n {
        if waiting > f64::NEG_INFINITY {
            see(job, m, waiting)?;
        }
        match problem.costs().form() {
            Form::Sparse { offsets, columns, values } => {
                for entry in offsets[job]..offsets[job + 1] {
                    if values[entry] != f64::INFINITY {
                        see(job, columns[entry] as usize, sign * values[entry])?;
                    }
                }
            }
            Form::Dense(_) | Form::Product { .. } | Form::Function(_) => {
                for resource in 0..m {
                    if let Some(cost) = problem.costs().get(job, resource) {
                        see(job, resource, sign * cost)?;
                    }
                }
            }
        }
    }
    Ok(worst)
}
