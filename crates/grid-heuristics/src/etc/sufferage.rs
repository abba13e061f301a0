//! Sufferage, one task for each iteration.

use super::greatest::commit_most_suffering_first;
use super::mapping::{Building, Mapping, MappingHeuristic};
use crate::HeuristicError;
use sched_model::{EtcMatrix, Meter, Time};

/// Sufferage: always the task that would lose most time if it did not get its best resource.
///
/// The sufferage of a task is its second earliest completion time less its earliest. This is the common
/// variant, which maps one task and then computes all sufferages anew;
/// [`SufferagePasses`](crate::SufferagePasses) is that of the first paper. The mapping is
/// that of the literal pseudo code (`econsched::testkit::oracle`), ties included. Here each task is
/// stored at two resources which show that its sufferage is below that of the chosen task. Sixteen resources
/// are stored for each task, to replace these two when they no longer show it.
///
/// On inconsistent matrices it is mostly the best of the classical heuristics.
///
/// O(n m + n log n + a + b m) time for n tasks on m resources, where a counts how often a task is stored
/// anew, b of them after examining all resources: at most n^2 / 2 each. In range-based matrices of 100
/// resources a task stayed where it was stored for some 70 choices (inconsistent), 30 (semi-consistent) or 6
/// (consistent, where all ready times grow by a whole sufferage within some twenty choices). O(n m) space:
/// four bytes for each cell. Heuristic. Ties go to the lowest task, then to the lowest resource. On one
/// resource every sufferage is 0.
///
/// ```
/// use grid_heuristics::{MappingHeuristic, Sufferage};
/// use sched_model::EtcMatrix;
/// // Sufferages 1, 6, 5: task 1 first. Then 2 (5 against 7) and 8 (3 against 11): task 2. Then task 0:
/// // 7 against 8.
/// let etc = EtcMatrix::from_rows(&[[4.0, 5.0], [3.0, 9.0], [8.0, 3.0]])?;
/// let mapping = Sufferage.map(&etc)?;
/// assert_eq!((mapping.order(), mapping.resources()), (&[1, 2, 0][..], &[0, 0, 1][..]));
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Sufferage;

impl MappingHeuristic for Sufferage {
    fn name(&self) -> &str {
        "sufferage"
    }

    fn map_metered(
        &self,
        etc: &EtcMatrix,
        ready: &[Time],
        meter: &mut Meter,
    ) -> Result<Mapping, HeuristicError> {
        let mut building = Building::new(etc, ready)?;
        commit_most_suffering_first(etc, &mut building, meter)?;
        building.mapping()
    }
}
