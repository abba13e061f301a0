//! The conflicts of candidates, as pairs and as cliques.

use super::{ConflictProblem, ResourceUse};
use sched_model::internal::sort;
use sched_model::{End, Meter};
use std::cmp::Ordering;

/// The conflicts of all candidates of a problem.
pub(super) struct Conflicts {
    words: usize,
    /// For each candidate a row of `words` words, with a bit for each candidate of another job that it excludes.
    rows: Vec<u64>,
    /// Cliques of candidates of more than one job, by resource, then by instant.
    pub(super) cliques: Vec<Clique>,
    /// The cliques of all candidates, as runs `first..end`. A use holds its resource without interruption, so it gives
    /// at most one run.
    runs: Vec<(u32, u32)>,
    /// The index of the first run of each candidate, then the number of all runs.
    first_runs: Vec<u32>,
}

/// A clique: the candidates that hold a resource just before an instant.
pub(super) struct Clique {
    pub(super) resource: u32,
    pub(super) instant: f64,
}

impl Conflicts {
    /// Finds the conflicts of all candidates.
    pub(super) fn of(problem: &ConflictProblem, meter: &mut Meter) -> Result<Self, End> {
        let count = problem.candidates.len();
        let words = count.div_ceil(64);
        meter.reserve_items::<u64>(count.saturating_mul(words))?;
        let mut conflicts = Self {
            words,
            rows: vec![0; count * words],
            cliques: Vec::new(),
            runs: Vec::new(),
            first_runs: Vec::with_capacity(count + 1),
        };
        let mut runs: Vec<Vec<(u32, u32)>> = vec![Vec::new(); count];
        let mut job_of = vec![0_u32; count];
        for (job, range) in problem.offsets.windows(2).enumerate() {
            job_of[range[0]..range[1]].fill(job as u32);
        }
        let candidates = (0..).zip(&problem.candidates);
        let mut held: Vec<(ResourceUse, u32)> = candidates
            .flat_map(|(index, candidate)| merged(&candidate.uses).into_iter().map(move |held| (held, index)))
            .collect();
        sort(&mut held, &|a, b| by_start(&a.0, &b.0).then(a.1.cmp(&b.1)));
        for of_resource in held.chunk_by(|a, b| a.0.resource == b.0.resource) {
            conflicts.add_resource(of_resource[0].0.resource, of_resource, &job_of, &mut runs, meter)?;
        }
        for of_candidate in runs {
            conflicts.first_runs.push(conflicts.runs.len() as u32);
            conflicts.runs.extend(of_candidate);
        }
        conflicts.first_runs.push(conflicts.runs.len() as u32);
        Ok(conflicts)
    }

    /// Sweeps over the intervals of a resource. If an interval ends after another one has begun since the last end, the
    /// open intervals form a clique that no other one contains.
    fn add_resource(
        &mut self,
        resource: u32,
        intervals: &[(ResourceUse, u32)],
        job_of: &[u32],
        runs: &mut [Vec<(u32, u32)>],
        meter: &mut Meter,
    ) -> Result<(), End> {
        let mut open: Vec<(f64, u32)> = Vec::new();
        let mut begun = false;
        let mut next = 0;
        while next < intervals.len() || !open.is_empty() {
            let first_end = open.iter().map(|open| open.0).fold(f64::INFINITY, f64::min);
            match intervals.get(next) {
                Some(&(ResourceUse { start, end, .. }, index)) if start < first_end => {
                    meter.spend(1 + open.len() as u64 / 8)?;
                    for &(_, other) in &open {
                        if job_of[other as usize] != job_of[index as usize] {
                            self.exclude(index, other);
                            self.exclude(other, index);
                        }
                    }
                    open.push((end, index));
                    begun = true;
                    next += 1;
                }
                _ => {
                    meter.spend(1 + open.len() as u64 / 8)?;
                    let first_job = open.first().map(|open| job_of[open.1 as usize]);
                    let mixed = open.iter().any(|open| Some(job_of[open.1 as usize]) != first_job);
                    if begun && mixed {
                        let clique = self.cliques.len() as u32;
                        self.cliques.push(Clique { resource, instant: first_end });
                        for &(_, index) in &open {
                            match runs[index as usize].last_mut() {
                                Some(run) if run.1 == clique => run.1 += 1,
                                _ => runs[index as usize].push((clique, clique + 1)),
                            }
                        }
                    }
                    begun = false;
                    open.retain(|open| open.0 > first_end);
                }
            }
        }
        Ok(())
    }

    /// Marks `other` as excluded by `of`.
    fn exclude(&mut self, of: u32, other: u32) {
        self.rows[of as usize * self.words + other as usize / 64] |= 1 << (other % 64);
    }

    /// The cliques of a candidate, as runs `first..end`.
    pub(super) fn runs(&self, candidate: u32) -> &[(u32, u32)] {
        let at = candidate as usize;
        &self.runs[self.first_runs[at] as usize..self.first_runs[at + 1] as usize]
    }

    /// The candidates that `candidate` excludes, as bits.
    pub(super) fn row(&self, candidate: u32) -> &[u64] {
        &self.rows[candidate as usize * self.words..][..self.words]
    }
}

/// Compares uses by resource, then by start.
fn by_start(a: &ResourceUse, b: &ResourceUse) -> Ordering {
    a.resource.cmp(&b.resource).then(a.start.total_cmp(&b.start))
}

/// The uses of a candidate without empty ones; overlapping uses are merged, so that a candidate is at most once in a
/// clique.
fn merged(uses: &[ResourceUse]) -> Vec<ResourceUse> {
    let mut sorted: Vec<ResourceUse> = uses.iter().copied().filter(|held| held.start < held.end).collect();
    sort(&mut sorted, &by_start);
    let mut merged: Vec<ResourceUse> = Vec::with_capacity(sorted.len());
    for held in sorted {
        match merged.last_mut() {
            Some(last) if last.resource == held.resource && held.start < last.end => {
                last.end = last.end.max(held.end);
            }
            _ => merged.push(held),
        }
    }
    merged
}
