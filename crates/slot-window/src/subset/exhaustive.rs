//! The enumeration of all subsets.

use super::{Subset, SubsetProblem, SubsetScratch, SubsetSolver};
use sched_model::{Limit, Outcome};

/// Tests every subset, as the problem is defined; for tests and comparison.
///
/// * **Guarantee**: exact. **Complexity**: O(n k! / (n! (k - n)!)). **Ties**: as
///   [`ExactSubset`](super::ExactSubset).
///
/// A unit of work is an item of a subset.
///
/// ```
/// use sched_model::Limit;
/// use slot_window::subset::{ExhaustiveSubset, SubsetProblem, SubsetScratch, SubsetSolver};
/// let problem = SubsetProblem::new(&[5.0, 1.0, 4.0], &[3.0, 1.0, 2.0], 2, 4.0)?;
/// let best =
///     ExhaustiveSubset.solve(&problem, &Limit::default(), &mut SubsetScratch::new()).best.unwrap();
/// assert_eq!(best.indices(), [0, 1]); // 5 + 4 costs 5; 5 + 1 costs 4; 4 + 1 is worth less
/// # Ok::<(), slot_window::WindowError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[must_use]
pub struct ExhaustiveSubset;

impl SubsetSolver for ExhaustiveSubset {
    fn name(&self) -> &str {
        "exhaustive"
    }

    fn solve(
        &self,
        problem: &SubsetProblem<'_>,
        limit: &Limit,
        _scratch: &mut SubsetScratch,
    ) -> Outcome<Subset> {
        let (k, n) = (problem.values.len(), problem.count);
        let mut meter = limit.meter();
        if n > k {
            return Outcome::infeasible(meter.work());
        }
        let mut chosen: Vec<usize> = (0..n).collect();
        let mut best: Option<Subset> = None;
        loop {
            if let Err(end) = meter.spend(n as u64 + 1) {
                let best = best.map(|best| {
                    let value = best.value;
                    (best, value)
                });
                return Outcome::stopped(best, None, meter.work(), end);
            }
            let subset = problem.subset(chosen.clone());
            if subset.cost <= problem.budget
                && best.as_ref().is_none_or(|best| problem.prefers(&subset, best))
            {
                best = Some(subset);
            }
            // The next subset in lexicographic order: move the last item that still can, and all after it
            // behind it.
            let Some(at) = (0..n).rev().find(|&at| chosen[at] < k - n + at) else { break };
            let first = chosen[at] + 1;
            for (item, next) in chosen[at..].iter_mut().zip(first..) {
                *item = next;
            }
        }
        match best {
            Some(best) => {
                let value = best.value;
                Outcome::solved(best, value, meter.work())
            }
            None => Outcome::infeasible(meter.work()),
        }
    }
}
