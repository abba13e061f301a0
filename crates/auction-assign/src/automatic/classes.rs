//! Resources that cost every job the same, taken as one resource with the places of all.
//!
//! (Similar objects: D. P. Bertsekas, D. A. Castañón, The auction algorithm for the transportation problem,
//! 1989.) A *class* is a set of equal columns; its first member stands for it. Equal rows are equal columns of
//! the problem [turned](super::turned) round.

use crate::kernel::watch::{Stop, Watch};
use crate::problem::Form;
use crate::{Answer, AssignError, Assignment, AssignmentProblem, Costs, Duals, Remainders, Shortage};

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

/// The answer of `solve` for the problem in which each class is one resource, if they are few enough, in a full
/// matrix with not many more resources than jobs. Its answers on the way are not shown.
pub(super) fn solve(
    problem: &AssignmentProblem<'_>,
    watch: Watch<'_>,
    solve: impl FnOnce(&AssignmentProblem<'_>, Watch<'_>) -> Result<Answer, Stop>,
) -> Result<Option<Answer>, Stop> {
    let Form::Dense(values) = problem.costs().form() else { return Ok(None) };
    let (n, m) = (problem.jobs(), problem.resources());
    if values.len() < LEAST_COSTS || m > 2 * n {
        return Ok(None);
    }
    let Some(classes) = classes(m, n, |r, i| values[i * m + r]) else { return Ok(None) };
    let Some(_room) = watch.room::<f64>(n * classes.first.len(), n) else { return Ok(None) };
    let Some(merged) = merged(values, &classes, watch)? else { return Ok(None) };
    super::look_first(problem, watch)?;
    watch.attempt(|| by_classes(problem, classes, &merged, watch.without_looks(), solve))
}

/// Which class each line belongs to, and the first member of each class.
pub(super) struct Classes {
    pub(super) class_of: Vec<u32>,
    pub(super) first: Vec<usize>,
}

/// Classes by a few entries of each of `count` lines of `length` entries, if there are few; equal lines are
/// in one class, but not all of a class need be equal.
pub(super) fn classes(count: usize, length: usize, at: impl Fn(usize, usize) -> f64) -> Option<Classes> {
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

/// The matrix with one column for each class; `None` if some class has columns that differ.
fn merged(values: &[f64], classes: &Classes, watch: Watch<'_>) -> Result<Option<Vec<f64>>, Stop> {
    let first: Vec<usize> = classes.class_of.iter().map(|&class| classes.first[class as usize]).collect();
    let mut merged = Vec::with_capacity(values.len() / first.len() * classes.first.len());
    for row in values.chunks_exact(first.len()) {
        watch.spend(row.len() as u64)?;
        // NaN equals nothing.
        if !row.iter().zip(&first).fold(true, |all, (value, &first)| all & (*value == row[first])) {
            return Ok(None);
        }
        merged.extend(classes.first.iter().map(|&r| row[r]));
    }
    Ok(Some(merged))
}

/// The answer of the problem in which each class of resources is one, with the costs of one of each.
pub(super) fn by_classes(
    problem: &AssignmentProblem<'_>,
    classes: Classes,
    merged: &[f64],
    watch: Watch<'_>,
    solve: impl FnOnce(&AssignmentProblem<'_>, Watch<'_>) -> Result<Answer, Stop>,
) -> Result<Answer, Stop> {
    let mut members = vec![Vec::new(); classes.first.len()];
    let mut places = vec![0u64; classes.first.len()];
    for (r, &class) in (0..).zip(&classes.class_of) {
        members[class as usize].push(r);
        places[class as usize] += u64::from(problem.capacity(r as usize));
    }
    let capacities: Vec<u32> =
        places.iter().map(|&places| u32::try_from(places).unwrap_or(u32::MAX)).collect();
    let smaller = AssignmentProblem::new(Costs::dense(problem.jobs(), classes.first.len(), merged)?)
        .with_capacities(&capacities)
        .with_sense(problem.sense())
        .with_coverage(problem.coverage());
    match solve(&smaller, watch) {
        Ok(Answer { solution: found, proof }) => {
            let resources = on_members(problem, &members, &found.resources);
            let duals = found.duals.map(|duals| of_members(duals, &classes));
            Ok(Answer { solution: Assignment { resources, duals, ..found }, proof })
        }
        Err(Stop::Infeasible(Shortage { jobs, resources, capacity })) => {
            let resources = resources.iter().flat_map(|&class| &members[class as usize]).copied().collect();
            Err(Stop::Infeasible(Shortage::new(jobs, resources, capacity)))
        }
        Err(Stop::Malformed(AssignError::Cost { job, resource, value })) => {
            Err(AssignError::Cost { job, resource: classes.first[resource], value }.into())
        }
        Err(stop) => Err(stop),
    }
}

/// Jobs on a class take the places of its members in order.
fn on_members(
    problem: &AssignmentProblem<'_>,
    members: &[Vec<u32>],
    class_of: &[Option<u32>],
) -> Vec<Option<u32>> {
    let places = |r: u32| std::iter::repeat_n(r, problem.capacity(r as usize) as usize);
    let mut next: Vec<_> = members.iter().map(|all| all.iter().flat_map(move |&r| places(r))).collect();
    class_of.iter().map(|class| class.and_then(|class| next[class as usize].next())).collect()
}

/// Every member has the price of its class.
fn of_members(duals: Duals, classes: &Classes) -> Duals {
    let class_of = || classes.class_of.iter().map(|&class| class as usize);
    let remainders = duals.remainders.map(|rest| {
        let parts = class_of().flat_map(|class| &rest.prices[class * rest.each..(class + 1) * rest.each]);
        Remainders { prices: parts.copied().collect(), ..rest }
    });
    Duals { prices: class_of().map(|class| duals.prices[class]).collect(), remainders, ..duals }
}
