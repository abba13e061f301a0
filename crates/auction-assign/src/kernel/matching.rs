//! Maximum matchings: the maximum number of jobs that can be placed, regardless of costs.
//!
//! Augmenting paths are found depth first, in phases that visit each resource once (A. Pothen, C.-J. Fan,
//! Computing the block triangular form of a sparse matrix, 1990). Here resources have capacities.

use crate::kernel::NONE;
use crate::kernel::source::{Row, Source};
use crate::kernel::watch::{Stop, Watch};
use crate::solution::Shortage;

/// Returns the maximum number of jobs that can be placed with every resource within its capacity.
///
/// Time: O(pairs) per phase, because each list is read at most three times in a phase. Space: O(jobs + resources).
pub(crate) fn max_size(source: &Source<'_>, capacities: &[u32], watch: Watch<'_>) -> Result<usize, Stop> {
    Ok(source.rows() - complete(source, capacities, &mut vec![NONE; source.rows()], watch)?.len())
}

/// Places as many of the unplaced jobs as possible, moving others where necessary, regardless of costs; returns the
/// jobs that stay unplaced.
pub(crate) fn complete(
    source: &Source<'_>,
    capacities: &[u32],
    resource_of: &mut [u32],
    watch: Watch<'_>,
) -> Result<Vec<u32>, Stop> {
    let mut matching = Matching::new(source, capacities, watch);
    let mut unplaced = Vec::new();
    for (i, &r) in resource_of.iter().enumerate() {
        if (r as usize) < source.cols() {
            matching.push(i as u32, r as usize);
        } else {
            unplaced.push(i as u32);
        }
    }
    let mut places: u64 = matching.room.iter().map(|&room| u64::from(room)).sum();
    loop {
        let before = unplaced.len();
        matching.seen.fill(false);
        let mut left = Vec::with_capacity(unplaced.len());
        for &i in &unplaced {
            let placed = places > 0 && matching.augment(i)?;
            places -= u64::from(placed);
            if !placed {
                left.push(i);
            }
        }
        unplaced = left;
        if unplaced.is_empty() || unplaced.len() == before {
            break;
        }
    }
    for (r, &first) in matching.head.iter().enumerate() {
        let mut i = first;
        while i != NONE {
            resource_of[i as usize] = r as u32;
            i = matching.next[i as usize];
        }
    }
    Ok(unplaced)
}

/// Returns the proof that `job` cannot be placed in addition to the placed ones: the jobs that can be reached from it
/// by moving jobs to admissible resources, and these resources.
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
        source.row(i as usize, &mut buffer).each(&mut meet);
    }
    let capacity = resources.iter().map(|&r| u64::from(capacities[r as usize])).sum();
    Shortage::new(jobs, resources, capacity)
}

/// A matching under construction.
struct Matching<'s, 'a> {
    source: &'s Source<'a>,
    /// The number of free places of each resource. It never increases.
    room: Vec<u32>,
    /// The jobs on each resource as a linked list: the first job of each resource, and the job after each job.
    head: Vec<u32>,
    next: Vec<u32>,
    /// Whether each resource has been visited in the present phase.
    seen: Vec<bool>,
    /// The entry with which the search of each job's row begins: a different one for each job, so that the first
    /// resources do not fill first. Entries are numbered from there.
    start: Vec<u32>,
    /// The number of leading entries of each job's row that are known to have no room.
    full: Vec<u32>,
    /// The path from the job to be placed to the present one.
    path: Vec<Step>,
    buffer: Vec<f64>,
    watch: Watch<'s>,
}

/// A step of the path: `job` would take the place of `leaving` on `resource`.
struct Step {
    job: u32,
    resource: usize,
    /// The neighbours of `leaving` in the list of the jobs on the resource.
    before: u32,
    leaving: u32,
    after: u32,
    /// The entry of the row of `job` at which the search for another resource continues.
    next: usize,
}

impl<'s, 'a> Matching<'s, 'a> {
    /// Creates a matching in which no job is placed.
    fn new(source: &'s Source<'a>, capacities: &[u32], watch: Watch<'s>) -> Self {
        let (jobs, resources) = (source.rows(), source.cols());
        let mut buffer = Vec::new();
        let start = |i: usize| {
            let resource = i * resources / jobs;
            // Full rows need not be read.
            match source.is_sparse().then(|| source.row(i, &mut buffer)) {
                Some(Row::Listed(columns, _)) => columns.partition_point(|&r| (r as usize) < resource) as u32,
                _ => resource as u32,
            }
        };
        let start = (0..jobs).map(start).collect();
        Self {
            source,
            room: capacities.to_vec(),
            head: vec![NONE; resources],
            next: vec![NONE; jobs],
            seen: vec![false; resources],
            start,
            full: vec![0; jobs],
            path: Vec::new(),
            buffer,
            watch,
        }
    }

    /// Puts a job on a resource that has room.
    fn push(&mut self, job: u32, resource: usize) {
        self.next[job as usize] = std::mem::replace(&mut self.head[resource], job);
        self.room[resource] -= 1;
    }

    /// Returns the first admissible resource of a job that `fits`, from the entry numbered `from` on, and the number of
    /// the entry after it; if there is none, the number of entries.
    #[inline(always)]
    fn find(
        &mut self,
        job: u32,
        from: usize,
        fits: impl Fn(&Self, usize) -> bool,
    ) -> Result<(Option<usize>, usize), Stop> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let start = self.start[job as usize] as usize;
        let row = self.source.row(job as usize, &mut buffer);
        let costs = row.costs();
        let turned = |number: usize| {
            let at = start + number;
            if at < costs.len() { at } else { at - costs.len() }
        };
        let resource = |at: usize| if let Row::Listed(columns, _) = row { columns[at] as usize } else { at };
        let mut entries = (from..costs.len()).map(|number| (number, turned(number)));
        let found = entries.find(|&(_, at)| fits(self, resource(at)) && costs[at] != f64::INFINITY);
        let (found, next) = match found {
            Some((number, at)) => (Some(resource(at)), number + 1),
            None => (None, costs.len()),
        };
        self.buffer = buffer;
        self.watch.spend((next - from) as u64)?;
        Ok((found, next))
    }

    /// Tries to place one more job along a path over resources not yet visited in this phase; returns whether it is
    /// placed.
    fn augment(&mut self, first: u32) -> Result<bool, Stop> {
        self.path.clear();
        let mut job = first;
        loop {
            // First look for a resource with room.
            let full = self.full[job as usize] as usize;
            let (room, next) = self.find(job, full, |matching, r| matching.room[r] > 0)?;
            if let Some(room) = room {
                self.full[job as usize] = next as u32 - 1;
                self.push(job, room);
                self.apply_path();
                return Ok(true);
            }
            self.full[job as usize] = next as u32;
            // Otherwise go deeper: to the first unvisited resource, and its first job. At a dead end go on to the next
            // job on the last resource of the path or, after the last one, to the next resource of the job before it.
            let mut from = 0;
            job = loop {
                let unseen = |matching: &Self, r: usize| !matching.seen[r] && matching.head[r] != NONE;
                let (resource, next) = self.find(job, from, unseen)?;
                if let Some(resource) = resource {
                    self.seen[resource] = true;
                    let leaving = self.head[resource];
                    let after = self.next[leaving as usize];
                    self.path.push(Step { job, resource, before: NONE, leaving, after, next });
                    break leaving;
                }
                let Some(step) = self.path.last_mut() else { return Ok(false) };
                if step.after != NONE {
                    (step.before, step.leaving) = (step.leaving, step.after);
                    step.after = self.next[step.leaving as usize];
                    break step.leaving;
                }
                (job, from) = (step.job, step.next);
                self.path.pop();
            };
        }
    }

    /// Moves every job of the path to its next resource, where it replaces the job that leaves.
    fn apply_path(&mut self) {
        for step in self.path.iter().rev() {
            self.next[step.job as usize] = step.after;
            match self.next.get_mut(step.before as usize) {
                Some(next) => *next = step.job,
                None => self.head[step.resource] = step.job,
            }
        }
    }
}
