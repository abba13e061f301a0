//! OLB: opportunistic load balancing.

use super::mapping::{ImmediateHeuristic, least};
use sched_model::Time;

/// Opportunistic load balancing: each task, in order, to the resource that is ready first, however slow it
/// is.
///
/// T. D. Braun et al., "A comparison of eleven static heuristics for mapping a class of independent tasks
/// onto heterogeneous distributed computing systems", 2001. Prefer [`Mct`](crate::Mct), which uses the times,
/// too.
///
/// O(n m) for n tasks on m resources. Heuristic. Ties go to the lowest resource.
///
/// ```
/// use grid_heuristics::{MappingHeuristic, Olb};
/// use sched_model::EtcMatrix;
/// let etc = EtcMatrix::from_rows(&[[5.0, 1.0], [4.0, 2.0], [3.0, 9.0]])?;
/// assert_eq!(Olb.map(&etc)?.resources(), [0, 1, 1]); // ready at (0, 0), (5, 0), (5, 2)
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Olb;

impl ImmediateHeuristic for Olb {
    fn name(&self) -> &str {
        "olb"
    }

    fn choose(&mut self, _: &[f64], ready: &[Time]) -> Option<usize> {
        least(ready.iter().map(|time| time.get())).map(|(at, _)| at)
    }
}
