//! Random generators, by a seed and the number of a replicate.
//!
//! A seed and a version of this crate determine every value that is drawn, on every machine. A change of values is a
//! breaking change, stated in the changelog.

pub use crate::draw::{Stream, stream};
