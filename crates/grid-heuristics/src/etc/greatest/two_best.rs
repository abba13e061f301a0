//! Sufferage by the two best resources of every class, remembered.
//!
//! A class is looked at again only when one of its two best resources has taken a task. Where times differ little the
//! resources take turns, and few classes have lost one of theirs; where all want the same two, all are looked at.

use crate::etc::alike::Classes;
use crate::etc::mapping::{BestTwo, Building};
use sched_model::{End, EtcMatrix, Meter};

/// Choices over which the cost is measured.
const WINDOW: u64 = 256;

/// Commits tasks, that of greatest sufferage first, until none is left (false) or a window of choices has cost more than
/// `most` units of work each (true).
pub(super) fn commit(
    etc: &EtcMatrix,
    classes: &mut Classes,
    building: &mut Building<'_>,
    meter: &mut Meter<'_>,
    most: u64,
) -> Result<bool, End> {
    let count = classes.len();
    let cols = etc.cols() as u64;
    // A finish and a place for each of the two, the sufferage, and two entries in lists.
    meter.reserve_items::<(BestTwo, f64, [u32; 4])>(count)?;
    meter.spend((count as u64).saturating_mul(2 * cols))?;
    let mut two: Vec<(u32, u32)> = vec![(0, 0); count];
    // Of classes without tasks less than any sufferage.
    let mut suffers: Vec<f64> = vec![f64::NEG_INFINITY; count];
    // Classes that had the resource among their two best when they were looked at.
    let mut wanted_by: Vec<Vec<u32>> = vec![vec![]; etc.cols()];
    let mut again: Vec<u32> = (0..count as u32).collect();
    let begun = meter.work();
    let (mut choices, mut window_begun) = (0u64, begun);
    loop {
        for class in again.drain(..) {
            let at = class as usize;
            if !classes.has_left(class) {
                suffers[at] = f64::NEG_INFINITY;
                continue;
            }
            let best = BestTwo::of(etc.row(classes.lowest(class) as usize), &building.ready);
            two[at] = (best.first as u32, best.second as u32);
            suffers[at] = best.sufferage();
            wanted_by[best.first].push(class);
            if best.second != best.first {
                wanted_by[best.second].push(class);
            }
        }
        if choices == WINDOW {
            if meter.work() - window_begun > most.saturating_mul(WINDOW) {
                return Ok(true);
            }
            (choices, window_begun) = (0, meter.work());
        }
        choices += 1;
        meter.spend(count as u64)?;
        let greatest = suffers.iter().copied().fold(f64::NEG_INFINITY, |a, b| if a < b { b } else { a });
        if greatest == f64::NEG_INFINITY {
            return Ok(false);
        }
        let equal = (0..count as u32).filter(|&class| suffers[class as usize] == greatest);
        let Some(class) = equal.min_by_key(|&class| classes.lowest(class)) else { return Ok(false) };
        let resource = two[class as usize].0;
        building.commit(classes.lowest(class) as usize, resource as usize);
        classes.take(class);
        // The class chosen had it first, so it is among these.
        again = std::mem::take(&mut wanted_by[resource as usize]);
        again.retain(|&class| {
            let (first, second) = two[class as usize];
            first == resource || second == resource
        });
        again.sort_unstable();
        again.dedup();
        meter.spend((again.len() as u64).saturating_mul(2 * cols))?;
    }
}
