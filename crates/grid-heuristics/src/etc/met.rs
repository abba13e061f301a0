//! MET: minimum execution time.

use super::mapping::{ImmediateHeuristic, least};
use sched_model::Time;

/// Minimum execution time: each task to the resource on which it takes least, however loaded that is.
///
/// T. D. Braun et al., "A comparison of eleven static heuristics for mapping a class of independent tasks
/// onto heterogeneous distributed computing systems", 2001. On a consistent matrix everything goes to one
/// resource: prefer [`Kpb`](crate::Kpb) or [`Switching`](crate::Switching).
///
/// O(n m) for n tasks on m resources. Heuristic. Ties go to the lowest resource.
///
/// ```
/// use grid_heuristics::{MappingHeuristic, Met};
/// use sched_model::EtcMatrix;
/// let etc = EtcMatrix::from_rows(&[[5.0, 1.0], [4.0, 2.0], [3.0, 9.0]])?;
/// assert_eq!(Met.map(&etc)?.resources(), [1, 1, 0]);
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Met;

impl ImmediateHeuristic for Met {
    fn name(&self) -> &str {
        "met"
    }

    fn choose(&mut self, times: &[f64], _: &[Time]) -> Option<usize> {
        least(times.iter().copied()).map(|(at, _)| at)
    }
}
