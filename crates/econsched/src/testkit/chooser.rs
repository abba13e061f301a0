//! Choosers, compared with every choice.

use super::oracle;
use super::{Check, ChoiceCase, Draw, Family, Fault, Seen, Stopped, ensure, rounded_sum};
use batch_dp::{Alternatives, BatchDecision, Choice, Chooser, Problem, Scratch};
use sched_model::{End, Limit, Outcome, Proof, Sense};

/// A chooser, and what it promises: see [`chooser`].
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Choosers<'a> {
    chooser: &'a dyn Chooser,
    exact: bool,
}

/// Checks a [`Chooser`] by every problem. Kinds of faults: `no name`; `error`; `picks` (not one alternative of
/// each job), `sums` (not the exact ones), `over the limit`, `value`; `not best` and `bound` (it claims more
/// than is true); `decision` (it says that there is no choice where there is one, or gives a wrong reason); `no
/// answer` (neither a choice nor a reason); `memory` (it has not released what it reserved); `unsteady`; and
/// those of [limits](super::Stops). A heuristic passes if it claims nothing ([`Outcome::heuristic`]), or if its
/// bound holds.
///
/// ```
/// use econsched::{batch_dp::ExpandingCore, testkit};
/// let seen = testkit::chooser(&ExpandingCore).with_exactness().run(100)?;
/// assert!(seen.solved > 50);
/// # Ok::<(), testkit::Fault>(())
/// ```
pub fn chooser(chooser: &dyn Chooser) -> Check<Choosers<'_>> {
    Check::new(Choosers { chooser, exact: false })
}

impl Check<Choosers<'_>> {
    /// Every choice is proven to be the best, and of those of its value it takes the least of what is limited.
    pub fn with_exactness(mut self) -> Self {
        self.family.exact = true;
        self
    }
}

/// Work of a whole search at most.
const MOST: u64 = 200_000;

/// The number of choices up to which all are tried.
const FEW: usize = 4096;

impl Family for Choosers<'_> {
    type Case = ChoiceCase;

    fn draw(draw: &mut Draw) -> ChoiceCase {
        ChoiceCase::draw(draw)
    }

    fn judge(&self, case: &ChoiceCase) -> Result<Seen, Fault> {
        ensure(!self.chooser.name().is_empty(), "no name", || "the name is empty")?;
        let batch = Alternatives::new(&case.jobs).map_err(Fault::malformed)?;
        let budget = case.budget.unwrap_or(f64::INFINITY);
        let time_limit = case.time_limit.unwrap_or(f64::INFINITY);
        let count = case.jobs.iter().try_fold(1_usize, |count, job| count.checked_mul(job.len()));
        // A job without an alternative leaves no choice, but its sums would be made of all the others.
        let all = count.filter(|count| (1..=FEW).contains(count)).map(|_| oracle::choices(&case.jobs));
        let mut seen = Seen::unsolved(false);
        for problem in [
            Problem::MinTime { budget },
            Problem::MaxTime { budget },
            Problem::MinCost { time_limit },
            Problem::MaxIncome { time_limit },
        ] {
            let truth = Truth::of(case, problem, all.as_deref());
            let mut scratch = Scratch::default();
            let mut found = false;
            let whole = case.stops.check(MOST, &mut |limit| {
                let stopped = self.run(&batch, &truth, limit, &mut Scratch::default(), &mut found)?;
                // A signal counts how often it is read.
                if limit.signal.is_none() {
                    let used = self.run(&batch, &truth, limit, &mut scratch, &mut false)?;
                    let unsteady = || format!("{}, and with used memory {}", stopped.answer, used.answer);
                    ensure(stopped == used, "unsteady", unsteady)?;
                }
                Ok(stopped)
            })?;
            self.run(&batch, &truth, &Limit::default().with_work(MOST), &mut scratch, &mut found)?;
            let few = all.is_some() && self.exact;
            ensure(!few || whole.end == End::Done, "not best", || format!("stops at {}", whole.end))?;
            seen.solvable |= usize::from(truth.best.is_some());
            seen.solved |= usize::from(found);
        }
        Ok(seen)
    }
}

impl Choosers<'_> {
    /// Chooses once and judges the decision by itself.
    fn run(
        &self,
        batch: &Alternatives,
        truth: &Truth<'_>,
        limit: &Limit,
        scratch: &mut Scratch,
        found: &mut bool,
    ) -> Result<Stopped, Fault> {
        let mut meter = limit.meter();
        let decision =
            self.chooser.choose(batch, truth.problem, scratch, &mut meter).map_err(Fault::error)?;
        truth.judge(&decision, self.exact)?;
        ensure(meter.memory() == 0, "memory", || format!("keeps {} bytes of the meter", meter.memory()))?;
        *found = decision.choice().is_some();
        let sign = if truth.problem.sense() == Sense::Minimise { 1.0 } else { -1.0 };
        let signed = |value: Option<f64>| value.map(|value| sign * value);
        let (value, bound, end) = match &decision {
            BatchDecision::Chosen(outcome) => (signed(outcome.value), signed(outcome.bound), outcome.end),
            _ => (None, None, End::Done),
        };
        let answer = match &decision {
            BatchDecision::Chosen(outcome) => format!("{:?}", outcome.incumbent),
            other => format!("{other:?}"),
        };
        Ok(Stopped { rank: 0.0, value, bound, work: meter.work(), end, answer })
    }
}

/// What is known of the choices of a case.
struct Truth<'a> {
    case: &'a ChoiceCase,
    problem: Problem,
    limit: f64,
    /// Whether every choice was tried.
    known: bool,
    /// Value and use of the best choice within the limit; of equal ones that of least use.
    best: Option<(f64, f64)>,
    /// The least use of what is limited.
    least: f64,
}

impl<'a> Truth<'a> {
    fn of(case: &'a ChoiceCase, problem: Problem, all: Option<&[(f64, f64)]>) -> Self {
        let limit = match problem {
            Problem::MinTime { budget } | Problem::MaxTime { budget } => budget,
            Problem::MinCost { time_limit } | Problem::MaxIncome { time_limit } => time_limit,
            _ => f64::INFINITY,
        };
        let mut truth = Self { case, problem, limit, known: all.is_some(), best: None, least: f64::INFINITY };
        for &sums in all.unwrap_or_default() {
            let (value, used) = truth.view(sums);
            truth.least = truth.least.min(used);
            let better = |(best, least): (f64, f64)| {
                problem.sense().is_better(value, best) || (value == best && used < least)
            };
            if used <= limit && truth.best.is_none_or(better) {
                truth.best = Some((value, used));
            }
        }
        truth
    }

    /// The value, and what is used of the limit.
    fn view(&self, (cost, time): (f64, f64)) -> (f64, f64) {
        match self.problem {
            Problem::MinTime { .. } | Problem::MaxTime { .. } => (time, cost),
            _ => (cost, time),
        }
    }

    fn judge(&self, decision: &BatchDecision, exact: bool) -> Result<(), Fault> {
        let without = || (0..self.case.jobs.len()).filter(|&job| self.case.jobs[job].is_empty());
        let right = match decision {
            BatchDecision::Chosen(outcome) if without().next().is_none() => {
                return self.judge_outcome(outcome, exact);
            }
            BatchDecision::NoAlternative { jobs } => !jobs.is_empty() && without().eq(jobs.iter().copied()),
            BatchDecision::OutOfReach { least, limit } => {
                let least_known = !self.known || (self.best.is_none() && *least == self.least);
                without().next().is_none() && *limit == self.limit && *least > *limit && least_known
            }
            _ => false,
        };
        ensure(right, "decision", || format!("{decision:?} is wrong"))
    }

    fn judge_outcome(&self, outcome: &Outcome<Choice>, exact: bool) -> Result<(), Fault> {
        let done = outcome.end == End::Done;
        let Some(choice) = &outcome.incumbent else {
            ensure(!done, "no answer", || "done without a choice and without a reason")?;
            return self.judge_bound(outcome);
        };
        let jobs = &self.case.jobs;
        let fits = |(job, &pick): (usize, &usize)| jobs.get(job).is_some_and(|job| pick < job.len());
        let complete = choice.picks.len() == jobs.len() && choice.picks.iter().enumerate().all(fits);
        ensure(complete, "picks", || format!("{:?} is not one alternative of each job", choice.picks))?;
        let picked = || jobs.iter().zip(&choice.picks).map(|(job, &pick)| job[pick]);
        let sums = (rounded_sum(picked().map(|pair| pair.0)), rounded_sum(picked().map(|pair| pair.1)));
        let stated = (choice.cost, choice.time);
        ensure(stated == sums, "sums", || format!("states cost and time {stated:?}, they are {sums:?}"))?;
        let (value, used) = self.view(sums);
        let limit = self.limit;
        ensure(used <= limit, "over the limit", || format!("uses {used} of {limit}"))?;
        let stated = outcome.value;
        ensure(stated == Some(value), "value", || format!("states {stated:?} of a choice of value {value}"))?;
        let Some((best, least)) = self.best else { return Ok(()) };
        let proof = outcome.proof();
        let right = match proof {
            Proof::Exact => value == best && (!exact || used == least),
            Proof::WithinEpsilon(epsilon) => (value - best).abs() <= epsilon,
            Proof::Heuristic | Proof::LimitReached => !(exact && done),
        };
        ensure(right, "not best", || {
            format!("claims {proof} for {value}, which uses {used}; {best} is possible with {least}")
        })?;
        self.judge_bound(outcome)
    }

    fn judge_bound(&self, outcome: &Outcome<Choice>) -> Result<(), Fault> {
        let (Some(bound), Some((best, _))) = (outcome.bound, self.best) else { return Ok(()) };
        let holds = !self.problem.sense().is_better(best, bound);
        ensure(holds, "bound", || format!("claims the bound {bound}, and {best} is possible"))
    }
}
