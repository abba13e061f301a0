//! FPLTF: fastest processor to largest task first.

use super::alike::PART;
use super::mapping::{Building, Mapping, MappingHeuristic, earliest};
use crate::HeuristicError;
use sched_model::{EtcMatrix, Meter, Time, sort_in_parts};

/// Fastest processor to largest task first: tasks in descending size, each to the resource on which it is
/// done first.
///
/// Source, as A. Raeisi Gahrouei and M. Ghatee cite it: D. Saha, D. Menasce, S. Porto, *Static and dynamic
/// processor scheduling disciplines in heterogeneous parallel architectures*, 1995.
///
/// It needs the size of a task and the speed of a resource; a matrix has neither, so the size is the sum of a
/// task's times, and the fastest resource, load considered, is the one of least completion time. On a matrix
/// that is a product of sizes and speeds this is the original. On consistent matrices its makespans are
/// nearly as good as those of [`MaxMin`](crate::MaxMin), in the time of one sort.
///
/// O(n m + n log n) for n tasks on m resources. Heuristic. Ties go to the lowest task and resource.
///
/// ```
/// use grid_heuristics::{Fpltf, MappingHeuristic};
/// use sched_model::EtcMatrix;
/// let etc = EtcMatrix::from_rows(&[[1.0, 2.0], [4.0, 8.0], [3.0, 6.0]])?;
/// let mapping = Fpltf.map(&etc)?; // ready at (0, 0), (4, 0), (4, 6)
/// assert_eq!((mapping.order(), mapping.resources()), (&[1, 2, 0][..], &[0, 0, 1][..]));
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Fpltf;

impl MappingHeuristic for Fpltf {
    fn name(&self) -> &str {
        "fpltf"
    }

    fn map_metered(
        &self,
        etc: &EtcMatrix,
        ready: &[Time],
        meter: &mut Meter,
    ) -> Result<Mapping, HeuristicError> {
        let mut building = Building::new(etc, ready)?;
        meter.reserve_items::<(f64, usize)>(etc.rows())?;
        let mut order: Vec<(f64, usize)> = Vec::with_capacity(etc.rows());
        for task in 0..etc.rows() {
            meter.spend(etc.cols() as u64)?;
            order.push((etc.row(task).iter().sum::<f64>(), task));
        }
        let largest_first = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        sort_in_parts(&mut order, PART, largest_first, |visits| meter.spend(visits))?;
        for (_, task) in order {
            meter.spend(etc.cols() as u64)?;
            let (resource, _) = earliest(etc.row(task), &building.ready);
            building.commit(task, resource);
        }
        building.mapping()
    }
}
