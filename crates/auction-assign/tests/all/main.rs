//! The tests of the crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // a test stops at the first surprise

mod auction;
mod cases;
mod kernels;
mod larger;
mod limits;
mod methods;
mod start;
mod strategy;
mod verifier;
