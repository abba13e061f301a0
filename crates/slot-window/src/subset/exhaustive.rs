//! All subsets, one after the other.

use super::{Subset, SubsetProblem, SubsetScratch, SubsetSolver};
use crate::WindowError;
use sched_model::Proven as Outcome;

/// Tries every subset: the definition of the problem, for tests and for the curious.
///
/// * **Guarantee**: exact. **Complexity**: O(n k! / (n! (k - n)!)). **Ties**: as [`ExactSubset`](super::ExactSubset).
///
/// # Errors
/// [`WindowError::TooLarge`] beyond 10^8 subsets.
///
/// ```
/// use slot_window::subset::{ExhaustiveSubset, SubsetProblem, SubsetScratch, SubsetSolver};
/// let problem = SubsetProblem::new(&[5.0, 1.0, 4.0], &[3.0, 1.0, 2.0], 2, 4.0)?;
/// let best = ExhaustiveSubset::new().solve(&problem, &mut SubsetScratch::new())?.unwrap().solution;
/// assert_eq!(best.indices(), [0, 1]); // 5 + 4 costs 5; 5 + 1 costs 4; 4 + 1 is worth less
/// # Ok::<(), slot_window::WindowError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ExhaustiveSubset {}

impl ExhaustiveSubset {
    /// There is nothing to configure.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

const MAX_SUBSETS: f64 = 1e8;

impl SubsetSolver for ExhaustiveSubset {
    fn name(&self) -> &str {
        "exhaustive"
    }

    fn solve(
        &self,
        problem: &SubsetProblem<'_>,
        _scratch: &mut SubsetScratch,
    ) -> Result<Option<Outcome<Subset>>, WindowError> {
        let (k, n) = (problem.values.len(), problem.count);
        if n > k {
            return Ok(None);
        }
        let subsets = (0..n.min(k - n)).fold(1.0, |subsets, i| subsets * (k - i) as f64 / (i + 1) as f64);
        if subsets > MAX_SUBSETS {
            return Err(WindowError::TooLarge {
                what: "number of subsets",
                size: subsets,
                limit: MAX_SUBSETS,
            });
        }
        let mut chosen: Vec<usize> = (0..n).collect();
        let mut best: Option<Subset> = None;
        loop {
            let subset = problem.subset(chosen.clone());
            if subset.cost <= problem.budget
                && best.as_ref().is_none_or(|best| problem.prefers(&subset, best))
            {
                best = Some(subset);
            }
            // The next subset in lexicographic order: move the last item that still can, and all after it behind it.
            let Some(at) = (0..n).rev().find(|&at| chosen[at] < k - n + at) else { break };
            let first = chosen[at] + 1;
            for (item, next) in chosen[at..].iter_mut().zip(first..) {
                *item = next;
            }
        }
        Ok(best.map(Outcome::exact))
    }
}
