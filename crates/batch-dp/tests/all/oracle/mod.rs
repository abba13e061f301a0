//! Every choice tried: what the solvers are held against.

// Each test file uses its part of this.
#![allow(dead_code)]

use batch_dp::{
    Alternatives, BatchError, Choice, ChoiceProblem, ChoiceRefusal, Chooser, ChooserKind, Coverage,
    ExpandingCore, Goal,
};
use proptest::prelude::*;
use sched_model::{Limit, Meter, Outcome};

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
        (0..4_001_u32).prop_map(|n| f64::from(n) / 16.0 - 100.0),
    ]
}

pub(crate) type Chosen = Outcome<Choice, ChoiceRefusal>;

/// What a registered algorithm finds within the default limit.
pub(crate) fn solve(kind: ChooserKind, batch: &Alternatives, goal: Goal) -> Chosen {
    kind.build().choose(&ChoiceProblem::new(batch, goal)).unwrap()
}

pub(crate) fn choose(batch: &Alternatives, goal: Goal) -> Result<Chosen, BatchError> {
    ExpandingCore.choose(&ChoiceProblem::new(batch, goal))
}

pub(crate) fn select(
    batch: &Alternatives,
    goal: Goal,
    coverage: &Coverage,
    meter: &mut Meter,
) -> Result<Chosen, BatchError> {
    ExpandingCore.solve(&ChoiceProblem::new(batch, goal).with_coverage(coverage.clone()), meter)
}

/// The user of each job, and the budget of each user.
#[derive(Debug)]
pub(crate) struct Users {
    pub(crate) of_job: Vec<usize>,
    pub(crate) budgets: Vec<f64>,
}

impl Users {
    pub(crate) fn new(of_job: Vec<usize>, budgets: Vec<f64>) -> Self {
        Self { of_job, budgets }
    }

    /// The problem with an account for each user.
    pub(crate) fn pay<'a>(&self, problem: ChoiceProblem<'a>) -> ChoiceProblem<'a> {
        self.budgets.iter().enumerate().fold(problem, |problem, (user, &budget)| {
            let own = self.of_job.iter().enumerate().filter(|(_, of)| **of == user);
            problem.with_account(&own.map(|(job, _)| job).collect::<Vec<_>>(), budget)
        })
    }
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
pub(crate) fn totals(batch: &Alternatives, picks: &[Option<usize>]) -> (f64, f64) {
    assert_eq!(picks.len(), batch.jobs());
    let (cost, time) = picks.iter().enumerate().fold((Exact(0), Exact(0)), |(cost, time), (job, &pick)| {
        let (c, t) = batch.of_job(job).nth(pick.unwrap()).unwrap();
        (cost.plus(c), time.plus(t))
    });
    (cost.rounded(), time.rounded())
}

/// The limit of a goal.
pub(crate) fn limit(goal: &Goal) -> f64 {
    goal.limit().unwrap_or(f64::INFINITY)
}

/// What is minimised, and what is limited.
pub(crate) fn sums(goal: &Goal, (cost, time): (f64, f64)) -> (f64, f64) {
    match goal {
        Goal::MinTime { .. } => (time, cost),
        Goal::MinCost { .. } => (cost, time),
        Goal::MaxIncome { .. } => (-cost, time),
        _ => (-time, cost),
    }
}

/// The least objective within the limit, then the least use of the limit; or, if there is none, the least sum
/// attained.
pub(crate) fn best(batch: &Alternatives, goal: &Goal) -> Result<(f64, f64), f64> {
    let all: Vec<_> = all_totals(batch).into_iter().map(|totals| sums(goal, totals)).collect();
    let within = all.iter().copied().filter(|sums| sums.1 <= limit(goal));
    within
        .min_by(|a, b| a.partial_cmp(b).unwrap())
        .ok_or_else(|| all.iter().map(|s| s.1).fold(f64::INFINITY, f64::min))
}

/// The undominated pairs `(cost, time)` within limits, by rising cost.
pub(crate) fn front(batch: &Alternatives, budget: f64, time_limit: f64) -> Vec<(f64, f64)> {
    let mut all = all_totals(batch);
    all.retain(|&(c, t)| c <= budget && t <= time_limit);
    undominated(all)
}

/// The pairs that no other one is as good as in both numbers, by the first.
pub(crate) fn undominated(mut pairs: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    pairs.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let mut least = f64::INFINITY;
    pairs.retain(|&(_, second)| {
        let is_better = second < least;
        least = least.min(second);
        is_better
    });
    pairs
}

/// The default's choice under a limit.
pub(crate) fn within(
    batch: &Alternatives,
    goal: Goal,
    coverage: &Coverage,
    users: &Users,
    limit: &Limit,
) -> Result<Chosen, BatchError> {
    let problem = ChoiceProblem::new(batch, goal).with_coverage(coverage.clone());
    ExpandingCore.solve(&users.pay(problem), &mut limit.meter())
}

/// All ways to serve some of these jobs.
pub(crate) fn all<T>(jobs: &[Vec<T>]) -> Vec<Vec<Option<&T>>> {
    let mut all = vec![Vec::new()];
    for windows in jobs {
        let ways = || windows.iter().map(Some).chain([None]);
        all = all
            .into_iter()
            .flat_map(|picks: Vec<Option<&T>>| {
                ways().map(move |way| picks.iter().copied().chain([way]).collect())
            })
            .collect();
    }
    all
}
