//! Random number generators, made from a seed and the number of a replicate.
//!
//! The seed, the replicate and the version of this crate determine every value that is drawn, on every machine. A
//! change of drawn values is a breaking change, stated in the changelog.

pub use crate::draw::{Stream, stream};
