//! Identifiers: numbers in types of their own, so that a node cannot be mistaken for a job; and a set of them.

use std::collections::BTreeMap;
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

        impl From<$int> for $name {
            fn from(number: $int) -> Self {
                Self(number)
            }
        }
    )*};
}

id! {
    /// One CPU of the environment: see [`Node`](crate::Node).
    NodeId(u32);
    /// A machine of several CPUs: see [`Machine`](crate::Machine).
    MachineId(u32);
    /// Machines behind one network link: see [`Site`](crate::Site).
    SiteId(u32);
    /// The owner of jobs: see [`User`](crate::User).
    UserId(u32);
    /// A job, unique within its [`Batch`](crate::Batch).
    JobId(u64);
}

/// Job identifiers as runs of consecutive numbers: each call takes O(log r) for r runs. With `serde` it is the
/// list of the first and last number of each run.
///
/// ```
/// use sched_model::{IdSet, JobId};
///
/// let mut come = IdSet::default();
/// assert!(come.insert(JobId(7)) && come.insert(JobId(8)));
/// assert!(!come.insert(JobId(7)), "it was there");
/// assert!(come.contains(JobId(8)) && !come.contains(JobId(9)));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Vec<(u64, u64)>", into = "Vec<(u64, u64)>"))]
pub struct IdSet {
    /// Last of each run by its first; no two runs touch.
    runs: BTreeMap<u64, u64>,
}

impl IdSet {
    /// Whether the set has this identifier.
    pub fn contains(&self, id: JobId) -> bool {
        self.runs.range(..=id.0).next_back().is_some_and(|(_, &last)| id.0 <= last)
    }

    /// Enters an identifier. Returns whether it is new.
    pub fn insert(&mut self, id: JobId) -> bool {
        if self.contains(id) {
            return false;
        }
        let (mut first, mut last) = (id.0, id.0);
        if let Some((&before, &end)) = self.runs.range(..first).next_back()
            && end.checked_add(1) == Some(first)
        {
            first = before;
        }
        if let Some(next) = last.checked_add(1)
            && let Some(end) = self.runs.remove(&next)
        {
            last = end;
        }
        self.runs.insert(first, last);
        true
    }
}

impl From<IdSet> for Vec<(u64, u64)> {
    fn from(set: IdSet) -> Self {
        set.runs.into_iter().collect()
    }
}

impl TryFrom<Vec<(u64, u64)>> for IdSet {
    type Error = &'static str;
    fn try_from(pairs: Vec<(u64, u64)>) -> Result<Self, Self::Error> {
        let in_order =
            pairs.windows(2).all(|pair| pair[0].1.checked_add(1).is_some_and(|next| next < pair[1].0));
        if !in_order || pairs.iter().any(|(first, last)| first > last) {
            return Err("runs of identifiers must be in order and must not touch");
        }
        Ok(Self { runs: pairs.into_iter().collect() })
    }
}
