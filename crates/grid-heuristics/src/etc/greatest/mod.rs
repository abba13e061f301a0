//! Mapping by greatest value without a look at every task for each choice: Max-min and Sufferage.

mod finish;
mod near;
mod rough;
mod sufferage;

pub(crate) use finish::commit_latest_first;
pub(crate) use sufferage::commit_most_suffering_first;

/// What a look at a class of tasks found.
#[derive(Debug, Clone, Copy)]
struct Looked {
    class: u32,
    /// Its lowest task.
    task: u32,
    resource: usize,
    /// What the task is chosen by; the greatest goes first.
    value: f64,
}

impl Looked {
    fn goes_before(&self, other: &Looked) -> bool {
        self.value > other.value || (self.value == other.value && self.task < other.task)
    }
}
