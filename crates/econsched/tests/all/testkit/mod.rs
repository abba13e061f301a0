//! The testkit finds no fault in the registered algorithms, and finds the faults of algorithms that are
//! broken on purpose.

#![cfg(all(feature = "testkit", feature = "grid-sim"))]

mod broken_brokers;
mod broken_choices;
mod broken_searches;
mod parts;

use econsched::testkit::{Fault, Seen};

/// An algorithm that is a function.
#[derive(Debug)]
struct Own<F>(F);

/// A check found a fault of one of these kinds.
#[track_caller]
fn found(checked: Result<Seen, Fault>, kinds: &str) {
    let fault = checked.expect_err(kinds);
    assert!(kinds.split(", ").any(|kind| kind == fault.kind), "{kinds}, and found is {fault}");
}
