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
//! The parts are public: a [`Family`] or a property ([`drawn`]) of your own draws its cases by the same [`Draw`],
//! whose bytes may come from a fuzzer or a property test ([`Check::judge_bytes`]), has [numbers](Numbers) on which
//! arithmetic in doubles goes wrong, and [exact sums](Exact) and [oracles](oracle) to judge by.
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

#[cfg(feature = "slot-window")]
mod anew;
#[cfg(feature = "auction-assign")]
mod assigner;
mod cases;
mod check;
#[cfg(feature = "batch-dp")]
mod chooser;
mod draw;
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

#[cfg(feature = "slot-window")]
pub use anew::Anew;
#[cfg(feature = "auction-assign")]
pub use assigner::{Assigners, StoredCosts, assigner};
#[cfg(feature = "workload-gen")]
#[doc(inline)]
pub use cases::assignments as zoo;
pub use cases::{
    AssignCase, ChoiceCase, CoverageCase, DemandsCase, FeaturesCase, FormCase, GridJobCase, LocalJobCase,
    MachineCase, MappingCase, NodeCase, PolicyCase, RequestCase, SchedulerCase, SearchCase, TariffCase,
};
pub use check::{Check, Family, Fault, Seen, drawn, ensure, shrink};
#[cfg(feature = "batch-dp")]
pub use chooser::{Choosers, chooser};
pub use draw::{Draw, Numbers, beside, limit_near};
pub use limits::{Stopped, Stops};
#[cfg(feature = "grid-heuristics")]
pub use mapping::{Mappings, mapping};
#[cfg(feature = "grid-sim")]
pub use policy::{Policies, policy};
#[cfg(feature = "grid-sim")]
pub use scheduler::{BatchSchedulers, scheduler};
#[cfg(feature = "slot-window")]
pub use search::{Searches, search};
pub use sum::{Exact, rounded_sum};
