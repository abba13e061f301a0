//! The tests of the crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // a test stops at the first surprise

mod bounded;
mod conformance;
mod counted;
mod enumeration;
mod exact;
mod forms;
mod oracle;
mod places;
mod properties;
mod special_costs;
mod structures;
mod threads;
mod verifier;
mod warm;
mod within;
