//! Identifiers: a type for each, so that a node cannot be mistaken for a job; and a set of job ids.

use std::fmt;

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident($int:ty);)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(transparent))]
        pub struct $name(pub $int);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
    )*};
}

id! {
    /// One CPU of the environment: see [`Node`](crate::Node).
    NodeId(u32);
    /// A machine of several CPUs: see [`Machine`](crate::Machine).
    MachineId(u32);
    /// A site: machines at one place, which are reported together.
    SiteId(u32);
    /// The owner of jobs.
    UserId(u32);
    /// A job, unique within its [`Batch`](crate::Batch).
    JobId(u64);
}

/// A set of job identifiers, stored as runs of consecutive numbers. For r runs, a look-up takes O(log r) time, and an
/// insertion O(r), or O(log r) if the identifier is larger than all others. With the feature `serde` the set is
/// written as the list of the first and last number of each run.
///
/// ```
/// use sched_model::{JobId, internal::IdSet};
///
/// let mut come = IdSet::default();
/// assert!(come.insert(JobId(7)) && come.insert(JobId(8)));
/// assert!(!come.insert(JobId(7)), "it was there");
/// assert!(come.contains(JobId(8)) && !come.contains(JobId(9)));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IdSet {
    /// First and last number of each run, in order; no two runs touch.
    runs: Vec<(u64, u64)>,
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(remote = "IdSet", rename = "IdSet", transparent)]
struct IdSetForm {
    runs: Vec<(u64, u64)>,
}

#[cfg(feature = "serde")]
crate::serde_checked!(IdSet as IdSetForm);

impl IdSet {
    /// Whether the set contains this identifier.
    pub fn contains(&self, id: JobId) -> bool {
        self.runs[..self.begun(id)].last().is_some_and(|&(_, last)| id.0 <= last)
    }

    /// Number of runs that begin at or before `id`.
    fn begun(&self, id: JobId) -> usize {
        self.runs.partition_point(|&(first, _)| first <= id.0)
    }

    /// Inserts an identifier. Returns whether it was not yet in the set.
    pub fn insert(&mut self, id: JobId) -> bool {
        if self.contains(id) {
            return false;
        }
        let at = self.begun(id);
        self.runs.insert(at, (id.0, id.0));
        // Joins the new run with the one that begins right after it, then with the one that ends right before it.
        for at in [at + 1, at] {
            if at > 0
                && let Some(&(first, last)) = self.runs.get(at)
                && self.runs[at - 1].1.checked_add(1) == Some(first)
            {
                self.runs[at - 1].1 = last;
                self.runs.remove(at);
            }
        }
        true
    }

    #[cfg(feature = "serde")]
    fn checked(self) -> Result<Self, &'static str> {
        let apart = |pair: &[(u64, u64)]| pair[0].1.checked_add(1).is_some_and(|next| next < pair[1].0);
        if !self.runs.windows(2).all(apart) || self.runs.iter().any(|(first, last)| first > last) {
            return Err("runs of identifiers must be in order and must not touch");
        }
        Ok(self)
    }
}
