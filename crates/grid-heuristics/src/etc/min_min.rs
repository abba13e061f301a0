//! Min-min, and Duplex: the better of Min-min and Max-min.

use super::MaxMin;
use super::mapping::{Building, Mapping, MappingHeuristic, least};
use crate::HeuristicError;
use sched_model::{End, EtcMatrix, Meter};

/// Min-min: always the task that can complete first, on the resource that completes it first.
///
/// O. H. Ibarra, C. E. Kim, "Heuristic algorithms for scheduling independent tasks on nonidentical
/// processors", 1977; the mapping is that of the literal pseudo code (`tests/all/definitions.rs`), ties
/// included. Here each resource holds its tasks sorted by time, so that the earliest
/// completion of all is the least of m sums.
///
/// Good where many short tasks fill the resources; where a few long ones decide the makespan,
/// [`MaxMin`](crate::MaxMin) is better, and [`Duplex`](crate::Duplex) takes the better of the two.
///
/// O(n m log n) time, 4 n m bytes, for n tasks on m resources. Heuristic. Ties go to the lowest task, then to
/// the lowest resource.
///
/// ```
/// use grid_heuristics::{MappingHeuristic, MinMin};
/// use sched_model::{EtcMatrix, Meter, Time};
/// let etc = EtcMatrix::from_rows(&[[9.0, 8.0], [2.0, 3.0], [2.0, 1.0]])?;
/// // Task 2 ends at 1 on resource 1; task 1 at 2 on resource 0; task 0 at 9 on resource 1 (or at 11).
/// let mapping = MinMin.map(&etc)?;
/// assert_eq!((mapping.order(), mapping.resources()), (&[2, 1, 0][..], &[1, 0, 1][..]));
/// assert_eq!(mapping.makespan(), Some(Time::must(9.0)));
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct MinMin;

impl MappingHeuristic for MinMin {
    fn name(&self) -> &str {
        "min-min"
    }

    fn solve(&self, etc: &EtcMatrix, meter: &mut Meter) -> Result<Mapping, HeuristicError> {
        let mut building = Building::new(etc)?;
        let mut queues: Vec<Queue<'_>> = Vec::new();
        // While a queue is sorted, its keys take memory, too.
        meter.reserve_items::<(u64, u32)>(etc.rows())?;
        for resource in 0..etc.cols() {
            meter.reserve_items::<u32>(etc.rows())?;
            queues.push(Queue::new(etc, resource, meter)?);
        }
        let mut mapped = vec![false; etc.rows()];
        for _ in 0..etc.rows() {
            meter.spend(etc.cols() as u64)?;
            // The next task of a resource has the least completion time of all tasks left there.
            let next = queues.iter().zip(&building.ready).map(|(queue, ready)| queue.next_time + ready);
            let Some((_, finish)) = least(next) else { break };
            let tied = |resource: usize| queues[resource].next_time + building.ready[resource] == finish;
            let candidates = (0..etc.cols()).filter(|&resource| tied(resource)).map(|resource| {
                (queues[resource].lowest_at(finish, building.ready[resource], &mapped), resource)
            });
            // Least task, then least resource.
            let Some((task, resource)) = candidates.min() else { break };
            building.commit(task, resource);
            mapped[task] = true;
            for queue in &mut queues {
                if queue.next_task() == Some(task) {
                    queue.advance(&mapped);
                }
            }
        }
        building.mapping()
    }
}

/// Duplex: [`MinMin`] and [`MaxMin`], whichever has the lesser makespan; Min-min if they are equal.
///
/// T. D. Braun et al., "A comparison of eleven static heuristics for mapping a class of independent tasks
/// onto heterogeneous distributed computing systems", 2001. Time and space of both together. Heuristic. A limit
/// that comes during Max-min leaves the mapping of Min-min; the meter then says why it has
/// [ended](Meter::ended).
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

    fn solve(&self, etc: &EtcMatrix, meter: &mut Meter) -> Result<Mapping, HeuristicError> {
        let min_min = MinMin.solve(etc, meter)?;
        match MaxMin.solve(etc, meter) {
            Ok(max_min) if max_min.makespan() < min_min.makespan() => Ok(max_min),
            Ok(_) => Ok(min_min),
            Err(HeuristicError::Stopped(end)) => {
                meter.end(end);
                Ok(min_min)
            }
            Err(error) => Err(error),
        }
    }
}

/// The tasks of one resource by (time, task).
struct Queue<'a> {
    etc: &'a EtcMatrix,
    resource: usize,
    order: Vec<u32>,
    /// All tasks before this place are mapped, the one at it is not.
    at: usize,
    /// The time of that task, infinite if there is none.
    next_time: f64,
}

impl<'a> Queue<'a> {
    fn new(etc: &'a EtcMatrix, resource: usize, meter: &mut Meter) -> Result<Self, End> {
        // Times are not negative, so their bits have the order of their values, and integers sort faster.
        meter.spend(etc.rows() as u64)?;
        let timed = |task: u32| (etc[task as usize][resource].to_bits(), task);
        let mut sorted: Vec<(u64, u32)> = (0..etc.rows() as u32).map(timed).collect();
        sorted.sort_unstable();
        let order = sorted.into_iter().map(|(_, task)| task).collect();
        let mut queue = Self { etc, resource, order, at: 0, next_time: f64::INFINITY };
        queue.next_time = queue.time(0);
        Ok(queue)
    }

    fn time(&self, at: usize) -> f64 {
        self.order.get(at).map_or(f64::INFINITY, |&task| self.etc[task as usize][self.resource])
    }

    fn next_task(&self) -> Option<usize> {
        self.order.get(self.at).map(|&task| task as usize)
    }

    fn advance(&mut self, mapped: &[bool]) {
        let left = self.order[self.at..].iter().position(|&task| !mapped[task as usize]);
        self.at = left.map_or(self.order.len(), |skip| self.at + skip);
        self.next_time = self.time(self.at);
    }

    /// The lowest task left that ends at `finish`, the least completion time of this resource.
    ///
    /// Of equal times the first task left is the lowest. Different times may still round to the same sum.
    fn lowest_at(&self, finish: f64, ready: f64, mapped: &[bool]) -> usize {
        let mut lowest = usize::MAX;
        let mut at = self.at;
        while self.time(at) + ready == finish {
            let time = self.time(at);
            let task = self.order[at] as usize;
            if mapped[task] {
                at += 1;
                continue;
            }
            lowest = lowest.min(task);
            if self.time(at + 1) > time {
                at += 1;
            } else {
                at +=
                    self.order[at..].partition_point(|&task| self.etc[task as usize][self.resource] <= time);
            }
        }
        lowest
    }
}
