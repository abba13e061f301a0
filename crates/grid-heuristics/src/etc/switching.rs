//! The switching algorithm between MCT and MET.

use super::mapping::ImmediateHeuristic;
use super::{Mct, Met};
use crate::HeuristicError;
use sched_model::Time;

/// Switching: [`Mct`] until the load is balanced, then [`Met`] until it is not.
///
/// M. Maheswaran et al., "Dynamic mapping of a class of independent tasks onto heterogeneous computing
/// systems", 1999. The balance is the ratio of the least to the greatest ready time, 0 while all are 0. It
/// begins with MCT, goes to MET when the ratio is at least `high`, and back when it is at most `low`.
/// Defaults: 0.6 and 0.9. The ratio has a meaning only if ready times count from the present: pass them so.
///
/// O(n m) for n tasks on m resources. Heuristic. Ties go to the lowest resource.
///
/// ```
/// use grid_heuristics::{MappingHeuristic, Switching};
/// use sched_model::EtcMatrix;
/// let etc = EtcMatrix::from_rows(&[[4.0, 5.0], [4.0, 4.0], [1.0, 2.0], [1.0, 2.0]])?;
/// // MCT: ready (4, 0), (4, 4). Balanced, MET: (5, 4), 0.8, still MET.
/// assert_eq!(Switching::default().map(&etc)?.resources(), [0, 1, 0, 0]);
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Switching {
    low: f64,
    high: f64,
    balanced: bool,
}

impl Default for Switching {
    fn default() -> Self {
        Self { low: 0.6, high: 0.9, balanced: false }
    }
}

impl Switching {
    /// Switches at these ratios.
    ///
    /// # Errors
    /// [`HeuristicError::Setting`] unless `0 <= low < high <= 1`.
    pub fn new(low: f64, high: f64) -> Result<Self, HeuristicError> {
        if !(0.0..1.0).contains(&low) {
            return Err(HeuristicError::Setting { what: "the low ratio", expected: "[0, 1)", value: low });
        }
        if high > low && high <= 1.0 {
            Ok(Self { low, high, balanced: false })
        } else {
            Err(HeuristicError::Setting { what: "the high ratio", expected: "(low ratio, 1]", value: high })
        }
    }
}

impl ImmediateHeuristic for Switching {
    fn name(&self) -> &str {
        "switching"
    }

    fn choose(&mut self, times: &[f64], ready: &[Time]) -> Option<usize> {
        let least = ready.iter().min()?.get();
        let greatest = ready.iter().max()?.get();
        let ratio = if greatest > 0.0 { least / greatest } else { 0.0 };
        if ratio >= self.high {
            self.balanced = true;
        } else if ratio <= self.low {
            self.balanced = false;
        }
        if self.balanced { Met.choose(times, ready) } else { Mct.choose(times, ready) }
    }
}
