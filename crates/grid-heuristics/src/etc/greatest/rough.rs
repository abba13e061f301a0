//! A matrix with its times rounded up, in a quarter of the memory.

use super::greatest;
use crate::etc::alike::Classes;
use sched_model::{End, EtcMatrix, Meter};
use std::ops::Range;

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
        let scale = super::scale_below(greatest);
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
