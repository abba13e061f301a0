//! What a node of the tree is, and what can be done there.

/// The choice at a node of the tree.
pub(super) struct Partial {
    pub(super) picks: Vec<Option<u32>>,
    pub(super) decided: Vec<bool>,
    pub(super) left_out: usize,
    pub(super) reduced: f64,
    pub(super) weight: f64,
    /// What is spent of each account.
    pub(super) spent: Vec<f64>,
}

/// What a job can still do at a node of the tree.
pub(super) struct Open {
    pub(super) job: usize,
    pub(super) of_use: Vec<u32>,
    pub(super) leave_out: bool,
}

/// What is to be done at a node of the tree.
pub(super) enum Survey {
    /// Nothing below can be better than the incumbent.
    Useless,
    /// All jobs are decided on.
    Decided,
    /// Branch on this job.
    Branch(Open),
}

pub(super) fn is_set(bits: &[u64], index: u32) -> bool {
    bits[index as usize / 64] >> (index % 64) & 1 == 1
}

pub(super) fn clear(bits: &mut [u64], row: &[u64]) {
    for (word, mask) in bits.iter_mut().zip(row) {
        *word &= !mask;
    }
}
