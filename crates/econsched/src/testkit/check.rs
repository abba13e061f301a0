//! Runs a family of cases; faults, and how their cases are made small.

use super::Draw;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A family of cases with their judge: the object under test, together with its promises.
///
/// ```
/// use econsched::testkit::{Check, Draw, Family, Fault, Numbers, Seen, ensure, rounded_sum};
///
/// struct Sums(fn(&[f64]) -> f64);
///
/// impl Family for Sums {
///     type Case = Vec<f64>;
///     fn draw(draw: &mut Draw) -> Vec<f64> {
///         (0..draw.size(500)).map(|_| Numbers::Tenths.draw(draw)).collect()
///     }
///     fn judge(&self, case: &Vec<f64>) -> Result<Seen, Fault> {
///         let (sum, right) = (self.0(case), rounded_sum(case.iter().copied()));
///         ensure(sum == right, "sum", || format!("{sum}, and {right} is right"))?;
///         Ok(Seen::solved())
///     }
/// }
///
/// let naive = Check::new(Sums(|terms| terms.iter().sum()));
/// let fault = naive.run(300).unwrap_err();
/// assert_eq!((fault.kind, fault.case.as_deref()), ("sum", Some("[0.1,0.2,0.3]")));
/// ```
pub trait Family {
    /// A case of plain numbers, as stored in files.
    type Case: Serialize + DeserializeOwned;

    /// Draws a case, which is well-formed for all choices of `draw`.
    fn draw(draw: &mut Draw) -> Self::Case;

    /// Runs the object under test on a case, and judges its answers.
    ///
    /// # Errors
    /// The first fault.
    fn judge(&self, case: &Self::Case) -> Result<Seen, Fault>;
}

/// What the cases of a run showed, so that a test does not pass because nothing was tested.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seen {
    /// Cases run.
    pub cases: usize,
    /// Cases that have a solution, as far as the judge knows.
    pub solvable: usize,
    /// Cases for which a solution was given.
    pub solved: usize,
    /// Cases that the object under test does not support.
    pub skipped: usize,
}

impl Seen {
    /// One case that was solved.
    pub fn solved() -> Self {
        Self { cases: 1, solvable: 1, solved: 1, skipped: 0 }
    }

    /// One case that was not solved; `solvable` says whether it has a solution.
    pub fn unsolved(solvable: bool) -> Self {
        Self { cases: 1, solvable: usize::from(solvable), ..Self::default() }
    }

    /// One case that is not supported.
    pub fn skipped() -> Self {
        Self { cases: 1, skipped: 1, ..Self::default() }
    }
}

impl std::ops::AddAssign for Seen {
    fn add_assign(&mut self, other: Self) {
        self.cases += other.cases;
        self.solvable += other.solvable;
        self.solved += other.solved;
        self.skipped += other.skipped;
    }
}

/// A fault, with the case that shows it. `Debug` prints the same as `Display`, so that a failed test can be read.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct Fault {
    /// The kind of the fault; the documentation of each check lists its kinds.
    pub kind: &'static str,
    /// The fault, with numbers.
    pub message: String,
    /// The case as JSON, made small.
    pub case: Option<String>,
    /// The number of the case under the seed of the run, from 0.
    pub number: Option<usize>,
}

impl Fault {
    /// A fault of this kind.
    pub fn new(kind: &'static str, message: impl fmt::Display) -> Self {
        Self { kind, message: message.to_string(), case: None, number: None }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)?;
        if let Some(case) = &self.case {
            match self.number {
                Some(number) => write!(f, "\ncase {number}, made small: {case}")?,
                None => write!(f, "\ncase {case}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An error of a library on a well-formed case is a fault of kind `error`, so judges pass it on by `?`.
impl<E: std::error::Error> From<E> for Fault {
    fn from(error: E) -> Self {
        Self::new("error", format!("an error on a well-formed case: {error}"))
    }
}

impl From<Fault> for Box<dyn std::error::Error> {
    fn from(fault: Fault) -> Self {
        fault.to_string().into()
    }
}

/// Returns a fault of this kind unless `holds`.
///
/// # Errors
/// The fault.
pub fn ensure<M: fmt::Display>(
    holds: bool,
    kind: &'static str,
    message: impl FnOnce() -> M,
) -> Result<(), Fault> {
    if holds { Ok(()) } else { Err(Fault::new(kind, message())) }
}

/// A part of a case that is drawn, which is well-formed.
pub(super) fn must<T, E: fmt::Display>(made: Result<T, E>) -> T {
    made.unwrap_or_else(|error| panic!("a malformed case is drawn: {error}"))
}

/// A part of a case, for example from a file, which is at fault if the part cannot be made.
///
/// # Errors
/// A fault of kind `malformed`.
pub fn part<T, E: fmt::Display>(made: Result<T, E>) -> Result<T, Fault> {
    made.map_err(|error| Fault::new("malformed", format!("the case is malformed: {error}")))
}

/// A family with the seed from which its cases are drawn.
#[derive(Debug, Clone)]
#[must_use]
pub struct Check<F> {
    /// The object under test, with its promises.
    pub(super) family: F,
    seed: u64,
}

impl<F: Family> Check<F> {
    /// A check with seed 1.
    pub fn new(family: F) -> Self {
        Self { family, seed: 1 }
    }

    /// Sets the seed from which cases are drawn.
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Runs this many drawn cases, up to the first fault. The case of a fault is made small, except
    /// that of a panic, which would be printed at every trial.
    ///
    /// # Errors
    /// The first fault, with its case; `finds nothing` if no case that has a solution was solved, and
    /// `takes nothing` if all cases were skipped.
    pub fn run(&self, cases: usize) -> Result<Seen, Fault> {
        let mut seen = Seen::default();
        for number in 0..cases {
            let mut draw = Draw::new(self.seed, number);
            match self.judge(&F::draw(&mut draw)) {
                Ok(one) => seen += one,
                Err(fault) if fault.kind == "panic" => return Err(Fault { number: Some(number), ..fault }),
                Err(fault) => {
                    let small = self.smaller(draw.taken(), fault, 2000, || true);
                    return Err(Fault { number: Some(number), ..small });
                }
            }
        }
        let Seen { cases, solvable, solved, skipped } = seen;
        ensure(cases == 0 || skipped < cases, "takes nothing", || format!("none of {cases} cases"))?;
        ensure(solvable == 0 || solved > 0, "finds nothing", || {
            format!("no solution in {cases} cases, of which {solvable} have one")
        })?;
        Ok(seen)
    }

    /// Judges one case, for example one from a file that showed a fault before. A panic is a fault of kind `panic`.
    ///
    /// # Errors
    /// The fault, with the case.
    pub fn judge(&self, case: &F::Case) -> Result<Seen, Fault> {
        let judged = catch_unwind(AssertUnwindSafe(|| self.family.judge(case))).unwrap_or_else(|payload| {
            let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
            Err(Fault::new("panic", text.unwrap_or_else(|| "without a message".to_owned())))
        });
        judged.map_err(|fault| Fault { case: serde_json::to_string(case).ok(), ..fault })
    }

    /// Judges the case that these bytes make, for example bytes of a fuzzer or a property test.
    ///
    /// # Errors
    /// The fault, with the case.
    pub fn judge_bytes(&self, bytes: &[u8]) -> Result<Seen, Fault> {
        self.judge(&F::draw(&mut Draw::of_bytes(bytes)))
    }

    /// A fault of the same kind with a smaller case, found by at most `trials` runs and as long as `goes_on`. These
    /// bytes make the case of the given fault.
    pub fn smaller(
        &self,
        bytes: &[u8],
        fault: Fault,
        trials: usize,
        mut goes_on: impl FnMut() -> bool,
    ) -> Fault {
        let mut least = fault;
        shrink(bytes, trials, |bytes| match goes_on().then(|| self.judge_bytes(bytes)) {
            Some(Err(smaller)) if smaller.kind == least.kind => {
                least = smaller;
                true
            }
            _ => false,
        });
        least
    }
}

/// Asserts a property of your own on this many drawn cases, without a family: the property panics if it does not
/// hold. The case of the first panic is made small, and the last assertion printed is that of this case.
///
/// ```
/// econsched::testkit::drawn(100, |draw| {
///     let (one, other) = (draw.below(1000), draw.below(1000));
///     assert_eq!(one.max(other) + one.min(other), one + other);
/// });
/// ```
///
/// # Panics
/// If the property panics.
pub fn drawn(cases: usize, property: impl Fn(&mut Draw)) {
    let fails = |draw: &mut Draw| catch_unwind(AssertUnwindSafe(|| property(draw))).is_err();
    for number in 0..cases {
        let mut draw = Draw::new(1, number);
        if fails(&mut draw) {
            let small = shrink(draw.taken(), 1000, |bytes| fails(&mut Draw::of_bytes(bytes)));
            property(&mut Draw::of_bytes(&small));
        }
    }
}

/// Smaller bytes that still fail. Cuts off the end, removes or zeroes blocks and lowers single bytes, until none
/// of this fails or `trials` are used up. The bytes returned fail, or are those given.
///
/// ```
/// let small = econsched::testkit::shrink(&[9, 200, 3, 77], 1000, |bytes| bytes.iter().any(|&b| b >= 50));
/// assert_eq!(small, [50]);
/// ```
pub fn shrink(bytes: &[u8], trials: usize, mut fails: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let (mut best, mut left) = (bytes.to_vec(), trials);
    let mut block = best.len();
    while block > 0 {
        let (mut at, mut progress) = (0, false);
        while at < best.len() {
            let end = (at + block).min(best.len());
            let put = |with: &[u8]| [&best[..at], with, &best[end..]].concat();
            let mut candidates = vec![put(&[]), put(&vec![0; end - at])];
            if block == 1 {
                candidates.extend([best[at] / 2, best[at].saturating_sub(1)].map(|byte| put(&[byte])));
            }
            // Each candidate is less than the best by length, then by its bytes, so this ends.
            candidates.retain(|candidate| *candidate != best);
            candidates.truncate(left);
            let smaller = candidates.into_iter().find(|candidate| {
                left -= 1;
                fails(candidate)
            });
            match smaller {
                Some(candidate) => (best, progress) = (candidate, true),
                None => at = end,
            }
            if left == 0 {
                return best;
            }
        }
        if !progress {
            block /= 2;
        }
    }
    best
}
