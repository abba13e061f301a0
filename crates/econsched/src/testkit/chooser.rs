//! Choosers, compared with every choice.

use super::check::part;
use super::oracle;
use super::{Check, Draw, Family, Fault, Numbers, Seen, Stopped, Stops, ensure, limit_near, rounded_sum};
use batch_dp::{Alternatives, Choice, ChoiceProblem, ChoiceRefusal, Chooser, Goal};
use sched_model::{End, Meter, Outcome, Proof};
use serde::{Deserialize, Serialize};

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

/// A case for a chooser: one alternative of each job is chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChoiceCase {
    /// (cost, time) of each alternative of each job.
    pub jobs: Vec<Vec<(f64, f64)>>,
    /// The limit of the cost; `None` is no limit.
    pub budget: Option<f64>,
    /// The limit of the time; `None` is no limit.
    pub time_limit: Option<f64>,
    /// Where the chooser is stopped.
    #[serde(default)]
    pub stops: Stops,
}

impl ChoiceCase {
    /// Draws a case: mostly up to five jobs, so that every choice can be tried, at times 40. Cases include limits
    /// that some choice meets to the last bit or just misses, fronts of one rate on which every choice is
    /// undominated, repeated jobs, and now and then a job without an alternative.
    pub fn draw(draw: &mut Draw) -> Self {
        let (jobs, most) = match draw.below(40) {
            0..38 => {
                let jobs = draw.below(6);
                (jobs, if jobs > 3 { 4 } else { 6 })
            }
            38 => draw.of([(12, 12), (6, 60)]),
            _ => draw.of([(25, 8), (40, 5)]),
        };
        let (cost, time, shape) = (Numbers::any(draw), Numbers::any(draw), draw.below(5));
        let (signed, repeated, one) = (draw.chance(8), draw.chance(20), draw.chance(4));
        let mut drawn: Vec<Vec<(f64, f64)>> = Vec::new();
        for _ in 0..jobs {
            let count = if draw.chance(2) { 0 } else { draw.between(1, most) };
            let alternative = |_| {
                let (c, t) = (cost.draw(draw), time.draw(draw));
                match shape {
                    0 => (20.0 - t.min(20.0), t.min(20.0)),
                    1 => (c, c),
                    _ => (if signed && draw.chance(30) { -c } else { c }, t),
                }
            };
            let job = (0..count).map(alternative).collect();
            drawn.push(drawn.first().filter(|_| repeated).cloned().unwrap_or(job));
        }
        if let Some(&only) = drawn.first().and_then(|job| job.first()).filter(|_| one) {
            drawn.iter_mut().flatten().for_each(|pair| *pair = only);
        }
        let picked: Vec<(f64, f64)> = drawn.iter().filter_map(|job| draw.pick(job).copied()).collect();
        let mut near = |of: fn(&(f64, f64)) -> f64| {
            let sum = rounded_sum(picked.iter().map(of));
            draw.chance(90).then(|| limit_near(draw, sum))
        };
        let (budget, time_limit) = (near(|pair| pair.0), near(|pair| pair.1));
        Self { jobs: drawn, budget, time_limit, stops: Stops::draw(draw) }
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
        let signed = |value: Option<f64>| value.map(|value| -truth.goal.sense().sign() * value);
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
        let done = outcome.end == End::Done;
        match (&outcome.refusal, &outcome.best) {
            (Some(refusal), best) => {
                let right = best.is_none() && done && self.is_right(refusal);
                ensure(right, "refusal", || format!("{outcome:?} is wrong"))
            }
            (None, Some(choice)) => self.judge_choice(choice, outcome, exact),
            (None, None) => ensure(!done, "no answer", || "done without a choice and without a reason"),
        }?;
        let (Some(bound), Some((best, _))) = (outcome.bound, self.best) else { return Ok(()) };
        let sign = self.goal.sense().sign();
        let holds = sign * best <= sign * bound;
        ensure(holds, "bound", || format!("claims the bound {bound}, and {best} is possible"))
    }

    fn is_right(&self, refusal: &ChoiceRefusal) -> bool {
        let jobs = &self.case.jobs;
        let without: Vec<usize> = (0..jobs.len()).filter(|&job| jobs[job].is_empty()).collect();
        match refusal {
            ChoiceRefusal::NoAlternative { jobs } => !without.is_empty() && *jobs == without,
            ChoiceRefusal::OutOfReach { least, limit } => {
                let least_known = !self.known || (self.best.is_none() && *least == self.least);
                without.is_empty() && *limit == self.limit && *least > *limit && least_known
            }
            _ => false,
        }
    }

    fn judge_choice(
        &self,
        choice: &Choice,
        outcome: &Outcome<Choice, ChoiceRefusal>,
        exact: bool,
    ) -> Result<(), Fault> {
        let (jobs, limit) = (&self.case.jobs, self.limit);
        let pairs = jobs.iter().zip(&choice.picks).map(|(job, pick)| job.get((*pick)?).copied());
        let picked: Option<Vec<(f64, f64)>> = pairs.collect();
        let picked = picked.filter(|_| choice.picks.len() == jobs.len()).ok_or_else(|| {
            Fault::new("picks", format!("{:?} is not one alternative of each job", choice.picks))
        })?;
        let sum = |of: fn(&(f64, f64)) -> f64| rounded_sum(picked.iter().map(of));
        let sums = (sum(|pair| pair.0), sum(|pair| pair.1));
        let stated = (choice.cost, choice.time);
        ensure(stated == sums, "sums", || format!("states cost and time {stated:?}, they are {sums:?}"))?;
        let (value, used) = self.view(sums);
        ensure(used <= limit, "over the limit", || format!("uses {used} of {limit}"))?;
        let stated = outcome.value;
        ensure(stated == Some(value), "value", || format!("states {stated:?} of a choice of value {value}"))?;
        let Some((best, least)) = self.best else { return Ok(()) };
        let proof = outcome.proof();
        let right = match proof {
            Proof::Exact => value == best && (!exact || used == least),
            Proof::WithinEpsilon(epsilon) => (value - best).abs() <= epsilon,
            Proof::Heuristic | Proof::LimitReached => !exact || outcome.end != End::Done,
        };
        ensure(right, "not best", || {
            format!("claims {proof} for {value}, which uses {used}; {best} is possible with {least}")
        })
    }
}
