//! Optimal assignment of jobs to resources, with proofs: auction, shortest augmenting paths, capacities, provider
//! strategies.
//!
//! Each job goes to at most one resource, each resource takes at most as many jobs as it has places, and the sum
//! of the costs is minimal (or maximal). [`assign`] chooses a method. Every exact answer carries its [`Duals`], from
//! which [`verify`] proves the answer without knowing the method.
//!
//! Costs are borrowed ([`Costs`]): a full matrix of doubles or narrower numbers, a sparse matrix, lengths and speeds,
//! or a function. Beside them the methods take O(jobs + resources) memory, and [`Transport`](AssignerKind::Transport),
//! for few resources, the square of their number. [`assign`] may also copy a full matrix: to transpose it, to merge
//! equal rows or columns, or in half the width if costs are whole numbers of few bits and paths are long.
//!
//! ```
//! use auction_assign::{AssignmentProblem, Costs, assign, verify};
//! // Hours of three jobs (rows) on two machines; the second has two places.
//! let hours = [4.0, 1.0, 2.0, 3.0, 5.0, 2.0];
//! let problem = AssignmentProblem::new(Costs::dense(3, 2, &hours)?).with_capacities(&[1, 2]);
//! let assignment = assign(&problem)?.solution()?;
//! assert_eq!(assignment.resources, [Some(1), Some(0), Some(1)]);
//! assert_eq!(assignment.total, 5.0);
//! assert_eq!(verify(&problem, &assignment)?.gap, 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What to use when
//!
//! | you have | method | cost in practice |
//! |---|---|---|
//! | any problem | [`assign`] ([`AssignerKind::Automatic`]) | that of the best method below, or a little more |
//! | lengths and speeds, or costs that rank jobs and resources | [`AssignerKind::Sorted`] | a sort; two passes over a matrix |
//! | many jobs on few resources (up to some hundreds) | [`AssignerKind::Transport`] | one pass, or three if places are scarce |
//! | random costs in a wide or narrow range | [`AssignerKind::ShortestPaths`] | about two passes over the costs |
//! | distances, or costs that are nearly the sum of a row part and a column part | [`Auction`], [`assign`] | |
//!
//! [`Assigner::solve`] takes a [`Meter`](sched_model::Meter) with a limit of work or memory, a gap, a stop signal
//! and an observer. A stopped search returns its incumbent, the best assignment so far, and the bound that its prices
//! prove.
//!
//! Where costs or capacities change a little from call to call, [`AssignmentProblem::with_start`] starts from the
//! previous answer.
//!
//! All methods implement [`Assigner`]; [`AssignerKind`] lists them by name. [`Coverage`] states which jobs
//! must be placed. If every job must be placed and this is infeasible, the outcome holds a [`Shortage`]: a set of
//! jobs, and all resources that they may use, which have fewer places than there are jobs in the set.
//!
//! # How it is fast
//!
//! During a search prices only rise. So each job keeps a short list of the resources that were cheapest for it
//! (by cost + price) at some earlier moment, and a lower bound on the cost + price of all others. As long as its two
//! best resources lie below the bound, a bid or a step of a shortest path reads only that list, in order, and stops
//! at the first entry that can no longer matter. Whole rows are read once to make the lists, and again when a list is
//! no longer sufficient. In full matrices with one place per resource, bids and paths read whole rows in plain loops
//! instead, because lists cost more than they save where rows are short or many costs are equal. These loops are
//! compiled for several widths of vector instructions and run in the widest that the processor has; all widths give
//! the same results. The work of each method is counted. Once the method that [`assign`] has chosen by the shape of
//! the problem has used up its head start, the auction solves the problem from the beginning.
//!
//! # Numbers
//! Costs are `f64` of magnitude at most [`MAX_COST`]; infinity forbids a pair. Answers are
//! [`Exact`](sched_model::Proof::Exact) for all such costs: no assignment has a better sum, compared without
//! rounding. If all costs are multiples of one power of two (whole numbers, 16ths and so on), and neither costs
//! nor prices exceed 2^51 times that power, sums of doubles are exact; this is checked, not assumed. Otherwise the
//! answer found in doubles is corrected in fixed-point numbers as wide as the costs need: 128 bits for most, 1344
//! for the whole range of doubles. In most cases the assignment found in doubles is already optimal, and only the
//! last few bits of prices change. The duals are then given as doubles, together with their differences from the
//! exact duals ([`Remainders`]), and [`verify`] also compares them without rounding, in its own arithmetic.
//! Nothing overflows: the sum of 2^32 costs of 1e60 is far below the largest double.
//!
//! The same problem always gives the same answer. Among several optima each method makes a fixed choice; two methods
//! may choose different ones, but their totals are equal.
#![forbid(unsafe_code)]
// The documentation shows which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod auction;
mod automatic;
mod candidates;
mod costs;
mod error;
mod finish;
mod greedy;
mod kernel;
mod kind;
mod market;
mod parallel;
mod problem;
mod rows;
mod shortest_paths;
mod solution;
mod sorted;
pub mod strategy;
mod tighten;
mod transport;
mod verify;

pub use auction::Auction;
pub use automatic::assign;
pub use costs::{CostValue, Costs, MAX_COST};
pub use error::AssignError;
pub use kind::AssignerKind;
pub use problem::{Assigner, AssignmentProblem, Coverage};
pub use sched_model::Sense;
pub(crate) use solution::Answer;
pub use solution::{Assignment, Duals, Remainders, Shortage};
pub use verify::{Certificate, Flaw, verify};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
