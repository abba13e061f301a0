//! Min-min, and Duplex: the better of Min-min and Max-min.

use super::mapping::{Building, Mapping, first_min};
use super::max_first::{Value, max_first};
use crate::HeuristicError;
use sched_model::{End, EtcMatrix, Meter};

/// See [`MinMin`](crate::MappingKind::MinMin).
pub(crate) fn min_min(etc: &EtcMatrix, meter: &mut Meter) -> Result<Mapping, HeuristicError> {
    let mut building = Building::new(etc)?;
    let mut queues: Vec<Queue<'_>> = Vec::new();
    // The sort keys of one queue at a time.
    meter.reserve_items::<(u64, u32)>(etc.rows())?;
    for resource in 0..etc.cols() {
        meter.reserve_items::<u32>(etc.rows())?;
        queues.push(Queue::new(etc, resource, meter)?);
    }
    let mut mapped = vec![false; etc.rows()];
    for _ in 0..etc.rows() {
        meter.spend(etc.cols() as u64)?;
        // The next task of a resource has the minimum completion time there of all unmapped tasks.
        let next = queues.iter().zip(&building.ready).map(|(queue, ready)| queue.next_time + ready);
        let Some((_, finish)) = first_min(next) else { break };
        let tied = |resource: usize| queues[resource].next_time + building.ready[resource] == finish;
        let candidates = (0..etc.cols()).filter(|&resource| tied(resource)).map(|resource| {
            (queues[resource].lowest_at(finish, building.ready[resource], &mapped), resource)
        });
        // Lowest task, then lowest resource.
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

/// See [`Duplex`](crate::MappingKind::Duplex).
pub(crate) fn duplex(etc: &EtcMatrix, meter: &mut Meter) -> Result<Mapping, HeuristicError> {
    let min_min = min_min(etc, meter)?;
    match max_first(etc, Value::Completion, meter) {
        Ok(max_min) if max_min.makespan() < min_min.makespan() => Ok(max_min),
        Ok(_) => Ok(min_min),
        Err(HeuristicError::Stopped(end)) => {
            meter.end(end);
            Ok(min_min)
        }
        Err(error) => Err(error),
    }
}

/// All tasks in ascending order of (time on one resource, task), with the position of the first unmapped one.
struct Queue<'a> {
    etc: &'a EtcMatrix,
    resource: usize,
    order: Vec<u32>,
    /// The position of the first unmapped task; the length of `order` if there is none.
    at: usize,
    /// The time of that task, infinite if there is none.
    next_time: f64,
}

impl<'a> Queue<'a> {
    fn new(etc: &'a EtcMatrix, resource: usize, meter: &mut Meter) -> Result<Self, End> {
        // Times are not negative, so their bits are ordered like their values, and integers sort faster.
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

    /// Returns the lowest unmapped task that ends at `finish`, the minimum completion time on this resource.
    ///
    /// Among equal times the first unmapped task is the lowest. Different times may round to the same completion time.
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
