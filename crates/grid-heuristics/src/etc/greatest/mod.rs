//! Mapping by greatest value without examining every task for each choice: Max-min and Sufferage, by a matrix with
//! its times rounded up, in a quarter of the memory.

mod finish;
mod near;
mod sufferage;

use super::check::Classes;
use super::mapping::{Building, Mapping, MappingHeuristic};
use crate::HeuristicError;
use finish::commit_latest_first;
use sched_model::{End, EtcMatrix, Meter};
use std::ops::Range;
use sufferage::commit_most_suffering_first;

/// Max-min: always the task whose earliest completion is latest, on the resource that completes it first.
///
/// O. H. Ibarra, C. E. Kim, "Heuristic algorithms for scheduling independent tasks on nonidentical
/// processors", 1977; the mapping is that of the literal pseudo code (`econsched::testkit::oracle`), ties
/// included. Here each task is stored at a resource on which it would end before the chosen
/// task, and is examined again only when that resource has become so late that this no longer holds. Tasks of
/// similar size are stored together, in packs.
///
/// Good where a few long tasks decide the makespan; else prefer [`MinMin`](crate::MinMin).
///
/// O(n m + n log n + a m) time for n tasks on m resources, where a counts how often a task or pack is stored
/// anew: at most 2 n^2 / 3; in range-based matrices of 10^4 tasks on 100 resources 36 to 52 times for each
/// choice, 1.6 to 1.8 times as often as with 5,000 tasks. O(n m) space: less than three bytes for each cell.
/// Heuristic. Ties go to the lowest task, then to the lowest resource.
///
/// ```
/// use grid_heuristics::{MappingHeuristic, MaxMin};
/// use sched_model::{EtcMatrix, Meter, Time};
/// let etc = EtcMatrix::from_rows(&[[9.0, 8.0], [2.0, 3.0], [2.0, 1.0]])?;
/// // Task 0 ends at 8 on resource 1; task 1 at 2, task 2 then at 4 on resource 0.
/// let mapping = MaxMin.map(&etc)?;
/// assert_eq!((mapping.order(), mapping.resources()), (&[0, 1, 2][..], &[1, 0, 0][..]));
/// assert_eq!(mapping.makespan(), Some(Time::must(8.0)));
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct MaxMin;

impl MappingHeuristic for MaxMin {
    fn name(&self) -> &str {
        "max-min"
    }

    fn solve(&self, etc: &EtcMatrix, meter: &mut Meter) -> Result<Mapping, HeuristicError> {
        let mut building = Building::new(etc)?;
        commit_latest_first(etc, &mut building, meter)?;
        building.mapping()
    }
}

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

    fn solve(&self, etc: &EtcMatrix, meter: &mut Meter) -> Result<Mapping, HeuristicError> {
        let mut building = Building::new(etc)?;
        commit_most_suffering_first(etc, &mut building, meter)?;
        building.mapping()
    }
}

/// The greatest time of a matrix, and at least this.
fn greatest(etc: &EtcMatrix, least: f64, meter: &mut Meter) -> Result<f64, End> {
    etc.values().chunks(etc.cols().max(1)).try_fold(least, |greatest, row| {
        meter.spend(row.len() as u64)?;
        Ok(row.iter().copied().fold(greatest, f64::max))
    })
}

/// A power of two by which numbers up to `greatest` become less than 1, if `greatest` is below 2^200.
fn scale_below(greatest: f64) -> f64 {
    // The biased exponent, plus one; limited so that the scale is a normal number.
    let exponent = ((greatest.to_bits() >> 52) as i64 - 1022).clamp(-200, 200);
    f64::from_bits(((1023 - exponent) as u64) << 52)
}

/// The result of examining a class of tasks.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    class: u32,
    /// Its lowest task.
    task: u32,
    resource: usize,
    /// The value by which the task is chosen; the greatest is chosen first.
    value: f64,
}

impl Candidate {
    fn goes_before(&self, other: &Candidate) -> bool {
        self.value > other.value || (self.value == other.value && self.task < other.task)
    }
}

/// Rounded times in one vector register.
pub(super) const LANES: usize = 8;
/// Classes in a pack, and packs in one of the next level.
const PACK: usize = 4;

/// Upper bounds of the times of each class and pack of classes: eight to a vector, and a row to few cache
/// lines.
///
/// They are the upper half of 32-bit floats, which are in order as whole numbers; all are positive. Times are
/// scaled by a power of two to be at most 2, so that they cannot overflow. Rows are padded to whole vectors
/// with a time that is below no gap.
pub(super) struct Rough {
    width: usize,
    times: Vec<i16>,
    classes: u32,
    /// The parts of each pack, numbered after the classes: classes next to each other, then packs of these,
    /// up to one.
    packs: Vec<Range<u32>>,
    scale: f64,
}

/// More than the greatest relative error of a conversion to 32 bits.
const SLACK: f64 = 1.0 / (1u32 << 22) as f64;

impl Rough {
    /// Three readings: for the greatest time, for the rounded times, and, of fewer rows, for the packs.
    pub(super) fn new(etc: &EtcMatrix, classes: &Classes, meter: &mut Meter) -> Result<Self, End> {
        let greatest = greatest(etc, 1.0, meter)?;
        let scale = scale_below(greatest);
        let width = etc.cols().next_multiple_of(LANES);
        // Each level of packs has a fraction of the packs of the one before, plus one that may not be full.
        let nodes = classes.len() + classes.len() / (PACK - 1) + u32::BITS as usize / 2;
        let mut times = Vec::with_capacity(nodes * width);
        for class in 0..classes.len() as u32 {
            meter.spend(etc.cols() as u64)?;
            let row = etc.row(classes.lowest(class) as usize);
            times.extend(row.iter().map(|time| half(time * scale * (1.0 + SLACK)) + 1));
            times.resize(times.len().next_multiple_of(width), i16::MAX);
        }
        let mut packs = vec![];
        let mut level = 0..classes.len() as u32;
        while level.len() > 1 {
            let end = level.end;
            for begin in level.step_by(PACK) {
                let pack = begin..end.min(begin + PACK as u32);
                meter.spend((pack.len() * width) as u64)?;
                let at = times.len();
                times.extend_from_within(begin as usize * width..(begin + 1) as usize * width);
                let (parts, most) = times.split_at_mut(at);
                for part in parts[..pack.end as usize * width].chunks(width).skip(begin as usize + 1) {
                    most.iter_mut().zip(part).for_each(|(most, &time)| *most = time.max(*most));
                }
                packs.push(pack);
            }
            level = end..classes.len() as u32 + packs.len() as u32;
        }
        Ok(Self { width, times, classes: classes.len() as u32, packs, scale })
    }

    /// The pack of all classes.
    pub(super) fn root(&self) -> Option<u32> {
        (self.classes + self.packs.len() as u32).checked_sub(1)
    }

    /// The parts of a pack; `None` for a class.
    pub(super) fn parts(&self, node: u32) -> Option<Range<u32>> {
        let pack = node.checked_sub(self.classes)?;
        Some(self.packs[pack as usize].clone())
    }

    /// The number of resources with the padding.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn row(&self, class: u32) -> &[i16] {
        &self.times[class as usize * self.width..][..self.width]
    }

    /// A limit: if the rounded time is below it, the sum of time and `ready`, rounded either way, is below
    /// `sum`.
    pub(super) fn gap(&self, sum: f64, ready: f64) -> i16 {
        let exact = sum - ready - 4.0 * f64::EPSILON * (sum.abs() + ready.abs());
        let scaled = exact * self.scale * (1.0 - SLACK);
        half(if scaled > 0.0 { scaled } else { 0.0 })
    }

    /// A time near the one that was rounded.
    pub(super) fn time(&self, rough: i16) -> f64 {
        f64::from(f32::from_bits((rough as u32) << 16)) / self.scale
    }
}

/// Rounded towards zero; the order of values is kept.
fn half(value: f64) -> i16 {
    ((value as f32).to_bits() >> 16) as i16
}
