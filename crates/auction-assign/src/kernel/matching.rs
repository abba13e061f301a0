//! How many jobs can be placed at all.
//!
//! Augmenting paths found depth first, in phases that visit each resource once (A. Pothen, C.-J. Fan,
//! Computing the block triangular form of a sparse matrix, 1990), here with capacities on the side of the
//! resources.

use crate::kernel::NONE;
use sched_model::End;

use crate::kernel::source::{Row, Source};
use crate::kernel::watch::Watch;
use crate::solution::Shortage;

/// The greatest number of jobs that can be placed together, every resource within its capacity.
///
/// Time O(pairs) a phase, space O(jobs + resources).
pub(crate) fn greatest(source: &Source<'_>, capacities: &[u32], watch: Watch<'_>) -> Result<usize, End> {
    Ok(source.rows() - complete(source, capacities, &mut vec![NONE; source.rows()], watch)?.len())
}

/// Places as many more jobs as possible, moving others where need be, whatever it costs; returns those left
/// out.
pub(crate) fn complete(
    source: &Source<'_>,
    capacities: &[u32],
    resource_of: &mut [u32],
    watch: Watch<'_>,
) -> Result<Vec<u32>, End> {
    let mut growing = Growing {
        source,
        room: capacities.to_vec(),
        on: vec![Vec::new(); source.cols()],
        seen: vec![false; source.cols()],
        buffer: Vec::new(),
        watch,
    };
    let mut waiting = Vec::new();
    for (i, &r) in resource_of.iter().enumerate() {
        match growing.on.get_mut(r as usize) {
            Some(on) => {
                on.push(i as u32);
                growing.room[r as usize] -= 1;
            }
            None => waiting.push(i as u32),
        }
    }
    let mut places: u64 = growing.room.iter().map(|&room| u64::from(room)).sum();
    loop {
        let before = waiting.len();
        growing.seen.fill(false);
        let mut left = Vec::with_capacity(waiting.len());
        for &i in &waiting {
            let placed = places > 0 && growing.grow(i)?;
            places -= u64::from(placed);
            if !placed {
                left.push(i);
            }
        }
        waiting = left;
        if waiting.is_empty() || waiting.len() == before {
            break;
        }
    }
    for (r, on) in growing.on.iter().enumerate() {
        for &i in on {
            resource_of[i as usize] = r as u32;
        }
    }
    Ok(waiting)
}

/// Why a job cannot be placed beside all that are: the jobs that can be reached by moving others, and their
/// resources.
pub(crate) fn shortage(source: &Source<'_>, capacities: &[u32], resource_of: &[u32], job: u32) -> Shortage {
    let mut on: Vec<Vec<u32>> = vec![Vec::new(); source.cols()];
    for (i, &r) in resource_of.iter().enumerate() {
        if let Some(on) = on.get_mut(r as usize) {
            on.push(i as u32);
        }
    }
    let mut jobs = vec![job];
    let mut resources = Vec::new();
    let mut seen = vec![false; source.cols()];
    let mut buffer = Vec::new();
    let mut at = 0;
    while let Some(&i) = jobs.get(at) {
        at += 1;
        let mut meet = |r: usize, cost: f64| {
            if cost != f64::INFINITY && !std::mem::replace(&mut seen[r], true) {
                resources.push(r as u32);
                jobs.extend_from_slice(&on[r]);
            }
        };
        match source.row(i as usize, &mut buffer) {
            Row::Full(row) => row.iter().enumerate().for_each(|(r, &cost)| meet(r, cost)),
            Row::Listed(columns, costs) => {
                columns.iter().zip(costs).for_each(|(&r, &cost)| meet(r as usize, cost));
            }
        }
    }
    jobs.sort_unstable();
    resources.sort_unstable();
    let capacity = resources.iter().map(|&r| u64::from(capacities[r as usize])).sum();
    Shortage { jobs, resources, capacity }
}

struct Growing<'s, 'a> {
    source: &'s Source<'a>,
    /// Places left on each resource.
    room: Vec<u32>,
    on: Vec<Vec<u32>>,
    seen: Vec<bool>,
    buffer: Vec<f64>,
    watch: Watch<'s>,
}

/// A job on the path, the resource it is trying to enter, and where on that resource the job stands that
/// would leave.
struct Step {
    job: u32,
    resource: usize,
    leaving: usize,
}

impl Growing<'_, '_> {
    /// The first admissible resource of a job that `fits`; the search begins at another for each job, so that
    /// the first resources do not fill first.
    fn next(&mut self, job: u32, fits: impl Fn(&Self, usize) -> bool) -> Result<Option<usize>, End> {
        self.watch.spend(self.source.entries(job as usize))?;
        let mut buffer = std::mem::take(&mut self.buffer);
        let start = (u64::from(job) * self.seen.len() as u64 / self.source.rows() as u64) as usize;
        let found = match self.source.row(job as usize, &mut buffer) {
            Row::Full(row) => {
                (start..row.len()).chain(0..start).find(|&r| row[r] != f64::INFINITY && fits(self, r))
            }
            Row::Listed(columns, costs) => {
                let first = columns.partition_point(|&r| (r as usize) < start);
                (columns[first..]
                    .iter()
                    .zip(&costs[first..])
                    .chain(columns[..first].iter().zip(&costs[..first])))
                .find(|&(&r, &cost)| cost != f64::INFINITY && fits(self, r as usize))
                .map(|(&r, _)| r as usize)
            }
        };
        self.buffer = buffer;
        Ok(found)
    }

    /// Tries to place one more job along a path over resources not yet seen in this phase.
    fn grow(&mut self, start: u32) -> Result<bool, End> {
        let mut path: Vec<Step> = Vec::new();
        let mut job = start;
        loop {
            // Room within one step?
            if let Some(room) = self.next(job, |growing, r| growing.room[r] > 0)? {
                self.on[room].push(job);
                self.room[room] -= 1;
                // Everybody on the path moves on; the job that left a resource is replaced by the one before
                // it.
                for step in path.iter().rev() {
                    self.on[step.resource][step.leaving] = step.job;
                }
                return Ok(true);
            }
            // Else deeper: the first unseen resource, and its first job.
            let mut deeper = self.next(job, |growing, r| !growing.seen[r] && !growing.on[r].is_empty())?;
            if let Some(resource) = deeper {
                self.seen[resource] = true;
                path.push(Step { job, resource, leaving: 0 });
                job = self.on[resource][0];
                continue;
            }
            // Dead end: the next job on the last resource, else the next resource of the job before it.
            loop {
                let Some(step) = path.last_mut() else { return Ok(false) };
                step.leaving += 1;
                if let Some(&next) = self.on[step.resource].get(step.leaving) {
                    job = next;
                    break;
                }
                let before = step.job;
                path.pop();
                deeper = self.next(before, |growing, r| !growing.seen[r] && !growing.on[r].is_empty())?;
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
        greatest(&Source::new(&problem), capacities, Watch::NONE).unwrap()
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
