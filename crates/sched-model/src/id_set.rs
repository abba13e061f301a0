//! A set of identifiers that takes little memory where they are consecutive.

use crate::JobId;
use std::collections::BTreeMap;

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
