//! KPB: k-percent best.

use super::mapping::{ImmediateHeuristic, least};
use crate::HeuristicError;
use sched_model::Time;

/// K-percent best: each task to the resource that completes it first, among the k percent of resources that
/// are fastest for it.
///
/// M. Maheswaran et al., "Dynamic mapping of a class of independent tasks onto heterogeneous computing
/// systems", 1999. Of m resources the floor(k m / 100) fastest ones for the task are examined, at least one:
/// k = 100 is [`Mct`](crate::Mct), k = 100/m is [`Met`](crate::Met), and between them a task does not use
/// resources that are slow for it. The usual k is 20, the default.
///
/// O(n m) for n tasks on m resources. Heuristic. Ties, in times and in completion times, go to the lowest
/// resource.
///
/// ```
/// use grid_heuristics::{Kpb, MappingHeuristic};
/// use sched_model::EtcMatrix;
/// // Half of four resources: the two fastest for each task.
/// let etc = EtcMatrix::from_rows(&[[9.0, 1.0, 2.0, 8.0], [3.0, 1.0, 2.0, 0.5], [3.0, 1.0, 2.0, 8.0]])?;
/// assert_eq!(Kpb::new(50.0)?.map(&etc)?.resources(), [1, 3, 1]); // the last: 1 + 1 against 0 + 2
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Kpb {
    percent: f64,
    fastest: Vec<usize>,
}

impl Default for Kpb {
    fn default() -> Self {
        Self { percent: 20.0, fastest: vec![] }
    }
}

impl Kpb {
    /// KPB with k = `percent`.
    ///
    /// # Errors
    /// [`HeuristicError::Setting`] unless `0 < percent <= 100`.
    pub fn new(percent: f64) -> Result<Self, HeuristicError> {
        if percent > 0.0 && percent <= 100.0 {
            Ok(Self { percent, fastest: vec![] })
        } else {
            Err(HeuristicError::Setting {
                what: "the percentage of KPB",
                expected: "(0, 100]",
                value: percent,
            })
        }
    }
}

impl ImmediateHeuristic for Kpb {
    fn name(&self) -> &str {
        "kpb"
    }

    fn choose(&mut self, times: &[f64], ready: &[Time]) -> Option<usize> {
        let resources = times.len();
        if resources == 0 {
            return None;
        }
        // The product is at most 100 times a length: the cast is exact.
        let kept = ((self.percent * resources as f64 / 100.0).floor() as usize).clamp(1, resources);
        self.fastest.clear();
        self.fastest.extend(0..resources);
        if kept < resources {
            let order = |&a: &usize, &b: &usize| times[a].total_cmp(&times[b]).then(a.cmp(&b));
            self.fastest.select_nth_unstable_by(kept - 1, order);
            self.fastest.truncate(kept);
            self.fastest.sort_unstable();
        }
        let finishes = self.fastest.iter().map(|&at| times[at] + ready[at].get());
        least(finishes).map(|(at, _)| self.fastest[at])
    }
}
