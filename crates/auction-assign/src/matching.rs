//! How many jobs can be placed at all.
//!
//! Augmenting paths found depth first, in phases that visit each resource once (A. Pothen, C.-J. Fan, Computing the block
//! triangular form of a sparse matrix, 1990), here with capacities on the side of the resources.

use crate::paths::NONE;
use crate::source::{Row, Source};

/// The greatest number of jobs that can be placed together, every resource within its capacity.
///
/// Time O(pairs) a phase, space O(jobs + resources).
pub(crate) fn greatest(source: &Source<'_>, capacities: &[u32]) -> usize {
    let n = source.rows();
    let mut growing = Growing {
        source,
        capacities,
        on: vec![Vec::new(); source.cols()],
        seen: vec![false; source.cols()],
        buffer: Vec::new(),
    };
    let mut waiting: Vec<u32> = Vec::new();
    for i in 0..n as u32 {
        match growing.next(i, 0, |growing, r| growing.has_room(r)) {
            Some(r) => growing.on[r].push(i),
            None => waiting.push(i),
        }
    }
    loop {
        let before = waiting.len();
        growing.seen.fill(false);
        waiting.retain(|&i| !growing.grow(i));
        if waiting.len() == before {
            return n - before;
        }
    }
}

struct Growing<'s, 'a> {
    source: &'s Source<'a>,
    capacities: &'s [u32],
    on: Vec<Vec<u32>>,
    seen: Vec<bool>,
    buffer: Vec<f64>,
}

/// A job on the path, the resource it is trying to enter, and where on that resource the job stands that would leave.
struct Step {
    job: u32,
    resource: usize,
    leaving: usize,
}

impl Growing<'_, '_> {
    fn has_room(&self, resource: usize) -> bool {
        self.on[resource].len() < self.capacities[resource] as usize
    }

    /// The first admissible resource of a job from `from` on that `fits`.
    fn next(&mut self, job: u32, from: usize, fits: impl Fn(&Self, usize) -> bool) -> Option<usize> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let found = match self.source.row(job as usize, &mut buffer) {
            Row::Full(row) => (from..row.len()).find(|&r| row[r] != f64::INFINITY && fits(self, r)),
            Row::Listed(columns, costs) => (columns.iter().zip(costs))
                .map(|(&r, &cost)| (r as usize, cost))
                .find(|&(r, cost)| r >= from && cost != f64::INFINITY && fits(self, r))
                .map(|(r, _)| r),
        };
        self.buffer = buffer;
        found
    }

    /// Tries to place one more job along a path over resources not yet seen in this phase.
    fn grow(&mut self, start: u32) -> bool {
        let mut path: Vec<Step> = Vec::new();
        let mut job = start;
        loop {
            // Room within one step?
            if let Some(room) = self.next(job, 0, |growing, r| growing.has_room(r)) {
                self.on[room].push(job);
                // Everybody on the path moves on; the job that left a resource is replaced by the one before it.
                for step in path.iter().rev() {
                    self.on[step.resource][step.leaving] = step.job;
                }
                return true;
            }
            // Else deeper: the first unseen resource, and its first job.
            let mut deeper = self.next(job, 0, |growing, r| !growing.seen[r] && !growing.on[r].is_empty());
            if let Some(resource) = deeper {
                self.seen[resource] = true;
                path.push(Step { job, resource, leaving: 0 });
                job = self.on[resource][0];
                continue;
            }
            // Dead end: the next job on the last resource, else the next resource of the job before it.
            loop {
                let Some(step) = path.last_mut() else { return false };
                step.leaving += 1;
                if let Some(&next) = self.on[step.resource].get(step.leaving) {
                    job = next;
                    break;
                }
                let before = step.job;
                path.pop();
                deeper = self.next(before, 0, |growing, r| !growing.seen[r] && !growing.on[r].is_empty());
                if let Some(resource) = deeper {
                    self.seen[resource] = true;
                    path.push(Step { job: before, resource, leaving: 0 });
                    job = self.on[resource][0];
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Costs, Problem};

    fn count(rows: usize, cols: usize, allowed: &[u8], capacities: &[u32]) -> usize {
        let values: Vec<f64> = allowed.iter().map(|&a| if a == 1 { 1.0 } else { f64::INFINITY }).collect();
        let problem = Problem::new(Costs::dense(rows, cols, &values).unwrap());
        greatest(&Source::new(&problem), capacities)
    }

    #[test]
    fn a_chain_must_move_along() {
        // Greedy puts 0 on 0 and 1 on 1; job 2 may only use 0, which moves everybody one on.
        assert_eq!(count(3, 3, &[1, 1, 0, 0, 1, 1, 1, 0, 0], &[1, 1, 1]), 3);
    }

    #[test]
    fn two_jobs_for_one_place() {
        assert_eq!(count(2, 2, &[1, 0, 1, 0], &[1, 1]), 1);
        assert_eq!(count(2, 2, &[1, 0, 1, 0], &[2, 0]), 2);
        assert_eq!(count(0, 2, &[], &[1, 1]), 0);
        assert_eq!(count(2, 0, &[], &[]), 0);
    }
}
