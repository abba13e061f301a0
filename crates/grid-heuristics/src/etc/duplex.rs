//! Duplex: the better of Min-min and Max-min.

use super::mapping::{Mapping, MappingHeuristic};
use super::{MaxMin, MinMin};
use crate::HeuristicError;
use sched_model::{EtcMatrix, Limit, Meter, Outcome, Time};

/// Duplex: [`MinMin`] and [`MaxMin`], whichever has the lesser makespan; Min-min if they are equal.
///
/// T. D. Braun et al., "A comparison of eleven static heuristics for mapping a class of independent tasks
/// onto heterogeneous distributed computing systems", 2001. Time and space of both together. Heuristic.
///
/// ```
/// use grid_heuristics::{Duplex, MappingHeuristic};
/// use sched_model::{EtcMatrix, Meter, Time};
/// let etc = EtcMatrix::from_rows(&[[9.0, 8.0], [2.0, 3.0], [2.0, 1.0]])?;
/// assert_eq!(Duplex.map(&etc)?.makespan(), Some(Time::must(8.0))); // Min-min has 9, Max-min 8
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Duplex;

impl MappingHeuristic for Duplex {
    fn name(&self) -> &str {
        "duplex"
    }

    fn map_metered(
        &self,
        etc: &EtcMatrix,
        ready: &[Time],
        meter: &mut Meter,
    ) -> Result<Mapping, HeuristicError> {
        let min_min = MinMin.map_metered(etc, ready, meter)?;
        Ok(better(min_min, MaxMin.map_metered(etc, ready, meter)?))
    }

    /// A limit that comes during Max-min leaves the mapping of Min-min.
    fn map_within(
        &self,
        etc: &EtcMatrix,
        ready: &[Time],
        limit: &Limit,
    ) -> Result<Outcome<Mapping>, HeuristicError> {
        let mut meter = limit.meter();
        let min_min = match MinMin.map_metered(etc, ready, &mut meter) {
            Err(HeuristicError::Stopped(end)) => return Ok(Outcome::stopped(None, None, meter.work(), end)),
            mapping => mapping?,
        };
        match MaxMin.map_metered(etc, ready, &mut meter) {
            Ok(max_min) => Ok(better(min_min, max_min).outcome(meter.work())),
            Err(HeuristicError::Stopped(end)) => {
                let makespan = min_min.makespan().map_or(0.0, Time::get);
                Ok(Outcome::stopped(Some((min_min, makespan)), None, meter.work(), end))
            }
            Err(error) => Err(error),
        }
    }
}

fn better(min_min: Mapping, max_min: Mapping) -> Mapping {
    if max_min.makespan() < min_min.makespan() { max_min } else { min_min }
}
