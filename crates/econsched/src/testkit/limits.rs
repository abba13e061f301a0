//! The property of limits that all families share.

use super::{Draw, Fault, ensure};
use sched_model::{End, Limit, Meter, Progress};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};

/// Where an algorithm is stopped. A case in a file may leave it out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub struct Stops {
    /// Limits of work, in millionths of the work of a whole run.
    #[serde(default)]
    pub parts: Vec<u32>,
    /// Further limits of work, in units.
    #[serde(default)]
    pub works: Vec<u64>,
    /// The number of times that the signal is read before it is set.
    #[serde(default)]
    pub questions: u64,
}

impl Stops {
    /// Draws limits; small parts are as likely as great ones.
    pub fn draw(draw: &mut Draw) -> Self {
        let part = |draw: &mut Draw| {
            let (part, small) = (draw.unit(), draw.chance(50));
            (1e6 * if small { part * part * part } else { part }) as u32
        };
        let parts = (0..draw.below(4)).map(|_| part(draw)).collect();
        let works = (0..draw.below(4)).map(|_| draw.size(70_000) as u64).collect();
        Self { parts, works, questions: draw.below(40) as u64 }
    }

    /// Checks the property. Under any limit of work, and when a signal stops the algorithm at a step: the answer
    /// is valid; no more work is spent than the limit; value and bound are no worse than with less work; and a
    /// limit equal to the work that was done gives the same answer as the signal. A limit that is not reached
    /// changes nothing, and an algorithm that says it is done has the answer of the whole run. If the whole run is
    /// done, the value of a run with a gap is within the gap of that of the whole run.
    ///
    /// `run` runs the algorithm under a limit and judges the answer on its own; `most` is the maximum work of a
    /// whole run. Returns the result of the whole run.
    ///
    /// # Errors
    /// Of kind `overspent`, `unsteady`, `not done`, `worse with more`, `looser with more`, `signal` and `beyond the
    /// gap`, and those of `run`.
    pub fn check<T: fmt::Debug>(
        &self,
        most: u64,
        mut run: impl FnMut(&Limit) -> Result<Stopped<T>, Fault>,
    ) -> Result<Stopped<T>, Fault> {
        let mut within = |work: u64, limit: &Limit| -> Result<Stopped<T>, Fault> {
            let stopped = run(&limit.clone().with_work(work))?;
            ensure(stopped.work <= work, "overspent", || {
                format!("{} units of work, of {work}", stopped.work)
            })?;
            Ok(stopped)
        };
        let limit = Limit::default();
        let whole = within(most, &limit)?;
        let part = |part: &u32| (u128::from(whole.work) * u128::from(*part) / 1_000_000) as u64;
        let works = self.works.iter().map(|&work| work.min(whole.work));
        let works = works.chain(self.parts.iter().map(part));
        let works: BTreeSet<u64> = works.chain([0, 1, whole.work.saturating_sub(1), whole.work]).collect();
        let mut last: Option<Stopped<T>> = None;
        for work in works {
            let now = within(work, &limit)?;
            now.same_if_done(&whole)?;
            if let Some(last) = &last {
                last.no_better(&now)?;
            }
            if work == whole.work {
                now.same(&whole, "unsteady")?;
            }
            last = Some(now);
        }
        let (read, after) = (Arc::new(AtomicU64::new(0)), self.questions);
        let signal = move || read.fetch_add(1, Ordering::Relaxed) >= after;
        let stopped = within(most, &limit.clone().with_signal(signal))?;
        if stopped.end == End::Signal {
            within(stopped.work, &limit)?.same(&stopped, "signal")?;
        }
        for gap in [limit.clone().with_relative_gap(0.4321987), limit.clone().with_absolute_gap(2.1987654)] {
            within(most, &gap)?.is_near(&whole, &gap)?;
        }
        Ok(whole)
    }
}

/// The result of an algorithm under a limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Stopped<T = String> {
    /// A rank that counts before the value, less being better; 0 if there is none.
    pub rank: f64,
    /// The value, less being better; `None` if there is no answer, or values cannot be compared.
    pub value: Option<f64>,
    /// A bound: no answer has a lower value.
    pub bound: Option<f64>,
    /// The work that was done.
    pub work: u64,
    /// Why the algorithm ended.
    pub end: End,
    /// The answer, or its text. Its `Debug` text is compared with others, in which 0 and -0 differ.
    pub answer: T,
}

impl<T: fmt::Debug> Stopped<T> {
    /// The result within a limit, which must be the same with a used meter that has an observer. The best values and
    /// the bounds that the observer receives improve, in a whole run up to the value of the answer, if values can be
    /// compared and no rank counts before them. A signal counts how often it is read, so then there is one run alone.
    ///
    /// # Errors
    /// Of kind `unsteady` and `observer`, and those of `run`.
    pub fn within(
        limit: &Limit,
        mut run: impl FnMut(&mut Meter) -> Result<Self, Fault>,
    ) -> Result<Self, Fault> {
        let mut meter = limit.meter();
        let stopped = run(&mut meter)?;
        if !limit.has_signal() {
            meter.restart();
            let (tell, told) = mpsc::channel();
            let mut meter = meter.with_observer(move |progress| tell.send(progress).unwrap_or(()));
            let used = run(&mut meter)?;
            let unsteady = || format!("{:?}, and with a used meter {:?}", stopped.answer, used.answer);
            ensure(format!("{stopped:?}") == format!("{used:?}"), "unsteady", unsteady)?;
            let told: Vec<Progress> = told.try_iter().collect();
            let of = |part: fn(&Progress) -> Option<f64>| told.iter().filter_map(part).collect::<Vec<f64>>();
            let (values, bounds) = (of(|told| told.best), of(|told| told.bound));
            // Whether greater values are better is not known here.
            let is_monotone = |told: &[f64]| told.is_sorted() || told.is_sorted_by(|a, b| a >= b);
            let improve = stopped.rank != 0.0 || is_monotone(&values) && is_monotone(&bounds);
            let is_value = |last: &f64| stopped.value.map(f64::abs) == Some(last.abs());
            let ends_right = stopped.end != End::Done || values.last().is_none_or(is_value);
            ensure(stopped.value.is_none() || improve && ends_right, "observer", || {
                format!("{told:?} are told, and the value is {:?}", stopped.value)
            })?;
        }
        Ok(stopped)
    }

    fn no_better(&self, more: &Self) -> Result<(), Fault> {
        let of = |one: &Self| Some((one.rank, one.value?));
        let (before, now) = (of(self), of(more));
        let worse = before.is_some_and(|before| now.is_none_or(|now| now > before));
        ensure(!worse, "worse with more", || format!("{now:?} with more work, {before:?} with less"))?;
        // A proof that there is no solution is the tightest bound.
        let (before, now) = (self.bound, more.bound);
        let looser = before.is_some_and(|before| now.map_or(more.end != End::Done, |now| now < before));
        ensure(!looser, "looser with more", || format!("bound {now:?} with more work, {before:?} with less"))
    }

    fn same_if_done(&self, whole: &Self) -> Result<(), Fault> {
        let of = |one: &Self| (one.rank, one.value, one.value.is_none().then(|| format!("{:?}", one.answer)));
        let same = self.end != End::Done || whole.end != End::Done || of(self) == of(whole);
        ensure(same, "not done", || {
            format!("{self:?} is said to be done, and with more work {whole:?} is found")
        })
    }

    fn is_near(&self, whole: &Self, gap: &Limit) -> Result<(), Fault> {
        let is_near = match (self.value, whole.value) {
            (Some(value), Some(best)) => self.rank == whole.rank && gap.gap_closed(value, best.min(value)),
            (value, best) => value == best,
        };
        ensure(is_near || whole.end != End::Done, "beyond the gap", || {
            format!("{self:?} within a gap, and without {whole:?}")
        })
    }

    fn same(&self, other: &Self, kind: &'static str) -> Result<(), Fault> {
        let of = |one: &Self| (format!("{:?}", one.answer), one.value, one.bound, one.work);
        ensure(of(self) == of(other), kind, || {
            format!("with {} units of work {self:?}, and {other:?}", self.work)
        })
    }
}
