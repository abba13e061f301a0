//! The vector criterion `<C, D, T, I>`, by weights or in lexicographic order.
//!
//! Source: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, *Resource Selection Algorithms for Economic
//! Scheduling in Distributed Systems* (2011), end of section 2. The source names the vector and leaves open how its
//! parts are weighed against each other; here the caller does.

use std::fmt;

use sched_model::{MAX_QUANTITY, Outcome};

use crate::limits::Limits;
use crate::problem::{View, check_limit, choice};
use crate::{
    Alternatives, BatchChoice, BatchError, Choice, Decision, ExpandingCore, FrontSearch, Problem, Scratch,
    Total,
};

/// A part of the vector criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Criterion {
    /// C: the total cost; less is better.
    Cost,
    /// D = B* - C: what is left of the budget; more is better.
    Savings,
    /// T: the total time; less is better.
    Time,
    /// I = T* - T: what is left of the time limit; more is better.
    SpareTime,
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cost => "cost",
            Self::Savings => "savings",
            Self::Time => "time",
            Self::SpareTime => "spare-time",
        })
    }
}

/// How much each part counts. A weight turns its part into units of the others; none may be negative.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Weights {
    /// Of C.
    pub cost: f64,
    /// Of D.
    pub savings: f64,
    /// Of T.
    pub time: f64,
    /// Of I.
    pub spare_time: f64,
}

/// What is best of four parts.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum VectorCriterion {
    /// The least `cost C - savings D + time T - spare_time I`.
    Weighted(Weights),
    /// The best first part; among equals the best second; and so on. Parts that are not named do not count. As D is a
    /// constant less C, and I a constant less T, the first of each pair decides for both.
    Lexicographic(Vec<Criterion>),
}

/// The four parts of a choice.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CriteriaVector {
    /// C.
    pub cost: f64,
    /// D = B* - C.
    pub savings: f64,
    /// T.
    pub time: f64,
    /// I = T* - T.
    pub spare_time: f64,
}

impl CriteriaVector {
    /// The vector of a choice under limits.
    pub fn of(choice: &Choice, limits: &Limits) -> Self {
        Self {
            cost: choice.cost,
            savings: limits.budget - choice.cost,
            time: choice.time,
            spare_time: limits.time - choice.time,
        }
    }
}

/// The choice that is best by a vector criterion and keeps both limits.
///
/// Under weights the question has one objective and two limits. Each limit alone is tried first, with
/// [`ExpandingCore`]: if its best choice keeps the other limit too, it is the answer. Only when both limits bind at once
/// the [front](FrontSearch) within them is built (of at most its default number of points) and its best point taken. A
/// lexicographic order never needs the front.
///
/// # Guarantee
/// Exact, within the rounding of sums that [`ExpandingCore`] states; the choice lies on the Pareto front of (cost, time)
/// unless a criterion counts for nothing. [`Proof::LimitReached`](sched_model::Proof::LimitReached) as there.
///
/// # Ties
/// Of choices equally good by a lexicographic order of one part only, the better one in the other sum. Under weights, of
/// equally good choices, which one is not specified, but it is always the same.
///
/// # Errors
/// [`BatchError::Limit`], [`BatchError::Weight`], [`BatchError::EmptyOrder`], and [`BatchError::FrontTooLarge`] when both
/// limits bind at once on a batch with a huge front.
///
/// # Example
/// The front is (cost, time) = (6, 18), (10, 13), (15, 8). A unit of time weighs as much as a unit of cost: 24, 23, 23
/// without limits. The budget of 14 leaves (10, 13).
///
/// ```
/// use batch_dp::limits::Limits;
/// use batch_dp::{Alternatives, CriteriaVector, Scratch, VectorCriterion, Weights, choose_by_vector};
///
/// let batch = Alternatives::from_pairs([[(4.0, 10.0), (9.0, 5.0)], [(2.0, 8.0), (6.0, 3.0)]])?;
/// let limits = Limits { budget: 14.0, time: 20.0 };
/// let even = VectorCriterion::Weighted(Weights { cost: 1.0, time: 1.0, ..Weights::default() });
/// let outcome = choose_by_vector(&batch, &limits, &even, &mut Scratch::new())?;
/// let choice = outcome.solution.into_choice().unwrap();
/// let vector = CriteriaVector { cost: 10.0, savings: 4.0, time: 13.0, spare_time: 7.0 };
/// assert_eq!(CriteriaVector::of(&choice, &limits), vector);
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
pub fn choose_by_vector(
    batch: &Alternatives,
    limits: &Limits,
    criterion: &VectorCriterion,
    scratch: &mut Scratch,
) -> Result<Outcome<Decision>, BatchError> {
    check_limit(Total::Cost, limits.budget)?;
    check_limit(Total::Time, limits.time)?;
    match criterion {
        VectorCriterion::Weighted(weights) => {
            let (cost, time) = weights.of_sums()?;
            if time == 0.0 {
                best_sum(batch, limits, Total::Cost, scratch)
            } else if cost == 0.0 {
                best_sum(batch, limits, Total::Time, scratch)
            } else {
                weighted(batch, limits, cost, time, scratch)
            }
        }
        VectorCriterion::Lexicographic(order) => match order.first() {
            None => Err(BatchError::EmptyOrder),
            Some(Criterion::Cost | Criterion::Savings) => best_sum(batch, limits, Total::Cost, scratch),
            Some(Criterion::Time | Criterion::SpareTime) => best_sum(batch, limits, Total::Time, scratch),
        },
    }
}

impl Weights {
    /// What a unit of C and a unit of T weigh in all.
    fn of_sums(&self) -> Result<(f64, f64), BatchError> {
        let parts = [
            (Criterion::Cost, self.cost),
            (Criterion::Savings, self.savings),
            (Criterion::Time, self.time),
            (Criterion::SpareTime, self.spare_time),
        ];
        for (criterion, value) in parts {
            if !(0.0..=MAX_QUANTITY).contains(&value) {
                return Err(BatchError::Weight { criterion, value });
            }
        }
        let sums = (self.cost + self.savings, self.time + self.spare_time);
        if sums == (0.0, 0.0) {
            return Err(BatchError::Weight { criterion: Criterion::Cost, value: 0.0 });
        }
        Ok(sums)
    }
}

/// The least of one sum, then of the other, within both limits.
///
/// The least of one sum within the limit on the other settles it: if even that passes its own limit, nothing keeps both.
fn best_sum(
    batch: &Alternatives,
    limits: &Limits,
    total: Total,
    scratch: &mut Scratch,
) -> Result<Outcome<Decision>, BatchError> {
    let (problem, limit) = match total {
        Total::Cost => (Problem::MinCost { time_limit: limits.time }, limits.budget),
        Total::Time => (Problem::MinTime { budget: limits.budget }, limits.time),
    };
    let outcome = ExpandingCore::new().choose(batch, &problem, scratch)?;
    Ok(outcome.map(|decision| within(decision, total, limit)))
}

/// The decision, unless its choice passes the limit on a sum that it has made as small as can be.
fn within(decision: Decision, total: Total, limit: f64) -> Decision {
    decision.and_then(|choice| {
        let sum = match total {
            Total::Cost => choice.cost,
            Total::Time => choice.time,
        };
        if sum <= limit { Decision::Chosen(choice) } else { Decision::out_of_reach(total, limit, sum) }
    })
}

/// The least `cost C + time T` within both limits; both weights are above zero.
fn weighted(
    batch: &Alternatives,
    limits: &Limits,
    cost: f64,
    time: f64,
    scratch: &mut Scratch,
) -> Result<Outcome<Decision>, BatchError> {
    let mut objective = std::mem::take(&mut scratch.weighted);
    objective.clear();
    objective.extend(batch.costs().iter().zip(batch.times()).map(|(c, t)| cost * c + time * t));
    let answer = one_limit_at_a_time(batch, limits, &objective, scratch);
    scratch.weighted = objective;
    if let Some(outcome) = answer? {
        return Ok(outcome);
    }
    let search = FrontSearch::new().with_budget(limits.budget).with_time_limit(limits.time);
    let front = search.find(batch, scratch)?;
    Ok(Outcome::exact(front.and_then(|front| {
        let value = |point: usize| {
            let point = front.points()[point];
            cost * point.cost + time * point.time
        };
        let best = (0..front.points().len()).min_by(|&a, &b| value(a).total_cmp(&value(b)));
        match best.and_then(|point| front.choice(point)) {
            Some(choice) => Decision::Chosen(choice),
            // A front within limits has a point, or says why not.
            None => Decision::out_of_reach(Total::Time, limits.time, f64::INFINITY),
        }
    })))
}

/// The best choice within one limit, if it keeps the other.
fn one_limit_at_a_time(
    batch: &Alternatives,
    limits: &Limits,
    objective: &[f64],
    scratch: &mut Scratch,
) -> Result<Option<Outcome<Decision>>, BatchError> {
    for (total, limit) in [(Total::Time, limits.time), (Total::Cost, limits.budget)] {
        let view = match View::with_objective(batch, objective, 1.0, total, limit)? {
            Ok(view) => view,
            Err(decision) => return Ok(Some(Outcome::exact(decision))),
        };
        let solved = ExpandingCore::new().solve(&view, scratch);
        if let Err(least) = solved.solution {
            return Ok(Some(Outcome::exact(view.out_of_reach(least))));
        }
        let choice = choice(batch, &scratch.incumbent.picks);
        if choice.cost <= limits.budget && choice.time <= limits.time {
            return Ok(Some(Outcome { solution: Decision::Chosen(choice), proof: solved.proof }));
        }
    }
    Ok(None)
}
