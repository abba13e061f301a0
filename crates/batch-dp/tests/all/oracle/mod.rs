//! Every choice tried: what the solvers are held against.

// Each test file uses its part of this.
#![allow(dead_code)]

use batch_dp::{Alternatives, BatchDecision, ChooserKind, Problem, Scratch};
use proptest::prelude::*;
use sched_model::Limit;

/// So many cases, or what `BATCH_DP_CASES` says:
/// `BATCH_DP_CASES=250000 cargo test -p batch-dp --test all families every_solver` puts a million problems before
/// every algorithm.
pub(crate) fn cases(usual: u32) -> proptest::test_runner::Config {
    let cases = std::env::var("BATCH_DP_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual);
    proptest::test_runner::Config::with_cases(cases)
}

/// Whole numbers, tenths, and sevenths, which are no doubles.
pub(crate) fn values() -> impl Strategy<Value = f64> {
    prop_oneof![
        (0..9_u32).prop_map(f64::from),
        (0..40_u32).prop_map(|tenths| f64::from(tenths) / 10.0),
        (0..4_000_u32).prop_map(|n| f64::from(n) / 7.0),
    ]
}

/// What a registered algorithm decides within the default limit.
pub(crate) fn solve(
    kind: ChooserKind,
    batch: &Alternatives,
    problem: Problem,
    scratch: &mut Scratch,
) -> BatchDecision {
    kind.build().choose(batch, problem, scratch, &mut Limit::default().meter()).unwrap()
}

/// A sum without rounding: a whole number of 2^-70.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Exact(i128);

const UNIT: f64 = 1.0 / (1_u128 << 70) as f64;

impl Exact {
    pub(crate) fn of(value: f64) -> Self {
        let scaled = value / UNIT;
        assert!(scaled == scaled.trunc() && scaled.abs() < 1e38, "{value}");
        Self(scaled as i128)
    }

    /// To the nearest double, ties to even.
    pub(crate) fn rounded(self) -> f64 {
        self.0 as f64 * UNIT
    }

    pub(crate) fn plus(self, value: f64) -> Self {
        Self(self.0 + Self::of(value).0)
    }

    pub(crate) fn added(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    pub(crate) fn negated(self) -> Self {
        Self(-self.0)
    }
}

/// The two sums `(cost, time)` of every choice, each rounded once.
pub(crate) fn all_totals(batch: &Alternatives) -> Vec<(f64, f64)> {
    let mut totals = vec![(Exact(0), Exact(0))];
    for job in 0..batch.jobs() {
        totals = totals
            .iter()
            .flat_map(|&(c, t)| batch.of_job(job).map(move |(dc, dt)| (c.plus(dc), t.plus(dt))))
            .collect();
    }
    totals.into_iter().map(|(cost, time)| (cost.rounded(), time.rounded())).collect()
}

/// The two sums of one choice.
pub(crate) fn totals(batch: &Alternatives, picks: &[usize]) -> (f64, f64) {
    assert_eq!(picks.len(), batch.jobs());
    let (cost, time) = picks.iter().enumerate().fold((Exact(0), Exact(0)), |(cost, time), (job, &pick)| {
        let (c, t) = batch.of_job(job).nth(pick).unwrap();
        (cost.plus(c), time.plus(t))
    });
    (cost.rounded(), time.rounded())
}

/// The limit of a problem.
pub(crate) fn limit(problem: &Problem) -> f64 {
    match *problem {
        Problem::MinTime { budget } | Problem::MaxTime { budget } => budget,
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
        Problem::MaxTime { .. } => (-time, cost),
        _ => unreachable!(),
    }
}

/// The least objective within the limit, then the least use of the limit; or, if there is none, the least sum
/// attained.
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
