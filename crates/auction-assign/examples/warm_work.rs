//! Work and time of solving again after one job has changed, from the old answer and from scratch:
//! `warm_work JOBS [ADMISSIBLE]`, with all resources admissible for every job, or with this number.

#![allow(clippy::disallowed_types)] // it reports how long it takes

use auction_assign::{AssignError, Assigner, AssignmentProblem, Automatic, Costs};
use sched_model::Limit;
use std::time::Instant;

/// Costs row by row: all pairs, or those at `offsets` and `columns`.
struct Table {
    jobs: usize,
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Table {
    fn problem(&self) -> Result<AssignmentProblem<'_>, AssignError> {
        let Self { jobs, offsets, columns, values } = self;
        Ok(AssignmentProblem::new(if columns.is_empty() {
            Costs::dense(*jobs, *jobs, values)?
        } else {
            Costs::sparse(*jobs, *jobs, offsets, columns, values)?
        }))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given = |at: usize| std::env::args().nth(at).map(|given| given.parse::<usize>()).transpose();
    let (n, admissible) = (given(1)?.unwrap_or(1000), given(2)?);
    let mut state = 1u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % 1_000_000) as f64
    };
    let width = admissible.unwrap_or(n).clamp(1, n);
    let mut columns = Vec::new();
    for job in 0..if admissible.is_some() { n } else { 0 } {
        // One resource in each part; in one of the parts, the resource with the job's own number, so that all jobs
        // can be placed.
        columns.extend((0..width).map(|part| {
            let (first, end) = (part * n / width, (part + 1) * n / width);
            if (first..end).contains(&job) {
                job as u32
            } else {
                (first + draw() as usize % (end - first)) as u32
            }
        }));
    }
    let offsets = (0..=n).map(|job| job * width).collect();
    let mut table = Table { jobs: n, offsets, columns, values: (0..n * width).map(|_| draw()).collect() };
    let limit = Limit::none();
    let begun = Instant::now();
    let first = Automatic.solve(&table.problem()?, &mut limit.meter())?;
    let total = first.value.unwrap_or_default();
    println!("from nothing: {} units, {:.3} s; total {total}", first.work, begun.elapsed().as_secs_f64());
    let mut start = first.best.ok_or("not every job can be placed")?;
    for step in 0..5 {
        let job = (step * 7919 + 5) % n;
        table.values[job * width..(job + 1) * width].fill_with(&mut draw);
        let begun = Instant::now();
        let again = Automatic.solve(&table.problem()?.with_start(&start), &mut limit.meter())?;
        println!(
            "job {job} changed: {} units, {:.1}%; {:.3} s; total {}",
            again.work,
            100.0 * again.work as f64 / first.work as f64,
            begun.elapsed().as_secs_f64(),
            again.value.unwrap_or_default()
        );
        start = again.best.ok_or("not every job can be placed")?;
    }
    Ok(())
}
