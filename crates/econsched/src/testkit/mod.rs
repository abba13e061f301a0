//! Checks for algorithms of your own: those that the tests of this library run on its algorithms.
//!
//! If you implement one of the open traits, give your implementation to the check of that trait. The check
//! draws instances, runs the implementation on each, and compares every answer with an oracle that tries
//! every solution and shares no code with the algorithms. It returns the first fault as a value, with the
//! instance. A check does not panic; a panic of the implementation is one of the faults.
//!
//! | you implement | check | oracle |
//! |---|---|---|
//! | [`WindowSearch`] | [`SearchCheck`] | the checker, and every possible window |
//! | [`Chooser`] | [`ChooserCheck`] | every choice |
//! | [`Assigner`] | [`AssignerCheck`] | every assignment, and the verifier of duals |
//! | [`MappingHeuristic`] | [`MappingCheck`] | [`check_mapping`] |
//! | [`LocalPolicy`] | [`PolicyCheck`] | a sweep over starts and ends |
//! | [`BatchScheduler`] | [`SchedulerCheck`] | a separate profile for each resource |
//!
//! Each check needs the feature `testkit` and that of the crate that has the trait. Each has `run`, over
//! instances that it draws, and `check`, for one instance of yours. Instances are types that you can draw,
//! print and shrink.
//!
//! A check tests what the documentation of the trait promises. Promises of only some implementations are
//! tested if you require them: for example that a search misses no window, or that a policy keeps its
//! promises.
#![cfg_attr(feature = "slot-window", doc = "```")]
#![cfg_attr(not(feature = "slot-window"), doc = "```ignore")]
//! use econsched::slot_window::Amp;
//! use econsched::testkit::{Cases, SearchCheck};
//!
//! let amp = Amp::new();
//! let passed = SearchCheck::new(&amp)
//!     .with_completeness() // no window is missed
//!     .with_value(&|window, _| window.start().get()) // and none starts earlier
//!     .run(&Cases::new(100))?;
//! assert!(passed.cases == 100 && passed.found > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
// Names of features that are off lead to the pages of their crates.
#![cfg_attr(
    feature = "slot-window",
    doc = "
[`WindowSearch`]: slot_window::WindowSearch
"
)]
#![cfg_attr(
    not(feature = "slot-window"),
    doc = "
[`WindowSearch`]: https://docs.rs/slot-window
[`SearchCheck`]: https://docs.rs/econsched
"
)]
#![cfg_attr(
    feature = "batch-dp",
    doc = "
[`Chooser`]: batch_dp::Chooser
"
)]
#![cfg_attr(
    not(feature = "batch-dp"),
    doc = "
[`Chooser`]: https://docs.rs/batch-dp
[`ChooserCheck`]: https://docs.rs/econsched
"
)]
#![cfg_attr(
    feature = "auction-assign",
    doc = "
[`Assigner`]: auction_assign::Assigner
"
)]
#![cfg_attr(
    not(feature = "auction-assign"),
    doc = "
[`Assigner`]: https://docs.rs/auction-assign
[`AssignerCheck`]: https://docs.rs/econsched
"
)]
#![cfg_attr(
    feature = "grid-heuristics",
    doc = "
[`MappingHeuristic`]: grid_heuristics::MappingHeuristic
[`check_mapping`]: grid_heuristics::check_mapping
"
)]
#![cfg_attr(
    not(feature = "grid-heuristics"),
    doc = "
[`MappingHeuristic`]: https://docs.rs/grid-heuristics
[`MappingCheck`]: https://docs.rs/econsched
[`check_mapping`]: https://docs.rs/grid-heuristics
"
)]
#![cfg_attr(
    feature = "grid-sim",
    doc = "
[`LocalPolicy`]: grid_sim::LocalPolicy
[`BatchScheduler`]: grid_sim::BatchScheduler
"
)]
#![cfg_attr(
    not(feature = "grid-sim"),
    doc = "
[`LocalPolicy`]: https://docs.rs/grid-sim
[`BatchScheduler`]: https://docs.rs/grid-sim
[`PolicyCheck`]: https://docs.rs/econsched
[`SchedulerCheck`]: https://docs.rs/econsched
"
)]

#[cfg(feature = "auction-assign")]
mod assigner;
mod check;
#[cfg(feature = "batch-dp")]
mod chooser;
mod draw;
#[allow(dead_code)] // which of it is used depends on the features
mod former;
#[cfg(feature = "grid-heuristics")]
mod mapping;
#[cfg(feature = "grid-sim")]
mod policy;
#[cfg(feature = "grid-sim")]
mod scheduler;
#[cfg(feature = "slot-window")]
mod search;
mod sum;

#[cfg(feature = "auction-assign")]
pub use assigner::{AssignCase, AssignFault, AssignerCheck};
pub use check::{Check, Family, Fault, Seen, ensure, shrink};
#[cfg(feature = "batch-dp")]
pub use chooser::{ChoiceCase, ChoiceFault, ChooserCheck};
pub use draw::{Draw, Numbers, beside, limit_near};
#[cfg(feature = "grid-heuristics")]
pub use mapping::{MappingCase, MappingCheck, MappingFault};
#[cfg(feature = "grid-sim")]
pub use policy::{PolicyCase, PolicyCheck, PolicyFault};
#[cfg(feature = "grid-sim")]
pub use scheduler::{SchedulerCase, SchedulerCheck, SchedulerFault};
#[cfg(feature = "slot-window")]
pub use search::{SearchCase, SearchCheck, SearchFault, all_windows};
pub use sum::{Exact, rounded_sum};

/// The instances that a check runs: their number and seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct Cases {
    /// How many.
    pub count: usize,
    /// The seed from which they are drawn.
    pub seed: u64,
}

impl Default for Cases {
    /// 300 from seed 1: a few tenths of a second.
    fn default() -> Self {
        Self { count: 300, seed: 1 }
    }
}

impl Cases {
    /// This number of instances, from seed 1.
    pub fn new(count: usize) -> Self {
        Self { count, ..Self::default() }
    }

    /// From this seed.
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }
}

/// The result of a check that found no fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passed {
    /// Instances run.
    pub cases: usize,
    /// Those that the implementation refused as unsupported.
    pub skipped: usize,
    /// Those for which it found something: for a search a window; other implementations answer every instance
    /// that they support.
    pub found: usize,
}

/// A fault, and the instance that shows it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("case {number}: {fault}\n{case:?}")]
pub struct Broken<C: std::fmt::Debug, F: std::fmt::Display> {
    /// Number of the instance, from 0; with the seed it is drawn again.
    pub number: usize,
    /// The instance.
    pub case: C,
    /// What is wrong.
    pub fault: F,
}

/// Calls the code under test; a panic becomes its message.
#[cfg(any(
    feature = "slot-window",
    feature = "batch-dp",
    feature = "auction-assign",
    feature = "grid-heuristics"
))]
fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_owned())
    })
}

/// What an implementation made of a case.
#[cfg(any(
    feature = "slot-window",
    feature = "batch-dp",
    feature = "auction-assign",
    feature = "grid-heuristics"
))]
#[derive(Clone, Copy, PartialEq)]
enum Made {
    /// It does not support the case.
    Nothing,
    /// There was nothing to be found.
    NotFound,
    Found,
}

/// Draws the cases one after the other and stops at the first fault. `check` returns whether the
/// implementation supports the case.
#[cfg(any(
    feature = "slot-window",
    feature = "batch-dp",
    feature = "auction-assign",
    feature = "grid-heuristics"
))]
fn run_cases<C: std::fmt::Debug, F: std::fmt::Display>(
    cases: &Cases,
    draw: impl FnMut(&mut former::Draw) -> C,
    mut check: impl FnMut(&C) -> Result<bool, F>,
) -> Result<Passed, Box<Broken<C, F>>> {
    run_counted(cases, draw, |case| check(case).map(|taken| if taken { Made::Found } else { Made::Nothing }))
}

/// As [`run_cases`], where an answer may be that there is nothing.
#[cfg(any(
    feature = "slot-window",
    feature = "batch-dp",
    feature = "auction-assign",
    feature = "grid-heuristics"
))]
fn run_counted<C: std::fmt::Debug, F: std::fmt::Display>(
    cases: &Cases,
    mut draw: impl FnMut(&mut former::Draw) -> C,
    mut check: impl FnMut(&C) -> Result<Made, F>,
) -> Result<Passed, Box<Broken<C, F>>> {
    let mut passed = Passed { cases: cases.count, skipped: 0, found: 0 };
    for number in 0..cases.count {
        let case = draw(&mut former::Draw::of_case(cases.seed, number));
        match check(&case) {
            Ok(made) => {
                passed.skipped += usize::from(made == Made::Nothing);
                passed.found += usize::from(made == Made::Found);
            }
            Err(fault) => return Err(Box::new(Broken { number, case, fault })),
        }
    }
    Ok(passed)
}
