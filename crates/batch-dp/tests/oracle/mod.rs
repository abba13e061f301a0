//! Every choice tried: what the solvers are held against.

use batch_dp::{Alternatives, Problem};

/// The two sums `(cost, time)` of every choice, added from the first job to the last.
pub(crate) fn all_totals(batch: &Alternatives) -> Vec<(f64, f64)> {
    let mut totals = vec![(0.0, 0.0)];
    for job in 0..batch.jobs() {
        totals = totals
            .iter()
            .flat_map(|&(c, t)| batch.of_job(job).map(move |(dc, dt)| (c + dc, t + dt)))
            .collect();
    }
    totals
}

/// The two sums of one choice.
pub(crate) fn totals(batch: &Alternatives, picks: &[usize]) -> (f64, f64) {
    assert_eq!(picks.len(), batch.jobs());
    picks.iter().enumerate().fold((0.0, 0.0), |(cost, time), (job, &pick)| {
        let (c, t) = batch.of_job(job).nth(pick).unwrap();
        (cost + c, time + t)
    })
}

/// The limit of a problem.
pub(crate) fn limit(problem: &Problem) -> f64 {
    match *problem {
        Problem::MinTime { budget } => budget,
        Problem::MinCost { time_limit } | Problem::MaxIncome { time_limit } => time_limit,
        _ => unreachable!(),
    }
}

/// What is minimised, and what is limited.
pub(crate) fn sums(problem: &Problem, (cost, time): (f64, f64)) -> (f64, f64) {
    match problem {
        Problem::MinTime { .. } => (time, cost),
        Problem::MinCost { .. } => (cost, time),
        Problem::MaxIncome { .. } => (-cost, time),
        _ => unreachable!(),
    }
}

/// The least objective within the limit, then the least use of the limit; or, if there is none, the least sum attained.
pub(crate) fn best(batch: &Alternatives, problem: &Problem) -> Result<(f64, f64), f64> {
    let all: Vec<_> = all_totals(batch).into_iter().map(|totals| sums(problem, totals)).collect();
    let within = all.iter().copied().filter(|sums| sums.1 <= limit(problem));
    within
        .min_by(|a, b| a.partial_cmp(b).unwrap())
        .ok_or_else(|| all.iter().map(|s| s.1).fold(f64::INFINITY, f64::min))
}

/// The undominated pairs `(cost, time)` within limits, by rising cost.
pub(crate) fn front(batch: &Alternatives, budget: f64, time_limit: f64) -> Vec<(f64, f64)> {
    let mut all = all_totals(batch);
    all.retain(|&(c, t)| c <= budget && t <= time_limit);
    all.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let mut least = f64::INFINITY;
    all.retain(|&(_, t)| {
        let better = t < least;
        least = least.min(t);
        better
    });
    all
}
