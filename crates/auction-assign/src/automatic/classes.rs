//! Resources that cost every job the same, taken as one resource with the places of all; jobs that cost the
//! same everywhere, likewise.
//!
//! (Similar objects and similar persons: D. P. Bertsekas, D. A. Castañón, The auction algorithm for the
//! transportation problem, 1989.) A *class* is a set of equal columns, or of equal rows; its first member
//! stands for it. For classes of jobs the problem is transposed: resources, of one place each, choose among
//! the classes of jobs.

use crate::automatic::turned;
use crate::kernel::stop::Stop;
use crate::kernel::watch::{Attempt, Overseer, Standing, Watch};
use crate::problem::Form;
use crate::{
    Answer, AssignError, Assignment, AssignmentProblem, Costs, Coverage, Duals, Remainders, Shortage,
};
use sched_model::End;

/// Members that a class must have in the mean for the smaller problem to be worth the pass that makes it.
const LEAST_MEMBERS: usize = 4;

/// Columns or rows looked at first, at how many of their entries, and at how many more where these are equal.
const SAMPLE: usize = 128;
const ENTRIES: usize = 4;
const MORE_ENTRIES: usize = 32;

/// One in so many of the sample must look like another. (Where a sample is drawn from twice as many kinds, less
/// than a quarter of it does.)
const ALIKE_SHARE: usize = 5;

/// Pairs of lines that look alike, whose entries are all looked at.
const WHOLE_PAIRS: usize = 2;

/// Problems of fewer costs are solved as they are.
const LEAST_COSTS: usize = 1 << 12;

/// What solves the smaller problem; it does not look for classes again.
type Inner = fn(&AssignmentProblem<'_>, Watch<'_>) -> Result<Answer, Stop>;

/// The answer by classes, if they are few enough, in a full matrix with not many more resources than jobs.
pub(crate) fn solve(
    problem: &AssignmentProblem<'_>,
    watch: Watch<'_>,
    solve: Inner,
) -> Result<Option<Answer>, Stop> {
    let Form::Dense(values) = problem.costs().form() else { return Ok(None) };
    let (n, m) = (problem.jobs(), problem.resources());
    if values.len() < LEAST_COSTS || m > 2 * n {
        return Ok(None);
    }
    let matrix = Matrix { values, cols: m };
    if let Some(classes) = classes(m, n, |r, i| matrix.at(i, r))
        && let Some(_room) = watch.room::<f64>(n * classes.first.len(), n)
        && let Some(smaller) = matrix.merge_columns(&classes, watch)?
    {
        let attempt = Attempt::new(watch);
        let answer = by_classes_of_resources(problem, &classes, &smaller, attempt.watch(), solve);
        if let Some(answer) = attempt.result(answer)? {
            return Ok(Some(answer));
        }
    }
    let turns = n == m && problem.is_one_to_one() && !matches!(problem.coverage(), Coverage::Penalty(_));
    if turns
        && let Some(classes) = classes(n, m, |i, r| matrix.at(i, r))
        && let Some(_room) = watch.room::<f64>(n * classes.first.len(), n)
        && matrix.has_equal_rows(&classes, watch)?
    {
        let attempt = Attempt::new(watch);
        let answer = by_classes_of_jobs(problem, &matrix, &classes, attempt.watch(), solve);
        return Ok(attempt.result(answer)?.flatten());
    }
    Ok(None)
}

/// Which class each column or row belongs to, and the first member of each class.
struct Classes {
    class_of: Vec<u32>,
    first: Vec<usize>,
}

impl Classes {
    fn members(&self) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); self.first.len()];
        for (at, &class) in self.class_of.iter().enumerate() {
            members[class as usize].push(at as u32);
        }
        members
    }
}

/// Classes by a few entries of each of `count` lines of `length` entries, if there are few; equal lines are
/// in one class, but not all of a class need be equal.
fn classes(count: usize, length: usize, at: impl Fn(usize, usize) -> f64) -> Option<Classes> {
    let key = |line: usize| -> [u64; ENTRIES] {
        std::array::from_fn(|k| (at(line, (2 * k + 1) * length / (2 * ENTRIES)) + 0.0).to_bits())
    };
    let lines = (0..count.min(SAMPLE)).map(|k| k * count / count.min(SAMPLE));
    let mut sample: Vec<_> = lines.map(|line| (key(line), line)).collect();
    sample.sort_unstable();
    let mut alike = 0;
    for pair in sample.windows(2) {
        let (a, b) = (pair[0].1, pair[1].1);
        let mut entries = (0..MORE_ENTRIES).map(|k| k * length / MORE_ENTRIES);
        if pair[0].0 != pair[1].0 || entries.any(|entry| at(a, entry) != at(b, entry)) {
            continue;
        }
        // Where rare values differ, lines may agree in the sample that are not equal.
        if alike < WHOLE_PAIRS && (0..length).any(|entry| at(a, entry) != at(b, entry)) {
            return None;
        }
        alike += 1;
    }
    if ALIKE_SHARE * alike < sample.len() {
        return None;
    }
    let mut lines: Vec<(_, usize)> = (0..count).map(|line| (key(line), line)).collect();
    lines.sort_unstable();
    let mut classes = Classes { class_of: vec![0; count], first: Vec::new() };
    for (k, (key, line)) in lines.iter().enumerate() {
        if k == 0 || lines[k - 1].0 != *key {
            classes.first.push(*line);
        }
        classes.class_of[*line] = classes.first.len() as u32 - 1;
    }
    (classes.first.len() * LEAST_MEMBERS <= count).then_some(classes)
}

/// A full matrix, row by row.
struct Matrix<'a> {
    values: &'a [f64],
    cols: usize,
}

impl Matrix<'_> {
    fn at(&self, i: usize, r: usize) -> f64 {
        self.values[i * self.cols + r]
    }

    /// The matrix with one column for each class; `None` if some class has columns that differ.
    fn merge_columns(&self, classes: &Classes, watch: Watch<'_>) -> Result<Option<Vec<f64>>, End> {
        let first: Vec<usize> = classes.class_of.iter().map(|&class| classes.first[class as usize]).collect();
        let mut merged = Vec::with_capacity(self.values.len() / self.cols * classes.first.len());
        for row in self.values.chunks_exact(self.cols) {
            watch.spend(row.len() as u64)?;
            // NaN equals nothing.
            if !row.iter().zip(&first).fold(true, |all, (value, &first)| all & (*value == row[first])) {
                return Ok(None);
            }
            merged.extend(classes.first.iter().map(|&r| row[r]));
        }
        Ok(Some(merged))
    }

    fn has_equal_rows(&self, classes: &Classes, watch: Watch<'_>) -> Result<bool, End> {
        let row = |i: usize| &self.values[i * self.cols..(i + 1) * self.cols];
        for (i, &class) in classes.class_of.iter().enumerate() {
            watch.spend(self.cols as u64)?;
            let pairs = row(i).iter().zip(row(classes.first[class as usize]));
            if !pairs.fold(true, |all, (a, b)| all & (a == b)) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The answer of the problem in which each class of resources is one.
fn by_classes_of_resources(
    problem: &AssignmentProblem<'_>,
    classes: &Classes,
    merged: &[f64],
    watch: Watch<'_>,
    solve: Inner,
) -> Result<Answer, Stop> {
    let mut places = vec![0u64; classes.first.len()];
    for (r, &class) in classes.class_of.iter().enumerate() {
        places[class as usize] += u64::from(problem.capacity(r));
    }
    let capacities: Vec<u32> =
        places.iter().map(|&places| u32::try_from(places).unwrap_or(u32::MAX)).collect();
    let smaller = AssignmentProblem::new(Costs::dense(problem.jobs(), classes.first.len(), merged)?)
        .with_capacities(&capacities)
        .with_sense(problem.sense())
        .with_coverage(problem.coverage());
    let members = Members { problem, classes, members: classes.members(), outer: watch };
    let inner = watch.through(&members);
    match solve(&smaller, inner) {
        Ok(proven) => Ok(proven.map(|assignment| members.expand(assignment))),
        Err(Stop::Infeasible(shortage)) => Err(Stop::Infeasible(members.expand_shortage(&shortage))),
        Err(Stop::Malformed(AssignError::Cost { job, resource, value })) => {
            Err(AssignError::Cost { job, resource: classes.first[resource], value }.into())
        }
        Err(stop) => Err(stop),
    }
}

/// Classes of resources with their members, and the outer overseer.
struct Members<'a> {
    problem: &'a AssignmentProblem<'a>,
    classes: &'a Classes,
    members: Vec<Vec<u32>>,
    outer: Watch<'a>,
}

impl Members<'_> {
    /// Jobs on a class take the places of its members in order.
    fn expand(&self, merged: Assignment) -> Assignment {
        let mut at = vec![(0usize, 0u32); self.members.len()];
        let place = |class: u32| {
            let (member, taken) = &mut at[class as usize];
            let members = &self.members[class as usize];
            while *taken == self.problem.capacity(members[*member] as usize) {
                *member += 1;
                *taken = 0;
            }
            *taken += 1;
            members[*member]
        };
        let mut place = place;
        Assignment {
            resources: merged.resources.iter().map(|r| r.map(&mut place)).collect(),
            total: merged.total,
            duals: merged.duals.map(|duals| self.expand_duals(duals)),
        }
    }

    fn expand_duals(&self, duals: Duals) -> Duals {
        let class_of = || self.classes.class_of.iter().map(|&class| class as usize);
        Duals {
            prices: class_of().map(|class| duals.prices[class]).collect(),
            remainders: duals.remainders.map(|rest| Remainders {
                prices: class_of()
                    .flat_map(|class| &rest.prices[class * rest.each..(class + 1) * rest.each])
                    .copied()
                    .collect(),
                ..rest
            }),
            ..duals
        }
    }

    fn expand_shortage(&self, shortage: &Shortage) -> Shortage {
        let classes = shortage.resources.iter().flat_map(|&class| &self.members[class as usize]);
        let mut resources: Vec<u32> = classes.copied().collect();
        resources.sort_unstable();
        let capacity = resources.iter().map(|&r| u64::from(self.problem.capacity(r as usize))).sum();
        Shortage { jobs: shortage.jobs.clone(), resources, capacity }
    }
}

impl Overseer for Members<'_> {
    fn outer(&self) -> Watch<'_> {
        self.outer
    }

    fn record(&self, standing: Standing) -> Result<(), End> {
        self.outer.record(Standing {
            assignment: standing.assignment.map(|assignment| self.expand(assignment)),
            duals: self.expand_duals(standing.duals),
            bound: standing.bound,
        })
    }
}

/// The answer of the transposed problem: each resource takes a job of some class. `None` where that has no
/// assignment.
fn by_classes_of_jobs(
    problem: &AssignmentProblem<'_>,
    matrix: &Matrix<'_>,
    classes: &Classes,
    watch: Watch<'_>,
    solve: Inner,
) -> Result<Option<Answer>, Stop> {
    let n = problem.jobs();
    let members = classes.members();
    let capacities: Vec<u32> = members.iter().map(|members| members.len() as u32).collect();
    let turned: Vec<f64> = (0..n).flat_map(|r| classes.first.iter().map(move |&i| matrix.at(i, r))).collect();
    let smaller = AssignmentProblem::new(Costs::dense(n, classes.first.len(), &turned)?)
        .with_capacities(&capacities)
        .with_sense(problem.sense());
    let mut next: Vec<_> = members.iter().map(|members| members.iter()).collect();
    let job_of = |class: u32| next[class as usize].next().copied();
    turned::assign(problem, &smaller, job_of, watch, |smaller, watch| solve(smaller, watch).map(Some))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sample of 128 of a thousand lines has members of most of a hundred kinds, and few pairs.
    #[test]
    fn a_hundred_kinds_of_a_thousand_lines_are_found() {
        let of_kinds = |kinds: usize| {
            let at = |line: usize, entry: usize| (((line * 7919) % 1009 % kinds) * 31 + entry) as f64;
            classes(1000, 1000, at).map(|found| found.first.len())
        };
        assert_eq!((of_kinds(1), of_kinds(10), of_kinds(100)), (Some(1), Some(10), Some(100)));
        assert_eq!((of_kinds(500), of_kinds(1009)), (None, None));
    }
}
