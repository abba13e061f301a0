//! Work of solving again after one job changed, beside that of solving from nothing: `warm_work JOBS`.

use auction_assign::{Changes, Costs, Problem, Warm};
use sched_model::Limit;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(1000), |jobs| jobs.parse())?;
    let mut state = 1u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % 1_000_000) as f64
    };
    let mut values: Vec<f64> = (0..n * n).map(|_| draw()).collect();
    let limit = Limit::without_limit();
    let mut warm = Warm::default();
    let first =
        warm.solve(&Problem::new(Costs::dense(n, n, &values)?), Changes::default(), &mut limit.meter())?;
    println!("from nothing: {} units", first.outcome.work);
    for step in 0..5 {
        let job = (step * 7919 + 5) % n;
        values[job * n..(job + 1) * n].fill_with(&mut draw);
        let problem = Problem::new(Costs::dense(n, n, &values)?);
        let again = warm.solve(&problem, Changes::of_jobs(&[job as u32]), &mut limit.meter())?.outcome;
        let share = 100.0 * again.work as f64 / first.outcome.work as f64;
        println!(
            "job {job} changed: {} units, {share:.3}%; total {}",
            again.work,
            again.value.unwrap_or_default()
        );
    }
    Ok(())
}
