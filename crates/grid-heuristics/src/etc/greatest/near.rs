//! For each class of tasks, the few resources that complete it first, stored to bound its sufferage.

use super::greatest;
use crate::etc::check::Classes;
use sched_model::{End, EtcMatrix, Meter};

/// How many resources are stored for each class.
const NEAR: usize = 16;
/// Longer than any time. (Infinity with a place in its lowest bits would be NaN.)
const NEVER: f32 = 1e30;
/// The bits of a place among the stored resources.
const PLACE: u32 = NEAR as u32 - 1;
/// Rounded times in a block.
const LANES: usize = 8;
/// More than the error of a number up to 1 after rounding to 32 bits and overwriting the bits of a place.
const ROUNDING: f64 = NEAR as f64 / (1u32 << 22) as f64;

/// The result of the last examination of a class over all resources.
#[derive(Clone, Copy)]
struct Near {
    /// The times of the class on the resources that completed it first; [`NEVER`] where there are fewer
    /// resources.
    times: [f32; NEAR],
    resources: [u32; NEAR],
    /// About how much later the last of them completes it than the first.
    spread: f32,
    /// No other resource completes it before this instant, then or later.
    beyond: f64,
}

/// Bounds of sufferages from a few resources of each class.
///
/// Times are scaled by a power of two to be at most 1, and rounded to 32 bits; ready times are scaled alike.
/// Ready times only grow, so the least completion time on resources that are not stored stays a lower bound.
pub(super) struct Nearest {
    near: Vec<Near>,
    scale: f64,
    /// Columns, filled up to whole blocks with infinite times.
    width: usize,
    times: Vec<f32>,
    ready: Vec<f64>,
    /// The least ready time, and how much later each resource is ready.
    origin: f64,
    delays: Vec<f32>,
    /// More than the error of a rounded completion time, counted from the origin.
    error: f64,
    sums: Vec<f32>,
}

/// Two resources which show that a sufferage is below a limit: both complete the class earlier than `base`
/// plus the limit.
pub(super) struct Witnesses {
    /// Each with its key: the scaled time there less the least completion time.
    pub(super) both: [(usize, f64); 2],
}

impl Nearest {
    /// Takes the memory for this structure and for the buckets from a meter.
    pub(super) fn reserve(etc: &EtcMatrix, meter: &mut Meter) -> Result<(), End> {
        let cells = etc.rows().saturating_mul(etc.cols().next_multiple_of(LANES));
        meter.reserve_items::<f32>(cells)?;
        // Each task is stored here and in two buckets.
        meter.reserve_items::<(Near, [u64; 8])>(etc.rows())
    }

    /// Two readings: for the greatest time, and for the rounded times.
    pub(super) fn new(etc: &EtcMatrix, classes: &Classes, meter: &mut Meter) -> Result<Self, End> {
        let greatest = greatest(etc, 0.0, meter)?;
        let scale = super::scale_below(greatest);
        let width = etc.cols().next_multiple_of(LANES);
        let mut times = Vec::with_capacity(classes.len() * width);
        for class in 0..classes.len() as u32 {
            meter.spend(etc.cols() as u64)?;
            let row = etc.row(classes.lowest(class) as usize);
            times.extend(row.iter().map(|time| (time * scale) as f32));
            times.resize(times.len().next_multiple_of(width), f32::INFINITY);
        }
        let nothing =
            Near { times: [NEVER; NEAR], resources: [0; NEAR], spread: 0.1, beyond: f64::NEG_INFINITY };
        Ok(Self {
            near: vec![nothing; classes.len()],
            scale,
            width,
            times,
            ready: vec![0.0; etc.cols()],
            origin: 0.0,
            delays: vec![0.0; width],
            error: 0.0,
            sums: vec![0.0; width],
        })
    }

    /// A sufferage in the scale of the keys.
    pub(super) fn scaled(&self, value: f64) -> f64 {
        value * self.scale
    }

    /// A class with this key under a resource completes there at most this much after its base.
    pub(super) fn bound(&self, key: f64, resource: usize) -> f64 {
        let ready = self.ready[resource];
        key + ready + 4.0 * f64::EPSILON * (key.abs() + ready.abs())
    }

    /// Sets the ready times.
    pub(super) fn set_ready(&mut self, ready: &[f64]) {
        self.ready.iter_mut().zip(ready).for_each(|(scaled, ready)| *scaled = ready * self.scale);
        self.origin = self.ready.iter().copied().fold(f64::INFINITY, f64::min);
        for (delay, ready) in self.delays.iter_mut().zip(&self.ready) {
            *delay = (ready - self.origin).min(1e30) as f32;
        }
        let latest = f64::from(self.delays.iter().copied().fold(0.0, f32::max));
        self.error = ROUNDING * (2.0 + latest) + 8.0 * f64::EPSILON * (self.origin.abs() + latest);
    }

    /// Examines all resources for those that complete a class first.
    pub(super) fn renew(&mut self, class: u32) {
        let times = &self.times[class as usize * self.width..][..self.width];
        let near = &mut self.near[class as usize];
        let (sums, _) = self.sums.as_chunks_mut::<LANES>();
        let mut least = [f32::INFINITY; LANES];
        for ((times, delays), sums) in
            times.as_chunks::<LANES>().0.iter().zip(self.delays.as_chunks::<LANES>().0).zip(sums.iter_mut())
        {
            for lane in 0..LANES {
                sums[lane] = times[lane] + delays[lane];
                least[lane] = lesser(least[lane], sums[lane]);
            }
        }
        let first = least.into_iter().fold(f32::INFINITY, lesser);
        // A spread with too many resources is narrowed. The number of tries is limited, since sums may be
        // equal.
        for _ in 0..8 {
            let limit = first + near.spread;
            let mut beyond = [f32::INFINITY; LANES];
            let mut found = 0;
            near.times = [NEVER; NEAR];
            for (block, sums) in sums.iter().enumerate() {
                let mut within = [0u8; LANES];
                for lane in 0..LANES {
                    let inside = sums[lane] <= limit;
                    within[lane] = u8::from(inside);
                    beyond[lane] = lesser(beyond[lane], if inside { f32::INFINITY } else { sums[lane] });
                }
                let mut within = u64::from_le_bytes(within);
                while within != 0 {
                    let lane = within.trailing_zeros() as usize / 8;
                    within &= within - 1;
                    if found < NEAR {
                        near.resources[found] = (block * LANES + lane) as u32;
                        near.times[found] = times[block * LANES + lane];
                    } else {
                        beyond[lane] = lesser(beyond[lane], sums[lane]);
                    }
                    found += 1;
                }
            }
            near.beyond =
                self.origin + f64::from(beyond.into_iter().fold(f32::INFINITY, lesser)) - self.error;
            if found <= NEAR {
                // The next examination may store a few more, but never the padding columns, whose times are
                // infinite.
                near.spread = (near.spread * if found < NEAR - 3 { 1.2 } else { 1.0 }).min(NEVER);
                return;
            }
            near.spread *= if found > 2 * NEAR { 0.4 } else { 0.75 };
        }
    }

    /// Two of the stored resources which show that the sufferage of a class is below a scaled limit, if there
    /// are such two.
    ///
    /// On any two resources the later completion is at least the second earliest. The earliest completion is
    /// at least the lesser of the best stored one and the bound of the others.
    pub(super) fn witnesses(&self, class: u32, limit: f64) -> Option<Witnesses> {
        let near = &self.near[class as usize];
        let mut sums = [0.0f32; NEAR];
        for (sum, &resource) in sums.iter_mut().zip(&near.resources) {
            *sum = self.delays[resource as usize];
        }
        // The place overwrites the lowest bits, so that the least sums tell their places. Sums are not
        // negative.
        for (place, (sum, time)) in (0..).zip(sums.iter_mut().zip(&near.times)) {
            *sum = f32::from_bits((*sum + time).to_bits() & !PLACE | place);
        }
        let (mut first, mut second) = ([f32::INFINITY; 4], [f32::INFINITY; 4]);
        for sums in sums.as_chunks::<4>().0 {
            for lane in 0..4 {
                second[lane] = lesser(second[lane], greater(first[lane], sums[lane]));
                first[lane] = lesser(first[lane], sums[lane]);
            }
        }
        let pair =
            |a: (f32, f32), b: (f32, f32)| (lesser(a.0, b.0), lesser(greater(a.0, b.0), lesser(a.1, b.1)));
        let of = |lane: usize| (first[lane], second[lane]);
        let (first, second) = pair(pair(of(0), of(1)), pair(of(2), of(3)));
        let base = f64::from(first).min(near.beyond - self.origin) - self.error;
        if !(f64::from(second) - base + 2.0 * self.error < limit) {
            return None;
        }
        let (place_of_first, place_of_second) = (first.to_bits() & PLACE, second.to_bits() & PLACE);
        let witness = |place: u32| {
            let place = place as usize;
            let key = f64::from(near.times[place]) - (self.origin + base) + ROUNDING;
            (near.resources[place] as usize, key)
        };
        Some(Witnesses { both: [witness(place_of_first), witness(place_of_second)] })
    }
}

// Plain comparisons, as the processor has them: the methods of `f32` handle NaN as well.
fn lesser(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

fn greater(a: f32, b: f32) -> f32 {
    if a < b { b } else { a }
}
