//! Sufferage in passes.

use super::alike::Classes;
use super::mapping::{BestTwo, Building, Mapping, MappingHeuristic};
use crate::HeuristicError;
use sched_model::{EtcMatrix, Meter};

/// Sufferage in passes: in each pass every resource takes at most one task, the one of greatest sufferage.
///
/// M. Maheswaran et al., "Dynamic mapping of a class of independent tasks onto heterogeneous computing
/// systems", 1999. In a pass each task, in order, takes its best resource. If another task has taken it, the
/// one of strictly greater sufferage (second earliest completion time less the earliest) keeps it, in ties
/// the earlier one; the other waits for the next pass. Ready times change at the end of a pass. Results are
/// mostly close to those of [`Sufferage`](crate::Sufferage), but differ.
///
/// A task whose two best resources took nothing in a pass is not examined again, and tasks with equal times
/// are examined as one. O(n m + p c m) time at worst for n tasks, c of them different, on m resources in p
/// passes, n/m <= p <= n; O(n) space. Heuristic. Ties go to the lowest task and resource.
///
/// ```
/// use grid_heuristics::{MappingHeuristic, SufferagePasses};
/// use sched_model::EtcMatrix;
/// // Sufferages 1, 6, 5: task 1 takes resource 0 from task 0, task 2 takes resource 1. Then task 0: 7
/// // against 8.
/// let etc = EtcMatrix::from_rows(&[[4.0, 5.0], [3.0, 9.0], [8.0, 3.0]])?;
/// let mapping = SufferagePasses.map(&etc)?;
/// assert_eq!((mapping.order(), mapping.resources()), (&[1, 2, 0][..], &[0, 0, 1][..]));
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct SufferagePasses;

impl MappingHeuristic for SufferagePasses {
    fn name(&self) -> &str {
        "sufferage-passes"
    }

    fn solve(&self, etc: &EtcMatrix, meter: &mut Meter) -> Result<Mapping, HeuristicError> {
        let mut building = Building::new(etc)?;
        meter.reserve_items::<(u64, u64, BestTwo)>(etc.rows())?;
        let row = |classes: &Classes, class: u32| etc.row(classes.lowest(class) as usize);
        let mut classes = Classes::new(etc, meter)?;
        let mut waiting: Vec<(u32, BestTwo)> = Vec::with_capacity(classes.len());
        for class in 0..classes.len() as u32 {
            meter.spend(etc.cols() as u64)?;
            waiting.push((class, BestTwo::of(row(&classes, class), &building.ready)));
        }
        // A claim on a resource is decided by sufferage, then by the lower task. The first in order keeps it
        // against equals, so of a class only the lowest task can.
        let mut holder: Vec<Option<(u32, f64)>> = vec![None; etc.cols()];
        while !waiting.is_empty() {
            meter.spend((etc.cols() + waiting.len()) as u64)?;
            for (class, two) in &waiting {
                let (held, suffers) = (&mut holder[two.first], two.sufferage());
                let goes_before = |&(other, others): &(u32, f64)| {
                    suffers > others || (suffers == others && classes.lowest(*class) < classes.lowest(other))
                };
                if held.as_ref().is_none_or(goes_before) {
                    *held = Some((*class, suffers));
                }
            }
            for (resource, held) in holder.iter().enumerate() {
                if let Some((class, _)) = *held {
                    building.commit(classes.lowest(class) as usize, resource);
                }
            }
            let mut asked = Ok(());
            waiting.retain_mut(|(class, two)| {
                let is_holder = |resource: usize| holder[resource].is_some_and(|(other, _)| other == *class);
                let stays = !is_holder(two.first) || classes.take(*class);
                let is_changed = holder[two.first].is_some() || holder[two.second].is_some();
                if stays && is_changed && asked.is_ok() {
                    asked = meter.spend(etc.cols() as u64);
                    *two = BestTwo::of(row(&classes, *class), &building.ready);
                }
                stays
            });
            holder.fill(None);
            asked?;
        }
        building.mapping()
    }
}
