//! One alternative per job: the exact choice under a budget or a time limit, and the whole Pareto front.
//!
//! The second phase of an economic scheduling cycle (V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov: Resource
//! Selection Algorithms for Economic Scheduling in Distributed Systems, 2011, section 2). Each job of a batch comes with
//! alternatives, each of a cost and a time; no two of the batch conflict. Which one of each job makes the batch as a
//! whole quickest within a budget, or cheapest within a time?
//!
//! | you want | use |
//! |---|---|
//! | least time under a budget, least cost or greatest income under a time limit | [`choose`] with a [`Problem`] |
//! | the same many times | [`GrowingCore`] through [`Chooser`], with one [`Scratch`] |
//! | a schedule of a batch from the windows of its jobs | [`plan`] with a [`Goal`] |
//! | limits, where nobody gives any | [`time_limit`] (T*, equation 2), [`budget`] (B*, equation 3) |
//! | every undominated (cost, time) | [`Front::of`] |
//! | several criteria at once, weighted or in order | [`Front::best`] with a [`Preference`] |
//! | something to read, or to check against | [`BackwardRun`] |
//!
//! Everything is exact on real values: there is no grid and no rounding to one. What remains is the rounding of sums:
//! sums are formed in the order of the jobs, and a choice never exceeds a limit in that sum.
//!
//! ```
//! use batch_dp::{Alternatives, Decision, Problem, choose};
//!
//! // Two jobs with two alternatives each: (cost, time).
//! let batch = Alternatives::new(&[vec![(10.0, 4.0), (6.0, 7.0)], vec![(5.0, 2.0), (3.0, 3.0)]])?;
//!
//! let decision = choose(&batch, Problem::MinTime { budget: 13.0 })?;
//! let choice = decision.choice().unwrap();
//! assert_eq!((choice.picks.as_slice(), choice.time), ([0, 1].as_slice(), 7.0));
//!
//! // What cannot be done says by how much.
//! let decision = choose(&batch, Problem::MinTime { budget: 8.0 })?;
//! assert_eq!(decision, Decision::OutOfReach { least: 9.0, limit: 8.0 });
//! assert_eq!(decision.short_by(), 1.0);
//! # Ok::<(), batch_dp::BatchError>(())
//! ```

#![forbid(unsafe_code)]

mod alternatives;
mod backward_run;
mod core_order;
mod error;
mod exactness;
mod forward;
mod front;
mod growing_core;
mod incumbent;
mod kind;
mod limits;
mod multiplier;
mod plan;
mod problem;
mod states;

pub use alternatives::{Alternatives, Choice};
pub use backward_run::BackwardRun;
pub use error::BatchError;
pub use front::{Criterion, FRONT_CAP, Front, Point, Preference, Weights};
pub use growing_core::GrowingCore;
pub use kind::{Chooser, ChooserKind, Scratch};
pub use limits::{Floor, budget, time_limit};
pub use plan::{Goal, Plan, plan};
pub use problem::{Decision, Problem};

/// Solves a problem on a batch by the default algorithm, [`GrowingCore`].
///
/// # Errors
/// [`BatchError::Limit`] for a limit that is NaN.
pub fn choose(batch: &Alternatives, problem: Problem) -> Result<Decision, BatchError> {
    GrowingCore::default().choose(batch, problem, &mut Scratch::default())
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
