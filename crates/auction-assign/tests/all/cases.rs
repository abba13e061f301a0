//! Problems of every shape and cost structure, with too many jobs for brute force.

use auction_assign::{AssignmentProblem, Coverage};
use econsched::testkit::zoo::{AssignmentGenerator, CostStructure, zoo};
use econsched::testkit::{AssignCase, Draw, FormCase, Stops, StoredCosts};

/// Whole costs of one of the structures of the zoo.
pub fn structured(which: usize, rows: usize, cols: usize) -> Vec<f64> {
    let structure = CostStructure::ALL[which % CostStructure::ALL.len()];
    AssignmentGenerator::new(rows, cols, structure).generate(&mut Draw::new(0, which)).values
}

/// A problem of all pairs with these costs, infinite for forbidden pairs.
pub fn dense(cols: usize, values: &[f64]) -> AssignCase {
    let cost = |&value: &f64| (value != f64::INFINITY).then_some(value);
    AssignCase {
        rows: values.chunks(cols).map(|row| row.iter().map(cost).collect()).collect(),
        capacities: None,
        sparse: false,
        maximise: false,
        coverage: Coverage::EveryJob,
        form: FormCase::Plain,
        stops: Stops::default(),
    }
}

/// The problem of a case; its data live until the program ends.
pub fn problem(case: &AssignCase) -> AssignmentProblem<'static> {
    let case: &'static AssignCase = Box::leak(Box::new(case.clone()));
    Box::leak(Box::new(StoredCosts::of(case))).problem(case).unwrap()
}

/// The zoo of about this many jobs, with every sense and coverage.
pub fn all(jobs: usize) -> impl Iterator<Item = AssignCase> {
    zoo(jobs).into_iter().enumerate().map(move |(number, generator)| {
        let of = generator.generate(&mut Draw::new(jobs as u64, number));
        let mut case = dense(of.resources, &of.values);
        if of.is_sparse() {
            case.sparse = true;
            case.rows = vec![vec![None; of.resources]; of.jobs];
            for (row, ends) in case.rows.iter_mut().zip(of.offsets.windows(2)) {
                (ends[0]..ends[1]).for_each(|at| row[of.columns[at] as usize] = Some(of.values[at]));
            }
        }
        case.capacities = of.capacities.iter().any(|&places| places != 1).then_some(of.capacities);
        case.maximise = number / 2 % 2 == 1;
        case.coverage = [Coverage::EveryJob, Coverage::MostJobs, Coverage::Penalty(1000.5)][number % 3];
        change(&mut case, (number + jobs) % 7);
        case
    })
}

fn change(case: &mut AssignCase, how: usize) {
    let (count, cols) = (case.rows.len(), case.rows[0].len());
    let mut each =
        |of: &dyn Fn(f64) -> f64| case.rows.iter_mut().flatten().flatten().for_each(|cost| *cost = of(*cost));
    match how {
        // Costs that are no binary fractions; an offset beside which small differences are rounded away.
        0 => each(&|cost| cost / 3.0),
        1 => each(&|cost| cost + 1e9 + 2f64.powi(-20)),
        // Repeated rows or columns of which one is changed a little.
        2 => case.rows[count / 2][0].iter_mut().for_each(|cost| *cost += 1.0),
        // Every other resource closed, or capacities without end.
        3 => case.capacities = Some((0..cols).map(|r| if r % 2 == 0 { 0 } else { 3 }).collect()),
        4 => case.capacities = Some(vec![u32::MAX; cols]),
        // One resource that no job may use, one that a single job may use, and some forbidden pairs.
        5 => (0..count * cols)
            .filter(|k| k % cols == 1 || k % cols == 2 && k / cols > 0 || k * 7919 % 1009 < 20)
            .for_each(|k| case.rows[k / cols][k % cols] = None),
        _ => {}
    }
}
