//! Choosers, compared with every choice.

use super::former::{Draw, Numbers};
use super::{Broken, Cases, Passed, guarded, run_cases};
use batch_dp::{Alternatives, BatchDecision, BatchError, Choice, Chooser, Problem, Scratch};
use sched_model::{End, Limit, Outcome, Proof, Sense, exact_sum};

/// A choice to be made: one alternative of each job.
#[derive(Debug, Clone, PartialEq)]
pub struct ChoiceCase {
    /// The alternatives of each job, `(cost, time)`.
    pub jobs: Vec<Vec<(f64, f64)>>,
    /// The criterion that is optimised, and the limit.
    pub problem: Problem,
}

impl ChoiceCase {
    /// A random case: up to five jobs of up to four alternatives; limits that some choice just meets, or
    /// misses by the last bit, or infinite ones; sometimes a job without an alternative.
    pub(super) fn draw(draw: &mut Draw) -> Self {
        let numbers = draw.numbers();
        let empty = draw.chance(5);
        let jobs: Vec<Vec<(f64, f64)>> = (0..draw.below(6))
            .map(|_| {
                let count = if empty { draw.below(2) } else { draw.between(1, 4) };
                let amount = |draw: &mut Draw| if draw.chance(5) { 0.0 } else { draw.amount(numbers, 20) };
                (0..count).map(|_| (amount(draw), amount(draw))).collect()
            })
            .collect();
        let by_cost = draw.chance(50);
        let picked = jobs.iter().filter_map(|job| draw.pick(job).copied());
        let some = exact_sum(picked.map(|(cost, time)| if by_cost { cost } else { time }));
        let limit = match draw.below(6) {
            0 => f64::INFINITY,
            1 => some.next_down(),
            2 => draw.amount(Numbers::Whole, 100),
            _ => some,
        };
        let problem = match (by_cost, draw.chance(50)) {
            (true, true) => Problem::MinTime { budget: limit },
            (true, false) => Problem::MaxTime { budget: limit },
            (false, true) => Problem::MinCost { time_limit: limit },
            (false, false) => Problem::MaxIncome { time_limit: limit },
        };
        Self { jobs, problem }
    }
}

/// What is wrong with a chooser.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceFault {
    /// It panicked, with this message.
    #[error("panics: {0}")]
    Panic(String),
    /// It has no name.
    #[error("has no name")]
    NoName,
    /// It gave an error on well-formed input.
    #[error("gives an error on well-formed input: {0}")]
    Error(BatchError),
    /// It did not choose one alternative of each job.
    #[error("chooses {0:?}, which is not one alternative of each job")]
    Picks(Vec<usize>),
    /// The sums that it states are not those of the alternatives.
    #[error("states cost and time {stated:?}, they are {expected:?}")]
    Sums {
        /// Stated.
        stated: (f64, f64),
        /// The exact sums, rounded once.
        expected: (f64, f64),
    },
    /// Its choice breaks the limit.
    #[error("uses {used} of a limit of {limit}")]
    OverLimit {
        /// The sum that it uses.
        used: f64,
        /// The limit.
        limit: f64,
    },
    /// The value that it states is not that of its choice.
    #[error("states the value {stated:?} of a choice of value {value}")]
    Value {
        /// Stated.
        stated: Option<f64>,
        /// The value.
        value: f64,
    },
    /// It claims more than is true: a better choice exists.
    #[error("claims {proof} for the value {value}, and {best} is possible")]
    NotBest {
        /// What it claims.
        proof: Proof,
        /// The value of its choice.
        value: f64,
        /// The best value.
        best: f64,
    },
    /// A choice is better than its bound.
    #[error("claims the bound {bound}, and {best} is possible")]
    Bound {
        /// The bound.
        bound: f64,
        /// The best value.
        best: f64,
    },
    /// It says that there is no choice where there is one, or gives a wrong reason.
    #[error("decides {0:?}, which is wrong")]
    Decision(Box<BatchDecision>),
    /// It says that it has ended, and gives neither a choice nor a reason.
    #[error("is done without a choice and without a reason")]
    NoAnswer,
    /// A second call, or one with used buffers, had another result.
    #[error("the same call decides {first:?}, then {second:?}")]
    Unsteady {
        /// The first decision.
        first: Box<BatchDecision>,
        /// The second.
        second: Box<BatchDecision>,
    },
    /// It has not released the memory that it reserved at the meter.
    #[error("keeps {0} bytes of the meter")]
    Memory(u64),
}

/// Checks a [`Chooser`]: that it chooses one alternative of each job, states their exact sums, keeps the
/// limit, and claims no more than is true; that its reason is right where there is no choice; that reused
/// buffers change nothing; that it gives memory back to the meter; and that all this holds where work is
/// limited.
///
/// A heuristic passes too if it claims nothing ([`Outcome::heuristic`]), or if its bound holds.
///
/// ```
/// use econsched::batch_dp::ExpandingCore;
/// use econsched::testkit::{Cases, ChooserCheck};
/// assert_eq!(ChooserCheck::new(&ExpandingCore).run(&Cases::new(100))?.cases, 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct ChooserCheck<'a> {
    chooser: &'a dyn Chooser,
}

impl<'a> ChooserCheck<'a> {
    /// The check that every chooser must pass.
    pub fn new(chooser: &'a dyn Chooser) -> Self {
        Self { chooser }
    }

    /// Runs all cases, up to the first fault.
    ///
    /// # Errors
    /// The first fault, with its case.
    pub fn run(&self, cases: &Cases) -> Result<Passed, Box<Broken<ChoiceCase, ChoiceFault>>> {
        run_cases(cases, ChoiceCase::draw, |case| self.check(case).map(|()| true))
    }

    /// Checks one case, of few jobs: every choice is tried.
    ///
    /// # Errors
    /// The first fault; [`ChoiceFault::Error`] also for a case that is malformed.
    pub fn check(&self, case: &ChoiceCase) -> Result<(), ChoiceFault> {
        guarded(|| self.answers(case)).map_err(ChoiceFault::Panic)?
    }

    fn answers(&self, case: &ChoiceCase) -> Result<(), ChoiceFault> {
        if self.chooser.name().is_empty() {
            return Err(ChoiceFault::NoName);
        }
        let batch = Alternatives::new(&case.jobs).map_err(ChoiceFault::Error)?;
        let truth = Truth::of(case);
        let mut scratch = Scratch::default();
        let mut decide = |limit: &Limit| {
            let mut meter = limit.meter();
            let before = meter.memory();
            let decision = self.chooser.choose(&batch, case.problem, &mut scratch, &mut meter);
            let kept = meter.memory().saturating_sub(before);
            let decision = decision.map_err(ChoiceFault::Error)?;
            truth.judge(case, &decision)?;
            if kept > 0 { Err(ChoiceFault::Memory(kept)) } else { Ok(decision) }
        };
        let first = decide(&Limit::default())?;
        for work in [0, 1, 20] {
            decide(&Limit::default().with_work(work))?;
        }
        let second = decide(&Limit::default())?;
        let done = |decision: &BatchDecision| !matches!(decision, BatchDecision::Chosen(outcome) if outcome.end != End::Done);
        // After a limit the results may differ, and every algorithm may count work in its own way.
        let same = match (&first, &second) {
            (BatchDecision::Chosen(a), BatchDecision::Chosen(b)) => {
                (&a.incumbent, a.value) == (&b.incumbent, b.value)
            }
            (a, b) => a == b,
        };
        if !same && done(&first) {
            return Err(ChoiceFault::Unsteady { first: first.into(), second: second.into() });
        }
        Ok(())
    }
}

/// The result of trying every choice.
struct Truth {
    /// Jobs without an alternative.
    without: Vec<usize>,
    /// The best value of the choices that fit.
    best: Option<f64>,
    /// The least use of the limited quantity by any choice.
    least: f64,
    limit: f64,
}

impl Truth {
    fn of(case: &ChoiceCase) -> Self {
        let without = (0..case.jobs.len()).filter(|&job| case.jobs[job].is_empty()).collect();
        let limit = match case.problem {
            Problem::MinTime { budget } | Problem::MaxTime { budget } => budget,
            Problem::MinCost { time_limit } | Problem::MaxIncome { time_limit } => time_limit,
            _ => f64::INFINITY,
        };
        let mut truth = Self { without, best: None, least: f64::INFINITY, limit };
        if !truth.without.is_empty() {
            return truth;
        }
        let better = |a: f64, b: f64| case.problem.sense().is_better(a, b);
        let mut picks = vec![0; case.jobs.len()];
        loop {
            let (value, used) = sums(case, &picks);
            truth.least = truth.least.min(used);
            if used <= limit && truth.best.is_none_or(|best| better(value, best)) {
                truth.best = Some(value);
            }
            // The next choice, counted like an odometer.
            let Some(turn) = (0..picks.len()).find(|&job| picks[job] + 1 < case.jobs[job].len()) else {
                break;
            };
            picks[turn] += 1;
            picks[..turn].fill(0);
        }
        truth
    }

    fn judge(&self, case: &ChoiceCase, decision: &BatchDecision) -> Result<(), ChoiceFault> {
        let right = match decision {
            BatchDecision::Chosen(outcome) if self.without.is_empty() => {
                return self.judge_outcome(case, outcome);
            }
            BatchDecision::NoAlternative { jobs } => *jobs == self.without && !jobs.is_empty(),
            BatchDecision::OutOfReach { least, limit } => {
                self.without.is_empty() && self.best.is_none() && (*least, *limit) == (self.least, self.limit)
            }
            _ => false,
        };
        if right { Ok(()) } else { Err(ChoiceFault::Decision(Box::new(decision.clone()))) }
    }

    fn judge_outcome(&self, case: &ChoiceCase, outcome: &Outcome<Choice>) -> Result<(), ChoiceFault> {
        let best = self.best;
        if let Some(choice) = &outcome.incumbent {
            let fits = |(job, &pick): (usize, &usize)| case.jobs.get(job).is_some_and(|job| pick < job.len());
            if choice.picks.len() != case.jobs.len() || !choice.picks.iter().enumerate().all(fits) {
                return Err(ChoiceFault::Picks(choice.picks.clone()));
            }
            let picked = || case.jobs.iter().zip(&choice.picks).map(|(job, &pick)| job[pick]);
            let expected = (exact_sum(picked().map(|pair| pair.0)), exact_sum(picked().map(|pair| pair.1)));
            if (choice.cost, choice.time) != expected {
                return Err(ChoiceFault::Sums { stated: (choice.cost, choice.time), expected });
            }
            let (value, used) = sums(case, &choice.picks);
            if used > self.limit {
                return Err(ChoiceFault::OverLimit { used, limit: self.limit });
            }
            if outcome.value != Some(value) {
                return Err(ChoiceFault::Value { stated: outcome.value, value });
            }
            let best = best.unwrap_or(value);
            let true_claim = match outcome.proof() {
                Proof::Exact => value == best,
                Proof::WithinEpsilon(epsilon) => (value - best).abs() <= epsilon,
                Proof::Heuristic | Proof::LimitReached => true,
            };
            if !true_claim {
                return Err(ChoiceFault::NotBest { proof: outcome.proof(), value, best });
            }
        } else if outcome.end == End::Done {
            return Err(ChoiceFault::NoAnswer);
        }
        if let (Some(bound), Some(best)) = (outcome.bound, best) {
            let beaten = match case.problem.sense() {
                Sense::Minimise => best < bound,
                Sense::Maximise => best > bound,
            };
            if beaten {
                return Err(ChoiceFault::Bound { bound, best });
            }
        }
        Ok(())
    }
}

/// The value of a choice, and its use of the limited quantity.
fn sums(case: &ChoiceCase, picks: &[usize]) -> (f64, f64) {
    let picked = || case.jobs.iter().zip(picks).map(|(job, &pick)| job[pick]);
    let (cost, time) = (exact_sum(picked().map(|pair| pair.0)), exact_sum(picked().map(|pair| pair.1)));
    match case.problem {
        Problem::MinTime { .. } | Problem::MaxTime { .. } => (time, cost),
        _ => (cost, time),
    }
}
