//! Prints the work and time of solving again after one job has changed, from the old answer and from scratch:
//! `warm_work JOBS [ADMISSIBLE]`, where ADMISSIBLE is the number of admissible resources of every job, by default all.

#![allow(clippy::disallowed_types)] // it reports how long it takes

use auction_assign::{Assigner, AssignerKind, AssignmentProblem};
use econsched::testkit::{
    Draw,
    zoo::{AssignmentGenerator, CostStructure},
};
use sched_model::Limit;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given = |at: usize| std::env::args().nth(at).map(|given| given.parse::<usize>()).transpose();
    let (n, admissible) = (given(1)?.unwrap_or(1000), given(2)?);
    let mut generator = AssignmentGenerator::new(n, n, CostStructure::Wide);
    generator.admissible = admissible;
    let mut of = generator.generate(&mut Draw::new(1, 0));
    // Costs for the jobs that change.
    let others = AssignmentGenerator::new(5, n, CostStructure::Wide).generate(&mut Draw::new(2, 0)).values;
    let limit = Limit::none();
    let begun = Instant::now();
    let first = AssignerKind::Automatic.solve(&AssignmentProblem::new(of.costs()?), &mut limit.meter())?;
    let total = first.value.unwrap_or_default();
    println!("from nothing: {} units, {:.3} s; total {total}", first.work, begun.elapsed().as_secs_f64());
    let mut start = first.best.ok_or("not every job can be placed")?;
    for (step, others) in others.chunks(n).enumerate() {
        let job = (step * 7919 + 5) % n;
        let row = if of.is_sparse() { of.offsets[job]..of.offsets[job + 1] } else { job * n..(job + 1) * n };
        of.values[row.clone()].copy_from_slice(&others[..row.len()]);
        let begun = Instant::now();
        let again = AssignerKind::Automatic
            .solve(&AssignmentProblem::new(of.costs()?).with_start(&start), &mut limit.meter())?;
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
