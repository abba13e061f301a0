//! The tests of the crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // a test stops at the first surprise

mod cases;
mod changed;
#[path = "../../../../fuzz/src/judge.rs"]
mod judge;
mod kernels;
mod larger;
#[cfg(feature = "rayon")]
mod limits;
mod methods;
#[cfg(feature = "rayon")]
mod stopped;
mod strategy;
mod verifier;
