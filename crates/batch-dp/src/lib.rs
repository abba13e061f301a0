//! One alternative per job: the exact choice under a budget or a time limit, and the whole Pareto front.
//!
//! The second phase of an economic scheduling cycle (V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov:
//! Resource Selection Algorithms for Economic Scheduling in Distributed Systems, 2011, section 2). Each job of a
//! batch has alternatives, each with a cost and a time, and no two alternatives of different jobs conflict. This
//! crate chooses one alternative for each job, so that the batch as a whole is quickest within a budget, or
//! cheapest within a time limit.
//!
//! | you want | use |
//! |---|---|
//! | minimum time within a budget, minimum cost or maximum income within a time limit | [`ExpandingCore`] on a [`ChoiceProblem`] with a [`Goal`] |
//! | to leave jobs out: penalties, most jobs, largest weight | [`ChoiceProblem::with_coverage`] |
//! | budgets of users | [`ChoiceProblem::with_account`] |
//! | to start from an earlier choice | [`ChoiceProblem::with_start`] |
//! | a limit of work or memory, or many calls | [`Chooser::solve`] with a meter, which keeps the buffers between calls |
//! | a schedule of a batch from the windows of its jobs | [`Planner`] |
//! | the minimum makespan before the goal, budgets of users, a preference, all in one | [`Planner`] |
//! | limits derived from the alternatives | [`derived_time_limit`] (T*, equation 2); [`Goal::MaxIncome`] within it has the cost B* (equation 3) |
//! | every undominated (cost, time) pair | [`Front::of`] |
//! | several criteria, as a weighted sum or in lexicographic order | [`Planner::with_preference`] |
//! | a short reference algorithm, to read or to compare with | [`ChooserKind::BackwardRun`] |
//!
//! All results are exact on real values. The cost of a choice is the exact sum of the costs of its alternatives,
//! rounded once to a double; its time is computed in the same way. A choice keeps a limit if the rounded sum is at most
//! the limit. The answer does not depend on the order of the jobs, except for ties.
//!
//! Every call that can take long takes a meter with a [`Limit`](sched_model::Limit) of work and memory: by default 20
//! million units, which take a few tenths of a second at most, and 100 MB. The meter is charged before the passes over
//! all alternatives, and before each list of states is formed or merged. Under a larger limit of work a call takes
//! the same steps and then further ones, so neither the choice nor the bound becomes worse.
//!
//! | stopped in | choice | bound |
//! |---|---|---|
//! | the passes before the search, or the fronts of accounts | the earlier choice, if there is one | none |
//! | the search for the maximum service | the best so far | none |
//! | the search by the goal | the best so far | that of the relaxation, later that of the dropped states |
//! | the search by the goal, if the numbers differ too much in magnitude for its lists | the one known before the search | none |
//! | [`ChooserKind::BackwardRun`] | the choice of lowest weight, or the earlier choice if that is better | none |
//! | [`Front::of`]; [`Planner`] without a choice | [`BatchError::Stopped`] | none |
//!
//! ```
//! use batch_dp::{Alternatives, ChoiceProblem, ChoiceRefusal, Chooser, ExpandingCore, Goal};
//!
//! // Two jobs with two alternatives each: (cost, time).
//! let batch = Alternatives::new(&[vec![(10.0, 4.0), (6.0, 7.0)], vec![(5.0, 2.0), (3.0, 3.0)]])?;
//! let problem = |budget| ChoiceProblem::new(&batch, Goal::MinTime { budget: Some(budget) });
//!
//! let choice = ExpandingCore.choose(&problem(13.0))?.best.unwrap();
//! assert_eq!((choice.picks.as_slice(), choice.time), ([Some(0), Some(1)].as_slice(), 7.0));
//! assert_eq!(choice.to_string(), "cost 13, time 7; alternatives 0, 1");
//!
//! // Where no choice keeps the limit, the answer says by how much it falls short.
//! let refusal = ExpandingCore.choose(&problem(8.0))?.refusal.unwrap();
//! assert_eq!(refusal, ChoiceRefusal::OutOfReach { least: 9.0, limit: 8.0 });
//! assert_eq!(refusal.short_by(), 1.0);
//! assert_eq!(refusal.to_string(), "every choice uses at least 9, the limit is 8");
//! # Ok::<(), batch_dp::BatchError>(())
//! ```

#![forbid(unsafe_code)]
// Says in the documentation which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod accounts;
mod alternatives;
mod backward_run;
mod chooser;
mod error;
mod expanding_core;
mod front;
mod goal;
mod kernel;
mod list;
mod number;
mod partial;
mod planner;
mod problem;

pub use alternatives::Alternatives;
pub use chooser::{Choice, Chooser, ChooserKind};
pub use error::BatchError;
pub use expanding_core::ExpandingCore;
pub use front::{Front, Point, Preference, VectorCriterion, Weights};
pub use goal::{Floor, derived_time_limit, with_derived_limit};
pub use planner::{Plan, Planner};
pub use problem::{Account, ChoiceProblem, ChoiceRefusal, Coverage};

pub(crate) use chooser::Chosen;
#[doc(no_inline)]
pub use sched_model::Goal;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
