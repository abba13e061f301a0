//! Choosers, compared with every choice.

use super::check::part;
use super::oracle;
use super::{Check, ChoiceCase, Draw, Family, Fault, Seen, Stopped, ensure, rounded_sum};
use batch_dp::{Alternatives, Choice, ChoiceProblem, ChoiceRefusal, Chooser, Goal};
use sched_model::{End, Meter, Outcome, Proof, Sense};

/// A chooser, with its promises: see [`chooser`].
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Choosers<'a> {
    chooser: &'a dyn Chooser,
    exact: bool,
}

/// Checks a [`Chooser`] with every goal. Kinds of faults: `no name`; `error`; `picks` (not one alternative of each
/// job), `sums` (not the exact ones), `over the limit`, `value`; `not best` and `bound` (it claims more than is
/// true); `refusal` (it refuses although there is a choice, or gives a wrong reason); `no answer` (neither a
/// choice nor a reason); `memory` (it does not release what it reserved); `unsteady`; and those of
/// [limits](super::Stops). A heuristic passes if it claims nothing ([`Outcome::heuristic`]), or if its bound
/// holds.
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
    /// Every choice is proven best, and among choices of equal value it uses least of the limited quantity.
    pub fn with_exactness(mut self) -> Self {
        self.family.exact = true;
        self
    }
}

/// No whole search does more work than this.
const MOST: u64 = 200_000;

/// With at most this many choices, all are tried.
const FEW: usize = 4096;

impl Family for Choosers<'_> {
    type Case = ChoiceCase;

    fn draw(draw: &mut Draw) -> ChoiceCase {
        ChoiceCase::draw(draw)
    }

    fn judge(&self, case: &ChoiceCase) -> Result<Seen, Fault> {
        ensure(!self.chooser.name().is_empty(), "no name", || "the name is empty")?;
        let batch = part(Alternatives::new(&case.jobs))?;
        let count = case.jobs.iter().try_fold(1_usize, |count, job| count.checked_mul(job.len()));
        // With a job that has no alternative there is no choice, so the choices are not listed.
        let all = count.filter(|count| (1..=FEW).contains(count)).map(|_| oracle::choices(&case.jobs));
        let mut seen = Seen::unsolved(false);
        for goal in [
            Goal::MinTime { budget: case.budget },
            Goal::MaxTime { budget: case.budget },
            Goal::MinCost { time_limit: case.time_limit },
            Goal::MaxIncome { time_limit: case.time_limit },
        ] {
            let truth = Truth::of(case, goal, all.as_deref());
            let whole = case
                .stops
                .check(MOST, |limit| Stopped::within(limit, |meter| self.run(&batch, &truth, meter)))?;
            let few = all.is_some() && self.exact;
            ensure(!few || whole.end == End::Done, "not best", || format!("stops at {}", whole.end))?;
            seen.solvable |= usize::from(truth.best.is_some());
            seen.solved |= usize::from(whole.value.is_some());
        }
        Ok(seen)
    }
}

impl Choosers<'_> {
    /// Chooses once, and judges the outcome on its own.
    fn run(&self, batch: &Alternatives, truth: &Truth<'_>, meter: &mut Meter) -> Result<Stopped, Fault> {
        let problem = ChoiceProblem::new(batch, truth.goal);
        let outcome = Outcome::on(meter, |meter| self.chooser.solve(&problem, meter))?;
        truth.judge(&outcome, self.exact)?;
        ensure(meter.memory() == 0, "memory", || format!("keeps {} bytes of the meter", meter.memory()))?;
        let sign = if truth.goal.sense() == Sense::Minimise { 1.0 } else { -1.0 };
        let signed = |value: Option<f64>| value.map(|value| sign * value);
        let answer = format!("{:?} {:?}", outcome.best, outcome.refusal);
        let (value, bound, end) = (signed(outcome.value), signed(outcome.bound), outcome.end);
        Ok(Stopped { rank: 0.0, value, bound, work: meter.work(), end, answer })
    }
}

/// What is known about the choices of a case.
struct Truth<'a> {
    case: &'a ChoiceCase,
    goal: Goal,
    limit: f64,
    /// Whether every choice was tried.
    known: bool,
    /// Value and use of the best choice within the limit; among equal values that of smallest use.
    best: Option<(f64, f64)>,
    /// The smallest use of the limited quantity.
    least: f64,
}

impl<'a> Truth<'a> {
    fn of(case: &'a ChoiceCase, goal: Goal, all: Option<&[(f64, f64)]>) -> Self {
        let limit = goal.limit().unwrap_or(f64::INFINITY);
        let mut truth = Self { case, goal, limit, known: all.is_some(), best: None, least: f64::INFINITY };
        let sign = goal.sense().sign();
        for &sums in all.unwrap_or_default() {
            let (value, used) = truth.view(sums);
            truth.least = truth.least.min(used);
            let better =
                |(best, least): (f64, f64)| sign * value > sign * best || (value == best && used < least);
            if used <= limit && truth.best.is_none_or(better) {
                truth.best = Some((value, used));
            }
        }
        truth
    }

    /// The value, and the amount that is used of the limit.
    fn view(&self, (cost, time): (f64, f64)) -> (f64, f64) {
        if self.goal.limits_cost() { (time, cost) } else { (cost, time) }
    }

    fn judge(&self, outcome: &Outcome<Choice, ChoiceRefusal>, exact: bool) -> Result<(), Fault> {
        let Some(refusal) = &outcome.refusal else { return self.judge_choice(outcome, exact) };
        let jobs = &self.case.jobs;
        let without: Vec<usize> = (0..jobs.len()).filter(|&job| jobs[job].is_empty()).collect();
        let right = match refusal {
            ChoiceRefusal::NoAlternative { jobs } => !without.is_empty() && *jobs == without,
            ChoiceRefusal::OutOfReach { least, limit } => {
                let least_known = !self.known || (self.best.is_none() && *least == self.least);
                without.is_empty() && *limit == self.limit && *least > *limit && least_known
            }
            _ => false,
        };
        let alone = outcome.best.is_none() && outcome.end == End::Done;
        ensure(right && alone, "refusal", || format!("{outcome:?} is wrong"))
    }

    fn judge_choice(&self, outcome: &Outcome<Choice, ChoiceRefusal>, exact: bool) -> Result<(), Fault> {
        let done = outcome.end == End::Done;
        let Some(choice) = &outcome.best else {
            ensure(!done, "no answer", || "done without a choice and without a reason")?;
            return self.judge_bound(outcome);
        };
        let jobs = &self.case.jobs;
        let pairs = jobs.iter().zip(&choice.picks).map(|(job, pick)| job.get((*pick)?).copied());
        let picked: Option<Vec<(f64, f64)>> = pairs.collect();
        let picked = picked.filter(|_| choice.picks.len() == jobs.len());
        let picks = || format!("{:?} is not one alternative of each job", choice.picks);
        ensure(picked.is_some(), "picks", picks)?;
        let picked = picked.unwrap_or_default();
        let sum = |of: fn(&(f64, f64)) -> f64| rounded_sum(picked.iter().map(of));
        let sums = (sum(|pair| pair.0), sum(|pair| pair.1));
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

    fn judge_bound(&self, outcome: &Outcome<Choice, ChoiceRefusal>) -> Result<(), Fault> {
        let (Some(bound), Some((best, _))) = (outcome.bound, self.best) else { return Ok(()) };
        let sign = self.goal.sense().sign();
        let holds = sign * best <= sign * bound;
        ensure(holds, "bound", || format!("claims the bound {bound}, and {best} is possible"))
    }
}
