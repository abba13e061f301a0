//! The testkit finds no fault in the registered algorithms, and finds the faults of algorithms that are
//! broken on purpose.

#![cfg(all(feature = "testkit", feature = "grid-sim"))]

mod broken_brokers;
mod broken_choices;
mod broken_searches;
#[cfg(feature = "full")]
mod examples;
mod registered;

use econsched::testkit::{Broken, Passed};
use std::fmt::{Debug, Display};

/// The fault that a check found.
#[track_caller]
fn fault<C: Debug, F: Debug + Display>(verdict: Result<Passed, Box<Broken<C, F>>>) -> F {
    let broken = verdict.expect_err("a fault should have been found");
    assert!(broken.to_string().contains("case"), "{broken}");
    broken.fault
}
