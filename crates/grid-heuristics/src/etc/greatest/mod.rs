//! Mapping by greatest value without examining every task for each choice: Max-min and Sufferage.

mod finish;
mod near;
mod rough;
mod sufferage;

pub(crate) use finish::commit_latest_first;
pub(crate) use sufferage::commit_most_suffering_first;

use sched_model::{End, EtcMatrix, Portion};

/// The greatest time of a matrix, and at least this.
fn greatest(etc: &EtcMatrix, least: f64, readings: &mut Portion<'_>) -> Result<f64, End> {
    etc.values().chunks(etc.cols().max(1)).try_fold(least, |greatest, row| {
        readings.visit(row.len() as u64)?;
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
