//! The vocabulary of economic scheduling: the types that all crates of `econsched` share.
//!
//! Economic scheduling decides which free time, on which machines, at which price, goes to which job. This crate
//! defines the types, and a [checker](check) that verifies any answer independently of the algorithm that made it. It
//! does not schedule anything itself.
//!
//! | you have | type |
//! |---|---|
//! | instants, durations, volumes of work | [`Time`], [`Span`], [`Work`], [`DataSize`] |
//! | rates and money | [`Speed`], [`Bandwidth`], [`Price`], [`Money`] |
//! | single CPUs, with speed and price | [`Node`] |
//! | free intervals of nodes; intervals that are taken | [`Slot`], [`SlotList`]; [`Occupied`] |
//! | labels and amounts of nodes, and demands of jobs on them | [`Features`], [`Demands`] |
//! | how a price and a span become a charge | [`Tariff`] of a [`SlotList`] |
//! | machines of several CPUs | [`Machine`] |
//! | free CPUs of one machine over time | [`Profile`] |
//! | requests of jobs | [`ResourceRequest`], [`Job`], [`Batch`] |
//! | a place for one job | [`Window`] of [`Placement`]s |
//! | the answer for all jobs | [`Schedule`], with a [`Refusal`] for each job that has no place |
//! | estimated times, jobs x resources | [`EtcMatrix`] |
//! | the limit of a search, and the work that it has done | [`Limit`]; [`Meter`] |
//! | an optimiser's answer | [`Outcome`] with its [`End`] and [`Proof`] |
//! | interchangeable variants, found by name | [`registry!`] |
//! | an answer to be checked | [`check::Checker`] |
//!
//! Intervals are half-open, `[start, end)`: two windows may touch. The caller chooses the units, which must agree
//! with each other. Constructors of quantities accept at most 1e60 in magnitude. Operators do not check their
//! results, which stay finite all the same.
//!
//! ```
//! use sched_model::*;
//!
//! // Two nodes, one of them busy until 30; the horizon is 100.
//! let nodes = [Node::must(1, 1.0, 2.0), Node::must(2, 2.0, 5.0)];
//! let busy = [Occupied::must(2, 0.0, 30.0)];
//! let slots = SlotList::from_nodes(&nodes, &busy, Time::ZERO, Time::must(100.0))?;
//! assert_eq!(slots.len(), 2);
//!
//! // A job that needs both at once, 60 units of work on each.
//! let request = ResourceRequest::new(2, Work::must(60.0))?.with_budget(Money::must(300.0));
//! let start = Time::must(30.0);
//! let place = |slot: &Slot| Placement::on(slot, start, request.work() / slot.speed, slots.tariff());
//! let placements = slots.iter().map(place).collect();
//! let window = Window::new(start, placements)?;
//! assert_eq!((window.runtime(), window.cost()), (Span::must(60.0), Money::must(270.0)));
//!
//! // The checker finds no violation.
//! let checker = check::Checker::new(&slots, check::Rules::default());
//! assert!(checker.window(&window, &request).is_empty());
//! # Ok::<(), ModelError>(())
//! ```
//!
//! With the feature `serde`, the types of data implement `Serialize` and `Deserialize`. Deserializing checks what the
//! constructors check, so NaN, empty slots and unsorted lists of slots are errors.

#![forbid(unsafe_code)]
// Shows in the documentation which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod check;
mod conversions;
mod counted;
mod elementary;
mod error;
mod exact;
mod features;
mod fields;
mod goal;
mod ids;
#[doc(hidden)]
pub mod internal;
mod job;
mod limit;
mod macros;
mod matrix;
mod node;
mod order;
mod outcome;
mod profile;
mod quantity;
mod registry;
mod schedule;
mod slot;
mod slot_list;
mod tariff;
mod window;

pub use error::ModelError;
pub use features::{Demands, Eligible, Features, Spread};
pub use goal::Goal;
pub use ids::{JobId, MachineId, NodeId, SiteId, UserId};
pub use job::{Batch, Job, ResourceRequest};
pub use limit::{End, Limit, Meter, Progress};
pub use matrix::EtcMatrix;
pub use node::{Machine, Node};
pub use outcome::{NoSolution, Outcome, Proof, Sense};
pub use profile::Profile;
pub use quantity::{Bandwidth, DataSize, Money, Price, Priority, Span, Speed, Time, TradeOff, Work};
pub use schedule::{Refusal, Schedule};
pub use slot::{Occupied, Slot};
pub use slot_list::SlotList;
pub use tariff::{Rounding, Tariff};
pub use window::{JobWindows, Placement, Window};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
