//! Problems that are reshaped before they are solved: equal columns are merged, matrices transposed.
//!
//! Resources that cost every job the same are treated as one resource with the places of all. (Similar objects: D.
//! P. Bertsekas, D. A. Castañón, The auction algorithm for the transportation problem, 1989.) A *class* is a set
//! of equal columns; its first member represents it. Equal rows are equal columns of the transposed problem.
//!
//! In the transposed problem, resources choose jobs. If there are more jobs than resources, the transposed matrix has
//! few and long rows, each of which takes one of many columns; reading whole rows once or twice usually places them
//! all.

use crate::automatic::{by_shape, look_first};
use crate::costs::Form;
use crate::finish::finish;
use crate::kernel::prepared::{Prepared, PricedAssignment};
use crate::kernel::watch::{Stop, Watch};
use crate::{
    Answer, AssignError, Assignment, AssignmentProblem, Costs, Coverage, Duals, Remainders, Shortage,
};

/// The minimum average number of members per class at which the smaller problem is worth the pass that makes it.
const MIN_MEMBERS: usize = 4;

/// The number of lines (columns or rows) that are sampled first, of entries that are compared in each, and of further
/// entries that are compared if these are equal.
const SAMPLE: usize = 128;
const ENTRIES: usize = 4;
const MORE_ENTRIES: usize = 32;

/// At least one line in this many of the sample must look like another. (If a sample is drawn from twice as many kinds
/// as it has lines, fewer than a quarter of its lines look alike.)
const ALIKE_SHARE: usize = 5;

/// The number of pairs of lines that look alike of which all entries are compared.
const WHOLE_PAIRS: usize = 2;

/// Solves, by `solve`, the problem in which each class of columns is one resource. `None` unless the problem has a full
/// matrix with few classes, and at most twice as many resources as jobs. No looks are taken but the first.
pub(super) fn with_equal_columns(
    problem: &AssignmentProblem<'_>,
    watch: Watch<'_>,
    solve: impl FnOnce(&AssignmentProblem<'_>, Watch<'_>) -> Result<Answer, Stop>,
) -> Result<Option<Answer>, Stop> {
    let Form::Dense(values) = problem.costs.form() else { return Ok(None) };
    let (n, m) = (problem.jobs(), problem.resources());
    if values.len() < MIN_COSTS || m > 2 * n {
        return Ok(None);
    }
    let Some(classes) = classes(m, n, |r, i| values[i * m + r]) else { return Ok(None) };
    let Some(_reserved) = watch.reserve_optional::<f64>(n * classes.first.len(), n) else { return Ok(None) };
    let Some(merged) = merged(values, &classes, watch)? else { return Ok(None) };
    super::look_first(problem, watch)?;
    watch.attempt(|| by_classes(problem, classes, &merged, watch.without_looks(), solve))
}

/// A partition of lines into classes: the class of each line, and the first member of each class.
struct Classes {
    class_of: Vec<u32>,
    first: Vec<usize>,
}

/// Groups `count` lines of `length` entries into classes by a few entries of each; `None` if there are too many
/// classes. Equal lines are in one class, but the lines of a class need not be equal.
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
        // Lines that agree in the sampled entries may still differ in rare values.
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
    (classes.first.len() * MIN_MEMBERS <= count).then_some(classes)
}

/// Returns the matrix with one column per class; `None` if the columns of some class differ.
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

/// Solves, by `solve`, the problem in which each class of resources is one resource, with the costs `merged`, and
/// converts the answer.
fn by_classes(
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
        .with_sense(problem.sense)
        .with_coverage(problem.coverage);
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

/// Returns the resource of each job, given its class: the jobs of a class take the places of its members in order.
fn on_members(
    problem: &AssignmentProblem<'_>,
    members: &[Vec<u32>],
    class_of: &[Option<u32>],
) -> Vec<Option<u32>> {
    let places = |r: u32| std::iter::repeat_n(r, problem.capacity(r as usize) as usize);
    let mut next: Vec<_> = members.iter().map(|all| all.iter().flat_map(move |&r| places(r))).collect();
    class_of.iter().map(|class| class.and_then(|class| next[class as usize].next())).collect()
}

/// Converts duals of classes to duals of their members, each of which has the price of its class.
fn of_members(duals: Duals, classes: &Classes) -> Duals {
    let class_of = || classes.class_of.iter().map(|&class| class as usize);
    let remainders = duals.remainders.map(|rest| {
        let parts = class_of().flat_map(|class| &rest.prices[class * rest.each..(class + 1) * rest.each]);
        Remainders { prices: parts.copied().collect(), ..rest }
    });
    Duals { prices: class_of().map(|class| duals.prices[class]).collect(), remainders, ..duals }
}

/// The minimum number of costs of a reshaped problem, because smaller ones are fast anyway, and the maximum number of
/// costs of a transposed problem, because of its memory.
const MIN_COSTS: usize = 1 << 12;
const MAX_COSTS: usize = 1 << 26;

/// Solves a problem by its transposed one, if it has full costs and one place per resource, and if jobs outnumber
/// resources and as many as possible are to be placed, or if jobs and resources are equal in number and many rows are
/// equal. `None` for other problems, and if some resource takes no job.
pub(super) fn by_transposing(
    problem: &AssignmentProblem<'_>,
    watch: Watch<'_>,
) -> Result<Option<Answer>, Stop> {
    match solve_transposed(problem, watch)? {
        Some(answer) => transposed_back(problem, &answer.solution, watch),
        None => Ok(None),
    }
}

/// Solves the transposed problem, in which resources and jobs have changed places.
fn solve_transposed(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Option<Answer>, Stop> {
    let Form::Dense(values) = problem.costs.form() else { return Ok(None) };
    let (n, m) = (problem.jobs(), problem.resources());
    if !problem.is_one_to_one() || !(MIN_COSTS..=MAX_COSTS).contains(&values.len()) {
        return Ok(None);
    }
    let inner = watch.without_looks();
    let found = match problem.coverage {
        Coverage::MostJobs if n > m => {
            let Some(_reserved) = watch.reserve_optional::<f64>(values.len(), m) else { return Ok(None) };
            look_first(problem, watch)?;
            let turned = transposed(values, m, watch)?;
            let turned = AssignmentProblem::new(Costs::dense(m, n, &turned)?).with_sense(problem.sense);
            watch.attempt(|| by_shape(&turned, inner))
        }
        Coverage::EveryJob | Coverage::MostJobs if n == m => {
            let Some(rows) = classes(n, m, |i, r| values[i * m + r]) else { return Ok(None) };
            let Some(_reserved) = watch.reserve_optional::<f64>(m * rows.first.len(), n) else {
                return Ok(None);
            };
            let row = |i: usize| &values[i * m..(i + 1) * m];
            for (i, &class) in rows.class_of.iter().enumerate() {
                watch.spend(m as u64)?;
                let pairs = row(i).iter().zip(row(rows.first[class as usize]));
                if !pairs.fold(true, |all, (a, b)| all & (a == b)) {
                    return Ok(None);
                }
            }
            look_first(problem, watch)?;
            watch.spend((m * rows.first.len()) as u64)?;
            let merged: Vec<f64> =
                (0..m).flat_map(|r| rows.first.iter().map(move |&i| values[i * m + r])).collect();
            let cost = |r: usize, i: usize| values[i * m + r];
            let turned = AssignmentProblem::new(Costs::function(m, n, &cost)?).with_sense(problem.sense);
            watch.attempt(|| by_classes(&turned, rows, &merged, inner, by_shape))
        }
        _ => return Ok(None),
    };
    match found {
        Err(Stop::Infeasible(_) | Stop::Malformed(_)) => Ok(None),
        found => found,
    }
}

/// Converts the assignment of the transposed problem to the answer of the problem.
fn transposed_back(
    problem: &AssignmentProblem<'_>,
    assignment: &Assignment,
    watch: Watch<'_>,
) -> Result<Option<Answer>, Stop> {
    let Some(duals) = &assignment.duals else { return Ok(None) };
    let (n, m) = (problem.jobs(), problem.resources());
    let prepared = Prepared::without_columns(problem, watch)?;
    // Jobs that no resource takes are on the dummy.
    let mut priced = PricedAssignment {
        resource_of: vec![m as u32; n],
        cost_of: vec![0.0; n],
        // The profit of a resource in the transposed problem is its price here. A job that no resource takes has the
        // price 0 in the transposed problem, and pays 0 here.
        prices: duals.profits.clone(),
        min_raise: f64::INFINITY,
    };
    for (r, job) in (0..).zip(&assignment.resources) {
        let Some(job) = job.map(|job| job as usize) else { return Ok(None) };
        (priced.resource_of[job], priced.cost_of[job]) = (r, prepared.source.cost(job, r as usize));
    }
    priced.prices.resize(prepared.capacities.len(), 0.0);
    if duals.remainders.is_some() || !prepared.on_grid(&priced.prices) {
        // Sums were not exact in the transposed problem, and need not be exact here.
        priced.min_raise = 0.0;
    }
    finish(&prepared, priced, None).map(Some)
}

/// Transposes a matrix, a few rows at a time to keep reads and writes local.
fn transposed(values: &[f64], cols: usize, watch: Watch<'_>) -> Result<Vec<f64>, Stop> {
    const ROWS: usize = 8;
    let rows = values.len() / cols;
    let mut turned = vec![0.0; values.len()];
    for (first, block) in (0..).step_by(ROWS).zip(values.chunks(ROWS * cols)) {
        watch.spend(block.len() as u64)?;
        for r in 0..cols {
            let column = block[r..].iter().step_by(cols);
            turned[r * rows + first..].iter_mut().zip(column).for_each(|(to, &value)| *to = value);
        }
    }
    Ok(turned)
}
