//! Duplex: the better of Min-min and Max-min.

use super::mapping::{Mapping, MappingHeuristic};
use super::{MaxMin, MinMin};
use crate::HeuristicError;
use sched_model::{EtcMatrix, Time};

/// Duplex: [`MinMin`] and [`MaxMin`], whichever has the lesser makespan; Min-min if they are equal.
///
/// T. D. Braun et al., "A comparison of eleven static heuristics for mapping a class of independent tasks onto
/// heterogeneous distributed computing systems", 2001. Time and space of both together. Heuristic.
///
/// ```
/// use grid_heuristics::{Duplex, MappingHeuristic};
/// use sched_model::{EtcMatrix, Time};
/// let etc = EtcMatrix::from_rows(&[[9.0, 8.0], [2.0, 3.0], [2.0, 1.0]])?;
/// assert_eq!(Duplex.map(&etc)?.makespan(), Some(Time::must(8.0))); // Min-min has 9, Max-min 8
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Duplex;

impl MappingHeuristic for Duplex {
    fn map_from(&self, etc: &EtcMatrix, ready: &[Time]) -> Result<Mapping, HeuristicError> {
        let min_min = MinMin.map_from(etc, ready)?;
        let max_min = MaxMin.map_from(etc, ready)?;
        Ok(if max_min.makespan() < min_min.makespan() { max_min } else { min_min })
    }
}
