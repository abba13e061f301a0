//! The tests of the crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // a test stops at the first surprise

#[cfg(feature = "convert")]
mod convert;
mod distribution;
mod extreme_parameters;
mod generators;
#[cfg(feature = "convert")]
#[path = "../../../../fuzz/src/judge.rs"]
mod judge;
#[cfg(feature = "convert")]
mod parsers;
mod stability;
mod swf;
