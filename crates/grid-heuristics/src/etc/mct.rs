//! MCT: minimum completion time.

use super::mapping::{ImmediateHeuristic, least};
use sched_model::Time;

/// Minimum completion time: each task to the resource that completes it first.
///
/// T. D. Braun et al., "A comparison of eleven static heuristics for mapping a class of independent tasks
/// onto heterogeneous distributed computing systems", 2001. The best choice that looks at one task alone;
/// [`MinMin`](crate::MinMin) and [`Sufferage`](crate::Sufferage) compare all tasks.
///
/// O(n m) for n tasks on m resources. Heuristic. Ties go to the lowest resource.
///
/// ```
/// use grid_heuristics::{MappingHeuristic, Mct};
/// use sched_model::{EtcMatrix, Time};
/// let etc = EtcMatrix::from_rows(&[[5.0, 1.0], [4.0, 4.0], [3.0, 2.0]])?;
/// let mapping = Mct.map(&etc)?; // ready at (0, 0), (0, 1), (4, 1)
/// assert_eq!(mapping.resources(), [1, 0, 1]);
/// assert_eq!(mapping.makespan(), Some(Time::must(4.0)));
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Mct;

impl ImmediateHeuristic for Mct {
    fn name(&self) -> &str {
        "mct"
    }

    fn choose(&mut self, times: &[f64], ready: &[Time]) -> Option<usize> {
        least(times.iter().zip(ready).map(|(time, ready)| time + ready.get())).map(|(at, _)| at)
    }
}
