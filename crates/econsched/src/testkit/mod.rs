//! Checks for algorithms of your own: those that the tests of this library run on its algorithms.
//!
//! If you implement one of the open traits, give your implementation to the check of that trait. The check
//! draws cases, runs the implementation on each, and compares every answer with an oracle that tries every
//! solution and shares no code with the algorithms. It returns the first [`Fault`] as a value, with its case
//! made small. A panic of the implementation is one of the faults, and so is finding nothing in any case.
//!
//! | you implement | check | oracle |
//! |---|---|---|
//! | [`WindowSearch`] | `search` | the checker, and every possible window |
//! | [`Chooser`] | `chooser` | every choice |
//! | [`Assigner`] | `assigner` | every assignment, and the verifier of duals |
//! | [`MappingHeuristic`] | `mapping` | the times added up again |
//! | [`LocalPolicy`] | `policy` | a sweep over starts and ends |
//! | [`BatchScheduler`] | `scheduler` | a separate profile for each resource |
//!
//! Each check needs the feature `testkit` and that of the crate that has the trait. A check tests what the
//! documentation of the trait promises; what only some implementations promise is tested if you say so: that a
//! search misses no window, or that a policy keeps its promises. For all that have a limit it tests one property
//! of limits, [`Stops::check`].
//!
//! The parts are public: a [`Family`] of your own draws its cases by the same [`Draw`], whose bytes may come from
//! a fuzzer or a property test ([`Check::judge_bytes`]), has [numbers](Numbers) on which arithmetic in doubles
//! goes wrong, and [exact sums](Exact) and [oracles](oracle) to judge by.
//!
//! ```
//! # #[cfg(feature = "slot-window")] {
//! use econsched::{slot_window::Amp, testkit};
//!
//! let amp = Amp::new();
//! let check = testkit::search(&amp)
//!     .with_completeness() // no window is missed
//!     .with_value(|window, _| window.start().get()); // and none starts earlier
//! let seen = check.run(100)?;
//! assert!(seen.cases == 100 && seen.solved > 30);
//! # }
//! # Ok::<(), econsched::testkit::Fault>(())
//! ```
//!
//! [`WindowSearch`]: https://docs.rs/slot-window
//! [`Chooser`]: https://docs.rs/batch-dp
//! [`Assigner`]: https://docs.rs/auction-assign
//! [`MappingHeuristic`]: https://docs.rs/grid-heuristics
//! [`LocalPolicy`]: https://docs.rs/grid-sim
//! [`BatchScheduler`]: https://docs.rs/grid-sim

#[cfg(feature = "auction-assign")]
mod assigner;
mod cases;
mod check;
#[cfg(feature = "batch-dp")]
mod chooser;
mod draw;
#[allow(dead_code)] // which of it is used depends on the features
mod former;
mod limits;
#[cfg(feature = "grid-heuristics")]
mod mapping;
pub mod oracle;
#[cfg(feature = "grid-sim")]
mod policy;
#[cfg(feature = "grid-sim")]
mod scheduler;
#[cfg(feature = "slot-window")]
mod search;
mod sum;

#[cfg(feature = "auction-assign")]
pub use assigner::{Assigners, assigner};
pub use cases::{
    AssignCase, ChoiceCase, CoverageCase, MappingCase, NodeCase, RequestCase, SearchCase, TariffCase,
};
pub use check::{Check, Family, Fault, Seen, ensure, shrink};
#[cfg(feature = "batch-dp")]
pub use chooser::{Choosers, chooser};
pub use draw::{Draw, Numbers, beside, limit_near};
pub use limits::{Stopped, Stops};
#[cfg(feature = "grid-heuristics")]
pub use mapping::{Mappings, mapping};
#[cfg(feature = "grid-sim")]
pub use policy::{PolicyCase, PolicyCheck, PolicyFault};
#[cfg(feature = "grid-sim")]
pub use scheduler::{SchedulerCase, SchedulerCheck, SchedulerFault};
#[cfg(feature = "slot-window")]
pub use search::{Searches, search};
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
#[cfg(feature = "grid-sim")]
fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_owned())
    })
}

/// Draws the cases one after the other and stops at the first fault. `check` returns whether the
/// implementation supports the case.
#[cfg(feature = "grid-sim")]
fn run_cases<C: std::fmt::Debug, F: std::fmt::Display>(
    cases: &Cases,
    mut draw: impl FnMut(&mut former::Draw) -> C,
    mut check: impl FnMut(&C) -> Result<bool, F>,
) -> Result<Passed, Box<Broken<C, F>>> {
    let mut passed = Passed { cases: cases.count, skipped: 0 };
    for number in 0..cases.count {
        let case = draw(&mut former::Draw::of_case(cases.seed, number));
        match check(&case) {
            Ok(taken) => passed.skipped += usize::from(!taken),
            Err(fault) => return Err(Box::new(Broken { number, case, fault })),
        }
    }
    Ok(passed)
}
