//! Sufferage in passes.

use super::mapping::{BestTwo, Building, Mapping, MappingHeuristic};
use crate::HeuristicError;
use sched_model::{EtcMatrix, Time};

/// Sufferage in passes: in each pass every resource takes at most one task, the one that suffers most without it.
///
/// M. Maheswaran et al., "Dynamic mapping of a class of independent tasks onto heterogeneous computing systems", 1999.
/// In a pass each task, in order, claims its best resource; a task that holds it gives way only if its sufferage (second
/// earliest completion time less the earliest) is strictly smaller, and waits for the next pass. Ready times change at
/// the end of a pass. Mostly close to [`Sufferage`](crate::Sufferage), and different from it.
///
/// A task whose two best resources took nothing in a pass is not looked at again. O(p n m) time at worst for n tasks on
/// m resources in p passes, n/m <= p <= n; O(n) space. Heuristic. Ties go to the lowest task and resource.
///
/// ```
/// use grid_heuristics::{MappingHeuristic, SufferagePasses};
/// use sched_model::EtcMatrix;
/// // Sufferages 1, 6, 5: task 1 takes resource 0 from task 0, task 2 takes resource 1. Then task 0: 7 against 8.
/// let etc = EtcMatrix::from_rows(&[[4.0, 5.0], [3.0, 9.0], [8.0, 3.0]])?;
/// let mapping = SufferagePasses.map(&etc)?;
/// assert_eq!((mapping.order(), mapping.resources()), (&[1, 2, 0][..], &[0, 0, 1][..]));
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct SufferagePasses;

impl MappingHeuristic for SufferagePasses {
    fn map_from(&self, etc: &EtcMatrix, ready: &[Time]) -> Result<Mapping, HeuristicError> {
        let mut building = Building::new(etc, ready)?;
        let mut waiting: Vec<(usize, BestTwo)> =
            (0..etc.rows()).map(|task| (task, BestTwo::of(etc.row(task), &building.ready))).collect();
        // The place in `waiting` of the task that holds a resource.
        let mut holder: Vec<Option<usize>> = vec![None; etc.cols()];
        while !waiting.is_empty() {
            for (place, (_, two)) in waiting.iter().enumerate() {
                let held = &mut holder[two.first];
                if held.is_none_or(|other| waiting[other].1.sufferage() < two.sufferage()) {
                    *held = Some(place);
                }
            }
            for (resource, held) in holder.iter().enumerate() {
                if let Some(place) = *held {
                    building.commit(waiting[place].0, resource);
                }
            }
            let mut place = 0;
            waiting.retain_mut(|(task, two)| {
                let stays = holder[two.first] != Some(place);
                place += 1;
                if stays && (holder[two.first].is_some() || holder[two.second].is_some()) {
                    *two = BestTwo::of(etc.row(*task), &building.ready);
                }
                stays
            });
            holder.fill(None);
        }
        Ok(building.mapping())
    }
}
