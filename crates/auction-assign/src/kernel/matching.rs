//! The greatest number of jobs that can be placed.
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
/// Time O(pairs) a phase, since each list is read at most three times in it; space O(jobs + resources).
pub(crate) fn greatest(source: &Source<'_>, capacities: &[u32], watch: Watch<'_>) -> Result<usize, End> {
    Ok(source.rows() - complete(source, capacities, &mut vec![NONE; source.rows()], watch)?.len())
}

/// Places as many more jobs as possible, moving others where necessary, without regard to costs; returns the
/// jobs left out.
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

/// Why a job cannot be placed beside the placed ones: the jobs that can be reached by moving others, and
/// their resources.
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

/// A job on the path, the resource it is trying to enter, where on that resource the job stands that would
/// leave, and where in the row of the job the search for another resource goes on.
struct Step {
    job: u32,
    resource: usize,
    leaving: usize,
    next: usize,
}

impl Growing<'_, '_> {
    /// The first admissible resource of a job that `fits`, from the entry numbered `from` on, and the number
    /// of the entry after it. Entries are numbered from another one on for each job, so that the first
    /// resources do not fill first.
    fn next(
        &mut self,
        job: u32,
        from: usize,
        fits: impl Fn(&Self, usize) -> bool,
    ) -> Result<Option<(usize, usize)>, End> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let start = (u64::from(job) * self.seen.len() as u64 / self.source.rows() as u64) as usize;
        let (entries, found) = match self.source.row(job as usize, &mut buffer) {
            Row::Full(row) => {
                let turned = (start..row.len()).chain(0..start).skip(from).zip(from + 1..);
                (row.len(), { turned }.find(|&(r, _)| row[r] != f64::INFINITY && fits(self, r)))
            }
            Row::Listed(columns, costs) => {
                let first = columns.partition_point(|&r| (r as usize) < start);
                let turned = (first..columns.len()).chain(0..first).skip(from).zip(from + 1..);
                let found = { turned }
                    .find(|&(at, _)| costs[at] != f64::INFINITY && fits(self, columns[at] as usize));
                (columns.len(), found.map(|(at, next)| (columns[at] as usize, next)))
            }
        };
        self.buffer = buffer;
        self.watch.spend((found.map_or(entries, |(_, next)| next) - from) as u64)?;
        Ok(found)
    }

    /// The first resource not yet seen in this phase that some job could leave, as [`next`](Self::next).
    fn next_unseen(&mut self, job: u32, from: usize) -> Result<Option<(usize, usize)>, End> {
        self.next(job, from, |growing, r| !growing.seen[r] && !growing.on[r].is_empty())
    }

    /// Tries to place one more job along a path over resources not yet seen in this phase.
    fn grow(&mut self, start: u32) -> Result<bool, End> {
        let mut path: Vec<Step> = Vec::new();
        let mut job = start;
        loop {
            // Room within one step?
            if let Some((room, _)) = self.next(job, 0, |growing, r| growing.room[r] > 0)? {
                self.on[room].push(job);
                self.room[room] -= 1;
                // Every job on the path moves to its next resource; the job before it on the path takes its
                // place.
                for step in path.iter().rev() {
                    self.on[step.resource][step.leaving] = step.job;
                }
                return Ok(true);
            }
            // Else deeper: the first unseen resource, and its first job. At a dead end the next job on the
            // last resource, else the next resource of the job before it: what was passed over was seen.
            let mut from = 0;
            job = loop {
                if let Some((resource, next)) = self.next_unseen(job, from)? {
                    self.seen[resource] = true;
                    path.push(Step { job, resource, leaving: 0, next });
                    break self.on[resource][0];
                }
                let Some(step) = path.last_mut() else { return Ok(false) };
                step.leaving += 1;
                if let Some(&other) = self.on[step.resource].get(step.leaving) {
                    break other;
                }
                (job, from) = (step.job, step.next);
                path.pop();
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::watch::Tally;
    use crate::{Costs, Problem};

    fn count(rows: usize, cols: usize, allowed: &[u8], capacities: &[u32]) -> usize {
        let values: Vec<f64> = allowed.iter().map(|&a| if a == 1 { 1.0 } else { f64::INFINITY }).collect();
        let problem = Problem::new(Costs::dense(rows, cols, &values).unwrap());
        greatest(&Source::new(&problem), capacities, Watch::NONE).unwrap()
    }

    #[test]
    fn a_chain_must_move_along() {
        // Greedy puts 0 on 0 and 1 on 1; job 2 may only use 0, so that both others move to the next resource.
        assert_eq!(count(3, 3, &[1, 1, 0, 0, 1, 1, 1, 0, 0], &[1, 1, 1]), 3);
    }

    #[test]
    fn two_jobs_for_one_place() {
        assert_eq!(count(2, 2, &[1, 0, 1, 0], &[1, 1]), 1);
        assert_eq!(count(2, 2, &[1, 0, 1, 0], &[2, 0]), 2);
        assert_eq!(count(0, 2, &[], &[1, 1]), 0);
        assert_eq!(count(2, 0, &[], &[]), 0);
    }

    /// Lists of admissible resources, their capacities, and what all phases read.
    fn spent(lists: &[Vec<u32>], capacities: &[u32]) -> (usize, u64, u64) {
        let mut offsets = vec![0];
        offsets.extend(lists.iter().scan(0, |end, list| {
            *end += list.len();
            Some(*end)
        }));
        let columns = lists.concat();
        let values = vec![1.0; columns.len()];
        let costs = Costs::sparse(lists.len(), capacities.len(), &offsets, &columns, &values).unwrap();
        let problem = Problem::new(costs);
        let tally = Tally::new(Watch::NONE);
        let placed = greatest(&Source::new(&problem), capacities, tally.watch()).unwrap();
        (placed, columns.len() as u64, tally.spent())
    }

    /// A job that may go everywhere, after all others have taken the places, tries all of them, and each
    /// leads nowhere: passes over its list are few, not one for each place.
    #[test]
    fn a_phase_reads_a_list_three_times_at_most() {
        let m = 200u32;
        let phases = 2;
        // The last resource is one that no job may use, so that the search does not end because places are
        // taken.
        let own = |jobs: u32| (0..jobs).map(move |job| vec![job / (jobs / m)]);
        let star: Vec<Vec<u32>> = own(m).chain([(0..m).collect()]).collect();
        let crowd: Vec<Vec<u32>> = own(3 * m).chain([(0..m).collect()]).collect();
        // Many that may go everywhere, each of which gives way to the next.
        let many: Vec<Vec<u32>> = own(m).chain((0..20).map(|_| (0..m).collect())).collect();
        for (lists, places, placed) in [(star, 1, m), (crowd, 3, 3 * m), (many, 1, m)] {
            let mut capacities = vec![places; m as usize];
            capacities.push(1);
            let (count, pairs, spent) = spent(&lists, &capacities);
            assert_eq!(count, placed as usize);
            assert!(spent <= phases * 3 * pairs, "{spent} {pairs}");
        }
    }
}
