//! An economic scheduling broker as a state machine: events go in, decisions come out.
//!
//! It repeats the two phases of an economic scheduling cycle (find windows for every job, then choose one for each)
//! while jobs arrive, end early or late, and nodes fail. A [`Broker`] has no clock, no threads, no input or output and
//! no randomness. So the code that is simulated is the code that runs in production, and a run can be repeated to the
//! last byte.
//!
//! * [`Broker::handle`] takes an [`Input`] with its time. All inputs except [`Input::Wake`] are facts; `Wake` makes
//!   decisions.
//! * [`Broker::poll`] returns the next [`Decision`]: reserve, move, withdraw, preempt, start, stop, refuse, close.
//! * [`Broker::next_wakeup`] returns the instant at which to send the next `Wake` if no other input comes before.
//!
//! ```
//! use live_broker::{Act, Broker, Config, Input};
//! use sched_model::*;
//!
//! let mut broker = Broker::new(Config::new(Span::must(1000.0)))?;
//! let at = Time::must;
//! for id in [1, 2] {
//!     broker.handle(at(0.0), Node::must(id, 1.0, 1.0).into())?;
//! }
//! // Two jobs that need both nodes for 10.
//! let request = ResourceRequest::new(2, Work::must(10.0))?;
//! for id in [1, 2] {
//!     broker.handle(at(0.0), Job::new(JobId(id), request.clone()).into())?;
//! }
//! broker.handle(at(0.0), Input::Wake)?;
//! let first = broker.poll().map(|decision| decision.to_string());
//! assert_eq!(first.as_deref(), Some("#0 at 0: promise job 1 [0, 10) for 20 on nodes 1, 2"));
//! let mut acts = std::iter::from_fn(|| broker.poll()).map(|decision| decision.act);
//! assert!(
//!     matches!(acts.next(), Some(Act::Reserve { job: JobId(2), window }) if window.start() == at(10.0))
//! );
//! assert!(matches!(acts.next(), Some(Act::Start { job: JobId(1), .. })));
//! assert!(acts.next().is_none());
//!
//! // Job 1 ends at 4. Its nodes are free again once that is reported; job 2 keeps its promise.
//! broker.handle(at(0.0), Input::Started(JobId(1)))?;
//! broker.handle(at(4.0), Input::Ended(JobId(1)))?;
//! broker.handle(at(4.0), Input::Wake)?;
//! assert!(
//!     matches!(broker.poll().map(|decision| decision.act),
//!         Some(Act::Close { cost, .. }) if cost == Money::must(8.0))
//! );
//! assert_eq!(broker.next_wakeup(), Some(at(10.0)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//! * **Any sequence of inputs is a valid history.** An input that is late, repeated or about an unknown job or node
//!   gives an error value and leaves the state unchanged.
//! * **No node is used before its release is confirmed**, even after the planned end. A task that overruns is expected
//!   to overrun by as much time again; a job that was promised its node is moved when its start has come.
//! * **No cycle loses a promise that can be kept**, at any limit of work. Promises move to better windows only as far
//!   as [`Stability`] allows, and every move is a decision that names the old window, the new window and the cause.
//! * **A cycle is bounded**: by default it does at most 20 million units of work (some tenths of a second) in 100 MB
//!   ([`Config::work`], [`Config::memory`]); the jobs that it did not reach are left to the next one.
//! * **No job costs more than was promised**, and no promise costs more than the budget.
//! * **No job is forgotten**: each job is refused or closed exactly once. While it waits and could get a window,
//!   [`Broker::next_wakeup`] returns an instant.
//! * **Equal inputs give equal bytes**; see [`Entry`] and [`Broker`].
//!
//! [`Broker::audit`] checks all this from scratch.

#![forbid(unsafe_code)]
// Says in the documentation which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod book;
mod broker;
mod config;
mod cycle;
mod decision;
mod error;
mod fit;
mod input;
mod instant;
mod jobs;
mod journal;
#[cfg(feature = "serde")]
mod saved;
mod state;

pub use broker::{Broker, Explanation, JobView, NodeCounts, PromiseState, Quotes};
pub use config::{Config, MovePolicy, MoveRate, Preemption, Prefer, Stability};
pub use cycle::CycleNote;
pub use decision::{Act, Cause, CloseReason, Decision, Reason, Standing, StopCause};
pub use error::BrokerError;
pub use input::{Input, SpeedOn};
pub use journal::Entry;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
