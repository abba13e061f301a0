//! Mapping by greatest value without a look at every task for each choice: Max-min and Sufferage.

mod finish;
mod near;
mod rough;
mod sufferage;

pub(crate) use finish::commit_latest_first;
pub(crate) use sufferage::commit_most_suffering_first;

/// What a look at a class of tasks found.
/// A power of two that brings numbers up to `greatest` below 1, or near it where they are tiny or huge.
fn scale_below(greatest: f64) -> f64 {
    // The exponent as it stands in the bits, one above that of the number; those of a scale stay normal.
    let exponent = ((greatest.to_bits() >> 52) as i64 - 1022).clamp(-200, 200);
    f64::from_bits(((1023 - exponent) as u64) << 52)
}

#[derive(Debug, Clone, Copy)]
struct Candidate {
    class: u32,
    /// Its lowest task.
    task: u32,
    resource: usize,
    /// What the task is chosen by; the greatest goes first.
    value: f64,
}

impl Candidate {
    fn goes_before(&self, other: &Candidate) -> bool {
        self.value > other.value || (self.value == other.value && self.task < other.task)
    }
}
