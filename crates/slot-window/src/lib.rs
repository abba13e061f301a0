//! Window searches: they find slots on heterogeneous nodes that start at the same time, for one job or, as
//! alternatives, for each job of a batch.
//!
//! A job asks for N nodes at once ([`ResourceRequest`](sched_model::ResourceRequest)): each of at least some
//! speed, for the same amount of work, within a budget, by a deadline. The free time is a
//! [`SlotList`](sched_model::SlotList). A search reads it in order of start and returns a
//! [`Window`](sched_model::Window), or the [reason](WindowSearch::refusal) why there is none.
//!
//! # Which search
//! | you want | use | guarantee |
//! |---|---|---|
//! | the earliest window within a budget | [`Amp`] | earliest start, cheapest there |
//! | the same, each slot within a price limit | [`Alp`] | earliest start |
//! | any affordable window, fast | [`FirstFit`] | earliest start |
//! | the earliest finish, the shortest runtime, the minimum cost | [`Optimal`] with an [`Objective`] | exact |
//! | the best by values of nodes, or by any sum over slots | [`MaxValue`] with a [`Criterion`] | exact |
//! | all windows that do not overlap, for each job of a batch | [`AlternativesSearch`] over any search | as the search |
//! | why there is none, and changes that would help | [`explain`](mod@explain) | tested with the search |
//! | n of k items under a budget, without slots | [`subset`] | exact |
//!
//! [`SearchKind`] lists the searches by name, among them two that are for comparison only: the published table
//! of largest values, and the best of repeated first fits. Your own search implements [`WindowSearch`].
//!
//! A search by [`WindowSearch::find`] stops at the default [`Limit`](sched_model::Limit), 20 million units of work (a
//! slot read is a unit: some tenths of a second) and 100 MB; [`WindowSearch::solve`] takes a meter with any limit,
//! stop signal and observer. Both return the best window so far. If there is no window, `find` spends at most as much
//! again to find the reason.
//!
//! # Two window models
//! All tasks of a window start together; on nodes of different speed they do not end together. A slot is called
//! *live* at an instant if a task that starts on it at that instant ends within the slot. In an
//! [own-span](sched_model::check::Holding::OwnSpan) window (ALP, AMP) each node is held and charged for its own span,
//! work / speed; the papers call its right edge rough, and so do the names of searches (`min-cost-rough`). In a
//! [slowest-span](sched_model::check::Holding::SlowestSpan) window, called square in the papers, all nodes are held
//! and charged until the slowest has finished. [`WindowSearch::rules`] states for how long a search holds nodes and
//! how it applies limits; [`Checker`](sched_model::check::Checker) verifies any window by these rules.
//!
//! # Example
//! ```
//! use sched_model::*;
//! use slot_window::{AlternativesSearch, Amp, Objective, Optimal, WindowQuery, WindowSearch};
//!
//! // Three nodes; node 1 is busy until 40. The horizon is 200.
//! let node = |id, speed, price| Node::must(id, speed, price);
//! let nodes = [node(1, 1.0, 1.0), node(2, 1.0, 2.0), node(3, 2.0, 5.0)];
//! let busy = [Occupied::must(1, 0.0, 40.0)];
//! let slots = SlotList::from_nodes(&nodes, &busy, Time::ZERO, Time::must(200.0))?;
//!
//! // Two nodes at once, 60 units of work each, for 300 at most.
//! let request = ResourceRequest::new(2, Work::must(60.0))?.with_budget(Money::must(300.0));
//!
//! // Now: node 2 for 60 at 2, node 3 for 30 at 5.
//! let first = Amp::new().find(&WindowQuery::new(&slots, &request))?.solution()?;
//! assert_eq!((first.start(), first.cost()), (Time::ZERO, Money::must(270.0)));
//!
//! // From 40 on: nodes 1 and 2, for 60 at 1 + 2.
//! let cheap = Optimal::new(Objective::Cost).find(&WindowQuery::new(&slots, &request))?.solution()?;
//! assert_eq!((cheap.start(), cheap.cost()), (Time::must(40.0), Money::must(180.0)));
//!
//! // A budget of 100 does not suffice; the refusal says by how much it falls short.
//! let poor = request.clone().with_budget(Money::must(100.0));
//! let none = Amp::new().find(&WindowQuery::new(&slots, &poor))?;
//! assert_eq!(none.refusal, Some(Refusal::Budget { short_by: Money::must(80.0) }));
//!
//! // All windows of a batch of one job: they do not overlap.
//! let batch = Batch::new(vec![Job::new(JobId(1), request)])?;
//! let all = AlternativesSearch::new(Amp::new()).find(&slots, &batch, Time::ZERO)?;
//! let starts: Vec<f64> = all.jobs[0].windows.iter().map(|window| window.start().get()).collect();
//! assert_eq!(starts, [0.0, 40.0, 70.0, 100.0, 130.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rounding
//! A task fits into a slot if the computed `start + span` is at most the slot's end and the start is before
//! the end. The cost, or the value, of a window is the exact sum over its nodes, rounded once to a double;
//! the window is affordable if its cost is at most the budget. No number is rounded to a grid, and no
//! tolerance is applied.

#![forbid(unsafe_code)]
// Shows in the documentation which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod alp;
mod alternatives_search;
mod amp;
mod criterion;
mod error;
pub mod explain;
mod first_fit;
mod kind;
mod max_value;
mod max_value_table;
mod multiple_best;
mod optimal;
#[doc(hidden)]
pub mod priced;
mod query;
mod refusal;
mod search;
mod solve;
pub mod subset;
mod sweep;
mod value;

pub use alp::Alp;
pub use alternatives_search::{AlternativesSearch, BatchAlternatives};
pub use amp::Amp;
pub use criterion::{Criterion, NodeValues, Objective};
pub use error::WindowError;
pub use first_fit::FirstFit;
pub use kind::{SearchKind, SearchOptions};
pub use max_value::MaxValue;
pub use optimal::Optimal;
pub use query::WindowQuery;
pub use search::WindowSearch;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
