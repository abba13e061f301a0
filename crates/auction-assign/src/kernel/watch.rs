//! The watch of a search: counts its work and memory, and records its incumbent and bound. No other part of the crate
//! uses the meter.

use std::cell::RefCell;

use sched_model::{End, Limit, Meter, Outcome, Proof};

use crate::solution::Answer;
use crate::{AssignError, Assignment, AssignmentProblem, Duals, Sense, Shortage};

/// The reason why a method ends without an answer. `?` passes it up to [`watched`], which converts it to an outcome.
pub(crate) enum Stop {
    /// Not every job can be placed.
    Infeasible(Shortage),
    /// The problem is malformed.
    Malformed(AssignError),
    /// A limit or the stop signal ended the search, or the gap is small enough.
    Ended(End),
    /// The method has used up its turn (see [`Watch::within`]), or predicts that it would; another method takes over.
    TurnOver,
}

impl From<Shortage> for Stop {
    fn from(shortage: Shortage) -> Self {
        Self::Infeasible(shortage)
    }
}

impl From<AssignError> for Stop {
    fn from(error: AssignError) -> Self {
        Self::Malformed(error)
    }
}

impl From<End> for Stop {
    fn from(end: End) -> Self {
        Self::Ended(end)
    }
}

/// The result of one look at an unfinished search: a feasible assignment, and a bound with the duals that prove it.
pub(crate) struct Look {
    /// `None` if the unplaced jobs could not be placed greedily.
    pub(crate) assignment: Option<Assignment>,
    pub(crate) duals: Duals,
    /// No assignment has a better sum than this.
    pub(crate) bound: f64,
}

/// The work between two looks is at least this many times the work of a look.
const BETWEEN_LOOKS: u64 = 4;

/// The maximum number of bytes of a candidate list.
const LIST_BYTES: u64 = 512;

/// The meter, and the best results of a search so far.
struct Record {
    meter: Meter,
    /// The incumbent.
    best: Option<Assignment>,
    /// The best bound, and the duals that prove it.
    proven: Option<(f64, Duals)>,
    /// The work of all looks, which is not part of the search.
    looking: u64,
    /// The work of the meter at the end of the last look.
    last_look: u64,
}

/// A method's access to the [`Record`].
#[derive(Clone, Copy)]
pub(crate) struct Watch<'a> {
    record: &'a RefCell<Record>,
    /// Whether there is any limit, gap, signal or observer; then work is counted row by row.
    limits: bool,
    /// Whether looks are taken.
    looks: bool,
    /// Whether work is counted as that of a look.
    is_look: bool,
    /// The work of the search at which the turn of the method ends.
    last: u64,
}

/// Runs a search under a meter, and returns its outcome: the answer or, if it ends early, the incumbent and the best
/// bound.
pub(crate) fn watched(
    problem: &AssignmentProblem<'_>,
    meter: &mut Meter,
    search: impl FnOnce(Watch<'_>) -> Result<Answer, Stop>,
) -> Result<Outcome<Assignment, Shortage>, AssignError> {
    problem.check()?;
    let (begun, limits) = (meter.work(), !meter.is_unlimited());
    // The record owns the meter during the search.
    let lent = std::mem::replace(meter, Limit::default().meter());
    let record = Record { meter: lent, best: None, proven: None, looking: 0, last_look: begun };
    let record = RefCell::new(record);
    let watch = Watch { record: &record, limits, looks: limits, is_look: false, last: u64::MAX };
    let result = search(watch);
    let Record { meter: lent, best, proven, .. } = record.into_inner();
    *meter = lent;
    let work = meter.work() - begun;
    let (outcome, shortage) = match result {
        Ok(found) => {
            let (proof, mut found) = (found.proof, found.solution);
            let outcome = if proof == Proof::Heuristic {
                let total = found.total;
                Outcome::heuristic(found, total, work)
            } else if let Proof::WithinEpsilon(gap) = proof {
                let maximise = problem.sense == Sense::Maximise;
                let mut bound =
                    if maximise { (found.total + gap).next_up() } else { (found.total - gap).next_down() };
                // The incumbent or the bound of a look may be better.
                if let Some(earlier) = best.filter(|old| is_better(problem, old.total, found.total)) {
                    found = Assignment { duals: found.duals, ..earlier };
                }
                if let Some((earlier, duals)) = proven.filter(|&(old, _)| is_better(problem, bound, old)) {
                    bound = earlier;
                    found.duals = Some(duals);
                }
                let total = found.total;
                Outcome::stopped(Some((found, total)), Some(bound), work, End::Gap)
            } else {
                let total = found.total;
                Outcome::solved(found, total, work)
            };
            meter.report(outcome.value, outcome.bound);
            (outcome, None)
        }
        Err(Stop::Infeasible(shortage)) => (Outcome::infeasible(work), Some(shortage)),
        Err(Stop::Malformed(error)) => return Err(error),
        Err(stop) => {
            let end = if let Stop::Ended(end) = stop { end } else { End::Work };
            let (bound, duals) = proven.unzip();
            let best = best.map(|found| (found.total, found));
            let best = best.map(|(total, found)| (Assignment { duals, ..found }, total));
            (Outcome::stopped(best, bound, work, end), None)
        }
    };
    Ok(outcome.with_refusal(shortage))
}

/// Whether `sum` is better than `than`.
fn is_better(problem: &AssignmentProblem<'_>, sum: f64, than: f64) -> bool {
    if problem.sense == Sense::Maximise { sum > than } else { sum < than }
}

impl Record {
    /// The work of the search so far, without looks.
    fn work(&self) -> u64 {
        self.meter.work() - self.looking
    }

    /// Keeps the assignment and the bound of a look if they are better. Returns an error if the gap is small enough to
    /// end the search.
    fn keep(&mut self, problem: &AssignmentProblem<'_>, look: Look) -> Result<(), Stop> {
        self.last_look = self.meter.work();
        if self.proven.as_ref().is_none_or(|&(old, _)| is_better(problem, old, look.bound)) {
            self.proven = Some((look.bound, look.duals));
        }
        if let Some(found) = look.assignment
            && self.best.as_ref().is_none_or(|old| is_better(problem, found.total, old.total))
        {
            self.best = Some(found);
        }
        let best = self.best.as_ref().map(|found| found.total);
        let is_near = self.meter.report(best, self.proven.as_ref().map(|proven| proven.0));
        // Without a gap in the limit the search goes on even if the gap is closed: looks must not change its answer.
        let limit = self.meter.limit();
        let wants_gap = limit.absolute_gap > 0.0 || limit.relative_gap > 0.0;
        if wants_gap && is_near { Err(Stop::Ended(End::Gap)) } else { Ok(()) }
    }
}

impl<'a> Watch<'a> {
    /// Returns a watch that limits the method to a turn of `units` more units of work, after which it ends with
    /// [`Stop::TurnOver`].
    pub(crate) fn within(self, units: u64) -> Self {
        Self { last: self.work().saturating_add(units).min(self.last), ..self }
    }

    /// Returns a watch without a turn, for a method after which no other follows.
    pub(crate) fn without_turn(self) -> Self {
        Self { last: u64::MAX, ..self }
    }

    /// Returns a watch without looks, for a derived problem, whose assignments are not those of the caller's problem.
    pub(crate) fn without_looks(self) -> Self {
        Self { looks: false, ..self }
    }

    /// Returns a watch for a look, whose work is not part of the search.
    pub(crate) fn for_a_look(self) -> Self {
        Self { is_look: true, last: u64::MAX, ..self }
    }

    /// Whether there is any limit, gap, signal or observer; then work is counted row by row, and looks are taken.
    #[inline]
    pub(crate) fn is_limited(self) -> bool {
        self.limits
    }

    /// The work of the search so far, without looks.
    pub(crate) fn work(self) -> u64 {
        self.record.borrow().work()
    }

    /// Counts work. An error ends the method.
    #[inline]
    pub(crate) fn spend(self, units: u64) -> Result<(), Stop> {
        let mut record = self.record.borrow_mut();
        if self.is_look {
            record.looking += units;
        } else if record.work().saturating_add(units) > self.last {
            return Err(Stop::TurnOver);
        }
        Ok(record.meter.spend(units)?)
    }

    /// Counts the increase of a counter from `seen` to `now`, and updates `seen`.
    #[inline]
    pub(crate) fn spend_since(self, seen: &mut u64, now: u64) -> Result<(), Stop> {
        self.spend(now - std::mem::replace(seen, now))
    }

    /// Counts memory for `count` values before it is allocated.
    pub(crate) fn reserve<T>(self, count: usize) -> Result<(), Stop> {
        Ok(self.reserve_bytes((size_of::<T>() as u64).saturating_mul(count as u64))?)
    }

    fn reserve_bytes(self, bytes: u64) -> Result<(), End> {
        self.record.borrow_mut().meter.reserve(bytes)
    }

    fn release(self, bytes: u64) {
        self.record.borrow_mut().meter.release(bytes);
    }

    /// Counts memory for `count` values that are optional but save time. `None` if the limit leaves no room for them,
    /// or not enough room in addition for the candidate lists of `jobs` jobs, which may be needed later (unless these
    /// do not fit anyway).
    pub(crate) fn reserve_optional<T>(self, count: usize, jobs: usize) -> Option<Reserved<'a>> {
        let reserve = |bytes: u64| self.reserve_bytes(bytes).ok().map(|()| Reserved { watch: self, bytes });
        let bytes = (size_of::<T>() as u64).saturating_mul(count as u64);
        let lists = LIST_BYTES.saturating_mul(jobs as u64);
        let values = reserve(bytes)?;
        if reserve(lists).is_some() {
            return Some(values);
        }
        drop(values);
        if reserve(lists).is_some() { None } else { reserve(bytes) }
    }

    /// Runs a method after which another may follow. Returns `None`, and releases the memory that the method has
    /// counted, if it used up its turn or the memory.
    pub(crate) fn attempt<R>(self, run: impl FnOnce() -> Result<R, Stop>) -> Result<Option<R>, Stop> {
        let memory = || self.record.borrow().meter.memory();
        let before = memory();
        match run() {
            Err(Stop::TurnOver | Stop::Ended(End::Memory)) => {
                self.release(memory().saturating_sub(before));
                Ok(None)
            }
            result => result.map(Some),
        }
    }

    /// Whether a look that takes `price` units of work is due: if the search has worked long enough since the last one.
    #[inline]
    pub(crate) fn is_due(self, price: u64) -> bool {
        let is_due =
            |record: &Record| record.meter.work() - record.last_look >= price.saturating_mul(BETWEEN_LOOKS);
        self.looks && !self.is_look && is_due(&self.record.borrow())
    }

    /// Whether looks are taken and there is no incumbent yet.
    pub(crate) fn wants_any(self) -> bool {
        self.looks && self.record.borrow().best.is_none()
    }

    /// Records the result of a look. An error ends the search.
    pub(crate) fn record(self, problem: &AssignmentProblem<'_>, look: Look) -> Result<(), Stop> {
        if self.looks { self.record.borrow_mut().keep(problem, look) } else { Ok(()) }
    }
}

/// Memory that is counted until this value is dropped.
#[must_use]
pub(crate) struct Reserved<'a> {
    watch: Watch<'a>,
    bytes: u64,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.watch.release(self.bytes);
    }
}
