//! Checks for algorithms of your own: the checks that the tests of this library run on its algorithms.
//!
//! If you implement one of the open traits, pass your implementation to the check of that trait. The check draws
//! cases, runs the implementation on each, and compares every answer with an oracle that shares no code with the
//! algorithms. It returns the first [`Fault`] as a value, with a small case that shows it.
//! A panic of the implementation is also a fault, and so is a run in which no case is solved.
//!
//! | you implement | check | oracle |
//! |---|---|---|
//! | [`WindowSearch`] | `search` | the checker, and every possible window |
//! | [`Chooser`] | `chooser` | every choice |
//! | [`Assigner`] | `assigner` | every assignment, and the verifier of duals |
//! | [`MappingHeuristic`] | `mapping` | the checker of mappings: that they are consistent, not that they are good |
//! | [`LocalPolicy`] | `policy` | the start of every job |
//! | [`BatchScheduler`] | `scheduler` | the records of a simulated grid |
//!
//! Each check needs the feature `testkit` and that of the crate that has the trait. A check tests what the
//! documentation of the trait promises. Promises that only some implementations make are tested on request: for
//! example that a search misses no window, or that a policy keeps its promised starts. Searches, choosers and mapping
//! heuristics are also tested under limits of work ([`Stops::check`]), the others are not.
//!
//! The parts are public. A [`Family`] or a property ([`drawn`]) of your own draws its cases with the same
//! [`Draw`], whose bytes may also come from a fuzzer or a property test ([`Check::judge_bytes`]). Cases can use
//! [numbers](Numbers) on which arithmetic in doubles goes wrong; [exact sums](Exact) and [oracles](oracle) judge
//! the answers.
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
mod check;
#[cfg(feature = "batch-dp")]
mod chooser;
mod draw;
mod limits;
#[cfg(feature = "grid-heuristics")]
mod mapping;
mod nodes;
pub mod oracle;
#[cfg(feature = "grid-sim")]
mod policy;
#[cfg(feature = "grid-sim")]
mod scheduler;
#[cfg(feature = "slot-window")]
mod search;
mod sum;
pub mod zoo;

#[cfg(feature = "auction-assign")]
pub use assigner::{AssignCase, Assigners, FormCase, StoredCosts, assigner};
pub use check::{Check, Family, Fault, Seen, drawn, ensure, part, shrink};
#[cfg(feature = "batch-dp")]
pub use chooser::{ChoiceCase, Choosers, chooser};
pub use draw::{Draw, Numbers, beside, limit_near};
pub use limits::{Stopped, Stops};
#[cfg(feature = "grid-heuristics")]
pub use mapping::{Mappings, etc, mapping};
pub use nodes::{NodeCase, SearchCase, demands, features, request, tariff};
#[cfg(feature = "grid-sim")]
pub use policy::{Policies, PolicyCase, policy};
#[cfg(feature = "grid-sim")]
pub use scheduler::{BatchSchedulers, SchedulerCase, scheduler};
#[cfg(feature = "slot-window")]
pub use search::{Anew, Searches, search};
pub use sum::{Exact, rounded_sum};
