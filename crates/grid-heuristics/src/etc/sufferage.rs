//! Sufferage, one task for each iteration.

use super::greatest::commit_most_suffering_first;
use super::mapping::{Building, Mapping, MappingHeuristic};
use crate::HeuristicError;
use sched_model::{EtcMatrix, Time};

/// Sufferage: always the task that would suffer most if it did not get its best resource.
///
/// The sufferage of a task is its second earliest completion time less its earliest. This is the common variant that
/// maps one task and looks again; [`SufferagePasses`](crate::SufferagePasses) is that of the first paper. The literal
/// form is [`reference`](crate::reference), with which the mapping is identical, ties included. Here a task is looked
/// at again only if the loads of its two best resources have grown so far that it might be the one.
///
/// Mostly the best of the classical heuristics on inconsistent matrices.
///
/// O(n m + n log n + a) time for n tasks on m resources, with a tasks filed anew: about n^2 / m on inconsistent matrices,
/// several times as many on consistent ones; at worst n^2 / 2, with a look at the whole row for each. O(n + m) space.
/// Heuristic. Ties go to the lowest task, then to the lowest
/// resource. On one resource all suffer 0.
///
/// ```
/// use grid_heuristics::{MappingHeuristic, Sufferage};
/// use sched_model::EtcMatrix;
/// // Sufferages 1, 6, 5: task 1 first. Then 2 (5 against 7) and 8 (3 against 11): task 2. Then task 0: 7 against 8.
/// let etc = EtcMatrix::from_rows(&[[4.0, 5.0], [3.0, 9.0], [8.0, 3.0]])?;
/// let mapping = Sufferage.map(&etc)?;
/// assert_eq!((mapping.order(), mapping.resources()), (&[1, 2, 0][..], &[0, 0, 1][..]));
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Sufferage;

impl MappingHeuristic for Sufferage {
    fn map_from(&self, etc: &EtcMatrix, ready: &[Time]) -> Result<Mapping, HeuristicError> {
        let mut building = Building::new(etc, ready)?;
        commit_most_suffering_first(etc, &mut building);
        Ok(building.mapping())
    }
}
