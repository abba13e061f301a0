//! Windows of simultaneous slots on heterogeneous nodes: ALP, AMP, optimal window search, and all alternatives of a batch.

#![forbid(unsafe_code)]

mod alp;
mod alternatives;
mod amp;
mod criterion;
mod error;
mod first_fit;
mod heaps;
mod kind;
mod live;
mod max_value;
mod multiple_best;
mod optimal;
mod refusal;
mod scan;
mod search;
pub mod subset;

pub use alp::Alp;
pub use alternatives::{Alternatives, BatchAlternatives};
pub use amp::Amp;
pub use criterion::{Criterion, NodeValues, Scope, TotalSpeed};
pub use error::WindowError;
pub use first_fit::FirstFit;
pub use kind::{SearchKind, SearchOptions};
pub use max_value::{MaxValue, Sense};
pub use multiple_best::{MultipleBest, Ranking};
pub use optimal::{Objective, Optimal};
pub use search::{SearchScratch, WindowSearch};
