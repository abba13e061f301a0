//! A node of the tree, and its useful candidates.

/// A useful candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Entry {
    pub(super) index: u32,
    /// The reduced objective at the prices of the node.
    pub(super) reduced: f64,
}

/// The useful candidates of each job.
#[derive(Debug, Clone, Default)]
pub(super) struct Lists {
    entries: Vec<Entry>,
    /// The position at which the entries of each job end.
    ends: Vec<usize>,
}

impl Lists {
    /// Creates lists of all candidates; those of each job begin at its offset.
    pub(super) fn all(offsets: &[usize]) -> Self {
        let last = offsets.last().copied().unwrap_or(0) as u32;
        let entries = (0..last).map(|index| Entry { index, reduced: 0.0 }).collect();
        Self { entries, ends: offsets[1..].to_vec() }
    }

    /// Number of candidates of all jobs.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn jobs(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn of(&self, job: usize) -> &[Entry] {
        let first = job.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.entries[first..self.ends[job]]
    }

    /// The entry of minimum reduced objective of a job; ties by position.
    pub(super) fn least(&self, job: usize) -> Option<Entry> {
        self.of(job).iter().copied().reduce(|a, b| if b.reduced < a.reduced { b } else { a })
    }

    /// Computes the reduced objective of each candidate anew.
    pub(super) fn reprice(&mut self, reduced: impl Fn(u32) -> f64) {
        for entry in &mut self.entries {
            entry.reduced = reduced(entry.index);
        }
    }

    /// Removes the entries that do not pass a test of job and entry.
    pub(super) fn retain(&mut self, mut passes: impl FnMut(usize, Entry) -> bool) {
        let (mut kept, mut first) = (0, 0);
        for job in 0..self.ends.len() {
            let end = self.ends[job];
            for at in first..end {
                let entry = self.entries[at];
                self.entries[kept] = entry;
                kept += usize::from(passes(job, entry));
            }
            (first, self.ends[job]) = (end, kept);
        }
        self.entries.truncate(kept);
    }

    /// Replaces the lists by the entries of `other` that pass a test of job and entry.
    pub(super) fn take_from(&mut self, other: &Self, mut passes: impl FnMut(usize, Entry) -> bool) {
        self.entries.clear();
        self.ends.clear();
        for job in 0..other.jobs() {
            self.entries.extend(other.of(job).iter().copied().filter(|&entry| passes(job, entry)));
            self.ends.push(self.entries.len());
        }
    }
}

/// A node of the tree.
pub(super) struct Node {
    /// The useful candidates of an undecided job; the candidate of a decided job, or none if the job is left out.
    pub(super) lists: Lists,
    pub(super) decided: Vec<bool>,
    /// Number of jobs that are left out.
    pub(super) left_out: usize,
}

/// The branches of an undecided job at a node of the tree.
pub(super) struct Branches {
    pub(super) job: usize,
    /// The useful candidates of the job, by reduced objective.
    pub(super) useful: Vec<Entry>,
    pub(super) leave_out: bool,
    /// A lower bound of the choices below the node. With a given candidate of the job, it rises by the candidate's
    /// reduced objective minus `least`.
    pub(super) bound: f64,
    pub(super) least: f64,
}

/// The result of the survey of a node.
pub(super) enum Survey {
    /// No choice below the node can be better than the incumbent.
    Useless,
    /// All jobs are decided.
    Decided,
    /// Branch on this job.
    Branch(Branches),
}

/// Whether the bit of a candidate is set.
pub(super) fn is_set(bits: &[u64], index: u32) -> bool {
    bits[index as usize / 64] >> (index % 64) & 1 == 1
}

/// Clears the bits that are set in `row`.
pub(super) fn clear(bits: &mut [u64], row: &[u64]) {
    for (word, mask) in bits.iter_mut().zip(row) {
        *word &= !mask;
    }
}
