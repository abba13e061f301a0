//! The subset problem: of k items choose exactly n of greatest total value whose total cost is within a
//! budget.
//!
//! A window search with an additive criterion solves it at each instant; it can also be used alone. It is a
//! 0-1 knapsack problem with a fixed number of items.
//!
//! | solver | answer | cost |
//! |---|---|---|
//! | [`ExactSubset`] | exact on real numbers | microseconds for hundreds of items |
//! | [`SubsetTable`] | exact on costs in whole units, else feasible | O(k n B) for a budget of B units |
//! | [`ExhaustiveSubset`] | exact, the definition itself | all subsets |
//!
//! ```
//! use sched_model::Limit;
//! use slot_window::subset::{ExactSubset, SubsetProblem, SubsetScratch, SubsetSolver};
//! // Values and costs of four items; two of them, for at most 9.
//! let (values, costs) = ([7.0, 4.0, 6.0, 5.0], [7.5, 2.0, 5.0, 3.5]);
//! let problem = SubsetProblem::new(&values, &costs, 2, 9.0)?;
//! let best =
//!     ExactSubset::new().solve(&problem, &Limit::default(), &mut SubsetScratch::new()).best.unwrap();
//! // Any pair with the 7 costs at least 9.5; 6 + 5 costs 8.5.
//! assert_eq!((best.indices(), best.value(), best.cost()), (&[2, 3][..], 11.0, 8.5));
//! # Ok::<(), slot_window::WindowError>(())
//! ```

mod bits;
mod dominance;
mod exact;
mod exchange;
mod exhaustive;
mod incumbent;
mod items;
mod kind;
mod multiplier;
mod problem;
mod selection;
mod table;

pub use exact::ExactSubset;
pub use exhaustive::ExhaustiveSubset;
pub use kind::SubsetKind;
pub use table::SubsetTable;

pub(crate) use exact::{Found, MAX_STEPS, Search, Start, search};
pub(crate) use items::{Floor, Given, Items};
pub(crate) use multiplier::{Multiplier, Prior, Relaxed, relax};

use crate::WindowError;
use sched_model::{ExactSum, Limit, Outcome, exact_sum, order::sort};
use std::fmt::Debug;

/// The greatest magnitude of a value or a cost: products with a multiplier must stay finite.
pub(crate) const MAX_NUMBER: f64 = 1e200;

/// Values and costs of k items, how many to choose, and the budget.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct SubsetProblem<'a> {
    values: &'a [f64],
    costs: &'a [f64],
    count: usize,
    budget: f64,
}

impl<'a> SubsetProblem<'a> {
    /// Choose exactly `count` items of greatest total value and total cost at most `budget` (which may be
    /// infinite). A total is the exact sum, rounded once, and does not depend on the order of adding.
    ///
    /// # Errors
    /// [`WindowError::Lengths`] unless there are as many costs as values; [`WindowError::Item`] for a value
    /// that is not finite, a cost that is negative or not finite, or a magnitude above 10^200;
    /// [`WindowError::Budget`] if the budget is not a number.
    pub fn new(values: &'a [f64], costs: &'a [f64], count: usize, budget: f64) -> Result<Self, WindowError> {
        if values.len() != costs.len() {
            return Err(WindowError::Lengths { values: values.len(), costs: costs.len() });
        }
        let wrong = |what, index: usize, value| Err(WindowError::Item { what, index, value });
        if let Some(index) = values.iter().position(|value| !(value.abs() <= MAX_NUMBER)) {
            return wrong("value", index, values[index]);
        }
        if let Some(index) = costs.iter().position(|cost| !(0.0..=MAX_NUMBER).contains(cost)) {
            return wrong("cost", index, costs[index]);
        }
        if budget.is_nan() {
            return Err(WindowError::Budget { value: budget });
        }
        Ok(Self { values, costs, count, budget })
    }

    /// Value of each item.
    pub fn values(&self) -> &'a [f64] {
        self.values
    }

    /// Cost of each item.
    pub fn costs(&self) -> &'a [f64] {
        self.costs
    }

    /// The number of items to choose, n.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The greatest total cost.
    pub fn budget(&self) -> f64 {
        self.budget
    }

    /// The subset of these items.
    fn subset(&self, mut indices: Vec<usize>) -> Subset {
        sort(&mut indices, &Ord::cmp);
        let value = exact_sum(indices.iter().map(|&i| self.values[i]));
        let cost = exact_sum(indices.iter().map(|&i| self.costs[i]));
        Subset { indices, value, cost }
    }

    /// Whether the first subset is preferred to the second: the greater value, then the lower cost, both as
    /// real numbers; then the lexicographically smaller list of indices.
    pub fn prefers(&self, first: &Subset, second: &Subset) -> bool {
        let compare = |of: &[f64]| {
            let mut difference = ExactSum::new();
            first.indices.iter().for_each(|&i| difference.add(of[i]));
            second.indices.iter().for_each(|&i| difference.remove(of[i]));
            difference.value().total_cmp(&0.0)
        };
        let order = compare(self.values).reverse().then_with(|| compare(self.costs));
        order.then_with(|| first.indices.cmp(&second.indices)).is_lt()
    }
}

/// A choice of items. Its sums are exact sums, rounded once.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
pub struct Subset {
    indices: Vec<usize>,
    value: f64,
    cost: f64,
}

impl Subset {
    /// Its items, ascending.
    pub fn indices(&self) -> &[usize] {
        &self.indices
    }

    /// The sum of their values.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The sum of their costs.
    pub fn cost(&self) -> f64 {
        self.cost
    }
}

/// Memory of solvers. The caller owns it and passes it to one solver after another, of any kind. It holds no
/// result.
#[derive(Debug, Default)]
pub struct SubsetScratch {
    pub(crate) search: Search,
}

impl SubsetScratch {
    /// Empty memory.
    pub fn new() -> Self {
        Self::default()
    }
}

/// A solver of the subset problem. Object safe.
pub trait SubsetSolver: Debug + Send + Sync {
    /// Its name, as in reports.
    fn name(&self) -> &str;

    /// The best subset that it finds within the limit, with its proof. The value of the outcome is that of
    /// the subset.
    fn solve(
        &self,
        problem: &SubsetProblem<'_>,
        limit: &Limit,
        scratch: &mut SubsetScratch,
    ) -> Outcome<Subset>;
}
